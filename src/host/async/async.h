//===- async.h - Regions on their way to coroutines -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces between the files of this folder: async functions, the
// coroutines or plain functions that they become, and calls of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_ASYNC_ASYNC_H
#define ASYNC_GPU_HOST_ASYNC_ASYNC_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// The body of an async function
//===----------------------------------------------------------------------===//

/// A function that holds the body of an async function, whatever it has become.
typedef struct agpu__async_body {
  MlirOperation function;
  agpu__values results; ///< what it completes: token and values
  MlirValue stream;     ///< null: the function has none
  bool upstream;        ///< only calls that upstream's runtime has
  bool has_messages;    ///< what it awaits may be one of MPI
  /// What may have the results before the body ends: all, or, where `shared` is
  /// not null, those whom the i1 at this address says, or nobody.
  bool unshared;
  MlirValue shared;
  MlirBlock exit; ///< where the body goes on once it has completed the results
} agpu__async_body;

/// `async.await`, `async.await_all` and `agpu.stream_wait`.
bool agpu__is_await(MlirOperation op);

/// `memref.alloc` and `memref.realloc`.
bool agpu__is_heap_allocation(MlirOperation op);

/// `cf.assert`, `agpu.propagate` and allocations on the heap.
bool agpu__can_end_body(MlirOperation op);

/// An error for each of the body's `ops`, in their order, that cannot suspend
/// or end it, as it does not stand directly in the function.
MlirLogicalResult agpu__async_body_verify(const agpu__async_body *self,
                                          const agpu__ops *ops);

/// Why something fails: one of these is not null.
typedef struct agpu__failure {
  MlirValue from;        ///< an object: its error
  MlirAttribute message; ///< of an assertion
  MlirValue bytes;       ///< that could not be allocated
} agpu__failure;

/// What a check finds: if not `ok`, there is a failure.
typedef struct agpu__failure_check {
  MlirValue ok;
  agpu__failure failure;
  MlirBlock before, rest; ///< the end of the one branches to the other, if `ok`
  MlirLocation location;
} agpu__failure_check;

/// Splits the block at `op`, a `cf.assert` or `agpu.propagate`, which goes
/// away, or an allocation on the host. The caller branches at the end of
/// `before`. False where `op` cannot fail.
bool agpu__split_at_failure(MlirOperation op, agpu__failure_check *out_check);

/// A block after `after` that puts the results into ERROR.
MlirBlock agpu__async_body_error(const agpu__async_body *self, MlirBlock after,
                                 MlirLocation location, agpu__failure failure);

/// What agpu__can_end_body says, and `async.return`.
void agpu__async_body_check(const agpu__async_body *self, MlirOperation op);
void agpu__async_body_return(const agpu__async_body *self, MlirOperation op);

/// What is left of an await, at `at`, once `object` is there without an error:
/// the stream depends on it, and the payload takes the place of `await`, which
/// goes away.
void agpu__build_awaited(agpu__builder *at, MlirOperation await,
                         MlirValue object);

/// Puts `object` into ERROR.
void agpu__build_failure(agpu__builder *at, MlirValue object,
                         agpu__failure failure);

/// A new token in ERROR.
MlirValue agpu__build_failed_token(agpu__builder *at, agpu__failure failure);

//===----------------------------------------------------------------------===//
// Async functions as functions
//===----------------------------------------------------------------------===//

/// Makes a `func.func` in front of an `async.func`, with its name, its type and
/// its body, which is moved. What the passes noted of the region
/// (`dialect/attributes.h`) is left out. The async function, empty, is the
/// caller's to destroy.
MlirOperation agpu__async_function_as_func(MlirOperation async_function);

/// `async.call` → `func.call` of the same function, in its place.
void agpu__async_call_as_func_call(MlirOperation call);

//===----------------------------------------------------------------------===//
// Boxes of unranked memrefs
//===----------------------------------------------------------------------===//

/// On agpu.unbox_unranked: the memref's descriptor is a copy on the stack.
#define AGPU__COPY_ATTR "copy"

/// A new box of type `box_type` with one reference, which holds a copy of the
/// descriptor of `memref`. A null value after an error.
MlirValue agpu__box_unranked(agpu__builder *at, MlirOperation module,
                             MlirValue memref, MlirType box_type);

/// The unranked memref, of type `memref`, in a box: with the box's descriptor,
/// or `on_stack` with a copy in the function's frame, which must not be a
/// coroutine's.
MlirValue agpu__unbox_unranked(agpu__builder *at, MlirOperation module,
                               MlirValue box, MlirType memref, bool on_stack);

//===----------------------------------------------------------------------===//
// Coroutines that take a moment
//===----------------------------------------------------------------------===//

/// Marks each `async.runtime.resume` and `agpu.resume_after` (AGPU__BRIEF_ATTR)
/// that puts a coroutine on the executor which has few ops and neither blocks
/// nor loops, nor calls what might, until it ends or suspends. A thread that
/// waits may then run it on its own stack: it is not held up. Before async ops
/// are lowered; not where in doubt.
void agpu__mark_brief(MlirOperation module);

/// Whether `op` does nothing but compute: it reads and writes memory and the
/// states of async objects, and neither blocks nor suspends nor spawns. False
/// where in doubt.
bool agpu__only_computes(MlirOperation op);

/// Whether all branches of `op` lead to blocks after its own.
bool agpu__only_branches_forward(MlirOperation op);

//===----------------------------------------------------------------------===//
// A coroutine around a body
//===----------------------------------------------------------------------===//

/// Where an async function starts.
typedef enum agpu__start {
  AGPU__STARTS_CALLER,   ///< a function that the user wrote, or that only
                         ///< enqueues
  AGPU__STARTS_SPAWNER,  ///< likewise; its caller is a spawner, maybe too fast
  AGPU__STARTS_EITHER,   ///< as the runtime says
  AGPU__STARTS_EXECUTOR, ///< on a worker
} agpu__start;

typedef struct agpu__coroutine {
  agpu__async_body body;
  MlirValue id, handle;
  MlirBlock suspended; ///< what a suspension leads to
  MlirBlock submitted; ///< likewise, of a start on the executor
  MlirBlock end;
  int64_t suspensions; ///< how many have a number
} agpu__coroutine;

/// Everything of a coroutine of the async function's type but the ops of its
/// body, which stand in the function. `body` has no results and no exit yet;
/// the caller frees the results.
agpu__coroutine agpu__coroutine_create(agpu__async_body body, MlirType type,
                                       agpu__start where);

/// `async.await`, `async.await_all` (wait until READY) and
/// `agpu.stream_wait` (wait until ENQUEUED, then make the stream depend).
void agpu__coroutine_await(agpu__coroutine *self, MlirOperation op);

//===----------------------------------------------------------------------===//
// Calls once operands are enqueued
//===----------------------------------------------------------------------===//

/// Whether the function with this body, which starts in its caller, waits for
/// nothing but that some of its operands are ENQUEUED, before anything else.
bool agpu__waits_for_operands(const agpu__async_body *body);

/// Splits such a function: its body becomes a function of its own after it,
/// and what is left calls that by a `func.call` with AGPU__AWAITED_ATTR. The
/// new body, without awaits; the caller frees its results.
agpu__async_body agpu__enqueued_call_create(agpu__async_body body,
                                            MlirType type);

/// Turns such a call into a frame and a call of the runtime, and its callee,
/// which nothing else calls, into a function of that frame.
void agpu__enqueued_call_lower(MlirOperation module, MlirSymbolTable symbols,
                               MlirOperation call);

//===----------------------------------------------------------------------===//
// A function that gives its failure
//===----------------------------------------------------------------------===//

/// Lowers what fails or is awaited in a `func.func` with AGPU__FAILS_ATTR,
/// which goes away.
void agpu__lower_failing_function(MlirOperation function);

//===----------------------------------------------------------------------===//
// Stack memory of async functions
//===----------------------------------------------------------------------===//

/// Turns each `memref.alloca` in an async function into memory that is
/// allocated once, at the start of the function, where LLVM can make it part of
/// the coroutine's frame, and puts the ops of each `memref.alloca_scope` in its
/// place. An allocation in a loop gets the same memory each time around. Fails
/// with a diagnostic where the size is not static, or where rounds of the loop
/// need memory of their own.
MlirLogicalResult agpu__hoist_allocas(MlirSymbolTable symbols,
                                      MlirOperation async_function);

/// Puts the ops of each `memref.alloca_scope` in a function that is no async
/// one in its place, between ops that save and restore the stack.
void agpu__inline_stack_scopes(MlirOperation function);

/// The last `llvm.alloca` among the first ops of `block` that came from there,
/// moved to its start with their constants; a null op if there is none. A
/// coroutine begins after it.
MlirOperation agpu__gather_allocas(MlirBlock block);

//===----------------------------------------------------------------------===//
// One op on its way to the runtime
//===----------------------------------------------------------------------===//

#define NONE ((MlirValue){NULL})

/// The object of a coroutine that lies in one piece with the frame, as long as
/// the ops of its function are lowered; those of a function follow each other.
typedef struct agpu__frame_owner {
  MlirOperation function;
  MlirValue object;
} agpu__frame_owner;

/// An op of the dialects async and agpu that becomes calls of the runtime.
typedef struct agpu__lowering {
  MlirOperation module;
  MlirOperation op;
  agpu__builder at; ///< before it
  bool upstream;    ///< only calls that upstream's runtime and libc have
  agpu__frame_owner *owner;
} agpu__lowering;

static inline MlirValue agpu__operand(const agpu__lowering *self,
                                      intptr_t index) {
  return mlirOperationGetOperand(self->op, index);
}

/// The op's only result takes the value `with`; the op goes away.
static inline void agpu__replace(agpu__lowering *self, MlirValue with) {
  if (!mlirValueIsNull(with))
    mlirValueReplaceAllUsesOfWith(agpu__result(self->op, 0), with);
  mlirOperationDestroy(self->op);
}

/// A call with up to three operands; its result, or null.
static inline MlirValue agpu__call(agpu__lowering *self, const char *name,
                                   MlirValue a, MlirValue b, MlirValue c,
                                   MlirType result) {
  MlirValue operands[] = {a, b, c};
  size_t count = 0;
  while (count < 3 && !mlirValueIsNull(operands[count]))
    ++count;
  return agpu__call_runtime(&self->at, self->module, name, operands, count,
                            result);
}

/// coroutine_calls.c: the ops of a coroutine, its start and its awaits; false
/// for all others.
bool agpu__lower_coroutine_op(agpu__lowering *self);

/// The object that came with the frame of the coroutine that the op stands in;
/// null where none has.
MlirValue agpu__task_of(const agpu__lowering *self);

/// The size and alignment of that frame.
typedef struct agpu__frame_layout {
  MlirValue size, alignment;
} agpu__frame_layout;

agpu__frame_layout agpu__build_frame_layout(agpu__builder *at);

/// Puts an op of the LLVM dialect, `text`, into the module if there is no
/// symbol `name`.
void agpu__declare(agpu__lowering *self, const char *name, const char *text);

/// The address of the function that resumes a coroutine, made on first use.
MlirValue agpu__resume_function(agpu__lowering *self);

/// object_calls.c: questions, payloads, references, errors and boxes; false for
/// all other ops. `out_result` says whether there was a diagnostic.
bool agpu__lower_object_op(agpu__lowering *self, MlirLogicalResult *out_result);

/// Of a drop_ref of a token, before it is lowered: not done where the token is
/// the one that is always ready, as it often is, and LLVM finds out by
/// inlining. The rest of the block moves to another one.
void agpu__skip_ready_token(agpu__lowering *self);

//===----------------------------------------------------------------------===//
// Regions that run where they are spawned
//===----------------------------------------------------------------------===//

/// Makes a plain function of the async function `region`, which awaits nothing
/// but its arguments, in its entry block, and does not spawn. Where an argument
/// that it awaits is not READY, the function calls a copy of `region` named
/// `NAME_later`, which is added to `symbols`; so it does, where `region` starts
/// in its spawner only while others have enough to do, if they have not. Calls
/// of `region` are not changed.
void agpu__run_at_spawn(MlirSymbolTable symbols, MlirOperation region);

/// Whether an await of such a region is of an operand, which only looks once
/// all are READY; or the last thing that a region does which gives a token and
/// nothing else.
bool agpu__awaits_argument(MlirOperation await);
bool agpu__awaits_last(MlirOperation await);

#endif // ASYNC_GPU_HOST_ASYNC_ASYNC_H
