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
//   - on an edge after which the value is dead, it is dropped.
//
// What a coroutine returns is left out: those objects are born with one
// reference for the caller and one for the code that completes them. Of a
// suspension, only the way on counts: the frame keeps what it holds, and the
// runtime never destroys a suspended coroutine.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "host/references/references.h"
#include "lower/dialect/attributes.h"

#include <stdlib.h>

/// Successors whose edge carries references on. Of a suspension, only the
/// second (see above).
static bool edge_counts(MlirOperation terminator, intptr_t successor) {
  return !agpu__op_is(terminator, "async.coro.suspend") || successor == 1;
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

typedef struct function_state {
  agpu__values objects;
  agpu__liveness liveness;
  agpu__edge_changes edges; ///< until all blocks are done
  uint64_t *local; ///< [block]: the values that it defines or uses, a set of
                   ///< liveness.words
} function_state;

static bool uses(MlirOperation op, MlirValue value) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), value))
      return true;
  return false;
}

static intptr_t times_used(MlirOperation op, MlirValue value, intptr_t begin,
                           intptr_t count) {
  intptr_t times = 0;
  for (intptr_t i = begin; i < begin + count; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, i), value))
      ++times;
  return times;
}

/// References of value number `v`, which block number `b` defines or uses,
/// along the edges out of that.
static void count_edges(function_state *self, size_t b, size_t v) {
  const agpu__liveness *liveness = &self->liveness;
  for (size_t e = liveness->first_edge[b]; e < liveness->first_edge[b + 1];
       ++e) {
    const agpu__edge *edge = &liveness->edges[e];
    intptr_t begin, count;
    agpu__edge_operands(edge->terminator, edge->successor, &begin, &count);
    int64_t needed =
        times_used(edge->terminator, self->objects.data[v], begin, count) +
        agpu__live_in(liveness, edge->to, v);
    if (needed != 1)
      agpu__edge_changes_push(&self->edges, e, v, needed - 1);
  }
}

/// What block number `b` neither defines nor uses is dropped on the edges out
/// of it where it ends to be live.
static void drop_on_edges(function_state *self, size_t b) {
  const agpu__liveness *liveness = &self->liveness;
  const uint64_t *live = agpu__live_row(liveness, b);
  const uint64_t *local = self->local + b * liveness->words;
  for (size_t e = liveness->first_edge[b]; e < liveness->first_edge[b + 1];
       ++e) {
    const uint64_t *there = agpu__live_row(liveness, liveness->edges[e].to);
    uint64_t *drops = agpu__edge_drops(&self->edges, e);
    for (size_t w = 0; w < liveness->words; ++w)
      if (live[w] & ~local[w] & ~there[w]) // pages of none stay as they are
        drops[w] |= live[w] & ~local[w] & ~there[w];
  }
}

static bool live_out(const agpu__liveness *liveness, size_t b, size_t v) {
  for (size_t e = liveness->first_edge[b]; e < liveness->first_edge[b + 1]; ++e)
    if (agpu__live_in(liveness, liveness->edges[e].to, v))
      return true;
  return false;
}

/// True if the suspension `end` waits for what `user` awaits: the reference is
/// needed until the coroutine goes on, maybe on another thread.
static bool awaited_by_suspension(MlirOperation user, MlirOperation end) {
  return agpu__op_is(end, "async.coro.suspend") &&
         (agpu__op_is_any(
             user,
             "async.runtime.await_and_resume agpu.await_enqueued_and_resume"));
}

/// References of value number `v` in block number `b`, which defines or uses it
/// and where it is owned from the start or from its definition on. `users` are
/// the block's ops that use it.
static void count_in_block(function_state *self, size_t b, size_t v,
                           const agpu__use *users, size_t user_count) {
  MlirBlock block = self->liveness.blocks[b];
  MlirValue value = self->objects.data[v];
  MlirOperation end = mlirBlockGetTerminator(block);
  agpu__bits_add(self->local + b * self->liveness.words, v);
  if (user_count && mlirOperationEqual(users[user_count - 1].op, end))
    --user_count;
  bool owned_at_end =
      live_out(&self->liveness, b, v) || uses(end, value) ||
      (user_count && awaited_by_suspension(users[user_count - 1].op, end));

  if (!user_count && !owned_at_end) { // never used from its definition on
    agpu__builder at =
        mlirValueIsABlockArgument(value)
            ? agpu__builder_before(mlirBlockGetFirstOperation(block))
            : agpu__builder_after(mlirOpResultGetOwner(value));
    agpu__build_reference_change(&at, value, -1);
  }
  for (size_t i = 0; i < user_count; ++i) {
    MlirOperation user = users[i].op;
    int64_t taken = agpu__references_taken(user, value);
    bool live_after = owned_at_end || i + 1 < user_count;
    int64_t needed = taken + live_after;
    agpu__builder at =
        needed ? agpu__builder_before(user) : agpu__builder_after(user);
    agpu__build_reference_change(&at, value, needed - 1);
  }
  if (owned_at_end && !mlirOperationGetNumSuccessors(end)) {
    agpu__builder at = agpu__builder_before(end);
    agpu__build_reference_change(&at, value,
                                 agpu__references_taken(end, value) - 1);
  } else if (owned_at_end) {
    count_edges(self, b, v);
  }
}

/// In the order of the blocks.
static void count_value(function_state *self, size_t v) {
  const agpu__uses *all = &self->liveness.uses[v];
  size_t defined = self->liveness.def_block[v];
  bool is_done = false;
  for (size_t first = 0, last; first < all->count || !is_done; first = last) {
    size_t block = defined;
    if (first < all->count && (is_done || all->data[first].block <= defined))
      block = all->data[first].block;
    for (last = first; last < all->count && all->data[last].block == block;
         ++last)
      ;
    is_done |= block == defined;
    count_in_block(self, block, v, all->data + first, last - first);
  }
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
    agpu__build_reference_change(&at, value, 1);
  }
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

static void push_object(function_state *self, MlirValue value) {
  if (agpu__type_is_object(mlirValueGetType(value)) &&
      !agpu__is_own_result(value))
    agpu__values_push(&self->objects, value);
}

/// All objects of the function; fails where one stands in a nested region,
/// whose control flow this analysis does not see.
static MlirLogicalResult collect_objects(function_state *self,
                                         MlirOperation function) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(function, 0))
    for (intptr_t a = 0; a < mlirBlockGetNumArguments(block); ++a)
      push_object(self, mlirBlockGetArgument(block, a));
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
  return result;
}

/// True if the function counts references itself, as upstream's passes do.
static bool counts_itself(MlirOperation function) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, "async.runtime.add_ref");
  agpu__collect(function, "async.runtime.drop_ref", &ops);
  return ops.count > 0;
}

static MlirLogicalResult count_function(MlirOperation function) {
  function_state self = {0};
  MlirLogicalResult result = collect_objects(&self, function);
  if (mlirLogicalResultIsSuccess(result) && self.objects.count) {
    agpu__liveness_init(&self.liveness, mlirOperationGetRegion(function, 0),
                        &self.objects, edge_counts);
    agpu__edge_changes_init(&self.edges, &self.liveness);
    self.local = agpu__allocate(self.liveness.block_count * self.liveness.words,
                                sizeof(uint64_t));
    for (size_t v = 0; v < self.objects.count; ++v)
      count_value(&self, v);
    for (size_t b = 0; b < self.liveness.block_count; ++b)
      drop_on_edges(&self, b);
    agpu__edge_changes_apply(&self.edges, &self.objects);
    count_aliases(&self);
    free(self.local);
    agpu__edge_changes_free(&self.edges);
    agpu__liveness_free(&self.liveness);
  }
  agpu__values_free(&self.objects);
  return result;
}

static MlirLogicalResult run(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (function, module, "func.func")
    if (!counts_itself(function) &&
        mlirLogicalResultIsFailure(count_function(function)))
      result = mlirLogicalResultFailure();
  return result;
}

const agpu_pass agpu__pass_reference_counts = {
    .argument = "async-gpu-reference-counts",
    .summary = "Insert reference counts of tokens, values and groups",
    .run = run,
};

//===----------------------------------------------------------------------===//
// What ops do with references
//
// Which ops take references over and which give them: what the counts of
// objects are inserted and removed by. Every other op uses an object while its
// operand holds it.
//===----------------------------------------------------------------------===//

int64_t agpu__references_taken(MlirOperation op, MlirValue value) {
  // A store keeps what it stores, not where it stores it.
  intptr_t count =
      agpu__op_is_any(op, "func.call func.call_indirect func.return")
          ? mlirOperationGetNumOperands(op)
      : agpu__op_is(op, "async.runtime.store") ? 1
                                               : 0;
  int64_t taken = 0;
  for (intptr_t i = (intptr_t)agpu__get_int(op, AGPU__RESULTS_ATTR, 0);
       i < count; ++i)
    taken += mlirValueEqual(mlirOperationGetOperand(op, i), value);
  return taken;
}

bool agpu__gives_references(MlirOperation op) {
  return agpu__op_is_any(
      op, "func.call func.call_indirect async.runtime.create "
          "async.runtime.create_group agpu.box_unranked agpu.graph_token "
          "agpu.stream_record agpu.ready_token");
}

bool agpu__is_own_result(MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return agpu__has_attr(mlirOpResultGetOwner(value), AGPU__RESULT_ATTR);
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation function = mlirBlockGetParentOperation(block);
  return mlirBlockEqual(block, agpu__entry_block(function)) &&
         mlirBlockArgumentGetArgNumber(value) <
             agpu__get_int(function, AGPU__RESULTS_ATTR, 0);
}
