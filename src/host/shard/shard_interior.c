//===- shard_interior.c - What needs no halo is computed beside it --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op whose windows reach into a halo becomes three: the interior,
// which reads the rank's own rows alone and stands in front of what puts the
// halo around them, and the first and last rows behind that. So the halo is
// under way while the interior is computed.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

/// The loop's indices that a piece computes.
typedef struct piece {
  int64_t begin, size;
} piece;

/// The iterations of the rank's loops; negative: not known.
static int64_t iterations_of(const agpu__shard *self,
                             const agpu__shard_loops *loops) {
  int64_t all = 1;
  for (int i = 0; i < loops->count; ++i) {
    int64_t ranks = agpu__shard_ranks(self, loops->axes[i]), size;
    if (loops->sizes[i] < 0 || ranks < 1 ||
        __builtin_mul_overflow(all, loops->sizes[i] / ranks, &size))
      return -1;
    all = size;
  }
  return all;
}

bool agpu__shard_uses_index(MlirOperation op, int loop) {
  bool found = false;
  AGPU__OPS_IN_FOREACH (indice, op, "linalg.index")
    found |= agpu__get_int(indice, "dim", 0) == loop;
  return found;
}

bool agpu__shard_can_part(const agpu__shard *self,
                          const agpu__shard_loops *loops, intptr_t operand,
                          intptr_t dim, const agpu__shard_split *split) {
  int loop = agpu__shard_subscript(loops, operand, dim).loop;
  int64_t ranks = agpu__shard_ranks(self, loops->axes[loop]);
  if (!strcmp(self->interior, "never") || ranks < 2 || loops->reduced ||
      mlirOperationGetNumResults(loops->op) != 1 || split->stride != 1 ||
      split->size != split->parts || split->size % ranks != 0 ||
      split->before < 0 || split->after < 0 ||
      split->before + split->after >= split->size / ranks ||
      agpu__shard_uses_index(loops->op, loop))
    return false;
  if (strcmp(self->interior, "always") &&
      iterations_of(self, loops) < AGPU__SHARD_WORTH_ITERATIONS)
    return false;
  // No other operand has windows along the loop.
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(loops->op); ++k)
    for (intptr_t i = 0; i < agpu__shard_subscript_count(loops, k); ++i) {
      agpu__subscript at = agpu__shard_subscript(loops, k, i);
      if (at.loop == loop && !agpu__subscript_is_plain(&at) &&
          (k != operand || i != dim))
        return false;
    }
  return true;
}

/// The part of dimension `dim`, from `begin` on.
MlirValue agpu__shard_take(agpu__builder *at, MlirValue tensor, intptr_t dim,
                           int64_t begin, int64_t size) {
  agpu__block block = {agpu__index_constant(at, begin),
                       agpu__index_constant(at, size)};
  return agpu__shard_slice(
      at, tensor, dim, block,
      agpu__shard_resized(mlirValueGetType(tensor), dim, size));
}

/// The tensor that the result is put into: where the op begins with a fill,
/// each piece has one of its own, which kernels begin with.
MlirValue agpu__shard_target_of(MlirValue begin, MlirOperation *out_fill) {
  MlirOperation fill = agpu__maker_of(begin);
  bool is_fill = agpu__op_is(fill, "linalg.fill");
  *out_fill = is_fill ? fill : (MlirOperation){NULL};
  return is_fill ? mlirOperationGetOperand(fill, 1) : begin;
}

MlirValue agpu__shard_fill_like(agpu__builder *at, MlirOperation fill,
                                MlirValue tensor) {
  MlirOperation own = mlirOperationClone(fill);
  mlirOperationSetOperand(own, 1, tensor);
  mlirValueSetType(agpu__result(own, 0), mlirValueGetType(tensor));
  mlirBlockInsertOwnedOperationBefore(at->block, at->before, own);
  return agpu__result(own, 0);
}

/// `into` with that piece of the result; the windows read `padded`.
static MlirValue compute(agpu__builder *at, const agpu__shard_loops *loops,
                         const agpu__shard_padded *of, MlirValue padded,
                         piece it, MlirOperation fill, MlirValue into) {
  int loop = agpu__shard_subscript(loops, of->operand, of->halo.dim).loop;
  MlirOperation made = mlirOperationClone(loops->op);
  MlirValue indices[AGPU__SHARD_RANK];
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(made); ++k) {
    bool is_result = k == loops->inputs;
    MlirValue value = is_result          ? into
                      : k == of->operand ? padded
                                         : mlirOperationGetOperand(made, k);
    for (intptr_t i = 0; i < agpu__shard_subscript_count(loops, k); ++i) {
      bool is_split = agpu__shard_subscript(loops, k, i).loop == loop;
      if (is_result)
        indices[i] = agpu__index_constant(at, is_split ? it.begin : 0);
      if (is_split)
        value = agpu__shard_take(
            at, value, i, it.begin,
            it.size + (k == of->operand ? of->before + of->after : 0));
    }
    if (is_result && !mlirOperationIsNull(fill))
      value = agpu__shard_fill_like(at, fill, value);
    mlirOperationSetOperand(made, k, value);
    if (is_result)
      mlirValueSetType(agpu__result(made, 0), mlirValueGetType(value));
  }
  mlirBlockInsertOwnedOperationBefore(at->block, at->before, made);
  return agpu__shard_insert(at, agpu__result(made, 0), into, indices);
}

void agpu__shard_part(agpu__shard *self, agpu__builder *at,
                      const agpu__shard_loops *loops,
                      agpu__shard_padded *padded) {
  MlirValue result = agpu__result(loops->op, 0);
  MlirOperation fill;
  MlirValue into = agpu__shard_target_of(
      mlirOperationGetOperand(loops->op, loops->inputs), &fill);
  int loop =
      agpu__shard_subscript(loops, padded->operand, padded->halo.dim).loop;
  int64_t size =
      loops->sizes[loop] / agpu__shard_ranks(self, loops->axes[loop]);
  piece interior = {padded->before, size - padded->before - padded->after};
  into = compute(at, loops, padded, padded->tensor, interior, fill, into);
  MlirValue all = agpu__shard_surround(at, padded);
  piece borders[] = {{0, padded->before},
                     {size - padded->after, padded->after}};
  for (int i = 0; i < 2; ++i)
    if (borders[i].size > 0)
      into = compute(at, loops, padded, all, borders[i], fill, into);
  const agpu__sharded *known = agpu__shard_value(self, result);
  agpu__shard_set_like(self, into, known, known->layout);
  mlirValueReplaceAllUsesOfWith(result, into);
}
