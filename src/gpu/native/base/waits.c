//===- waits.c - Ops that let a thread wait for others --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, shuffles, votes and the like, as a table: what each tells the
// runtime, which resumes a thread once those that it waits for are there. Ops
// that are not in it do not wait.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

#include "async_gpu/compiled/native_matrix.h"

/// No operand goes into the record.
#define NONE -1, -1, -1, -1

static const agpu__simt_wait rows[] = {
    {"nvvm.barrier0", AGPU_NATIVE_BARRIER, NONE, NULL, NULL},
    // Its operands are optional; see coroutines.c.
    {"nvvm.barrier", AGPU_NATIVE_NUMBERED_BARRIER, NONE, NULL, NULL},
    {"nvvm.cluster.wait", AGPU_NATIVE_CLUSTER_WAIT, NONE, NULL, NULL},
    {AGPU__SIMT_PHASE_WAIT, AGPU_NATIVE_PHASE_WAIT, 0, -1, 1, 2, NULL, NULL},
    {"nvvm.bar.warp.sync", AGPU_NATIVE_WARP_BARRIER, -1, 0, -1, -1, NULL, NULL},
    {"nvvm.shfl.sync", AGPU_NATIVE_SHUFFLE, 1, 0, 2, 3, "#nvvm<shfl_kind %.*s>",
     "bfly up down idx"},
    {"nvvm.vote.sync", AGPU_NATIVE_VOTE, 1, 0, -1, -1,
     "#nvvm<vote_sync_kind %.*s>", "any all ballot uni"},
    {"nvvm.match.sync", AGPU_NATIVE_MATCH, 1, 0, -1, -1,
     "#nvvm<match_sync_kind %.*s>", "any all"},
    {"nvvm.redux.sync", AGPU_NATIVE_REDUCTION, 0, 1, -1, -1,
     "#nvvm<redux_kind %.*s>", "add and max min or umax umin xor fmin fmax"},
    {"nvvm.elect.sync", AGPU_NATIVE_ELECTION, -1, 0, -1, -1, NULL, NULL},
    {"llvm.nvvm.activemask", AGPU_NATIVE_ACTIVE_MASK, NONE, NULL, NULL},
    // Its mode is an attribute; see coroutines.c.
    {AGPU__SIMT_COLLECTIVE, AGPU_NATIVE_COLLECTIVE, 0, -1, -1, -1, NULL, NULL},
};

const agpu__simt_wait *agpu__simt_find_wait(MlirOperation op) {
  bool is_intrinsic = agpu__op_is(op, "llvm.call_intrinsic");
  MlirStringRef name =
      is_intrinsic ? agpu__get_string(op, "intrin") : agpu__op_name(op);
  if (!is_intrinsic && agpu__op_in_dialect(op, "llvm"))
    return NULL;
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i)
    if (mlirStringRefEqual(name, agpu__str(rows[i].op)))
      return &rows[i];
  return NULL;
}

bool agpu__simt_is_collective(MlirOperation op) {
  return agpu__op_is(op, AGPU__SIMT_COLLECTIVE);
}

bool agpu__simt_only_synchronizes(MlirOperation op) {
  return agpu__simt_is_collective(op) &&
         agpu__get_int(op, "mode", -1) == AGPU_NATIVE_MEET;
}

bool agpu__simt_is_barrier(MlirOperation op) {
  return agpu__op_is(op, "nvvm.barrier0") ||
         (agpu__op_is(op, "nvvm.barrier") && !mlirOperationGetNumOperands(op));
}

bool agpu__simt_waits(MlirOperation function) {
  AGPU__OPS_IN_FOREACH (op, function, NULL)
    if (agpu__simt_is_wait(op))
      return true;
  return false;
}
