//===- memory.h - Memory of tokens, values and frames -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where the runtime's short-lived objects get their memory.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_MEMORY_MEMORY_H
#define ASYNC_GPU_RUNTIME_BASE_MEMORY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/// Memory of `bytes` (not negative) aligned to `alignment` (a power of two).
/// Never NULL: where memory is out, the process ends with a message that names
/// `what`. Given back with agpu__memory_free on any thread.
void *agpu__memory_alloc(int64_t bytes, int64_t alignment, const char *what);

/// Memory for `needed` elements of `bytes` at the least: `data`, which is NULL
/// or of an earlier call and has room for `*capacity` of them, or more, with
/// what was in it. Aligned for all types of C; else as agpu__memory_alloc.
void *agpu__memory_grow_now(void *data, size_t *capacity, size_t needed,
                            size_t bytes, const char *what);
static inline void *agpu__memory_grow(void *data, size_t *capacity,
                                      size_t needed, size_t bytes,
                                      const char *what) {
  return needed <= *capacity
             ? data
             : agpu__memory_grow_now(data, capacity, needed, bytes, what);
}

/// NULL is allowed.
void agpu__memory_free(void *memory);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_MEMORY_H
