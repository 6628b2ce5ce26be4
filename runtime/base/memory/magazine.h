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

#include <stdint.h>

/// `size` bytes aligned to `alignment` (a power of two), and to a cache line.
/// Never NULL: where memory is out, or `size` negative, ends the process with
/// a message that names `what`. Any thread.
void *agpu__magazine_alloc(int64_t size, int64_t alignment, const char *what);

/// Gives a block of agpu__magazine_alloc back. Any thread.
void agpu__magazine_free(void *block);

/// At a fork. What the parent's other threads had in their lists is lost to the
/// child.
void agpu__magazine_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H
