//===- event.h - Events: positions in streams ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event is the work after an ENQUEUED object (async/work.h): all that was
// enqueued on a stream up to a position. The driver hears of it once someone
// needs it, on another stream or on the host, and at the latest when more is
// about to be enqueued on its stream while anyone refers to it. So work whose
// end nobody asks for records nothing. It is recorded once; when no one refers
// to it, it goes back to its device's pool.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_H

#include "gpu/stream/pool.h"

#include <sys/queue.h>

typedef struct agpu__event_pool agpu__event_pool;

struct agpu__event {
  agpu__work work; // first
  atomic_uint references;
  const agpu__device *device;
  CUevent handle;
  agpu__pool_stream *stream; ///< where it is recorded
  uint64_t position;         ///< on that stream
  _Atomic uint64_t foreign;  ///< devices whose failure is the event's, too
  uint64_t loan;             ///< of that stream: whose end it is
  agpu__op_name last;        ///< the op before it, for messages
  /// Of the loan whose end it is, one reference; NULL: none. The work before it
  /// is over first, then this is what has come of it.
  agpu_status error;
  /// Held by the thread that records it, and taken by those who need that done.
  agpu__lock recording;
  bool is_claimed; ///< a thread records it, or has. Under the stream's lock.
  /// The driver has been told, with this result. Release and acquire; the end
  /// of a graph's round writes the result once more (graph/notes.c).
  atomic_bool is_recorded;
  _Atomic(CUresult) result;
  agpu__stream_clock clock; ///< once it is recorded
  /// It has completed without error, and someone knows. Release and acquire.
  atomic_bool complete;
  /// The completion thread will have word of it.
  atomic_bool armed;
  /// References that free blocks keep, of any device (memory/block.c). Relaxed.
  atomic_uint kept;
  // The pool's: free or taken ones; all of them.
  SLIST_ENTRY(agpu__event) link;
  LIST_ENTRY(agpu__event) of_all;
};

/// The event at the present end of `stream` (one reference), for the loan of
/// this number: the one made there last if nothing was enqueued since, else a
/// new one.
agpu_status agpu__event_make(agpu__pool_stream *stream, uint64_t loan,
                             const agpu__op_name *last,
                             agpu__event **out_event);

/// The same where that takes none of the pool's, else NULL.
agpu__event *agpu__event_make_of_stream(agpu__pool_stream *stream,
                                        uint64_t loan,
                                        const agpu__op_name *last);

/// The same for a loan that is in error: an event of its own, which is recorded
/// at once. `error` is retained.
agpu_status agpu__event_make_failed(agpu__pool_stream *stream, uint64_t loan,
                                    const agpu__op_name *last,
                                    agpu_status error, agpu__event **out_event);

/// Tells the driver of the event, unless that has been done. The error is the
/// same every time. Any thread. Waits while the stream's queue is full; so do
/// the next two.
agpu_status agpu__event_record(agpu__event *event);

/// Queries a recorded event for up to a millisecond, less and less often: calls
/// of other threads wait meanwhile. The last answer.
CUresult agpu__event_ask(const agpu__event *event);

/// Before anything is enqueued on `stream`: an event at its end that someone
/// refers to is recorded now, as it would come late afterwards. Any thread.
void agpu__event_settle_slowly(agpu__pool_stream *stream);
static inline bool agpu__event_is_unsettled(const agpu__pool_stream *stream) {
  // Relaxed: the enqueuing thread has made the event itself, or was lent the
  // stream after that. Where loans share a stream, it may come late.
  return atomic_load_explicit(&stream->unsettled, memory_order_relaxed) != NULL;
}
static inline void agpu__event_settle(agpu__pool_stream *stream) {
  if (agpu__event_is_unsettled(stream))
    agpu__event_settle_slowly(stream);
}

/// Whoever holds `event`, the only one that may still need it, is about to
/// enqueue on its stream: it need not be recorded. Where others refer to it all
/// the same, this does what agpu__event_settle does. `holders` are references
/// that do not count.
void agpu__event_elide_record(agpu__event *event, unsigned holders);

/// Makes later work on `stream`, of any device, wait for `event`, and counts
/// the wait. The error has `location`. Any thread that may call
/// agpu__device_enter_again; enters the stream's device.
agpu_status agpu__event_wait(agpu__pool_stream *stream, agpu__event *event,
                             const char *location);

/// What follows on the stream depends on work of other devices, a bit each; and
/// on which it does, of those that are known not to have failed with it. Any
/// thread.
void agpu__stream_note_foreign(agpu__pool_stream *stream, uint64_t devices);
uint64_t agpu__stream_get_foreign(agpu__pool_stream *stream);

/// What the driver said when it was told of `event`. Relaxed: it says an error
/// again to whoever asks.
static inline CUresult agpu__event_get_result(const agpu__event *event) {
  return atomic_load_explicit(&event->result, memory_order_relaxed);
}

/// Whether all later work on `stream` follows `event` as it is, of which the
/// driver has said no error. Any thread.
static inline bool agpu__stream_is_behind(agpu__pool_stream *stream,
                                          const agpu__event *event) {
  if (agpu__event_get_result(event))
    return false;
  if (event->stream == stream)
    return true;
  unsigned other = event->stream->number;
  if (other >= AGPU__CLOCK_STREAMS)
    return false;
  // Positions count from 0: at position 0 there is nothing to wait for.
  agpu__lock_acquire(&stream->lock);
  bool is_behind = stream->clock.reached[other] >= event->position;
  agpu__lock_release(&stream->lock);
  return is_behind;
}

/// Whether `event`, which is recorded, may follow what came later than
/// `earlier` on that one's stream. Any thread.
static inline bool agpu__event_may_follow(const agpu__event *event,
                                          const agpu__event *earlier) {
  if (event->stream == earlier->stream)
    return event->position > earlier->position;
  unsigned other = earlier->stream->number;
  if (other >= AGPU__CLOCK_STREAMS)
    return true; // nobody knows
  return other < event->clock.count &&
         event->clock.reached[other] > earlier->position;
}

/// Whether the work after `event` is over, without an error. Enqueues nothing
/// and never blocks: an event that the driver has not been told of is at its
/// stream's end, and over when the stream is idle; one of a graph's round has
/// to be recorded. Any thread; enters the device.
bool agpu__event_is_over(agpu__event *event);

/// Whether the work after `event` is known to be over, and so is all that
/// comes with its completion: then nothing has to wait for it. Acquire: what
/// the work has written is visible.
static inline bool agpu__event_is_past(const agpu__event *event) {
  return atomic_load_explicit(&event->complete, memory_order_acquire) &&
         !atomic_load_explicit(&event->device->shared->deferred,
                               memory_order_acquire);
}

/// Whether it is of a graph's round (graph/record.h), whose streams stand for
/// others when the round is over.
static inline bool agpu__event_is_of_round(const agpu__event *event) {
  return event->device->event_ops != event->device->shared->event_ops;
}

static inline agpu__event *agpu__event_retain(agpu__event *event) {
  atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
  return event;
}

/// A reference where someone else has one, else false. Under a lock by which
/// the caller has seen what the event is: its stream's, or its pool's.
static inline bool agpu__event_try_retain(agpu__event *event) {
  unsigned references =
      atomic_load_explicit(&event->references, memory_order_relaxed);
  do {
    if (!references)
      return false; // on its way back to the pool
  } while (!atomic_compare_exchange_weak_explicit(
      &event->references, &references, references + 1, memory_order_relaxed,
      memory_order_relaxed));
  return true;
}
void agpu__event_end(agpu__event *event); ///< of the last reference
static inline void agpu__event_release(agpu__event *event) {
  // Release and acquire: what other holders did comes before the next use.
  if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) ==
      1)
    agpu__event_end(event);
}

/// Gives the event that the stream spares to the pool. Any thread.
void agpu__event_give_spare(agpu__pool_stream *stream);

/// The event that `work` is.
static inline agpu__event *agpu__event_from_work(agpu__work *work) {
  return (agpu__event *)work; // its first member
}

/// Lends one of the pool's events without what goes with one above: for
/// callers that record it, again and again, on streams that they name (`last`
/// is for an error). Gives it back; false where the device has not lent it. Any
/// thread; to lend one may enter the device.
agpu_status agpu__event_take_handle(const agpu__device *device,
                                    const agpu__op_name *last,
                                    CUevent *out_handle);
bool agpu__event_give_handle(const agpu__device *device, CUevent handle);

/// Takes an event that no one refers to, for use behind `last`; adds some where
/// none is free, for which the driver may take its time, and enters the device.
agpu_status agpu__event_pool_take(const agpu__device *device,
                                  const agpu__op_name *last,
                                  agpu__event **out_event);

/// Takes an event back that no one refers to. `loans` is how many times others
/// were used again without the pool.
void agpu__event_pool_give(agpu__event *event, unsigned loans);

agpu__event_pool *agpu__event_pool_create(void);

/// Destroys the driver's events, those that someone refers to included, and
/// leaves the memory. No other thread may call the driver any more; the device
/// has been entered.
void agpu__event_pool_abandon(agpu__event_pool *pool);

/// The same, and frees the pool. No other thread is in it.
void agpu__event_pool_destroy(agpu__event_pool *pool);

/// If no event was lent since the last call: destroys those that nobody refers
/// to. False otherwise. Any thread; enters the device.
bool agpu__event_pool_trim(const agpu__device *device);

/// Calls `visit`, under no lock, for each event that someone refers to, with a
/// reference that it takes over. No other thread makes events meanwhile.
void agpu__event_pool_visit(agpu__event_pool *pool,
                            void (*visit)(agpu__event *event, void *argument),
                            void *argument);

/// Events that someone refers to now; and those of them to which not only free
/// blocks do.
int64_t agpu__event_pool_count_lent(agpu__event_pool *pool);
int64_t agpu__event_pool_count_held(agpu__event_pool *pool);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_H
