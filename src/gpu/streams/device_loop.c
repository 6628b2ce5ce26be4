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
//===----------------------------------------------------------------------===//

#include "gpu/streams/device_loop.h"

#include "lower/ir/copies.h"
#include "lower/ir/ir.h"
#include "lower/ir/op_memory.h"

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

bool agpu__device_loop_match(MlirSymbolTable symbols, MlirOperation loop,
                             MlirValue stream, agpu__device_loop *out) {
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
  if (mlirOperationGetNumOperands(loop) || mlirOperationGetNumResults(loop))
    out->why = "it carries values from round to round";
  else if (!mlirOperationIsNull(last))
    out->why = "its body has more than launches, fills and copies of the "
               "device's memory on one stream";
  else if (mlirOperationIsNull(end) || !match_end(out, end))
    out->why = "the host does more than wait and look at memory";
  return !out->why;
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
                              MlirValue condition, MlirType result,
                              MlirBlock *out_then, MlirBlock *out_else) {
  agpu__builder at = agpu__builder_at_end(to, location);
  MlirRegion regions[2];
  *out_then = make_block(&regions[0]);
  *out_else = make_block(&regions[1]);
  return agpu__build(&at,
                     &(agpu__op_spec){.name = "scf.if",
                                      .location = location,
                                      .operands = &condition,
                                      .operand_count = 1,
                                      .results = &result,
                                      .result_count = !mlirTypeIsNull(result),
                                      .regions = regions,
                                      .region_count = 2});
}

static void build_yield(MlirBlock to, MlirLocation location,
                        const MlirValue *value) {
  agpu__builder at = agpu__builder_at_end(to, location);
  agpu__build_effect(&at, "scf.yield", value, value != NULL);
}

/// Copies the ops of a block up to `end`.
static void copy_until(MlirBlock from, MlirOperation end, MlirBlock to,
                       agpu__copies *copies) {
  for (MlirOperation op = mlirBlockGetFirstOperation(from);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    agpu__append_copy(copies, op, to);
}

static void build_launch(const agpu__device_loop *of, MlirBlock to,
                         MlirAttribute kernel, const agpu__values *arguments) {
  MlirLocation location = mlirOperationGetLocation(of->loop);
  agpu__builder at = agpu__builder_at_end(to, location);
  agpu__values operands = {0}, given = {0};
  agpu__values_push(&operands, of->stream);
  MlirValue one = agpu__index_constant(&at, 1);
  for (int i = 0; i < 6; ++i)
    agpu__values_push(&operands, one);
  agpu__values_push(&operands,
                    agpu__build_constant(&at, agpu__i32_type(at.context), 0));
  agpu__values_push(&given,
                    agpu__build_constant(&at, agpu__i64_type(at.context), 0));
  for (size_t i = 0; i < arguments->count; ++i)
    agpu__values_push(&given, arguments->data[i]);
  agpu__values_push(
      &operands,
      agpu__build_value(&at, "builtin.unrealized_conversion_cast", given.data,
                        given.count,
                        agpu__parse_type(at.context, "!agpu.arguments")));
  MlirNamedAttribute named = agpu__named(at.context, "kernel", kernel);
  agpu__build_op(&at, "agpu.launch", operands.data, operands.count,
                 (MlirType){NULL}, &named, 1);
  agpu__values_free(&operands);
  agpu__values_free(&given);
}

/// The loop on the device; whether there has been one.
static MlirValue build_device_part(const agpu__device_loop *of,
                                   const agpu__graph_part *part, MlirBlock to,
                                   MlirAttribute kernel,
                                   const agpu__values *arguments) {
  MlirLocation location = mlirOperationGetLocation(of->loop);
  MlirBlock runs, runs_not;
  MlirValue no_value = {NULL};
  agpu__builder at = agpu__builder_at_end(to, location);
  MlirType i1 = agpu__i1_type(at.context);
  MlirOperation begin =
      agpu__graph_part_op(&at, part, "agpu.graph_loop_begin", no_value, i1);
  MlirOperation choice =
      build_if(to, location, agpu__result(begin, 0), i1, &runs, &runs_not);
  agpu__copies copies = {0};
  copy_until(of->after, mlirBlockGetTerminator(of->after), runs, &copies);
  copy_until(of->before, mlirOperationIsNull(of->copy) ? of->record : of->copy,
             runs, &copies);
  agpu__copies_free(&copies);
  build_launch(of, runs, kernel, arguments);
  agpu__builder in = agpu__builder_at_end(runs, location);
  MlirValue done = agpu__result(
      agpu__graph_part_op(&in, part, "agpu.graph_loop_end", no_value, i1), 0);
  build_yield(runs, location, &done);
  agpu__builder out = agpu__builder_at_end(runs_not, location);
  MlirValue no = agpu__build_constant(&out, i1, 0);
  build_yield(runs_not, location, &no);
  return agpu__result(choice, 0);
}

bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part) {
  MlirLocation location = mlirOperationGetLocation(of->loop);
  agpu__values arguments = {0};
  MlirAttribute kernel =
      agpu__loop_condition_build(module, of, part->number, &arguments);
  if (mlirAttributeIsNull(kernel))
    return false;
  // All of it stands in a block, which is put in the loop's place.
  MlirBlock whole = mlirBlockCreate(0, NULL, NULL);
  agpu__copies first = {0}, last = {0}, next = {0};
  MlirOperation end = mlirBlockGetTerminator(of->before);
  copy_until(of->before, end, whole, &first);
  MlirBlock goes_on, ends, is_done, is_not;
  MlirType none = {NULL};
  (void)build_if(whole, location,
                 agpu__copies_get(&first, mlirOperationGetOperand(end, 0)),
                 none, &goes_on, &ends);
  MlirValue done = build_device_part(of, part, goes_on, kernel, &arguments);
  (void)build_if(goes_on, location, done, none, &is_done, &is_not);
  build_yield(goes_on, location, NULL);
  build_yield(ends, location, NULL);
  if (!mlirOperationIsNull(of->copy))
    agpu__append_copy(&last, of->copy, is_done);
  agpu__append_copy(&last, of->record, is_done);
  agpu__append_copy(&last, of->await, is_done);
  build_yield(is_done, location, NULL);
  copy_until(of->after, mlirBlockGetTerminator(of->after), is_not, &next);
  MlirBlock place = mlirOperationGetBlock(of->loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(whole), following;
       !mlirOperationIsNull(op); op = following) {
    following = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(place, of->loop, op);
  }
  mlirOperationRemoveFromParent(of->loop);
  mlirBlockAppendOwnedOperation(is_not, of->loop);
  build_yield(is_not, location, NULL);
  mlirBlockDestroy(whole);
  agpu__copies_free(&first);
  agpu__copies_free(&last);
  agpu__copies_free(&next);
  agpu__values_free(&arguments);
  return true;
}
