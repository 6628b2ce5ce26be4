//===- device_body.c - Rounds that branch on the device -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the host looks at memory in the middle of a round to branch, the device
// does: what the host copies for that is copied to memory of the device, kept,
// and to the host when all rounds are over.
//
//     copy; await; %c = ...      copy to kept; SETS; launch of %c's kernel
//     scf.if %c { work }    ->   IF; work; END
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

agpu__if agpu__device_build_begin(const agpu__device_maker *self,
                                  MlirBlock to) {
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(self->of->loop));
  MlirType i1 = agpu__i1_type(at.context);
  MlirOperation begin = agpu__graph_part_op(
      &at, self->part, "agpu.graph_loop_begin", (MlirValue){NULL}, i1);
  return agpu__build_if(&at, agpu__result(begin, 0), &i1, 1);
}

void agpu__device_build_outcome(const agpu__device_maker *self, MlirBlock runs,
                                MlirBlock runs_not) {
  MlirLocation location = mlirOperationGetLocation(self->of->loop);
  agpu__builder in = agpu__builder_at_end(runs, location);
  MlirType i1 = agpu__i1_type(in.context);
  MlirOperation end = agpu__graph_part_op(
      &in, self->part, "agpu.graph_loop_end", (MlirValue){NULL}, i1);
  MlirValue done = agpu__result(end, 0);
  agpu__build_yield(runs, location, &done, 1);
  agpu__builder out = agpu__builder_at_end(runs_not, location);
  MlirValue no = agpu__build_constant(&out, i1, 0);
  agpu__build_yield(runs_not, location, &no, 1);
}

void agpu__device_build_launch(const agpu__device_loop *of, MlirBlock to,
                               MlirAttribute kernel,
                               const agpu__values *arguments) {
  MlirLocation location = mlirOperationGetLocation(of->loop);
  agpu__builder at = agpu__builder_at_end(to, location);
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, of->stream);
  MlirValue one = agpu__index_constant(&at, 1);
  for (int i = 0; i < 6; ++i)
    agpu__values_push(&operands, one);
  agpu__values_push(&operands,
                    agpu__build_constant(&at, agpu__i32_type(at.context), 0));
  agpu__values_push(&operands, agpu__build_arguments(&at, arguments));
  MlirNamedAttribute named = agpu__named(at.context, "kernel", kernel);
  agpu__build_op(&at, "agpu.launch", operands.data, operands.count,
                 (MlirType){NULL}, &named, 1);
}

void agpu__device_build_kept(agpu__device_maker *self, MlirBlock to) {
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
    if (!self->is_private)
      agpu__build_memcpy(&at, of->stream, kept, host);
    agpu__values_push(&self->hosts, host);
    agpu__values_push(&self->kept, kept);
  }
}

/// What the device has for a value that a kernel of a branch is given.
static MlirValue get_kept(const agpu__device_maker *self, MlirValue value) {
  intptr_t i = agpu__values_find(&self->hosts, value);
  return i < 0 ? value : self->kept.data[i];
}

static void say_branch(const agpu__device_maker *self, MlirBlock to,
                       size_t number, agpu_graph_branch_kind kind) {
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
static void build_set(const agpu__device_maker *self, MlirBlock to,
                      size_t branch, size_t number, bool inverts,
                      agpu__twins *copies) {
  const agpu__values *inputs = &self->kernels.branch_inputs[branch];
  agpu__builder at =
      agpu__builder_at_end(to, mlirOperationGetLocation(self->of->loop));
  AGPU__SCOPED(values) arguments = {0};
  say_branch(self, to, number, AGPU_GRAPH_SETS);
  agpu__values_push(&arguments,
                    agpu__build_constant(&at, agpu__i64_type(at.context), 0));
  agpu__values_push(&arguments, agpu__build_constant(
                                    &at, agpu__i32_type(at.context), inverts));
  if (self->of->slots.count)
    agpu__values_push(&arguments, self->memory);
  for (size_t i = 0; i < inputs->count; ++i)
    agpu__values_push(&arguments, agpu__twin_or_self(
                                      copies, get_kept(self, inputs->data[i])));
  agpu__device_build_launch(self->of, to, self->kernels.branches[branch],
                            &arguments);
}

/// The first of its blocks runs if its condition holds, and the second if not.
static void build_branch(const agpu__device_maker *self,
                         const agpu__device_branch *branch, MlirBlock to,
                         size_t outer, agpu__twins *copies) {
  size_t index = (size_t)(branch - self->of->branches);
  MlirBlock blocks[2];
  for (intptr_t i = 0; i < 2; ++i) {
    blocks[i] = agpu__region_entry(branch->op, i);
    if (!mlirBlockIsNull(blocks[i]))
      build_set(self, to, index, 2 * index + 1 + (size_t)i, i, copies);
  }
  for (size_t i = 0; i < 2; ++i) {
    if (mlirBlockIsNull(blocks[i]))
      continue;
    size_t number = 2 * index + 1 + i;
    say_branch(self, to, number, AGPU_GRAPH_IF);
    agpu__device_build_until(self, blocks[i], mlirBlockGetTerminator(blocks[i]),
                             to, number, copies);
    say_branch(self, to, outer, AGPU_GRAPH_END);
  }
}

/// Its first round begins where it stands; the others are the node's body.
static void build_loop(const agpu__device_maker *self,
                       const agpu__device_branch *branch, MlirBlock to,
                       size_t outer, agpu__twins *copies) {
  size_t index = (size_t)(branch - self->of->branches), number = 2 * index + 1;
  MlirBlock before = agpu__entry_block(branch->op);
  MlirBlock after = agpu__region_entry(branch->op, 1);
  agpu__device_build_until(self, before, branch->user, to, outer, copies);
  build_set(self, to, index, number, false, copies);
  say_branch(self, to, number, AGPU_GRAPH_WHILE);
  agpu__device_build_until(self, after, mlirBlockGetTerminator(after), to,
                           number, copies);
  agpu__device_build_until(self, before, branch->user, to, number, copies);
  build_set(self, to, index, number, false, copies);
  say_branch(self, to, outer, AGPU_GRAPH_END);
}

/// What a branch has to do before it, and what it computes of memory of the
/// host, is the device's. False: the op is neither.
static bool build_look(const agpu__device_maker *self, MlirOperation op,
                       MlirBlock to, const agpu__twins *copies,
                       agpu__values *read) {
  const agpu__device_branch *branch = agpu__device_branch_of(self->of, op);
  if (branch && mlirOperationEqual(op, branch->copy)) {
    MlirValue source = mlirOperationGetOperand(op, 2);
    agpu__builder at = agpu__builder_at_end(to, mlirOperationGetLocation(op));
    agpu__build_memcpy(&at, self->of->stream,
                       get_kept(self, mlirOperationGetOperand(op, 1)),
                       agpu__twin_or_self(copies, source));
  }
  bool result = branch || agpu__op_is(op, "memref.load");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !result; ++i)
    result = agpu__values_find(read, mlirOperationGetOperand(op, i)) >= 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && result; ++i)
    agpu__values_push(read, agpu__result(op, i));
  return result;
}

void agpu__device_build_until(const agpu__device_maker *self, MlirBlock from,
                              MlirOperation end, MlirBlock to, size_t outer,
                              agpu__twins *copies) {
  AGPU__SCOPED(values) read = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(from);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    const agpu__device_branch *branch = agpu__device_branch_of(self->of, op);
    if (agpu__device_round_is_ahead(self->of, op) ||
        agpu__op_is_any(op, "agpu.stream_record async.await"))
      continue;
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
}
