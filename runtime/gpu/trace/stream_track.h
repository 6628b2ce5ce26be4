//===- stream_track.h - What a stream did, as a track -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host says in what order it enqueues work, records of events and waits
// for them; when work ran becomes known later, in any order. A stream's items
// go into the trace in the order of the stream, with the times at which it got
// to them: a record when all before it was over, a wait from then until what it
// waits for was.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_STREAM_TRACK_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_STREAM_TRACK_H

#include "base/trace/kinds.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__stream_track agpu__stream_track;

/// Something on a stream.
typedef struct agpu__stream_item {
  agpu__trace_kind kind;  ///< RECORD and STREAM_WAIT; all others are work
  uint64_t id;            ///< the work's or the record's, not 0
  const char *name;       ///< lasts as texts of a trace do
  uint64_t second, third; ///< arguments; the first is how long it took
} agpu__stream_item;

/// The flow of a piece of work, or of a record.
static inline uint64_t agpu__traced_flow(uint64_t id, bool is_work) {
  return id << 1 | !is_work;
}

/// A track for stream `number` of `device`. It stays for good. Never NULL. Any
/// thread, as all below.
agpu__stream_track *agpu__stream_track_create(int device, unsigned number);

/// Its track (agpu__trace_track).
uint32_t agpu__stream_track_id(const agpu__stream_track *track);

/// Work is about to be enqueued; a record or a wait has been.
void agpu__stream_track_add(agpu__stream_track *track,
                            const agpu__stream_item *item);

/// The work was not: the call has failed.
void agpu__stream_track_cancel(uint64_t work);

/// No one will wait for the record any more: its event is recorded anew, or is
/// gone.
void agpu__stream_track_forget(uint64_t record);

/// The work of that number ran from `begin` to `end` (agpu__work_ran); both 0:
/// nobody knows when.
void agpu__stream_track_ran(uint64_t work, int64_t begin, int64_t end);

/// Nothing more will be known of the work of `device`: what waits for times
/// goes into the trace without.
void agpu__stream_track_flush(int device);

/// A trace is over: what has not got there does not get into the next one.
void agpu__stream_track_drop_all(void);

/// Pieces of work that went into the trace without times.
uint64_t agpu__stream_track_untimed(void);

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_STREAM_TRACK_H
