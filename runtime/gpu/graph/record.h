//===- record.h - A device that records ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a part of a program is to become a graph, its regions borrow streams of
// a device that looks like the one they would use, and whose driver does not
// enqueue work, but collects it: its streams are lanes, on which work has an
// order; its events are the driver's own, and told to it when the graph has
// been launched, if anyone refers to them by then. So whoever enqueues does not
// know the difference, and does nothing for it.
//
// What a graph cannot have ends the recording: what has been collected is
// enqueued one by one, and what follows goes to the same stream at once.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_RECORD_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_RECORD_H

#include "gpu/graph/build.h"
#include "gpu/graph/nodes.h"
#include "gpu/stream/event.h"

typedef struct agpu__lane agpu__lane;
typedef struct agpu__note agpu__note;
typedef struct agpu__asked agpu__asked;
typedef struct agpu__kept_block agpu__kept_block;

typedef struct agpu__recorder {
  agpu__device device; // first: what loans are given
  agpu__driver driver; ///< the device's
  agpu__work_ops ops;  ///< its events'
  const agpu__device *base;
  agpu__node_list list;    ///< of the round that is going on, and the last one
  agpu__built_graph built; ///< of the list
  agpu__param_layout *layouts;
  LIST_ENTRY(agpu__recorder) link; ///< site.c's
  LIST_ENTRY(agpu__recorder) open; ///< of those in a round
  LIST_HEAD(, agpu__lane) lanes;
  uint64_t trimmed_at;    ///< site.c's: launches by then
  agpu__kept_block *kept; ///< kept.c's: memory
  size_t kept_count, kept_capacity;
  agpu__pool_stream *kept_on; ///< work that uses it is there

  // Of a loop, of which a graph has several rounds.
  uint64_t most;          ///< rounds that a graph may have; 0: it is no loop
  bool is_fixed;          ///< all do the same
  uint64_t rounds;        ///< that a graph has
  uint64_t all, last_all; ///< since it began; when it ran the last time

  // gpu/calls/graph.c's: whose round it is; the stream's loan by number.
  const void *part;
  struct agpu_stream *loan;
  agpu__pool_stream *last_stream;
  uint64_t number;

  // Of the round that is going on: its thread's.
  uint64_t round;
  unsigned depth;            ///< rounds inside of it
  agpu__pool_stream *stream; ///< of `base`: where the graph will be
  size_t nodes;              ///< the most that it has had
  uint64_t collected;        ///< whole rounds in the list
  /// Rounds have been seen to do the same, and do nothing any more: how many of
  /// these have still to be launched.
  bool is_seen;
  uint64_t skipped;
  const char *why;  ///< what ended the recording; NULL: nothing has
  CUresult refusal; ///< what the driver said, where that is why
  agpu_status error;
  uint32_t *scratch; ///< dependencies of the next node
  size_t scratch_capacity;
  /// Who asks for completions now does not wait for them in this round: they
  /// are asked for at its end.
  bool asks_later;
  bool is_asking; ///< what that enqueues is no part of the round
  agpu__asked *asked;
  size_t asked_count, asked_capacity;
  /// The lock is for those who ask of events.
  agpu__lock lock;
  agpu__note *notes AGPU__GUARDED_BY(lock);
  size_t note_count AGPU__GUARDED_BY(lock);
  size_t note_capacity AGPU__GUARDED_BY(lock);
  uint32_t *noted AGPU__GUARDED_BY(lock); ///< nodes that events depend on
  size_t noted_count AGPU__GUARDED_BY(lock);
  size_t noted_capacity AGPU__GUARDED_BY(lock);
} agpu__recorder;

/// One for `base`, which has all that graphs need; of a loop, `most` rounds a
/// graph, which all do the same where it `is_fixed`, or else 0.
agpu__recorder *agpu__recorder_create(const agpu__device *base, uint64_t most,
                                      bool is_fixed);

/// Of the work that uses memory of rounds (kept.h).
typedef enum agpu__kept_work {
  AGPU__KEPT_DONE,    ///< there is none any more
  AGPU__KEPT_PENDING, ///< there may be
  AGPU__KEPT_AWAITED, ///< likewise, and it is waited for
} agpu__kept_work;

/// Gives all back. No object refers to its events (agpu__recorder_is_in_use),
/// or none ever will any more. Enters the device.
void agpu__recorder_destroy(agpu__recorder *recorder, agpu__kept_work work);
bool agpu__recorder_is_in_use(const agpu__recorder *recorder);

/// The driver's objects alone; no other thread may call it any more.
void agpu__recorder_abandon(agpu__recorder *recorder);

/// A round begins on the calling thread, whose graph will depend on all that
/// `stream` holds now and later, until it ends. The status is what went wrong
/// in it, or NULL; `out_nodes` how much work it had.
void agpu__recorder_begin(agpu__recorder *recorder, agpu__pool_stream *stream);
agpu_status agpu__recorder_end(agpu__recorder *recorder, size_t *out_nodes);

/// Of a loop, whose first round has begun with the above: the next one begins.
/// False: it is to do nothing.
bool agpu__recorder_next(agpu__recorder *recorder);

/// Of the calling thread's round: what has been collected is enqueued at once,
/// and memory that is free after it goes back to the driver. False, and
/// nothing done, where there is none.
bool agpu__recorder_release_memory(agpu__recorder *recorder);

/// Rounds that did nothing are launched, all of them.
void agpu__recorder_catch_up(agpu__recorder *recorder);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_RECORD_H
