//===- loan.h - A stream on loan, from inside ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What agpu_stream is to the files that enqueue work on it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_CALLS_LOAN_H
#define ASYNC_GPU_RUNTIME_GPU_CALLS_LOAN_H

#include "async_gpu/stream.h"
#include "gpu/stream/event.h"

/// Waits that a loan without a stream keeps for later, at most.
#define AGPU__LOAN_WAITS 8

struct agpu_stream {
  const agpu__device *device; ///< NULL where no device answers
  /// NULL until something is enqueued: a region that has not got that far, or
  /// never does, needs none.
  agpu__pool_stream *stream;
  int priority;    ///< of the stream that it gets
  uint64_t number; ///< of this loan of `stream`
  /// What the stream has to wait for once there is one, a reference each.
  agpu__event *waits[AGPU__LOAN_WAITS];
  unsigned wait_count;
  agpu__event *end; ///< the loan's end as told, one reference, or NULL
  /// The first error, one reference. Nothing is enqueued after it.
  agpu_status error;
  /// An object has got the error, which answers for it from then on.
  bool error_is_handed_on;
  agpu__op_name last; ///< enqueued by this loan
};

/// Before a driver call: makes the context current. False where the loan is in
/// error, and the call must not be made.
bool agpu__loan_enter(agpu_stream *loan);

/// Of agpu__loan_begin: the same where there is more to do than to enter the
/// device.
bool agpu__loan_begin_slowly(agpu_stream *loan);

/// The same before a call that enqueues `op`: the loan has a stream then, which
/// waits for what the loan has waited for.
static inline bool agpu__loan_begin(agpu_stream *loan,
                                    const agpu__op_name *op) {
  if (loan->stream && !loan->error && !loan->end &&
      !agpu__event_is_unsettled(loan->stream))
    agpu__device_enter_inline(loan->device);
  else if (!agpu__loan_begin_slowly(loan))
    return false;
  agpu__driver_set_origin(op);
  return true;
}

/// Word by word: `op` is in registers, not in memory.
static inline void agpu__loan_name_last(agpu_stream *loan,
                                        const agpu__op_name *op) {
  loan->last.what = op->what;
  loan->last.kernel = op->kernel;
  loan->last.location = op->location;
  loan->last.is_silent = op->is_silent;
}

/// After a driver call that enqueued `op`: counts it.
static inline void agpu__loan_enqueued(agpu_stream *loan,
                                       const agpu__op_name *op) {
  agpu__loan_name_last(loan, op);
  // Release, with the acquire in agpu__event_record: an event recorded at a
  // position follows everything that the position counts.
  atomic_fetch_add_explicit(&loan->stream->position, 1, memory_order_release);
}

/// Puts the loan, which is not in error, into error with `status` (taken
/// over).
void agpu__loan_fail(agpu_stream *loan, agpu_status status);

/// The same with INVALID_ARGUMENT and a message in printf form.
void agpu__loan_reject(agpu_stream *loan, const char *location,
                       const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/// The same for a status that may know no location: it gets `location` then.
void agpu__loan_fail_at(agpu_stream *loan, agpu_status status,
                        const char *location);

/// An event at the loan's present end (one reference), or NULL, and the loan
/// is in error.
agpu__event *agpu__loan_record(agpu_stream *loan);

/// The same with what a call of the driver for `op` has come to, which is an
/// error.
void agpu__loan_fail_call(agpu_stream *loan, CUresult result,
                          const agpu__op_name *op, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

#endif // ASYNC_GPU_RUNTIME_GPU_CALLS_LOAN_H
