//===- async_body.c - The body of an async function -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a body completes what its function gives, be it a coroutine, a call that
// waits for its operands or a plain function:
//
//   cf.assert %c, "why"         cf.cond_br %c, ^rest, ^error
//                             ^error:
//                               "agpu.set_error"(%token) {message = "why"}
//                               cf.br ^exit
//   %m = memref.alloc(%n)       the same by "agpu.set_out_of_memory"
//   "agpu.propagate"(%t)        the same by "agpu.forward_error"
//   async.return %x : f32       async.runtime.store %x, %value
//                               "agpu.set_available_last"(%value)
//                               "agpu.set_available_last"(%token)
//                               cf.br ^exit
//
// A stream goes back on every path. Values are completed before the token: who
// sees the token sees them.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/convert/convert.h"
#include "lower/dialect/attributes.h"

bool agpu__is_await(MlirOperation op) {
  return agpu__op_is_any(op, "async.await async.await_all agpu.stream_wait");
}

bool agpu__is_heap_allocation(MlirOperation op) {
  return agpu__op_is(op, "memref.alloc") || agpu__op_is(op, "memref.realloc");
}

bool agpu__can_end_body(MlirOperation op) {
  return agpu__op_is(op, "cf.assert") || agpu__op_is(op, "agpu.propagate") ||
         agpu__is_heap_allocation(op);
}

static bool is_direct(const agpu__async_body *self, MlirOperation op) {
  return mlirOperationEqual(mlirOperationGetParentOperation(op),
                            self->function);
}

MlirLogicalResult agpu__async_body_verify(const agpu__async_body *self,
                                          const agpu__ops *ops) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < ops->count; ++i) {
    MlirOperation op = ops->data[i];
    // async-gpu-check-sizes checks an allocation in structured control flow.
    if ((!agpu__is_await(op) && !agpu__can_end_body(op)) ||
        is_direct(self, op) || agpu__is_heap_allocation(op))
      continue;
    MlirStringRef name = agpu__op_name(op);
    MlirStringRef around = agpu__op_name(mlirOperationGetParentOperation(op));
    result = agpu__error(
        mlirOperationGetLocation(op),
        "%.*s inside %.*s cannot suspend: turn structured control flow "
        "into branches first (--lower-affine --convert-scf-to-cf)",
        AGPU__STR(name), AGPU__STR(around));
  }
  return result;
}

/// Ends the body from `at`, the end of a block.
static void build_exit(const agpu__async_body *self, agpu__builder *at) {
  if (!mlirValueIsNull(self->stream))
    agpu__build_effect(at, "agpu.stream_release", &self->stream, 1);
  agpu__branch(at->block, at->location, self->exit);
}

void agpu__build_failure(agpu__builder *at, MlirValue object,
                         agpu__failure failure) {
  MlirValue from[] = {object, failure.from}, bytes[] = {object, failure.bytes};
  if (!mlirValueIsNull(failure.from)) {
    agpu__build_effect(at, "agpu.forward_error", from, 2);
  } else if (!mlirValueIsNull(failure.bytes)) {
    agpu__build_effect(at, "agpu.set_out_of_memory", bytes, 2);
  } else {
    MlirNamedAttribute message =
        agpu__named(at->context, "message", failure.message);
    agpu__build_op(at, "agpu.set_error", &object, 1, (MlirType){NULL}, &message,
                   1);
  }
}

MlirValue agpu__build_failed_token(agpu__builder *at, agpu__failure failure) {
  MlirValue token = agpu__build_value(at, "async.runtime.create", NULL, 0,
                                      agpu__token_type(at->context));
  agpu__build_failure(at, token, failure);
  return token;
}

bool agpu__split_at_failure(MlirOperation op, agpu__failure_check *out_check) {
  agpu__failure_check self = {.location = mlirOperationGetLocation(op)};
  agpu__allocation_check allocation;
  if (agpu__op_is(op, "cf.assert")) {
    self.ok = mlirOperationGetOperand(op, 0);
    self.failure.message = agpu__attr(op, "msg");
    self.before = mlirOperationGetBlock(op);
    self.rest = agpu__split_after(op);
    mlirOperationDestroy(op);
  } else if (agpu__op_is(op, "agpu.propagate")) {
    self.failure.from = mlirOperationGetOperand(op, 0);
    agpu__builder at = agpu__builder_before(op);
    self.ok = agpu__build_value(&at, "agpu.has_succeeded", &self.failure.from,
                                1, agpu__i1_type(at.context));
    self.before = mlirOperationGetBlock(op);
    self.rest = agpu__split_after(op);
    mlirOperationDestroy(op);
  } else if (agpu__build_allocation_check(op, &allocation)) {
    self.ok = allocation.ok;
    self.failure.bytes = allocation.bytes;
    self.before = mlirOperationGetBlock(op);
    self.rest = agpu__split_after(mlirOpResultGetOwner(allocation.ok));
  } else {
    return false;
  }
  *out_check = self;
  return true;
}

MlirBlock agpu__async_body_error(const agpu__async_body *self, MlirBlock after,
                                 MlirLocation location, agpu__failure failure) {
  MlirBlock block = agpu__block_after(after);
  agpu__builder at = agpu__builder_at_end(block, location);
  // Several results share one error, and one of them that is observed is
  // enough.
  if (!self->upstream && mlirValueIsNull(failure.from) &&
      self->results.count > 1)
    failure.from = agpu__build_failed_token(&at, failure);
  for (size_t i = self->results.count; i-- > 0;)
    if (self->upstream) // errors have no message there
      agpu__build_effect(&at, "async.runtime.set_error", &self->results.data[i],
                         1);
    else
      agpu__build_failure(&at, self->results.data[i], failure);
  build_exit(self, &at);
  return block;
}

void agpu__async_body_check(const agpu__async_body *self, MlirOperation op) {
  agpu__failure_check check;
  if (!is_direct(self, op) || !agpu__split_at_failure(op, &check))
    return;
  MlirBlock error =
      agpu__async_body_error(self, check.before, check.location, check.failure);
  agpu__branch_if(check.before, check.location, check.ok, check.rest, error);
}

/// Ends the body from the end of `block` with all results available by op
/// `name`.
static void build_available(const agpu__async_body *self, MlirBlock block,
                            MlirLocation location, const char *name) {
  agpu__builder at = agpu__builder_at_end(block, location);
  for (size_t i = self->results.count; i-- > 0;) {
    MlirValue operands[] = {self->results.data[i], self->stream};
    agpu__build_effect(&at, name, operands,
                       mlirValueIsNull(self->stream) ? 1 : 2);
  }
  build_exit(self, &at);
}

void agpu__async_body_return(const agpu__async_body *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  intptr_t payloads = mlirOperationGetNumOperands(op);
  size_t first_value = self->results.count - (size_t)payloads;
  for (intptr_t i = 0; i < payloads; ++i) {
    MlirValue operands[] = {mlirOperationGetOperand(op, i),
                            self->results.data[first_value + (size_t)i]};
    agpu__build_effect(&at, "async.runtime.store", operands, 2);
  }
  MlirBlock block = mlirOperationGetBlock(op);
  MlirLocation location = mlirOperationGetLocation(op);
  mlirOperationDestroy(op);
  if (!mlirValueIsNull(self->shared)) {
    at = agpu__builder_at_end(block, location);
    MlirValue shared =
        agpu__llvm_load(&at, self->shared, agpu__i1_type(at.context));
    MlirBlock alone = agpu__block_after(block);
    MlirBlock others = agpu__block_after(alone);
    agpu__branch_if(block, location, shared, others, alone);
    build_available(self, alone, location, "agpu.set_available_unshared");
    block = others;
  }
  build_available(self, block, location,
                  !mlirValueIsNull(self->stream) ? "agpu.set_enqueued"
                  : self->upstream               ? "async.runtime.set_available"
                  : self->unshared               ? "agpu.set_available_unshared"
                                                 : "agpu.set_available_last");
}

/// What is left of `wait`, an agpu.stream_wait, for the stream.
static void build_depend(agpu__builder *at, MlirOperation wait) {
  MlirAttribute how = agpu__attr(wait, AGPU__HOW_ATTR);
  if (mlirStringRefEqual(agpu__get_string(wait, AGPU__HOW_ATTR),
                         agpu__str(AGPU__WAIT_NONE)))
    return;
  MlirValue operands[] = {mlirOperationGetOperand(wait, 0),
                          mlirOperationGetOperand(wait, 1)};
  MlirOperation depend = agpu__build_op(at, "agpu.stream_depend", operands, 2,
                                        (MlirType){NULL}, NULL, 0);
  if (!mlirAttributeIsNull(how))
    agpu__set_attr(depend, AGPU__HOW_ATTR, how);
}

void agpu__build_awaited(agpu__builder *at, MlirOperation await,
                         MlirValue object) {
  if (agpu__op_is(await, "agpu.stream_wait"))
    build_depend(at, await);
  if (mlirOperationGetNumResults(await) == 1) {
    MlirValue payload = agpu__result(await, 0);
    mlirValueReplaceAllUsesOfWith(
        payload, agpu__build_unary(at, "async.runtime.load", object,
                                   mlirValueGetType(payload)));
  }
  mlirOperationDestroy(await);
}
