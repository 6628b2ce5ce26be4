//===- printing.h - What kernels print ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PRINTING_H
#define ASYNC_GPU_GPU_PRINTING_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

/// Before conversion: extends the integers of each `gpu.printf` as C extends
/// those of printf, and gives their conversions the length that fits (`%d` of
/// an index becomes `%lld`). Fails with a diagnostic at each op whose format
/// does not go with its arguments, or has what CUDA's printf has not.
MlirLogicalResult agpu__expand_printing(MlirOperation gpu_module);

/// After conversion: reports arguments of a call of vprintf, made by hand, that
/// are not as C passes them. True if there is nothing to report.
bool agpu__check_printing(MlirOperation call);

#endif // ASYNC_GPU_GPU_PRINTING_H
