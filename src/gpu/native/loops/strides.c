//===- strides.c - Loops in strides of the grid ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose counter begins at the thread's number and goes on by that of all
// threads reads neighbouring elements in neighbouring threads, and elements far
// apart in one. Threads end it at different times, so the loop over threads
// would be around it, and each go through memory on its own.
//
//     for (i = number; i < n; i += all)
//
// As long as the last thread of a row goes on, all do:
//
//     for (u = number of the first; u + size - 1 < n; u += all)
//       ... with i = u + id
//     for (i = u + id; i < n; i += all)
//
// The first of these is the same in all threads, and the loop over threads goes
// into it. What threads do between barriers has no order, and each still does
// its own in order. Only loops that have none inside are treated so.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

/// Constant strides that are shorter let each thread use what it has read.
enum { LEAST_STRIDE = 32 };

typedef struct stride {
  const agpu__simt_graph *graph;
  const agpu__simt_uniform *uniform;
  size_t header, latch, before; ///< blocks; `before` leads to the header alone
  agpu__simt_set inside;        ///< the loop's blocks, but for the header
  intptr_t counter;             ///< the header's argument
  intptr_t side;                ///< the comparison's operand that it is
  MlirOperation compare;
  agpu__predicate predicate;
  MlirValue start, step;
  agpu__simt_row row;
} stride;

static bool is_uniform(const void *data, MlirValue value) {
  return agpu__simt_is_uniform(data, value);
}

static MlirBlock block_at(const stride *of, size_t number) {
  return of->graph->blocks[number];
}

//===----------------------------------------------------------------------===//
// The shape of the loop
//===----------------------------------------------------------------------===//

static int compare_numbers(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/// The loop's blocks, in ascending order: what leads to the latch. False where
/// it has others that are entered from elsewhere, or left.
static bool find_inside(stride *of) {
  const agpu__simt_graph *graph = of->graph;
  agpu__simt_set *inside = &of->inside;
  agpu__simt_set_clear(inside);
  agpu__simt_set_add(inside, of->latch);
  for (size_t i = 0; i < inside->count; ++i) {
    size_t b = inside->list[i];
    for (size_t e = graph->pred_first[b]; e < graph->pred_first[b + 1]; ++e)
      if (graph->preds[e] != of->header)
        agpu__simt_set_add(inside, graph->preds[e]);
  }
  if (inside->has[of->before] || inside->has[0])
    return false;
  qsort(inside->list, inside->count, sizeof(*inside->list), compare_numbers);
  for (size_t i = 0; i < inside->count; ++i) {
    size_t b = inside->list[i];
    if (!agpu__simt_successors(graph, b))
      return false;
    for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e) {
      size_t to = graph->succs[e];
      // Numbers are in reverse post-order: an edge back is one of a loop.
      if (to == of->header ? b != of->latch : !inside->has[to] || to <= b)
        return false;
    }
  }
  return true;
}

/// Whether the block only computes, reads and writes; of the header, only what
/// can run anywhere.
static bool does_no_more(MlirBlock block, bool is_header) {
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirOperation op = mlirBlockGetFirstOperation(block);
  for (; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    agpu__simt_purity purity = agpu__simt_purity_of(op);
    if (is_header
            ? purity != AGPU__SIMT_ANYWHERE
            : purity == AGPU__SIMT_IMPURE &&
                  !agpu__op_is_any(op, "llvm.load llvm.store llvm.atomicrmw"))
      return false;
  }
  return true;
}

static bool is_plain(const stride *of) {
  for (size_t i = 0; i < of->inside.count; ++i)
    if (!does_no_more(block_at(of, of->inside.list[i]), false))
      return false;
  return does_no_more(block_at(of, of->header), true);
}

/// The loop that `header` begins and threads come to together.
static bool has_shape(stride *of) {
  const agpu__simt_graph *graph = of->graph;
  size_t first = graph->pred_first[of->header];
  MlirOperation end = mlirBlockGetTerminator(block_at(of, of->header));
  if (graph->pred_first[of->header + 1] - first != 2 ||
      !agpu__op_is(end, "llvm.cond_br"))
    return false;
  bool swapped = graph->preds[first] >= of->header;
  of->before = graph->preds[first + swapped];
  of->latch = graph->preds[first + !swapped];
  if (of->before >= of->header || of->latch <= of->header ||
      of->uniform->divergent[of->before] ||
      !agpu__op_is(mlirBlockGetTerminator(block_at(of, of->before)),
                   "llvm.br") ||
      !agpu__op_is(mlirBlockGetTerminator(block_at(of, of->latch)), "llvm.br"))
    return false;
  size_t edge = graph->succ_first[of->header];
  return find_inside(of) && of->inside.has[graph->succs[edge]] &&
         !of->inside.has[graph->succs[edge + 1]] &&
         graph->succs[edge + 1] != of->header && is_plain(of);
}

//===----------------------------------------------------------------------===//
// Its counter
//===----------------------------------------------------------------------===//

/// Whether `value` was known before the loop, and to all threads alike.
static bool is_known_before(const stride *of, MlirValue value) {
  size_t block = agpu__simt_definition(of->graph, value);
  return agpu__simt_is_uniform(of->uniform, value) &&
         (block == AGPU__MAP_NONE ||
          (block != of->header && !of->inside.has[block]));
}

static bool is_long(MlirValue step) {
  MlirOperation op = agpu__maker_of(step);
  return !agpu__op_is(op, "llvm.mlir.constant") ||
         mlirIntegerAttrGetValueInt(agpu__attr(op, "value")) >= LEAST_STRIDE;
}

/// Whether the id of a thread is in `start` as such, and never in what is
/// widened afterwards, which might have wrapped.
static bool counts_exactly(const agpu__simt_row *row, MlirValue start) {
  for (;;) {
    if (agpu__simt_form_of(row, start) == AGPU__SIMT_ID)
      return true;
    MlirOperation op = agpu__maker_of(start);
    if (!agpu__op_is_any(op, "llvm.add llvm.sub llvm.trunc"))
      return false;
    MlirValue a = mlirOperationGetOperand(op, 0);
    start = agpu__simt_form_of(row, a) == AGPU__SIMT_SAME
                ? mlirOperationGetOperand(op, 1)
                : a;
  }
}

/// Whether the header's argument `index` counts in strides.
static bool is_counter(stride *of, intptr_t index) {
  MlirBlock header = block_at(of, of->header);
  MlirValue counter = mlirBlockGetArgument(header, index);
  MlirValue next = mlirOperationGetOperand(
      mlirBlockGetTerminator(block_at(of, of->latch)), index);
  MlirOperation add = agpu__maker_of(next);
  of->compare = agpu__maker_of(
      mlirOperationGetOperand(mlirBlockGetTerminator(header), 0));
  if (!agpu__op_is(add, "llvm.add") || mlirOperationIsNull(of->compare) ||
      !agpu__simt_is_ordered(of->compare, &of->predicate))
    return false;
  of->side = mlirValueEqual(mlirOperationGetOperand(of->compare, 1), counter);
  bool is_less = of->predicate == AGPU__SIGNED_LESS ||
                 of->predicate == AGPU__SIGNED_LESS_EQUAL ||
                 of->predicate == AGPU__UNSIGNED_LESS ||
                 of->predicate == AGPU__UNSIGNED_LESS_EQUAL;
  bool steps = mlirValueEqual(mlirOperationGetOperand(add, 1), counter);
  of->step = mlirOperationGetOperand(add, !steps);
  of->start = mlirOperationGetOperand(
      mlirBlockGetTerminator(block_at(of, of->before)), index);
  if (is_less == (of->side == 1) ||
      !mlirValueEqual(mlirOperationGetOperand(add, steps), counter) ||
      !mlirValueEqual(mlirOperationGetOperand(of->compare, of->side),
                      counter) ||
      !is_known_before(of, mlirOperationGetOperand(of->compare, 1 - of->side)))
    return false;
  agpu__simt_form form = agpu__simt_form_of(&of->row, of->start);
  return is_known_before(of, of->step) && is_long(of->step) &&
         (form == AGPU__SIMT_COUNTS || form == AGPU__SIMT_ID) &&
         counts_exactly(&of->row, of->start);
}

static bool find_counter(stride *of) {
  intptr_t count = mlirBlockGetNumArguments(block_at(of, of->header));
  for (of->counter = 0; of->counter < count; ++of->counter)
    if (is_counter(of, of->counter))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// The loop of all threads
//===----------------------------------------------------------------------===//

/// Ends the new header: on into `body` while the last thread of the row goes
/// on, else to the loop as it was.
static void build_end(const stride *of, agpu__builder *at, MlirValue base,
                      MlirBlock body, const agpu__values *values) {
  MlirType type = mlirValueGetType(base);
  MlirValue size = of->row.size;
  if (mlirIntegerTypeGetWidth(type) != 32)
    size = agpu__build_unary(at, "llvm.zext", size, type);
  MlirValue one = agpu__llvm_constant(at, mlirIntegerAttrGet(type, 1));
  MlirValue last = agpu__build_binary(
      at, "llvm.add", base, agpu__build_binary(at, "llvm.sub", size, one));
  MlirValue bound = mlirOperationGetOperand(of->compare, 1 - of->side);
  MlirValue more = agpu__llvm_compare(
      at, of->predicate, of->side ? bound : last, of->side ? last : bound);
  MlirValue rises = agpu__llvm_compare(at,
                                       of->predicate < AGPU__UNSIGNED_LESS
                                           ? AGPU__SIGNED_LESS_EQUAL
                                           : AGPU__UNSIGNED_LESS_EQUAL,
                                       base, last);
  MlirValue all = agpu__build_binary(at, "llvm.and", more, rises);
  MlirBlock rest = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(at->block),
                                  at->block, rest);
  agpu__builder there = agpu__builder_at_end(rest, at->location);
  agpu__llvm_branch(&there, block_at(of, of->header), values->data,
                    values->count);
  agpu__llvm_branch_if(at, all, body, NULL, 0, rest);
}

/// Puts the loop of all threads before the loop.
static void build(const stride *of, MlirLocation location) {
  MlirBlock header = block_at(of, of->header);
  MlirOperation enter = mlirBlockGetTerminator(block_at(of, of->before));
  MlirBlock all = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(mlirBlockGetParentRegion(header), header,
                                   all);
  AGPU__SCOPED(twins) copies = {0};
  AGPU__SCOPED(values) values = {0};
  agpu__builder at = agpu__builder_at_end(all, location);
  MlirValue base = {NULL};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(header); ++i) {
    MlirValue old = mlirBlockGetArgument(header, i);
    MlirValue own = mlirBlockAddArgument(all, mlirValueGetType(old), location);
    if (i == of->counter) {
      base = own;
      own = agpu__build_binary(
          &at, "llvm.add", base,
          agpu__simt_row_id(&of->row, &at, mlirValueGetType(base)));
    }
    agpu__twins_set(&copies, old, own);
    agpu__values_push(&values, own);
  }
  MlirOperation end = mlirBlockGetTerminator(header);
  for (MlirOperation op = mlirBlockGetFirstOperation(header);
       !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    agpu__append_copy(&copies, op, all);

  size_t count = of->inside.count, latch = 0, body = 0;
  AGPU__OWNED MlirBlock *blocks = agpu__allocate(count, sizeof(*blocks));
  AGPU__OWNED MlirBlock *copied = agpu__allocate(count, sizeof(*copied));
  for (size_t i = 0; i < count; ++i) {
    size_t b = of->inside.list[i];
    latch = b == of->latch ? i : latch;
    body = b == of->graph->succs[of->graph->succ_first[of->header]] ? i : body;
    blocks[i] = block_at(of, b);
  }
  agpu__copy_blocks(&copies, blocks, count, location, copied);
  MlirOperation back = mlirBlockGetTerminator(copied[latch]);
  mlirOperationSetSuccessor(back, 0, all);
  agpu__builder there = agpu__builder_before(back);
  mlirOperationSetOperand(
      back, of->counter,
      agpu__build_binary(&there, "llvm.add", base, of->step));
  build_end(of, &at, base, copied[body], &values);

  mlirOperationSetSuccessor(enter, 0, all);
  there = agpu__builder_before(enter);
  mlirOperationSetOperand(enter, of->counter,
                          agpu__simt_evaluate(&of->row, &there, of->start,
                                              agpu__llvm_i32(&there, 0)));
}

bool agpu__simt_split_strides(const agpu__simt_graph *graph,
                              const agpu__simt_uniform *uniform,
                              const MlirValue *context) {
  bool found = false;
  stride of = {.graph = graph,
               .uniform = uniform,
               .inside = agpu__simt_set_create(graph),
               .row = {.id = context[3 * AGPU__SIMT_TID],
                       .size = context[3 * AGPU__SIMT_NTID],
                       .is_same = is_uniform,
                       .data = uniform}};
  for (of.header = 1; of.header < graph->count; ++of.header) {
    if (!has_shape(&of) || !find_counter(&of))
      continue;
    build(&of, mlirOperationGetLocation(of.compare));
    found = true;
  }
  agpu__simt_set_free(&of.inside);
  return found;
}
