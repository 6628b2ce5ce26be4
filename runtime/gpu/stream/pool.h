//===- pool.h - The driver's streams ------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region borrows a stream (agpu_stream, loan.c); the driver's streams
// after the loans live here, a pool per device. The pool grows to a bound,
// then hands the stream out that was given back longest ago; when all are
// lent, regions share. Sharing adds order between regions and takes nothing
// away, so it cannot deadlock: work on a stream only ever waits for work that
// was enqueued before it. Streams of each priority are apart from others in all
// of this. A pool that has not been used for a while gives its
// streams back to the driver (agpu__stream_pool_trim).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_POOL_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_POOL_H

#include "base/report/settings.h"
#include "base/sync/lock.h"
#include "gpu/device/device.h"

#include <sys/queue.h>

typedef struct agpu__event agpu__event;
typedef struct agpu__stream_pool agpu__stream_pool;

/// Streams with higher numbers are not followed: no wait for them is saved. As
/// many as there are unless ASYNC_GPU_STREAMS is larger.
#define AGPU__CLOCK_STREAMS 32

/// Priorities are 0, the default and least, and as the driver has it, less, to
/// the greatest.
#define AGPU__GREATEST_PRIORITY (-7)

/// A vector clock: up to which position of every other stream, by its number,
/// the later work of a stream is known to follow; 0: none. A wait for an event
/// that such a position covers says nothing new, whether the stream has waited
/// for that stream itself or for one that had. An event takes along what its
/// stream knows when it is recorded: all of that are waits that come
/// before it. A stream's is read and written under its lock.
typedef struct agpu__stream_clock {
  unsigned count; ///< entries from there on are 0
  /// Of a stream, its own position when it last learned anything: an event that
  /// was made there later knows all of it.
  uint64_t learned_at;
  uint64_t reached[AGPU__CLOCK_STREAMS];
} agpu__stream_clock;

/// The streams of one priority that a pool has. Under its lock.
typedef struct agpu__level {
  int priority;
  unsigned live;    ///< those with a handle
  unsigned leaving; ///< those whose staging is being trimmed
  unsigned limit, most;
  TAILQ_HEAD(, agpu__pool_stream) free;
} agpu__level;

/// Drivers that know no priorities have streams without.
static inline CUresult agpu__stream_create(const agpu__driver *driver,
                                           int priority, CUstream *out) {
  return priority && driver->cuStreamCreateWithPriority
             ? driver->cuStreamCreateWithPriority(out, CU_STREAM_NON_BLOCKING,
                                                  priority)
             : driver->cuStreamCreate(out, CU_STREAM_NON_BLOCKING);
}

/// One of the driver's streams. It stays, with its number and positions, where
/// the driver's is destroyed and another one created in its place.
typedef struct agpu__pool_stream {
  const agpu__device *device;
  CUstream handle;    ///< NULL: none now
  unsigned number;    ///< among all streams of the process
  agpu__level *level; ///< of `handle`
  /// Counts what was enqueued, waits included. Whoever enqueues counts after
  /// the driver's call.
  _Atomic(uint64_t) position;

  /// Never held in a call of the driver: who gives an event back takes it.
  agpu__lock lock;
  /// The event of the highest position that has one, or NULL. No reference: an
  /// event that no one refers to takes itself off.
  agpu__event *latest AGPU__GUARDED_BY(lock);
  /// One that no one refers to, for the next that is made here; or NULL.
  agpu__event *spare AGPU__GUARDED_BY(lock);
  /// Events that became that since one went to the pool last.
  unsigned spared AGPU__GUARDED_BY(lock);
  agpu__stream_clock clock; ///< written under the lock
  /// Other devices, a bit each, whose work this stream has waited for: where
  /// that fails, what follows here is worth nothing. The position of the last
  /// such wait.
  uint64_t foreign AGPU__GUARDED_BY(lock);
  uint64_t foreign_position AGPU__GUARDED_BY(lock);

  struct agpu__staging *staging; ///< for copies (copy.h)

  /// `latest`, or NULL once it was seen to be recorded. Set under the lock.
  _Atomic(agpu__event *) unsettled;
  /// An event up to here has completed, and no such device had failed.
  _Atomic(uint64_t) fine_position;
  /// Events here that someone refers to.
  unsigned events AGPU__GUARDED_BY(lock);

  /// The number of the latest loan whose end is known to others.
  _Atomic(uint64_t) ended;

  // Under the pool's lock.
  uint64_t known_position; ///< work up to here was seen to be over
  uint64_t loan;           ///< number of the latest loan
  unsigned loans;          ///< now
  unsigned handles_lent;   ///< of these, by their handle
  agpu__op_name last;      ///< of the loan given back last
  bool is_leaving;         ///< its handle has gone, `staging` is being trimmed
  TAILQ_ENTRY(agpu__pool_stream) link; ///< of free ones
} agpu__pool_stream;

/// A pool without streams that grows to `limit` of each priority, and to `most`
/// where the queues of so many are full; AGPU__MAX_STREAMS of each at most.
agpu__stream_pool *agpu__stream_pool_create(unsigned limit, unsigned most);

/// Lends a stream of this priority; `out_loan` is the number of this loan.
/// Where the queues of all are full, waits some milliseconds. Any thread; may
/// leave another device entered.
agpu_status agpu__stream_pool_acquire(const agpu__device *device, int priority,
                                      const char *location,
                                      agpu__pool_stream **out_stream,
                                      uint64_t *out_loan);

/// Lends `stream` to the region that continues its loan number `loan`. False
/// where it has been lent to someone else since, that loan has not ended, or
/// the stream has another priority. Any thread.
bool agpu__stream_pool_take_over(agpu__pool_stream *stream, uint64_t loan,
                                 int priority, uint64_t *out_loan);

/// The pool's stream whose handle is `handle`, or NULL. Any thread.
agpu__pool_stream *agpu__stream_pool_find(agpu__stream_pool *pool,
                                          CUstream handle);

/// The same as _acquire and _release for who knows the stream by its handle
/// alone: `stream` is what _find gave for it. False: there is no such loan. Any
/// thread.
agpu_status agpu__stream_pool_take_handle(const agpu__device *device,
                                          CUstream *out_handle);
bool agpu__stream_pool_give_handle(agpu__pool_stream *stream, CUstream handle);

/// Gives a loan back; `last` is what it enqueued last, or NULL. Any thread.
void agpu__stream_pool_release(agpu__pool_stream *stream,
                               const agpu__op_name *last);

/// Code is about to be released: what streams remember of its work lasts from
/// now on, the places of work without a kernel aside, which are forgotten. Any
/// thread.
void agpu__stream_pool_keep_names(agpu__stream_pool *pool);

/// An object was told that work of the device has failed; and whether one was.
/// Any thread.
void agpu__stream_pool_tell_failure(agpu__stream_pool *pool);
bool agpu__stream_pool_failure_is_told(const agpu__stream_pool *pool);

/// Kernels that the device has loaded print or assert; and whether any do: what
/// they write comes out at calls of the driver that synchronise. Any thread.
void agpu__stream_pool_note_output(agpu__stream_pool *pool);
bool agpu__stream_pool_has_output(const agpu__stream_pool *pool);

/// The error that the device is in, or CUDA_SUCCESS. Any thread; enters the
/// device.
CUresult agpu__stream_pool_get_error(const agpu__device *device);

/// If nothing is lent, nor was since the last call: destroys the streams that
/// no event refers to. They are idle then. False otherwise. Any thread; enters
/// the device.
bool agpu__stream_pool_trim(const agpu__device *device);

/// Whether any stream has work that is not over. Any thread; enters the device.
bool agpu__stream_pool_is_busy(const agpu__device *device);

/// Waits until all streams are idle. A failure of the device that no object
/// was told of is reported as the process's unobserved error.
void agpu__stream_pool_drain(const agpu__device *device);

/// Destroys the driver's streams and leaves the memory. No other thread may
/// call the driver any more; the device has been entered.
void agpu__stream_pool_abandon(agpu__stream_pool *pool);

/// The same, and frees the pool. No other thread is in it.
void agpu__stream_pool_destroy(agpu__stream_pool *pool);

/// Loans now.
int64_t agpu__stream_pool_count_lent(agpu__stream_pool *pool);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_POOL_H
