//===- plan.c - What is decided about regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/plan.h"

#include "gpu/effects.h"

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

static bool flow_region(agpu__body *body, MlirRegion region, bool dirty,
                        bool record);

/// The state behind `op`, when it was `dirty` before; records waits if asked.
static bool flow_op(agpu__body *body, MlirOperation op, bool dirty,
                    bool record) {
  switch (agpu__effect_of(op)) {
  case AGPU__EFFECT_ENQUEUES:
  case AGPU__EFFECT_AWAITS:
    return true;
  case AGPU__EFFECT_NONE:
    return dirty;
  case AGPU__EFFECT_STRUCTURE: {
    // A function's caller sees results, a region's token speaks for them.
    if (agpu__op_is(op, "func.return"))
      break;
    bool after = dirty;
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
      MlirRegion region = mlirOperationGetRegion(op, i);
      // Any region may run again behind any other (loops).
      bool in = dirty;
      for (intptr_t j = 0; j < mlirOperationGetNumRegions(op); ++j)
        in |= flow_region(body, mlirOperationGetRegion(op, j), in, false);
      after |= flow_region(body, region, in, record);
    }
    return after;
  }
  case AGPU__EFFECT_OBSERVES:
    break;
  }
  if (dirty && record)
    agpu__ops_push(&body->waits, op);
  return false;
}

static bool flow_block(agpu__body *body, MlirBlock block, bool dirty,
                       bool record) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    dirty = flow_op(body, op, dirty, record);
  return dirty;
}

/// Follows the blocks of a region; the result is whether any way out is dirty.
static bool flow_region(agpu__body *body, MlirRegion region, bool dirty,
                        bool record) {
  size_t count = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    ++count;
  if (count == 0)
    return dirty;
  if (count == 1)
    return flow_block(body, mlirRegionGetFirstBlock(region), dirty, record);

  MlirBlock *blocks = calloc(count, sizeof(*blocks));
  bool *in = calloc(count, sizeof(*in));
  bool *out = calloc(count, sizeof(*out));
  if (!blocks || !in || !out)
    abort();
  size_t n = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    blocks[n++] = block;
  in[0] = dirty;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < count; ++b) {
      bool now = flow_block(body, blocks[b], in[b], false);
      changed |= now != out[b];
      out[b] = now;
      for (intptr_t s = 0; now && s < mlirBlockGetNumSuccessors(blocks[b]); ++s)
        for (size_t t = 0; t < count; ++t)
          if (mlirBlockEqual(blocks[t], mlirBlockGetSuccessor(blocks[b], s)) &&
              !in[t])
            in[t] = changed = true;
    }
  }
  bool any = false;
  for (size_t b = 0; b < count; ++b) {
    if (record)
      flow_block(body, blocks[b], in[b], true);
    if (mlirBlockGetNumSuccessors(blocks[b]) == 0)
      any |= out[b];
  }
  free(blocks);
  free(in);
  free(out);
  return any;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static agpu__body *find_body(agpu__plan *plan, MlirOperation op) {
  for (size_t i = 0; i < plan->count; ++i)
    if (mlirOperationEqual(plan->bodies[i].op, op))
      return &plan->bodies[i];
  return NULL;
}

/// True if `op` stands in a gpu.module: kernels are not host code.
static bool in_kernel(MlirOperation op) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (agpu__op_is(op, "gpu.module"))
      return true;
  return false;
}

static void add_dependencies(agpu__plan *plan, agpu__body *body) {
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
    agpu__body *from = find_body(plan, mlirOpResultGetOwner(operand));
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
    if (agpu__effect_of(all.data[i]) == AGPU__EFFECT_OBSERVES)
      kind = AGPU__BODY_MIXED;
  agpu__ops_free(&all);
  return kind;
}

MlirLogicalResult agpu__plan_create(MlirOperation module,
                                    agpu__plan *out_plan) {
  memset(out_plan, 0, sizeof(*out_plan));
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops all = {0};
  agpu__collect(module, NULL, &all);
  out_plan->bodies = calloc(all.count + 1, sizeof(*out_plan->bodies));
  if (!out_plan->bodies)
    abort();
  for (size_t i = 0; i < all.count; ++i) {
    MlirOperation op = all.data[i];
    if (in_kernel(op))
      continue;
    if (agpu__is_body(op)) {
      out_plan->bodies[out_plan->count++] =
          (agpu__body){.op = op, .stream = -1};
    } else if (agpu__op_in_dialect(op, "gpu") &&
               !agpu__op_is(op, "gpu.module")) {
      agpu__body *body = find_body(out_plan, agpu__body_of(op));
      MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
      if (agpu__op_is(op, "gpu.launch"))
        result = agpu__error(mlirOperationGetLocation(op),
                             "gpu.launch must be outlined to a kernel first: "
                             "run --gpu-kernel-outlining before this pass");
      else if (!agpu__is_gpu_op(op))
        result = agpu__error(mlirOperationGetLocation(op),
                             "%.*s is not supported in host code",
                             (int)name.length, name.data);
      else if (!body)
        result = agpu__error(mlirOperationGetLocation(op),
                             "%.*s must stand in a func.func, an async.func or "
                             "an async.execute region",
                             (int)name.length, name.data);
      else
        agpu__ops_push(&body->gpu_ops, op);
    }
  }
  agpu__ops_free(&all);

  int streams = 0;
  for (size_t i = 0; i < out_plan->count; ++i) {
    agpu__body *body = &out_plan->bodies[i];
    add_dependencies(out_plan, body);
    body->kind = classify(body);
    if (!body->gpu_ops.count)
      continue;
    body->stream = streams++;
    bool dirty = agpu__op_is(body->op, "async.execute") &&
                 mlirOperationGetNumOperands(body->op) > 0;
    flow_region(body, mlirOperationGetRegion(body->op, 0), dirty, true);
  }
  return result;
}

void agpu__plan_free(agpu__plan *plan) {
  for (size_t i = 0; i < plan->count; ++i) {
    free(plan->bodies[i].dependencies);
    agpu__ops_free(&plan->bodies[i].gpu_ops);
    agpu__ops_free(&plan->bodies[i].waits);
  }
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
    char *text =
        body->stream < 0
            ? agpu__format("region %zu: host", i)
            : agpu__format("region %zu: %s, stream %d, %zu GPU ops", i,
                           agpu__body_kind_name(body->kind), body->stream,
                           body->gpu_ops.count);
    remark(out, body->op, text);
    free(text);
    for (size_t k = 0; k < body->dependency_count; ++k) {
      const agpu__body *from = &plan->bodies[body->dependencies[k]];
      text = agpu__format(
          "region %zu depends on region %zu: %s", i, body->dependencies[k],
          body->stream < 0   ? "the host waits"
          : from->stream < 0 ? "enqueued when the host is done"
                             : "event");
      remark(out, body->op, text);
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
