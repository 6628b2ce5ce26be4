//===- capacity.c - How much memory a device has --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_MEMORY_BYTES. Addresses cost nothing here, so that a device has
// to count what it gives. Memory whose free a stream has yet to come to is
// taken still, but for allocations in the order of a stream: a driver lets
// these wait for such memory.
//
// Managed memory moves between host and device, and may be more than a device
// has: no more than the host and a device have together.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/capacity.h"

#include "base/report/assert.h"
#include "base/sync/lock.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"

#include <stdatomic.h>
#include <unistd.h>

#define GRANULE ((size_t)256)
/// Cards that have more are few.
#define MOST_BY_DEFAULT ((size_t)80 << 30)

static struct {
  agpu__lock lock;
  // Bytes taken, and of these the ones whose free is enqueued.
  size_t taken[AGPU__EMU_MAX_DEVICES] AGPU__GUARDED_BY(lock);
  size_t leaving[AGPU__EMU_MAX_DEVICES] AGPU__GUARDED_BY(lock);
  size_t managed AGPU__GUARDED_BY(lock);
  // Of `taken`, what pools have, whether it is in use or not.
  agpu__emu_pool_use pools[AGPU__EMU_MAX_DEVICES] AGPU__GUARDED_BY(lock);
  atomic_size_t physical; // bytes; relaxed: they are the same every time
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_CAPACITY)};

/// The system is asked once: every allocation needs it.
static size_t count_physical(void) {
  size_t known = atomic_load_explicit(&all.physical, memory_order_relaxed);
  if (known)
    return known;
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  known =
      pages > 0 && page > 0 ? (size_t)pages * (size_t)page : MOST_BY_DEFAULT;
  atomic_store_explicit(&all.physical, known, memory_order_relaxed);
  return known;
}

static size_t count_total(void) {
  size_t set = agpu__emu_get_settings()->memory_bytes;
  if (set)
    return set;
  size_t physical = count_physical();
  return physical < MOST_BY_DEFAULT ? physical : MOST_BY_DEFAULT;
}

static size_t round_up(size_t bytes) {
  return bytes > SIZE_MAX - GRANULE ? SIZE_MAX
                                    : (bytes + GRANULE - 1) & ~(GRANULE - 1);
}

bool agpu__emu_capacity_take(CUdevice device, size_t bytes, bool is_ordered) {
  size_t size = round_up(bytes), total = count_total();
  agpu__lock_acquire(&all.lock);
  size_t used = all.taken[device] - (is_ordered ? all.leaving[device] : 0);
  bool fits = used <= total && size <= total - used;
  if (fits)
    all.taken[device] += size;
  agpu__lock_release(&all.lock);
  return fits;
}

void agpu__emu_capacity_leave(CUdevice device, size_t bytes, bool is_leaving) {
  agpu__lock_acquire(&all.lock);
  if (is_leaving)
    all.leaving[device] += round_up(bytes);
  else
    all.leaving[device] -= round_up(bytes);
  AGPU__ASSERT(all.leaving[device] <= all.taken[device]);
  agpu__lock_release(&all.lock);
}

void agpu__emu_capacity_give(CUdevice device, size_t bytes) {
  agpu__lock_acquire(&all.lock);
  AGPU__ASSERT(round_up(bytes) <= all.taken[device]);
  all.taken[device] -= round_up(bytes);
  agpu__lock_release(&all.lock);
}

static void note_most(agpu__emu_pool_use *of) {
  if (of->reserved > of->most_reserved)
    of->most_reserved = of->reserved;
  if (of->used > of->most_used)
    of->most_used = of->used;
}

bool agpu__emu_capacity_take_of_pool(CUdevice device, size_t bytes) {
  size_t size = round_up(bytes), total = count_total();
  agpu__lock_acquire(&all.lock);
  agpu__emu_pool_use *pool = &all.pools[device];
  size_t idle = pool->reserved - pool->used;
  size_t used = all.taken[device] - all.leaving[device] - idle;
  bool fits = used <= total && size <= total - used;
  if (fits) {
    size_t more = size > idle ? size - idle : 0;
    all.taken[device] += more;
    pool->reserved += more;
    pool->used += size;
    note_most(pool);
  }
  agpu__lock_release(&all.lock);
  return fits;
}

void agpu__emu_capacity_give_to_pool(CUdevice device, size_t bytes) {
  agpu__lock_acquire(&all.lock);
  AGPU__ASSERT(round_up(bytes) <= all.pools[device].used);
  all.pools[device].used -= round_up(bytes);
  agpu__lock_release(&all.lock);
}

agpu__emu_pool_use agpu__emu_capacity_get_pool(CUdevice device) {
  agpu__lock_acquire(&all.lock);
  agpu__emu_pool_use use = all.pools[device];
  agpu__lock_release(&all.lock);
  return use;
}

void agpu__emu_capacity_forget_most(CUdevice device, bool of_reserved) {
  agpu__lock_acquire(&all.lock);
  agpu__emu_pool_use *pool = &all.pools[device];
  if (of_reserved)
    pool->most_reserved = pool->reserved;
  else
    pool->most_used = pool->used;
  agpu__lock_release(&all.lock);
}

void agpu__emu_capacity_trim(CUdevice device, size_t keep) {
  agpu__lock_acquire(&all.lock);
  agpu__emu_pool_use *pool = &all.pools[device];
  size_t idle = pool->reserved - pool->used;
  size_t above = pool->reserved > keep ? pool->reserved - keep : 0;
  size_t given = above < idle ? above : idle;
  pool->reserved -= given;
  all.taken[device] -= given;
  agpu__lock_release(&all.lock);
}

bool agpu__emu_capacity_take_managed(size_t bytes) {
  size_t size = round_up(bytes), total = count_physical(), own = count_total();
  total = own < SIZE_MAX - total ? total + own : SIZE_MAX;
  agpu__lock_acquire(&all.lock);
  bool fits = size <= total - all.managed;
  if (fits)
    all.managed += size;
  agpu__lock_release(&all.lock);
  return fits;
}

void agpu__emu_capacity_give_managed(size_t bytes) {
  agpu__lock_acquire(&all.lock);
  AGPU__ASSERT(round_up(bytes) <= all.managed);
  all.managed -= round_up(bytes);
  agpu__lock_release(&all.lock);
}

void agpu__emu_capacity_reset(void) {
  agpu__lock_acquire(&all.lock);
  for (int i = 0; i < AGPU__EMU_MAX_DEVICES; ++i) {
    all.taken[i] = all.leaving[i] = 0;
    all.pools[i] = (agpu__emu_pool_use){.reserved = 0};
  }
  all.managed = 0;
  agpu__lock_release(&all.lock);
}

size_t agpu__emu_capacity_total(void) { return count_total(); }

void agpu__emu_capacity_get(size_t *out_free, size_t *out_total) {
  CUdevice device = agpu__emu_current_device();
  size_t total = count_total();
  agpu__lock_acquire(&all.lock);
  // What a stream waits for may have been given twice.
  *out_free = all.taken[device] < total ? total - all.taken[device] : 0;
  agpu__lock_release(&all.lock);
  *out_total = total;
}
