//===- block.c - Device memory that is kept -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/memory.h"

#include "base/memory.h"

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
  agpu__event *event; // what comes before the free; NULL: nothing any more
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static block *blocks;

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
static bool is_done(const agpu__device *device, block *of) {
  agpu__event *event = of->event;
  if (!event)
    return true;
  if (!atomic_load_explicit(&event->complete, memory_order_acquire)) {
    agpu_status status = agpu__event_record(event);
    agpu_status_release(status);
    if (status || device->driver->cuEventQuery(event->handle) != CUDA_SUCCESS)
      return false;
    atomic_store_explicit(&event->complete, true, memory_order_release);
  }
  of->event = NULL;
  agpu__event_release(event);
  return true;
}

static CUresult allocate(const agpu__device *device, size_t bytes,
                         bool host_shared, CUdeviceptr *out_pointer) {
  return host_shared ? device->driver->cuMemAllocManaged(out_pointer, bytes,
                                                         CU_MEM_ATTACH_GLOBAL)
                     : device->driver->cuMemAlloc(out_pointer, bytes);
}

/// Gives the free blocks back whose work is done. True if there were any.
static bool trim(const agpu__device *device) {
  bool any = false;
  for (block **link = &blocks; *link;) {
    block *of = *link;
    if (of->in_use || !is_done(device, of)) {
      link = &of->next;
      continue;
    }
    *link = of->next;
    (void)device->driver->cuMemFree(of->pointer);
    agpu__memory_free(of);
    any = true;
  }
  return any;
}

CUresult agpu__block_alloc(const agpu__device *device,
                           const agpu__pool_stream *stream, size_t bytes,
                           bool host_shared, CUdeviceptr *out_pointer) {
  size_t size = round_up(bytes);
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  block *found = blocks;
  // Work on the same stream is ordered behind the free; but memory that the
  // host addresses too can be touched as soon as this returns.
  while (found &&
         (found->in_use || found->bytes != size ||
          found->host_shared != host_shared ||
          !((!host_shared && found->event && found->event->stream == stream) ||
            is_done(device, found))))
    found = found->next;
  if (found) {
    found->in_use = true;
    if (found->event)
      agpu__event_release(found->event);
    found->event = NULL;
    *out_pointer = found->pointer;
  } else {
    result = allocate(device, size, host_shared, out_pointer);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && trim(device))
      result = allocate(device, size, host_shared, out_pointer);
    if (result == CUDA_SUCCESS) {
      block *added =
          agpu__memory_alloc(sizeof *added, _Alignof(block), "a block");
      *added = (block){.next = blocks,
                       .pointer = *out_pointer,
                       .bytes = size,
                       .host_shared = host_shared,
                       .in_use = true};
      blocks = added;
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/// Under the lock.
static block *find(CUdeviceptr pointer) {
  block *found = blocks;
  while (found && (found->pointer != pointer || !found->in_use))
    found = found->next;
  return found;
}

bool agpu__block_is(CUdeviceptr pointer) {
  pthread_mutex_lock(&lock);
  bool result = find(pointer) != NULL;
  pthread_mutex_unlock(&lock);
  return result;
}

void agpu__block_free(CUdeviceptr pointer, agpu__event *event) {
  pthread_mutex_lock(&lock);
  block *freed = find(pointer);
  if (freed) {
    freed->in_use = false;
    freed->event = event;
  }
  pthread_mutex_unlock(&lock);
  if (!freed && event)
    agpu__event_release(event);
}

int64_t agpu__block_count_events(void) {
  int64_t result = 0;
  pthread_mutex_lock(&lock);
  for (const block *of = blocks; of; of = of->next) {
    // Blocks freed one after another may share an event, which counts once.
    const block *before = blocks;
    while (before != of && before->event != of->event)
      before = before->next;
    result += of->event && before == of;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

void agpu__memory_reset(const agpu__device *device) {
  pthread_mutex_lock(&lock);
  while (blocks) {
    block *next = blocks->next;
    (void)device->driver->cuMemFree(blocks->pointer);
    if (blocks->event)
      agpu__event_release(blocks->event);
    agpu__memory_free(blocks);
    blocks = next;
  }
  pthread_mutex_unlock(&lock);
  agpu__host_memory_reset();
}
