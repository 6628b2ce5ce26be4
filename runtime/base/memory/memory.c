//===- memory.c - Memory of tokens, values and frames -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C library's allocator with the one rule that it lacks: there is no
// failure to handle. A process whose memory is out ends with a message.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"

#include "base/report/fatal.h"

#include <stddef.h>
#include <stdlib.h>

void *agpu__memory_alloc(int64_t bytes, int64_t alignment, const char *what) {
  if (bytes < 0 || bytes > PTRDIFF_MAX - alignment)
    agpu__fatal_out_of_memory(what, (long long)bytes);
  size_t size = bytes > 0 ? (size_t)bytes : 1;
  void *memory = NULL;
  if (alignment <= (int64_t)_Alignof(max_align_t))
    memory = malloc(size);
  else if (posix_memalign(&memory, (size_t)alignment, size) != 0)
    memory = NULL;
  if (!memory)
    agpu__fatal_out_of_memory(what, (long long)bytes);
  return memory;
}

void *agpu__memory_grow_now(void *data, size_t *capacity, size_t needed,
                            size_t bytes, const char *what) {
  size_t wanted = *capacity ? 2 * *capacity : 16;
  while (wanted < needed)
    wanted *= 2;
  void *grown = realloc(data, wanted * bytes);
  if (!grown)
    agpu__fatal_out_of_memory(what, (long long)(wanted * bytes));
  *capacity = wanted;
  return grown;
}

void agpu__memory_free(void *memory) { free(memory); }
