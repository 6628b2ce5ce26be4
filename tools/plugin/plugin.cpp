//===- plugin.cpp - Our passes and dialect in upstream's tools ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mlir-opt's --load-pass-plugin and --load-dialect-plugin look for. The
// one names passes and pipelines of the tables to upstream's registry, as
// pipelines: those are given their options as text, which is what ours are
// built from. The other has each context load, before any pass runs, what
// passes may make.
//
// C++ for what upstream takes in C++ alone; all else is the compiler's own.
//
//===----------------------------------------------------------------------===//

#include "extension.h"

#include "mlir/CAPI/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <stdlib.h>
#include <string>

extern "C" {
#include "lower/pass/pass.h"
#include "lower/pass/pipeline.h"
}

/// A pipeline of upstream's that is element `name` of ours.
static void registerElement(const char *name, const char *summary) {
  auto build =
      [name](
          mlir::OpPassManager &manager, llvm::StringRef options,
          llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> report)
      -> mlir::LogicalResult {
    agpu__pipeline_list list = {};
    agpu__pipeline_append(&list, name,
                          options.empty() ? nullptr : options.str().c_str());
    agpu__pipeline_settings settings = {};
    settings.nest_implicitly = true;
    std::optional<llvm::StringRef> op = manager.getOpName();
    std::string anchor = op ? op->str() : "builtin.module";
    settings.anchor = anchor.c_str();
    agpu__text error = {};
    bool ok = agpu__pipeline_build(&list, wrap(&manager), &settings, &error);
    std::string message = agpu__text_get(&error);
    agpu__text_free(&error);
    agpu__pipeline_free(&list);
    return ok ? mlir::success() : report(message);
  };
  mlir::registerPassPipeline(
      name, summary, build,
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)>) {});
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "AsyncGpu", AGPU_VERSION, [] {
            for (size_t i = 0; i < agpu__pipeline_count; ++i)
              registerElement(agpu__pipelines[i]->argument,
                              agpu__pipelines[i]->summary);
            for (size_t i = 0; i < agpu__pass_count; ++i)
              registerElement(agpu__passes[i]->argument,
                              agpu__passes[i]->summary);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "AsyncGpu", AGPU_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::registerAllToLLVMIRTranslations(*registry);
            agpuExtend(*registry);
          }};
}
