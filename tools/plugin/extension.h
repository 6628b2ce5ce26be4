//===- extension.h - Our dialect in contexts of upstream's ------*- C++ -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_PLUGIN_EXTENSION_H
#define ASYNC_GPU_TOOLS_PLUGIN_EXTENSION_H

#include "mlir/CAPI/IR.h"
#include "mlir/IR/DialectRegistry.h"

#include <memory>
#include <stdint.h>

extern "C" {
#include "lower/pass/pipeline.h"
}

/// Loads what our passes make into a context when the first of its dialects
/// comes, unless that has been done: those that are loaded by it come here too.
/// Dialects go by their names, since their headers take long to compile.
class AgpuLoader : public mlir::DialectExtensionBase {
public:
  explicit AgpuLoader(llvm::StringRef dialect)
      : DialectExtensionBase(llvm::ArrayRef<llvm::StringRef>(dialect)) {}

  void apply(mlir::MLIRContext *context,
             llvm::MutableArrayRef<mlir::Dialect *>) const override {
    static thread_local bool isLoading = false;
    if (isLoading || context->getLoadedDialect("agpu"))
      return;
    isLoading = true;
    agpu__context_load_dialects(wrap(context));
    isLoading = false;
  }

  std::unique_ptr<DialectExtensionBase> clone() const override {
    return std::make_unique<AgpuLoader>(*this);
  }
};

/// All programs that are ours to compile have an op of one of these.
inline void agpuExtend(mlir::DialectRegistry &registry) {
  static const char *const names[] = {"func", "async", "gpu", "llvm"};
  static const uint64_t identities[] = {0, 1, 2, 3};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    registry.addExtension(mlir::TypeID::getFromOpaquePointer(&identities[i]),
                          std::make_unique<AgpuLoader>(names[i]));
}

#endif // ASYNC_GPU_TOOLS_PLUGIN_EXTENSION_H
