//===- coroutine.c - A coroutine around a body ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An async function that may have to wait, and not for its operands alone,
// becomes
//
//   ^entry:    create the results, begin the coroutine
//              executor: save, resume on a worker, suspend ─▶ ^body
//              otherwise: br ^body
//   ^body:     an await: br ^go if ready, or a message that comes soon, else
//              save, await_and_resume, suspend ─▶ ^go
//   ^go:       in error? ─▶ ^error: forward the error to the results
//              return: store, set available (or enqueued) ─▶ ^cleanup
//   ^cleanup:  free the frame ─▶ ^end
//   ^end:      coro.end, return the results
//
// As long as a coroutine runs in its caller, nobody else has its results: it
// makes them available without atomic operations. A variable says whether it
// has suspended before; LLVM makes constants of it.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/dialect/attributes.h"

#define NONE ((MlirValue){NULL})

static MlirValue build_value(agpu__builder *at, const char *name,
                             MlirValue operand, MlirType type) {
  return agpu__build_value(at, name, &operand, !mlirValueIsNull(operand), type);
}

//===----------------------------------------------------------------------===//
// Suspensions
//===----------------------------------------------------------------------===//

/// Where a suspension goes on, in front of `resume`: the results are shared.
static MlirBlock build_resumed(const agpu__coroutine *self,
                               MlirLocation location, MlirBlock resume) {
  if (mlirValueIsNull(self->body.shared))
    return resume;
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(mlirBlockGetParentRegion(resume), resume,
                                   block);
  agpu__builder at = agpu__builder_at_end(block, location);
  agpu__llvm_store(&at, agpu__llvm_bool(&at, true), self->body.shared);
  agpu__branch(block, location, resume);
  return block;
}

/// `coro.suspend %state` at the end of `block`; `away` is the way to the
/// caller. Returns it.
static MlirOperation build_suspend(const agpu__coroutine *self, MlirBlock block,
                                   MlirLocation location, MlirValue state,
                                   MlirBlock away, MlirBlock resume) {
  agpu__builder at = agpu__builder_at_end(block, location);
  MlirBlock successors[] = {away, build_resumed(self, location, resume),
                            self->body.exit};
  agpu__op_spec spec = {.name = "async.coro.suspend",
                        .operands = &state,
                        .operand_count = 1,
                        .successors = successors,
                        .successor_count = 3};
  return agpu__build(&at, &spec);
}

/// Keeps the block of `suspend`, whose state comes from another block, from
/// being merged with one that is like it. Any greedy rewriting of upstream's
/// (convert-vector-to-scf, for one) merges blocks whose ops differ in nothing
/// but their operands, and makes an argument of the block that is left of each
/// operand that differs. A state is a token of LLVM's, of which there can be no
/// phi. Where the state comes from the same block, nothing of that type
/// differs.
static void make_unique(agpu__coroutine *self, MlirOperation suspend) {
  agpu__set_attr(
      suspend, AGPU__SUSPENSION_ATTR,
      agpu__i64_attr(mlirOperationGetContext(suspend), self->suspensions++));
}

static MlirValue build_save(const agpu__coroutine *self, agpu__builder *at) {
  return build_value(at, "async.coro.save", self->handle,
                     agpu__parse_type(at->context, "!async.coro.state"));
}

/// From the end of `*at` to `go` if ready, else to a new block, which becomes
/// `*at`.
static agpu__builder branch_if_ready(MlirBlock *at, MlirLocation location,
                                     MlirValue ready, MlirBlock go) {
  MlirBlock before = *at;
  *at = agpu__block_after(before);
  agpu__branch_if(before, location, ready, go, *at);
  return agpu__builder_at_end(*at, location);
}

void agpu__coroutine_await(agpu__coroutine *self, MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  bool on_stream = agpu__op_is(op, "agpu.stream_wait");
  MlirValue object = mlirOperationGetOperand(op, on_stream ? 1 : 0);
  MlirValue waiting[] = {object, self->handle};
  MlirBlock before = mlirOperationGetBlock(op);

  // before ─▶ go, by way of `wait` when there is something to wait for.
  // Upstream's runtime cannot tell: there the coroutine always suspends. On a
  // stream one call asks and waits: what only enqueues is short code, and there
  // may be much of it.
  MlirBlock go = agpu__split_after(op);
  MlirBlock wait = before;
  MlirValue ready = NONE, state = NONE;
  agpu__builder at = agpu__builder_before(op);
  MlirType i1 = agpu__i1_type(at.context);
  if (on_stream) {
    state = build_save(self, &at);
    ready = agpu__build_value(&at, "agpu.await_enqueued_and_resume", waiting, 2,
                              i1);
  } else if (!self->body.upstream) {
    ready = build_value(&at, "agpu.is_ready", object, i1);
  }
  if (!mlirValueIsNull(ready))
    at = branch_if_ready(&wait, location, ready, go);
  if (!on_stream && self->body.has_messages) {
    ready = build_value(&at, "agpu.is_ready_soon", object, i1);
    at = branch_if_ready(&wait, location, ready, go);
  }
  if (!on_stream) {
    state = build_save(self, &at);
    agpu__build_effect(&at, "async.runtime.await_and_resume", waiting, 2);
  }
  MlirOperation suspend =
      build_suspend(self, wait, location, state, self->suspended, go);
  if (on_stream)
    make_unique(self, suspend);

  // go: an error ends the coroutine, otherwise the payload is read.
  at = agpu__builder_at_start(go, location);
  MlirValue failed = build_value(
      &at, self->body.upstream ? "async.runtime.is_error" : "agpu.has_failed",
      object, i1);
  MlirBlock rest = agpu__split_after(mlirOpResultGetOwner(failed));
  MlirBlock error = agpu__async_body_error(&self->body, go, location,
                                           (agpu__failure){.from = object});
  agpu__branch_if(go, location, failed, error, rest);
  at = agpu__builder_at_start(rest, location);
  agpu__build_awaited(&at, op, object);
}

//===----------------------------------------------------------------------===//
// The start and the end
//===----------------------------------------------------------------------===//

static bool starts_in_spawner(agpu__start where) {
  return where == AGPU__STARTS_SPAWNER || where == AGPU__STARTS_EITHER;
}

/// What the body begins with, if that is an await of an argument: a region that
/// depends on it need not start before. Otherwise null.
static MlirValue first_awaited(MlirBlock entry) {
  MlirOperation op = mlirBlockGetFirstOperation(entry);
  while (agpu__op_is_any(op, "llvm.alloca llvm.mlir.constant arith.constant"))
    op = mlirOperationGetNextInBlock(op);
  if (!agpu__op_is(op, "async.await"))
    return NONE;
  MlirValue object = mlirOperationGetOperand(op, 0);
  return mlirValueIsABlockArgument(object) ? object : NONE;
}

/// The end of `block`, which has begun the coroutine: how it gets to `body`.
static void build_start(const agpu__coroutine *self, MlirBlock block,
                        agpu__start where, MlirValue after, MlirBlock body) {
  MlirLocation location = mlirOperationGetLocation(self->body.function);
  agpu__builder at = agpu__builder_at_end(block, location);
  if (where == AGPU__STARTS_CALLER || where == AGPU__STARTS_SPAWNER) {
    agpu__branch(block, location, body);
    return;
  }
  if (where == AGPU__STARTS_EITHER) {
    MlirValue here = agpu__build_value(&at, "agpu.start_here", NULL, 0,
                                       agpu__i1_type(at.context));
    MlirBlock submit = agpu__block_after(block);
    agpu__branch_if(block, location, here, body, submit);
    block = submit;
    at = agpu__builder_at_end(block, location);
  }
  MlirValue state = build_save(self, &at);
  MlirValue waiting[] = {self->handle, NONE};
  if (!mlirValueIsNull(after)) {
    waiting[0] = after;
    waiting[1] = self->handle;
    agpu__build_effect(&at, "agpu.resume_after", waiting, 2);
  } else {
    MlirNamedAttribute results = agpu__named(
        at.context, AGPU__RESULTS_ATTR,
        agpu__i64_attr(at.context, (int64_t)self->body.results.count));
    agpu__build_op(&at, "async.runtime.resume", waiting, 1, (MlirType){NULL},
                   &results, 1);
  }
  build_suspend(self, block, location, state, self->submitted, body);
}

/// `cf.br ^end(%started, %suspended)` at the end of a block.
static void branch_to_end(const agpu__coroutine *self, MlirBlock block,
                          bool started, bool suspended) {
  MlirLocation location = mlirOperationGetLocation(self->body.function);
  agpu__builder at = agpu__builder_at_end(block, location);
  MlirValue operands[] = {agpu__llvm_bool(&at, started),
                          agpu__llvm_bool(&at, suspended)};
  agpu__branch_with(block, location, self->end, operands, 2);
}

/// The way out of the coroutine, by one block, as LLVM wants it. After
/// `coro.end`, where it cuts off all but the way back to the caller, a spawner
/// that has started the coroutine says so: it may have to wait, if there are
/// too many that are suspended.
static void build_end(agpu__coroutine *self, agpu__start where) {
  MlirLocation location = mlirOperationGetLocation(self->body.function);
  MlirBlock cleanup = self->body.exit;
  agpu__builder at = agpu__builder_at_end(cleanup, location);
  MlirValue frame[] = {self->id, self->handle};
  agpu__build_effect(&at, "async.coro.free", frame, 2);
  if (!starts_in_spawner(where)) {
    agpu__branch(cleanup, location, self->end);
    at = agpu__builder_at_end(self->end, location);
    agpu__build_effect(&at, "async.coro.end", &self->handle, 1);
  } else {
    bool either = where == AGPU__STARTS_EITHER;
    MlirType i1 = agpu__i1_type(at.context);
    MlirValue started = mlirBlockAddArgument(self->end, i1, location);
    MlirValue suspended = mlirBlockAddArgument(self->end, i1, location);
    branch_to_end(self, cleanup, either, false);
    branch_to_end(self, self->suspended, true, true);
    if (either)
      branch_to_end(self, self->submitted, false, false);
    at = agpu__builder_at_end(self->end, location);
    agpu__build_effect(&at, "async.coro.end", &self->handle, 1);
    MlirBlock say = agpu__block_after(self->end);
    MlirBlock back = agpu__block_after(say);
    agpu__branch_if(self->end, location, started, say, back);
    at = agpu__builder_at_end(say, location);
    agpu__build_effect(&at, either ? "agpu.started_here" : "agpu.throttle",
                       &suspended, either);
    agpu__branch(say, location, back);
    at = agpu__builder_at_end(back, location);
  }
  agpu__build_effect(&at, "func.return", self->body.results.data,
                     self->body.results.count);
}

agpu__coroutine agpu__coroutine_create(agpu__async_body body, MlirType type,
                                       agpu__start where) {
  MlirLocation location = mlirOperationGetLocation(body.function);
  MlirRegion region = mlirOperationGetRegion(body.function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  agpu__coroutine self = {.body = body};
  MlirValue after = body.upstream ? NONE : first_awaited(entry);

  self.body.exit = agpu__append_block(region);
  if (starts_in_spawner(where))
    self.suspended = agpu__append_block(region);
  if (where == AGPU__STARTS_EITHER)
    self.submitted = agpu__append_block(region);
  self.end = agpu__append_block(region);
  if (!starts_in_spawner(where))
    self.suspended = self.submitted = self.end;

  // Allocations stay in front: LLVM puts those of the entry block into the
  // frame.
  MlirOperation allocas = agpu__gather_allocas(entry);
  agpu__builder at = agpu__builder_at_start(entry, location);
  if (!mlirOperationIsNull(allocas))
    at.before = mlirOperationGetNextInBlock(allocas);
  // A stream's results become ENQUEUED, by a call in any case.
  if (where != AGPU__STARTS_EXECUTOR && !body.upstream &&
      mlirValueIsNull(body.stream)) {
    MlirType i1 = agpu__i1_type(at.context);
    MlirValue one = agpu__llvm_i64(&at, 1);
    self.body.shared = agpu__llvm_alloca(&at, i1, one, 0);
    agpu__llvm_store(&at, agpu__llvm_bool(&at, false), self.body.shared);
  }
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    agpu__values_push(&self.body.results,
                      agpu__build_with(&at, "async.runtime.create", NULL, 0,
                                       mlirFunctionTypeGetResult(type, i),
                                       AGPU__RESULT_ATTR,
                                       mlirUnitAttrGet(at.context)));
  if (where == AGPU__STARTS_EXECUTOR && !body.upstream &&
      mlirValueIsNull(body.stream) && self.body.results.count > 0)
    agpu__set_attr(mlirOpResultGetOwner(self.body.results.data[0]),
                   AGPU__TASK_ATTR, mlirUnitAttrGet(at.context));
  self.id = agpu__build_value(&at, "async.coro.id", NULL, 0,
                              agpu__parse_type(at.context, "!async.coro.id"));
  self.handle = build_value(&at, "async.coro.begin", self.id,
                            agpu__parse_type(at.context, "!async.coro.handle"));
  MlirBlock start = agpu__split_after(mlirOpResultGetOwner(self.handle));
  build_start(&self, entry, where, after, start);
  build_end(&self, where);
  return self;
}
