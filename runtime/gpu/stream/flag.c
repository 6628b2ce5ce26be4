//===- flag.c - Words of memory that streams write ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flag is a line of a page of pinned memory, which the pool of the device
// hands out for good: a stream that comes back keeps its own.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/flag.h"

#include "base/memory/memory.h"

#include <string.h>
#include <sys/queue.h>

/// A stream's line of the cache, so that looking at one flag does not slow
/// writes to others down.
#define FLAG_BYTES 64
#define PAGE_BYTES 4096

typedef struct page {
  SLIST_ENTRY(page) link;
  void *memory; // the driver's
} page;

struct agpu__stream_flags {
  agpu__lock lock;
  SLIST_HEAD(, page) pages AGPU__GUARDED_BY(lock); // the first one has room
  size_t used AGPU__GUARDED_BY(lock);              // bytes of it
};

/// A word that is 0. A stream keeps its flag, so that none comes back.
static CUresult create(const agpu__device *device, uint32_t **out_flag) {
  agpu__stream_flags *flags = device->flags;
  CUresult result = CUDA_SUCCESS;
  agpu__lock_acquire(&flags->lock);
  if (SLIST_EMPTY(&flags->pages) || flags->used == PAGE_BYTES) {
    void *memory;
    result = device->driver->cuMemHostAlloc(&memory, PAGE_BYTES,
                                            CU_MEMHOSTALLOC_PORTABLE |
                                                CU_MEMHOSTALLOC_DEVICEMAP);
    if (!result) {
      memset(memory, 0, PAGE_BYTES);
      page *added =
          agpu__memory_alloc(sizeof *added, _Alignof(page), "flags of streams");
      added->memory = memory;
      SLIST_INSERT_HEAD(&flags->pages, added, link);
      flags->used = 0;
    }
  }
  if (!result) {
    *out_flag =
        (uint32_t *)((char *)SLIST_FIRST(&flags->pages)->memory + flags->used);
    flags->used += FLAG_BYTES;
  }
  agpu__lock_release(&flags->lock);
  return result;
}

CUresult agpu__stream_flag_announce(agpu__event *event) {
  const agpu__driver *driver = event->device->driver;
  agpu__pool_stream *stream = event->stream;
  CUresult result = CUDA_SUCCESS;
  // Under the lock so that what the flag holds only grows.
  agpu__lock_acquire(&stream->lock);
  uint32_t *flag = atomic_load_explicit(&stream->flag, memory_order_relaxed);
  if (!flag) {
    result = create(event->device, &flag);
    if (!result)
      // Release: whoever looks at the flag sees it at 0 first.
      atomic_store_explicit(&stream->flag, flag, memory_order_release);
  }
  if (!result && atomic_load_explicit(&stream->position,
                                      memory_order_relaxed) != event->position)
    result = CUDA_ERROR_NOT_READY;
  if (!result) {
    // One address for both sides: that is what unified addressing means for
    // memory from cuMemHostAlloc.
    CUdeviceptr target = (CUdeviceptr)(uintptr_t)flag;
    uint32_t value = (uint32_t)event->position;
    result = driver->cuStreamWriteValue32
                 ? driver->cuStreamWriteValue32(stream->handle, target, value,
                                                CU_STREAM_WRITE_VALUE_DEFAULT)
                 : driver->cuMemsetD32Async(target, value, 1, stream->handle);
  }
  agpu__lock_release(&stream->lock);
  return result;
}

bool agpu__stream_flag_is_up(const agpu__event *event) {
  // The memory is the driver's. Where the process fails it may be gone, and the
  // driver says so to whoever asks.
  if (!agpu__driver_gate_enter())
    return true;
  const uint32_t *flag =
      atomic_load_explicit(&event->stream->flag, memory_order_acquire);
  // The low bits of positions, which lie less than half of their range apart.
  bool is_up = flag && (int32_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) -
                                 (uint32_t)event->position) >= 0;
  agpu__driver_gate_leave();
  return is_up;
}

agpu__stream_flags *agpu__stream_flags_create(void) {
  agpu__stream_flags *flags = agpu__memory_alloc(
      sizeof *flags, _Alignof(agpu__stream_flags), "flags of streams");
  *flags = (agpu__stream_flags){.lock = {0}};
  return flags;
}

void agpu__stream_flags_abandon(agpu__stream_flags *flags,
                                const agpu__device *device) {
  agpu__lock_acquire(&flags->lock);
  const page *of;
  SLIST_FOREACH (of, &flags->pages, link)
    (void)device->driver->cuMemFreeHost(of->memory);
  agpu__lock_release(&flags->lock);
}

void agpu__stream_flags_destroy(agpu__stream_flags *flags,
                                const agpu__device *device) {
  agpu__stream_flags_abandon(flags, device);
  agpu__lock_acquire(&flags->lock);
  while (!SLIST_EMPTY(&flags->pages)) {
    page *first = SLIST_FIRST(&flags->pages);
    SLIST_REMOVE_HEAD(&flags->pages, link);
    agpu__memory_free(first);
  }
  agpu__lock_release(&flags->lock);
  agpu__memory_free(flags);
}
