//===- regions.c - GPU ops of a region become asynchronous -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-regions`: applies the plan to the ops of the async and
// gpu dialects.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/async_ops.h"
#include "gpu/plan/effects.h"
#include "gpu/plan/host_waits.h"
#include "gpu/plan/plan.h"
#include "gpu/plan/plan_remarks.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/op_memory.h"
#include "lower/ir/payload.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// One GPU op
//===----------------------------------------------------------------------===//

static bool depends_on(MlirOperation op, MlirValue token) {
  for (intptr_t i = 0; i < agpu__async_dependency_count(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), token))
      return true;
  return false;
}

/// Rebuilds `op` so that it depends on `last` too (null: nothing) and gives a
/// token. Returns that token.
static MlirValue make_async(MlirOperation op, MlirValue last) {
  bool add = !mlirValueIsNull(last) && !depends_on(op, last);
  if (!add && !mlirValueIsNull(agpu__async_token_of(op)))
    return agpu__async_token_of(op);

  agpu__values operands = {0};
  if (add)
    agpu__values_push(&operands, last);
  agpu__values_push_operands(&operands, op, 0);
  MlirType results[2];
  intptr_t result_count = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < result_count; ++i)
    results[i] = mlirValueGetType(agpu__result(op, i));
  intptr_t new_count = result_count;
  if (mlirValueIsNull(agpu__async_token_of(op)))
    results[new_count++] =
        mlirGPUAsyncTokenTypeGet(mlirOperationGetContext(op));

  size_t attribute_count;
  MlirNamedAttribute *attributes =
      agpu__async_attributes(op, add ? 1 : 0, &attribute_count);
  MlirStringRef name = agpu__op_name(op);
  agpu__builder at = agpu__builder_before(op);
  agpu__op_spec spec = {.name = name.data,
                        .location = at.location,
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .results = results,
                        .result_count = (size_t)new_count,
                        .attributes = attributes,
                        .attribute_count = attribute_count};
  MlirOperation fresh = agpu__build(&at, &spec);
  for (intptr_t i = 0; i < result_count; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(op, i), agpu__result(fresh, i));
  mlirOperationDestroy(op);
  free(attributes);
  agpu__values_free(&operands);
  return agpu__async_token_of(fresh);
}

//===----------------------------------------------------------------------===//
// One body
//===----------------------------------------------------------------------===//

/// How far the plan of a body has been applied: the lists are in program order.
typedef struct cursor {
  const agpu__body *body;
  const agpu__effects *known;
  size_t gpu_ops, waits, spawns; ///< number that are done
} cursor;

/// True if `op` is the next in the list, which it then takes off.
static bool take(const agpu__ops *ops, size_t *done, MlirOperation op) {
  if (*done == ops->count || !mlirOperationEqual(ops->data[*done], op))
    return false;
  ++*done;
  return true;
}

static MlirValue build_wait(agpu__builder *at, MlirValue token, bool async) {
  MlirType type =
      async ? mlirGPUAsyncTokenTypeGet(at->context) : (MlirType){NULL};
  MlirOperation wait = agpu__build_op(
      at, "gpu.wait", &token, mlirValueIsNull(token) ? 0 : 1, type, NULL, 0);
  return async ? agpu__result(wait, 0) : (MlirValue){NULL};
}

/// Puts `token`, of the gpu dialect, in front of what an `async.execute`
/// depends on.
static void add_dependency(MlirOperation execute, MlirValue token) {
  agpu__builder at = agpu__builder_before(execute);
  token = agpu__build_cast(&at, token,
                           agpu__parse_type(at.context, "!async.token"));
  agpu__insert_operands(execute, 0, &token, 1, 0);
  MlirAttribute before = agpu__attr(execute, AGPU__WAITS_ATTR);
  if (mlirAttributeIsNull(before))
    return;
  intptr_t count = mlirArrayAttrGetNumElements(before);
  MlirAttribute *waits = agpu__allocate((size_t)count + 1, sizeof(*waits));
  waits[0] = agpu__string_attr(at.context, AGPU__WAIT_EVENT);
  for (intptr_t i = 0; i < count; ++i)
    waits[i + 1] = mlirArrayAttrGetElement(before, i);
  agpu__set_attr(execute, AGPU__WAITS_ATTR,
                 mlirArrayAttrGet(at.context, count + 1, waits));
  free(waits);
}

/// Chains the GPU ops of each block, and puts the waits of the plan between
/// them. The order from block to block is that of the region's stream; a token
/// (`last`) is passed on only as long as it follows all of the stream's work.
static void apply_block(cursor *at_plan, MlirBlock block) {
  MlirValue last = {NULL};
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (take(&at_plan->body->gpu_ops, &at_plan->gpu_ops, op)) {
      last = agpu__op_has(op, AGPU__OP_TOKENS) ? make_async(op, last)
                                               : (MlirValue){NULL};
      continue;
    }
    if (take(&at_plan->body->waits, &at_plan->waits, op)) {
      agpu__builder at = agpu__builder_before(op);
      if (mlirValueIsNull(last))
        last = build_wait(&at, last, true);
      build_wait(&at, last, false);
    }
    if (take(&at_plan->body->spawns, &at_plan->spawns, op)) {
      agpu__builder at = agpu__builder_before(op);
      if (mlirValueIsNull(last))
        last = build_wait(&at, last, true);
      add_dependency(op, last);
      continue;
    }
    if (agpu__is_body(op))
      continue;
    // The last token knows nothing of what is awaited or enqueued here.
    if (agpu__effect_of(op) == AGPU__EFFECT_AWAITS ||
        agpu__leaves_device_work(at_plan->known, op))
      last = (MlirValue){NULL};
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
      for (MlirBlock inner =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
           !mlirBlockIsNull(inner); inner = mlirBlockGetNextInRegion(inner))
        apply_block(at_plan, inner);
  }
}

static const char *get_wait(const agpu__dependency *on) {
  switch (on->kind) {
  case AGPU__DEPENDENCY_CONTINUE:
    return on->is_last ? AGPU__WAIT_LAST : AGPU__WAIT_STREAM;
  case AGPU__DEPENDENCY_IMPLIED: return AGPU__WAIT_NONE;
  default: return AGPU__WAIT_EVENT;
  }
}

/// Gives `op` these operands, all of its values among them.
static void set_operands(MlirOperation op, const agpu__values *operands) {
  MlirStringRef name = agpu__str("operandSegmentSizes");
  MlirAttribute before = mlirOperationGetAttributeByName(op, name);
  int32_t values = mlirDenseI32ArrayGetElement(before, 1);
  int32_t sizes[] = {(int32_t)operands->count - values, values};
  mlirOperationSetOperands(op, (intptr_t)operands->count, operands->data);
  mlirOperationSetAttributeByName(
      op, name, mlirDenseI32ArrayGet(mlirOperationGetContext(op), 2, sizes));
}

/// Takes the tokens off that other dependencies imply, and says how the stream
/// comes to wait for the rest.
static void apply_dependencies(const agpu__body *body) {
  MlirContext context = mlirOperationGetContext(body->op);
  agpu__values kept = {0};
  MlirAttribute *waits = agpu__allocate(body->dependency_count, sizeof(*waits));
  bool all_events = true;
  for (size_t i = 0; i < body->dependency_count; ++i) {
    const agpu__dependency *on = &body->dependencies[i];
    MlirValue operand = mlirOperationGetOperand(body->op, (intptr_t)i);
    if (on->kind == AGPU__DEPENDENCY_IMPLIED &&
        agpu__type_is_token(mlirValueGetType(operand)))
      continue;
    const char *wait = get_wait(on);
    all_events &= !strcmp(wait, AGPU__WAIT_EVENT);
    waits[kept.count] = agpu__string_attr(context, wait);
    agpu__values_push(&kept, operand);
  }
  MlirStringRef name = agpu__str(AGPU__WAITS_ATTR);
  if (all_events)
    mlirOperationRemoveDiscardableAttributeByName(body->op, name);
  else
    mlirOperationSetDiscardableAttributeByName(
        body->op, name, mlirArrayAttrGet(context, (intptr_t)kept.count, waits));
  if (kept.count < body->dependency_count)
    set_operands(body->op, &kept);
  free(waits);
  agpu__values_free(&kept);
}

static void apply(const agpu__plan *plan, const agpu__body *body) {
  if (agpu__op_is(body->op, "async.execute")) {
    agpu__set_attr(body->op, AGPU__KIND_ATTR,
                   agpu__string_attr(mlirOperationGetContext(body->op),
                                     agpu__body_kind_name(body->kind)));
    apply_dependencies(body);
  }
  if (!body->gpu_ops.count)
    return;
  cursor at_plan = {.body = body, .known = &plan->effects};
  for (MlirBlock block = agpu__entry_block(body->op); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    apply_block(&at_plan, block);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  agpu__plan plan;
  MlirLogicalResult result = agpu__plan_create(
      module, agpu__pass_value_bool(values, "reuse-streams"), &plan);
  if (mlirLogicalResultIsSuccess(result)) {
    if (agpu__pass_value_bool(values, "remarks") ||
        agpu__diagnostics_wants_remarks(mlirOperationGetContext(module)))
      agpu__plan_remark(&plan);
    agpu__plan_notify_created(&plan);
    // Inner bodies first: a body replaces the regions that it spawns.
    for (size_t i = plan.count; i-- > 0;)
      apply(&plan, &plan.bodies[i]);
  }
  agpu__plan_free(&plan);
  return result;
}

static const agpu_pass_option options[] = {
    {"reuse-streams", AGPU_OPTION_BOOL, "true",
     "Let a region that is the only successor of its only predecessor reuse "
     "its stream, without an event."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit what was decided about each region, its stream, its dependencies "
     "and its waits, as remarks."},
};

const agpu_pass agpu__pass_regions = {
    .argument = "async-gpu-regions",
    .summary = "Classify regions and make their GPU ops asynchronous",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
