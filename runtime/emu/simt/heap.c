//===- heap.c - malloc in kernels -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels get memory of the host's heap, as much as their context's limit says.
// In front of each piece stands how long it is, and of which heap; what all of
// a heap have together is counted.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/heap.h"

#include "async_gpu/compiled/native_thread.h"
#include "base/sync/lock.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"

#include <stdlib.h>

/// The default of a GPU.
#define HEAP_BYTES ((size_t)8 << 20)

typedef struct heap {
  agpu__lock lock;
  size_t limit AGPU__GUARDED_BY(lock); // 0: the default
  size_t used AGPU__GUARDED_BY(lock);
  bool touched AGPU__GUARDED_BY(lock); // a kernel has asked for memory
} heap;

typedef union piece {
  struct {
    size_t bytes;
    heap *of;
  };
  max_align_t alignment;
} piece;

__extension__ static heap heaps[AGPU__EMU_MAX_CONTEXTS] = {
    [0 ... AGPU__EMU_MAX_CONTEXTS -
     1] = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_HEAP)}};

static heap *get_heap(void) {
  return &heaps[agpu__emu_context_number(agpu__emu_get_context())];
}

static size_t get_limit(const heap *of) AGPU__REQUIRES(of->lock) {
  AGPU__ASSERT_HELD(&of->lock);
  return of->limit ? of->limit : HEAP_BYTES;
}

size_t agpu__emu_heap_get_limit(void) {
  heap *of = get_heap();
  agpu__lock_acquire(&of->lock);
  size_t limit = get_limit(of);
  agpu__lock_release(&of->lock);
  return limit;
}

bool agpu__emu_heap_set_limit(size_t bytes) {
  heap *of = get_heap();
  agpu__lock_acquire(&of->lock);
  bool untouched = !of->touched;
  if (untouched)
    of->limit = bytes;
  agpu__lock_release(&of->lock);
  return untouched;
}

void agpu__emu_heap_end(CUcontext context) {
  heap *of = &heaps[agpu__emu_context_number(context)];
  agpu__lock_acquire(&of->lock);
  of->limit = of->used = 0;
  of->touched = false;
  agpu__lock_release(&of->lock);
}

static bool take(heap *from, size_t bytes) {
  agpu__lock_acquire(&from->lock);
  from->touched = true;
  bool fits = bytes <= get_limit(from) - from->used;
  if (fits)
    from->used += bytes;
  agpu__lock_release(&from->lock);
  return fits;
}

static void give_back(heap *to, size_t bytes) {
  agpu__lock_acquire(&to->lock);
  to->used -= bytes;
  agpu__lock_release(&to->lock);
}

void *agpu_native_malloc(uint64_t bytes) {
  heap *from = get_heap();
  if (!take(from, bytes))
    return NULL;
  piece *made = malloc(sizeof *made + bytes);
  if (!made) {
    give_back(from, bytes);
    return NULL;
  }
  made->bytes = bytes;
  made->of = from;
  return made + 1;
}

void agpu_native_free(void *memory) {
  if (!memory)
    return;
  piece *made = (piece *)memory - 1;
  give_back(made->of, made->bytes);
  free(made);
}
