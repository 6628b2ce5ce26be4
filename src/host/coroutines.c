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
//              otherwise: br ^body
//   ^body:     an await: br ^go if ready, else save, await_and_resume,
//              suspend ─▶ ^go
//   ^go:       in error? ─▶ ^error: forward the error to the results
//              return: store, set available (or enqueued) ─▶ ^cleanup
//   ^cleanup:  free the frame ─▶ ^suspend
//   ^suspend:  coro.end, return the results
//
//===----------------------------------------------------------------------===//

#include "host/frame_memory.h"
#include "host/passes.h"
#include "lower/abi.h"
#include "lower/cfg.h"
#include "lower/ir.h"
#include "lower/kind.h"
#include "lower/payload.h"

#include <stdlib.h>
#include <string.h>

typedef struct coroutine {
  MlirOperation function;
  agpu__values results; ///< what it returns: token and values
  MlirValue id, handle;
  MlirValue stream; ///< null: the function has none
  bool upstream;    ///< only calls that upstream's runtime has
  MlirBlock cleanup, suspend;
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

/// `coro.suspend %state` at the end of `block`.
static void build_suspend(const coroutine *self, MlirBlock block,
                          MlirLocation location, MlirValue state,
                          MlirBlock resume) {
  agpu__builder at = agpu__builder_at_end(block, location);
  MlirBlock successors[] = {self->suspend, resume, self->cleanup};
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
  // Upstream's runtime cannot tell: there the coroutine always suspends.
  MlirBlock go = agpu__split_after(op);
  MlirBlock wait = before;
  agpu__builder at = agpu__builder_before(op);
  if (!self->upstream) {
    wait = agpu__block_after(before);
    MlirValue ready = agpu__result(
        build(&at, on_stream ? "agpu.is_enqueued" : "agpu.is_ready", object,
              NONE, agpu__i1_type(at.context)),
        0);
    agpu__branch_if(before, location, ready, go, wait);
    at = agpu__builder_at_end(wait, location);
  }
  MlirValue state = build_save(self, &at);
  build(&at,
        on_stream ? "agpu.await_enqueued_and_resume"
                  : "async.runtime.await_and_resume",
        object, self->handle, no_type);
  build_suspend(self, wait, location, state, go);

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

static MlirLogicalResult lower_return(const coroutine *self, MlirOperation op) {
  if (!in_cfg(self, op))
    return mlirLogicalResultFailure();
  agpu__builder at = agpu__builder_before(op);
  size_t payloads = (size_t)mlirOperationGetNumOperands(op);
  size_t first_value = self->results.count - payloads;
  for (size_t i = 0; i < payloads; ++i)
    build(&at, "async.runtime.store", mlirOperationGetOperand(op, (intptr_t)i),
          self->results.data[first_value + i], no_type);
  // Values before the token: who sees the token sees them.
  for (size_t i = self->results.count; i-- > 0;) {
    if (mlirValueIsNull(self->stream))
      build(&at, "async.runtime.set_available", self->results.data[i], NONE,
            no_type);
    else
      build(&at, "agpu.set_enqueued", self->results.data[i], self->stream,
            no_type);
  }
  at = agpu__builder_at_end(mlirOperationGetBlock(op),
                            mlirOperationGetLocation(op));
  mlirOperationDestroy(op);
  build_finish(self, &at);
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

/// `async.call` → `func.call`; async functions are functions from here on.
static void lower_call(MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  agpu__values operands = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
    agpu__values_push(&operands, mlirOperationGetOperand(call, i));
  intptr_t result_count = mlirOperationGetNumResults(call);
  MlirType *types = calloc((size_t)result_count + 1, sizeof(*types));
  if (!types)
    abort();
  for (intptr_t i = 0; i < result_count; ++i)
    types[i] = mlirValueGetType(agpu__result(call, i));
  MlirNamedAttribute callee =
      agpu__named(at.context, "callee",
                  mlirOperationGetAttributeByName(call, agpu__str("callee")));
  agpu__op_spec spec = {.name = "func.call",
                        .location = at.location,
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .results = types,
                        .result_count = (size_t)result_count,
                        .attributes = &callee,
                        .attribute_count = 1};
  MlirOperation fresh = agpu__build(&at, &spec);
  for (intptr_t i = 0; i < result_count; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(call, i),
                                  agpu__result(fresh, i));
  mlirOperationDestroy(call);
  free(types);
  agpu__values_free(&operands);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A `func.func` with the async function's attributes and body, in its place.
static MlirOperation replace_function(MlirOperation async_function) {
  agpu__builder at = agpu__builder_before(async_function);
  intptr_t count = mlirOperationGetNumAttributes(async_function);
  MlirNamedAttribute *attributes =
      calloc((size_t)count + 1, sizeof(*attributes));
  if (!attributes)
    abort();
  size_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(async_function, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(attribute.name),
                            agpu__str(AGPU__KIND_ATTR)))
      attributes[kept++] = attribute;
  }
  MlirRegion region = mlirRegionCreate();
  agpu__op_spec spec = {.name = "func.func",
                        .location = at.location,
                        .attributes = attributes,
                        .attribute_count = kept,
                        .regions = &region,
                        .region_count = 1};
  MlirOperation function = agpu__build(&at, &spec);
  mlirRegionTakeBody(mlirOperationGetRegion(function, 0),
                     mlirOperationGetRegion(async_function, 0));
  free(attributes);
  return function;
}

/// The coroutine around the body: everything but the ops inside.
static coroutine build_frame(MlirOperation function, MlirType type,
                             bool on_executor) {
  MlirContext context = mlirOperationGetContext(function);
  MlirLocation location = mlirOperationGetLocation(function);
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  coroutine self = {.function = function};

  self.cleanup = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, self.cleanup);
  self.suspend = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, self.suspend);

  // Allocations stay in front: LLVM puts those of the entry block into the
  // frame.
  MlirOperation allocas = agpu__gather_allocas(entry);
  agpu__builder at = agpu__builder_at_start(entry, location);
  if (!mlirOperationIsNull(allocas))
    at.before = mlirOperationGetNextInBlock(allocas);
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
  if (on_executor) {
    at = agpu__builder_at_end(entry, location);
    MlirValue state = build_save(&self, &at);
    build(&at, "async.runtime.resume", self.handle, NONE, no_type);
    build_suspend(&self, entry, location, state, body);
  } else {
    agpu__branch(entry, location, body);
  }

  at = agpu__builder_at_end(self.cleanup, location);
  build(&at, "async.coro.free", self.id, self.handle, no_type);
  agpu__branch(self.cleanup, location, self.suspend);
  at = agpu__builder_at_end(self.suspend, location);
  build(&at, "async.coro.end", self.handle, NONE, no_type);
  agpu__build_op(&at, "func.return", self.results.data, self.results.count,
                 no_type, NULL, 0);
  return self;
}

static MlirLogicalResult lower_async_function(MlirOperation async_function,
                                              bool upstream) {
  MlirStringRef kind = agpu__get_string(async_function, AGPU__KIND_ATTR);
  // A function that the user wrote starts in its caller, as upstream's do; so
  // does a region that only enqueues.
  bool on_executor =
      kind.data && !mlirStringRefEqual(kind, agpu__str("device"));
  MlirType type = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(
      async_function, agpu__str("function_type")));
  MlirOperation function = replace_function(async_function);
  mlirOperationDestroy(async_function);
  if (mlirBlockIsNull(
          mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0))))
    return mlirLogicalResultSuccess(); // a declaration

  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  coroutine self = build_frame(function, type, on_executor);
  self.upstream = upstream;
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__op_is(ops.data[i], "agpu.stream_acquire"))
      self.stream = agpu__result(ops.data[i], 0);

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
      lower_call(op);
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
        "the object's work is enqueued, and the results become available as "
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
        "  async.coro.suspend %state, ^suspend, ^go, ^cleanup\n"
        "^go:\n"
        "  %failed = \"agpu.has_failed\"(%t) : (!async.token) -> i1\n"
        "  cf.cond_br %failed, ^error, ^rest\n"
        "^error:\n"
        "  \"agpu.forward_error\"(%token, %t) : (!async.token, !async.token) "
        "-> ()\n"
        "  cf.br ^cleanup\n"
        "^rest:\n"
        "  async.runtime.set_available %token : !async.token\n"
        "  cf.br ^cleanup\n"
        "^cleanup:\n"
        "  async.coro.free %id, %hdl\n"
        "  cf.br ^suspend\n"
        "^suspend:\n"
        "  async.coro.end %hdl\n"
        "  return %token : !async.token\n"
        "}\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
