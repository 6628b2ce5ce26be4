//===- handle.c - Handles of what a program creates -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle's bits, from the lowest: 4 that are 0, 3 of its kind, 24 of its
// place in the table, and the rest for how often the place was used before.
// Places are reused at once, the numbers of uses do not come again in the life
// of a process. The table grows by blocks that stay where they are, so that it
// is read without a lock.
//
//===----------------------------------------------------------------------===//

#include "emu/base/handle.h"

#include "base/sync/lock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
  KIND_SHIFT = 4,
  PLACE_SHIFT = 7,
  USE_SHIFT = 31,
  BLOCK_PLACES = 1024,
  MOST_BLOCKS = (1 << (USE_SHIFT - PLACE_SHIFT)) / BLOCK_PLACES
};

typedef struct place place;

static struct {
  agpu__lock lock;
  _Atomic(place *) blocks[MOST_BLOCKS];  // release and acquire
  unsigned count AGPU__GUARDED_BY(lock); // of blocks
  place *first_free AGPU__GUARDED_BY(lock);
} table = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_HANDLES)};

struct place {
  // Release and acquire, for the object. 0: free.
  atomic_uintptr_t handle;
  _Atomic(void *) object;
  uintptr_t uses AGPU__GUARDED_BY(table.lock);
  place *free_ AGPU__GUARDED_BY(table.lock); // the next one that is free
};

/// Adds a block of free places.
static void grow(void) AGPU__REQUIRES(table.lock) {
  place *block =
      table.count == MOST_BLOCKS ? NULL : calloc(BLOCK_PLACES, sizeof *block);
  if (!block)
    return;
  for (uintptr_t i = BLOCK_PLACES; i-- > 0;) {
    // Which place it is stands below the number of its uses.
    block[i].uses = table.count * (uintptr_t)BLOCK_PLACES + i;
    block[i].free_ = table.first_free;
    table.first_free = &block[i];
  }
  atomic_store_explicit(&table.blocks[table.count++], block,
                        memory_order_release);
}

void *agpu__emu_handle_create(agpu__emu_handle_kind kind, void *object) {
  uintptr_t handle = 0;
  agpu__lock_acquire(&table.lock);
  if (!table.first_free)
    grow();
  place *at = table.first_free;
  if (at) {
    table.first_free = at->free_;
    at->uses += (uintptr_t)1 << (USE_SHIFT - PLACE_SHIFT);
    handle = at->uses << PLACE_SHIFT | (uintptr_t)kind << KIND_SHIFT;
    atomic_store_explicit(&at->object, object, memory_order_relaxed);
    atomic_store_explicit(&at->handle, handle, memory_order_release);
  }
  agpu__lock_release(&table.lock);
  return (void *)handle;
}

/// The place of a handle that is one; else NULL.
static place *find_place(agpu__emu_handle_kind kind, uintptr_t handle) {
  uintptr_t number =
      handle >> PLACE_SHIFT & (((uintptr_t)1 << (USE_SHIFT - PLACE_SHIFT)) - 1);
  place *block = atomic_load_explicit(&table.blocks[number / BLOCK_PLACES],
                                      memory_order_acquire);
  if (!block || (handle >> KIND_SHIFT & 7) != (uintptr_t)kind)
    return NULL;
  place *at = &block[number % BLOCK_PLACES];
  bool is_one =
      atomic_load_explicit(&at->handle, memory_order_acquire) == handle;
  return is_one ? at : NULL;
}

void *agpu__emu_handle_find(agpu__emu_handle_kind kind, const void *handle) {
  place *at = find_place(kind, (uintptr_t)handle);
  return at && handle ? atomic_load_explicit(&at->object, memory_order_relaxed)
                      : NULL;
}

void *agpu__emu_handle_take(agpu__emu_handle_kind kind, const void *handle) {
  agpu__lock_acquire(&table.lock);
  void *object = agpu__emu_handle_find(kind, handle);
  if (object) {
    place *at = find_place(kind, (uintptr_t)handle);
    atomic_store_explicit(&at->handle, 0, memory_order_relaxed);
    at->free_ = table.first_free;
    table.first_free = at;
  }
  agpu__lock_release(&table.lock);
  return object;
}
