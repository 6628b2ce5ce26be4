//===- memory.h - Memory of tokens, values, frames and texts ------*- C -*-===//
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

#include "base/os/fork.h"
#include "base/os/platform.h"

#include <stddef.h>
#include <stdint.h>

/// Memory of `bytes` (not negative) aligned to `alignment` (a power of two).
/// Never NULL: where memory is out, the process ends with a message that names
/// `what`. Given back with agpu__memory_free on any thread.
AGPU__SHARED void *agpu__memory_alloc(int64_t bytes, int64_t alignment,
                                      const char *what);

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
AGPU__SHARED void agpu__memory_free(void *memory);

//===----------------------------------------------------------------------===//
// Text that lasts
//
// Places and names are constants of compiled code, which may be released before
// the process ends. Who remembers one for longer than the work it is of keeps
// the text.
//===----------------------------------------------------------------------===//

/// The same text for as long as the process lives, once however often it is
/// asked for; NULL: NULL. Any thread.
const char *agpu__text_keep(const char *text);

/// A step of a fork, which takes its lock last: others keep texts under theirs.
void agpu__text_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_MEMORY_H
