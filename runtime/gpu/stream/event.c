//===- event.c - Events: positions in streams -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No lock is held in a call of the driver. An event is claimed under its
// stream's lock and recorded without: the driver may wait until the stream's
// queue has room, while others give events back, complete objects and allocate.
// Who needs the event recorded waits at its own lock.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/event.h"

#include "base/memory/memory.h"
#include "base/report/assert.h"
#include "base/report/status_track.h"
#include "gpu/stream/event_pool.h"

agpu__event *agpu__event_retain(agpu__event *event) {
  atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
  return event;
}

static void set_latest(agpu__pool_stream *stream, agpu__event *event)
    AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  if (stream->latest)
    atomic_store_explicit(&stream->latest->is_latest, false,
                          memory_order_relaxed);
  stream->latest = event;
  if (event)
    atomic_store_explicit(&event->is_latest, true, memory_order_relaxed);
  atomic_store_explicit(&stream->unsettled, event, memory_order_relaxed);
}

void agpu__event_release(agpu__event *event) {
  // Release and acquire: what other holders did comes before the next use.
  if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) !=
      1)
    return;
  if (atomic_load_explicit(&event->is_latest, memory_order_relaxed)) {
    agpu__lock_acquire(&event->stream->lock);
    if (event->stream->latest == event)
      set_latest(event->stream, NULL);
    agpu__lock_release(&event->stream->lock);
  }
  // Release: nobody looks at the stream through this event after this.
  atomic_fetch_sub_explicit(&event->stream->events, 1, memory_order_release);
  if (event->error)
    agpu_status_release(event->error);
  // It may be recorded again although it has not completed: whoever waits for
  // it on a stream waits for what was recorded before the wait.
  agpu__event_pool_give(event);
}

//===----------------------------------------------------------------------===//
// The end of a stream
//===----------------------------------------------------------------------===//

/// Whether the calling thread is the one that records the event: it does so
/// next, with tell_driver. The event's lock is free: nobody takes it before it
/// is claimed.
AGPU__UNCHECKED_LOCKS // takes it where the result is true
    static bool claim(const agpu__pool_stream *stream, agpu__event *event)
        AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  AGPU__ASSERT(event->stream == stream);
  if (event->is_claimed)
    return false;
  event->is_claimed = true;
  agpu__event_take_clock(event);
  agpu__lock_acquire(&event->recording);
  return true;
}

/// Records an event that the calling thread has claimed, and has a reference
/// of.
AGPU__UNCHECKED_LOCKS static void tell_driver(agpu__event *event) {
  agpu__pool_stream *stream = event->stream;
  agpu__event *unsettled = event;
  agpu__device_enter(event->device);
  atomic_store_explicit(
      &event->result,
      event->device->driver->cuEventRecord(event->handle, stream->handle),
      memory_order_relaxed);
  atomic_store_explicit(&event->is_recorded, true, memory_order_release);
  // Another event may be the stream's latest by now.
  (void)atomic_compare_exchange_strong_explicit(&stream->unsettled, &unsettled,
                                                NULL, memory_order_relaxed,
                                                memory_order_relaxed);
  agpu__lock_release(&event->recording);
}

/// After a claim that has failed: another thread records the event.
static void await_record(agpu__event *event) {
  agpu__lock_acquire(&event->recording);
  agpu__lock_release(&event->recording);
}

static void record(agpu__event *event) {
  if (atomic_load_explicit(&event->is_recorded, memory_order_acquire))
    return;
  agpu__pool_stream *stream = event->stream;
  agpu__lock_acquire(&stream->lock);
  bool is_own = claim(stream, event);
  agpu__lock_release(&stream->lock);
  if (is_own)
    tell_driver(event);
  else
    await_record(event);
}

uint64_t agpu__event_get_foreign(const agpu__pool_stream *stream) {
  // Relaxed: too old a position only means to look at more devices.
  return stream->foreign_position > atomic_load_explicit(&stream->fine_position,
                                                         memory_order_relaxed)
             ? stream->foreign
             : 0;
}

/// Makes `event`, which is new, the one at the stream's end.
static void put_at_end(agpu__pool_stream *stream, agpu__event *event,
                       uint64_t position, uint64_t loan,
                       const agpu__op_name *last) AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  event->stream = stream;
  atomic_fetch_add_explicit(&stream->events, 1, memory_order_relaxed);
  event->position = position;
  event->foreign = agpu__event_get_foreign(stream);
  event->loan = loan;
  event->last = *last;
  event->is_claimed = false;
  atomic_init(&event->is_recorded, false);
  atomic_store_explicit(&event->result, CUDA_SUCCESS, memory_order_relaxed);
  set_latest(stream, event);
}

/// The event at the stream's end, where there is one that someone has or one is
/// free, else NULL.
static agpu__event *try_make(agpu__pool_stream *stream, uint64_t loan,
                             const agpu__op_name *last, int64_t *out_enough) {
  *out_enough = INT64_MAX;
  // Under the lock so that a later event has a position at least as high.
  // Position is read before the record: the event follows everything that
  // the position counts, and at most after more.
  agpu__lock_acquire(&stream->lock);
  uint64_t position =
      atomic_load_explicit(&stream->position, memory_order_acquire);
  agpu__event *event = stream->latest;
  if (!event || event->position != position || event->error ||
      !agpu__event_try_retain(event)) {
    event = agpu__event_pool_take(stream->device->events, out_enough);
    if (event)
      put_at_end(stream, event, position, loan, last);
  }
  agpu__lock_release(&stream->lock);
  return event;
}

agpu_status agpu__event_make(agpu__pool_stream *stream, uint64_t loan,
                             const agpu__op_name *last,
                             agpu__event **out_event) {
  const agpu__device *device = stream->device;
  agpu_status status = AGPU_OK;
  int64_t enough;
  agpu__device_enter(device);
  do {
    *out_event = try_make(stream, loan, last, &enough);
    if (!*out_event)
      status = agpu__event_pool_grow(device, last);
  } while (!*out_event && !status);
  if (enough != INT64_MAX)
    agpu__event_pool_shrink(device->events, enough);
  return status;
}

/// A new event at the stream's end with an error, if one is free, else NULL.
static agpu__event *try_make_failed(agpu__pool_stream *stream, uint64_t loan,
                                    const agpu__op_name *last,
                                    agpu_status error) {
  int64_t enough; // of the next event
  agpu__lock_acquire(&stream->lock);
  agpu__event *event = agpu__event_pool_take(stream->device->events, &enough);
  if (event) {
    event->error = agpu_status_retain(error);
    put_at_end(stream, event,
               atomic_load_explicit(&stream->position, memory_order_acquire),
               loan, last);
  }
  agpu__lock_release(&stream->lock);
  return event;
}

agpu_status agpu__event_make_failed(agpu__pool_stream *stream, uint64_t loan,
                                    const agpu__op_name *last,
                                    agpu_status error,
                                    agpu__event **out_event) {
  // Tokens of enqueued work do not have it, and may be dropped without a wait.
  agpu__status_track(error);
  // It takes the place of one that is the stream's latest and not recorded.
  agpu__event_settle(stream);
  agpu_status status = AGPU_OK;
  agpu__device_enter(stream->device);
  while (!status && !(*out_event = try_make_failed(stream, loan, last, error)))
    status = agpu__event_pool_grow(stream->device, last);
  if (!status)
    record(*out_event);
  return status;
}

agpu_status agpu__event_record(agpu__event *event) {
  record(event);
  CUresult result = agpu__event_get_result(event);
  if (!result)
    return AGPU_OK;
  // Another thread may have recorded it; the error's text is the device's own.
  agpu__device_enter(event->device);
  return agpu__driver_event_error(event->device->driver, result, &event->last,
                                  "recording an event");
}

void agpu__event_settle(agpu__pool_stream *stream) {
  // Relaxed: the enqueuing thread has made the event itself, or was lent the
  // stream after that. Where loans share a stream, it may come late.
  if (!atomic_load_explicit(&stream->unsettled, memory_order_relaxed))
    return;
  agpu__lock_acquire(&stream->lock);
  agpu__event *event =
      atomic_load_explicit(&stream->unsettled, memory_order_relaxed);
  // Without a reference it is on its way to the pool.
  bool is_needed = event && agpu__event_try_retain(event);
  bool is_own = is_needed && claim(stream, event);
  agpu__lock_release(&stream->lock);
  if (is_own)
    tell_driver(event);
  else if (is_needed)
    await_record(event);
  if (is_needed)
    agpu__event_release(event);
}

void agpu__event_elide_record(agpu__event *event, unsigned holders) {
  agpu__pool_stream *stream = event->stream;
  agpu__lock_acquire(&stream->lock);
  bool is_needed =
      atomic_load_explicit(&event->references, memory_order_relaxed) > holders;
  if (!is_needed && stream->latest == event)
    set_latest(stream, NULL);
  agpu__lock_release(&stream->lock);
  if (is_needed)
    record(event);
}

bool agpu__event_is_over(agpu__event *event) {
  if (atomic_load_explicit(&event->complete, memory_order_acquire))
    return true;
  const agpu__driver *driver = event->device->driver;
  agpu__device_enter(event->device);
  bool is_recorded =
      atomic_load_explicit(&event->is_recorded, memory_order_acquire);
  if (!is_recorded && agpu__event_is_of_round(event))
    return false;
  CUresult result = is_recorded ? agpu__event_get_result(event)
                                : driver->cuStreamQuery(event->stream->handle);
  if (is_recorded && !result)
    result = driver->cuEventQuery(event->handle);
  if (result)
    return false;
  // Whether other devices have failed, whose work it has waited for, is not
  // asked here: only the completion thread knows that there is no error.
  if (!event->foreign)
    atomic_store_explicit(&event->complete, true, memory_order_release);
  return true;
}

void agpu__event_pool_visit(agpu__event_pool *pool,
                            void (*visit)(agpu__event *event, void *argument),
                            void *argument) {
  agpu__event **held;
  size_t count = agpu__event_pool_hold(pool, &held);
  for (size_t i = 0; i < count; ++i) {
    visit(held[i], argument);
    agpu__event_release(held[i]);
  }
  agpu__memory_free(held);
}
