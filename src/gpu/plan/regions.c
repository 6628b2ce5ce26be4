//===- regions.c - What is decided about regions, in the IR -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-regions`: says in the IR what the plan is. GPU ops stay
// as they are: all of a body are on one stream.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"
#include "gpu/plan/plan_remarks.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/payload.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>
#include <string.h>

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

/// A token of what the spawner has on its stream; of an earlier region it is
/// the first operand.
static MlirValue record_before(const agpu__body *body) {
  if (!mlirOperationEqual(body->recorded_before, body->op))
    return mlirOperationGetOperand(body->recorded_before, 0);
  agpu__builder at = agpu__builder_before(body->op);
  return agpu__build_value(&at, "agpu.record", NULL, 0,
                           agpu__parse_type(at.context, "!async.token"));
}

/// Leaves out tokens that are implied, adds one of the work that the region is
/// spawned behind, and says of the others how the stream waits.
static void apply_dependencies(const agpu__body *body) {
  MlirContext context = mlirOperationGetContext(body->op);
  agpu__values kept = {0};
  MlirAttribute *waits =
      agpu__allocate(body->dependency_count + 1, sizeof(*waits));
  bool all_events = true;
  if (!mlirOperationIsNull(body->recorded_before)) {
    waits[0] = agpu__string_attr(context, AGPU__WAIT_EVENT);
    agpu__values_push(&kept, record_before(body));
  }
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
  set_operands(body->op, &kept);
  free(waits);
  agpu__values_free(&kept);
}

/// A gpu.wait without `async` joins tokens; where the host waits is said by the
/// plan.
static void make_join(MlirOperation wait) {
  agpu__builder at = agpu__builder_before(wait);
  agpu__values tokens = agpu__operands(wait, 0);
  agpu__build_value(&at, "gpu.wait", tokens.data, tokens.count,
                    mlirGPUAsyncTokenTypeGet(at.context));
  mlirOperationDestroy(wait);
  agpu__values_free(&tokens);
}

static void apply(const agpu__body *body) {
  if (agpu__op_is(body->op, "async.execute")) {
    agpu__set_attr(body->op, AGPU__KIND_ATTR,
                   agpu__string_attr(mlirOperationGetContext(body->op),
                                     agpu__body_kind_name(body->kind)));
    apply_dependencies(body);
  }
  for (size_t i = 0; i < body->gpu_ops.count; ++i)
    if (agpu__op_is(body->gpu_ops.data[i], "gpu.wait") &&
        !mlirOperationGetNumResults(body->gpu_ops.data[i]))
      make_join(body->gpu_ops.data[i]);
  for (size_t i = 0; i < body->waits.count; ++i) {
    agpu__builder at = agpu__builder_before(body->waits.data[i]);
    agpu__build_effect(&at, "agpu.synchronize", NULL, 0);
  }
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
    for (size_t i = 0; i < plan.count; ++i)
      apply(&plan.bodies[i]);
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
    .summary = "Classify regions, and say where streams and the host wait",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
