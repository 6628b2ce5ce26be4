//===- ptx_target.h - What PTX is made for ---------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.module for PTX says which chips it is for, and where the toolkit is, in
// attributes that async-gpu-kernel-targets leaves:
//
//     agpu.chips          ["sm_75", "sm_90"]
//     agpu.ptx_versions   for each of them, 63 for 6.3
//     agpu.toolkit        a folder; "" to search for one
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PTX_TARGET_H
#define ASYNC_GPU_GPU_PTX_TARGET_H

#include "gpu/images/kernel_options.h"

typedef struct agpu__ptx_target {
  const agpu__chip *chips[AGPU__MAX_CHIPS];
  int versions[AGPU__MAX_CHIPS]; ///< of PTX
  size_t chip_count;
  const char *toolkit;
} agpu__ptx_target;

void agpu__ptx_target_write(MlirOperation gpu_module,
                            const agpu__ptx_target *target);

/// Fails with a diagnostic at `gpu_module` where one is missing or wrong.
MlirLogicalResult agpu__ptx_target_read(MlirOperation gpu_module,
                                        agpu__ptx_target *out_target);

#endif // ASYNC_GPU_GPU_PTX_TARGET_H
