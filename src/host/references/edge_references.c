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

#include "host/references/references.h"

#include <stdlib.h>

void agpu__edge_changes_init(agpu__edge_changes *self,
                             const agpu__liveness *liveness) {
  size_t count = liveness->first_edge[liveness->block_count];
  *self = (agpu__edge_changes){
      .edges = liveness->edges,
      .edge_count = count,
      .drops = agpu__allocate(count * liveness->words, sizeof(uint64_t)),
      .words = liveness->words};
}

void agpu__edge_changes_push(agpu__edge_changes *self, size_t edge,
                             size_t value, int64_t change) {
  if (change < 0) {
    agpu__bits_add(agpu__edge_drops(self, edge), value);
    return;
  }
  AGPU__GROW(self->adds, self->add_count, self->add_capacity);
  self->adds[self->add_count++] = (agpu__edge_add){edge, value, change};
}

void agpu__edge_changes_free(agpu__edge_changes *self) {
  free(self->drops);
  free(self->adds);
  memset(self, 0, sizeof(*self));
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

static int compare_adds(const void *a, const void *b) {
  const agpu__edge_add *left = a, *right = b;
  if (left->edge != right->edge)
    return left->edge < right->edge ? -1 : 1;
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

/// By ascending values. `adds`: those of the edge, `add_count` of them.
static void apply_edge(const agpu__edge_changes *self, size_t edge,
                       const agpu__edge_add *adds, size_t add_count,
                       const agpu__values *values) {
  const agpu__edge *on = &self->edges[edge];
  const uint64_t *drops = agpu__edge_drops(self, edge);
  agpu__builder at = edge_builder(on->terminator, on->successor);
  size_t drop = agpu__bits_next(drops, self->words, 0);
  for (size_t i = 0; i < add_count || drop != SIZE_MAX;) {
    if (i < add_count && adds[i].value < drop) {
      agpu__build_reference_change(&at, values->data[adds[i].value],
                                   adds[i].count);
      ++i;
      continue;
    }
    agpu__build_reference_change(&at, values->data[drop], -1);
    drop = agpu__bits_next(drops, self->words, drop + 1);
  }
}

/// If the edge leads to a block that puts results into ERROR and then goes on
/// to a common end, that block's terminator; otherwise a null op.
static MlirOperation error_block_end(const agpu__edge *edge) {
  MlirOperation none = {NULL};
  MlirBlock block =
      mlirOperationGetSuccessor(edge->terminator, edge->successor);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (!agpu__op_is(end, "cf.br") || mlirOperationGetNumOperands(end) > 0 ||
      mlirBlockGetNumPredecessors(block) != 1)
    return none;
  AGPU__OPS_FOREACH (op, block)
    if (agpu__op_is_any(op, "agpu.forward_error agpu.set_error "
                            "agpu.set_out_of_memory async.runtime.set_error"))
      return end;
  return none;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

#define NO_STEP SIZE_MAX
/// Steps are that many at most where sets share what they can.
#define MOST_SLOTS ((size_t)1 << 22)

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
  size_t edge;
  const uint64_t *drops; ///< a set of `count` values
  size_t count;
  MlirOperation end;
  MlirBlock target;
  size_t first_step;
} way;

typedef struct steps {
  step *data;
  size_t count, capacity;
  size_t *slots; ///< by hash
  size_t slot_count;
  size_t words; ///< of a set of values
} steps;

/// One bit pattern for each value; a set's hash is the exclusive or of its
/// values'. (The finaliser of splitmix64, S. Vigna.)
static uint64_t hash_value(size_t value) {
  uint64_t x = (uint64_t)value + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// True if only values of `wanted`, but not `without`, are dropped from `index`
/// on. Their number and hash are known to be the same.
static bool drops_wanted(const steps *self, size_t index,
                         const uint64_t *wanted, size_t without) {
  for (; index != NO_STEP; index = self->data[index].next) {
    size_t value = self->data[index].value;
    if (!agpu__bits_has(wanted, value) || value == without)
      return false;
  }
  return true;
}

/// The step of a set of that hash and length: values of `wanted` that are not
/// `without`.
static size_t find_step(const steps *self, uint64_t hash, size_t length,
                        const uint64_t *wanted, size_t without) {
  size_t index = self->slots[hash % self->slot_count];
  for (; index != NO_STEP; index = self->data[index].chained)
    if (self->data[index].hash == hash && self->data[index].length == length &&
        drops_wanted(self, index, wanted, without))
      return index;
  return NO_STEP;
}

static size_t add_step(steps *self, size_t value, size_t next) {
  AGPU__GROW(self->data, self->count, self->capacity);
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

/// The step that drops `value` in front of one that drops all else of `of`;
/// NO_STEP: there is none of these.
static size_t put_in_front(steps *self, const way *of, uint64_t hash,
                           size_t value) {
  size_t rest = find_step(self, hash ^ hash_value(value), of->count - 1,
                          of->drops, value);
  return rest == NO_STEP ? NO_STEP : add_step(self, value, rest);
}

/// The step that drops the values of `of`, made if there is none. `before`: the
/// way that was looked at before this one, or NULL, which is the likeliest to
/// have all of them but one.
static size_t get_step(steps *self, const way *of, const way *before) {
  size_t words = self->words;
  uint64_t hash = 0;
  for (size_t v = agpu__bits_next(of->drops, words, 0); v != SIZE_MAX;
       v = agpu__bits_next(of->drops, words, v + 1))
    hash ^= hash_value(v);
  size_t found = find_step(self, hash, of->count, of->drops, SIZE_MAX);
  if (found == NO_STEP && before && before->count + 1 == of->count)
    for (size_t w = 0; w < words && found == NO_STEP; ++w) {
      uint64_t more = of->drops[w] & ~before->drops[w];
      if (more)
        found = put_in_front(self, of, hash,
                             w * 64 + (size_t)__builtin_ctzll(more));
    }
  for (size_t v = agpu__bits_next(of->drops, words, 0);
       v != SIZE_MAX && of->count > 1 && found == NO_STEP;
       v = agpu__bits_next(of->drops, words, v + 1))
    found = put_in_front(self, of, hash, v);
  if (found != NO_STEP)
    return found;
  // The values that were there first are the likeliest to be in other sets.
  uint64_t part = 0, *wanted = agpu__allocate(words, sizeof(*wanted));
  size_t length = 0;
  for (size_t v = agpu__bits_next(of->drops, words, 0); v != SIZE_MAX;
       v = agpu__bits_next(of->drops, words, v + 1)) {
    part ^= hash_value(v);
    agpu__bits_add(wanted, v);
    size_t known = find_step(self, part, ++length, wanted, SIZE_MAX);
    found = known != NO_STEP ? known : add_step(self, v, found);
  }
  free(wanted);
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
  if (left->count != right->count)
    return left->count < right->count ? -1 : 1;
  return (left->edge > right->edge) - (left->edge < right->edge);
}

/// Ways with one target.
static void share_drops(way *ways, size_t count, size_t words,
                        const agpu__values *values) {
  steps self = {.slot_count = 1, .words = words};
  for (size_t i = 0; i < count && self.slot_count < MOST_SLOTS; ++i)
    self.slot_count += ways[i].count;
  self.slots = agpu__allocate(self.slot_count, sizeof(*self.slots));
  for (size_t i = 0; i < self.slot_count; ++i)
    self.slots[i] = NO_STEP;
  for (size_t i = 0; i < count; ++i) {
    ways[i].first_step = get_step(&self, &ways[i], i ? &ways[i - 1] : NULL);
    ++self.data[ways[i].first_step].reached;
  }
  for (size_t i = 0; i < count; ++i)
    build_steps(&self, ways[i].end, ways[i].first_step, values);
  free(self.data);
  free(self.slots);
}

void agpu__edge_changes_apply(agpu__edge_changes *self,
                              const agpu__values *values) {
  if (self->add_count)
    qsort(self->adds, self->add_count, sizeof(*self->adds), compare_adds);
  AGPU__OWNED way *ways = agpu__allocate(self->edge_count, sizeof(*ways));
  size_t way_count = 0;
  for (size_t e = 0, first = 0, last; e < self->edge_count; ++e, first = last) {
    for (last = first; last < self->add_count && self->adds[last].edge == e;
         ++last)
      ;
    const uint64_t *drops = agpu__edge_drops(self, e);
    size_t count = agpu__bits_count(drops, self->words);
    if (!count && first == last)
      continue;
    MlirOperation end = {NULL};
    if (first == last)
      end = error_block_end(&self->edges[e]);
    if (mlirOperationIsNull(end))
      apply_edge(self, e, self->adds + first, last - first, values);
    else
      ways[way_count++] = (way){.edge = e,
                                .drops = drops,
                                .count = count,
                                .end = end,
                                .target = mlirOperationGetSuccessor(end, 0)};
  }
  qsort(ways, way_count, sizeof(*ways), compare_ways);
  for (size_t i = 0, end; i < way_count; i = end) {
    for (end = i;
         end < way_count && mlirBlockEqual(ways[end].target, ways[i].target);
         ++end)
      ;
    share_drops(&ways[i], end - i, self->words, values);
  }
}
