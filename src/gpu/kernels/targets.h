//===- targets.h - Which target a gpu.module is for ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-kernel-targets makes a gpu.module for each target of one that the
// program has, and leaves on it for later passes:
//
//     agpu.target       what it is for, "ptx" or "native"
//     agpu.module       what the program's module is called
//
// and on each kernel:
//
//     agpu.name         what the program's kernel is called
//     agpu.image_name   what it is called in images: a name that PTX can spell
//     agpu.pointers     its parameters that are addresses (kernel_pointers.h)
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_TARGETS_H
#define ASYNC_GPU_GPU_TARGETS_H

#include "lower/ir/ir.h"

#define AGPU__TARGET "agpu.target"
#define AGPU__TARGET_PTX "ptx"
#define AGPU__TARGET_NATIVE "native"
#define AGPU__SOURCE_MODULE "agpu.module"
#define AGPU__KERNEL_NAME "agpu.name"
#define AGPU__IMAGE_NAME "agpu.image_name"
#define AGPU__KERNEL_POINTERS "agpu.pointers"

/// The gpu.modules of `module`. Fails with a diagnostic where one cannot be
/// handled: inside something other than the module itself.
MlirLogicalResult agpu__collect_gpu_modules(MlirOperation module,
                                            agpu__ops *out_modules);

/// Whether `gpu_module` is for the target, one of the two above.
bool agpu__is_for_target(MlirOperation gpu_module, const char *target);

/// Its name in the program. One that no pass has said it of has its own.
MlirStringRef agpu__source_module(MlirOperation gpu_module);

/// The same of a kernel.
MlirStringRef agpu__source_kernel(MlirOperation kernel);

/// Fails with an error at `op` that lacks attribute `name`, which the pass
/// `from` leaves there.
MlirLogicalResult agpu__missing_attribute(MlirOperation op, const char *name,
                                          const char *from);

#endif // ASYNC_GPU_GPU_TARGETS_H
