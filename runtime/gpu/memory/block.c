//===- block.c - Device memory that is kept -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/memory.h"

#include "base/memory/memory.h"
#include "gpu/device/devices.h"

#include <pthread.h>

/// Sizes are powers of two up to this, then multiples of it, so that a block
/// fits many requests and wastes little.
#define LARGE ((size_t)1 << 20)
#define SMALLEST ((size_t)256)

typedef struct block {
  struct block *next;
  CUdeviceptr pointer;
  size_t bytes;
  bool host_shared;
  bool in_use;
  bool leaving;       // being given back to the driver; not in use
  uint64_t freed;     // when, as a number that grows; of free ones
  agpu__event *event; // what comes before the free; NULL: nothing any more
} block;

struct agpu__block_pool {
  pthread_mutex_t lock; // guards what follows
  block *blocks;
  size_t free_bytes, keep_bytes; // free: neither in use nor leaving
  unsigned leaving;              // blocks
  bool exact;                    // the driver checks memory
  uint64_t frees;
  uint64_t requests, trimmed_at; // since the beginning; at the last trimming
};

agpu__block_pool *agpu__block_pool_create(size_t keep_bytes, bool exact) {
  agpu__block_pool *pool = agpu__memory_alloc(
      sizeof *pool, _Alignof(agpu__block_pool), "a pool of blocks");
  *pool =
      (agpu__block_pool){.keep_bytes = exact ? 0 : keep_bytes, .exact = exact};
  pthread_mutex_init(&pool->lock, NULL);
  return pool;
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

/// Whether the host may use the block's memory now, or free it: the work before
/// the free is done.
static bool is_done(block *of) {
  agpu__event *event = of->event;
  if (!event)
    return true;
  if (!atomic_load_explicit(&event->complete, memory_order_acquire)) {
    agpu_status status = agpu__event_record(event);
    agpu_status_release(status);
    agpu__device_enter(event->device);
    if (status ||
        event->device->driver->cuEventQuery(event->handle) != CUDA_SUCCESS)
      return false;
    atomic_store_explicit(&event->complete, true, memory_order_release);
  }
  of->event = NULL;
  agpu__event_release(event);
  return true;
}

static CUresult allocate(const agpu__device *device, size_t bytes,
                         bool host_shared, CUdeviceptr *out_pointer) {
  agpu__device_enter(device);
  return host_shared ? device->driver->cuMemAllocManaged(out_pointer, bytes,
                                                         CU_MEM_ATTACH_GLOBAL)
                     : device->driver->cuMemAlloc(out_pointer, bytes);
}

/// Under the lock: of the free blocks whose work is done, the one that was
/// freed first; NULL: none.
static block *find_oldest(const agpu__block_pool *pool) {
  block *oldest = NULL;
  for (block *of = pool->blocks; of; of = of->next)
    if (!of->in_use && !of->leaving && (!oldest || of->freed < oldest->freed) &&
        is_done(of))
      oldest = of;
  return oldest;
}

/// Under the lock: forgets a block that the driver has got back.
static void forget(agpu__block_pool *pool, block *of) {
  block **link = &pool->blocks;
  while (*link != of)
    link = &(*link)->next;
  *link = of->next;
  agpu__memory_free(of);
}

/// Gives the free blocks back whose work is done, those that were freed first
/// at first, until no more than `keep` bytes are kept. True if there were any,
/// or another thread was at it. Without the lock while the driver is at work:
/// it may wait for all that the device does. Blocks stay in the list meanwhile,
/// so that a process that fails gives them back.
static bool give_back(const agpu__device *device, size_t keep) {
  agpu__block_pool *pool = device->blocks;
  pthread_mutex_lock(&pool->lock);
  bool any = pool->leaving > 0;
  while (pool->free_bytes > keep) {
    block *of = find_oldest(pool);
    if (!of)
      break;
    of->leaving = true;
    ++pool->leaving;
    pool->free_bytes -= of->bytes;
    pthread_mutex_unlock(&pool->lock);

    agpu__device_enter(device);
    CUresult result = device->driver->cuMemFree(of->pointer);

    pthread_mutex_lock(&pool->lock);
    --pool->leaving;
    // Refused where the process fails: it gives back what is there.
    if (result == CUDA_ERROR_DEINITIALIZED) {
      of->leaving = false;
      pool->free_bytes += of->bytes;
      break;
    }
    forget(pool, of);
    any = true;
  }
  pthread_mutex_unlock(&pool->lock);
  return any;
}

/// Under the lock: a free block that fits.
static block *find_free(const agpu__device *device,
                        const agpu__pool_stream *stream, size_t size,
                        bool host_shared) {
  block *found = device->blocks->blocks;
  // Work on the same stream is ordered behind the free; but memory that the
  // host addresses too can be touched as soon as this returns.
  while (found &&
         (found->in_use || found->leaving || found->bytes != size ||
          found->host_shared != host_shared ||
          !((!host_shared && found->event && found->event->stream == stream) ||
            is_done(found))))
    found = found->next;
  return found;
}

/// Takes a free block that fits, if there is one.
static bool take_free(const agpu__device *device,
                      const agpu__pool_stream *stream, size_t size,
                      bool host_shared, CUdeviceptr *out_pointer) {
  agpu__block_pool *pool = device->blocks;
  pthread_mutex_lock(&pool->lock);
  ++pool->requests;
  block *found =
      pool->exact ? NULL : find_free(device, stream, size, host_shared);
  if (found) {
    found->in_use = true;
    pool->free_bytes -= size;
    if (found->event)
      agpu__event_release(found->event);
    found->event = NULL;
    *out_pointer = found->pointer;
  }
  pthread_mutex_unlock(&pool->lock);
  return found != NULL;
}

/// A block in use that the driver has just given.
static void add(agpu__block_pool *pool, CUdeviceptr pointer, size_t size,
                bool host_shared) {
  block *added = agpu__memory_alloc(sizeof *added, _Alignof(block), "a block");
  *added = (block){.pointer = pointer,
                   .bytes = size,
                   .host_shared = host_shared,
                   .in_use = true};
  pthread_mutex_lock(&pool->lock);
  added->next = pool->blocks;
  pool->blocks = added;
  pthread_mutex_unlock(&pool->lock);
}

CUresult agpu__block_alloc(const agpu__device *device,
                           const agpu__pool_stream *stream, size_t bytes,
                           bool host_shared, CUdeviceptr *out_pointer) {
  agpu__block_pool *pool = device->blocks;
  size_t size = pool->exact ? bytes : round_up(bytes);
  CUresult result = CUDA_SUCCESS;
  if (!take_free(device, stream, size, host_shared, out_pointer)) {
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

/// Under the lock.
static block *find(agpu__block_pool *pool, CUdeviceptr pointer) {
  block *found = pool->blocks;
  while (found && (found->pointer != pointer || !found->in_use))
    found = found->next;
  return found;
}

const agpu__device *agpu__block_find(CUdeviceptr pointer) {
  const agpu__device *device = agpu__devices_next(NULL);
  for (; device; device = agpu__devices_next(device)) {
    pthread_mutex_lock(&device->blocks->lock);
    bool found = find(device->blocks, pointer) != NULL;
    pthread_mutex_unlock(&device->blocks->lock);
    if (found)
      break;
  }
  return device;
}

void agpu__block_free(const agpu__device *device, CUdeviceptr pointer,
                      agpu__event *event) {
  agpu__block_pool *pool = device->blocks;
  pthread_mutex_lock(&pool->lock);
  block *freed = find(pool, pointer);
  if (freed) {
    freed->in_use = false;
    freed->freed = ++pool->frees;
    freed->event = event;
    pool->free_bytes += freed->bytes;
  }
  pthread_mutex_unlock(&pool->lock);
  if (!freed && event)
    agpu__event_release(event);
}

bool agpu__block_pool_trim(const agpu__device *device) {
  agpu__block_pool *pool = device->blocks;
  pthread_mutex_lock(&pool->lock);
  bool idle = pool->requests == pool->trimmed_at;
  pool->trimmed_at = pool->requests;
  pthread_mutex_unlock(&pool->lock);
  if (idle)
    (void)give_back(device, 0);
  return idle;
}

int64_t agpu__block_pool_count_events(agpu__block_pool *pool) {
  int64_t result = 0;
  pthread_mutex_lock(&pool->lock);
  for (const block *of = pool->blocks; of; of = of->next) {
    // Blocks freed one after another may share an event, which counts once.
    const block *before = pool->blocks;
    while (before != of && before->event != of->event)
      before = before->next;
    result += of->event && before == of;
  }
  pthread_mutex_unlock(&pool->lock);
  return result;
}

void agpu__block_pool_abandon(agpu__block_pool *pool,
                              const agpu__device *device) {
  pthread_mutex_lock(&pool->lock);
  for (const block *of = pool->blocks; of; of = of->next)
    if (!pool->exact || !of->in_use)
      (void)device->driver->cuMemFree(of->pointer);
  pthread_mutex_unlock(&pool->lock);
}

void agpu__block_pool_destroy(agpu__block_pool *pool,
                              const agpu__device *device) {
  agpu__block_pool_abandon(pool, device);
  while (pool->blocks) {
    block *next = pool->blocks->next;
    if (pool->blocks->event)
      agpu__event_release(pool->blocks->event);
    agpu__memory_free(pool->blocks);
    pool->blocks = next;
  }
  pthread_mutex_destroy(&pool->lock);
  agpu__memory_free(pool);
}
