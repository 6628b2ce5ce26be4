//===- reference_counts.c - Reference counts from liveness -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-reference-counts`.
//
// Each object-typed value owns one reference from its definition to its last
// use, on every path. A backward liveness analysis over the blocks says where
// that is. Along the way
//
//   - a use that takes a reference (argument of a call, operand of a return or
//     of a branch) gets the value's own if it is the last use, and an added
//     one if not;
//   - after a last use that only borrows, the reference is dropped;
//   - on an edge behind which the value is dead, it is dropped.
//
// What a coroutine returns is left out: those objects are born with one
// reference for the caller and one for whoever completes them. Of a
// suspension, only the way on counts: the frame keeps what it holds, and the
// runtime never destroys a suspended coroutine.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "host/reference_ops.h"
#include "lower/cfg.h"
#include "lower/ir.h"
#include "lower/payload.h"

#include <stdlib.h>
#include <string.h>

/// Successors whose edge carries references on. Of a suspension, only the
/// second (see above).
static bool edge_counts(MlirOperation terminator, intptr_t successor) {
  return !agpu__op_is(terminator, "async.coro.suspend") || successor == 1;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

typedef struct function_state {
  MlirRegion region;
  agpu__values objects;
  MlirBlock *blocks;
  struct block_number *numbers; ///< of the blocks, sorted by address
  size_t block_count;
  bool *live_in;  ///< [block][object]
  bool *live_out; ///< [block][object]
} function_state;

/// A block and its number, for a search by address.
typedef struct block_number {
  const void *block;
  size_t number;
} block_number;

static int compare_blocks(const void *a, const void *b) {
  uintptr_t left = (uintptr_t)((const block_number *)a)->block;
  uintptr_t right = (uintptr_t)((const block_number *)b)->block;
  return (left > right) - (left < right);
}

static size_t block_index(const function_state *self, MlirBlock block) {
  block_number key = {block.ptr, 0};
  const block_number *found = bsearch(&key, self->numbers, self->block_count,
                                      sizeof(key), compare_blocks);
  if (!found)
    abort(); // a successor outside the region: not valid IR
  return found->number;
}

static bool uses(MlirOperation op, MlirValue value) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), value))
      return true;
  return false;
}

static bool defined_in(MlirValue value, MlirBlock block) {
  return mlirBlockEqual(
      mlirValueIsABlockArgument(value)
          ? mlirBlockArgumentGetOwner(value)
          : mlirOperationGetBlock(mlirOpResultGetOwner(value)),
      block);
}

static void analyse(function_state *self) {
  size_t n = self->objects.count;
  bool *used = calloc(self->block_count * n + 1, sizeof(bool));
  bool *defined = calloc(self->block_count * n + 1, sizeof(bool));
  self->live_in = calloc(self->block_count * n + 1, sizeof(bool));
  self->live_out = calloc(self->block_count * n + 1, sizeof(bool));
  if (!used || !defined || !self->live_in || !self->live_out)
    abort();
  for (size_t v = 0; v < n; ++v) {
    for (MlirOpOperand use = mlirValueGetFirstUse(self->objects.data[v]);
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation owner = mlirOpOperandGetOwner(use);
      used[block_index(self, mlirOperationGetBlock(owner)) * n + v] = true;
    }
    for (size_t b = 0; b < self->block_count; ++b)
      defined[b * n + v] = defined_in(self->objects.data[v], self->blocks[b]);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = self->block_count; b-- > 0;) {
      MlirOperation end = mlirBlockGetTerminator(self->blocks[b]);
      for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s) {
        if (!edge_counts(end, s))
          continue;
        size_t to = block_index(self, mlirOperationGetSuccessor(end, s));
        for (size_t v = 0; v < n; ++v)
          self->live_out[b * n + v] |= self->live_in[to * n + v];
      }
      for (size_t v = 0; v < n; ++v) {
        bool live = !defined[b * n + v] &&
                    (used[b * n + v] || self->live_out[b * n + v]);
        if (live && !self->live_in[b * n + v])
          self->live_in[b * n + v] = changed = true;
      }
    }
  }
  free(used);
  free(defined);
}

/// `async.runtime.add_ref` or `drop_ref` by `count`.
static void adjust(agpu__builder *at, MlirValue value, int64_t change) {
  if (!change)
    return;
  int64_t count = change < 0 ? -change : change;
  MlirNamedAttribute attribute =
      agpu__named(at->context, "count", agpu__i64_attr(at->context, count));
  agpu__build_op(
      at, change < 0 ? "async.runtime.drop_ref" : "async.runtime.add_ref",
      &value, 1, (MlirType){NULL}, &attribute, 1);
}

static intptr_t times_used(MlirOperation op, MlirValue value, intptr_t begin,
                           intptr_t count) {
  intptr_t times = 0;
  for (intptr_t i = begin; i < begin + count; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), value))
      ++times;
  return times;
}

/// References of value number `v` along the edges out of block number `b`.
/// Edges are split after all blocks are done; until then they are collected.
typedef struct edge_change {
  MlirOperation terminator;
  intptr_t successor;
  MlirValue value;
  int64_t change;
} edge_change;

typedef struct edge_changes {
  edge_change *data;
  size_t count, capacity;
} edge_changes;

static void push_edge_change(edge_changes *list, edge_change change) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? list->capacity * 2 : 16;
    list->data = realloc(list->data, list->capacity * sizeof(*list->data));
    if (!list->data)
      abort();
  }
  list->data[list->count++] = change;
}

static void count_edges(function_state *self, MlirOperation end, size_t v,
                        edge_changes *changes) {
  MlirValue value = self->objects.data[v];
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s) {
    if (!edge_counts(end, s))
      continue;
    intptr_t begin, count;
    agpu__edge_operands(end, s, &begin, &count);
    size_t to = block_index(self, mlirOperationGetSuccessor(end, s));
    int64_t needed = times_used(end, value, begin, count) +
                     self->live_in[to * self->objects.count + v];
    if (needed != 1)
      push_edge_change(changes, (edge_change){end, s, value, needed - 1});
  }
}

/// True if the suspension `end` waits for what `user` awaits: the reference is
/// needed until the coroutine goes on, maybe on another thread.
static bool awaited_by_suspension(MlirOperation user, MlirOperation end) {
  return agpu__op_is(end, "async.coro.suspend") &&
         (agpu__op_is(user, "async.runtime.await_and_resume") ||
          agpu__op_is(user, "agpu.await_enqueued_and_resume"));
}

/// References of value number `v` in block number `b`, where it is owned from
/// the start of the block or from its definition on.
static void count_in_block(function_state *self, size_t b, size_t v,
                           edge_changes *changes) {
  MlirBlock block = self->blocks[b];
  MlirValue value = self->objects.data[v];
  MlirOperation end = mlirBlockGetTerminator(block);
  bool live_out = self->live_out[b * self->objects.count + v];
  bool defined = defined_in(value, block);

  // The ops that use the value, before the terminator.
  agpu__ops users = {0};
  MlirOperation op = mlirBlockGetFirstOperation(block);
  if (defined && mlirValueIsAOpResult(value)) {
    op = mlirOpResultGetOwner(value);
    op = mlirOperationGetNextInBlock(op);
  }
  MlirOperation first = op;
  for (; !mlirOperationIsNull(op) && !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (uses(op, value))
      agpu__ops_push(&users, op);
  bool owned_at_end =
      live_out || uses(end, value) ||
      (users.count && awaited_by_suspension(users.data[users.count - 1], end));

  if (!users.count && !owned_at_end) { // never used from here on
    agpu__builder at = agpu__builder_before(first);
    adjust(&at, value, -1);
  }
  for (size_t i = 0; i < users.count; ++i) {
    MlirOperation user = users.data[i];
    int64_t taken = agpu__references_taken(user, value);
    bool live_after = owned_at_end || i + 1 < users.count;
    int64_t needed = taken + live_after;
    agpu__builder at =
        needed ? agpu__builder_before(user) : agpu__builder_after(user);
    adjust(&at, value, needed - 1);
  }
  if (owned_at_end && !mlirOperationGetNumSuccessors(end)) {
    agpu__builder at = agpu__builder_before(end);
    adjust(&at, value, agpu__references_taken(end, value) - 1);
  } else if (owned_at_end) {
    count_edges(self, end, v, changes);
  }
  agpu__ops_free(&users);
}

/// An alias gets a reference of its own right where it is made, before that of
/// what it stands for may be dropped: so these come last.
static void count_aliases(const function_state *self) {
  for (size_t v = 0; v < self->objects.count; ++v) {
    MlirValue value = self->objects.data[v];
    if (!mlirValueIsAOpResult(value) ||
        agpu__gives_references(mlirOpResultGetOwner(value)))
      continue;
    agpu__builder at = agpu__builder_after(mlirOpResultGetOwner(value));
    adjust(&at, value, 1);
  }
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

/// Puts what was collected on the edges.
static void apply_edges(edge_changes *changes) {
  for (size_t i = 0; i < changes->count; ++i) {
    edge_change *change = &changes->data[i];
    if (mlirOperationIsNull(change->terminator))
      continue; // done with an earlier one of the same edge
    MlirOperation terminator = change->terminator;
    intptr_t successor = change->successor;
    agpu__builder at = edge_builder(terminator, successor);
    for (size_t j = i; j < changes->count; ++j) {
      edge_change *other = &changes->data[j];
      if (mlirOperationEqual(other->terminator, terminator) &&
          other->successor == successor) {
        adjust(&at, other->value, other->change);
        other->terminator = (MlirOperation){NULL};
      }
    }
  }
}

/// True if `value` is among what a coroutine hands to its caller.
static bool is_coroutine_result(MlirValue value) {
  if (!mlirValueIsAOpResult(value) ||
      !agpu__op_is(mlirOpResultGetOwner(value), "async.runtime.create"))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    MlirOperation first =
        mlirBlockGetFirstOperation(mlirOperationGetBlock(owner));
    if (agpu__op_is(owner, "func.return") &&
        agpu__op_is(first, "async.coro.end"))
      return true;
  }
  return false;
}

static void push_object(function_state *self, MlirValue value) {
  if (agpu__type_is_object(mlirValueGetType(value)) &&
      !is_coroutine_result(value))
    agpu__values_push(&self->objects, value);
}

/// All objects of the function; fails where one stands in a nested region,
/// whose control flow this analysis does not see.
static MlirLogicalResult collect_objects(function_state *self,
                                         MlirOperation function) {
  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < self->block_count; ++i)
    for (intptr_t a = 0; a < mlirBlockGetNumArguments(self->blocks[i]); ++a)
      push_object(self, mlirBlockGetArgument(self->blocks[i], a));
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    bool has_object = false;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r) {
      push_object(self, agpu__result(op, r));
      has_object |= agpu__type_is_object(mlirValueGetType(agpu__result(op, r)));
    }
    for (intptr_t r = 0; r < mlirOperationGetNumOperands(op); ++r)
      has_object |= agpu__type_is_object(
          mlirValueGetType(mlirOperationGetOperand(op, r)));
    if (has_object &&
        !mlirOperationEqual(mlirOperationGetParentOperation(op), function)) {
      result = agpu__error(
          mlirOperationGetLocation(op),
          "references to async objects can only be counted in branches: turn "
          "structured control flow into them first (--lower-affine "
          "--convert-scf-to-cf)");
      break;
    }
  }
  agpu__ops_free(&ops);
  return result;
}

/// True if the function counts references itself, as upstream's passes do.
static bool counts_itself(MlirOperation function) {
  agpu__ops ops = {0};
  agpu__collect(function, "async.runtime.add_ref", &ops);
  agpu__collect(function, "async.runtime.drop_ref", &ops);
  bool counts = ops.count > 0;
  agpu__ops_free(&ops);
  return counts;
}

static MlirLogicalResult count_function(MlirOperation function) {
  function_state self = {.region = mlirOperationGetRegion(function, 0)};
  for (MlirBlock block = mlirRegionGetFirstBlock(self.region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    ++self.block_count;
  if (!self.block_count)
    return mlirLogicalResultSuccess(); // a declaration
  self.blocks = calloc(self.block_count, sizeof(*self.blocks));
  self.numbers = calloc(self.block_count, sizeof(*self.numbers));
  if (!self.blocks || !self.numbers)
    abort();
  size_t index = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(self.region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    self.blocks[index++] = block;
  for (size_t i = 0; i < self.block_count; ++i)
    self.numbers[i] = (block_number){self.blocks[i].ptr, i};
  qsort(self.numbers, self.block_count, sizeof(*self.numbers), compare_blocks);

  MlirLogicalResult result = collect_objects(&self, function);
  if (mlirLogicalResultIsSuccess(result) && self.objects.count) {
    analyse(&self);
    edge_changes changes = {0};
    for (size_t b = 0; b < self.block_count; ++b)
      for (size_t v = 0; v < self.objects.count; ++v)
        if (self.live_in[b * self.objects.count + v] ||
            defined_in(self.objects.data[v], self.blocks[b]))
          count_in_block(&self, b, v, &changes);
    apply_edges(&changes);
    free(changes.data);
    count_aliases(&self);
  }
  free(self.live_in);
  free(self.live_out);
  free(self.blocks);
  free(self.numbers);
  agpu__values_free(&self.objects);
  return result;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  agpu__ops functions = {0};
  agpu__collect(module, "func.func", &functions);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < functions.count; ++i)
    if (!counts_itself(functions.data[i]) &&
        mlirLogicalResultIsFailure(count_function(functions.data[i])))
      result = mlirLogicalResultFailure();
  agpu__ops_free(&functions);
  return result;
}

const agpu_pass agpu__pass_reference_counts = {
    .argument = "async-gpu-reference-counts",
    .summary = "Insert reference counts of tokens, values and groups",
    .description =
        "Inserts `async.runtime.add_ref` and `async.runtime.drop_ref` so that "
        "each token, value and group is freed on every path, error paths "
        "included, as soon as its last use is over. Liveness is computed on "
        "the control-flow graph. A function owns its arguments and hands a "
        "reference over with each result; so do branches and their targets. A "
        "function that has such ops already is taken to count by itself, by "
        "the same rules, and left alone.\n\n"
        "Runs behind async-gpu-coroutines, on functions without structured "
        "control flow around async objects.",
    .before = "func.func @f(%t: !async.token) {\n"
              "  async.runtime.await %t : !async.token\n"
              "  return\n"
              "}\n",
    .after = "func.func @f(%t: !async.token) {\n"
             "  async.runtime.await %t : !async.token\n"
             "  async.runtime.drop_ref %t {count = 1 : i64} : !async.token\n"
             "  return\n"
             "}\n",
    .run = run,
};
