//===- block.c - Device memory that is kept -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All blocks of a device: those in use, found by their addresses, and a list of
// those that are free after an event, or leaving while the driver takes them
// back. A pool for a driver that checks memory keeps none.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/memory.h"

#include "base/memory/memory.h"
#include "base/report/assert.h"
#include "base/sync/mutex.h"

#include <sys/queue.h>

/// Sizes are powers of two up to this, then multiples of it, so that a block
/// fits many requests and wastes little.
#define LARGE ((size_t)1 << 20)
#define SMALLEST ((size_t)256)

/// Of blocks in use. A program has some hundreds, as a rule.
#define BUCKET_BITS 8

typedef struct block {
  LIST_ENTRY(block) link;
  CUdeviceptr pointer;
  size_t bytes;
  bool host_shared;
  bool leaving;       // being given back to the driver; not in use
  uint64_t freed;     // when, as a number that grows; of free ones
  agpu__event *event; // what comes before the free; NULL: nothing any more
} block;

typedef LIST_HEAD(block_list, block) block_list;

struct agpu__block_pool {
  size_t keep_bytes;
  bool exact; // the driver checks memory
  agpu__mutex lock;
  block_list used[1 << BUCKET_BITS] AGPU__GUARDED_BY(lock); // get_bucket
  block_list free AGPU__GUARDED_BY(lock);                   // and leaving
  // Of blocks that are neither in use nor leaving.
  size_t free_bytes AGPU__GUARDED_BY(lock);
  unsigned leaving AGPU__GUARDED_BY(lock); // blocks
  uint64_t frees AGPU__GUARDED_BY(lock);
  // Since the beginning; at the last trimming.
  uint64_t requests AGPU__GUARDED_BY(lock), trimmed_at AGPU__GUARDED_BY(lock);
};

agpu__block_pool *agpu__block_pool_create(size_t keep_bytes, bool exact) {
  agpu__block_pool *pool = agpu__memory_alloc(
      sizeof *pool, _Alignof(agpu__block_pool), "a pool of blocks");
  *pool =
      (agpu__block_pool){.keep_bytes = exact ? 0 : keep_bytes, .exact = exact};
  agpu__mutex_init(&pool->lock, AGPU__RANK_BLOCKS);
  return pool;
}

/// Where a block in use is listed.
static block_list *get_bucket(agpu__block_pool *pool, CUdeviceptr pointer)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  // Fibonacci hashing (Knuth, The Art of Computer Programming 6.4).
  uint64_t mixed = (uint64_t)pointer * UINT64_C(0x9E3779B97F4A7C15);
  return &pool->used[mixed >> (64 - BUCKET_BITS)];
}

static size_t round_up(size_t bytes) {
  if (bytes > SIZE_MAX - LARGE)
    return bytes;
  if (bytes > LARGE)
    return (bytes + LARGE - 1) & ~(LARGE - 1);
  size_t size = SMALLEST;
  while (size < bytes)
    size *= 2;
  return size;
}

/// Gives the reference back that a free block keeps.
static void drop_event(block *of) {
  agpu__event *event = of->event;
  of->event = NULL;
  unsigned kept =
      atomic_fetch_sub_explicit(&event->kept, 1, memory_order_relaxed);
  AGPU__ASSERT(kept > 0);
  agpu__event_release(event);
}

/// Under the pool's lock: whether the host may use the block's memory now, or
/// free it: the work before the free is done.
static bool is_done(block *of) {
  if (of->event && !agpu__event_is_over(of->event))
    return false;
  if (of->event)
    drop_event(of);
  return true;
}

static CUresult allocate(const agpu__device *device, size_t bytes,
                         bool host_shared, CUdeviceptr *out_pointer) {
  agpu__device_enter(device);
  if (!host_shared)
    return device->driver->cuMemAlloc(out_pointer, bytes);
  if (device->managed_is_concurrent)
    return device->driver->cuMemAllocManaged(out_pointer, bytes,
                                             CU_MEM_ATTACH_GLOBAL);
  void *memory = NULL;
  CUresult result = device->driver->cuMemHostAlloc(
      &memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  *out_pointer = (CUdeviceptr)(uintptr_t)memory;
  return result;
}

static CUresult release(const agpu__device *device, const block *of) {
  return of->host_shared && !device->managed_is_concurrent
             ? device->driver->cuMemFreeHost((void *)(uintptr_t)of->pointer)
             : device->driver->cuMemFree(of->pointer);
}

/// Of the free blocks whose work is done, the one that was freed first; NULL:
/// none.
static block *find_oldest(const agpu__block_pool *pool)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  block *oldest = NULL, *of;
  LIST_FOREACH (of, &pool->free, link)
    if (!of->leaving && (!oldest || of->freed < oldest->freed) && is_done(of))
      oldest = of;
  return oldest;
}

/// Gives the free blocks back whose work is done, those that were freed first
/// at first, until no more than `keep` bytes are kept. True if there were any,
/// or another thread was at it. Without the lock while the driver is at work:
/// it may wait for all that the device does. Blocks stay in the list meanwhile,
/// so that a process that fails gives them back.
static bool give_back(const agpu__device *device, size_t keep) {
  agpu__block_pool *pool = device->blocks;
  agpu__mutex_lock(&pool->lock);
  bool any = pool->leaving > 0;
  while (pool->free_bytes > keep) {
    block *of = find_oldest(pool);
    if (!of)
      break;
    of->leaving = true;
    ++pool->leaving;
    pool->free_bytes -= of->bytes;
    agpu__mutex_unlock(&pool->lock);

    agpu__device_enter(device);
    // Until the list says so, too: who closes the gate gives back what it has.
    bool entered = agpu__driver_gate_enter();
    bool refused = !entered || release(device, of) == CUDA_ERROR_DEINITIALIZED;

    agpu__mutex_lock(&pool->lock);
    --pool->leaving;
    if (refused) {
      of->leaving = false;
      pool->free_bytes += of->bytes;
    } else {
      LIST_REMOVE(of, link);
      agpu__memory_free(of);
      any = true;
    }
    if (entered)
      agpu__driver_gate_leave();
    if (refused)
      break;
  }
  agpu__mutex_unlock(&pool->lock);
  return any;
}

/// A free block that fits.
static block *find_free(agpu__block_pool *pool, const agpu__pool_stream *stream,
                        size_t size, bool host_shared)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  // Work on the same stream is ordered after the free; but memory that the
  // host addresses too can be touched as soon as this returns.
  block *of;
  LIST_FOREACH (of, &pool->free, link)
    if (!of->leaving && of->bytes == size && of->host_shared == host_shared &&
        ((!host_shared && of->event && of->event->stream == stream) ||
         is_done(of)))
      break;
  return of;
}

/// Takes a free block that fits, if there is one.
static bool take_free(agpu__block_pool *pool, const agpu__pool_stream *stream,
                      size_t size, bool host_shared, CUdeviceptr *out_pointer) {
  agpu__mutex_lock(&pool->lock);
  ++pool->requests;
  block *found =
      pool->exact ? NULL : find_free(pool, stream, size, host_shared);
  if (found) {
    LIST_REMOVE(found, link);
    LIST_INSERT_HEAD(get_bucket(pool, found->pointer), found, link);
    AGPU__ASSERT(pool->free_bytes >= size);
    pool->free_bytes -= size;
    if (found->event)
      drop_event(found);
    *out_pointer = found->pointer;
  }
  agpu__mutex_unlock(&pool->lock);
  return found != NULL;
}

/// A block in use that the driver has just given.
static void add(agpu__block_pool *pool, CUdeviceptr pointer, size_t size,
                bool host_shared) {
  block *added = agpu__memory_alloc(sizeof *added, _Alignof(block), "a block");
  *added =
      (block){.pointer = pointer, .bytes = size, .host_shared = host_shared};
  agpu__mutex_lock(&pool->lock);
  LIST_INSERT_HEAD(get_bucket(pool, pointer), added, link);
  agpu__mutex_unlock(&pool->lock);
}

CUresult agpu__block_alloc(const agpu__device *device,
                           const agpu__pool_stream *stream, size_t bytes,
                           bool host_shared, CUdeviceptr *out_pointer) {
  agpu__block_pool *pool = device->blocks;
  size_t size = pool->exact ? bytes : round_up(bytes);
  CUresult result = CUDA_SUCCESS;
  if (!take_free(pool, stream, size, host_shared, out_pointer)) {
    result = allocate(device, size, host_shared, out_pointer);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && give_back(device, 0))
      result = allocate(device, size, host_shared, out_pointer);
    if (result == CUDA_SUCCESS)
      add(pool, *out_pointer, size, host_shared);
  }
  (void)give_back(device, pool->keep_bytes);
  agpu__device_enter(device);
  return result;
}

/// The block in use there, or NULL.
static block *find(agpu__block_pool *pool, CUdeviceptr pointer)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  block *of;
  LIST_FOREACH (of, get_bucket(pool, pointer), link)
    if (of->pointer == pointer)
      break;
  return of;
}

bool agpu__block_pool_has(agpu__block_pool *pool, CUdeviceptr pointer) {
  agpu__mutex_lock(&pool->lock);
  bool result = find(pool, pointer) != NULL;
  agpu__mutex_unlock(&pool->lock);
  return result;
}

void agpu__block_free(const agpu__device *device, CUdeviceptr pointer,
                      agpu__event *event) {
  agpu__block_pool *pool = device->blocks;
  // The check whether it is over cannot record it (agpu__event_is_over).
  if (event && agpu__event_is_of_round(event))
    agpu_status_release(agpu__event_record(event));
  agpu__mutex_lock(&pool->lock);
  block *freed = find(pool, pointer);
  if (freed) {
    LIST_REMOVE(freed, link);
    LIST_INSERT_HEAD(&pool->free, freed, link);
    freed->freed = ++pool->frees;
    freed->event = event;
    if (event)
      atomic_fetch_add_explicit(&event->kept, 1, memory_order_relaxed);
    pool->free_bytes += freed->bytes;
  }
  agpu__mutex_unlock(&pool->lock);
  if (!freed && event)
    agpu__event_release(event);
}

bool agpu__block_pool_trim(const agpu__device *device) {
  agpu__block_pool *pool = device->blocks;
  agpu__mutex_lock(&pool->lock);
  bool idle = pool->requests == pool->trimmed_at;
  pool->trimmed_at = pool->requests;
  agpu__mutex_unlock(&pool->lock);
  if (idle)
    (void)give_back(device, 0);
  return idle;
}

void agpu__block_pool_abandon(agpu__block_pool *pool,
                              const agpu__device *device) {
  agpu__mutex_lock(&pool->lock);
  const block *of;
  LIST_FOREACH (of, &pool->free, link)
    (void)release(device, of);
  for (size_t i = 0; i < 1 << BUCKET_BITS && !pool->exact; ++i)
    LIST_FOREACH (of, &pool->used[i], link)
      (void)release(device, of);
  agpu__mutex_unlock(&pool->lock);
}

static void forget_all(block_list *blocks) {
  while (!LIST_EMPTY(blocks)) {
    block *first = LIST_FIRST(blocks);
    LIST_REMOVE(first, link);
    if (first->event)
      drop_event(first);
    agpu__memory_free(first);
  }
}

void agpu__block_pool_destroy(agpu__block_pool *pool,
                              const agpu__device *device) {
  agpu__block_pool_abandon(pool, device);
  agpu__mutex_lock(&pool->lock);
  for (size_t i = 0; i < 1 << BUCKET_BITS; ++i)
    forget_all(&pool->used[i]);
  forget_all(&pool->free);
  agpu__mutex_unlock(&pool->lock);
  agpu__mutex_destroy(&pool->lock);
  agpu__memory_free(pool);
}
