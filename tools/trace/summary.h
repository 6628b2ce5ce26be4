//===- summary.h - What a profile says ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The figures of a profile, whatever they are shown as. All times are in
// nanoseconds. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_SUMMARY_H
#define ASYNC_GPU_TOOLS_TRACE_SUMMARY_H

#include "trace/graph.h"
#include "trace/timeline.h"

/// What slices of one label come to.
typedef struct agpu__summary_row {
  uint32_t label;
  uint64_t count; ///< slices; of a region: how often it was spawned
  int64_t total;  ///< of a region: how long it ran itself
  int64_t least, most;
  uint64_t bytes;
  int64_t late; ///< of requests: how long the other side was later
} agpu__summary_row;

/// A part of the critical path: what is of one label, or delays of one kind.
typedef struct agpu__summary_part {
  bool is_delay;
  uint32_t what;  ///< label, or agpu__graph_edge
  uint64_t count; ///< of pieces that follow each other
  int64_t time;
  bool has_gain;
  int64_t gain; ///< the run would be shorter by that if all of it took no time
} agpu__summary_part;

/// A step of it, in the order of time: steps of one label are one.
typedef struct agpu__summary_step {
  bool is_delay;
  uint32_t what;
  int64_t begin, time;
} agpu__summary_step;

/// What a rank did, of a run of several.
typedef struct agpu__summary_rank {
  int32_t rank;
  int64_t host;     ///< regions and the program ran, on all threads
  int64_t critical; ///< of the critical path: what it did, messages among it
  int64_t late;     ///< others were that much later than its requests
} agpu__summary_rank;

typedef struct agpu__summary {
  int64_t begin, span; ///< of the run
  /// The longest chain of work, if nothing had to wait for anything else: the
  /// run could not have been shorter.
  int64_t work;
  size_t threads, streams;    ///< that did something
  agpu__trace_array rows;     ///< agpu__summary_row, the longest first
  agpu__trace_array parts;    ///< agpu__summary_part, the longest first
  agpu__trace_array steps;    ///< agpu__summary_step
  agpu__trace_array ranks;    ///< agpu__summary_rank; of one process: none
  agpu__trace_array critical; ///< a bool for each slice, by its number
  /// While a stream of any device did something, and of that: while the host
  /// did, while another stream did, and while one of the two did.
  int64_t busy, beside_host, beside_stream, beside_any;
  size_t left_out;    ///< edges of the graph
  bool is_incomplete; ///< memory was out
} agpu__summary;

/// Of a run, whose slices are sorted anew. agpu__summary_free gives the memory
/// back.
void agpu__summary_make(agpu__summary *summary, agpu__timeline *run);
void agpu__summary_free(agpu__summary *summary);

#endif // ASYNC_GPU_TOOLS_TRACE_SUMMARY_H
