//===- graph_loop.c - Loops whose rounds share graphs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all of a loop's body is part of a graph, several rounds are: a call
// says where each begins, and the runtime counts them. If they do the same, the
// call also says whether the round is to do anything:
//
//     scf.for ... iter_args(%t = %first) {       agpu.graph_begin
//       %n = ...                                 %last = scf.for ... {
//       scf.yield %n                               %runs = agpu.graph_round
//     }                                            %x = scf.if %runs { ...
//     yield %n }
//                                                             else { yield %t }
//                                                  scf.yield %x
//                                                }
//                                                %token = agpu.graph_token
//                                                %last agpu.graph_end
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include <stdlib.h>

/// Nodes that a graph is worth the call for: a card is busy with them for
/// longer than the host takes for the next one.
#define ENOUGH_NODES 64
/// Graphs that a loop is worth building one for.
#define LEAST_GRAPHS 4

int64_t agpu__graph_loop_rounds(int64_t work, int64_t trips) {
  int64_t most = work < ENOUGH_NODES ? ENOUGH_NODES / work : 1;
  // Rounds often go by turns: graphs of an even number are alike.
  if (trips < 0)
    return most > 1 ? most / 2 * 2 : 1;
  if (most > trips / LEAST_GRAPHS)
    most = trips > LEAST_GRAPHS ? trips / LEAST_GRAPHS : 1;
  // As few as can be are left over; the first round is no graph's.
  int64_t best = most;
  for (int64_t i = most; i > most / 2; --i)
    if ((trips - 1) % i < (trips - 1) % best)
      best = i;
  return best;
}

static bool is_token(MlirValue value) {
  return agpu__type_has_prefix(mlirValueGetType(value), "!async.token");
}

static bool are_tokens(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!is_token(agpu__result(op, i)))
      return false;
  return true;
}

static bool is_fixed_in(MlirSymbolTable symbols, MlirOperation root);

/// Whether the op, and what stands in it, gives and does the same for the same
/// operands: it reads no memory of the host, and keeps nothing.
static bool is_fixed(MlirSymbolTable symbols, MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  bool is_memory =
      row->class == AGPU__OP_ALLOCATES || (row->traits & AGPU__OP_RELEASES);
  if (row->traits & (AGPU__OP_RECORDS | AGPU__OP_STREAM))
    return !is_memory && !agpu__op_in_dialect(op, "async");
  if (row->class == AGPU__OP_STRUCTURE)
    return is_fixed_in(symbols, op);
  if (agpu__op_is(op, "async.call") || agpu__op_is(op, "func.call")) {
    MlirOperation function = agpu__find_callee(symbols, op);
    return are_tokens(op) && is_fixed_in(symbols, function);
  }
  // Each round leaves the default device as it has found it.
  if (agpu__graph_names_device(op))
    return true;
  return agpu__effect_of(op) == AGPU__EFFECT_NONE &&
         !agpu__has_attr(op, AGPU__OBSERVES_ATTR) &&
         !agpu__op_in_dialect(op, "async") && !is_memory;
}

static bool is_fixed_in(MlirSymbolTable symbols, MlirOperation root) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(root); ++i)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(root, i))
      AGPU__OPS_FOREACH (op, block)
        if (!is_fixed(symbols, op))
          return false;
  return true;
}

bool agpu__graph_loop_is_fixed(MlirSymbolTable symbols, MlirOperation loop) {
  MlirBlock body = agpu__entry_block(loop);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, 0))))
    return false;
  for (intptr_t i = 1; i < mlirBlockGetNumArguments(body); ++i)
    if (!is_token(mlirBlockGetArgument(body, i)))
      return false;
  return is_fixed_in(symbols, loop);
}

static bool has_other_use(MlirValue value, MlirOperation than) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  while (!mlirOpOperandIsNull(use) &&
         mlirOperationEqual(mlirOpOperandGetOwner(use), than))
    use = mlirOpOperandGetNextUse(use);
  return !mlirOpOperandIsNull(use);
}

bool agpu__graph_loop_is_independent(MlirOperation loop) {
  if (mlirOperationIsNull(loop))
    return false;
  MlirBlock body = agpu__entry_block(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirValue carried = mlirBlockGetArgument(body, i + 1);
    // What is only handed on comes from an earlier round, or from before.
    if (agpu__type_has_prefix(mlirValueGetType(carried), "!async.") &&
        mlirValueIsAOpResult(mlirOperationGetOperand(yield, i)) &&
        has_other_use(carried, yield))
      return false;
  }
  return true;
}

/// Puts the loop's body into an scf.if after `runs`.
static void build_choice(MlirOperation loop, MlirValue runs) {
  MlirBlock body = agpu__entry_block(loop);
  MlirLocation location = mlirOperationGetLocation(loop);
  AGPU__SCOPED(values) carried = agpu__arguments(body, 1);
  AGPU__OWNED MlirType *types = agpu__types_of(carried.data, carried.count);
  MlirOperation first = mlirOperationGetNextInBlock(mlirOpResultGetOwner(runs));
  agpu__builder at = agpu__builder_at_end(body, location);
  agpu__if choice = agpu__build_if(&at, runs, types, carried.count);
  agpu__builder in = agpu__builder_at_end(choice.yes, location);
  agpu__move_ops(&in, first, choice.op);
  agpu__build_yield(choice.no, location, carried.data, carried.count);
  AGPU__SCOPED(values) chosen = agpu__results(choice.op, 0);
  agpu__build_yield(body, location, chosen.data, chosen.count);
}

void agpu__graph_loop_build(const agpu__graph_part *part) {
  MlirOperation loop = part->first;
  const MlirValue no_value = {NULL};
  agpu__graph_part_build(part);
  agpu__builder in = agpu__builder_at_start(agpu__entry_block(loop),
                                            mlirOperationGetLocation(loop));
  MlirOperation round = agpu__graph_part_op(
      &in, part, "agpu.graph_round", no_value, agpu__i1_type(in.context));
  if (!part->is_fixed)
    return;
  build_choice(loop, agpu__result(round, 0));
  agpu__builder after = agpu__builder_after(loop);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirValue token = agpu__result(loop, i);
    MlirOperation whole = agpu__graph_part_op(&after, part, "agpu.graph_token",
                                              token, mlirValueGetType(token));
    mlirValueReplaceAllUsesExcept(token, agpu__result(whole, 0), 1,
                                  (MlirOperation[]){whole});
  }
}
