//===- interleave_memory.h - Memory in tests of interleavings ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// base/memory/memory.h for the tests that include one source and nothing else
// of the runtime. Once in a test.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_INTERLEAVE_MEMORY_H
#define ASYNC_GPU_TESTS_INTERLEAVE_MEMORY_H

#include "check.h"
#include "interleave.h"

#include "base/memory/memory.h"

#include <stddef.h>

/// Addresses are the same in each run, and used once in it.
static struct {
  _Alignas(1 << 16) char memory[16 << 20];
  size_t used, blocks;
} interleave_heap;

INTERLEAVE_UNSEEN void *agpu__memory_alloc(int64_t bytes, int64_t alignment,
                                           const char *what) {
  (void)what;
  size_t mask = (size_t)alignment - 1;
  size_t begin = (interleave_heap.used + mask) & ~mask;
  CHECK(begin + (size_t)bytes <= sizeof(interleave_heap.memory));
  interleave_heap.used = begin + (size_t)bytes;
  ++interleave_heap.blocks;
  return interleave_heap.memory + begin;
}

/// Once for each: that is enough for what tests need.
INTERLEAVE_UNSEEN void *agpu__memory_grow_now(void *data, size_t *capacity,
                                              size_t needed, size_t bytes,
                                              const char *what) {
  CHECK(!data && needed <= 16);
  *capacity = 16;
  return agpu__memory_alloc((int64_t)(*capacity * bytes), 16, what);
}

INTERLEAVE_UNSEEN void agpu__memory_free(void *memory) {
  if (memory)
    --interleave_heap.blocks;
  if (interleave_heap.blocks == 0 && interleave_thread() < 0)
    interleave_heap.used = 0;
}

#endif // ASYNC_GPU_TESTS_INTERLEAVE_MEMORY_H
