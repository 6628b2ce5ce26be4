//===- guard.c - Device memory that the host cannot touch -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared mapping is made twice: closed at the addresses that programs get,
// and open elsewhere. Kernels that say nothing of their accesses open the first
// one for as long as launches run.
//
//===----------------------------------------------------------------------===//

#include "emu/check/guard.h"

#include "base/report/assert.h"
#include "base/sync/lock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>

static struct {
  agpu__lock lock;
  LIST_HEAD(, range) ranges AGPU__GUARDED_BY(lock);
  unsigned launches AGPU__GUARDED_BY(lock); // that run
  // Bounds of all ranges there have been. Relaxed: an address that a thread has
  // got was reserved before.
  _Atomic(uintptr_t) lowest, highest;
  // Relaxed: work that reads what another kernel wrote is behind it.
  atomic_bool was_opened;
} all = {.lowest = UINTPTR_MAX};

typedef struct range {
  LIST_ENTRY(range) link AGPU__GUARDED_BY(all.lock);
  uintptr_t address;
  size_t bytes;
  bool is_open AGPU__GUARDED_BY(all.lock);
} range;

/// The range that the address lies in, or NULL.
static range *find(uintptr_t address) AGPU__REQUIRES(all.lock) {
  range *at;
  LIST_FOREACH (at, &all.ranges, link)
    if (address - at->address < at->bytes)
      break;
  return at;
}

uintptr_t agpu__emu_guard_map(size_t bytes, ptrdiff_t *out_distance) {
  range *added = malloc(sizeof *added);
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!added || memory == MAP_FAILED)
    goto fail;
  // Of a shared mapping, an old size of 0 makes a second one.
  void *closed = mremap(memory, 0, bytes, MREMAP_MAYMOVE);
  if (closed == MAP_FAILED)
    goto fail;
  if (mprotect(closed, bytes, PROT_NONE)) {
    (void)munmap(closed, bytes);
    goto fail;
  }
  uintptr_t address = (uintptr_t)closed;
  *added = (range){.address = address, .bytes = bytes};
  agpu__lock_acquire(&all.lock);
  LIST_INSERT_HEAD(&all.ranges, added, link);
  if (address < atomic_load_explicit(&all.lowest, memory_order_relaxed))
    atomic_store_explicit(&all.lowest, address, memory_order_relaxed);
  if (address + bytes >
      atomic_load_explicit(&all.highest, memory_order_relaxed))
    atomic_store_explicit(&all.highest, address + bytes, memory_order_relaxed);
  agpu__lock_release(&all.lock);
  *out_distance = (ptrdiff_t)((uintptr_t)memory - address);
  return address;

fail:
  if (memory != MAP_FAILED)
    (void)munmap(memory, bytes);
  free(added);
  return 0;
}

void agpu__emu_guard_unmap(uintptr_t address, size_t bytes,
                           ptrdiff_t distance) {
  agpu__lock_acquire(&all.lock);
  range *removed = find(address);
  if (removed)
    LIST_REMOVE(removed, link);
  if (LIST_EMPTY(&all.ranges)) // nor anything that could have been written
    atomic_store_explicit(&all.was_opened, false, memory_order_relaxed);
  agpu__lock_release(&all.lock);
  free(removed);
  (void)munmap((void *)address, bytes);
  (void)munmap((void *)(address + (uintptr_t)distance), bytes);
}

bool agpu__emu_guard_holds(uintptr_t address) {
  if (address < atomic_load_explicit(&all.lowest, memory_order_relaxed) ||
      address >= atomic_load_explicit(&all.highest, memory_order_relaxed))
    return false;
  agpu__lock_acquire(&all.lock);
  bool found = find(address) != NULL;
  agpu__lock_release(&all.lock);
  return found;
}

bool agpu__emu_guard_was_opened(void) {
  return atomic_load_explicit(&all.was_opened, memory_order_relaxed);
}

void agpu__emu_guard_open(uintptr_t address) {
  atomic_store_explicit(&all.was_opened, true, memory_order_relaxed);
  agpu__lock_acquire(&all.lock);
  range *at = find(address);
  if (at && !mprotect((void *)at->address, at->bytes, PROT_READ | PROT_WRITE))
    at->is_open = true;
  agpu__lock_release(&all.lock);
}

void agpu__emu_guard_begin_launch(void) {
  agpu__lock_acquire(&all.lock);
  ++all.launches;
  agpu__lock_release(&all.lock);
}

void agpu__emu_guard_end_launch(void) {
  range *at;
  agpu__lock_acquire(&all.lock);
  AGPU__ASSERT(all.launches > 0);
  if (--all.launches == 0)
    LIST_FOREACH (at, &all.ranges, link) {
      if (at->is_open)
        (void)mprotect((void *)at->address, at->bytes, PROT_NONE);
      at->is_open = false;
    }
  agpu__lock_release(&all.lock);
}
