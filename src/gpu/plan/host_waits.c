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

#include "gpu/plan/host_waits.h"

#include "gpu/plan/effects.h"
#include "lower/ir/op_memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct flow {
  bool if_clean, if_dirty; ///< what comes out when clean, when dirty goes in
} flow;

static const flow unchanged = {false, true};

static bool flow_out(flow of, bool dirty) {
  return dirty ? of.if_dirty : of.if_clean;
}

static flow flow_of_region(const agpu__effects *known, MlirRegion region);

bool agpu__leaves_device_work(const agpu__effects *known, MlirOperation op) {
  bool dirty = false;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    dirty |= flow_of_region(known, mlirOperationGetRegion(op, i)).if_clean;
  return dirty;
}

typedef struct observer_search {
  const agpu__effects *known;
  bool found;
} observer_search;

/// Stops at the first op that observes; other bodies have waits of their own.
static MlirWalkResult find_observer(MlirOperation op, void *data) {
  observer_search *search = data;
  if (agpu__is_body(op))
    return MlirWalkResultSkip;
  if (agpu__effect_in(search->known, op) != AGPU__EFFECT_OBSERVES)
    return MlirWalkResultAdvance;
  search->found = true;
  return MlirWalkResultInterrupt;
}

/// True if the host waits before `op` where it comes to it dirty.
static bool waits_before(const agpu__effects *known, MlirOperation op) {
  // A function's caller sees results, a region's token speaks for them.
  if (agpu__effect_in(known, op) == AGPU__EFFECT_OBSERVES ||
      agpu__op_is(op, "func.return"))
    return true;
  // One wait in front of a loop that never gets dirty does for all its rounds.
  observer_search search = {known, false};
  if (agpu__op_has(op, AGPU__OP_LOOP) && !agpu__leaves_device_work(known, op))
    mlirOperationWalk(op, find_observer, &search, MlirWalkPreOrder);
  return search.found;
}

static flow flow_of_op(const agpu__effects *known, MlirOperation op) {
  agpu__effect effect = agpu__effect_in(known, op);
  if (effect == AGPU__EFFECT_ENQUEUES || effect == AGPU__EFFECT_AWAITS)
    return (flow){true, true};
  flow of = unchanged;
  if (waits_before(known, op))
    of.if_dirty = false;
  if (effect == AGPU__EFFECT_NONE || agpu__is_body(op))
    return of; // a region that is spawned has a flow of its own
  // Regions run any number of times, none included.
  bool made = agpu__leaves_device_work(known, op);
  return (flow){of.if_clean | made, of.if_dirty | made};
}

static flow flow_of_block(const agpu__effects *known, MlirBlock block) {
  flow all = unchanged;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    flow of = flow_of_op(known, op);
    all = (flow){flow_out(of, all.if_clean), flow_out(of, all.if_dirty)};
  }
  return all;
}

/// The blocks of a region and how dirt goes through them.
typedef struct flow_graph {
  MlirBlock *blocks;
  flow *flows;
  bool *in; ///< what goes into each block
  size_t count;
} flow_graph;

static flow_graph graph_of(const agpu__effects *known, MlirRegion region) {
  flow_graph graph = {0};
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    ++graph.count;
  graph.blocks = agpu__allocate(graph.count, sizeof(*graph.blocks));
  graph.flows = agpu__allocate(graph.count, sizeof(*graph.flows));
  graph.in = agpu__allocate(graph.count, sizeof(*graph.in));
  size_t n = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block), ++n) {
    graph.blocks[n] = block;
    graph.flows[n] = flow_of_block(known, block);
  }
  return graph;
}

static void graph_free(flow_graph *graph) {
  free(graph->blocks);
  free(graph->flows);
  free(graph->in);
}

static void mark_dirty(flow_graph *graph, MlirBlock block, bool *changed) {
  for (size_t i = 0; i < graph->count; ++i)
    if (mlirBlockEqual(graph->blocks[i], block) && !graph->in[i])
      graph->in[i] = *changed = true;
}

/// Fills in what goes into each block when `dirty` goes into the first. The
/// result is whether any way out of the region is dirty.
static bool graph_flow(flow_graph *graph, bool dirty) {
  memset(graph->in, 0, graph->count * sizeof(*graph->in));
  graph->in[0] = dirty;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < graph->count; ++b) {
      if (!flow_out(graph->flows[b], graph->in[b]))
        continue;
      MlirBlock block = graph->blocks[b];
      for (intptr_t s = 0; s < mlirBlockGetNumSuccessors(block); ++s)
        mark_dirty(graph, mlirBlockGetSuccessor(block, s), &changed);
    }
  }
  bool any = false;
  for (size_t b = 0; b < graph->count; ++b)
    if (mlirBlockGetNumSuccessors(graph->blocks[b]) == 0)
      any |= flow_out(graph->flows[b], graph->in[b]);
  return any;
}

static flow flow_of_region(const agpu__effects *known, MlirRegion region) {
  flow_graph graph = graph_of(known, region);
  flow all = unchanged;
  if (graph.count)
    all = (flow){graph_flow(&graph, false), graph_flow(&graph, true)};
  graph_free(&graph);
  return all;
}

/// Records the waits in a region that `dirty` goes into.
static void record_waits(const agpu__effects *known, agpu__body *body,
                         MlirRegion region, bool dirty) {
  flow_graph graph = graph_of(known, region);
  if (graph.count)
    graph_flow(&graph, dirty);
  for (size_t b = 0; b < graph.count; ++b) {
    bool state = graph.in[b];
    for (MlirOperation op = mlirBlockGetFirstOperation(graph.blocks[b]);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
      bool waits = waits_before(known, op);
      if (waits && state)
        agpu__ops_push(&body->waits, op);
      if (state && agpu__effect_in(known, op) == AGPU__EFFECT_SPAWNS)
        agpu__ops_push(&body->spawns, op);
      intptr_t regions = agpu__is_body(op) ? 0 : mlirOperationGetNumRegions(op);
      // Any region may run after any other, and again (loops).
      bool in =
          regions && ((state && !waits) || agpu__leaves_device_work(known, op));
      for (intptr_t i = 0; i < regions; ++i)
        record_waits(known, body, mlirOperationGetRegion(op, i), in);
      state = flow_out(flow_of_op(known, op), state);
    }
  }
  graph_free(&graph);
}

void agpu__plan_host_waits(const agpu__effects *known, agpu__body *body,
                           bool dirty) {
  record_waits(known, body, mlirOperationGetRegion(body->op, 0), dirty);
}
