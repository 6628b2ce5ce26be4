//===- ptx.h - Kernels as PTX text --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.module in the LLVM and NVVM dialects through LLVM's NVPTX backend.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PTX_H
#define ASYNC_GPU_GPU_PTX_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__ptx_options {
  const char *chip;     ///< "sm_75"
  const char *features; ///< "+ptx70", or "" for LLVM's choice for the chip
  int opt_level;        ///< 0 to 3
} agpu__ptx_options;

/// True if LLVM's NVPTX backend knows `chip`; then its number (75 for sm_75,
/// 90 for sm_90a) is stored.
bool agpu__ptx_chip_number(const char *chip, uint32_t *out_number);

/// True if `features` is empty or names one PTX version that LLVM knows.
bool agpu__ptx_features_known(const char *features);

/// Reports parameters that PTX has no type for, and functions without a body
/// that the CUDA driver does not provide, at the first call of each.
MlirLogicalResult agpu__ptx_check(MlirOperation gpu_module);

/// Translates `gpu_module`, whose options and functions were checked, to PTX.
/// `out_text` receives a new NUL-terminated string that the caller frees.
/// Fails with a diagnostic at the gpu.module. Does not change the IR. The
/// context must have the translations to LLVM IR registered.
MlirLogicalResult agpu__ptx_emit(MlirOperation gpu_module,
                                 const agpu__ptx_options *options,
                                 char **out_text);

#endif // ASYNC_GPU_GPU_PTX_H
