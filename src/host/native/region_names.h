//===- region_names.h - What regions are called, for traces -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program carries so that a trace of it speaks of regions as its source
// does (async_gpu/compiled/trace.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_REGION_NAMES_H
#define ASYNC_GPU_HOST_REGION_NAMES_H

#include "mlir-c/IR.h"
#include "llvm-c/Core.h"

/// Has regions of `module` that run in place tell the runtime of it, where the
/// module has the attribute AGPU__TRACE_ATTR; `ir` is the module in LLVM IR,
/// not optimised yet.
void agpu__region_names_mark(MlirOperation module, LLVMModuleRef ir);

/// Adds a table of the regions of `module` to `ir`, after optimisation: what
/// has become of them is known then, and the table changes nothing.
void agpu__region_names_add(MlirOperation module, LLVMModuleRef ir);

/// What the user knows the function `symbol` of an object file by: "region 2
/// 'squares' (a.mlir:42)", "'main' (a.mlir:18)"; NULL where `module` has none
/// such. The caller frees it.
char *agpu__region_names_describe(MlirOperation module, const char *symbol);

#endif // ASYNC_GPU_HOST_REGION_NAMES_H
