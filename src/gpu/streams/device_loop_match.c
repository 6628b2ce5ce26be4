//===- device_loop_match.c - Loops that the device could end --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop looks like that the device may end: work on one stream, ops that
// compute, and, before an scf.if and at the end of a round, a wait and loads.
// All else is in the way, and said.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

static bool is_device_memory(MlirValue memref) {
  return agpu__op_is(agpu__maker_of(memref), "agpu.alloc");
}

/// Work that may stand in a loop on the device, on its stream.
static bool is_work(const agpu__device_loop *of, MlirOperation op) {
  if (!agpu__op_is_any(op, "agpu.launch agpu.memset agpu.memcpy") ||
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
  bool result =
      agpu__op_is_any(op, "scf.for scf.if scf.yield") || is_invariant(op);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op) && result; ++i) {
    MlirBlock block = agpu__region_entry(op, i);
    MlirOperation inner = {NULL};
    if (!mlirBlockIsNull(block))
      inner = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(inner) && result;
         inner = mlirOperationGetNextInBlock(inner))
      result = may_stand(of, inner);
  }
  return result;
}

static bool is_on(MlirOperation op, const char *name, MlirValue stream) {
  return agpu__op_is(op, name) &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), stream);
}

/// A copy to the host or none, and a wait; returns what follows, or null, where
/// it is something else.
static MlirOperation match_wait(const agpu__device_loop *of, MlirOperation op,
                                agpu__device_branch *out) {
  const MlirOperation none = {NULL};
  *out = (agpu__device_branch){.op = none};
  if (is_on(op, "agpu.memcpy", of->stream) &&
      is_device_memory(mlirOperationGetOperand(op, 2)) &&
      !is_device_memory(mlirOperationGetOperand(op, 1))) {
    out->copy = op;
    op = mlirOperationGetNextInBlock(op);
  }
  if (!is_on(op, "agpu.stream_record", of->stream))
    return none;
  out->record = op;
  out->await = op = mlirOperationGetNextInBlock(op);
  if (!agpu__op_is(op, "async.await") || mlirOperationGetNumResults(op) ||
      !mlirValueEqual(mlirOperationGetOperand(op, 0),
                      agpu__result(out->record, 0)))
    return none;
  return mlirOperationGetNextInBlock(op);
}

/// Loads of the host, and what computes, from `op` on; returns the first else.
static MlirOperation skip_look(MlirOperation op) {
  while (agpu__op_is(op, "memref.load") ||
         (is_invariant(op) &&
          !mlirOperationIsNull(mlirOperationGetNextInBlock(op))))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static MlirOperation skip_work(MlirSymbolTable symbols, agpu__device_loop *of,
                               MlirOperation op);

/// Whether all of a block, but for its terminator, may stand in the loop.
static bool is_work_only(MlirSymbolTable symbols, agpu__device_loop *of,
                         MlirBlock block) {
  return mlirBlockIsNull(block) ||
         mlirOperationIsNull(
             skip_work(symbols, of, mlirBlockGetFirstOperation(block)));
}

/// A wait, and an scf.if that depends on what the host looks at then; returns
/// what follows, or null.
static MlirOperation skip_if(MlirSymbolTable symbols, agpu__device_loop *of,
                             MlirOperation op) {
  const MlirOperation none = {NULL};
  agpu__device_branch branch;
  op = match_wait(of, op, &branch);
  if (mlirOperationIsNull(op))
    return none;
  branch.op = branch.user = op = skip_look(op);
  if (!agpu__op_is(op, "scf.if") || mlirOperationGetNumResults(op))
    return none;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    if (!is_work_only(symbols, of, agpu__region_entry(op, i)))
      return none;
  return agpu__device_branch_add(of, &branch) ? mlirOperationGetNextInBlock(op)
                                              : none;
}

/// An scf.while that is such a loop, too; returns what follows, or null.
static MlirOperation skip_while(MlirSymbolTable symbols, agpu__device_loop *of,
                                MlirOperation op) {
  const MlirOperation none = {NULL};
  if (!agpu__op_is(op, "scf.while") || mlirOperationGetNumOperands(op) ||
      mlirOperationGetNumResults(op))
    return none;
  MlirBlock before = agpu__entry_block(op);
  MlirBlock after = agpu__region_entry(op, 1);
  MlirOperation at = skip_work(symbols, of, mlirBlockGetFirstOperation(before));
  agpu__device_branch branch;
  if (mlirOperationIsNull(at))
    return none;
  at = match_wait(of, at, &branch);
  branch.op = op;
  branch.user = mlirBlockGetTerminator(before);
  return !mlirOperationIsNull(at) &&
                 mlirOperationEqual(skip_look(at), branch.user) &&
                 is_work_only(symbols, of, after) &&
                 agpu__device_branch_add(of, &branch)
             ? mlirOperationGetNextInBlock(op)
             : none;
}

/// A wait before an scf.while, after which the host looks at nothing of its
/// own; returns what follows, or null.
static MlirOperation skip_wait(const agpu__device_loop *of, MlirOperation op) {
  const MlirOperation none = {NULL};
  agpu__device_branch wait;
  op = match_wait(of, op, &wait);
  return !mlirOperationIsNull(op) && mlirOperationIsNull(wait.copy) &&
                 agpu__op_is(skip_look(op), "scf.while")
             ? op
             : none;
}

/// All ops from `op` on that may stand in the loop; returns the first that may
/// not.
static MlirOperation skip_work(MlirSymbolTable symbols, agpu__device_loop *of,
                               MlirOperation op) {
  agpu__graph_obstacle in_way;
  while (!mlirOperationIsNull(op)) {
    if (may_stand(of, op) && (agpu__op_is(op, "scf.yield") ||
                              agpu__graph_work(symbols, op, &in_way) >= 0)) {
      op = mlirOperationGetNextInBlock(op);
      continue;
    }
    MlirOperation next = skip_if(symbols, of, op);
    if (mlirOperationIsNull(next))
      next = skip_while(symbols, of, op);
    if (mlirOperationIsNull(next))
      next = skip_wait(of, op);
    if (mlirOperationIsNull(next))
      break;
    op = next;
  }
  return op;
}

/// The rest of `before`: a wait, and loads and ops that compute.
static bool match_end(agpu__device_loop *of, MlirOperation op) {
  agpu__device_branch wait;
  op = match_wait(of, op, &wait);
  of->copy = wait.copy;
  of->record = wait.record;
  of->await = wait.await;
  return !mlirOperationIsNull(op) &&
         mlirOperationEqual(skip_look(op), mlirBlockGetTerminator(of->before));
}

void agpu__device_loop_free(agpu__device_loop *of) {
  agpu__values_free(&of->slots);
  agpu__ops_free(&of->ahead);
}

MlirOperation agpu__device_loop_end_of_work(const agpu__device_loop *of) {
  return mlirOperationIsNull(of->copy) ? of->record : of->copy;
}

bool agpu__device_loop_match(MlirOperation module, MlirSymbolTable symbols,
                             MlirOperation loop, MlirValue stream,
                             agpu__device_loop *out) {
  *out = (agpu__device_loop){.loop = loop, .stream = stream};
  if (mlirValueIsNull(stream))
    return false;
  out->before = agpu__entry_block(loop);
  out->after = agpu__region_entry(loop, 1);
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
  else if (out->branch_count && !agpu__device_loop_may_keep(out))
    out->why = "the device cannot keep what the host copies to branch";
  else if (agpu__device_loop_is_host_given(module, out))
    out->why = "its work may be given the memory that the host looks at";
  return !out->why &&
         agpu__loop_state_find(module, out, agpu__device_loop_end_of_work(out));
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

bool agpu__device_round_is_ahead(const agpu__device_loop *of,
                                 MlirOperation op) {
  for (size_t i = 0; i < of->ahead.count; ++i)
    if (mlirOperationEqual(of->ahead.data[i], op))
      return true;
  return false;
}

/// Whether the value is there before any work of the round.
static bool is_ahead(const agpu__device_loop *of, MlirValue value) {
  return !agpu__defined_inside(value, of->loop) ||
         mlirValueIsABlockArgument(value) ||
         agpu__device_round_is_ahead(of, mlirOpResultGetOwner(value));
}

static bool are_ahead(const agpu__device_loop *of, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!is_ahead(of, mlirOperationGetOperand(op, i)))
      return false;
  return true;
}

/// What the host may compute before any work of the round.
static void find_ahead(agpu__device_loop *of) {
  MlirOperation end = mlirBlockGetTerminator(of->after);
  for (MlirOperation op = mlirBlockGetFirstOperation(of->after);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    // What launches are given stays before them.
    if (is_invariant(op) && !agpu__op_has(op, AGPU__OP_FAILS) &&
        !agpu__op_is(op, "builtin.unrealized_conversion_cast") &&
        are_ahead(of, op))
      agpu__ops_push(&of->ahead, op);
}

bool agpu__device_round_match(MlirOperation module, MlirSymbolTable symbols,
                              MlirOperation loop, MlirValue stream,
                              agpu__device_loop *out) {
  *out = (agpu__device_loop){.loop = loop, .stream = stream, .is_round = true};
  if (mlirValueIsNull(stream) || agpu__defined_inside(stream, loop))
    return false;
  out->after = agpu__entry_block(loop);
  bool is_whole = is_work_only(symbols, out, out->after);
  if (!out->branch_count || mlirAttributeIsNull(out->kernel))
    return false; // nothing for the device
  find_ahead(out);
  if (!is_whole)
    out->why = "its body has more than launches, fills and copies of the "
               "device's memory on one stream";
  else if (!are_ahead(out, mlirBlockGetTerminator(out->after)))
    out->why = "what it carries is not there before its work";
  else if (!agpu__device_loop_may_keep(out))
    out->why = "the device cannot keep what the host copies to branch";
  else if (agpu__device_loop_is_host_given(module, out))
    out->why = "its work may be given the memory that the host looks at";
  return !out->why &&
         agpu__loop_state_find(module, out, mlirBlockGetTerminator(out->after));
}
