//===- images.h - Code of a gpu.module for CUDA -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One image per chip and format.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_IMAGES_H
#define ASYNC_GPU_GPU_IMAGES_H

#include "async_gpu/compiled/kernel.h"
#include "gpu/images/ptx_target.h"
#include "gpu/ptx/ptx.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

typedef struct agpu__image {
  agpu_image_format format;
  const agpu__chip *chip;
  char *data;
  size_t size; ///< bytes; for PTX with the final NUL
} agpu__image;

typedef struct agpu__image_list {
  agpu__image data[2 * AGPU__MAX_CHIPS];
  size_t count;
} agpu__image_list;

/// Compiles `gpu_module`, which is for PTX and checked, as it says itself
/// (ptx_target.h) and `options` say, and appends the images. Fails with a
/// diagnostic; the list then still holds what was made. Free it in any case.
MlirLogicalResult agpu__images_compile(MlirOperation gpu_module,
                                       const agpu__image_options *options,
                                       agpu__image_list *out_images);

void agpu__images_free(agpu__image_list *images);

#endif // ASYNC_GPU_GPU_IMAGES_H
