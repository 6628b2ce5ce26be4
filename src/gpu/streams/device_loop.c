//===- device_loop.c - Loops that the device ends -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose host only waits for work, looks at memory that this has left and
// goes round again: the device looks itself, after a first round as it was.
//
//     scf.while {              work; copy; await; %c = ...
//       work                   scf.if %c {
//       copy; await              %is = agpu.graph_loop_begin
//       %c = ...         ->      %done = scf.if %is { after; work; condition
//       scf.condition(%c)                             agpu.graph_loop_end }
//     } do {                     scf.if %done { copy; await }
//       after                    else { after; scf.while { ... } }
//     }                        }
//
// What the loop carries is in device memory (loop_state.c), which is allocated
// and written before, and from which the host copies the loop's results after.
//
// What a round of it does is device_body.c's.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include <stdlib.h>

static void yield_results(MlirBlock to, MlirOperation of) {
  AGPU__SCOPED(values) values = agpu__results(of, 0);
  agpu__build_yield(to, mlirOperationGetLocation(of), values.data,
                    values.count);
}

/// Copies the ops of a block up to `end`.
static void copy_until(MlirBlock from, MlirOperation end, MlirBlock to,
                       agpu__twins *copies) {
  for (MlirOperation op = mlirBlockGetFirstOperation(from);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    agpu__append_copy(copies, op, to);
}

/// The arguments of `before` are what `after` yields.
static void pass_on(const agpu__device_loop *of, agpu__twins *copies) {
  MlirOperation end = mlirBlockGetTerminator(of->after);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    agpu__twins_set(
        copies, mlirBlockGetArgument(of->before, i),
        agpu__twin_or_self(copies, mlirOperationGetOperand(end, i)));
}

/// The memory for what the loop carries, as the device's first round needs it.
static void build_state(agpu__device_maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  if (!of->slots.count)
    return;
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(of->loop));
  self->memory = agpu__build_value(&at, "agpu.alloc", &of->stream, 1,
                                   agpu__loop_state_type(of));
  AGPU__SCOPED(values) arguments = {0};
  agpu__values_push(&arguments, self->memory);
  agpu__values_push_all(&arguments, &self->passed);
  agpu__values_push_all(&arguments, &self->kernels.start_inputs);
  agpu__device_build_launch(of, to, self->kernels.start, &arguments);
}

/// `copies` of the loop's values stand for the first round's.
static void set_passed(const agpu__device_maker *self, agpu__twins *copies) {
  for (size_t i = 0; i < self->passed.count; ++i)
    agpu__twins_set(copies, mlirBlockGetArgument(self->of->after, (intptr_t)i),
                    self->passed.data[i]);
}

/// The loop on the device; whether there has been one.
static MlirValue build_device_part(const agpu__device_maker *self,
                                   MlirBlock to) {
  const agpu__device_loop *of = self->of;
  agpu__if choice = agpu__device_build_begin(self, to);
  MlirBlock runs = choice.yes;
  AGPU__SCOPED(twins) copies = {0};
  set_passed(self, &copies);
  agpu__device_build_until(self, of->after, mlirBlockGetTerminator(of->after),
                           runs, 0, &copies);
  pass_on(of, &copies);
  agpu__device_build_until(self, of->before, agpu__device_loop_end_of_work(of),
                           runs, 0, &copies);
  agpu__builder in =
      agpu__builder_at_end(runs, mlirOperationGetLocation(of->loop));
  AGPU__SCOPED(values) arguments = {0};
  agpu__values_push(&arguments,
                    agpu__build_constant(&in, agpu__i64_type(in.context), 0));
  if (of->slots.count)
    agpu__values_push(&arguments, self->memory);
  agpu__values_push_all(&arguments, &self->kernels.condition_inputs);
  agpu__device_build_launch(of, runs, self->kernels.condition, &arguments);
  agpu__device_build_outcome(self, runs, choice.no);
  return agpu__result(choice.op, 0);
}

/// The device has run the loop: the host has its copy, and the loop's results.
static void build_done(const agpu__device_maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  MlirLocation location = mlirOperationGetLocation(of->loop);
  size_t count = self->passed.count;
  AGPU__SCOPED(twins) copies = {0};
  AGPU__SCOPED(values) results = {0};
  agpu__builder at = agpu__builder_at_end(to, location);
  MlirValue host = {NULL};
  if (count) {
    host = agpu__build_with(&at, "memref.alloc", NULL, 0,
                            agpu__loop_state_type(of), "operandSegmentSizes",
                            agpu__parse_attr(at.context, "array<i32: 0, 0>"));
    agpu__build_memcpy(&at, of->stream, host, self->memory);
  }
  for (size_t i = 0; i < self->kept.count; ++i)
    agpu__build_memcpy(&at, of->stream, self->hosts.data[i],
                       self->kept.data[i]);
  if (!mlirOperationIsNull(of->copy))
    agpu__append_copy(&copies, of->copy, to);
  agpu__append_copy(&copies, of->record, to);
  agpu__append_copy(&copies, of->await, to);
  for (size_t i = 0; i < count; ++i)
    agpu__values_push(
        &results, agpu__loop_state_read(
                      &at, host, i, mlirValueGetType(self->passed.data[i])));
  if (count)
    agpu__build_effect(&at, "memref.dealloc", &host, 1);
  agpu__build_yield(to, location, results.data, results.count);
}

/// The device has not: the loop goes on as it is.
static void build_rest(const agpu__device_maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  AGPU__SCOPED(twins) next = {0};
  set_passed(self, &next);
  copy_until(of->after, mlirBlockGetTerminator(of->after), to, &next);
  pass_on(of, &next);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of->loop); ++i)
    mlirOperationSetOperand(
        of->loop, i,
        agpu__twin_or_self(&next, mlirBlockGetArgument(of->before, i)));
  mlirOperationRemoveFromParent(of->loop);
  mlirBlockAppendOwnedOperation(to, of->loop);
  yield_results(to, of->loop);
}

/// All that takes the loop's place; `whole` is empty, before and after.
static void build_whole(agpu__device_maker *self, MlirBlock whole) {
  const agpu__device_loop *of = self->of;
  MlirLocation location = mlirOperationGetLocation(of->loop);
  MlirOperation end = mlirBlockGetTerminator(of->before);
  AGPU__SCOPED(twins) first = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of->loop); ++i)
    agpu__twins_set(&first, mlirBlockGetArgument(of->before, i),
                    mlirOperationGetOperand(of->loop, i));
  copy_until(of->before, end, whole, &first);
  MlirValue condition =
      agpu__twin_or_self(&first, mlirOperationGetOperand(end, 0));
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(end); ++i)
    agpu__values_push(
        &self->passed,
        agpu__twin_or_self(&first, mlirOperationGetOperand(end, i)));
  size_t count = self->passed.count;
  AGPU__OWNED MlirType *types = agpu__types_of(self->passed.data, count);
  agpu__builder at = agpu__builder_at_end(whole, location);
  agpu__if made = agpu__build_if(&at, condition, types, count);
  MlirBlock goes_on = made.yes;
  for (size_t i = 0; i < count; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(of->loop, (intptr_t)i),
                                  agpu__result(made.op, (intptr_t)i));
  agpu__build_yield(made.no, location, self->passed.data, count);
  build_state(self, goes_on);
  agpu__device_build_kept(self, goes_on);
  MlirValue done = build_device_part(self, goes_on);
  at = agpu__builder_at_end(goes_on, location);
  agpu__if chosen = agpu__build_if(&at, done, types, count);
  build_done(self, chosen.yes);
  if (!mlirValueIsNull(self->memory))
    agpu__build_dealloc(&at, of->stream, self->memory);
  for (size_t i = 0; i < self->kept.count; ++i)
    agpu__build_dealloc(&at, of->stream, self->kept.data[i]);
  yield_results(goes_on, chosen.op);
  at = agpu__builder_before(of->loop);
  agpu__move_ops(&at, mlirBlockGetFirstOperation(whole), (MlirOperation){NULL});
  build_rest(self, chosen.no);
}

bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part) {
  agpu__device_maker self = {.module = module, .of = of, .part = part};
  bool can = agpu__loop_kernels_build(module, of, part->number, &self.kernels);
  if (can) {
    // It is put in the loop's place when it is whole.
    MlirBlock whole = mlirBlockCreate(0, NULL, NULL);
    build_whole(&self, whole);
    mlirBlockDestroy(whole);
  }
  agpu__loop_kernels_free(&self.kernels);
  agpu__values_free(&self.passed);
  agpu__values_free(&self.hosts);
  agpu__values_free(&self.kept);
  return can;
}
