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
#include "base/os/clock.h"
#include "base/os/platform.h"
#include "base/report/assert.h"
#include "base/report/status_track.h"
#include "gpu/driver/gate.h"

#include <string.h>

/// Events that a stream keeps for reuse, one after the other, before it gives
/// one back to the pool, which counts them then.
#define MOST_SPARED 63

static inline void set_latest(agpu__pool_stream *stream, agpu__event *event)
    AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  stream->latest = event;
  atomic_store_explicit(&stream->unsettled, event, memory_order_relaxed);
}

void agpu__event_end(agpu__event *event) {
  agpu__pool_stream *stream = event->stream;
  agpu__event *given = event;
  unsigned spared = 0;
  if (event->error)
    agpu_status_release(event->error);
  agpu__lock_acquire(&stream->lock);
  if (stream->latest == event)
    set_latest(stream, NULL);
  // It may be recorded again although it has not completed: whoever waits for
  // it on a stream waits for what was recorded before the wait.
  if (stream->spared == MOST_SPARED) {
    spared = stream->spared;
    stream->spared = 0;
  } else {
    given = stream->spare;
    stream->spare = event;
    ++stream->spared;
  }
  // Nobody looks at the stream through this event after this.
  --stream->events;
  agpu__lock_release(&stream->lock);
  if (given)
    agpu__event_pool_give(given, spared);
}

void agpu__event_give_spare(agpu__pool_stream *stream) {
  agpu__lock_acquire(&stream->lock);
  agpu__event *event = stream->spare;
  stream->spare = NULL;
  agpu__lock_release(&stream->lock);
  if (event)
    agpu__event_pool_give(event, 0);
}

//===----------------------------------------------------------------------===//
// The end of a stream
//===----------------------------------------------------------------------===//

/// Whether the calling thread is the one that records the event: it does so
/// next, with tell_driver. The event's lock is free: nobody takes it before it
/// is claimed.
AGPU__UNCHECKED_LOCKS // takes it where the result is true
    static inline bool claim(const agpu__pool_stream *stream,
                             agpu__event *event) AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  AGPU__ASSERT(event->stream == stream);
  if (event->is_claimed)
    return false;
  event->is_claimed = true;
  event->clock.count = stream->clock.count;
  memcpy(event->clock.reached, stream->clock.reached,
         stream->clock.count * sizeof *stream->clock.reached);
  agpu__lock_take(&event->recording);
  return true;
}

/// Records an event that the calling thread has claimed, and has a reference
/// of, by `driver`: its device's.
AGPU__UNCHECKED_LOCKS static inline void
tell_driver(agpu__event *event, const agpu__driver *driver) {
  // A recorder's driver enters what it calls another one for.
  if (!agpu__event_is_of_round(event))
    agpu__device_enter_again(event->device);
  CUresult result = driver->cuEventRecord(event->handle, event->stream->handle);
  if (result)
    atomic_store_explicit(&event->result, result, memory_order_relaxed);
  atomic_store_explicit(&event->is_recorded, true, memory_order_release);
  agpu__lock_release(&event->recording);
}

/// After a claim that has failed: another thread records the event.
static void await_record(agpu__event *event) {
  agpu__lock_acquire(&event->recording);
  agpu__lock_release(&event->recording);
}

/// As agpu__event_record, where the calling thread may call
/// agpu__device_enter_again, without the error (agpu__event_get_result).
static inline void tell(agpu__event *event, const agpu__driver *driver) {
  if (atomic_load_explicit(&event->is_recorded, memory_order_acquire))
    return;
  agpu__pool_stream *stream = event->stream;
  agpu__lock_acquire(&stream->lock);
  bool is_own = claim(stream, event);
  agpu__lock_release(&stream->lock);
  if (is_own)
    tell_driver(event, driver);
  else
    await_record(event);
}

/// The devices whose failure is that of an event at the stream's present end.
static inline uint64_t get_foreign(const agpu__pool_stream *stream)
    AGPU__REQUIRES(stream->lock) {
  // Relaxed: too old a position only means to look at more devices.
  return stream->foreign_position > atomic_load_explicit(&stream->fine_position,
                                                         memory_order_relaxed)
             ? stream->foreign
             : 0;
}

/// Whose context the stream's events are of.
static inline const agpu__device *get_home(const agpu__pool_stream *stream) {
  const agpu__device *other = stream->device->events_of;
  return other ? other : stream->device;
}

/// Makes `event`, which no one refers to, the one at the stream's end.
static inline void put_at_end(agpu__pool_stream *stream, agpu__event *event,
                              uint64_t position, uint64_t loan,
                              const agpu__op_name *last, agpu_status error)
    AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  atomic_init(&event->references, 1);
  event->stream = stream;
  event->position = position;
  atomic_store_explicit(&event->foreign,
                        get_foreign(stream) | stream->device->foreign,
                        memory_order_relaxed);
  event->loan = loan;
  event->last = *last;
  event->error = error;
  event->is_claimed = false;
  atomic_init(&event->is_recorded, false);
  atomic_init(&event->complete, false);
  atomic_init(&event->armed, false);
  atomic_store_explicit(&event->result, CUDA_SUCCESS, memory_order_relaxed);
  ++stream->events;
  set_latest(stream, event);
}

/// The event at the stream's end, where there is one that someone has, else
/// `fresh` or the stream's spare one; NULL: there is none.
static inline __attribute__((always_inline)) agpu__event *
make_with(agpu__pool_stream *stream, uint64_t loan, const agpu__op_name *last,
          agpu__event *fresh) {
  // Under the lock so that a later event has a position at least as high.
  // Position is read before the record: the event follows everything that
  // the position counts, and at most after more.
  agpu__lock_acquire(&stream->lock);
  uint64_t position =
      atomic_load_explicit(&stream->position, memory_order_acquire);
  agpu__event *event = stream->latest;
  if (!event || event->position != position || event->error ||
      !agpu__event_try_retain(event)) {
    event = fresh ? fresh : stream->spare;
    if (!fresh)
      stream->spare = NULL;
    if (event)
      put_at_end(stream, event, position, loan, last, AGPU_OK);
  }
  agpu__lock_release(&stream->lock);
  return event;
}

agpu__event *agpu__event_make_of_stream(agpu__pool_stream *stream,
                                        uint64_t loan,
                                        const agpu__op_name *last) {
  return make_with(stream, loan, last, NULL);
}

static __attribute__((noinline)) agpu_status
make_of_pool(agpu__pool_stream *stream, uint64_t loan,
             const agpu__op_name *last, agpu__event **out_event) {
  agpu__event *fresh;
  agpu_status status = agpu__event_pool_take(get_home(stream), last, &fresh);
  if (status)
    return status;
  *out_event = make_with(stream, loan, last, fresh);
  if (*out_event != fresh)
    agpu__event_pool_give(fresh, 0);
  return AGPU_OK;
}

agpu_status agpu__event_make(agpu__pool_stream *stream, uint64_t loan,
                             const agpu__op_name *last,
                             agpu__event **out_event) {
  *out_event = agpu__event_make_of_stream(stream, loan, last);
  return *out_event ? AGPU_OK : make_of_pool(stream, loan, last, out_event);
}

agpu_status agpu__event_make_failed(agpu__pool_stream *stream, uint64_t loan,
                                    const agpu__op_name *last,
                                    agpu_status error,
                                    agpu__event **out_event) {
  // Tokens of enqueued work do not have it, and may be dropped without a wait.
  agpu__status_track(error);
  // It takes the place of one that is the stream's latest and not recorded.
  agpu__event_settle(stream);
  agpu__device_enter(get_home(stream));
  agpu_status status = agpu__event_pool_take(get_home(stream), last, out_event);
  if (status)
    return status;
  agpu__lock_acquire(&stream->lock);
  put_at_end(stream, *out_event,
             atomic_load_explicit(&stream->position, memory_order_acquire),
             loan, last, agpu_status_retain(error));
  agpu__lock_release(&stream->lock);
  tell(*out_event, stream->device->driver);
  return AGPU_OK;
}

/// One of a round that is open on another thread has not been enqueued.
static inline void await_round(agpu__event *event) {
  if (agpu__event_is_of_round(event))
    event->work.ops->settle(&event->work);
}

agpu_status agpu__event_record(agpu__event *event) {
  await_round(event);
  if (!atomic_load_explicit(&event->is_recorded, memory_order_acquire)) {
    agpu__device_enter(event->device);
    tell(event, event->device->driver);
  }
  CUresult result = agpu__event_get_result(event);
  if (!result)
    return AGPU_OK;
  // Another thread may have recorded it; the error's text is the device's own.
  agpu__device_enter(event->device);
  return agpu__driver_event_error(event->device->driver, result, &event->last,
                                  "recording an event");
}

void agpu__event_settle_slowly(agpu__pool_stream *stream) {
  agpu__device_enter(stream->device);
  agpu__lock_acquire(&stream->lock);
  agpu__event *event =
      atomic_load_explicit(&stream->unsettled, memory_order_relaxed);
  bool is_told =
      event && atomic_load_explicit(&event->is_recorded, memory_order_acquire);
  if (is_told)
    atomic_store_explicit(&stream->unsettled, NULL, memory_order_relaxed);
  // Without a reference it is on its way to the pool.
  bool is_needed = event && !is_told && agpu__event_try_retain(event);
  bool is_own = is_needed && claim(stream, event);
  agpu__lock_release(&stream->lock);
  if (is_own)
    tell_driver(event, stream->device->driver);
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
    agpu_status_release(agpu__event_record(event));
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

//===----------------------------------------------------------------------===//
// Waits
//
// A device that fails drops its work, but not that of other devices which waits
// for it: that runs, on whatever the failed work has left. So a stream
// remembers which devices its work has come to depend on, an event takes that
// along, and it has completed only if none of these has failed. Once one event
// after such a wait has, the wait is forgotten.
//
//===----------------------------------------------------------------------===//

static __attribute__((noinline)) void
note_foreign(agpu__pool_stream *stream, uint64_t devices, uint64_t position)
    AGPU__REQUIRES(stream->lock) {
  stream->foreign =
      (get_foreign(stream) | devices) & ~agpu__device_bit(stream->device);
  stream->foreign_position = position;
}

void agpu__stream_note_foreign(agpu__pool_stream *stream, uint64_t devices) {
  agpu__lock_acquire(&stream->lock);
  note_foreign(stream, devices,
               atomic_load_explicit(&stream->position, memory_order_relaxed));
  agpu__lock_release(&stream->lock);
}

uint64_t agpu__stream_get_foreign(agpu__pool_stream *stream) {
  agpu__lock_acquire(&stream->lock);
  uint64_t devices = get_foreign(stream);
  agpu__lock_release(&stream->lock);
  return devices;
}

/// `stream` knows what `event` knows, from its `position` on.
static inline void learn(agpu__pool_stream *stream, const agpu__event *event,
                         uint64_t position) AGPU__REQUIRES(stream->lock) {
  AGPU__ASSERT_HELD(&stream->lock);
  agpu__stream_clock *clock = &stream->clock;
  const agpu__stream_clock *more = &event->clock;
  unsigned own = stream->number, other = event->stream->number;
  unsigned count = more->count;
  // Of streams that wait for each other in turn, the event knows all that the
  // stream knows: then there is nothing to compare.
  if (own < count && more->reached[own] > clock->learned_at)
    memcpy(clock->reached, more->reached, count * sizeof *clock->reached);
  else
    for (unsigned i = 0; i < count; ++i)
      if (clock->reached[i] < more->reached[i])
        clock->reached[i] = more->reached[i];
  clock->count = clock->count > count ? clock->count : count;
  if (other < AGPU__CLOCK_STREAMS) {
    if (clock->reached[other] < event->position)
      clock->reached[other] = event->position;
    if (clock->count <= other)
      clock->count = other + 1;
  }
  clock->learned_at = position;
}

/// Counts a wait for `event`, which the driver has been told of.
static inline void count_wait(agpu__pool_stream *stream,
                              const agpu__event *event) {
  agpu__lock_acquire(&stream->lock);
  // Release, with the acquire in agpu__event_make: an event at a position is
  // after everything that the position counts.
  uint64_t position =
      atomic_fetch_add_explicit(&stream->position, 1, memory_order_release) + 1;
  // A recorder's device is that of its graphs (graph/record.h).
  if (event->foreign || event->device->ordinal != stream->device->ordinal)
    note_foreign(stream, event->foreign | agpu__device_bit(event->device),
                 position);
  learn(stream, event, position);
  agpu__lock_release(&stream->lock);
}

agpu_status agpu__event_wait(agpu__pool_stream *stream, agpu__event *event,
                             const char *location) {
  const agpu__device *device = stream->device;
  const agpu__driver *driver = device->driver;
  await_round(event);
  agpu__gate_slot *begun = agpu__gate_begin(&driver);
  // That of a graph's round has another one.
  tell(event, event->device == device ? driver : event->device->driver);
  CUresult result = agpu__event_get_result(event);
  if (!result) {
    agpu__event_settle(stream);
    agpu__device_enter_again(device);
    result = driver->cuStreamWaitEvent(stream->handle, event->handle, 0);
  }
  agpu__gate_end(begun);
  if (result && result == agpu__event_get_result(event))
    return agpu__event_record(event);
  if (result)
    return agpu__driver_error(device->driver, result, location,
                              "wait for an event");
  count_wait(stream, event);
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
