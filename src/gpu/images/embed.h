//===- embed.h - Descriptors of kernels in the program ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the data of include/async_gpu/compiled/kernel.h into the host module.
// kernels/kernels.h says how a kernel's parameters look.
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
  uint32_t *param_sizes;     ///< bytes
  size_t param_count;
  agpu_native_pointer *pointers; ///< parameters that are addresses
  size_t pointer_count;
  uint64_t shared_bytes; ///< shared memory that every launch needs
  /// What launches may ask for; 0: what is there without asking.
  uint32_t most_shared_bytes;
} agpu__kernel;

/// What has been embedded of a program so far: zero at first.
typedef struct agpu__program {
  char **kernels; ///< symbols of their descriptors
  size_t count, capacity;
  bool has_modules;
} agpu__program;

/// What to embed of one gpu.module.
typedef struct agpu__embedding {
  MlirStringRef module_name;
  const agpu__image *images;
  size_t image_count;
  bool has_native;
  bool native_writes; ///< kernels of it print or assert
  bool is_unified;    ///< the host's memory is given to them as it is
  const agpu__kernel *kernels;
  size_t kernel_count;
  agpu__program *program; ///< that the kernels are added to
} agpu__embedding;

/// Writes the images and descriptors before `before`, an op of `host_module`'s
/// body.
void agpu__embed(MlirOperation host_module, MlirOperation before,
                 const agpu__embedding *embedding);

/// Writes the program's descriptor, after all of its modules', and frees what
/// `program` holds.
void agpu__embed_program(MlirOperation host_module, agpu__program *program);

#endif // ASYNC_GPU_GPU_EMBED_H
