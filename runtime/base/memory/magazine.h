//===- magazine.h - Memory from per-thread magazines ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks for what comes and goes with every task: frames, tokens, values. A
// thread takes them from, and puts them into, lists of its own, one for each
// size, without a lock; lists that are empty or full are exchanged as a whole
// with those of all threads. So blocks flow back from threads that only free
// to such as only allocate, one lock for a batch of them.
//
// Memory of small blocks is kept for further ones, never given back to the
// system: a process keeps what it needed at its peak. Under address sanitizer
// each block is an allocation of its own, so that misuse is found.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H
#define ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H

#include "base/os/fork.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether each block is an allocation of its own.
#if defined(__SANITIZE_ADDRESS__)
#define AGPU__MAGAZINE_SEPARATE true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AGPU__MAGAZINE_SEPARATE true
#endif
#endif
#ifndef AGPU__MAGAZINE_SEPARATE
#define AGPU__MAGAZINE_SEPARATE false
#endif

/// `size` bytes aligned to `alignment` (a power of two), and to a cache line.
/// Never NULL: where memory is out, or `size` negative, ends the process with
/// a message that names `what`. Any thread.
void *agpu__magazine_alloc(int64_t size, int64_t alignment, const char *what);

/// Gives a block of agpu__magazine_alloc back. Any thread.
void agpu__magazine_free(void *block);

/// Blocks of one kind and size, which are in chunks of their own, so that all
/// that are in use can be listed. A block is all zero when it is allocated for
/// the first time; later it has what it had when it was freed, but for its
/// first AGPU__POOL_LINK bytes. So its owner can keep in it whether it is in
/// use.
typedef enum agpu__pool {
  AGPU__POOL_64,  ///< awaiters (async/awaiter.c)
  AGPU__POOL_192, ///< tasks (async/task.c)
  AGPU__POOL_256, ///< likewise, as those that follow
  AGPU__POOL_384,
  AGPU__POOL_512,
  AGPU__POOLS,
} agpu__pool;

#define AGPU__POOL_LINK 24

/// A block of the pool's size, aligned to a cache line. Ends the process where
/// memory is out. Any thread.
void *agpu__pool_alloc(agpu__pool pool);

/// Gives a block of agpu__pool_alloc back. Any thread.
void agpu__pool_free(agpu__pool pool, void *block);

/// Calls `visit` for every block of the pool, in use or not. Only while no
/// other thread allocates or frees any.
void agpu__pool_visit(agpu__pool pool,
                      void (*visit)(void *block, void *argument),
                      void *argument);

/// At a fork. What the parent's other threads had in their lists is lost to the
/// child.
void agpu__magazine_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H
