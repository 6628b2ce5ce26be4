//===- image.h - Which image a device gets ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program can bring its kernels for several chips.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_KERNEL_IMAGE_H
#define ASYNC_GPU_RUNTIME_GPU_KERNEL_IMAGE_H

#include "async_gpu/compiled/kernel.h"

#include <stddef.h>
#include <stdint.h>

/// The image of `module` that a device runs best; NULL where none runs.
/// `format` is AGPU_IMAGE_NATIVE for the emulated device, else AGPU_IMAGE_PTX;
/// then `chip` is the device's compute capability, 75 for sm_75. A cubin for
/// the device is better than any PTX, which the driver has to compile.
const agpu_image_desc *agpu__image_choose(const agpu_module_desc *module,
                                          uint32_t format, uint32_t chip);

/// Writes what images `module` has, for an error, into `out` of `size` bytes.
void agpu__image_list(const agpu_module_desc *module, char *out, size_t size);

#endif // ASYNC_GPU_RUNTIME_GPU_KERNEL_IMAGE_H
