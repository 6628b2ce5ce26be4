//===- interleave_memory.h - Memory in tests of interleavings ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// base/memory/memory.h for the tests that include one source and nothing else
// of the runtime: memory of the C library. Once in a test.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_INTERLEAVE_MEMORY_H
#define ASYNC_GPU_TESTS_INTERLEAVE_MEMORY_H

#include "check.h"

#include "base/memory/memory.h"

#include <stdlib.h>

void *agpu__memory_alloc(int64_t bytes, int64_t alignment, const char *what) {
  (void)what;
  void *memory = NULL;
  CHECK(posix_memalign(&memory, (size_t)alignment, (size_t)bytes) == 0);
  return memory;
}

void agpu__memory_free(void *memory) { free(memory); }

#endif // ASYNC_GPU_TESTS_INTERLEAVE_MEMORY_H
