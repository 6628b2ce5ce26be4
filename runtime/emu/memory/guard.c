//===- guard.c - Device memory that the host cannot touch -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file without a name is mapped twice: at the addresses that programs get,
// and elsewhere. A kernel that touches the first one opens it for as long as
// launches run.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/guard.h"

#include "base/report/assert.h"
#include "base/sync/lock.h"
#include "emu/base/settings.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <unistd.h>

static struct {
  agpu__lock lock;
  LIST_HEAD(, range) ranges AGPU__GUARDED_BY(lock);
  unsigned launches AGPU__GUARDED_BY(lock); // that run
  unsigned open AGPU__GUARDED_BY(lock);     // ranges
  unsigned kernels AGPU__GUARDED_BY(lock);  // launched, and not over
  bool is_taken AGPU__GUARDED_BY(lock);     // managed memory, by a device
  // Bounds of all ranges there have been. Relaxed: an address that a thread has
  // got was reserved before.
  _Atomic(uintptr_t) lowest, highest;
  // Relaxed: work that reads what another kernel wrote comes after it.
  atomic_bool was_opened;
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_GUARD), .lowest = UINTPTR_MAX};

typedef struct range {
  LIST_ENTRY(range) link AGPU__GUARDED_BY(all.lock);
  uintptr_t address;
  size_t bytes;
  bool is_managed;
  bool is_open AGPU__GUARDED_BY(all.lock); // for kernels' sake
} range;

/// The range that the address lies in, or NULL.
static range *find(uintptr_t address) AGPU__REQUIRES(all.lock) {
  range *at;
  LIST_FOREACH (at, &all.ranges, link)
    if (address - at->address < at->bytes)
      break;
  return at;
}

bool agpu__emu_guard_is_available(void) {
  // A file beyond the limit is refused with a signal, also one without a name.
  // The program may have lowered the limit since the last time.
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         limit.rlim_cur == RLIM_INFINITY;
}

static void give_to_host(const range *of, bool gives) {
  (void)mprotect((void *)of->address, of->bytes,
                 gives ? PROT_READ | PROT_WRITE : PROT_NONE);
}

uintptr_t agpu__emu_guard_map(size_t bytes, bool is_managed,
                              ptrdiff_t *out_distance) {
  void *memory = MAP_FAILED, *closed = MAP_FAILED;
  range *added = malloc(sizeof *added);
  int file = memfd_create("async-gpu-emu", MFD_CLOEXEC);
  if (!added || file < 0 || ftruncate(file, (off_t)bytes))
    goto fail;
  memory = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  closed = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED || closed == MAP_FAILED)
    goto fail;
  (void)close(file);
  uintptr_t address = (uintptr_t)closed;
  *added =
      (range){.address = address, .bytes = bytes, .is_managed = is_managed};
  agpu__lock_acquire(&all.lock);
  if (is_managed && !all.is_taken)
    give_to_host(added, true);
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
  if (closed != MAP_FAILED)
    (void)munmap(closed, bytes);
  if (file >= 0)
    (void)close(file);
  free(added);
  return 0;
}

void agpu__emu_guard_unmap(uintptr_t address, size_t bytes,
                           ptrdiff_t distance) {
  agpu__lock_acquire(&all.lock);
  range *removed = find(address);
  if (removed) {
    LIST_REMOVE(removed, link);
    all.open -= removed->is_open;
  }
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
  const range *at = find(address);
  bool found = at && (!at->is_managed || all.is_taken);
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
  if (at && !at->is_open) {
    give_to_host(at, true);
    at->is_open = true;
    ++all.open;
  }
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
  if (--all.launches == 0 && all.open) {
    LIST_FOREACH (at, &all.ranges, link) {
      if (at->is_open)
        give_to_host(at, false);
      at->is_open = false;
    }
    all.open = 0;
  }
  agpu__lock_release(&all.lock);
}

/// Managed memory goes from one to the other.
static void pass_managed(bool to_host) AGPU__REQUIRES(all.lock) {
  const range *at;
  LIST_FOREACH (at, &all.ranges, link)
    if (at->is_managed)
      give_to_host(at, to_host);
  all.is_taken = !to_host;
}

static bool is_exclusive(void) {
  return agpu__emu_get_settings()->exclusive_managed;
}

void agpu__emu_guard_launched(void) {
  if (!is_exclusive())
    return;
  agpu__lock_acquire(&all.lock);
  ++all.kernels;
  if (!all.is_taken)
    pass_managed(false);
  agpu__lock_release(&all.lock);
}

void agpu__emu_guard_ended(void) {
  if (!is_exclusive())
    return;
  agpu__lock_acquire(&all.lock);
  AGPU__ASSERT(all.kernels > 0);
  --all.kernels;
  agpu__lock_release(&all.lock);
}

void agpu__emu_guard_synchronized(void) {
  if (!is_exclusive())
    return;
  agpu__lock_acquire(&all.lock);
  if (all.is_taken && all.kernels == 0)
    pass_managed(true);
  agpu__lock_release(&all.lock);
}
