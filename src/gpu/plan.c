//===- plan.c - What is decided about regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/plan.h"

#include "gpu/device_choice.h"
#include "gpu/effects.h"
#include "gpu/local_memory.h"

#include <stdlib.h>
#include <string.h>

bool agpu__is_body(MlirOperation op) {
  return agpu__op_is(op, "async.execute") || agpu__op_is(op, "async.func") ||
         agpu__op_is(op, "func.func");
}

MlirOperation agpu__body_of(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(parent) && !agpu__is_body(parent))
    parent = mlirOperationGetParentOperation(parent);
  return parent;
}

const char *agpu__body_kind_name(agpu__body_kind kind) {
  static const char *const names[] = {"host", "device", "mixed"};
  return names[kind];
}

//===----------------------------------------------------------------------===//
// Where the host must wait
//===----------------------------------------------------------------------===//
//
// A body is dirty where device work that it enqueued or waits for may not have
// completed. An op that observes, met while dirty, needs a wait, after which
// the body is clean. Loops and branches are followed to a fixed point.
//
// What comes out of an op, a block or a region is one of: dirty, clean, or as
// it went in. It is worked out once for both ways in; then the waits are
// recorded with what really goes in.

typedef struct flow {
  bool if_clean, if_dirty; ///< what comes out when clean, when dirty goes in
} flow;

static const flow unchanged = {false, true};

static bool flow_out(flow of, bool dirty) {
  return dirty ? of.if_dirty : of.if_clean;
}

static flow flow_of_region(MlirRegion region);

/// True if a region of `op` can end dirty although it began clean.
static bool regions_make_dirty(MlirOperation op) {
  bool dirty = false;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    dirty |= flow_of_region(mlirOperationGetRegion(op, i)).if_clean;
  return dirty;
}

static bool waits_before(MlirOperation op) {
  agpu__effect effect = agpu__effect_of(op);
  // A function's caller sees results, a region's token speaks for them.
  return effect == AGPU__EFFECT_OBSERVES || agpu__op_is(op, "func.return");
}

static flow flow_of_op(MlirOperation op) {
  agpu__effect effect = agpu__effect_of(op);
  if (effect == AGPU__EFFECT_ENQUEUES || effect == AGPU__EFFECT_AWAITS)
    return (flow){true, true};
  flow of = unchanged;
  if (waits_before(op))
    of.if_dirty = false;
  if (effect == AGPU__EFFECT_NONE || agpu__is_body(op))
    return of; // a region that is spawned has a flow of its own
  // Regions run any number of times, none included.
  bool made = regions_make_dirty(op);
  return (flow){of.if_clean | made, of.if_dirty | made};
}

static flow flow_of_block(MlirBlock block) {
  flow all = unchanged;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    flow of = flow_of_op(op);
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

static flow_graph graph_of(MlirRegion region) {
  flow_graph graph = {0};
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    ++graph.count;
  graph.blocks = calloc(graph.count + 1, sizeof(*graph.blocks));
  graph.flows = calloc(graph.count + 1, sizeof(*graph.flows));
  graph.in = calloc(graph.count + 1, sizeof(*graph.in));
  if (!graph.blocks || !graph.flows || !graph.in)
    abort();
  size_t n = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block), ++n) {
    graph.blocks[n] = block;
    graph.flows[n] = flow_of_block(block);
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

static flow flow_of_region(MlirRegion region) {
  flow_graph graph = graph_of(region);
  flow all = unchanged;
  if (graph.count)
    all = (flow){graph_flow(&graph, false), graph_flow(&graph, true)};
  graph_free(&graph);
  return all;
}

/// Records the waits in a region that `dirty` goes into.
static void record_waits(agpu__body *body, MlirRegion region, bool dirty) {
  flow_graph graph = graph_of(region);
  if (graph.count)
    graph_flow(&graph, dirty);
  for (size_t b = 0; b < graph.count; ++b) {
    bool state = graph.in[b];
    for (MlirOperation op = mlirBlockGetFirstOperation(graph.blocks[b]);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
      bool waits = waits_before(op);
      if (waits && state)
        agpu__ops_push(&body->waits, op);
      if (state && agpu__effect_of(op) == AGPU__EFFECT_SPAWNS)
        agpu__ops_push(&body->spawns, op);
      intptr_t regions = agpu__is_body(op) ? 0 : mlirOperationGetNumRegions(op);
      // Any region may run behind any other, and again (loops).
      bool in = regions && ((state && !waits) || regions_make_dirty(op));
      for (intptr_t i = 0; i < regions; ++i)
        record_waits(body, mlirOperationGetRegion(op, i), in);
      state = flow_out(flow_of_op(op), state);
    }
  }
  graph_free(&graph);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static int compare_ops(const void *a, const void *b) {
  uintptr_t left = (uintptr_t)((const agpu__body *const *)a)[0]->op.ptr;
  uintptr_t right = (uintptr_t)((const agpu__body *const *)b)[0]->op.ptr;
  return (left > right) - (left < right);
}

/// The plan's bodies in the order of their ops' addresses. The caller frees
/// the array.
static agpu__body **sort_bodies(agpu__plan *plan) {
  agpu__body **sorted = calloc(plan->count + 1, sizeof(*sorted));
  if (!sorted)
    abort();
  for (size_t i = 0; i < plan->count; ++i)
    sorted[i] = &plan->bodies[i];
  qsort(sorted, plan->count, sizeof(*sorted), compare_ops);
  return sorted;
}

/// The body whose op is `op`; NULL: there is none.
static agpu__body *find_body(const agpu__plan *plan, agpu__body *const *sorted,
                             MlirOperation op) {
  agpu__body key = {.op = op}, *wanted = &key;
  agpu__body *const *found =
      bsearch(&wanted, sorted, plan->count, sizeof(*sorted), compare_ops);
  return found ? *found : NULL;
}

/// True if `op` stands in a gpu.module or a gpu.launch: kernels are not host
/// code.
static bool in_kernel(MlirOperation op) {
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op))
    if (agpu__op_is(op, "gpu.module") || agpu__op_is(op, "gpu.launch"))
      return true;
  return false;
}

/// True if `op` stands in a module inside `module`.
static bool in_nested_module(MlirOperation op, MlirOperation module) {
  for (; !mlirOperationEqual(op, module);
       op = mlirOperationGetParentOperation(op))
    if (agpu__op_is(op, "builtin.module"))
      return true;
  return false;
}

static void add_dependencies(agpu__plan *plan, agpu__body *const *sorted,
                             agpu__body *body) {
  if (!agpu__op_is(body->op, "async.execute"))
    return;
  intptr_t count = mlirOperationGetNumOperands(body->op);
  body->dependencies = calloc((size_t)count + 1, sizeof(size_t));
  if (!body->dependencies)
    abort();
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue operand = mlirOperationGetOperand(body->op, i);
    if (!mlirValueIsAOpResult(operand))
      continue;
    agpu__body *from = find_body(plan, sorted, mlirOpResultGetOwner(operand));
    size_t number = from ? (size_t)(from - plan->bodies) : 0;
    bool known = !from;
    for (size_t k = 0; k < body->dependency_count; ++k)
      known |= body->dependencies[k] == number;
    if (!known)
      body->dependencies[body->dependency_count++] = number;
  }
}

/// Device: nothing in the body but GPU ops, awaits and ops without effect.
static agpu__body_kind classify(const agpu__body *body) {
  if (!body->gpu_ops.count)
    return AGPU__BODY_HOST;
  agpu__ops all = {0};
  agpu__collect(body->op, NULL, &all);
  agpu__body_kind kind = AGPU__BODY_DEVICE;
  for (size_t i = 0; i < all.count; ++i)
    switch (agpu__effect_of(all.data[i])) {
    case AGPU__EFFECT_OBSERVES:
    case AGPU__EFFECT_SPAWNS: kind = AGPU__BODY_MIXED; break;
    case AGPU__EFFECT_ENQUEUES:
    case AGPU__EFFECT_AWAITS:
    case AGPU__EFFECT_NONE:
    case AGPU__EFFECT_STRUCTURE: break;
    }
  agpu__ops_free(&all);
  return kind;
}

/// Ops at the top level that stand for kernels.
static bool holds_kernels(MlirOperation op) {
  return agpu__op_is(op, "gpu.module") || agpu__op_is(op, "gpu.binary");
}

/// What to do about an op that host code cannot have.
static const char *advice(MlirOperation op) {
  static const char *const sparse[] = {"gpu.create_", "gpu.destroy_", "gpu.sp",
                                       "gpu.sddmm", "gpu.set_csr_"};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  for (size_t i = 0; i < sizeof(sparse) / sizeof(*sparse); ++i)
    if (name.length >= strlen(sparse[i]) &&
        !memcmp(name.data, sparse[i], strlen(sparse[i])))
      return "call a library for sparse matrices, with "
             "async_gpu.enqueue";
  return "it belongs in a kernel";
}

/// Puts a GPU op into its body's list; `body` is NULL where it stands in none.
static MlirLogicalResult add_gpu_op(MlirOperation module, agpu__body *body,
                                    MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  MlirLocation location = mlirOperationGetLocation(op);
  if (agpu__op_is(op, "gpu.launch"))
    return agpu__error(location,
                       "gpu.launch must be outlined to a kernel first: "
                       "run --gpu-kernel-outlining before this pass");
  if (!agpu__is_gpu_op(op))
    return agpu__error(location, "%.*s is not supported in host code: %s",
                       (int)name.length, name.data, advice(op));
  if (!body || in_nested_module(op, module))
    return agpu__error(location,
                       "%.*s must stand in a func.func, an async.func or "
                       "an async.execute region of the program's own module",
                       (int)name.length, name.data);
  if (agpu__is_enqueue_call(op) && mlirOperationGetNumResults(op))
    return agpu__error(location,
                       "a call with " AGPU__ENQUEUE_ATTR
                       " has no results: the work that it enqueues is not done "
                       "when it returns");
  agpu__ops_push(&body->gpu_ops, op);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__plan_create(MlirOperation module,
                                    agpu__plan *out_plan) {
  memset(out_plan, 0, sizeof(*out_plan));
  agpu__mark_effects(module, &out_plan->marked);
  MlirLogicalResult result = agpu__check_devices(module);
  agpu__ops all = {0};
  agpu__collect(module, NULL, &all);
  out_plan->bodies = calloc(all.count + 1, sizeof(*out_plan->bodies));
  if (!out_plan->bodies)
    abort();
  for (size_t i = 0; i < all.count; ++i)
    if (agpu__is_body(all.data[i]) && !in_kernel(all.data[i]))
      out_plan->bodies[out_plan->count++] =
          (agpu__body){.op = all.data[i], .stream = -1};
  agpu__body **sorted = sort_bodies(out_plan);
  for (size_t i = 0; i < all.count; ++i) {
    MlirOperation op = all.data[i];
    bool is_gpu = agpu__op_in_dialect(op, "gpu") && !holds_kernels(op);
    if ((!is_gpu && !agpu__is_enqueue_call(op)) || in_kernel(op))
      continue;
    agpu__body *body = find_body(out_plan, sorted, agpu__body_of(op));
    if (mlirLogicalResultIsFailure(add_gpu_op(module, body, op)))
      result = mlirLogicalResultFailure();
  }
  agpu__ops_free(&all);

  int streams = 0;
  for (size_t i = 0; i < out_plan->count; ++i) {
    agpu__body *body = &out_plan->bodies[i];
    add_dependencies(out_plan, sorted, body);
    body->kind = classify(body);
    if (!body->gpu_ops.count)
      continue;
    body->stream = streams++;
    bool dirty =
        agpu__op_is(body->op, "async.execute") &&
        (mlirOperationGetNumOperands(body->op) > 0 || body->spawned_behind);
    record_waits(body, mlirOperationGetRegion(body->op, 0), dirty);
    // Inner bodies come behind outer ones.
    for (size_t k = 0; k < body->spawns.count; ++k)
      find_body(out_plan, sorted, body->spawns.data[k])->spawned_behind = true;
  }
  free(sorted);
  return result;
}

void agpu__plan_free(agpu__plan *plan) {
  for (size_t i = 0; i < plan->count; ++i) {
    free(plan->bodies[i].dependencies);
    agpu__ops_free(&plan->bodies[i].gpu_ops);
    agpu__ops_free(&plan->bodies[i].waits);
    agpu__ops_free(&plan->bodies[i].spawns);
  }
  agpu__unmark_effects(&plan->marked);
  agpu__ops_free(&plan->marked);
  free(plan->bodies);
  memset(plan, 0, sizeof(*plan));
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static void remark(FILE *out, MlirOperation op, const char *text) {
  char *where = agpu__location_text(mlirOperationGetLocation(op));
  fprintf(out, "%s: remark: %s\n", *where ? where : "<unknown>", text);
  free(where);
}

void agpu__plan_print(const agpu__plan *plan, FILE *out) {
  for (size_t i = 0; i < plan->count; ++i) {
    const agpu__body *body = &plan->bodies[i];
    if (body->stream < 0 && !agpu__op_is(body->op, "async.execute"))
      continue;
    char *text = body->stream < 0
                     ? agpu__format("region %zu: host", i)
                     : agpu__format("region %zu: %s, stream %d, %zu GPU ops", i,
                                    agpu__body_kind_name(body->kind),
                                    body->stream, body->gpu_ops.count);
    remark(out, body->op, text);
    free(text);
    for (size_t k = 0; k < body->dependency_count; ++k) {
      const agpu__body *from = &plan->bodies[body->dependencies[k]];
      text = agpu__format("region %zu depends on region %zu: %s", i,
                          body->dependencies[k],
                          body->stream < 0   ? "the host waits"
                          : from->stream < 0 ? "enqueued when the host is done"
                                             : "event");
      remark(out, body->op, text);
      free(text);
    }
    for (size_t k = 0; k < body->spawns.count; ++k) {
      text = agpu__format("async.execute depends on the work of region %zu "
                          "so far, which does not wait here",
                          i);
      remark(out, body->spawns.data[k], text);
      free(text);
    }
    for (size_t k = 0; k < body->waits.count; ++k) {
      MlirStringRef name =
          mlirIdentifierStr(mlirOperationGetName(body->waits.data[k]));
      text = agpu__format("%.*s may observe device results: region %zu waits "
                          "for its stream here",
                          (int)name.length, name.data, i);
      remark(out, body->waits.data[k], text);
      free(text);
    }
  }
}
