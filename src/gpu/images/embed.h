//===- embed.h - Descriptors of kernels in the program ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the data of include/async_gpu/compiled/kernel.h into the host module.
//
// How a kernel's parameters look, for whoever launches it. Parameters are
// those of the lowered llvm.func, one pointer each:
//   - a memref of rank r: allocated pointer, aligned pointer, i64 offset, r i64
//     sizes, r i64 strides (3 + 2r parameters; rank 0 has 3);
//   - index: i64; iN, f16, bf16, f32, f64 and pointers: themselves (i1 is one
//     byte, 0 or 1); eight-bit floats: i8;
//   - a memref without rank: i64 rank, pointer to its descriptor;
//   - vector<NxT>: itself; a vector of more dimensions: an LLVM array of
//     vectors; complex<T>: an LLVM structure of two T.
// The values may lie at any address, aligned or not.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_EMBED_H
#define ASYNC_GPU_GPU_EMBED_H

#include "async_gpu/compiled/kernel.h"
#include "gpu/images/images.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One kernel on its way into the program. Strings are the context's.
typedef struct agpu__kernel {
  MlirStringRef name;     ///< in the source
  const char *image_name; ///< in the images: `name` as PTX can spell it
  MlirLocation location;
  const char *native_symbol; ///< of the native function, NULL without one
  uint32_t *param_sizes;     ///< bytes; NULL without a native function
  size_t param_count;
  agpu_native_pointer *pointers; ///< parameters that are addresses
  size_t pointer_count;
  uint64_t shared_bytes; ///< shared memory that every launch needs
} agpu__kernel;

/// What to embed of one gpu.module.
typedef struct agpu__embedding {
  MlirStringRef module_name;
  const agpu__image *images;
  size_t image_count;
  bool has_native;
  bool native_writes; ///< kernels of it print or assert
  const agpu__kernel *kernels;
  size_t kernel_count;
} agpu__embedding;

/// Writes the images and descriptors before `before`, an op of `host_module`'s
/// body.
void agpu__embed(MlirOperation host_module, MlirOperation before,
                 const agpu__embedding *embedding);

#endif // ASYNC_GPU_GPU_EMBED_H
