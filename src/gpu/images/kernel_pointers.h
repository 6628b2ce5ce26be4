//===- kernel_pointers.h - Kernel parameters that are addresses ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which parameters of a lowered kernel are addresses, and where the memory
// begins that a kernel reaches through them (agpu_native_pointer): the emulated
// device tells by it whether a launch was given memory of the host. What a
// parameter was before it was lowered is kept as an attribute of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNEL_POINTERS_H
#define ASYNC_GPU_GPU_KERNEL_POINTERS_H

#include "async_gpu/compiled/kernel.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

/// Before the kernels of `gpu_module` are lowered: keeps what their arguments
/// are.
void agpu__kernel_pointers_keep(MlirOperation gpu_module, bool bare_pointers);

/// The same of a kernel that came as an llvm.func: each pointer is what it is.
/// One of which something is kept stays as it is.
void agpu__kernel_pointers_complete(MlirOperation kernel);

/// What was kept. Returns an array of `*out_count` that the caller frees.
agpu_native_pointer *agpu__kernel_pointers_read(MlirOperation kernel,
                                                size_t *out_count);

#endif // ASYNC_GPU_GPU_KERNEL_POINTERS_H
