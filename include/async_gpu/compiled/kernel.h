//===- kernel.h - Kernels embedded in a program -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler embeds for each `gpu.module`: one module descriptor with
// one image per target, and one kernel descriptor per kernel. They are data of
// the program and live as long as it does; code that is released before the
// process ends calls agpu_module_release (async_gpu/stream.h). The compiler
// writes these layouts as LLVM structures (src/gpu/images/embed.c); both sides
// check `version`.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_KERNEL_H
#define ASYNC_GPU_COMPILED_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AGPU_MODULE_VERSION 4u

typedef enum agpu_image_format {
  /// NUL-terminated PTX text.
  AGPU_IMAGE_PTX = 1,
  /// An agpu_native_image: kernels for the emulated device.
  AGPU_IMAGE_NATIVE = 2,
  /// Machine code of one CUDA chip, as ptxas writes it.
  AGPU_IMAGE_CUBIN = 3,
} agpu_image_format;

typedef enum agpu_image_flags {
  /// Its kernels print or assert: what they write comes out at calls of the
  /// driver that synchronise, which the runtime then makes where the program
  /// goes on.
  AGPU_IMAGE_WRITES = 1,
  /// Its kernels may be given memory of the host that the driver knows nothing
  /// of: it is only for devices that reach all of that.
  AGPU_IMAGE_UNIFIED = 2,
  /// `data` is the address of a `const void *(void)` that returns the image's.
  /// Code that names the module then does not name all code that is in it, for
  /// which optimisers take time.
  AGPU_IMAGE_BY_FUNCTION = 4,
} agpu_image_flags;

/// One image of a module. Which one a device gets: a cubin for its chip or, of
/// the same major number, the highest below; else the PTX of the highest chip
/// that is not above the device's; on the emulated device the native code.
typedef struct agpu_image_desc {
  uint32_t format; ///< agpu_image_format
  uint32_t chip;   ///< PTX, cubin: compute capability, 75 for sm_75; else 0
  /// 'a' (sm_90a): for that chip alone; 'f' (sm_100f): for the chips of the
  /// same major number from it on; else 0.
  uint32_t variant;
  uint32_t flags; ///< of agpu_image_flags
  const void *data;
  uint64_t size; ///< of the image, bytes; for PTX with the final NUL
} agpu_image_desc;

/// All kernels of a program, which are loaded together: a driver that loads
/// lazily may wait for kernels that run before it loads another.
typedef struct agpu_program_desc {
  uint64_t kernel_count;
  struct agpu_kernel_desc *const *kernels;
} agpu_program_desc;

/// One `gpu.module`.
typedef struct agpu_module_desc {
  uint32_t version; ///< AGPU_MODULE_VERSION
  uint32_t image_count;
  const char *name;
  const agpu_image_desc *images;
  /// Returns the program that it is of, a constant of the program; on any
  /// thread, under locks of the runtime. NULL: not known.
  const agpu_program_desc *(*program)(void);
} agpu_module_desc;

typedef enum agpu_kernel_flags {
  /// `param_sizes` and `param_count` are known. Where they are not, as in a
  /// descriptor written by hand, graphs ask the driver, of CUDA 12.4 or later.
  AGPU_KERNEL_KNOWS_PARAMS = 1,
} agpu_kernel_flags;

/// One kernel of a module.
typedef struct agpu_kernel_desc {
  agpu_module_desc *module;
  const char *name;     ///< as the image spells it
  const char *location; ///< "file:line:col" of the kernel's definition, or NULL
  void *cache;          ///< the runtime's; NULL in the program
  const uint32_t *param_sizes; ///< bytes of each parameter
  uint32_t param_count;
  uint32_t flags; ///< of agpu_kernel_flags
} agpu_kernel_desc;

/// What a native kernel is told of the block that it runs.
typedef struct agpu_native_block {
  uint32_t block_id[3];
  uint32_t grid_dim[3];
  uint32_t block_dim[3];
  uint32_t shared_bytes; ///< of `shared`
  /// Shared memory, aligned to 128: the kernel's own first, then the launch's.
  void *shared;
} agpu_native_block;

/// Runs all threads of one block. `params[i]` points to the i-th parameter.
typedef void (*agpu_native_kernel_fn)(void *const *params,
                                      const agpu_native_block *block);

/// What the address in a parameter is of.
typedef enum agpu_native_pointer_kind {
  /// Memory: what the kernel reaches begins `offset` bytes after the address.
  AGPU_NATIVE_ADDRESS = 0,
  /// The elements of a memref: the next parameter, an i64, says how many
  /// elements of `element_bytes` after the address they begin.
  AGPU_NATIVE_MEMREF = 1,
  /// A ranked memref's descriptor in memory.
  AGPU_NATIVE_DESCRIPTOR = 2,
} agpu_native_pointer_kind;

/// A parameter that is an address.
typedef struct agpu_native_pointer {
  uint32_t param;
  uint32_t argument; ///< of the kernel's source: from 0
  uint16_t kind;     ///< agpu_native_pointer_kind
  /// That a card wants of its addresses, to 16; 0: not known. An element's
  /// bytes and `offset` are multiples of it.
  uint16_t alignment;
  uint32_t element_bytes;
  int64_t offset;
} agpu_native_pointer;

typedef struct agpu_native_kernel {
  const char *name;
  agpu_native_kernel_fn run;
  const uint32_t *param_sizes; ///< bytes of each parameter
  uint32_t param_count;
  uint32_t shared_bytes; ///< shared memory that every launch needs
  /// Those parameters that are addresses; none: nothing is known of them.
  const agpu_native_pointer *pointers;
  uint32_t pointer_count;
  /// Shared memory that a launch may have when it asks for more than is there
  /// without asking; 0: no more than that.
  uint32_t most_shared_bytes;
} agpu_native_kernel;

#define AGPU_NATIVE_MAGIC 0x32504741u // "AGP2", little endian

typedef struct agpu_native_image {
  uint32_t magic; ///< AGPU_NATIVE_MAGIC
  uint32_t kernel_count;
  const agpu_native_kernel *kernels;
} agpu_native_image;

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_KERNEL_H
