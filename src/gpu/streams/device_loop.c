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
//===----------------------------------------------------------------------===//

#include "gpu/streams/loop_state.h"

#include "lower/ir/copies.h"
#include "lower/ir/ir.h"
#include "lower/ir/op_memory.h"

#include <stdlib.h>

static bool is_device_memory(MlirValue memref) {
  return mlirValueIsAOpResult(memref) &&
         agpu__op_is(mlirOpResultGetOwner(memref), "agpu.alloc");
}

/// Work that may stand in a loop on the device, on its stream.
static bool is_work(const agpu__device_loop *of, MlirOperation op) {
  static const char *const names[] = {"agpu.launch", "agpu.memset",
                                      "agpu.memcpy"};
  if (!agpu__op_is_any(op, names, 3) ||
      !mlirValueEqual(mlirOperationGetOperand(op, 0), of->stream))
    return false;
  return agpu__op_is(op, "agpu.launch") ||
         (is_device_memory(mlirOperationGetOperand(op, 1)) &&
          (agpu__op_is(op, "agpu.memset") ||
           is_device_memory(mlirOperationGetOperand(op, 2))));
}

/// What has the same results in each round, and does nothing else: the host
/// neither reads memory nor writes it there, as it does so once.
static bool is_invariant(MlirOperation op) {
  agpu__op_class class = agpu__row_of(op)->class;
  return agpu__computes(op) && class != AGPU__OP_ACCESSES &&
         class != AGPU__OP_ALLOCATES && !mlirOperationGetNumRegions(op);
}

/// The same, and what only computes, also in loops and branches.
static bool may_stand(agpu__device_loop *of, MlirOperation op) {
  if (agpu__op_is(op, "agpu.launch") && mlirAttributeIsNull(of->kernel))
    of->kernel = agpu__attr(op, "kernel");
  if (is_work(of, op))
    return true;
  static const char *const structures[] = {"scf.for", "scf.if", "scf.yield"};
  bool result = agpu__op_is_any(op, structures, 3) || is_invariant(op);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op) && result; ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    MlirOperation inner = {NULL};
    if (!mlirBlockIsNull(block))
      inner = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(inner) && result;
         inner = mlirOperationGetNextInBlock(inner))
      result = may_stand(of, inner);
  }
  return result;
}

/// All ops from `op` on that may stand in the loop; returns the first that may
/// not.
static MlirOperation skip_work(MlirSymbolTable symbols, agpu__device_loop *of,
                               MlirOperation op) {
  agpu__graph_obstacle in_way;
  while (!mlirOperationIsNull(op) && may_stand(of, op) &&
         (agpu__op_is(op, "scf.yield") ||
          agpu__graph_work(symbols, op, &in_way) >= 0))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static bool is_on(MlirOperation op, const char *name, MlirValue stream) {
  return agpu__op_is(op, name) &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), stream);
}

/// The rest of `before`: a copy to the host or none, a wait, and loads and ops
/// that compute.
static bool match_end(agpu__device_loop *of, MlirOperation op) {
  if (is_on(op, "agpu.memcpy", of->stream) &&
      is_device_memory(mlirOperationGetOperand(op, 2))) {
    of->copy = op;
    op = mlirOperationGetNextInBlock(op);
  }
  if (!is_on(op, "agpu.stream_record", of->stream))
    return false;
  of->record = op;
  of->await = op = mlirOperationGetNextInBlock(op);
  if (!agpu__op_is(op, "async.await") || mlirOperationGetNumResults(op) ||
      !mlirValueEqual(mlirOperationGetOperand(op, 0),
                      agpu__result(of->record, 0)))
    return false;
  for (op = mlirOperationGetNextInBlock(op);
       !mlirOperationEqual(op, mlirBlockGetTerminator(of->before));
       op = mlirOperationGetNextInBlock(op))
    if (!agpu__op_is(op, "memref.load") && !is_invariant(op))
      return false;
  return true;
}

void agpu__device_loop_free(agpu__device_loop *of) {
  agpu__values_free(&of->slots);
}

/// The end of the work that each round enqueues in `before`.
static MlirOperation end_of_work(const agpu__device_loop *of) {
  return mlirOperationIsNull(of->copy) ? of->record : of->copy;
}

bool agpu__device_loop_match(MlirOperation module, MlirSymbolTable symbols,
                             MlirOperation loop, MlirValue stream,
                             agpu__device_loop *out) {
  *out = (agpu__device_loop){.loop = loop, .stream = stream};
  if (mlirValueIsNull(stream))
    return false;
  out->before = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  out->after = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 1));
  MlirOperation end =
      skip_work(symbols, out, mlirBlockGetFirstOperation(out->before));
  MlirOperation last =
      skip_work(symbols, out, mlirBlockGetFirstOperation(out->after));
  if (mlirAttributeIsNull(out->kernel))
    return false; // nothing for the device
  if (!mlirOperationIsNull(last))
    out->why = "its body has more than launches, fills and copies of the "
               "device's memory on one stream";
  else if (mlirOperationIsNull(end) || !match_end(out, end))
    out->why = "the host does more than wait and look at memory";
  return !out->why && agpu__loop_state_find(module, out, end_of_work(out));
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

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

/// Copies what a round is from `after` on: `copies` has that block's arguments.
static void copy_after(const agpu__device_loop *of, MlirBlock to,
                       agpu__copies *copies) {
  MlirOperation end = mlirBlockGetTerminator(of->after);
  copy_until(of->after, end, to, copies);
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

/// A loop in the making.
typedef struct maker {
  MlirOperation module;
  const agpu__device_loop *of;
  const agpu__graph_part *part;
  agpu__loop_kernels kernels;
  MlirValue memory;    ///< of what it carries; null: there is none
  agpu__values passed; ///< by the condition of the first round
} maker;

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
  copy_after(of, runs, &copies);
  copy_until(of->before, end_of_work(of), runs, &copies);
  agpu__copies_free(&copies);
  agpu__builder in = agpu__builder_at_end(runs, location);
  agpu__values arguments = {0};
  agpu__values_push(&arguments,
                    agpu__build_constant(&in, agpu__i64_type(in.context), 0));
  if (of->slots.count) {
    agpu__loop_state_use(self->module, of, end_of_work(of), runs, self->memory);
    agpu__values_push(&arguments, self->memory);
  }
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
  copy_after(of, to, &next);
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
  MlirValue done = build_device_part(self, goes_on);
  MlirOperation chosen =
      build_if(goes_on, location, done, types, count, &is_done, &is_not);
  free(types);
  build_done(self, is_done);
  if (!mlirValueIsNull(self->memory)) {
    agpu__builder at = agpu__builder_at_end(goes_on, location);
    agpu__build_effect(&at, "agpu.dealloc",
                       (MlirValue[]){of->stream, self->memory}, 2);
  }
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
  return can;
}
