//===- flag.c - Words of memory that streams write ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flag is pinned memory of its own, which the driver gives by the page:
// looking at one does not slow writes to others down. A stream keeps it for
// good.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/flag.h"

/// A word that is 0. A stream keeps its flag, so that none comes back.
static CUresult create(const agpu__device *device, uint32_t **out_flag) {
  void *memory;
  CUresult result = device->driver->cuMemHostAlloc(
      &memory, sizeof **out_flag,
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result)
    return result;
  *out_flag = memory;
  **out_flag = 0;
  return CUDA_SUCCESS;
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

void agpu__stream_flag_abandon(const agpu__pool_stream *stream) {
  uint32_t *flag = atomic_load_explicit(&stream->flag, memory_order_relaxed);
  if (flag)
    (void)stream->device->driver->cuMemFreeHost(flag);
}
