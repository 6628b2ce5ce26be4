//===- event_wait.c - Who waits for events --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that fails drops its work, but not that of other devices which waits
// for it: that runs, on whatever the failed work has left. So a stream
// remembers which devices its work has come to depend on, an event takes that
// along, and it has completed only if none of these has failed. Once one event
// after such a wait has, the wait is forgotten.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/event.h"

#include "base/os/clock.h"
#include "base/os/platform.h"

/// Counts a wait for `event`.
static void count_wait(agpu__pool_stream *stream, const agpu__event *event) {
  uint64_t foreign = event->foreign;
  if (event->device != stream->device)
    foreign |= agpu__device_bit(event->device);
  // Release, with the acquire in agpu__event_make: an event at a position is
  // after everything that the position counts.
  if (!foreign) {
    atomic_fetch_add_explicit(&stream->position, 1, memory_order_release);
    return;
  }
  agpu__lock_acquire(&stream->lock);
  uint64_t before =
      atomic_fetch_add_explicit(&stream->position, 1, memory_order_release);
  stream->foreign = agpu__event_get_foreign(stream) | foreign;
  stream->foreign_position = before + 1;
  agpu__lock_release(&stream->lock);
}

agpu_status agpu__event_wait(agpu__pool_stream *stream, agpu__event *event,
                             const char *location) {
  agpu_status status = agpu__event_record(event);
  if (status)
    return status;
  const agpu__device *device = stream->device;
  agpu__event_settle(stream);
  agpu__device_enter(device);
  CUresult result =
      device->driver->cuStreamWaitEvent(stream->handle, event->handle, 0);
  if (result)
    return agpu__driver_error(device->driver, result, location,
                              "wait for an event");
  count_wait(stream, event);
  agpu__stream_note_wait(stream, event);
  return AGPU_OK;
}

CUresult agpu__event_ask(const agpu__event *event) {
  int64_t begin = agpu__clock_now_ns(), now = begin, next = begin;
  CUresult result = CUDA_ERROR_NOT_READY;
  for (; result == CUDA_ERROR_NOT_READY && now < begin + 1000000;
       now = agpu__clock_now_ns())
    if (now >= next) {
      result = event->device->driver->cuEventQuery(event->handle);
      next = now + (now - begin) / 16;
    } else {
      agpu__pause();
    }
  return result;
}
