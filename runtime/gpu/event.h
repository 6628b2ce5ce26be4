//===- event.h - Events: positions in streams ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event is the work behind an ENQUEUED object (async/work.h): all that was
// enqueued on a stream up to a position. It is recorded when it is made and
// never again while anyone refers to it; then it goes back to a pool.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_EVENT_H
#define ASYNC_GPU_RUNTIME_GPU_EVENT_H

#include "async/work.h"
#include "gpu/stream_pool.h"

struct agpu__event {
  agpu__work work; // first
  atomic_uint references;
  const agpu__device *device;
  CUevent handle;
  agpu__pool_stream *stream; ///< where it is recorded
  uint64_t position;         ///< on that stream
  agpu__op_name last;        ///< the op before it, for messages
  /// It has completed without error, and someone knows. Release and acquire.
  atomic_bool complete;
  /// A host function behind it will tell the completion thread.
  atomic_bool armed;
  struct agpu__event *next; ///< the pool's
};

/// The event at the present end of `stream` (one reference): the one recorded
/// there last if nothing was enqueued since, else a new one.
agpu_status agpu__event_record(const agpu__device *device,
                               agpu__pool_stream *stream,
                               const agpu__op_name *last,
                               agpu__event **out_event);

agpu__event *agpu__event_retain(agpu__event *event);
void agpu__event_release(agpu__event *event);

/// The event that `work` is.
agpu__event *agpu__event_from_work(agpu__work *work);

/// Lends one of the pool's events without what goes with one above: for
/// callers that record it, again and again, on streams that they name (the
/// location is that of an error). Gives it back. Any thread; the device has
/// been entered.
agpu_status agpu__event_take_handle(const agpu__device *device,
                                    const char *location, CUevent *out_handle);
void agpu__event_give_handle(const agpu__device *device, CUevent handle);

/// Destroys the events of the pool.
void agpu__event_pool_reset(const agpu__device *device);

/// Events that someone refers to now.
int64_t agpu__event_pool_count_lent(void);

#endif // ASYNC_GPU_RUNTIME_GPU_EVENT_H
