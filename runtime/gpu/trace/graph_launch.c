//===- graph_launch.c - Launches of graphs, recorded ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes that may run at the same time are in lanes: a chain of nodes is on a
// track of its own, after what its nodes depend on.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "gpu/trace/node_events.h"

/// Chains that have tracks of their own; others share these.
#define MOST_LANES 32u

/// Where a node is in the trace.
typedef struct place {
  unsigned lane;
  bool is_awaited; ///< on another lane
  uint64_t record; ///< of its end, if it is
} place;

/// Puts each node where one ends that it depends on, or else on a new lane;
/// returns how many there are.
static unsigned choose_lanes(const agpu__traced_node *nodes, size_t count,
                             place *out) {
  unsigned lanes = 0;
  size_t ends[MOST_LANES]; // the last node on each
  for (size_t i = 0; i < count; i += 1 + nodes[i].inside) {
    const agpu__traced_node *node = &nodes[i];
    unsigned lane = MOST_LANES;
    for (size_t k = 0; k < node->count && lane == MOST_LANES; ++k) {
      size_t before = node->dependencies[k];
      if (ends[out[before].lane] == before)
        lane = out[before].lane;
    }
    if (lane == MOST_LANES)
      lane = lanes < MOST_LANES ? lanes++ : (unsigned)(i % MOST_LANES);
    for (size_t k = 0; k <= node->inside; ++k)
      out[i + k] = (place){.lane = lane};
    ends[lane] = i;
    for (size_t k = 0; k < node->count; ++k) {
      place *before = &out[node->dependencies[k]];
      before->is_awaited |= before->lane != lane;
    }
  }
  return lanes;
}

static void add_wait(agpu__stream_track *track, uint64_t record) {
  agpu__stream_track_add(
      track,
      &(agpu__stream_item){.kind = AGPU__TRACE_STREAM_WAIT, .id = record});
}

/// A node, with what is inside of it or as one piece of work.
static void add_node(agpu__stream_track *track, const agpu__traced_node *nodes,
                     uint64_t work, bool is_whole) {
  agpu__traced_node node = nodes[0];
  if (is_whole && node.item.kind == AGPU__TRACE_CONDITIONAL)
    node.item.kind = AGPU__TRACE_KERNEL;
  if (is_whole)
    node.inside = 0;
  agpu__stream_track_add_node(track, is_whole ? &node : nodes, work);
}

/// The nodes, numbered from `first` on, on tracks of the stream.
static void add_nodes(const agpu__traced_node *nodes, size_t count,
                      place *places, CUstream stream, uint64_t first,
                      bool are_whole) {
  agpu__stream_track *tracks[MOST_LANES];
  bool is_open[MOST_LANES] = {true};
  unsigned lanes = choose_lanes(nodes, count, places);
  for (unsigned i = 0; i < lanes; ++i)
    tracks[i] = agpu__traced_lane(stream, i);
  uint64_t begin = lanes > 1 ? agpu__traced_add_record(tracks[0]) : 0;
  for (size_t i = 0; i < count; i += 1 + nodes[i].inside) {
    unsigned lane = places[i].lane;
    if (!is_open[lane])
      add_wait(tracks[lane], begin);
    is_open[lane] = true;
    for (size_t k = 0; k < nodes[i].count; ++k) {
      const place *before = &places[nodes[i].dependencies[k]];
      if (before->lane != lane)
        add_wait(tracks[lane], before->record);
    }
    add_node(tracks[lane], &nodes[i], first + i, are_whole);
    if (places[i].is_awaited)
      places[i].record = agpu__traced_add_record(tracks[lane]);
  }
  for (unsigned i = 1; i < lanes; ++i) {
    uint64_t end = agpu__traced_add_record(tracks[i]);
    add_wait(tracks[0], end);
    agpu__stream_track_forget(end);
  }
  for (size_t i = 0; i < count; ++i)
    if (places[i].is_awaited)
      agpu__stream_track_forget(places[i].record);
  if (begin)
    agpu__stream_track_forget(begin);
}

bool agpu__traced_shows_graphs(void) {
  return agpu__traced.inner && agpu__trace_on();
}

CUresult agpu__traced_launch_graph(const agpu__driver *driver, CUgraphExec exec,
                                   CUstream stream,
                                   const agpu__traced_node *nodes, size_t count,
                                   agpu__node_events *events) {
  bool is_loop = count > 1 && nodes[0].inside == count - 1;
  const agpu__traced_node whole = {
      .item = {.kind = AGPU__TRACE_KERNEL,
               .name = is_loop ? nodes[0].item.name : "graph"}};
  const agpu__work_clock *clock = agpu__traced_clock();
  int device = agpu__traced_device();
  if (!clock || !(clock->tells_nodes || events)) {
    nodes = &whole;
    count = 1;
  }
  uint64_t first = agpu__traced_take_works(count);
  place *places = agpu__memory_alloc((int64_t)((count + 1) * sizeof *places),
                                     _Alignof(place), "a trace");
  add_nodes(nodes, count, places, stream, first, events);
  int64_t begin = agpu__clock_now_ns();
  void *token = clock ? clock->before(first, device, stream) : NULL;
  if (events)
    agpu__node_events_describe(events, nodes);
  if (events && token)
    clock->take_nodes(token, events);
  CUresult result = driver->cuGraphLaunch(exec, stream);
  if (clock)
    clock->after(token, device, stream, !result);
  int64_t length = agpu__clock_now_ns() - begin;
  if (events && !token) { // the first is in the trace by now
    for (size_t i = 1 + nodes[0].inside; i < count; i += 1 + nodes[i].inside)
      agpu__stream_track_ran(first + i, 0, 0, 0);
    agpu__node_events_free(events);
  }
  for (size_t i = 0, end; i < count && !result; i = end) {
    for (end = i + 1; end < count && nodes[end].region == nodes[i].region;)
      ++end;
    agpu__traced_tell_region(nodes[i].region, first + i, end - i, begin);
  }
  for (size_t i = 0; i < count; i += events ? 1 + nodes[i].inside : 1) {
    if (result) {
      agpu__stream_track_cancel(first + i);
      continue;
    }
    if (!clock)
      agpu__stream_track_ran(first + i, 0, 0, 0);
    // The others take no time, and stand before what they enqueue.
    agpu__trace_record_at(
        AGPU__TRACE_OWN_TRACK, begin, AGPU__TRACE_ENQUEUE, first + i,
        agpu__traced_flow(first + i, true), nodes[i].item.name,
        i ? 0 : (uint64_t)length, (uint64_t)(uintptr_t)nodes[i].location,
        agpu__stream_track_id(agpu__traced_lane(stream, places[i].lane)));
  }
  agpu__memory_free(places);
  return result;
}
