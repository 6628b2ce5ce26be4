//===- uniform.c - What is the same in all threads of a block --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is uniform if it is computed from uniform ones by an op that depends
// on nothing else, in code that all threads run equally often. What is read
// from memory counts as varying: another thread may write it meanwhile.
//
// Where threads take a branch differently, the arguments of all blocks up to
// the place where they have met again vary: they say which way a thread came,
// and how often it went through a loop.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

agpu__simt_purity agpu__simt_purity_of(MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  if (!agpu__op_in_dialect(op, "llvm") ||
      (row->class != AGPU__OP_PURE && row->class != AGPU__OP_VIEW))
    return AGPU__SIMT_IMPURE;
  return row->traits & AGPU__OP_TRAPS ? AGPU__SIMT_PURE : AGPU__SIMT_ANYWHERE;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns whether that is new.
static bool mark(agpu__simt_uniform *self, MlirValue value) {
  if (!agpu__simt_is_uniform(self, value))
    return false;
  agpu__map_set(&self->varying, value.ptr, 1);
  return true;
}

static bool mark_arguments(agpu__simt_uniform *self, MlirBlock block) {
  bool changed = false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    changed |= mark(self, mlirBlockGetArgument(block, i));
  return changed;
}

static bool has_varying_operand(const agpu__simt_uniform *self,
                                MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!agpu__simt_is_uniform(self, mlirOperationGetOperand(op, i)))
      return true;
  return false;
}

static bool mark_results(agpu__simt_uniform *self, MlirBlock block) {
  bool changed = false;
  AGPU__OPS_FOREACH (op, block) {
    if (!mlirOperationGetNumResults(op) ||
        (agpu__simt_purity_of(op) != AGPU__SIMT_IMPURE &&
         !has_varying_operand(self, op)))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      changed |= mark(self, mlirOperationGetResult(op, i));
  }
  return changed;
}

/// What a block hands on varies where it does. Only llvm.br hands values on.
static bool mark_handed_on(agpu__simt_uniform *self, MlirOperation branch) {
  bool changed = false;
  if (!agpu__op_is(branch, "llvm.br"))
    return false;
  MlirBlock to = mlirOperationGetSuccessor(branch, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(branch); ++i)
    if (!agpu__simt_is_uniform(self, mlirOperationGetOperand(branch, i)))
      changed |= mark(self, mlirBlockGetArgument(to, i));
  return changed;
}

/// Threads may take a branch differently, behind which `reached` can run up to
/// `ipdom`.
static bool mark_divergence(const agpu__simt_graph *graph,
                            const agpu__simt_set *reached, size_t ipdom,
                            agpu__simt_uniform *self) {
  bool changed = false;
  for (size_t i = 0; i < reached->count; ++i) {
    size_t b = reached->list[i];
    changed |= mark_arguments(self, graph->blocks[b]);
    if (b != ipdom)
      self->divergent[b] = true;
  }
  return changed;
}

void agpu__simt_uniform_create(const agpu__simt_graph *graph,
                               const MlirValue *varying, size_t varying_count,
                               agpu__simt_uniform *out_uniform) {
  agpu__simt_uniform *self = out_uniform;
  *self = (agpu__simt_uniform){0};
  self->divergent = agpu__allocate(graph->count, sizeof(*self->divergent));
  AGPU__OWNED bool *done = agpu__allocate(graph->count, sizeof(*done));
  AGPU__SCOPED(simt_set) reached = agpu__simt_set_create(graph);
  for (size_t i = 0; i < varying_count; ++i)
    mark(self, varying[i]);
  AGPU__OWNED size_t *ipdom = agpu__simt_postdominators(graph);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < graph->count; ++b) {
      changed |= mark_results(self, graph->blocks[b]);
      MlirOperation end = mlirBlockGetTerminator(graph->blocks[b]);
      changed |= mark_handed_on(self, end);
      if (done[b] || agpu__simt_successors(graph, b) < 2 ||
          !has_varying_operand(self, end))
        continue;
      done[b] = true;
      agpu__simt_reach_from(graph, b, ipdom[b], &reached);
      changed |= mark_divergence(graph, &reached, ipdom[b], self);
    }
  }
}

void agpu__simt_uniform_free(agpu__simt_uniform *uniform) {
  agpu__map_free(&uniform->varying);
  free(uniform->divergent);
}
