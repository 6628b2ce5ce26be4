//===- host_waits.c - Where the host waits for the device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is dirty where device work that it enqueued or waits for may not have
// completed. An op that observes, met while dirty, needs a wait, after which
// the body is clean. Loops and branches are followed to a fixed point.
//
// What comes out of an op, a block or a region is one of: dirty, clean, or as
// it went in. It is worked out once for both ways in; then the waits are
// recorded with what really goes in.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include <stdlib.h>

typedef struct flow {
  bool if_clean, if_dirty; ///< what comes out when clean, when dirty goes in
} flow;

static const flow unchanged = {false, true};

static bool flow_out(flow of, bool dirty) {
  return dirty ? of.if_dirty : of.if_clean;
}

/// What holds of the code in an op: a set of these.
enum {
  LEAVES_WORK = 1u, ///< device work may be left when clean goes in
  OBSERVES = 2u,    ///< an op in it observes
};

typedef struct analysis {
  const agpu__effects *known;
  agpu__body *body;
  agpu__map inside; ///< of each op with code in it that has been looked at
} analysis;

static unsigned look_inside(analysis *self, MlirOperation op);

/// What is in `op`; other bodies have waits of their own.
static unsigned inside(analysis *self, MlirOperation op) {
  if (!mlirOperationGetNumRegions(op) || agpu__is_body(op))
    return 0;
  size_t found = agpu__map_get(&self->inside, op.ptr);
  if (found == AGPU__MAP_NONE) {
    found = look_inside(self, op);
    agpu__map_set(&self->inside, op.ptr, found);
  }
  return (unsigned)found;
}

/// True if the host waits before `op` where it comes to it dirty.
static bool waits_before(analysis *self, MlirOperation op) {
  // A function's caller sees results, a region's token speaks for them.
  if (agpu__effect_in(self->known, op) == AGPU__EFFECT_OBSERVES ||
      agpu__op_is(op, "func.return"))
    return true;
  // One wait in front of a loop that never gets dirty does for all its rounds.
  return agpu__op_has(op, AGPU__OP_LOOP) && inside(self, op) == OBSERVES;
}

static flow flow_of_op(analysis *self, MlirOperation op) {
  agpu__effect effect = agpu__effect_in(self->known, op);
  if (effect == AGPU__EFFECT_ENQUEUES || effect == AGPU__EFFECT_AWAITS)
    return (flow){true, true};
  // Regions run any number of times, none included.
  bool leaves =
      effect != AGPU__EFFECT_NONE && (inside(self, op) & LEAVES_WORK) != 0;
  return (flow){leaves, leaves || !waits_before(self, op)};
}

static flow flow_of_block(analysis *self, MlirBlock block) {
  flow all = unchanged;
  AGPU__OPS_FOREACH (op, block) {
    flow of = flow_of_op(self, op);
    all = (flow){flow_out(of, all.if_clean), flow_out(of, all.if_dirty)};
  }
  return all;
}

/// The blocks of a region and how dirt goes through them.
typedef struct flow_graph {
  MlirBlock *blocks;
  flow *flows;
  bool *in;          ///< what goes into each block
  size_t *work;      ///< blocks whose successors get dirty
  agpu__map numbers; ///< of blocks
  size_t count;
} flow_graph;

static flow_graph graph_of(analysis *self, MlirRegion region) {
  flow_graph graph = {0};
  AGPU__BLOCKS_FOREACH (block, region)
    agpu__map_set(&graph.numbers, block.ptr, graph.count++);
  graph.blocks = agpu__allocate(graph.count, sizeof(*graph.blocks));
  graph.flows = agpu__allocate(graph.count, sizeof(*graph.flows));
  graph.in = agpu__allocate(graph.count, sizeof(*graph.in));
  graph.work = agpu__allocate(graph.count, sizeof(*graph.work));
  size_t n = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block), ++n) {
    graph.blocks[n] = block;
    graph.flows[n] = flow_of_block(self, block);
  }
  return graph;
}

static void graph_free(flow_graph *graph) {
  free(graph->blocks);
  free(graph->flows);
  free(graph->in);
  free(graph->work);
  agpu__map_free(&graph->numbers);
}

/// Fills in what goes into each block when `dirty` goes into the first. The
/// result is whether any way out of the region is dirty.
static bool graph_flow(flow_graph *graph, bool dirty) {
  memset(graph->in, 0, graph->count * sizeof(*graph->in));
  graph->in[0] = dirty;
  size_t count = 0;
  for (size_t b = 0; b < graph->count; ++b)
    if (flow_out(graph->flows[b], graph->in[b]))
      graph->work[count++] = b;
  bool any = false;
  while (count) {
    MlirBlock block = graph->blocks[graph->work[--count]];
    any |= mlirBlockGetNumSuccessors(block) == 0;
    for (intptr_t s = 0; s < mlirBlockGetNumSuccessors(block); ++s) {
      size_t next =
          agpu__map_get(&graph->numbers, mlirBlockGetSuccessor(block, s).ptr);
      // What is dirty when clean goes in has been in the list from the start.
      if (!graph->in[next] && !graph->flows[next].if_clean &&
          graph->flows[next].if_dirty)
        graph->work[count++] = next;
      graph->in[next] = true;
    }
  }
  return any;
}

static flow flow_of_region(analysis *self, MlirRegion region) {
  flow_graph graph = graph_of(self, region);
  flow all = unchanged;
  if (graph.count)
    all = (flow){graph_flow(&graph, false), graph_flow(&graph, true)};
  graph_free(&graph);
  return all;
}

static unsigned look_inside(analysis *self, MlirOperation op) {
  unsigned found = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirRegion region = mlirOperationGetRegion(op, i);
    if (flow_of_region(self, region).if_clean)
      found |= LEAVES_WORK;
    AGPU__BLOCKS_FOREACH (block, region)
      AGPU__OPS_FOREACH (inner, block)
        if (agpu__effect_in(self->known, inner) == AGPU__EFFECT_OBSERVES)
          found |= OBSERVES;
        else
          found |= inside(self, inner) & OBSERVES;
  }
  return found;
}

/// Records the waits in a region that `dirty` goes into.
static void record_waits(analysis *self, MlirRegion region, bool dirty) {
  flow_graph graph = graph_of(self, region);
  if (graph.count)
    graph_flow(&graph, dirty);
  for (size_t b = 0; b < graph.count; ++b) {
    bool state = graph.in[b];
    MlirOperation recorded = {NULL}; // what a record there is still true of
    AGPU__OPS_FOREACH (op, graph.blocks[b]) {
      bool waits = waits_before(self, op);
      if (waits && state)
        agpu__ops_push(&self->body->waits, op);
      if (state && agpu__effect_in(self->known, op) == AGPU__EFFECT_SPAWNS) {
        if (mlirOperationIsNull(recorded))
          recorded = op;
        agpu__ops_push(&self->body->spawns, op);
        agpu__ops_push(&self->body->records, recorded);
      }
      intptr_t regions = agpu__is_body(op) ? 0 : mlirOperationGetNumRegions(op);
      // Any region may run after any other, and again (loops).
      bool in = (state && !waits) || inside(self, op) & LEAVES_WORK;
      for (intptr_t i = 0; i < regions; ++i)
        record_waits(self, mlirOperationGetRegion(op, i), in);
      flow of = flow_of_op(self, op);
      if (of.if_clean)
        recorded = (MlirOperation){NULL};
      state = flow_out(of, state);
    }
  }
  graph_free(&graph);
}

void agpu__plan_host_waits(const agpu__effects *known, agpu__body *body,
                           bool dirty) {
  analysis self = {.known = known, .body = body};
  record_waits(&self, mlirOperationGetRegion(body->op, 0), dirty);
  agpu__map_free(&self.inside);
}
