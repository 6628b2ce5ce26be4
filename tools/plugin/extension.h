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
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"

extern "C" {
#include "lower/pass/context.h"
}

/// Loads what our passes make into a context when the first of its dialects
/// comes, unless that has been done: those that are loaded by it come here too.
inline void agpuLoadInto(mlir::MLIRContext *context) {
  static thread_local bool isLoading = false;
  if (isLoading || context->getLoadedDialect("agpu"))
    return;
  isLoading = true;
  agpu__context_load_dialects(wrap(context));
  isLoading = false;
}

template <typename Dialect>
void agpuLoad(mlir::MLIRContext *context, Dialect *) {
  agpuLoadInto(context);
}

/// All programs that are ours to compile have an op of one of these.
inline void agpuExtend(mlir::DialectRegistry &registry) {
  registry.addExtension(agpuLoad<mlir::func::FuncDialect>);
  registry.addExtension(agpuLoad<mlir::async::AsyncDialect>);
  registry.addExtension(agpuLoad<mlir::gpu::GPUDialect>);
  registry.addExtension(agpuLoad<mlir::LLVM::LLVMDialect>);
}

#endif // ASYNC_GPU_TOOLS_PLUGIN_EXTENSION_H
