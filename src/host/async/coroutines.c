//===- coroutines.c - Async functions become coroutines -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-coroutines`.
//
// An async function becomes
//
//   ^entry:    create the results, begin the coroutine
//              executor: save, resume on a worker, suspend ─▶ ^body
//              in the caller, with a stream: save, resume, suspend ─▶ ^body
//              otherwise: br ^body
//   ^body:     an await: br ^go if ready, else save, await_and_resume,
//              suspend ─▶ ^go
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

#include "host/async/async_functions.h"
#include "host/async/frame_memory.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/payload.h"
#include "lower/pass/abi.h"

#include <stdlib.h>
#include <string.h>

typedef struct coroutine {
  MlirOperation function;
  agpu__values results; ///< what it returns: token and values
  MlirValue id, handle;
  MlirValue stream; ///< null: the function has none
  MlirValue shared; ///< address of an i1: others may have the results; or null
  bool upstream;    ///< only calls that upstream's runtime has
  MlirBlock cleanup;
  MlirBlock suspended; ///< what a suspension leads to
  MlirBlock submitted; ///< likewise, of a start on the executor
  MlirBlock end;
} coroutine;

static const MlirType no_type = {NULL};

static MlirOperation build(agpu__builder *at, const char *name, MlirValue a,
                           MlirValue b, MlirType result) {
  MlirValue operands[] = {a, b};
  size_t count = mlirValueIsNull(a) ? 0 : mlirValueIsNull(b) ? 1 : 2;
  return agpu__build_op(at, name, operands, count, result, NULL, 0);
}

#define NONE ((MlirValue){NULL})

//===----------------------------------------------------------------------===//
// Parts of a coroutine
//===----------------------------------------------------------------------===//

/// Where a suspension goes on, in front of `resume`: the results are shared.
static MlirBlock build_resumed(const coroutine *self, MlirLocation location,
                               MlirBlock resume) {
  if (mlirValueIsNull(self->shared))
    return resume;
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(mlirBlockGetParentRegion(resume), resume,
                                   block);
  agpu__builder at = agpu__builder_at_end(block, location);
  agpu__llvm_store(&at, agpu__llvm_bool(&at, true), self->shared);
  agpu__branch(block, location, resume);
  return block;
}

/// `coro.suspend %state` at the end of `block`; `away` is the way to the
/// caller.
static void build_suspend(const coroutine *self, MlirBlock block,
                          MlirLocation location, MlirValue state,
                          MlirBlock away, MlirBlock resume) {
  agpu__builder at = agpu__builder_at_end(block, location);
  MlirBlock successors[] = {away, build_resumed(self, location, resume),
                            self->cleanup};
  agpu__op_spec spec = {.name = "async.coro.suspend",
                        .location = location,
                        .operands = &state,
                        .operand_count = 1,
                        .successors = successors,
                        .successor_count = 3};
  agpu__build(&at, &spec);
}

static MlirValue build_save(const coroutine *self, agpu__builder *at) {
  return agpu__result(build(at, "async.coro.save", self->handle, NONE,
                            agpu__parse_type(at->context, "!async.coro.state")),
                      0);
}

/// Ends the coroutine from `at`, the end of a block.
static void build_finish(const coroutine *self, agpu__builder *at) {
  if (!mlirValueIsNull(self->stream))
    build(at, "agpu.stream_release", self->stream, NONE, no_type);
  agpu__branch(at->block, at->location, self->cleanup);
}

/// A new token in ERROR with `message`.
static MlirValue build_failed_token(agpu__builder *at, MlirAttribute message) {
  MlirValue token =
      agpu__result(build(at, "async.runtime.create", NONE, NONE,
                         agpu__parse_type(at->context, "!async.token")),
                   0);
  MlirNamedAttribute attribute = agpu__named(at->context, "message", message);
  agpu__build_op(at, "agpu.set_error", &token, 1, no_type, &attribute, 1);
  return token;
}

/// A block that puts the results into ERROR: with the error of `from`, or
/// with `message` where `from` is null.
static MlirBlock build_error(const coroutine *self, MlirBlock after,
                             MlirLocation location, MlirValue from,
                             MlirAttribute message) {
  MlirBlock block = agpu__block_after(after);
  agpu__builder at = agpu__builder_at_end(block, location);
  // Several results share one error, and whoever observes one of them has.
  if (!self->upstream && mlirValueIsNull(from) && self->results.count > 1)
    from = build_failed_token(&at, message);
  for (size_t i = self->results.count; i-- > 0;) {
    MlirValue result = self->results.data[i];
    if (self->upstream) { // errors have no message there
      build(&at, "async.runtime.set_error", result, NONE, no_type);
      continue;
    }
    if (!mlirValueIsNull(from)) {
      build(&at, "agpu.forward_error", result, from, no_type);
      continue;
    }
    MlirNamedAttribute attribute = agpu__named(at.context, "message", message);
    agpu__build_op(&at, "agpu.set_error", &result, 1, no_type, &attribute, 1);
  }
  build_finish(self, &at);
  return block;
}

/// True if `op` stands directly in the function; an error otherwise.
static bool in_cfg(const coroutine *self, MlirOperation op) {
  if (mlirOperationEqual(mlirOperationGetParentOperation(op), self->function))
    return true;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  MlirStringRef parent = mlirIdentifierStr(
      mlirOperationGetName(mlirOperationGetParentOperation(op)));
  agpu__error(mlirOperationGetLocation(op),
              "%.*s inside %.*s cannot suspend: turn structured control flow "
              "into branches first (--lower-affine --convert-scf-to-cf)",
              (int)name.length, name.data, (int)parent.length, parent.data);
  return false;
}

//===----------------------------------------------------------------------===//
// Ops of a coroutine
//===----------------------------------------------------------------------===//

/// What is left of `wait`, an agpu.stream_wait, once its object is not PENDING.
static void build_depend(agpu__builder *at, MlirOperation wait) {
  MlirStringRef name = agpu__str(AGPU__HOW_ATTR);
  MlirAttribute how = mlirOperationGetAttributeByName(wait, name);
  if (!mlirAttributeIsNull(how) &&
      mlirStringRefEqual(agpu__get_string(wait, AGPU__HOW_ATTR),
                         agpu__str(AGPU__WAIT_NONE)))
    return;
  MlirOperation depend =
      build(at, "agpu.stream_depend", mlirOperationGetOperand(wait, 0),
            mlirOperationGetOperand(wait, 1), no_type);
  if (!mlirAttributeIsNull(how))
    mlirOperationSetDiscardableAttributeByName(depend, name, how);
}

/// `async.await`, `async.await_all` (wait until READY) and
/// `agpu.stream_wait` (wait until ENQUEUED, then make the stream depend).
static MlirLogicalResult lower_await(const coroutine *self, MlirOperation op) {
  if (!in_cfg(self, op))
    return mlirLogicalResultFailure();
  MlirLocation location = mlirOperationGetLocation(op);
  bool on_stream = agpu__op_is(op, "agpu.stream_wait");
  MlirValue object = mlirOperationGetOperand(op, on_stream ? 1 : 0);
  MlirBlock before = mlirOperationGetBlock(op);

  // before ─▶ go, by way of `wait` when there is something to wait for.
  // Upstream's runtime cannot tell: there the coroutine always suspends. On a
  // stream one call asks and waits: what only enqueues is short code, and there
  // may be much of it.
  MlirBlock go = agpu__split_after(op);
  MlirBlock wait = before;
  MlirValue ready = NONE, state = NONE;
  agpu__builder at = agpu__builder_before(op);
  if (on_stream) {
    state = build_save(self, &at);
    ready = agpu__result(build(&at, "agpu.await_enqueued_and_resume", object,
                               self->handle, agpu__i1_type(at.context)),
                         0);
  } else if (!self->upstream) {
    ready = agpu__result(
        build(&at, "agpu.is_ready", object, NONE, agpu__i1_type(at.context)),
        0);
  }
  if (!mlirValueIsNull(ready)) {
    wait = agpu__block_after(before);
    agpu__branch_if(before, location, ready, go, wait);
    at = agpu__builder_at_end(wait, location);
  }
  if (!on_stream) {
    state = build_save(self, &at);
    build(&at, "async.runtime.await_and_resume", object, self->handle, no_type);
  }
  build_suspend(self, wait, location, state, self->suspended, go);

  // go: an error ends the coroutine, otherwise the payload is read.
  at = agpu__builder_at_start(go, location);
  MlirOperation failed =
      build(&at, self->upstream ? "async.runtime.is_error" : "agpu.has_failed",
            object, NONE, agpu__i1_type(at.context));
  MlirBlock rest = agpu__split_after(failed);
  MlirBlock error =
      build_error(self, go, location, object, (MlirAttribute){NULL});
  agpu__branch_if(go, location, agpu__result(failed, 0), error, rest);
  at = agpu__builder_at_start(rest, location);
  if (on_stream)
    build_depend(&at, op);
  if (mlirOperationGetNumResults(op) == 1) {
    MlirOperation load = build(&at, "async.runtime.load", object, NONE,
                               mlirValueGetType(agpu__result(op, 0)));
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), agpu__result(load, 0));
  }
  mlirOperationDestroy(op);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_assert(const coroutine *self, MlirOperation op) {
  if (!in_cfg(self, op))
    return mlirLogicalResultFailure();
  MlirLocation location = mlirOperationGetLocation(op);
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock rest = agpu__split_after(op);
  MlirBlock error =
      build_error(self, before, location, NONE,
                  mlirOperationGetAttributeByName(op, agpu__str("msg")));
  agpu__branch_if(before, location, mlirOperationGetOperand(op, 0), rest,
                  error);
  mlirOperationDestroy(op);
  return mlirLogicalResultSuccess();
}

/// Ends the coroutine from the end of `block` with all results available by op
/// `name`. Values before the token: who sees the token sees them.
static void build_results_available(const coroutine *self, MlirBlock block,
                                    MlirLocation location, const char *name) {
  agpu__builder at = agpu__builder_at_end(block, location);
  for (size_t i = self->results.count; i-- > 0;)
    build(&at, name, self->results.data[i], self->stream, no_type);
  build_finish(self, &at);
}

static MlirLogicalResult lower_return(const coroutine *self, MlirOperation op) {
  if (!in_cfg(self, op))
    return mlirLogicalResultFailure();
  agpu__builder at = agpu__builder_before(op);
  size_t payloads = (size_t)mlirOperationGetNumOperands(op);
  size_t first_value = self->results.count - payloads;
  for (size_t i = 0; i < payloads; ++i)
    build(&at, "async.runtime.store", mlirOperationGetOperand(op, (intptr_t)i),
          self->results.data[first_value + i], no_type);
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
    build_results_available(self, alone, location,
                            "agpu.set_available_unshared");
    block = others;
  }
  build_results_available(self, block, location,
                          !mlirValueIsNull(self->stream) ? "agpu.set_enqueued"
                          : self->upstream ? "async.runtime.set_available"
                                           : "agpu.set_available_last");
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Ops of plain functions
//===----------------------------------------------------------------------===//

/// Waits as upstream's lowering does: an error ends the program by an
/// assertion.
static void build_upstream_await(agpu__builder *at, MlirValue object) {
  build(at, "async.runtime.await", object, NONE, no_type);
  MlirType i1 = agpu__i1_type(at->context);
  MlirNamedAttribute one =
      agpu__named(at->context, "value", mlirIntegerAttrGet(i1, 1));
  MlirValue failed =
      agpu__result(build(at, "async.runtime.is_error", object, NONE, i1), 0);
  MlirValue yes = agpu__result(
      agpu__build_op(at, "arith.constant", NULL, 0, i1, &one, 1), 0);
  MlirValue fine = agpu__result(build(at, "arith.xori", failed, yes, i1), 0);
  MlirNamedAttribute message = agpu__named(
      at->context, "msg",
      agpu__string_attr(at->context, "an awaited async object is in error"));
  agpu__build_op(at, "cf.assert", &fine, 1, no_type, &message, 1);
}

static void lower_blocking_await(MlirOperation op, bool upstream) {
  agpu__builder at = agpu__builder_before(op);
  bool on_stream = agpu__op_is(op, "agpu.stream_wait");
  MlirValue object = mlirOperationGetOperand(op, on_stream ? 1 : 0);
  if (on_stream) {
    build(&at, "agpu.await_enqueued", object, NONE, no_type);
    build(&at, "agpu.check", object, NONE, no_type);
    build_depend(&at, op);
  } else if (upstream) {
    build_upstream_await(&at, object);
  } else {
    build(&at, "agpu.await", object, NONE, no_type);
  }
  if (mlirOperationGetNumResults(op) == 1) {
    MlirOperation load = build(&at, "async.runtime.load", object, NONE,
                               mlirValueGetType(agpu__result(op, 0)));
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), agpu__result(load, 0));
  }
  mlirOperationDestroy(op);
}

/// A failed `cf.assert` ends the program with the message that a region's would
/// have: by a token of its own.
static void lower_plain_assert(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock rest = agpu__split_after(op);
  MlirBlock error = agpu__block_after(before);
  agpu__builder at = agpu__builder_at_end(error, location);
  MlirValue token = build_failed_token(
      &at, mlirOperationGetAttributeByName(op, agpu__str("msg")));
  build(&at, "agpu.check", token, NONE, no_type);
  agpu__branch(error, location, rest);
  agpu__branch_if(before, location, mlirOperationGetOperand(op, 0), rest,
                  error);
  mlirOperationDestroy(op);
}

/// Replaces `op` by the op `name` with the same operands and results.
static void rename_op(MlirOperation op, const char *name) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue operands[2] = {NONE, NONE};
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count && i < 2; ++i)
    operands[i] = mlirOperationGetOperand(op, i);
  MlirOperation fresh = build(&at, name, operands[0], operands[1],
                              mlirValueGetType(agpu__result(op, 0)));
  mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), agpu__result(fresh, 0));
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Where a coroutine starts.
typedef enum start {
  START_CALLER,   ///< a function that the user wrote, or that only enqueues
  START_RESUMED,  ///< likewise, by resuming it: see compact_start
  START_SPAWNER,  ///< likewise; its caller is a spawner, who may be too fast
  START_EITHER,   ///< as the runtime says
  START_EXECUTOR, ///< on a worker
} start;

/// LLVM copies what may run before a coroutine is first suspended: it stands in
/// the function that starts it and in the one that resumes it. Where a call
/// more does not matter, beside those of a driver, the former only resumes.
static start compact_start(start where, const agpu__ops *ops,
                           MlirValue stream) {
  if (where != START_CALLER || mlirValueIsNull(stream))
    return where;
  for (size_t i = 0; i < ops->count; ++i)
    if (agpu__op_is(ops->data[i], "async.await") ||
        agpu__op_is(ops->data[i], "async.await_all") ||
        agpu__op_is(ops->data[i], "agpu.stream_wait"))
      return START_RESUMED;
  return where; // no coroutine is left of it
}

static bool starts_in_spawner(start where) {
  return where == START_SPAWNER || where == START_EITHER;
}

static start start_of(MlirOperation async_function, bool upstream) {
  MlirStringRef kind = agpu__get_string(async_function, AGPU__KIND_ATTR);
  // A function that the user wrote starts in its caller, as upstream's do.
  if (!kind.data || mlirStringRefEqual(kind, agpu__str("device")))
    return START_CALLER;
  MlirStringRef where = agpu__get_string(async_function, AGPU__START_ATTR);
  if (upstream || !where.data)
    return START_EXECUTOR;
  if (mlirStringRefEqual(where, agpu__str(AGPU__START_SPAWNER)))
    return START_SPAWNER;
  return mlirStringRefEqual(where, agpu__str(AGPU__START_EITHER))
             ? START_EITHER
             : START_EXECUTOR;
}

/// What the body begins with, if that is an await of an argument: a region that
/// depends on it need not start before. Otherwise null.
static MlirValue first_awaited(MlirBlock entry) {
  MlirOperation op = mlirBlockGetFirstOperation(entry);
  while (agpu__op_is(op, "llvm.alloca") ||
         agpu__op_is(op, "llvm.mlir.constant") ||
         agpu__op_is(op, "arith.constant"))
    op = mlirOperationGetNextInBlock(op);
  if (!agpu__op_is(op, "async.await"))
    return NONE;
  MlirValue object = mlirOperationGetOperand(op, 0);
  return mlirValueIsABlockArgument(object) ? object : NONE;
}

/// A variable in the frame, false at first; behind the function's other ones.
static MlirValue build_flag(agpu__builder *at) {
  MlirNamedAttribute type = agpu__named(
      at->context, "elem_type", mlirTypeAttrGet(agpu__i1_type(at->context)));
  MlirValue one = agpu__llvm_i64(at, 1);
  MlirValue flag =
      agpu__result(agpu__build_op(at, "llvm.alloca", &one, 1,
                                  agpu__ptr_type(at->context), &type, 1),
                   0);
  agpu__llvm_store(at, agpu__llvm_bool(at, false), flag);
  return flag;
}

/// The end of `block`, which has begun the coroutine: how it gets to `body`.
static void build_start(const coroutine *self, MlirBlock block, start where,
                        MlirValue after, MlirBlock body) {
  MlirLocation location = mlirOperationGetLocation(self->function);
  agpu__builder at = agpu__builder_at_end(block, location);
  if (where == START_CALLER || where == START_SPAWNER) {
    agpu__branch(block, location, body);
    return;
  }
  if (where == START_EITHER) {
    MlirValue here = agpu__result(
        build(&at, "agpu.start_here", NONE, NONE, agpu__i1_type(at.context)),
        0);
    MlirBlock submit = agpu__block_after(block);
    agpu__branch_if(block, location, here, body, submit);
    block = submit;
    at = agpu__builder_at_end(block, location);
  }
  MlirValue state = build_save(self, &at);
  if (where == START_RESUMED)
    build(&at, "agpu.resume_here", self->handle, NONE, no_type);
  else if (mlirValueIsNull(after))
    build(&at, "async.runtime.resume", self->handle, NONE, no_type);
  else
    build(&at, "agpu.resume_after", after, self->handle, no_type);
  build_suspend(self, block, location, state, self->submitted, body);
}

/// `cf.br ^end(%started, %suspended)` at the end of a block.
static void branch_to_end(const coroutine *self, MlirBlock block, bool started,
                          bool suspended) {
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(self->function));
  MlirValue operands[] = {agpu__llvm_bool(&at, started),
                          agpu__llvm_bool(&at, suspended)};
  agpu__op_spec spec = {.name = "cf.br",
                        .location = at.location,
                        .operands = operands,
                        .operand_count = 2,
                        .successors = &self->end,
                        .successor_count = 1};
  agpu__build(&at, &spec);
}

/// The way out of the coroutine, by one block, as LLVM wants it. Behind
/// `coro.end`, where it cuts off all but the way back to the caller, a spawner
/// that has started the coroutine says so: it may have to wait, if there are
/// too many that are suspended.
static void build_end(coroutine *self, start where) {
  MlirContext context = mlirOperationGetContext(self->function);
  MlirLocation location = mlirOperationGetLocation(self->function);
  agpu__builder at = agpu__builder_at_end(self->cleanup, location);
  build(&at, "async.coro.free", self->id, self->handle, no_type);
  if (!starts_in_spawner(where)) {
    agpu__branch(self->cleanup, location, self->end);
    at = agpu__builder_at_end(self->end, location);
    build(&at, "async.coro.end", self->handle, NONE, no_type);
  } else {
    MlirType i1 = agpu__i1_type(context);
    MlirValue started = mlirBlockAddArgument(self->end, i1, location);
    MlirValue suspended = mlirBlockAddArgument(self->end, i1, location);
    branch_to_end(self, self->cleanup, where == START_EITHER, false);
    branch_to_end(self, self->suspended, true, true);
    if (where == START_EITHER)
      branch_to_end(self, self->submitted, false, false);
    at = agpu__builder_at_end(self->end, location);
    build(&at, "async.coro.end", self->handle, NONE, no_type);
    MlirBlock say = agpu__block_after(self->end);
    MlirBlock back = agpu__block_after(say);
    agpu__branch_if(self->end, location, started, say, back);
    at = agpu__builder_at_end(say, location);
    if (where == START_EITHER)
      build(&at, "agpu.started_here", suspended, NONE, no_type);
    else
      build(&at, "agpu.throttle", NONE, NONE, no_type);
    agpu__branch(say, location, back);
    at = agpu__builder_at_end(back, location);
  }
  agpu__build_op(&at, "func.return", self->results.data, self->results.count,
                 no_type, NULL, 0);
}

static MlirBlock append_block(MlirRegion region) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  return block;
}

/// The coroutine around the body: everything but the ops inside.
static coroutine build_frame(MlirOperation function, MlirType type, start where,
                             MlirValue stream, bool upstream) {
  MlirContext context = mlirOperationGetContext(function);
  MlirLocation location = mlirOperationGetLocation(function);
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  coroutine self = {
      .function = function, .stream = stream, .upstream = upstream};
  MlirValue after = upstream ? NONE : first_awaited(entry);

  self.cleanup = append_block(region);
  if (starts_in_spawner(where))
    self.suspended = append_block(region);
  if (where == START_EITHER)
    self.submitted = append_block(region);
  self.end = append_block(region);
  if (!starts_in_spawner(where))
    self.suspended = self.submitted = self.end;

  // Allocations stay in front: LLVM puts those of the entry block into the
  // frame.
  MlirOperation allocas = agpu__gather_allocas(entry);
  agpu__builder at = agpu__builder_at_start(entry, location);
  if (!mlirOperationIsNull(allocas))
    at.before = mlirOperationGetNextInBlock(allocas);
  // A stream's results become ENQUEUED, by a call in any case.
  if (where != START_EXECUTOR && !upstream && mlirValueIsNull(stream))
    self.shared = build_flag(&at);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    agpu__values_push(
        &self.results,
        agpu__result(build(&at, "async.runtime.create", NONE, NONE,
                           mlirFunctionTypeGetResult(type, i)),
                     0));
  self.id = agpu__result(build(&at, "async.coro.id", NONE, NONE,
                               agpu__parse_type(context, "!async.coro.id")),
                         0);
  MlirOperation begin = build(&at, "async.coro.begin", self.id, NONE,
                              agpu__parse_type(context, "!async.coro.handle"));
  self.handle = agpu__result(begin, 0);
  MlirBlock body = agpu__split_after(begin);
  build_start(&self, entry, where, after, body);
  build_end(&self, where);
  return self;
}

static MlirLogicalResult lower_async_function(MlirOperation async_function,
                                              bool upstream) {
  start where = start_of(async_function, upstream);
  MlirType type = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(
      async_function, agpu__str("function_type")));
  MlirOperation function = agpu__async_function_as_func(async_function);
  mlirOperationDestroy(async_function);
  if (mlirBlockIsNull(
          mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0))))
    return mlirLogicalResultSuccess(); // a declaration

  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  MlirValue stream = NONE;
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__op_is(ops.data[i], "agpu.stream_acquire"))
      stream = agpu__result(ops.data[i], 0);
  if (!upstream)
    where = compact_start(where, &ops, stream);
  coroutine self = build_frame(function, type, where, stream, upstream);

  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < ops.count && mlirLogicalResultIsSuccess(result); ++i) {
    MlirOperation op = ops.data[i];
    if (agpu__op_is(op, "async.await") || agpu__op_is(op, "async.await_all") ||
        agpu__op_is(op, "agpu.stream_wait"))
      result = lower_await(&self, op);
    else if (agpu__op_is(op, "cf.assert"))
      result = lower_assert(&self, op);
    else if (agpu__op_is(op, "async.return"))
      result = lower_return(&self, op);
  }
  agpu__values_free(&self.results);
  agpu__ops_free(&ops);
  return result;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result))
    return result;
  agpu__ops ops = {0};
  agpu__collect(module, "async.func", &ops);
  for (size_t i = 0; i < ops.count; ++i)
    if (mlirLogicalResultIsFailure(lower_async_function(ops.data[i], upstream)))
      result = mlirLogicalResultFailure();
  agpu__ops_free(&ops);
  if (mlirLogicalResultIsFailure(result))
    return result;

  // What is left stands in plain functions, or is the same everywhere.
  agpu__collect(module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (agpu__op_is(op, "async.await") || agpu__op_is(op, "async.await_all") ||
        agpu__op_is(op, "agpu.stream_wait"))
      lower_blocking_await(op, upstream);
    else if (agpu__op_is(op, "cf.assert") && !upstream &&
             agpu__op_is(mlirOperationGetParentOperation(op), "func.func"))
      lower_plain_assert(op);
    else if (agpu__op_is(op, "async.create_group"))
      rename_op(op, "async.runtime.create_group");
    else if (agpu__op_is(op, "async.add_to_group"))
      rename_op(op, "async.runtime.add_to_group");
    else if (agpu__op_is(op, "async.call"))
      agpu__async_call_as_func_call(op);
    else if (agpu__op_is(op, "async.execute"))
      result = agpu__error(mlirOperationGetLocation(op),
                           "async.execute must be outlined before coroutines "
                           "are made: run --async-gpu-outline first");
  }
  agpu__ops_free(&ops);
  return result;
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_coroutines = {
    .argument = "async-gpu-coroutines",
    .summary =
        "Turn async functions into coroutines and awaits into suspensions",
    .description =
        "Each `async.func` becomes a `func.func` with the coroutine ops of the "
        "async dialect. An await in it asks whether the object is ready and "
        "suspends the coroutine only if it is not; an awaited error ends the "
        "coroutine and becomes the error of its token and values, and so does "
        "a failed `cf.assert`. Functions with `async_gpu.kind` of `host` or "
        "`mixed` start on the executor, all others in their caller.\n\n"
        "An await in a plain function becomes `agpu.await`, which lets other "
        "threads run tasks while it waits, and ends the program with a message "
        "when the "
        "object is in error.\n\n"
        "In a function with a stream, `agpu.stream_wait` suspends only until "
        "the object's work is enqueued (one call asks and waits). Such a "
        "function that starts in its caller is suspended at once and resumed "
        "by it (`agpu.resume_here`), so that its body is compiled once and not "
        "twice. Its results become available as "
        "soon as the function's own work is enqueued. Structured control flow "
        "must have become branches before.",
    .before = "async.func @f(%t: !async.token) -> !async.token {\n"
              "  async.await %t : !async.token\n"
              "  return\n"
              "}\n",
    .after =
        "func.func @f(%t: !async.token) -> !async.token {\n"
        "  %token = async.runtime.create : !async.token\n"
        "  %id = async.coro.id\n"
        "  %hdl = async.coro.begin %id\n"
        "  cf.br ^body\n"
        "^body:\n"
        "  %ready = \"agpu.is_ready\"(%t) : (!async.token) -> i1\n"
        "  cf.cond_br %ready, ^go, ^wait\n"
        "^wait:\n"
        "  %state = async.coro.save %hdl\n"
        "  async.runtime.await_and_resume %t, %hdl : !async.token\n"
        "  async.coro.suspend %state, ^end, ^go, ^cleanup\n"
        "^go:\n"
        "  %failed = \"agpu.has_failed\"(%t) : (!async.token) -> i1\n"
        "  cf.cond_br %failed, ^error, ^rest\n"
        "^error:\n"
        "  \"agpu.forward_error\"(%token, %t) : (!async.token, !async.token) "
        "-> ()\n"
        "  cf.br ^cleanup\n"
        "^rest:\n"
        "  \"agpu.set_available_last\"(%token) : (!async.token) -> ()\n"
        "  cf.br ^cleanup\n"
        "^cleanup:\n"
        "  async.coro.free %id, %hdl\n"
        "  cf.br ^end\n"
        "^end:\n"
        "  async.coro.end %hdl\n"
        "  return %token : !async.token\n"
        "}\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
