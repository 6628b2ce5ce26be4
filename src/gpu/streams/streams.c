//===- streams.c - Functions get streams -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-streams`: every function that holds GPU ops gets a
// stream, and its GPU ops become ops on that stream. Order on the stream takes
// the place of tokens; a token that leaves the function, or that an op other
// than a GPU op uses, is recorded on the stream and becomes an object.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/async_ops.h"
#include "gpu/plan/effects.h"
#include "gpu/plan/plan.h"
#include "lower/dialect/attributes.h"
#include "lower/dialect/dialect.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/object_types.h"
#include "lower/pass/pass.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

typedef struct function_state {
  MlirOperation function;
  MlirValue stream;
} function_state;

/// True if `value` is the token of a GPU op of the same function.
static bool is_local_token(const function_state *self, MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         agpu__is_gpu_op(mlirOpResultGetOwner(value)) &&
         mlirOperationEqual(agpu__body_of(mlirOpResultGetOwner(value)),
                            self->function);
}

static bool is_token(MlirValue value) {
  return mlirTypeIsAGPUAsyncTokenType(mlirValueGetType(value));
}

/// An op on the stream with the operands of `op` from `first` on.
static MlirOperation build_on_stream(const function_state *self,
                                     agpu__builder *at, const char *name,
                                     MlirOperation op, intptr_t first,
                                     MlirType result) {
  agpu__values operands = {0};
  agpu__values_push(&operands, self->stream);
  agpu__values_push_operands(&operands, op, first);
  MlirOperation made =
      agpu__build_op(at, name, operands.data, operands.count, result, NULL, 0);
  agpu__values_free(&operands);
  return made;
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
static MlirLogicalResult lower_launch(const function_state *self,
                                      MlirOperation op,
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
  if (on_object &&
      !mlirTypeEqual(mlirValueGetType(object), agpu__ptr_type(at.context)))
    return agpu__error(at.location, "the async object of a launch must be a "
                                    "CUstream, an !llvm.ptr");

  agpu__values operands = {0}, arguments = {0};
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
  agpu__values_push(
      &operands,
      agpu__build_value(&at, "builtin.unrealized_conversion_cast",
                        arguments.data, arguments.count,
                        agpu__parse_type(at.context, "!agpu.arguments")));
  MlirNamedAttribute kernel =
      agpu__named(at.context, "kernel", agpu__attr(op, "kernel"));
  agpu__build_op(&at, plain ? "agpu.launch" : "agpu.launch_with", operands.data,
                 operands.count, no_type, &kernel, 1);
  agpu__values_free(&operands);
  agpu__values_free(&arguments);
  return mlirLogicalResultSuccess();
}

/// Dynamic sizes and the symbols of the layout stay in one list.
static void lower_alloc(const function_state *self, MlirOperation op,
                        intptr_t dependency_count) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue memref = agpu__result(op, 0);
  MlirOperation alloc = build_on_stream(
      self, &at, "agpu.alloc", op, dependency_count, mlirValueGetType(memref));
  if (agpu__has_attr(op, "hostShared"))
    agpu__set_attr(alloc, "host_shared", mlirUnitAttrGet(at.context));
  mlirValueReplaceAllUsesOfWith(memref, agpu__result(alloc, 0));
}

/// agpu.record: a token of the work so far. agpu.synchronize and a gpu.wait
/// without `async`: the host waits for that.
static void lower_record(const function_state *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue token =
      agpu__build_unary(&at, "agpu.stream_record", self->stream,
                        agpu__parse_type(at.context, "!async.token"));
  if (mlirOperationGetNumResults(op))
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), token);
  else
    agpu__build_effect(&at, "async.await", &token, 1);
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

/// The callee finds the stream in thread-local storage; the op itself stays.
static void lower_enqueue_call(const function_state *self, MlirOperation op) {
  agpu__builder before = agpu__builder_before(op);
  agpu__builder after = agpu__builder_after(op);
  MlirValue outer =
      agpu__build_unary(&before, "agpu.stream_enter", self->stream,
                        agpu__stream_type(before.context));
  MlirValue operands[] = {self->stream, outer};
  agpu__build_effect(&after, "agpu.stream_leave", operands, 2);
  agpu__remove_attr(op, AGPU__ENQUEUE_ATTR);
}

static MlirLogicalResult lower_op(const function_state *self,
                                  MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  intptr_t dependencies = 0;
  for (; dependencies < mlirOperationGetNumOperands(op) &&
         is_token(mlirOperationGetOperand(op, dependencies));
       ++dependencies) {
    MlirValue token = mlirOperationGetOperand(op, dependencies);
    if (is_local_token(self, token))
      continue;
    MlirValue operands[] = {self->stream, token};
    agpu__build_effect(&at, "agpu.stream_wait", operands, 2);
  }
  if (agpu__op_is(op, "gpu.launch_func"))
    return lower_launch(self, op, dependencies);
  if (agpu__op_is(op, "gpu.alloc"))
    lower_alloc(self, op, dependencies);
  if (agpu__op_is(op, "gpu.wait") && !mlirOperationGetNumResults(op))
    lower_record(self, op);
  for (size_t i = 0; i < sizeof(same_operands) / sizeof(*same_operands); ++i)
    if (agpu__op_is(op, same_operands[i].gpu))
      build_on_stream(self, &at, same_operands[i].agpu, op, dependencies,
                      no_type);
  return mlirLogicalResultSuccess();
}

/// A token that anything but a GPU op of the function uses becomes an object.
static void record_token(const function_state *self, MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op);
  if (!count || !is_token(agpu__result(op, count - 1)))
    return;
  MlirValue token = agpu__result(op, count - 1);
  agpu__ops users = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(token);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!agpu__is_gpu_op(mlirOpOperandGetOwner(use)))
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
  agpu__ops_free(&users);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// `async.await` in a function with a stream: the stream waits.
static void lower_await(const function_state *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirType payload = mlirOperationGetNumResults(op)
                         ? mlirValueGetType(agpu__result(op, 0))
                         : no_type;
  MlirOperation wait =
      build_on_stream(self, &at, "agpu.stream_wait", op, 0, payload);
  MlirAttribute how = agpu__attr(op, AGPU__HOW_ATTR);
  if (!mlirAttributeIsNull(how))
    agpu__set_attr(wait, AGPU__HOW_ATTR, how);
  if (!mlirTypeIsNull(payload))
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), agpu__result(wait, 0));
  mlirOperationDestroy(op);
}

static MlirLogicalResult lower_function(MlirOperation function) {
  agpu__ops all = {0}, gpu_ops = {0};
  agpu__collect(function, NULL, &all);
  for (size_t i = 0; i < all.count; ++i)
    if (agpu__is_gpu_op(all.data[i]))
      agpu__ops_push(&gpu_ops, all.data[i]);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (gpu_ops.count) {
    MlirBlock entry = agpu__entry_block(function);
    agpu__builder at =
        agpu__builder_at_start(entry, mlirOperationGetLocation(function));
    function_state self = {function, {NULL}};
    self.stream = agpu__build_value(&at, "agpu.stream_acquire", NULL, 0,
                                    agpu__stream_type(at.context));

    // Calls first: they stay, and may use tokens as any other op does.
    size_t kept = 0;
    for (size_t i = 0; i < gpu_ops.count; ++i)
      if (agpu__is_enqueue_call(gpu_ops.data[i]))
        lower_enqueue_call(&self, gpu_ops.data[i]);
      else
        gpu_ops.data[kept++] = gpu_ops.data[i];
    gpu_ops.count = kept;
    for (size_t i = 0; i < gpu_ops.count; ++i) {
      if (mlirLogicalResultIsFailure(lower_op(&self, gpu_ops.data[i])))
        result = mlirLogicalResultFailure();
      record_token(&self, gpu_ops.data[i]);
    }
    for (size_t i = 0; i < all.count; ++i) {
      MlirOperation op = all.data[i];
      if (agpu__op_is(op, "async.await")) {
        if (mlirLogicalResultIsFailure(agpu__check_word(op, AGPU__HOW_ATTR)))
          result = mlirLogicalResultFailure();
        lower_await(&self, op);
      } else if (agpu__op_is(op, "agpu.record") ||
                 agpu__op_is(op, "agpu.synchronize")) {
        lower_record(&self, op);
        mlirOperationDestroy(op);
      } else if (agpu__op_is(op, "func.return")) {
        // An async function releases its stream as the last thing it does;
        // async-gpu-coroutines sees to that.
        at = agpu__builder_before(op);
        agpu__build_effect(&at, "agpu.stream_release", &self.stream, 1);
      }
    }
    // Tokens inside the function are gone with the ops that use them.
    if (mlirLogicalResultIsSuccess(result)) {
      for (size_t i = 0; i < gpu_ops.count; ++i)
        mlirOperationSetOperands(gpu_ops.data[i], 0, NULL);
      for (size_t i = 0; i < gpu_ops.count; ++i)
        mlirOperationDestroy(gpu_ops.data[i]);
    }
  }
  agpu__ops_free(&all);
  agpu__ops_free(&gpu_ops);
  return result;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops ops = agpu__ops_in(module, "async.execute");
  if (ops.count)
    result = agpu__error(mlirOperationGetLocation(ops.data[0]),
                         "regions must be functions before they get streams: "
                         "run --async-gpu-outline first");
  ops.count = 0;
  if (mlirLogicalResultIsSuccess(result)) {
    MlirBlock body = agpu__module_body(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      if (agpu__is_body(op))
        agpu__ops_push(&ops, op);
    for (size_t i = 0; i < ops.count; ++i)
      if (mlirLogicalResultIsFailure(lower_function(ops.data[i])))
        result = mlirLogicalResultFailure();
    if (mlirLogicalResultIsSuccess(result))
      agpu__unify_token_types(module);
  }
  agpu__ops_free(&ops);
  return result;
}

const agpu_pass agpu__pass_streams = {
    .argument = "async-gpu-streams",
    .summary = "Put each region's GPU ops on a stream",
    .run = run,
};
