//===- memory.c - Memory that is there -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays grow to twice their size, so that adding to one costs the same on
// average however long it gets.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ops.h"

#include <stdlib.h>
#include <unistd.h>

void agpu__out_of_memory(void) {
  static const char message[] = "async-gpu: error: out of memory\n";
  (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
  abort();
}

void *agpu__allocate(size_t count, size_t bytes) {
  void *memory = calloc(count ? count : 1, bytes);
  if (!memory)
    agpu__out_of_memory();
  return memory;
}

void *agpu__grow(void *data, size_t count, size_t *capacity, size_t bytes) {
  if (count < *capacity)
    return data;
  *capacity = *capacity ? *capacity * 2 : 16;
  void *grown = realloc(data, *capacity * bytes);
  if (!grown)
    agpu__out_of_memory();
  return grown;
}
