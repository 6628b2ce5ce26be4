//===- globals.h - Memory that a kernel's module declares ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_GLOBALS_H
#define ASYNC_GPU_GPU_GLOBALS_H

#include "mlir-c/IR.h"

/// After conversion: gives each `llvm.mlir.global` of `gpu_module` that says no
/// alignment the one that LLVM takes it to have. Both targets place it by that.
void agpu__align_globals(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_GLOBALS_H
