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

#include "gpu/ptx/chips.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

typedef struct agpu__ptx_options {
  const agpu__chip *chip;
  int ptx_version;       ///< 80 for 8.0
  int opt_level;         ///< 0 to 3
  const char *libdevice; ///< path of the bitcode; NULL: there is none
} agpu__ptx_options;

/// Reports parameters that PTX has no type for, and functions without a body
/// that neither the CUDA driver nor libdevice (its path, or NULL) provides, at
/// the first call of each.
MlirLogicalResult agpu__ptx_check(MlirOperation gpu_module,
                                  const char *libdevice);

/// Translates `gpu_module`, whose options and functions were checked, to PTX.
/// Where its functions have debug scopes the PTX has line information.
/// `out_text` receives a new NUL-terminated string that the caller frees.
/// Fails with a diagnostic at the gpu.module. Does not change the IR. The
/// context must have the translations to LLVM IR registered.
MlirLogicalResult agpu__ptx_emit(MlirOperation gpu_module,
                                 const agpu__ptx_options *options,
                                 char **out_text);

#endif // ASYNC_GPU_GPU_PTX_H
