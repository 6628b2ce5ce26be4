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
// Where the host looks at memory in the middle of a round to branch, the device
// does: what the host copies for that is copied to memory of the device, kept,
// and to the host when the loop is over.
//
//     copy; await; %c = ...      copy to kept; SETS; launch of %c's kernel
//     scf.if %c { work }    ->   IF; work; END
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/loop_state.h"

#include "lower/ir/copies.h"
#include "lower/ir/ir.h"

#include <stdlib.h>

/// A block with a region of its own, in which `out` has a place.
static MlirBlock make_block(MlirRegion *out) {
  *out = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(*out, block);
  return block;
}

/// An scf.if at the end of `to`, whose blocks are filled by the caller.
static MlirOperation build_if(MlirBlock to, MlirLocation location,
                              MlirValue condition, const MlirType *results,
                              size_t result_count, MlirBlock *out_then,
                              MlirBlock *out_else) {
  agpu__builder at = agpu__builder_at_end(to, location);
  MlirRegion regions[2];
  *out_then = make_block(&regions[0]);
  *out_else = make_block(&regions[1]);
  return agpu__build(&at, &(agpu__op_spec){.name = "scf.if",
                                           .location = location,
                                           .operands = &condition,
                                           .operand_count = 1,
                                           .results = results,
                                           .result_count = result_count,
                                           .regions = regions,
                                           .region_count = 2});
}

static void build_yield(MlirBlock to, MlirLocation location,
                        const MlirValue *values, size_t count) {
  agpu__builder at = agpu__builder_at_end(to, location);
  agpu__build_effect(&at, "scf.yield", values, count);
}

static void yield_results(MlirBlock to, MlirOperation of) {
  agpu__values values = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(of); ++i)
    agpu__values_push(&values, agpu__result(of, i));
  build_yield(to, mlirOperationGetLocation(of), values.data, values.count);
  agpu__values_free(&values);
}

/// Copies the ops of a block up to `end`.
static void copy_until(MlirBlock from, MlirOperation end, MlirBlock to,
                       agpu__copies *copies) {
  for (MlirOperation op = mlirBlockGetFirstOperation(from);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    agpu__append_copy(copies, op, to);
}

/// A loop in the making.
typedef struct maker {
  MlirOperation module;
  const agpu__device_loop *of;
  const agpu__graph_part *part;
  agpu__loop_kernels kernels;
  MlirValue memory;    ///< of what it carries; null: there is none
  agpu__values passed; ///< by the condition of the first round
  /// Memory of the host, and the device's copies of it.
  agpu__values hosts, kept;
} maker;

/// The arguments of `before` are what `after` yields.
static void pass_on(const agpu__device_loop *of, agpu__copies *copies) {
  MlirOperation end = mlirBlockGetTerminator(of->after);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    agpu__copies_set(copies, mlirBlockGetArgument(of->before, i),
                     agpu__copies_get(copies, mlirOperationGetOperand(end, i)));
}

/// One thread.
static void build_launch(const agpu__device_loop *of, MlirBlock to,
                         MlirAttribute kernel, const agpu__values *arguments) {
  MlirLocation location = mlirOperationGetLocation(of->loop);
  agpu__builder at = agpu__builder_at_end(to, location);
  agpu__values operands = {0};
  agpu__values_push(&operands, of->stream);
  MlirValue one = agpu__index_constant(&at, 1);
  for (int i = 0; i < 6; ++i)
    agpu__values_push(&operands, one);
  agpu__values_push(&operands,
                    agpu__build_constant(&at, agpu__i32_type(at.context), 0));
  agpu__values_push(
      &operands,
      agpu__build_value(&at, "builtin.unrealized_conversion_cast",
                        arguments->data, arguments->count,
                        agpu__parse_type(at.context, "!agpu.arguments")));
  MlirNamedAttribute named = agpu__named(at.context, "kernel", kernel);
  agpu__build_op(&at, "agpu.launch", operands.data, operands.count,
                 (MlirType){NULL}, &named, 1);
  agpu__values_free(&operands);
}

static void push_all(agpu__values *to, const agpu__values *from) {
  for (size_t i = 0; i < from->count; ++i)
    agpu__values_push(to, from->data[i]);
}

/// The memory for what the loop carries, as the device's first round needs it.
static void build_state(maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  if (!of->slots.count)
    return;
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(of->loop));
  self->memory = agpu__build_value(&at, "agpu.alloc", &of->stream, 1,
                                   agpu__loop_state_type(of));
  agpu__values arguments = {0};
  agpu__values_push(&arguments, self->memory);
  push_all(&arguments, &self->passed);
  push_all(&arguments, &self->kernels.start_inputs);
  build_launch(of, to, self->kernels.start, &arguments);
  agpu__values_free(&arguments);
}

/// `copies` of the loop's values stand for the first round's.
static void set_passed(const maker *self, agpu__copies *copies) {
  for (size_t i = 0; i < self->passed.count; ++i)
    agpu__copies_set(copies, mlirBlockGetArgument(self->of->after, (intptr_t)i),
                     self->passed.data[i]);
}

/// The device's memory for what the host has `copies` of in branches, and what
/// the host has there now.
static void build_kept(maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(of->loop));
  for (size_t i = 0; i < of->branch_count; ++i) {
    if (mlirOperationIsNull(of->branches[i].copy))
      continue;
    MlirValue host = mlirOperationGetOperand(of->branches[i].copy, 1);
    if (agpu__values_find(&self->hosts, host) >= 0)
      continue;
    MlirValue kept = agpu__build_value(&at, "agpu.alloc", &of->stream, 1,
                                       mlirValueGetType(host));
    agpu__build_effect(&at, "agpu.memcpy",
                       (MlirValue[]){of->stream, kept, host}, 3);
    agpu__values_push(&self->hosts, host);
    agpu__values_push(&self->kept, kept);
  }
}

/// What the device has for a value that a kernel of a branch is given.
static MlirValue get_kept(const maker *self, MlirValue value) {
  intptr_t i = agpu__values_find(&self->hosts, value);
  return i < 0 ? value : self->kept.data[i];
}

static void say_branch(const maker *self, MlirBlock to, size_t number,
                       agpu_graph_branch_kind kind) {
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(self->of->loop));
  MlirOperation op = agpu__graph_part_op(&at, self->part, "agpu.graph_branch",
                                         (MlirValue){NULL}, (MlirType){NULL});
  agpu__set_attr(
      op, "what",
      agpu__i64_attr(at.context, (int64_t)(number * AGPU_GRAPH_BRANCH_KINDS) +
                                     (int64_t)kind));
}

/// Sets condition `number` to that of branch `branch`, or to its opposite.
static void build_set(const maker *self, MlirBlock to, size_t branch,
                      size_t number, bool inverts, agpu__copies *copies) {
  const agpu__values *inputs = &self->kernels.branch_inputs[branch];
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(self->of->loop));
  agpu__values arguments = {0};
  say_branch(self, to, number, AGPU_GRAPH_SETS);
  agpu__values_push(&arguments,
                    agpu__build_constant(&at, agpu__i64_type(at.context), 0));
  agpu__values_push(&arguments, agpu__build_constant(
                                    &at, agpu__i32_type(at.context), inverts));
  if (self->of->slots.count)
    agpu__values_push(&arguments, self->memory);
  for (size_t i = 0; i < inputs->count; ++i)
    agpu__values_push(
        &arguments, agpu__copies_get(copies, get_kept(self, inputs->data[i])));
  build_launch(self->of, to, self->kernels.branches[branch], &arguments);
  agpu__values_free(&arguments);
}

/// What the device does for a block up to `end`: a copy of it, but for
/// branches.
static void build_until(const maker *self, MlirBlock from, MlirOperation end,
                        MlirBlock to, size_t outer, agpu__copies *copies);

/// The first of its blocks runs if its condition holds, and the second if not.
static void build_branch(const maker *self, const agpu__device_branch *branch,
                         MlirBlock to, size_t outer, agpu__copies *copies) {
  size_t index = (size_t)(branch - self->of->branches);
  MlirBlock blocks[2];
  for (intptr_t i = 0; i < 2; ++i) {
    blocks[i] = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch->op, i));
    if (!mlirBlockIsNull(blocks[i]))
      build_set(self, to, index, 2 * index + 1 + (size_t)i, i, copies);
  }
  for (size_t i = 0; i < 2; ++i) {
    if (mlirBlockIsNull(blocks[i]))
      continue;
    size_t number = 2 * index + 1 + i;
    say_branch(self, to, number, AGPU_GRAPH_IF);
    build_until(self, blocks[i], mlirBlockGetTerminator(blocks[i]), to, number,
                copies);
    say_branch(self, to, outer, AGPU_GRAPH_END);
  }
}

/// Its first round begins where it stands; the others are the node's body.
static void build_loop(const maker *self, const agpu__device_branch *branch,
                       MlirBlock to, size_t outer, agpu__copies *copies) {
  size_t index = (size_t)(branch - self->of->branches), number = 2 * index + 1;
  MlirBlock before =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(branch->op, 0));
  MlirBlock after =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(branch->op, 1));
  build_until(self, before, branch->user, to, outer, copies);
  build_set(self, to, index, number, false, copies);
  say_branch(self, to, number, AGPU_GRAPH_WHILE);
  build_until(self, after, mlirBlockGetTerminator(after), to, number, copies);
  build_until(self, before, branch->user, to, number, copies);
  build_set(self, to, index, number, false, copies);
  say_branch(self, to, outer, AGPU_GRAPH_END);
}

/// What a branch has to do before it, and what it computes of memory of the
/// host, is the device's. False: the op is neither.
static bool build_look(const maker *self, MlirOperation op, MlirBlock to,
                       const agpu__copies *copies, agpu__values *read) {
  const agpu__device_branch *branch = agpu__device_branch_of(self->of, op);
  if (branch && mlirOperationEqual(op, branch->copy)) {
    MlirValue source = mlirOperationGetOperand(op, 2);
    agpu__builder at = agpu__builder_at_end(to, mlirOperationGetLocation(op));
    agpu__build_effect(
        &at, "agpu.memcpy",
        (MlirValue[]){self->of->stream,
                      get_kept(self, mlirOperationGetOperand(op, 1)),
                      agpu__copies_get(copies, source)},
        3);
  }
  bool result = branch || agpu__op_is(op, "memref.load");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !result; ++i)
    result = agpu__values_find(read, mlirOperationGetOperand(op, i)) >= 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && result; ++i)
    agpu__values_push(read, agpu__result(op, i));
  return result;
}

static void build_until(const maker *self, MlirBlock from, MlirOperation end,
                        MlirBlock to, size_t outer, agpu__copies *copies) {
  agpu__values read = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(from);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    const agpu__device_branch *branch = agpu__device_branch_of(self->of, op);
    if (branch && mlirOperationEqual(op, branch->op)) {
      if (agpu__op_is(op, "scf.while"))
        build_loop(self, branch, to, outer, copies);
      else
        build_branch(self, branch, to, outer, copies);
    } else if (!build_look(self, op, to, copies, &read)) {
      MlirOperation copy = agpu__copy_op(copies, op);
      mlirBlockAppendOwnedOperation(to, copy);
      if (self->of->slots.count)
        agpu__loop_state_use(self->module, self->of, op, copy, self->memory);
    }
  }
  agpu__values_free(&read);
}

/// The loop on the device; whether there has been one.
static MlirValue build_device_part(const maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  MlirLocation location = mlirOperationGetLocation(of->loop);
  MlirBlock runs, runs_not;
  MlirValue no_value = {NULL};
  agpu__builder at = agpu__builder_at_end(to, location);
  MlirType i1 = agpu__i1_type(at.context);
  MlirOperation begin = agpu__graph_part_op(
      &at, self->part, "agpu.graph_loop_begin", no_value, i1);
  MlirOperation choice =
      build_if(to, location, agpu__result(begin, 0), &i1, 1, &runs, &runs_not);
  agpu__copies copies = {0};
  set_passed(self, &copies);
  build_until(self, of->after, mlirBlockGetTerminator(of->after), runs, 0,
              &copies);
  pass_on(of, &copies);
  build_until(self, of->before, agpu__device_loop_end_of_work(of), runs, 0,
              &copies);
  agpu__copies_free(&copies);
  agpu__builder in = agpu__builder_at_end(runs, location);
  agpu__values arguments = {0};
  agpu__values_push(&arguments,
                    agpu__build_constant(&in, agpu__i64_type(in.context), 0));
  if (of->slots.count)
    agpu__values_push(&arguments, self->memory);
  push_all(&arguments, &self->kernels.condition_inputs);
  build_launch(of, runs, self->kernels.condition, &arguments);
  agpu__values_free(&arguments);
  MlirValue done = agpu__result(
      agpu__graph_part_op(&in, self->part, "agpu.graph_loop_end", no_value, i1),
      0);
  build_yield(runs, location, &done, 1);
  agpu__builder out = agpu__builder_at_end(runs_not, location);
  MlirValue no = agpu__build_constant(&out, i1, 0);
  build_yield(runs_not, location, &no, 1);
  return agpu__result(choice, 0);
}

/// The device has run the loop: the host has its copy, and the loop's results.
static void build_done(const maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  MlirLocation location = mlirOperationGetLocation(of->loop);
  size_t count = self->passed.count;
  agpu__copies copies = {0};
  agpu__values results = {0};
  agpu__builder at = agpu__builder_at_end(to, location);
  MlirValue host = {NULL};
  if (count) {
    host = agpu__build_with(&at, "memref.alloc", NULL, 0,
                            agpu__loop_state_type(of), "operandSegmentSizes",
                            agpu__parse_attr(at.context, "array<i32: 0, 0>"));
    agpu__build_effect(&at, "agpu.memcpy",
                       (MlirValue[]){of->stream, host, self->memory}, 3);
  }
  for (size_t i = 0; i < self->kept.count; ++i)
    agpu__build_effect(
        &at, "agpu.memcpy",
        (MlirValue[]){of->stream, self->hosts.data[i], self->kept.data[i]}, 3);
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
  build_yield(to, location, results.data, results.count);
  agpu__values_free(&results);
  agpu__copies_free(&copies);
}

/// The device has not: the loop goes on as it is.
static void build_rest(const maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  agpu__copies next = {0};
  set_passed(self, &next);
  copy_until(of->after, mlirBlockGetTerminator(of->after), to, &next);
  pass_on(of, &next);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of->loop); ++i)
    mlirOperationSetOperand(
        of->loop, i,
        agpu__copies_get(&next, mlirBlockGetArgument(of->before, i)));
  mlirOperationRemoveFromParent(of->loop);
  mlirBlockAppendOwnedOperation(to, of->loop);
  yield_results(to, of->loop);
  agpu__copies_free(&next);
}

/// All that takes the loop's place; `whole` is empty, before and after.
static void build_whole(maker *self, MlirBlock whole) {
  const agpu__device_loop *of = self->of;
  MlirLocation location = mlirOperationGetLocation(of->loop);
  MlirOperation end = mlirBlockGetTerminator(of->before);
  agpu__copies first = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(of->loop); ++i)
    agpu__copies_set(&first, mlirBlockGetArgument(of->before, i),
                     mlirOperationGetOperand(of->loop, i));
  copy_until(of->before, end, whole, &first);
  MlirValue condition =
      agpu__copies_get(&first, mlirOperationGetOperand(end, 0));
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(end); ++i)
    agpu__values_push(
        &self->passed,
        agpu__copies_get(&first, mlirOperationGetOperand(end, i)));
  agpu__copies_free(&first);
  size_t count = self->passed.count;
  MlirType *types = agpu__allocate(count + 1, sizeof *types);
  for (size_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(self->passed.data[i]);
  MlirBlock goes_on, ends, is_done, is_not;
  MlirOperation made =
      build_if(whole, location, condition, types, count, &goes_on, &ends);
  for (size_t i = 0; i < count; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(of->loop, (intptr_t)i),
                                  agpu__result(made, (intptr_t)i));
  build_yield(ends, location, self->passed.data, count);
  build_state(self, goes_on);
  build_kept(self, goes_on);
  MlirValue done = build_device_part(self, goes_on);
  MlirOperation chosen =
      build_if(goes_on, location, done, types, count, &is_done, &is_not);
  free(types);
  build_done(self, is_done);
  agpu__builder at = agpu__builder_at_end(goes_on, location);
  if (!mlirValueIsNull(self->memory))
    agpu__build_effect(&at, "agpu.dealloc",
                       (MlirValue[]){of->stream, self->memory}, 2);
  for (size_t i = 0; i < self->kept.count; ++i)
    agpu__build_effect(&at, "agpu.dealloc",
                       (MlirValue[]){of->stream, self->kept.data[i]}, 2);
  yield_results(goes_on, chosen);
  MlirBlock place = mlirOperationGetBlock(of->loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(whole), following;
       !mlirOperationIsNull(op); op = following) {
    following = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(place, of->loop, op);
  }
  build_rest(self, is_not);
}

bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part) {
  maker self = {.module = module, .of = of, .part = part};
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
