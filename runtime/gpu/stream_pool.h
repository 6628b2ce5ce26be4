//===- stream_pool.h - The driver's streams -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region borrows a stream (agpu_stream, stream.c); the driver's streams
// behind the loans live here until the device ends. The pool grows to a bound,
// then hands the stream out that was given back longest ago; when all are
// lent, regions share. Sharing adds order between regions and takes nothing
// away, so it cannot deadlock: work on a stream only ever waits for work that
// was enqueued before it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_POOL_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_POOL_H

#include "gpu/device.h"
#include "gpu/stream_clock.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct agpu__event agpu__event;

/// One of the driver's streams.
typedef struct agpu__pool_stream {
  CUstream handle;
  unsigned index;
  unsigned number; ///< among all streams of the process
  /// Counts what was enqueued, waits included. Whoever enqueues counts after
  /// the driver's call.
  _Atomic(uint64_t) position;

  /// Guards `latest` and `clock`; held while an event is recorded.
  pthread_mutex_t lock;
  /// The event of the highest position that has one, or NULL. No reference: an
  /// event that no one refers to takes itself off.
  agpu__event *latest;
  atomic_bool is_unsettled; ///< `latest` is not recorded
  agpu__stream_clock clock;

  /// The number of the latest loan whose end is known to others.
  _Atomic(uint64_t) ended;
  uint64_t loan;                  ///< the pool's: number of the latest loan
  unsigned loans;                 ///< the pool's
  agpu__op_name last;             ///< the pool's: of the loan given back last
  struct agpu__pool_stream *next; ///< the pool's: free streams
} agpu__pool_stream;

/// Reads the settings. INVALID_ARGUMENT names a malformed variable.
agpu_status agpu__stream_pool_init(void);

/// Lends a stream; `out_loan` is the number of this loan. Never blocks for one.
/// Any thread.
agpu_status agpu__stream_pool_acquire(const agpu__device *device,
                                      const char *location,
                                      agpu__pool_stream **out_stream,
                                      uint64_t *out_loan);

/// Lends `stream` to whoever goes on behind its loan number `loan`. False where
/// it has been lent to someone else since, or that loan has not ended. Any
/// thread.
bool agpu__stream_pool_take_over(agpu__pool_stream *stream, uint64_t loan,
                                 uint64_t *out_loan);

/// The stream whose handle is `handle`, or NULL where it is none of the pool's.
/// Any thread.
agpu__pool_stream *agpu__stream_pool_find(CUstream handle);

/// Gives a loan back; `last` is what it enqueued last, or NULL. Any thread.
void agpu__stream_pool_release(agpu__pool_stream *stream,
                               const agpu__op_name *last);

/// Waits until all streams are idle. A failure of the device that no object
/// was told of is reported as the process's unobserved error.
void agpu__stream_pool_drain(const agpu__device *device);

/// Destroys the streams. None is lent, no other thread is in the pool.
void agpu__stream_pool_reset(const agpu__device *device);

/// Loans now.
int64_t agpu__stream_pool_count_lent(void);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_POOL_H
