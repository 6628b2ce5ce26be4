//===- guards.c - Rows all of whose threads take part ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels begin by asking whether a thread has an element at all, and all
// threads have one but those at the edge of the data. A loop over the threads
// of a row that asks becomes a vector with masks, which cost more than the rest
// of it. So the loop is there twice: the second time without the question, and
// which one a row takes is decided by its first and its last thread.
//
// This is so for what compares a value that counts up along the row with one
// that is the same in it: what holds for the first and for the last thread then
// holds for all between them.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

/// Guards that follow each other, blocks that are passed on the way, and ops
/// that are worth having twice.
enum { MOST_GUARDS = 4, MOST_STEPS = 16, MOST_OPS = 1024 };

/// A branch that all threads of a row are likely to take alike.
typedef struct guard {
  MlirOperation branch;
  bool expected; ///< what its condition is then
} guard;

/// The loop over the threads of a row, and its guards.
typedef struct loop {
  agpu__simt_loops *self;
  agpu__simt_part *part;
  MlirBlock *blocks; ///< of the loop: ^threads, the part's, ^latch
  size_t count;
  agpu__map numbers; ///< of these blocks
  agpu__simt_row row;
  guard guards[MOST_GUARDS];
  size_t guard_count;
} loop;

/// Whether `value` is defined outside of the loop.
static bool is_outside(const void *data, MlirValue value) {
  const loop *of = data;
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  return agpu__map_get(&of->numbers, block.ptr) == AGPU__MAP_NONE;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether `op` is `expected` where both of its operands are, and only there.
static bool is_together(MlirOperation op, bool expected) {
  return agpu__op_is(op, expected ? "llvm.and" : "llvm.or");
}

/// The operand of `compare` that counts up along the row, where the other is
/// the same in it; -1 where that is not so. An id itself does not count: what
/// looks at that chooses some threads of each row.
static intptr_t counting_operand(const agpu__simt_row *row,
                                 MlirOperation compare) {
  agpu__simt_form forms[] = {
      agpu__simt_form_of(row, mlirOperationGetOperand(compare, 0)),
      agpu__simt_form_of(row, mlirOperationGetOperand(compare, 1))};
  for (intptr_t i = 0; i < 2; ++i)
    if (forms[i] == AGPU__SIMT_COUNTS && forms[1 - i] == AGPU__SIMT_SAME)
      return i;
  return -1;
}

/// Whether that `value` is `expected` in a whole row shows at its ends.
/// `*counts`: whether it depends on the thread at all.
static bool shows_at_ends(const agpu__simt_row *row, MlirValue value,
                          bool expected, bool *counts) {
  if (agpu__simt_form_of(row, value) == AGPU__SIMT_SAME)
    return true;
  MlirOperation op = agpu__maker_of(value);
  if (mlirOperationIsNull(op))
    return false;
  if (is_together(op, expected))
    return shows_at_ends(row, mlirOperationGetOperand(op, 0), expected,
                         counts) &&
           shows_at_ends(row, mlirOperationGetOperand(op, 1), expected, counts);
  agpu__predicate predicate;
  *counts = true;
  return agpu__simt_is_ordered(op, &predicate) &&
         counting_operand(row, op) >= 0;
}

static agpu__predicate inverse(agpu__predicate predicate) {
  return predicate < AGPU__UNSIGNED_LESS
             ? AGPU__SIGNED_LESS + AGPU__SIGNED_GREATER_EQUAL - predicate
             : AGPU__UNSIGNED_LESS + AGPU__UNSIGNED_GREATER_EQUAL - predicate;
}

/// Whether `compare` is `expected` for all threads of the row.
static MlirValue build_compare(const agpu__simt_row *row, agpu__builder *at,
                               MlirOperation compare, bool expected) {
  agpu__predicate predicate;
  (void)agpu__simt_is_ordered(compare, &predicate);
  intptr_t counting = counting_operand(row, compare);
  agpu__simt_ends ends =
      agpu__simt_row_ends(row, at, mlirOperationGetOperand(compare, counting),
                          predicate < AGPU__UNSIGNED_LESS);
  MlirValue bound = agpu__simt_evaluate(
      row, at, mlirOperationGetOperand(compare, 1 - counting),
      agpu__llvm_i32(at, 0));
  if (!expected)
    predicate = inverse(predicate);
  MlirValue all = ends.in_order;
  for (int i = 0; i < 2; ++i) {
    MlirValue end = i ? ends.last : ends.first;
    MlirValue holds =
        agpu__llvm_compare(at, predicate, counting == 0 ? end : bound,
                           counting == 0 ? bound : end);
    all = agpu__build_binary(at, "llvm.and", all, holds);
  }
  return all;
}

/// Whether `value` is `expected` for all threads of the row.
static MlirValue build_condition(const agpu__simt_row *row, agpu__builder *at,
                                 MlirValue value, bool expected) {
  if (agpu__simt_form_of(row, value) == AGPU__SIMT_SAME) {
    MlirValue same = agpu__simt_evaluate(row, at, value, agpu__llvm_i32(at, 0));
    return expected ? same
                    : agpu__build_binary(at, "llvm.xor", same,
                                         agpu__llvm_bool(at, true));
  }
  MlirOperation op = agpu__maker_of(value);
  if (!is_together(op, expected))
    return build_compare(row, at, op, expected);
  MlirValue a =
      build_condition(row, at, mlirOperationGetOperand(op, 0), expected);
  MlirValue b =
      build_condition(row, at, mlirOperationGetOperand(op, 1), expected);
  return agpu__build_binary(at, "llvm.and", a, b);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Whether a thread that comes to `block` has nothing more to do.
static bool is_way_out(const loop *of, MlirBlock block) {
  for (int steps = 0; steps < MOST_STEPS; ++steps) {
    if (mlirBlockEqual(block, of->part->latch))
      return true;
    MlirOperation first = mlirBlockGetFirstOperation(block);
    if (!agpu__op_is(first, "llvm.br"))
      return false;
    block = mlirOperationGetSuccessor(first, 0);
  }
  return false;
}

/// Adds the branch at the end of a block if it is a guard. Returns where
/// threads that take part go on, a null block where guards end.
static MlirBlock add_guard(loop *of, MlirOperation branch) {
  const MlirBlock none = {NULL};
  MlirBlock yes = mlirOperationGetSuccessor(branch, 0);
  MlirBlock no = mlirOperationGetSuccessor(branch, 1);
  bool out[] = {is_way_out(of, yes), is_way_out(of, no)};
  if (of->guard_count == MOST_GUARDS || (out[0] && out[1]))
    return none;
  // What has another way for those at the edge is looked at, too, but what
  // follows is not.
  bool expected = !out[0], counts = false;
  MlirValue condition = mlirOperationGetOperand(branch, 0);
  if (!shows_at_ends(&of->row, condition, expected, &counts))
    return none;
  if (counts)
    of->guards[of->guard_count++] = (guard){branch, expected};
  if (!out[0] && !out[1])
    return none;
  return expected ? yes : no;
}

static void find_guards(loop *of) {
  MlirBlock block = of->part->threads;
  for (int steps = 0; steps < MOST_STEPS; ++steps) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (agpu__op_is(end, "llvm.br"))
      block = mlirOperationGetSuccessor(end, 0);
    else if (agpu__op_is(end, "llvm.cond_br") &&
             !mlirBlockEqual(block, of->part->latch))
      block = add_guard(of, end);
    else
      return;
    if (mlirBlockIsNull(block) ||
        agpu__map_get(&of->numbers, block.ptr) == AGPU__MAP_NONE)
      return;
  }
}

//===----------------------------------------------------------------------===//
// The second loop
//===----------------------------------------------------------------------===//

static void find_blocks(loop *of, size_t first) {
  const agpu__simt_loops *self = of->self;
  of->blocks = agpu__allocate(self->graph.count + 2, sizeof(*of->blocks));
  of->blocks[of->count++] = of->part->threads;
  for (size_t b = first; b < self->graph.count; ++b)
    if (self->division.part[b] == first)
      of->blocks[of->count++] = self->graph.blocks[b];
  of->blocks[of->count++] = of->part->latch;
  for (size_t b = 0; b < of->count; ++b)
    agpu__map_set(&of->numbers, of->blocks[b].ptr, b);
}

/// Whether all guards let the whole row through, before the loop begins. A
/// condition may mean nothing where one before it does not hold.
static MlirValue build_all(const loop *of, agpu__builder *at) {
  MlirValue all = {NULL};
  for (size_t g = 0; g < of->guard_count; ++g) {
    const guard *each = &of->guards[g];
    MlirValue holds = build_condition(
        &of->row, at, mlirOperationGetOperand(each->branch, 0), each->expected);
    all = g ? agpu__llvm_select(at, all, holds, agpu__llvm_bool(at, false))
            : holds;
  }
  return all;
}

/// Puts the copy of the loop beside it.
static void add_loop(loop *of) {
  MlirLocation location = of->self->location;
  AGPU__OWNED MlirBlock *copied = agpu__allocate(of->count, sizeof(*copied));
  AGPU__SCOPED(twins) copies = {0};
  agpu__copy_blocks(&copies, of->blocks, of->count, location, copied);
  for (size_t g = 0; g < of->guard_count; ++g) {
    MlirOperation branch = of->guards[g].branch;
    size_t number =
        agpu__map_get(&of->numbers, mlirOperationGetBlock(branch).ptr);
    MlirOperation copy = mlirBlockGetTerminator(copied[number]);
    agpu__builder at = agpu__builder_before(copy);
    mlirOperationSetOperand(copy, 0,
                            agpu__llvm_bool(&at, of->guards[g].expected));
  }
  MlirBlock row = mlirBlockArgumentGetOwner(of->part->ids[1]);
  MlirOperation enter = mlirBlockGetTerminator(row);
  MlirValue zero = mlirOperationGetOperand(enter, 0);
  agpu__builder at = agpu__builder_before(enter);
  MlirValue all = build_all(of, &at);
  MlirBlock masked = agpu__append_block(of->self->body);
  agpu__builder other = agpu__builder_at_end(masked, location);
  agpu__llvm_branch(&other, of->part->threads, &zero, 1);
  agpu__llvm_branch_if(&at, all, copied[0], &zero, 1, masked);
  mlirOperationDestroy(enter);
}

void agpu__simt_split_guarded(agpu__simt_loops *self, size_t first) {
  agpu__simt_part *part = &self->parts[first];
  size_t ops;
  if (!agpu__simt_may_be_vectors(self, first,
                                 agpu__simt_known_size(self->function), &ops) ||
      ops > MOST_OPS)
    return;
  loop of = {.self = self, .part = part};
  of.row = (agpu__simt_row){.id = part->ids[0],
                            .size = self->ids[3 * AGPU__SIMT_NTID],
                            .is_same = is_outside,
                            .data = &of};
  find_blocks(&of, first);
  find_guards(&of);
  if (of.guard_count)
    add_loop(&of);
  agpu__map_free(&of.numbers);
  free(of.blocks);
}
