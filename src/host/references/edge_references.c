//===- edge_references.c - References that change on edges ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A coroutine that awaits N objects has N ways out by error, and the later
// objects are dropped on each: N²/2 drops, if each way had its own. But all
// lead to one block, and what two of them drop differs by little. So the drops
// of error blocks stand after what else these do, as chains with a common end:
//
//   ^error_1: forward ─▶ ^drop_2: drop %2 ─┐
//   ^error_2: forward ─────────────────────┴▶ ^drop_3: drop %3 ─┐
//   ^error_3: forward ──────────────────────────────────────────┴▶ ^cleanup
//
// Each step of a chain stands for the set of the values dropped from it on.
// The sets are looked up from the smallest to the largest; one whose set
// without some value has a step already is that value's drop in front of it.
// Steps that only one block leads to become part of that block.
//
// One tree, in whose chains values stand in a fixed order (of definition, or by
// how many chains drop them), would need no sets, but shares little where both
// earlier and later objects are dropped: a region that spawns and awaits 100
// others by turns has 589 drops, and would have 2,934.
//
//===----------------------------------------------------------------------===//

#include "host/references/edge_references.h"

#include "lower/ir/cfg.h"

#include <stdlib.h>
#include <string.h>

void agpu__edge_changes_push(agpu__edge_changes *changes,
                             agpu__edge_change change) {
  changes->data = agpu__grow(changes->data, changes->count, &changes->capacity,
                             sizeof(*changes->data));
  changes->data[changes->count++] = change;
}

void agpu__edge_changes_free(agpu__edge_changes *changes) {
  free(changes->data);
  memset(changes, 0, sizeof(*changes));
}

void agpu__build_reference_change(agpu__builder *at, MlirValue value,
                                  int64_t change) {
  if (!change)
    return;
  int64_t count = change < 0 ? -change : change;
  MlirNamedAttribute attribute =
      agpu__named(at->context, "count", agpu__i64_attr(at->context, count));
  agpu__build_op(
      at, change < 0 ? "async.runtime.drop_ref" : "async.runtime.add_ref",
      &value, 1, (MlirType){NULL}, &attribute, 1);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// The changes of one edge: `count` of them, with ascending values.
typedef struct edge {
  const agpu__edge_change *changes;
  size_t count;
} edge;

static int compare_changes(const void *a, const void *b) {
  const agpu__edge_change *left = a, *right = b;
  if (left->block != right->block)
    return left->block < right->block ? -1 : 1;
  if (left->successor != right->successor)
    return left->successor < right->successor ? -1 : 1;
  return (left->value > right->value) - (left->value < right->value);
}

/// Where ops that belong to an edge go: before a terminator with one way out,
/// at the start of a target with one way in, otherwise in a block of the
/// edge's own.
static agpu__builder edge_builder(MlirOperation terminator,
                                  intptr_t successor) {
  if (mlirOperationGetNumSuccessors(terminator) == 1)
    return agpu__builder_before(terminator);
  MlirBlock target = mlirOperationGetSuccessor(terminator, successor);
  if (mlirBlockGetNumPredecessors(target) == 1 &&
      mlirBlockGetNumArguments(target) == 0)
    return agpu__builder_at_start(target, mlirOperationGetLocation(terminator));
  return agpu__builder_before(agpu__split_edge(terminator, successor));
}

static void apply_edge(edge self, const agpu__values *values) {
  agpu__builder at =
      edge_builder(self.changes->terminator, self.changes->successor);
  for (size_t i = 0; i < self.count; ++i)
    agpu__build_reference_change(&at, values->data[self.changes[i].value],
                                 self.changes[i].change);
}

/// If the edge leads to a block that puts results into ERROR and then goes on
/// to a common end, that block's terminator; otherwise a null op.
static MlirOperation error_block_end(edge self) {
  static const char *const errors[] = {"agpu.forward_error", "agpu.set_error",
                                       "agpu.set_out_of_memory",
                                       "async.runtime.set_error"};
  MlirOperation none = {NULL};
  MlirBlock block = mlirOperationGetSuccessor(self.changes->terminator,
                                              self.changes->successor);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (!agpu__op_is(end, "cf.br") || mlirOperationGetNumOperands(end) > 0 ||
      mlirBlockGetNumPredecessors(block) != 1)
    return none;
  for (size_t i = 0; i < self.count; ++i)
    if (self.changes[i].change != -1)
      return none;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (AGPU__OP_IS_ANY(op, errors))
      return end;
  return none;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

#define NO_STEP SIZE_MAX

/// Drops `value` and goes on to `next`, or to the target.
typedef struct step {
  size_t value;
  size_t next;    ///< step, or NO_STEP
  size_t length;  ///< with all that follow
  size_t reached; ///< from how many steps and blocks
  uint64_t hash;  ///< of the set of values from here on
  size_t chained; ///< the next of the same hash slot, or NO_STEP
  MlirBlock block;
} step;

/// What an error block drops, and the step that it begins with.
typedef struct way {
  edge drops;
  MlirOperation end;
  MlirBlock target;
  size_t first_step;
} way;

typedef struct steps {
  step *data;
  size_t count, capacity;
  size_t *slots; ///< by hash
  size_t slot_count;
  bool *wanted; ///< [value]: scratch
} steps;

/// One bit pattern for each value; a set's hash is the exclusive or of its
/// values'. (The finaliser of splitmix64, S. Vigna.)
static uint64_t hash_value(size_t value) {
  uint64_t x = (uint64_t)value + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// True if exactly the wanted values, but for `without`, are dropped from
/// `index` on. Their number and hash are known to be the same.
static bool drops_wanted(const steps *self, size_t index, size_t without) {
  for (; index != NO_STEP; index = self->data[index].next) {
    size_t value = self->data[index].value;
    if (!self->wanted[value] || value == without)
      return false;
  }
  return true;
}

/// The step of a set of that hash and length: the wanted values that are not
/// `without`.
static size_t find_step(const steps *self, uint64_t hash, size_t length,
                        size_t without) {
  size_t index = self->slots[hash % self->slot_count];
  for (; index != NO_STEP; index = self->data[index].chained)
    if (self->data[index].hash == hash && self->data[index].length == length &&
        drops_wanted(self, index, without))
      return index;
  return NO_STEP;
}

static size_t add_step(steps *self, size_t value, size_t next) {
  self->data =
      agpu__grow(self->data, self->count, &self->capacity, sizeof(*self->data));
  step added = {.value = value, .next = next, .hash = hash_value(value)};
  if (next != NO_STEP) {
    added.hash ^= self->data[next].hash;
    added.length = self->data[next].length;
    ++self->data[next].reached;
  }
  ++added.length;
  size_t *slot = &self->slots[added.hash % self->slot_count];
  added.chained = *slot;
  *slot = self->count;
  self->data[self->count] = added;
  return self->count++;
}

/// The step that drops the values of `drops`, made if there is none.
static size_t get_step(steps *self, edge drops) {
  uint64_t hash = 0;
  for (size_t i = 0; i < drops.count; ++i) {
    hash ^= hash_value(drops.changes[i].value);
    self->wanted[drops.changes[i].value] = true;
  }
  size_t found = find_step(self, hash, drops.count, SIZE_MAX);
  for (size_t i = 0; i < drops.count && drops.count > 1 && found == NO_STEP;
       ++i) {
    size_t value = drops.changes[i].value;
    size_t rest =
        find_step(self, hash ^ hash_value(value), drops.count - 1, value);
    if (rest != NO_STEP)
      found = add_step(self, value, rest);
  }
  for (size_t i = 0; i < drops.count; ++i)
    self->wanted[drops.changes[i].value] = false;
  if (found != NO_STEP)
    return found;
  // The values that were there first are the likeliest to be in other sets.
  uint64_t part = 0;
  for (size_t i = 0; i < drops.count; ++i) {
    part ^= hash_value(drops.changes[i].value);
    self->wanted[drops.changes[i].value] = true;
    size_t known = find_step(self, part, i + 1, SIZE_MAX);
    found = known != NO_STEP ? known
                             : add_step(self, drops.changes[i].value, found);
  }
  for (size_t i = 0; i < drops.count; ++i)
    self->wanted[drops.changes[i].value] = false;
  return found;
}

/// Builds the drops from step `index` on before the terminator of a block which
/// is alone in leading there, and then, in blocks of their own, those that
/// others lead to as well.
static void build_steps(steps *self, MlirOperation terminator, size_t index,
                        const agpu__values *values) {
  while (index != NO_STEP) {
    step *at_step = &self->data[index];
    if (at_step->reached > 1) {
      bool is_new = mlirBlockIsNull(at_step->block);
      MlirBlock target = mlirOperationGetSuccessor(terminator, 0);
      if (is_new)
        at_step->block = agpu__block_after(mlirOperationGetBlock(terminator));
      mlirOperationSetSuccessor(terminator, 0, at_step->block);
      if (!is_new)
        return;
      terminator = agpu__branch(at_step->block,
                                mlirOperationGetLocation(terminator), target);
    }
    agpu__builder at = agpu__builder_before(terminator);
    agpu__build_reference_change(&at, values->data[at_step->value], -1);
    index = at_step->next;
  }
}

//===----------------------------------------------------------------------===//
// Ways out by error
//===----------------------------------------------------------------------===//

/// By target, and then by the size of what is dropped.
static int compare_ways(const void *a, const void *b) {
  const way *left = a, *right = b;
  uintptr_t left_target = (uintptr_t)left->target.ptr;
  uintptr_t right_target = (uintptr_t)right->target.ptr;
  if (left_target != right_target)
    return left_target < right_target ? -1 : 1;
  if (left->drops.count != right->drops.count)
    return left->drops.count < right->drops.count ? -1 : 1;
  return (left->drops.changes > right->drops.changes) -
         (left->drops.changes < right->drops.changes);
}

/// Ways with one target.
static void share_drops(way *ways, size_t count, const agpu__values *values) {
  steps self = {.slot_count = 1};
  for (size_t i = 0; i < count; ++i)
    self.slot_count += ways[i].drops.count;
  self.slots = agpu__allocate(self.slot_count, sizeof(*self.slots));
  self.wanted = agpu__allocate(values->count, sizeof(*self.wanted));
  for (size_t i = 0; i < self.slot_count; ++i)
    self.slots[i] = NO_STEP;
  for (size_t i = 0; i < count; ++i) {
    ways[i].first_step = get_step(&self, ways[i].drops);
    ++self.data[ways[i].first_step].reached;
  }
  for (size_t i = 0; i < count; ++i)
    build_steps(&self, ways[i].end, ways[i].first_step, values);
  free(self.data);
  free(self.slots);
  free(self.wanted);
}

void agpu__edge_changes_apply(agpu__edge_changes *changes,
                              const agpu__values *values) {
  if (!changes->count)
    return;
  qsort(changes->data, changes->count, sizeof(*changes->data), compare_changes);
  way *ways = agpu__allocate(changes->count, sizeof(*ways));
  size_t way_count = 0;
  for (size_t i = 0; i < changes->count;) {
    edge one = {&changes->data[i], 0};
    for (; i < changes->count && changes->data[i].block == one.changes->block &&
           changes->data[i].successor == one.changes->successor;
         ++i)
      ++one.count;
    MlirOperation end = error_block_end(one);
    if (mlirOperationIsNull(end))
      apply_edge(one, values);
    else
      ways[way_count++] = (way){.drops = one,
                                .end = end,
                                .target = mlirOperationGetSuccessor(end, 0)};
  }
  qsort(ways, way_count, sizeof(*ways), compare_ways);
  for (size_t i = 0, end; i < way_count; i = end) {
    for (end = i;
         end < way_count && mlirBlockEqual(ways[end].target, ways[i].target);
         ++end)
      ;
    share_drops(&ways[i], end - i, values);
  }
  free(ways);
}
