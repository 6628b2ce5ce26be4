//===- stream_ops.c - GPU ops on a stream -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order on the stream takes the place of tokens. A token of another body is
// waited for; one that leaves the body, or that an op other than a GPU op uses,
// is recorded on the stream and becomes an object.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include "lower/dialect/dialect.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

/// A body that has its stream.
typedef struct target {
  MlirOperation body;
  MlirValue stream;
} target;

MlirValue agpu__build_arguments(agpu__builder *at, const agpu__values *values) {
  return agpu__build_value(at, "builtin.unrealized_conversion_cast",
                           values->data, values->count,
                           agpu__parse_type(at->context, "!agpu.arguments"));
}

void agpu__build_memcpy(agpu__builder *at, MlirValue stream, MlirValue to,
                        MlirValue from) {
  agpu__build_effect(at, "agpu.memcpy", (MlirValue[]){stream, to, from}, 3);
}

void agpu__build_dealloc(agpu__builder *at, MlirValue stream,
                         MlirValue memref) {
  agpu__build_effect(at, "agpu.dealloc", (MlirValue[]){stream, memref}, 2);
}

MlirValue agpu__build_record(agpu__builder *at, MlirValue stream) {
  return agpu__build_unary(at, "agpu.stream_record", stream,
                           agpu__token_type(at->context));
}

/// True for an op that goes on the stream of this body: not for a call, which
/// stays and may use tokens as any other op does.
static bool goes_on(const target *self, MlirOperation op) {
  return agpu__is_gpu_op(op) && !agpu__is_enqueue_call(op) &&
         mlirOperationEqual(agpu__body_of(op), self->body);
}

/// An op on the stream with the operands of `op` from `first` on.
static MlirOperation build_on_stream(const target *self, agpu__builder *at,
                                     const char *name, MlirOperation op,
                                     intptr_t first, MlirType result) {
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, self->stream);
  agpu__values_push_operands(&operands, op, first);
  return agpu__build_op(at, name, operands.data, operands.count, result, NULL,
                        0);
}

//===----------------------------------------------------------------------===//
// GPU ops
//===----------------------------------------------------------------------===//

/// Sizes may be of any integer type; the driver's are unsigned.
static MlirValue to_index(agpu__builder *at, MlirValue value) {
  if (mlirTypeIsAIndex(mlirValueGetType(value)))
    return value;
  return agpu__build_unary(at, "arith.index_castui", value,
                           agpu__index_type(at->context));
}

/// Appends three sizes, the operands from `*next` on, or ones where the launch
/// has none.
static void push_sizes(agpu__builder *at, MlirOperation op, bool has_sizes,
                       intptr_t *next, agpu__values *operands) {
  for (int i = 0; i < 3; ++i)
    agpu__values_push(
        operands,
        has_sizes ? to_index(at, mlirOperationGetOperand(op, (*next)++))
                  : agpu__build_constant(at, agpu__index_type(at->context), 1));
}

/// A launch in clusters or on a stream of the program's own, its asyncObject,
/// is agpu.launch_with; any other is agpu.launch.
static void lower_launch(const target *self, MlirOperation op,
                         intptr_t dependency_count) {
  agpu__builder at = agpu__builder_before(op);
  bool in_clusters = agpu__segment(op, AGPU__LAUNCH_CLUSTER) != 0;
  bool on_object = agpu__segment(op, AGPU__LAUNCH_OBJECT) != 0;
  bool plain = !in_clusters && !on_object;
  MlirValue object = {NULL};
  if (on_object)
    object = mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1);
  else if (in_clusters)
    object = agpu__llvm_null(&at);

  AGPU__SCOPED(values) operands = {0}, arguments = {0};
  agpu__values_push(&operands, self->stream);
  intptr_t next = dependency_count;
  push_sizes(&at, op, true, &next, &operands); // grid
  push_sizes(&at, op, true, &next, &operands); // block
  if (!plain)
    push_sizes(&at, op, in_clusters, &next, &operands);
  agpu__values_push(&operands, agpu__segment(op, AGPU__LAUNCH_SHARED)
                                   ? mlirOperationGetOperand(op, next++)
                                   : agpu__build_constant(
                                         &at, agpu__i32_type(at.context), 0));
  if (!plain)
    agpu__values_push(&operands, object);
  for (int32_t i = 0; i < agpu__segment(op, AGPU__LAUNCH_ARGUMENTS); ++i)
    agpu__values_push(&arguments, mlirOperationGetOperand(op, next++));
  agpu__values_push(&operands, agpu__build_arguments(&at, &arguments));
  MlirNamedAttribute kernel =
      agpu__named(at.context, "kernel", agpu__attr(op, "kernel"));
  agpu__build_op(&at, plain ? "agpu.launch" : "agpu.launch_with", operands.data,
                 operands.count, no_type, &kernel, 1);
}

/// Dynamic sizes and the symbols of the layout stay in one list.
static void lower_alloc(const target *self, MlirOperation op,
                        intptr_t dependency_count) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue memref = agpu__result(op, 0);
  MlirOperation alloc = build_on_stream(
      self, &at, "agpu.alloc", op, dependency_count, mlirValueGetType(memref));
  if (agpu__has_attr(op, "hostShared"))
    agpu__set_attr(alloc, "host_shared", mlirUnitAttrGet(at.context));
  mlirValueReplaceAllUsesOfWith(memref, agpu__result(alloc, 0));
}

static const struct {
  const char *gpu, *agpu;
} same_operands[] = {
    {"gpu.memcpy", "agpu.memcpy"},
    {"gpu.memset", "agpu.memset"},
    {"gpu.dealloc", "agpu.dealloc"},
    {"gpu.host_register", "agpu.host_register"},
    {"gpu.host_unregister", "agpu.host_unregister"},
    {"gpu.set_default_device", "agpu.set_default_device"},
};

/// Whether a call that enqueues has become an op on the stream.
static bool lower_call(const target *self, MlirOperation op) {
  MlirAttribute callee = agpu__attr(op, "callee");
  // The context keeps strings with a NUL after them.
  MlirOperation function =
      agpu__lookup(agpu__parent_of(op, "builtin.module"),
                   mlirFlatSymbolRefAttrGetValue(callee).data);
  int64_t mode = agpu__capture_mode(op, function);
  if (!mode)
    return false;
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) arguments = {0};
  agpu__values_push_operands(&arguments, op, 0);
  MlirValue operands[] = {self->stream, agpu__build_arguments(&at, &arguments)};
  MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "callee", callee),
      agpu__named(at.context, "mode", agpu__i64_attr(at.context, mode))};
  agpu__build_op(&at, "agpu.call", operands, 2, no_type, attributes, 2);
  return true;
}

/// The callee finds the stream in thread-local storage; the op itself stays.
static void enter_for_call(const target *self, MlirOperation op) {
  agpu__builder before = agpu__builder_before(op);
  agpu__builder after = agpu__builder_after(op);
  MlirValue outer =
      agpu__build_unary(&before, "agpu.stream_enter", self->stream,
                        agpu__stream_type(before.context));
  MlirValue operands[] = {self->stream, outer};
  agpu__build_effect(&after, "agpu.stream_leave", operands, 2);
}

/// Users of the token that do not go on the stream get an object.
static void record_token(const target *self, MlirOperation op) {
  MlirValue token = agpu__async_token_of(op);
  if (mlirValueIsNull(token))
    return;
  AGPU__SCOPED(ops) users = {0};
  AGPU__USES_FOREACH (use, token)
    if (!goes_on(self, mlirOpOperandGetOwner(use)))
      agpu__ops_push(&users, mlirOpOperandGetOwner(use));
  if (users.count) {
    agpu__builder at = agpu__builder_before(op);
    MlirValue object = agpu__build_unary(&at, "agpu.stream_record",
                                         self->stream, mlirValueGetType(token));
    for (size_t i = 0; i < users.count; ++i)
      for (intptr_t n = 0; n < mlirOperationGetNumOperands(users.data[i]); ++n)
        if (mlirValueEqual(mlirOperationGetOperand(users.data[i], n), token))
          mlirOperationSetOperand(users.data[i], n, object);
  }
}

/// Waits for the tokens of others. Returns how many tokens `op` has.
static intptr_t wait_for_tokens(const target *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  intptr_t count = agpu__async_dependency_count(op);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue token = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(token) &&
        goes_on(self, mlirOpResultGetOwner(token)))
      continue;
    MlirValue operands[] = {self->stream, token};
    agpu__build_effect(&at, "agpu.stream_wait", operands, 2);
  }
  return count;
}

static void lower_op(const target *self, MlirOperation op) {
  intptr_t dependencies = wait_for_tokens(self, op);
  agpu__builder at = agpu__builder_before(op);
  if (agpu__op_is(op, "gpu.launch_func"))
    lower_launch(self, op, dependencies);
  if (agpu__op_is(op, "gpu.alloc"))
    lower_alloc(self, op, dependencies);
  for (size_t i = 0; i < AGPU__COUNT(same_operands); ++i)
    if (agpu__op_is(op, same_operands[i].gpu))
      build_on_stream(self, &at, same_operands[i].agpu, op, dependencies,
                      no_type);
  record_token(self, op);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// What is left without uses goes last, as tokens lead from one to the next.
void agpu__put_on_stream(const agpu__body *body, MlirValue stream) {
  target self = {body->op, stream};
  AGPU__SCOPED(ops) gone = {0};
  for (size_t i = 0; i < body->gpu_ops.count; ++i) {
    MlirOperation op = body->gpu_ops.data[i];
    if (agpu__is_enqueue_call(op) && !lower_call(&self, op)) {
      enter_for_call(&self, op);
      continue;
    }
    if (!agpu__is_enqueue_call(op))
      lower_op(&self, op);
    agpu__ops_push(&gone, op);
  }
  for (size_t i = 0; i < gone.count; ++i)
    mlirOperationSetOperands(gone.data[i], 0, NULL);
  for (size_t i = 0; i < gone.count; ++i)
    mlirOperationDestroy(gone.data[i]);
}
