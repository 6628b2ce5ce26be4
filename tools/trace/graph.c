//===- graph.c - What a run had to wait for -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Activities and edges in arrays; once finished, the edges that lead to an
// activity are a list through them, and `order` is a topological one. All that
// is asked then is one pass over the order: an activity begins when the last of
// those before it has ended, and its delay later.
//
// Edges that would close a circle are left out. There is none in what really
// happened: a circle means that ids were mistaken, or that records are missing.
//
//===----------------------------------------------------------------------===//

#include "trace/graph.h"

#include "trace/array.h"
#include <assert.h>

#define NONE AGPU__GRAPH_NONE

typedef struct node {
  int64_t begin, end;
  int64_t delay; // of the begin, behind the last of what comes before
  uint32_t label;
  uint32_t first_in;  // edge
  uint32_t first_out; // edge
  uint32_t last;      // edge from what ended last; NONE: nothing comes before
  uint32_t open;      // edges in that have not been followed yet
  bool is_placed;     // in the order
  int64_t imagined_end;
} node;

typedef struct edge {
  uint32_t from, to;
  uint32_t next_in, next_out;
  agpu__graph_edge kind;
  bool is_left_out;
} edge;

const char *agpu__graph_edge_name(agpu__graph_edge kind) {
  static const char *const names[] = {
#define NAME(kind, name, delay) name,
      AGPU__GRAPH_EDGES(NAME)
#undef NAME
  };
  return names[kind];
}

const char *agpu__graph_edge_delay(agpu__graph_edge kind) {
  static const char *const delays[] = {
#define DELAY(kind, name, delay) delay,
      AGPU__GRAPH_EDGES(DELAY)
#undef DELAY
  };
  return delays[kind];
}

static node *node_at(const agpu__graph *graph, uint32_t at) {
  return (node *)graph->nodes.data + at;
}

static edge *edge_at(const agpu__graph *graph, uint32_t at) {
  return (edge *)graph->edges.data + at;
}

void agpu__graph_free(agpu__graph *graph) {
  agpu__trace_unmap(graph->order,
                    (graph->nodes.count + 1) * sizeof *graph->order);
  agpu__trace_array_free(&graph->nodes, sizeof(node));
  agpu__trace_array_free(&graph->edges, sizeof(edge));
  *graph = (agpu__graph){.order = NULL};
}

uint32_t agpu__graph_add(agpu__graph *graph, int64_t begin, int64_t end,
                         uint32_t label) {
  assert(!graph->order);
  node *added = graph->nodes.count < NONE
                    ? agpu__trace_array_add(&graph->nodes, sizeof(node))
                    : NULL;
  if (!added) {
    graph->is_incomplete = true;
    return NONE;
  }
  *added = (node){.begin = begin,
                  .end = end < begin ? begin : end,
                  .label = label,
                  .first_in = NONE,
                  .first_out = NONE,
                  .last = NONE};
  return (uint32_t)graph->nodes.count - 1;
}

void agpu__graph_connect(agpu__graph *graph, uint32_t from, uint32_t to,
                         agpu__graph_edge kind) {
  assert(!graph->order);
  if (from == NONE || to == NONE || from == to)
    return;
  edge *added = graph->edges.count < NONE
                    ? agpu__trace_array_add(&graph->edges, sizeof(edge))
                    : NULL;
  if (!added) {
    graph->is_incomplete = true;
    return;
  }
  node *source = node_at(graph, from), *target = node_at(graph, to);
  *added = (edge){.from = from,
                  .to = to,
                  .next_in = target->first_in,
                  .next_out = source->first_out,
                  .kind = kind};
  target->first_in = source->first_out = (uint32_t)graph->edges.count - 1;
  ++target->open;
}

size_t agpu__graph_count(const agpu__graph *graph) {
  return graph->nodes.count;
}

int64_t agpu__graph_begin(const agpu__graph *graph, uint32_t at) {
  return node_at(graph, at)->begin;
}

int64_t agpu__graph_end(const agpu__graph *graph, uint32_t at) {
  return node_at(graph, at)->end;
}

uint32_t agpu__graph_label(const agpu__graph *graph, uint32_t at) {
  return node_at(graph, at)->label;
}

/// Of all edges in, the one from what ended last.
static void find_last(agpu__graph *graph, node *at) {
  for (uint32_t i = at->first_in; i != NONE; i = edge_at(graph, i)->next_in) {
    const edge *in = edge_at(graph, i);
    if (in->is_left_out)
      continue;
    int64_t end = node_at(graph, in->from)->end;
    // Of several that ended at once, the first that was connected: it is the
    // last one of the list.
    if (at->last == NONE ||
        end >= node_at(graph, edge_at(graph, at->last)->from)->end)
      at->last = i;
  }
  if (at->last != NONE)
    at->delay = at->begin - node_at(graph, edge_at(graph, at->last)->from)->end;
}

/// The activity that began first of those that wait for each other.
static uint32_t find_stuck(const agpu__graph *graph) {
  uint32_t found = NONE;
  for (uint32_t i = 0; i < graph->nodes.count; ++i) {
    const node *at = node_at(graph, i);
    if (at->open && (found == NONE || at->begin < node_at(graph, found)->begin))
      found = i;
  }
  return found;
}

/// Leaves out what it waits for still.
static size_t free_stuck(agpu__graph *graph, uint32_t stuck) {
  size_t count = 0;
  for (uint32_t i = node_at(graph, stuck)->first_in; i != NONE;
       i = edge_at(graph, i)->next_in) {
    edge *in = edge_at(graph, i);
    bool is_open = !in->is_left_out && !node_at(graph, in->from)->is_placed;
    in->is_left_out |= is_open;
    count += is_open;
  }
  node_at(graph, stuck)->open = 0;
  return count;
}

bool agpu__graph_finish(agpu__graph *graph, size_t *out_left_out) {
  size_t count = graph->nodes.count, placed = 0;
  *out_left_out = 0;
  graph->order = agpu__trace_map((count + 1) * sizeof *graph->order);
  if (!graph->order)
    return false;
  for (uint32_t i = 0; i < count; ++i)
    if (!node_at(graph, i)->open)
      graph->order[placed++] = i;
  for (size_t followed = 0; followed < count; ++followed) {
    if (followed == placed) {
      uint32_t stuck = find_stuck(graph);
      *out_left_out += free_stuck(graph, stuck);
      graph->order[placed++] = stuck;
    }
    node *at = node_at(graph, graph->order[followed]);
    at->is_placed = true;
    find_last(graph, at);
    for (uint32_t i = at->first_out; i != NONE;
         i = edge_at(graph, i)->next_out) {
      const edge *out = edge_at(graph, i);
      if (!out->is_left_out && --node_at(graph, out->to)->open == 0)
        graph->order[placed++] = out->to;
    }
  }
  return true;
}

int64_t agpu__graph_span(agpu__graph *graph) {
  return agpu__graph_imagine(
      graph, (agpu__graph_without){.label = NONE, .delay = NONE});
}

/// When `at` begins, where what comes before has ended as imagined.
static int64_t imagine_begin(const agpu__graph *graph, const node *at,
                             int64_t first, agpu__graph_without without) {
  int64_t begin = INT64_MIN;
  for (uint32_t i = at->first_in; i != NONE; i = edge_at(graph, i)->next_in) {
    const edge *in = edge_at(graph, i);
    if (in->is_left_out ||
        (without.all_delays && in->kind == AGPU__GRAPH_WORKER))
      continue;
    int64_t end = node_at(graph, in->from)->imagined_end;
    begin = end > begin ? end : begin;
  }
  if (begin == INT64_MIN) // nothing comes before
    return without.all_delays ? first : at->begin;
  bool has_delay =
      !without.all_delays && without.delay != edge_at(graph, at->last)->kind;
  return has_delay ? begin + at->delay : begin;
}

int64_t agpu__graph_imagine(agpu__graph *graph, agpu__graph_without without) {
  assert(graph->order);
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (uint32_t i = 0; i < graph->nodes.count; ++i)
    if (node_at(graph, i)->begin < first)
      first = node_at(graph, i)->begin;
  for (size_t i = 0; i < graph->nodes.count; ++i) {
    node *at = node_at(graph, graph->order[i]);
    int64_t begin = imagine_begin(graph, at, first, without);
    bool takes_time = without.label == NONE || at->label != without.label;
    at->imagined_end = takes_time ? begin + (at->end - at->begin) : begin;
    last = at->imagined_end > last ? at->imagined_end : last;
  }
  return graph->nodes.count ? last - first : 0;
}

uint32_t agpu__graph_last(const agpu__graph *graph) {
  assert(graph->order);
  uint32_t last = NONE;
  for (size_t i = 0; i < graph->nodes.count; ++i) {
    uint32_t at = graph->order[i];
    if (last == NONE || node_at(graph, at)->end >= node_at(graph, last)->end)
      last = at;
  }
  return last;
}

uint32_t agpu__graph_before(const agpu__graph *graph, uint32_t of,
                            agpu__graph_edge *out_kind, int64_t *out_delay) {
  const node *at = node_at(graph, of);
  if (at->last == NONE)
    return NONE;
  const edge *in = edge_at(graph, at->last);
  *out_kind = in->kind;
  *out_delay = at->delay;
  return in->from;
}
