//===- heap.c - malloc in kernels -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels get memory of the host's heap, as much as a card has by default
// (CU_LIMIT_MALLOC_HEAP_SIZE). In front of each piece stands how long it is;
// what all of them have together is counted for the process.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/native_thread.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#define HEAP_BYTES (UINT64_C(8) << 20)

typedef union piece {
  uint64_t bytes;
  max_align_t alignment;
} piece;

static _Atomic(uint64_t) used;

void *agpu_native_malloc(uint64_t bytes) {
  uint64_t before = atomic_load_explicit(&used, memory_order_relaxed);
  do
    if (bytes > HEAP_BYTES - before)
      return NULL;
  while (!atomic_compare_exchange_weak_explicit(&used, &before, before + bytes,
                                                memory_order_relaxed,
                                                memory_order_relaxed));
  piece *made = malloc(sizeof *made + (size_t)bytes);
  if (!made) {
    atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed);
    return NULL;
  }
  made->bytes = bytes;
  return made + 1;
}

void agpu_native_free(void *memory) {
  if (!memory)
    return;
  piece *made = (piece *)memory - 1;
  atomic_fetch_sub_explicit(&used, made->bytes, memory_order_relaxed);
  free(made);
}
