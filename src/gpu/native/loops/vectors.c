//===- vectors.c - Threads side by side as vectors -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes vectors of innermost loops alone. A part's loop over the threads
// of a row is one where what a thread does has no loop: so those of the
// kernel's own that are short, such as along a tile, are unrolled, if need be
// against the options of the optimiser (the JIT's unroll nothing). And the row
// itself must not be, as a short one would, after which there are only columns
// of threads, whose elements lie apart.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

/// A row of fewer threads is no vector; one of more is not unrolled anyway.
enum { LEAST_ROW = 8, MOST_KEPT_ROW = 64 };

/// Iterations of a loop that is unrolled, and ops of a part that come of it.
enum { MOST_TRIPS = 16, MOST_OPS = 1024 };

static bool is_vector(MlirValue value) {
  return mlirTypeIsAVector(mlirValueGetType(value));
}

bool agpu__simt_may_be_vectors(const agpu__simt_loops *self, size_t first,
                               MlirAttribute size, size_t *out_ops) {
  *out_ops = 0;
  if (!mlirAttributeIsNull(size) &&
      mlirDenseI32ArrayGetElement(size, 0) < LEAST_ROW)
    return false;
  for (size_t b = first; b < self->graph.count; ++b) {
    if (self->division.part[b] != first)
      continue;
    AGPU__OPS_FOREACH (op, self->graph.blocks[b]) {
      if (agpu__op_is(op, "llvm.call"))
        return false;
      for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
        if (is_vector(mlirOperationGetResult(op, i)))
          return false;
      ++*out_ops;
    }
  }
  return true;
}

static bool is_constant(MlirValue value, int64_t *out) {
  MlirOperation op = agpu__maker_of(value);
  MlirAttribute number = agpu__op_is(op, "llvm.mlir.constant")
                             ? agpu__attr(op, "value")
                             : mlirAttributeGetNull();
  if (mlirAttributeIsNull(number) || !mlirAttributeIsAInteger(number))
    return false;
  *out = mlirIntegerAttrGetValueInt(number);
  return true;
}

/// Whether `header` is left once its argument `counter` has reached a constant.
static bool has_end(MlirBlock header, MlirValue counter, int64_t *out_end) {
  MlirOperation branch = mlirBlockGetTerminator(header);
  MlirOperation compare =
      agpu__op_is(branch, "llvm.cond_br")
          ? agpu__maker_of(mlirOperationGetOperand(branch, 0))
          : (MlirOperation){NULL};
  if (!agpu__op_is(compare, "llvm.icmp") ||
      !mlirValueEqual(mlirOperationGetOperand(compare, 0), counter))
    return false;
  int64_t predicate = agpu__get_int(compare, "predicate", -1);
  return (predicate == AGPU__SIGNED_LESS || predicate == AGPU__UNSIGNED_LESS) &&
         is_constant(mlirOperationGetOperand(compare, 1), out_end);
}

/// Whether `next` is `counter` and a constant.
static bool has_step(MlirValue next, MlirValue counter, int64_t *out_step) {
  MlirOperation add = agpu__maker_of(next);
  return agpu__op_is(add, "llvm.add") &&
         mlirValueEqual(mlirOperationGetOperand(add, 0), counter) &&
         is_constant(mlirOperationGetOperand(add, 1), out_step) &&
         *out_step > 0;
}

/// Whether argument `index` of `header` is the same constant on all ways there
/// but the one from `latch`.
static bool has_begin(const agpu__simt_graph *graph, size_t header,
                      size_t latch, intptr_t index, int64_t *out_begin) {
  bool found = false;
  for (size_t e = graph->pred_first[header]; e < graph->pred_first[header + 1];
       ++e) {
    MlirOperation branch =
        mlirBlockGetTerminator(graph->blocks[graph->preds[e]]);
    int64_t begin;
    if (graph->preds[e] == latch)
      continue;
    if (!agpu__op_is(branch, "llvm.br") ||
        !is_constant(mlirOperationGetOperand(branch, index), &begin) ||
        (found && begin != *out_begin))
      return false;
    *out_begin = begin;
    found = true;
  }
  return found;
}

/// How often the loop runs whose last block is `latch`, as upstream's lowering
/// of scf.for makes them; 0 where it is none, or that is not known, or the
/// program says itself what LLVM shall do.
static size_t trips_of(const agpu__simt_graph *graph, size_t latch) {
  MlirOperation back = mlirBlockGetTerminator(graph->blocks[latch]);
  if (!agpu__op_is(back, "llvm.br") || agpu__has_attr(back, "loop_annotation"))
    return 0;
  size_t header = graph->succs[graph->succ_first[latch]];
  MlirBlock block = graph->blocks[header];
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue counter = mlirBlockGetArgument(block, i);
    int64_t begin, end, step;
    if (has_end(block, counter, &end) &&
        has_step(mlirOperationGetOperand(back, i), counter, &step) &&
        has_begin(graph, header, latch, i, &begin) && end > begin) {
      // The distance may be more than an int64_t has.
      uint64_t last = ((uint64_t)end - (uint64_t)begin - 1) / (uint64_t)step;
      return last < MOST_TRIPS ? (size_t)last + 1 : 0;
    }
  }
  return 0;
}

bool agpu__simt_prepare_row(const agpu__simt_loops *self, size_t first,
                            MlirAttribute size) {
  size_t ops;
  if (mlirAttributeIsNull(size) ||
      !agpu__simt_may_be_vectors(self, first, size, &ops))
    return false;
  MlirAttribute full = agpu__parse_attr(
      self->context, "#llvm.loop_annotation<unroll = <full = true>>");
  for (size_t b = first; b < self->graph.count; ++b) {
    if (self->division.part[b] != first)
      continue;
    size_t trips = trips_of(&self->graph, b);
    if (!trips || ops * trips > MOST_OPS)
      continue;
    ops *= trips;
    agpu__set_attr(mlirBlockGetTerminator(self->graph.blocks[b]),
                   "loop_annotation", full);
  }
  return mlirDenseI32ArrayGetElement(size, 0) <= MOST_KEPT_ROW;
}
