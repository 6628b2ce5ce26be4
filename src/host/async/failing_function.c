//===- failing_function.c - A function that gives its failure -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a parallel loop, or a function that regions call: what fails in it
// is the error of the token that it gives.
//
//   cf.assert %c, "why"         unless %c: ^failed, with a token in error
//   %m = memref.alloc(%n)       the same, where there is no memory
//   "agpu.propagate"(%t)        the same, where %t is in error
//   %x = async.await %v         "agpu.await_either"(%v); the same;
//                               %x = async.runtime.load %v
//   stream_wait %s, %t          "agpu.await_enqueued"(%t); the same;
//                               "agpu.stream_depend"(%s, %t)
//
//   %t, %r = call @f(%x)        the same without the two in between, so that
//   "agpu.propagate"(%t)        LLVM makes a loop of a function that ends by
//   return %ready, %r           a call of itself
//
//   ^failed(%token):            gives back the stream and the device, as a
//                               return does
//                               return %token, and nothing that is read
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/dialect/attributes.h"

typedef struct failing {
  MlirOperation function;
  MlirOperation end; ///< one of its returns; null: it has none
  MlirBlock failed;  ///< null until something fails
} failing;

/// A result that nobody reads. References to an object are dropped all the
/// same.
static MlirValue build_nothing(agpu__builder *at, MlirType type) {
  if (agpu__type_is_object(type))
    return agpu__build_value(at, "agpu.ready_token", NULL, 0, type);
  if (!mlirTypeIsAUnrankedMemRef(type))
    return agpu__build_value(at, "ub.poison", NULL, 0, type);
  // Its descriptor is copied for the caller.
  MlirType ranked =
      mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 0, NULL,
                                  mlirUnrankedMemrefGetMemorySpace(type));
  return agpu__build_unary(at, "memref.cast",
                           agpu__build_value(at, "ub.poison", NULL, 0, ranked),
                           type);
}

/// Repeats what a return has in front of it: the stream goes back, and the
/// device of before is entered.
static void build_releases(const failing *self, agpu__builder *at) {
  if (mlirOperationIsNull(self->end))
    return;
  AGPU__SCOPED(ops) releases = {0};
  for (MlirOperation op =
           mlirBlockGetFirstOperation(mlirOperationGetBlock(self->end));
       !mlirOperationEqual(op, self->end); op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is_any(op, "agpu.stream_release agpu.enter_device"))
      agpu__ops_push(&releases, op);
    else if (!agpu__op_is(op, "agpu.ready_token"))
      releases.count = 0;
  for (size_t i = 0; i < releases.count; ++i)
    mlirBlockAppendOwnedOperation(at->block,
                                  mlirOperationClone(releases.data[i]));
}

/// The end of `before`: goes on to `rest` if `ok`, or ends the function.
static void branch(failing *self, agpu__failure_check check) {
  MlirLocation location = check.location;
  MlirBlock error = agpu__block_after(check.before);
  agpu__branch_if(check.before, location, check.ok, check.rest, error);
  agpu__builder at = agpu__builder_at_end(error, location);
  MlirValue token = agpu__build_failed_token(&at, check.failure);
  if (mlirBlockIsNull(self->failed)) {
    MlirType type = mlirValueGetType(token);
    self->failed = mlirBlockCreate(1, &type, &location);
    mlirRegionAppendOwnedBlock(mlirOperationGetRegion(self->function, 0),
                               self->failed);
  }
  agpu__build(&at, &(agpu__op_spec){.name = "cf.br",
                                    .location = location,
                                    .operands = &token,
                                    .operand_count = 1,
                                    .successors = &self->failed,
                                    .successor_count = 1});
}

static void build_failed(const failing *self) {
  MlirLocation location = mlirOperationGetLocation(self->function);
  agpu__builder at = agpu__builder_at_end(self->failed, location);
  build_releases(self, &at);
  MlirType type =
      mlirTypeAttrGetValue(agpu__attr(self->function, "function_type"));
  AGPU__SCOPED(values) results = {0};
  agpu__values_push(&results, mlirBlockGetArgument(self->failed, 0));
  for (intptr_t i = 1; i < mlirFunctionTypeGetNumResults(type); ++i)
    agpu__values_push(&results,
                      build_nothing(&at, mlirFunctionTypeGetResult(type, i)));
  agpu__build_effect(&at, "func.return", results.data, results.count);
}

static void lower_await(failing *self, MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  bool on_stream = agpu__op_is(op, "agpu.stream_wait");
  MlirValue object = mlirOperationGetOperand(op, on_stream ? 1 : 0);
  agpu__builder at = agpu__builder_before(op);
  agpu__build_effect(
      &at, on_stream ? "agpu.await_enqueued" : "agpu.await_either", &object, 1);
  MlirType i1 = agpu__i1_type(at.context);
  MlirValue failed = agpu__build_value(&at, "agpu.has_failed", &object, 1, i1);
  MlirValue ok = agpu__build_binary(&at, "arith.xori", failed,
                                    agpu__build_constant(&at, i1, 1));
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock rest = agpu__split_after(mlirOpResultGetOwner(ok));
  branch(self, (agpu__failure_check){.ok = ok,
                                     .failure = {.from = object},
                                     .before = before,
                                     .rest = rest,
                                     .location = location});
  at = agpu__builder_before(op);
  agpu__build_awaited(&at, op, object);
}

//===----------------------------------------------------------------------===//
// Calls at the end
//===----------------------------------------------------------------------===//

/// So many branches are followed.
#define MOST_EDGES 16

static MlirOperation skip_ready_token(MlirOperation op) {
  return agpu__op_is(op, "agpu.ready_token") ? mlirOperationGetNextInBlock(op)
                                             : op;
}

/// What `value` is behind the branch `edge`.
static MlirValue behind(MlirOperation edge, MlirValue value) {
  if (!mlirValueIsABlockArgument(value) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(value),
                      mlirOperationGetSuccessor(edge, 0)))
    return value;
  return mlirOperationGetOperand(edge, mlirBlockArgumentGetArgNumber(value));
}

/// The return that follows on `op` after nothing but branches, which are pushed
/// to `edges`; a null op: something else follows.
static MlirOperation find_return(MlirOperation op, agpu__ops *edges) {
  op = skip_ready_token(op);
  while (agpu__op_is(op, "cf.br") && edges->count < MOST_EDGES) {
    agpu__ops_push(edges, op);
    op = skip_ready_token(
        mlirBlockGetFirstOperation(mlirOperationGetSuccessor(op, 0)));
  }
  return agpu__op_is(op, "func.return") ? op : (MlirOperation){NULL};
}

/// Whether `end`, behind `edges`, gives what `call` does but for the token.
static bool gives_results(MlirOperation end, const agpu__ops *edges,
                          MlirOperation call) {
  intptr_t count = mlirOperationGetNumOperands(end);
  bool all = count == mlirOperationGetNumResults(call);
  for (intptr_t i = 1; i < count && all; ++i) {
    MlirValue value = mlirOperationGetOperand(end, i);
    for (size_t e = edges->count; e-- > 0;)
      value = behind(edges->data[e], value);
    all = mlirValueEqual(value, agpu__result(call, i));
  }
  return all;
}

/// Where nothing is done after the call whose token `propagate` looks at, all
/// that it gives is what the function gives.
static void return_call(MlirOperation propagate) {
  MlirValue token = mlirOperationGetOperand(propagate, 0);
  if (!mlirValueIsAOpResult(token))
    return;
  MlirOperation call = mlirOpResultGetOwner(token);
  if (!agpu__op_is(call, "func.call") ||
      !mlirOperationEqual(mlirOperationGetNextInBlock(call), propagate))
    return;
  AGPU__SCOPED(ops) edges = {0};
  MlirOperation end =
      find_return(mlirOperationGetNextInBlock(propagate), &edges);
  bool is_end = !mlirOperationIsNull(end) && gives_results(end, &edges, call);
  if (!is_end)
    return;
  agpu__builder at = agpu__builder_before(propagate);
  AGPU__SCOPED(values) results = agpu__results(call, 0);
  agpu__build_effect(&at, "func.return", results.data, results.count);
  // A use before what it uses.
  AGPU__SCOPED(ops) rest = {0};
  for (MlirOperation op = propagate; !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    agpu__ops_push(&rest, op);
  for (size_t i = rest.count; i-- > 0;)
    mlirOperationDestroy(rest.data[i]);
}

static void return_calls(MlirOperation function) {
  AGPU__OPS_IN_FOREACH (op, function, "agpu.propagate")
    if (mlirOperationEqual(mlirOperationGetParentOperation(op), function))
      return_call(op);
  agpu__erase_unreachable_blocks(mlirOperationGetRegion(function, 0));
}

void agpu__lower_failing_function(MlirOperation function) {
  return_calls(function);
  failing self = {.function = function};
  agpu__failure_check check;
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__op_is(ops.data[i], "func.return"))
      self.end = ops.data[i];
  // From the end, so that what a split moves ends at the one before.
  for (size_t i = ops.count; i-- > 0;) {
    MlirOperation op = ops.data[i];
    // What stands in structured control flow is lowered as everywhere.
    if (!mlirOperationEqual(mlirOperationGetParentOperation(op), function))
      continue;
    if (agpu__is_await(op))
      lower_await(&self, op);
    else if (agpu__can_end_body(op) && agpu__split_at_failure(op, &check))
      branch(&self, check);
  }
  if (!mlirBlockIsNull(self.failed))
    build_failed(&self);
  mlirOperationRemoveDiscardableAttributeByName(function,
                                                agpu__str(AGPU__FAILS_ATTR));
}
