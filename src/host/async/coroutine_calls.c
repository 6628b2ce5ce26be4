//===- coroutine_calls.c - Coroutine ops become intrinsics ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A coroutine is what LLVM makes of its intrinsics; its frame comes from the
// runtime, which also resumes it:
//
//   async.coro.begin %id          %n = coro.size, %a = coro.align
//                                 %f = call @agpu_frame_alloc(%n, %a)
//                                 coro.begin %id, %f
//   async.runtime.resume %h       call @agpu_execute(%h, @agpu_coro_resume, 2)
//     {async_gpu.results = 2}
//   async.coro.suspend %s,        %how = coro.suspend %s
//     ^away, ^on, ^end            cf.switch %how, [default: ^away, 0: ^on,
//                                                  1: ^end]
//
// The frame of one that starts on the executor comes with its first result, by
// agpu_task_create_token or agpu_task_create_value (object_calls.c).
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "async_gpu/compiled/object_layout.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/llvm_compat.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

void agpu__declare(agpu__lowering *self, const char *name, const char *text) {
  if (mlirOperationIsNull(agpu__lookup(self->module, name)))
    mlirBlockInsertOwnedOperation(
        agpu__module_body(self->module), 0,
        mlirOperationCreateParse(self->at.context, agpu__str(text),
                                 agpu__str("async-gpu-runtime-calls")));
}

MlirValue agpu__resume_function(agpu__lowering *self) {
  agpu__declare(self, "agpu_coro_resume",
                "llvm.func internal @agpu_coro_resume(%handle: !llvm.ptr) {\n"
                "  llvm.intr.coro.resume %handle : !llvm.ptr\n"
                "  llvm.return\n"
                "}\n");
  return agpu__llvm_address(&self->at, "agpu_coro_resume");
}

/// A call of a libc function that upstream's conversions may declare too: as
/// an llvm.func, so that both find the same.
static MlirValue call_libc(agpu__lowering *self, const char *declaration,
                           const char *name, const MlirValue *operands,
                           size_t count, MlirType result) {
  agpu__declare(self, name, declaration);
  return agpu__llvm_call(&self->at, name, operands, count, result);
}

MlirValue agpu__task_of(const agpu__lowering *self) {
  return mlirOperationEqual(agpu__parent_of(self->op, "func.func"),
                            self->owner->function)
             ? self->owner->object
             : NONE;
}

agpu__frame_layout agpu__build_frame_layout(agpu__builder *at) {
  MlirType i64 = agpu__i64_type(at->context);
  return (agpu__frame_layout){
      .size = agpu__build_value(at, "llvm.intr.coro.size", NULL, 0, i64),
      .alignment = agpu__build_value(at, "llvm.intr.coro.align", NULL, 0, i64)};
}

/// The frame that came with the object `task`.
static MlirValue load_frame(agpu__lowering *self, MlirValue task) {
  MlirType pointer = agpu__ptr_type(self->at.context);
  MlirValue address =
      agpu__llvm_byte(&self->at, agpu__build_cast(&self->at, task, pointer),
                      AGPU_OBJECT_FRAME_OFFSET);
  return agpu__llvm_load(&self->at, address, pointer);
}

static void lower_begin(agpu__lowering *self) {
  MlirType pointer = agpu__ptr_type(self->at.context);
  MlirValue operands[] = {agpu__operand(self, 0), NONE};
  MlirValue task = agpu__task_of(self);
  if (!mlirValueIsNull(task)) {
    operands[1] = load_frame(self, task);
    agpu__replace(self, agpu__build_value(&self->at, "llvm.intr.coro.begin",
                                          operands, 2, pointer));
    return;
  }
  agpu__frame_layout frame = agpu__build_frame_layout(&self->at);
  MlirValue size = frame.size, alignment = frame.alignment;
  if (self->upstream) {
    // aligned_alloc wants a multiple of the alignment.
    MlirValue one = agpu__llvm_i64(&self->at, 1);
    MlirValue below = agpu__build_binary(&self->at, "llvm.sub", alignment, one);
    MlirValue padded = agpu__build_binary(&self->at, "llvm.add", size, below);
    MlirValue rest =
        agpu__build_binary(&self->at, "llvm.urem", padded, alignment);
    MlirValue rounded = agpu__build_binary(&self->at, "llvm.sub", padded, rest);
    MlirValue arguments[] = {alignment, rounded};
    operands[1] =
        call_libc(self, "llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr",
                  "aligned_alloc", arguments, 2, pointer);
  } else {
    operands[1] =
        agpu__call(self, "agpu_frame_alloc", size, alignment, NONE, pointer);
  }
  agpu__replace(self, agpu__build_value(&self->at, "llvm.intr.coro.begin",
                                        operands, 2, pointer));
}

/// Gives the function one more LLVM attribute.
static void add_passthrough(MlirOperation function, const char *attribute) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute old = agpu__attr(function, "passthrough");
  intptr_t count = mlirAttributeIsNull(old) || !mlirAttributeIsAArray(old)
                       ? 0
                       : mlirArrayAttrGetNumElements(old);
  MlirAttribute added = agpu__string_attr(context, attribute);
  AGPU__OWNED MlirAttribute *elements =
      agpu__allocate((size_t)count + 1, sizeof(*elements));
  bool known = false;
  for (intptr_t i = 0; i < count; ++i) {
    elements[i] = mlirArrayAttrGetElement(old, i);
    known |= mlirAttributeEqual(elements[i], added);
  }
  elements[count] = added;
  if (!known)
    agpu__set_attr(function, "passthrough",
                   mlirArrayAttrGet(context, count + 1, elements));
}

/// LLVM splits only functions that say they are coroutines.
static void lower_id(agpu__lowering *self) {
  MlirContext context = self->at.context;
  MlirValue null = agpu__llvm_null(&self->at);
  MlirValue operands[] = {
      agpu__llvm_constant(&self->at, agpu__i32_attr(context, 0)), null, null,
      null};
  add_passthrough(mlirOperationGetParentOperation(self->op),
                  "presplitcoroutine");
  agpu__replace(self,
                agpu__build_value(&self->at, "llvm.intr.coro.id", operands, 4,
                                  agpu__compat_coroutine_token(context)));
}

static void lower_suspend(agpu__lowering *self) {
  MlirContext context = self->at.context;
  MlirValue operands[] = {agpu__operand(self, 0),
                          agpu__llvm_bool(&self->at, false)};
  MlirValue how =
      agpu__build_value(&self->at, "llvm.intr.coro.suspend", operands, 2,
                        mlirIntegerTypeGet(context, 8));
  if (agpu__has_attr(self->op, AGPU__SUSPENSION_ATTR))
    agpu__set_attr(mlirOpResultGetOwner(how), AGPU__SUSPENSION_ATTR,
                   agpu__attr(self->op, AGPU__SUSPENSION_ATTR));
  // -1: suspended now; 0: resumed; 1: destroyed. As an op of cf, like all other
  // branches: upstream's greedy passes, which come in between, merge blocks
  // that are alike, and give values of any type to what is left.
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "case_values",
                  agpu__parse_attr(context, "dense<[0, 1]> : vector<2xi8>")),
      agpu__named(context, "case_operand_segments",
                  agpu__parse_attr(context, "array<i32: 0, 0>")),
      agpu__named(context, "operandSegmentSizes",
                  agpu__parse_attr(context, "array<i32: 1, 0, 0>")),
  };
  MlirBlock successors[] = {mlirOperationGetSuccessor(self->op, 0),
                            mlirOperationGetSuccessor(self->op, 1),
                            mlirOperationGetSuccessor(self->op, 2)};
  agpu__op_spec spec = {.name = "cf.switch",
                        .operands = &how,
                        .operand_count = 1,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .successors = successors,
                        .successor_count = 3};
  agpu__build(&self->at, &spec);
  mlirOperationDestroy(self->op);
}

static void lower_free(agpu__lowering *self) {
  MlirValue operands[] = {agpu__operand(self, 0), agpu__operand(self, 1)};
  MlirValue memory =
      agpu__build_value(&self->at, "llvm.intr.coro.free", operands, 2,
                        agpu__ptr_type(self->at.context));
  MlirValue task = agpu__task_of(self);
  if (!mlirValueIsNull(task))
    agpu__call(self, "agpu_task_free_frame", task, NONE, NONE, no_type);
  else if (self->upstream)
    call_libc(self, "llvm.func @free(!llvm.ptr)", "free", &memory, 1, no_type);
  else
    agpu__call(self, "agpu_frame_free", memory, NONE, NONE, no_type);
  mlirOperationDestroy(self->op);
}

static void lower_end(agpu__lowering *self) {
  MlirContext context = self->at.context;
  MlirValue none = agpu__build_value(&self->at, "llvm.mlir.none", NULL, 0,
                                     agpu__compat_coroutine_token(context));
  MlirValue operands[] = {agpu__operand(self, 0),
                          agpu__llvm_bool(&self->at, false), none};
  agpu__build_op(&self->at, "llvm.intr.coro.end", operands, 3,
                 agpu__i1_type(context), NULL, 0);
  mlirOperationDestroy(self->op);
}

static void lower_save(agpu__lowering *self) {
  MlirValue handle = agpu__operand(self, 0);
  agpu__replace(
      self, agpu__build_unary(&self->at, "llvm.intr.coro.save", handle,
                              agpu__compat_coroutine_token(self->at.context)));
}

/// A suspension tells the runtime where it is, unless that is upstream's.
static void lower_await_and_resume(agpu__lowering *self) {
  MlirValue operands[] = {agpu__task_of(self), agpu__operand(self, 0),
                          agpu__operand(self, 1), agpu__resume_function(self),
                          agpu__location_constant(&self->at, self->module)};
  if (mlirValueIsNull(operands[0]))
    agpu__call_runtime(&self->at, self->module, "agpu_object_await_and_execute",
                       operands + 1, 4, no_type);
  else
    agpu__call_runtime(&self->at, self->module, "agpu_task_await", operands, 5,
                       no_type);
  mlirOperationDestroy(self->op);
}

static bool is_brief(const agpu__lowering *self) {
  return agpu__has_attr(self->op, AGPU__BRIEF_ATTR);
}

static void lower_resume_after(agpu__lowering *self) {
  MlirValue operands[] = {agpu__task_of(self),
                          agpu__operand(self, 0),
                          agpu__operand(self, 1),
                          agpu__resume_function(self),
                          agpu__llvm_bool(&self->at, is_brief(self)),
                          agpu__location_constant(&self->at, self->module)};
  if (mlirValueIsNull(operands[0]))
    agpu__call_runtime(&self->at, self->module, "agpu_execute_after",
                       operands + 1, 5, no_type);
  else
    agpu__call_runtime(&self->at, self->module, "agpu_task_start_after",
                       operands, 6, no_type);
  mlirOperationDestroy(self->op);
}

static void lower_await_enqueued(agpu__lowering *self) {
  agpu__replace(self, agpu__call(self, "agpu_object_enqueued_or_execute",
                                 agpu__operand(self, 0), agpu__operand(self, 1),
                                 agpu__resume_function(self),
                                 agpu__i1_type(self->at.context)));
}

/// Upstream's runtime does not ask which objects the coroutine gives, and no
/// one says it of one that the user wrote.
static void lower_resume(agpu__lowering *self) {
  bool brief = is_brief(self);
  bool named =
      !brief && !self->upstream && agpu__has_attr(self->op, AGPU__RESULTS_ATTR);
  MlirValue results = NONE;
  if (named)
    results = agpu__llvm_i32(
        &self->at, (int32_t)agpu__get_int(self->op, AGPU__RESULTS_ATTR, 0));
  agpu__replace(self,
                agpu__call(self,
                           brief   ? "agpu_execute_brief"
                           : named ? "agpu_execute"
                                   : "mlirAsyncRuntimeExecute",
                           agpu__operand(self, 0), agpu__resume_function(self),
                           results, no_type));
}

bool agpu__lower_coroutine_op(agpu__lowering *self) {
  static const struct {
    const char *op;
    void (*lower)(agpu__lowering *self);
  } ops[] = {{"async.coro.id", lower_id},
             {"async.coro.begin", lower_begin},
             {"async.coro.save", lower_save},
             {"async.coro.suspend", lower_suspend},
             {"async.coro.free", lower_free},
             {"async.coro.end", lower_end},
             {"async.runtime.resume", lower_resume},
             {"agpu.resume_after", lower_resume_after},
             {"agpu.await_enqueued_and_resume", lower_await_enqueued}};
  if (agpu__op_is(self->op, "async.runtime.await_and_resume") &&
      !self->upstream) {
    lower_await_and_resume(self);
    return true;
  }
  for (size_t i = 0; i < AGPU__COUNT(ops); ++i)
    if (agpu__op_is(self->op, ops[i].op)) {
      ops[i].lower(self);
      return true;
    }
  return false;
}
