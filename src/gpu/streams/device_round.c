//===- device_round.c - Rounds whose branches the device takes ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of the host whose rounds only enqueue, but for waits after which the
// host looks at memory to branch. A round is a graph with conditional nodes,
// and the host waits when all are over:
//
//     scf.for {               scf.for {
//       work; copy              %is = agpu.graph_loop_begin
//       await; %c = ...         %done = scf.if %is { work; copy to kept; IF ...
//       scf.if %c { ... }  ->                        agpu.graph_loop_end }
//     }                         scf.if %done {}
//                               else { work; copy; copy to kept; await; ... }
//                             }
//                             copy of kept; await
//
// Rounds that are no graph leave in the device's memory what those that are do.
// Where nothing but the branches looks at the host's memory, nothing is copied
// for the rest.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

/// Whether nothing but the loop's branches uses what the value names.
static bool is_private(const agpu__device_loop *of, MlirValue host) {
  if (!agpu__device_loop_allocates_host(host))
    return false;
  AGPU__USES_FOREACH (use, host) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const agpu__device_branch *branch = agpu__device_branch_of(of, op);
    bool is_look = agpu__is_inside(op, of->loop) &&
                   (agpu__op_is(op, "memref.load") ||
                    (branch && mlirOperationEqual(op, branch->copy)));
    if (!is_look && !agpu__op_is(op, "memref.dealloc"))
      return false;
  }
  return true;
}

static bool are_private(const agpu__device_loop *of) {
  for (size_t i = 0; i < of->branch_count; ++i) {
    MlirOperation copy = of->branches[i].copy;
    if (!mlirOperationIsNull(copy) &&
        !is_private(of, mlirOperationGetOperand(copy, 1)))
      return false;
  }
  return true;
}

/// Moves all ops of `from`, which is destroyed, before `to`.
static void move_all(MlirBlock from, MlirOperation to) {
  agpu__builder at = agpu__builder_before(to);
  agpu__move_ops(&at, mlirBlockGetFirstOperation(from), (MlirOperation){NULL});
  mlirBlockDestroy(from);
}

/// A round as a graph; whether it has been one.
static MlirValue build_graph(const agpu__device_maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  agpu__if choice = agpu__device_build_begin(self, to);
  AGPU__SCOPED(twins) copies = {0};
  agpu__device_build_until(self, of->after, mlirBlockGetTerminator(of->after),
                           choice.yes, 0, &copies);
  agpu__device_build_outcome(self, choice.yes, choice.no);
  return agpu__result(choice.op, 0);
}

/// The round as it is, which leaves in the device's memory what the host has.
static void move_round(const agpu__device_maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  for (size_t i = 0; i < of->branch_count && !self->is_private; ++i) {
    MlirOperation copy = of->branches[i].copy;
    if (mlirOperationIsNull(copy))
      continue;
    agpu__builder at = agpu__builder_after(copy);
    intptr_t host =
        agpu__values_find(&self->hosts, mlirOperationGetOperand(copy, 1));
    agpu__build_memcpy(&at, of->stream, self->kept.data[host],
                       mlirOperationGetOperand(copy, 2));
  }
  MlirOperation end = mlirBlockGetTerminator(of->after);
  for (MlirOperation op = mlirBlockGetFirstOperation(of->after), next;
       !mlirOperationEqual(op, end); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (agpu__device_round_is_ahead(of, op))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}

/// All rounds are over: the host has what they have copied, and waits for them.
static void build_end(const agpu__device_maker *self, MlirBlock to) {
  const agpu__device_loop *of = self->of;
  AGPU__SCOPED(twins) copies = {0};
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(of->loop));
  for (size_t i = 0; i < self->kept.count && !self->is_private; ++i)
    agpu__build_memcpy(&at, of->stream, self->hosts.data[i],
                       self->kept.data[i]);
  agpu__append_copy(&copies, of->branches[0].record, to);
  agpu__append_copy(&copies, of->branches[0].await, to);
  for (size_t i = 0; i < self->kept.count; ++i)
    agpu__build_dealloc(&at, of->stream, self->kept.data[i]);
}

bool agpu__device_round_build(MlirOperation module, agpu__device_loop *of,
                              const agpu__graph_part *part) {
  agpu__device_maker self = {.module = module, .of = of, .part = part};
  bool can = agpu__loop_kernels_build(module, of, part->number, &self.kernels);
  if (can) {
    MlirLocation location = mlirOperationGetLocation(of->loop);
    MlirBlock before = mlirBlockCreate(0, NULL, NULL);
    MlirBlock round = mlirBlockCreate(0, NULL, NULL);
    MlirBlock after = mlirBlockCreate(0, NULL, NULL);
    self.is_private = are_private(of);
    agpu__device_build_kept(&self, before);
    MlirValue is_done = build_graph(&self, round);
    agpu__builder at = agpu__builder_at_end(round, location);
    agpu__if choice = agpu__build_if(&at, is_done, NULL, 0);
    build_end(&self, after);
    move_round(&self, choice.no);
    agpu__build_yield(choice.yes, location, NULL, 0);
    agpu__build_yield(choice.no, location, NULL, 0);
    move_all(before, of->loop);
    move_all(round, mlirBlockGetTerminator(of->after));
    move_all(after, mlirOperationGetNextInBlock(of->loop));
  }
  agpu__loop_kernels_free(&self.kernels);
  agpu__values_free(&self.hosts);
  agpu__values_free(&self.kept);
  return can;
}
