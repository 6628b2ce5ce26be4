//===- graph.h - What a run had to wait for -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run as a graph: activities, which are pieces of regions, kernels, copies
// and fills with the times at which they began and ended, and which of them
// could not begin before which others had ended. Between the end of the last
// one that an activity depends on and its own begin there is a delay, for which
// the edge to that last one is a name: a worker that had to wake, a kernel that
// had to be launched.
//
// With the delays as they were, the graph says when everything would have
// happened if some of it had taken no time; with all as it was, it gives the
// times of the run.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_GRAPH_H
#define ASYNC_GPU_TOOLS_TRACE_GRAPH_H

#include "trace/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// X(kind, name in files, what the delay behind such an edge is called). There
/// are no edges START: it is what comes before a path.
#define AGPU__GRAPH_EDGES(X)                                                   \
  X(PROGRAM, "program", "between two steps of the host")                       \
  X(SPAWN, "spawn", "spawned, and not begun")                                  \
  X(WORKER, "worker", "a worker is free, and has not taken it up")             \
  X(AWAIT, "await", "what is awaited is there, and the waiter not awake")      \
  X(COMPLETION, "completion", "work of the device is over, and not told of")   \
  X(LAUNCH, "launch", "enqueued, and not begun by the device")                 \
  X(STREAM, "stream", "between two pieces of work of a stream")                \
  X(EVENT, "event", "between streams, at an event")                            \
  X(MESSAGE, "message", "a message is there or gone, and not told of")         \
  X(START, "start", "before what nothing is known to have caused")

typedef enum agpu__graph_edge {
#define AGPU__NAME_EDGE(kind, name, delay) AGPU__GRAPH_##kind,
  AGPU__GRAPH_EDGES(AGPU__NAME_EDGE)
#undef AGPU__NAME_EDGE
      AGPU__GRAPH_EDGE_KINDS
} agpu__graph_edge;

const char *agpu__graph_edge_name(agpu__graph_edge kind);
const char *agpu__graph_edge_delay(agpu__graph_edge kind);

/// All zero: an empty one, of one thread. Where memory is out, activities and
/// edges are left out. Signal-safe.
typedef struct agpu__graph {
  agpu__trace_array nodes, edges;
  uint32_t *order; ///< NULL: not finished
  bool is_incomplete;
} agpu__graph;

/// No node, no label, no kind of edge.
#define AGPU__GRAPH_NONE UINT32_MAX

/// Gives its memory back; it is empty then.
void agpu__graph_free(agpu__graph *graph);

/// Adds an activity from `begin` to `end`, in nanoseconds of one clock, and
/// returns its number: they count from 0. AGPU__GRAPH_NONE where memory is out.
/// `label` is the caller's: activities of one label are looked at together.
uint32_t agpu__graph_add(agpu__graph *graph, int64_t begin, int64_t end,
                         uint32_t label);

/// `to` could not begin before `from` had ended. Nothing if one of them is
/// AGPU__GRAPH_NONE, or they are the same.
void agpu__graph_connect(agpu__graph *graph, uint32_t from, uint32_t to,
                         agpu__graph_edge kind);

size_t agpu__graph_count(const agpu__graph *graph);
int64_t agpu__graph_begin(const agpu__graph *graph, uint32_t node);
int64_t agpu__graph_end(const agpu__graph *graph, uint32_t node);
uint32_t agpu__graph_label(const agpu__graph *graph, uint32_t node);

/// Once all is added, before what follows: puts the activities into an order
/// in which edges lead forward. `*out_left_out` is how many edges had to be
/// left out for that: 0, unless the times or the edges are wrong. False: memory
/// is out.
bool agpu__graph_finish(agpu__graph *graph, size_t *out_left_out);

/// From the first begin to the last end.
int64_t agpu__graph_span(agpu__graph *graph);

/// What takes no time, of a run that is imagined.
typedef struct agpu__graph_without {
  uint32_t label; ///< activities of this one; AGPU__GRAPH_NONE: of none
  uint32_t delay; ///< delays behind such an edge; AGPU__GRAPH_NONE: of none
  /// All delays, and there are workers enough: what is left is the work itself.
  bool all_delays;
} agpu__graph_without;

/// The span of the run with that left out; what nothing comes before begins
/// when it did, and at once where all delays are left out.
int64_t agpu__graph_imagine(agpu__graph *graph, agpu__graph_without without);

// The critical path, backwards: what ended last, and each time what ended last
// of all that it had to wait for.

/// AGPU__GRAPH_NONE: there is nothing.
uint32_t agpu__graph_last(const agpu__graph *graph);

/// Before `node`; AGPU__GRAPH_NONE: nothing, else the edge between the two is
/// of that kind, and `node` began that many nanoseconds behind it.
uint32_t agpu__graph_before(const agpu__graph *graph, uint32_t node,
                            agpu__graph_edge *out_kind, int64_t *out_delay);

#endif // ASYNC_GPU_TOOLS_TRACE_GRAPH_H
