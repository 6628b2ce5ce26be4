//===- regions.c - The plan, applied -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-regions`: makes the plan and applies it. A body with GPU
// ops acquires a stream, on which its GPU ops, what it depends on and the waits
// of the host are. Nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"
#include "lower/dialect/dialect.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

typedef struct application {
  const agpu__plan *plan;
  /// Of each body: a token of what its spawner had on its stream by then; null:
  /// nothing.
  MlirValue *records;
} application;

static MlirValue *record_of(const application *self, MlirOperation body) {
  return &self->records[agpu__map_get(&self->plan->numbers, body.ptr)];
}

//===----------------------------------------------------------------------===//
// What a body depends on
//===----------------------------------------------------------------------===//

/// How the stream comes to wait; NULL: by an event.
static const char *get_wait(const agpu__dependency *on) {
  switch (on->kind) {
  case AGPU__DEPENDENCY_CONTINUE:
    return on->is_last ? AGPU__WAIT_LAST : AGPU__WAIT_STREAM;
  case AGPU__DEPENDENCY_IMPLIED: return AGPU__WAIT_NONE;
  default: return NULL;
  }
}

/// A token that another operand implies says nothing.
static bool is_left_out(const agpu__body *body, size_t operand) {
  MlirValue value = mlirOperationGetOperand(body->op, (intptr_t)operand);
  return body->dependencies[operand].kind == AGPU__DEPENDENCY_IMPLIED &&
         agpu__type_is_token(mlirValueGetType(value));
}

/// Gives `region` these dependencies, the last `values` of which are values.
static void set_operands(MlirOperation region, const agpu__values *operands,
                         int32_t values) {
  int32_t sizes[] = {(int32_t)operands->count - values, values};
  mlirOperationSetOperands(region, (intptr_t)operands->count, operands->data);
  agpu__set_attr(
      region, "operandSegmentSizes",
      mlirDenseI32ArrayGet(mlirOperationGetContext(region), 2, sizes));
}

/// A region of the host keeps its operands, with what it is spawned behind.
static void depend_on_host(const application *self, const agpu__body *body) {
  AGPU__SCOPED(values) kept = {0};
  MlirValue record = *record_of(self, body->op);
  if (!mlirValueIsNull(record))
    agpu__values_push(&kept, record);
  for (size_t i = 0; i < body->dependency_count; ++i)
    if (!is_left_out(body, i))
      agpu__values_push(&kept, mlirOperationGetOperand(body->op, (intptr_t)i));
  set_operands(body->op, &kept,
               (int32_t)mlirBlockGetNumArguments(agpu__entry_block(body->op)));
}

/// The stream waits for `object`. Returns the payload of a value.
static MlirOperation build_wait(agpu__builder *at, MlirValue stream,
                                MlirValue object, const char *how) {
  MlirValue operands[] = {stream, object};
  MlirOperation wait = agpu__build_op(
      at, "agpu.stream_wait", operands, 2,
      agpu__async_value_payload(mlirValueGetType(object)), NULL, 0);
  if (how)
    agpu__set_attr(wait, AGPU__HOW_ATTR, agpu__string_attr(at->context, how));
  return wait;
}

/// The stream of a region waits for what were its operands.
static void depend_on_stream(const application *self, const agpu__body *body,
                             agpu__builder *at, MlirValue stream) {
  MlirBlock block = agpu__entry_block(body->op);
  MlirValue record = *record_of(self, body->op);
  if (!mlirValueIsNull(record))
    build_wait(at, stream, record, NULL);
  for (size_t i = 0; i < body->dependency_count; ++i) {
    if (is_left_out(body, i))
      continue;
    MlirOperation wait =
        build_wait(at, stream, mlirOperationGetOperand(body->op, (intptr_t)i),
                   get_wait(&body->dependencies[i]));
    if (!mlirOperationGetNumResults(wait))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, 0),
                                  agpu__result(wait, 0));
    mlirBlockEraseArgument(block, 0);
  }
  set_operands(body->op, &(agpu__values){0}, 0);
}

//===----------------------------------------------------------------------===//
// What happens in a body
//===----------------------------------------------------------------------===//

/// Each region that the body spawns gets a token of the work so far; those that
/// are behind the same work share one.
static void record_spawns(const application *self, const agpu__body *body,
                          MlirValue stream) {
  for (size_t i = 0; i < body->spawns.count; ++i) {
    MlirOperation spawn = body->spawns.data[i];
    if (mlirOperationEqual(spawn, body->records.data[i])) {
      agpu__builder at = agpu__builder_before(spawn);
      *record_of(self, spawn) = agpu__build_record(&at, stream);
    } else {
      *record_of(self, spawn) = *record_of(self, body->records.data[i]);
    }
  }
}

/// `async.await`: the stream waits, and the host goes on.
static void await_on_stream(MlirOperation await, MlirValue stream) {
  agpu__builder at = agpu__builder_before(await);
  MlirOperation wait =
      build_wait(&at, stream, mlirOperationGetOperand(await, 0), NULL);
  agpu__replace_op_by(await, wait);
}

/// The host waits for the stream before `op`.
static void synchronize(MlirOperation op, MlirValue stream) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue token = agpu__build_record(&at, stream);
  agpu__build_effect(&at, "async.await", &token, 1);
}

static void set_priority(MlirOperation body, MlirValue stream) {
  int32_t priority = agpu__priority_of(body);
  if (priority)
    agpu__set_attr(mlirOpResultGetOwner(stream), AGPU__PRIORITY_ATTR,
                   agpu__i32_attr(mlirOperationGetContext(body), priority));
}

/// An async function releases its stream as the last thing it does:
/// async-gpu-coroutines sees to that.
static void apply_on_stream(const application *self, const agpu__body *body) {
  agpu__builder at = agpu__builder_at_start(agpu__entry_block(body->op),
                                            mlirOperationGetLocation(body->op));
  MlirValue stream = agpu__build_value(&at, "agpu.stream_acquire", NULL, 0,
                                       agpu__stream_type(at.context));
  set_priority(body->op, stream);
  if (agpu__op_is(body->op, "async.execute"))
    depend_on_stream(self, body, &at, stream);
  record_spawns(self, body, stream);
  for (size_t i = 0; i < body->awaits.count; ++i)
    await_on_stream(body->awaits.data[i], stream);
  for (size_t i = 0; i < body->waits.count; ++i)
    synchronize(body->waits.data[i], stream);
  for (size_t i = 0; i < body->returns.count; ++i) {
    at = agpu__builder_before(body->returns.data[i]);
    agpu__build_effect(&at, "agpu.stream_release", &stream, 1);
  }
  agpu__put_on_stream(body, stream);
}

/// What the passes that follow, and the program, know the body by.
static void name_body(const agpu__body *body) {
  MlirContext context = mlirOperationGetContext(body->op);
  agpu__set_attr(body->op, AGPU__REGION_ATTR,
                 agpu__i64_attr(context, (int64_t)body->number));
  if (body->stream >= 0)
    agpu__set_attr(body->op, AGPU__STREAM_ATTR,
                   agpu__i64_attr(context, body->stream));
  if (agpu__op_is(body->op, "async.execute"))
    agpu__set_attr(
        body->op, AGPU__KIND_ATTR,
        agpu__string_attr(context, agpu__body_kind_name(body->kind)));
}

static void apply(const application *self, const agpu__body *body) {
  bool is_region = agpu__op_is(body->op, "async.execute");
  if (body->is_shown)
    name_body(body);
  if (body->gpu_ops.count)
    apply_on_stream(self, body);
  else if (is_region)
    depend_on_host(self, body);
}

/// Outer bodies first: their streams are what inner ones are spawned behind.
static void apply_plan(const agpu__plan *plan) {
  application self = {plan, agpu__allocate(plan->count, sizeof(*self.records))};
  for (size_t i = 0; i < plan->count; ++i)
    apply(&self, &plan->bodies[i]);
  free(self.records);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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
    apply_plan(&plan);
    agpu__unify_token_types(module);
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
    .summary = "Put regions on streams, with all waits",
    AGPU__OPTIONS(options),
    .run_with = run,
};
