//===- emit.c - Tasks become regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the tasks in program order with the token that each region has
// given last. An scf.if and an scf.for that hold regions get their tokens as
// more results; before the first round, and for a branch that was not taken, a
// token stands that has nothing to wait for.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include "lower/dialect/attributes.h"

#include <stdlib.h>

typedef struct emission {
  agpu__task_graph *graph;
  MlirValue *tokens; ///< of each task, the last one; null: there is none yet
  MlirType token_type;
  MlirValue ready; ///< a token that has nothing to wait for; null: none yet
  /// Tokens that need no await at the end of the function's block: AWAITED, or
  /// DEPENDED_ON if another region of the block does.
  agpu__map done;
} emission;

enum { AWAITED, DEPENDED_ON };

static MlirOperation build_region_of(agpu__builder *at, MlirType type,
                                     const agpu__values *dependencies,
                                     const agpu__ops *ops) {
  MlirBlock block;
  MlirRegion region = agpu__build_region(&block);
  for (size_t i = 0; i < ops->count; ++i) {
    mlirOperationRemoveFromParent(ops->data[i]);
    mlirBlockAppendOwnedOperation(block, ops->data[i]);
  }
  agpu__builder inside = agpu__builder_at_end(block, at->location);
  agpu__build_effect(&inside, "async.yield", NULL, 0);
  return agpu__build_execute(at, dependencies, &type, 1, region);
}

/// A token that has nothing to wait for, in front of the block's work.
static MlirValue get_ready(emission *self, MlirLocation location) {
  if (mlirValueIsNull(self->ready)) {
    agpu__builder at =
        agpu__builder_at_start(self->graph->scopes[0].block, location);
    agpu__values none = {0};
    agpu__ops empty = {0};
    self->ready =
        agpu__result(build_region_of(&at, self->token_type, &none, &empty), 0);
  }
  return self->ready;
}

static void push_token(const emission *self, size_t task,
                       agpu__values *tokens) {
  MlirValue token = self->tokens[task];
  if (!mlirValueIsNull(token) && agpu__values_find(tokens, token) < 0)
    agpu__values_push(tokens, token);
}

static void emit_region(emission *self, size_t number) {
  agpu__task *task = &self->graph->tasks[number];
  AGPU__SCOPED(values) dependencies = {0};
  for (size_t i = 0; i < task->order_count; ++i)
    push_token(self, task->orders[i].on, &dependencies);
  // In a loop: itself in the round before.
  if (!task->follows_itself)
    push_token(self, number, &dependencies);
  for (size_t i = 0; i < dependencies.count && task->scope == 0; ++i)
    if (agpu__map_get(&self->done, dependencies.data[i].ptr) != AWAITED)
      agpu__map_set(&self->done, dependencies.data[i].ptr, DEPENDED_ON);
  // Where the last of its ops has stood.
  agpu__builder at = agpu__builder_after(task->ops.data[task->ops.count - 1]);
  at.location = mlirOperationGetLocation(task->ops.data[0]);
  MlirOperation region =
      build_region_of(&at, self->token_type, &dependencies, &task->ops);
  agpu__set_attr(region, AGPU__REGION_ATTR,
                 agpu__i64_attr(at.context, (int64_t)task->number));
  self->tokens[number] = agpu__result(region, 0);
}

/// Awaits in front of `op`, which stands in `scope`, what has not been awaited
/// in front of it already.
static void emit_awaits(emission *self, MlirOperation op, size_t scope,
                        const agpu__values *tokens) {
  agpu__builder at = agpu__builder_before(op);
  for (size_t i = 0; i < tokens->count; ++i) {
    const void *key = tokens->data[i].ptr;
    if (agpu__map_get(&self->done, key) == AWAITED)
      continue;
    agpu__build_effect(&at, "async.await", &tokens->data[i], 1);
    if (scope == 0)
      agpu__map_set(&self->done, key, AWAITED);
  }
}

static void emit_inline(emission *self, const agpu__task *task) {
  AGPU__SCOPED(values) tokens = {0};
  for (size_t i = 0; i < task->order_count; ++i)
    push_token(self, task->orders[i].on, &tokens);
  emit_awaits(self, task->ops.data[0], task->scope, &tokens);
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// The regions in a composite task.
static void collect_regions(const agpu__task_graph *graph,
                            const agpu__task *task, agpu__numbers *out) {
  for (int i = 0; i < 2; ++i) {
    if (task->inner[i] == AGPU__NO_TASK)
      continue;
    const agpu__task_scope *scope = &graph->scopes[task->inner[i]];
    for (size_t t = 0; t < scope->count; ++t) {
      const agpu__task *inner = &graph->tasks[scope->tasks[t]];
      if (inner->is_gone)
        continue;
      if (agpu__task_is_composite(inner))
        collect_regions(graph, inner, out);
      if (inner->kind != AGPU__TASK_REGION)
        continue;
      agpu__numbers_push(out, scope->tasks[t]);
    }
  }
}

static void emit_scope(emission *self, size_t scope);

/// The op with so many more results, which are tokens.
static MlirOperation rebuild(const emission *self, MlirOperation op,
                             const agpu__values *operands, size_t results) {
  AGPU__OWNED MlirType *types = agpu__allocate(results + 1, sizeof(*types));
  for (size_t i = 0; i < results; ++i)
    types[i] = self->token_type;
  return agpu__rebuild_op(op, operands, types, results);
}

/// The op's results from `first` on are the regions' tokens.
static void give_results(emission *self, MlirOperation op, intptr_t first,
                         agpu__task *task, const agpu__numbers *regions) {
  for (size_t i = 0; i < regions->count; ++i)
    self->tokens[regions->data[i]] = agpu__result(op, first + (intptr_t)i);
  task->ops.data[0] = op;
}

static bool holds(const agpu__numbers *regions, size_t task) {
  for (size_t i = 0; i < regions->count; ++i)
    if (regions->data[i] == task)
      return true;
  return false;
}

/// What a region's token is in front of a loop that holds it: where it depends
/// on a region outside of the loop in each round, it need not in any but the
/// first. Where there is none, its token stands for that region to the end, if
/// the loop is no branch's.
static MlirValue token_before(emission *self, const agpu__task *loop,
                              size_t number, const agpu__numbers *regions) {
  if (!mlirValueIsNull(self->tokens[number]))
    return self->tokens[number];
  agpu__task *task = &self->graph->tasks[number];
  for (size_t i = 0; i < task->order_count; ++i) {
    MlirValue token = self->tokens[task->orders[i].on];
    if (holds(regions, task->orders[i].on) || mlirValueIsNull(token))
      continue;
    task->orders[i].on = number;
    if (loop->scope == 0 && !task->is_followed &&
        agpu__map_get(&self->done, token.ptr) != AWAITED)
      agpu__map_set(&self->done, token.ptr, DEPENDED_ON);
    return token;
  }
  return get_ready(self, mlirOperationGetLocation(loop->ops.data[0]));
}

/// True if the region uses memory that each round of the loop has of its own.
static bool uses_own_memory(const emission *self, size_t loop, size_t region) {
  const agpu__accesses *of = &self->graph->tasks[region].effects.accesses;
  for (size_t i = 0; i < of->count; ++i)
    if (agpu__object_is_of_round(self->graph, of->data[i].object, loop))
      return true;
  return false;
}

/// True if another region of the same block, which uses such memory too, is
/// after this one in each round.
static bool is_implied(const emission *self, size_t loop,
                       const agpu__numbers *regions, size_t region) {
  const agpu__task *tasks = self->graph->tasks;
  for (size_t i = 0; i < regions->count; ++i) {
    const agpu__task *other = &tasks[regions->data[i]];
    if (regions->data[i] == region || other->scope != tasks[region].scope ||
        !uses_own_memory(self, loop, regions->data[i]))
      continue;
    for (size_t k = 0; k < other->order_count; ++k)
      if (other->orders[k].on == region && !other->orders[k].is_previous)
        return true;
  }
  return false;
}

/// Has the thread wait in front of `op` until `tokens` are complete, and so is
/// what they stand for; an await may leave that to a stream.
static void wait_for_all(MlirOperation op, const agpu__values *tokens) {
  agpu__builder at = agpu__builder_before(op);
  MlirType type = agpu__parse_type(at.context, "!async.group");
  MlirType index = agpu__index_type(at.context);
  MlirValue count = agpu__index_constant(&at, (int64_t)tokens->count);
  MlirValue group = agpu__build_unary(&at, "async.create_group", count, type);
  for (size_t i = 0; i < tokens->count; ++i) {
    MlirValue operands[] = {tokens->data[i], group};
    agpu__build_value(&at, "async.add_to_group", operands, 2, index);
  }
  agpu__build_effect(&at, "async.await_all", &group, 1);
}

/// At most two iterations with memory of their own are in flight: one begins
/// when the previous but one has ended, whose tokens are loop-carried values,
/// too. The initial ones go to `before`, what an iteration gives the next to
/// `after`.
static void throttle(emission *self, size_t loop, const agpu__numbers *regions,
                     agpu__values *before, agpu__values *after) {
  MlirOperation op = self->graph->tasks[loop].ops.data[0];
  MlirBlock body = agpu__entry_block(op);
  AGPU__SCOPED(values) previous_but_one = {0};
  for (size_t i = 0; i < regions->count; ++i) {
    size_t number = regions->data[i];
    if (!uses_own_memory(self, loop, number) ||
        is_implied(self, loop, regions, number))
      continue;
    agpu__values_push(before, get_ready(self, mlirOperationGetLocation(op)));
    agpu__values_push(&previous_but_one,
                      mlirBlockAddArgument(body, self->token_type,
                                           mlirOperationGetLocation(op)));
    agpu__values_push(after, self->tokens[number]);
  }
  if (previous_but_one.count)
    wait_for_all(mlirBlockGetFirstOperation(body), &previous_but_one);
}

static void emit_loop(emission *self, agpu__task *task,
                      const agpu__numbers *regions) {
  MlirOperation op = task->ops.data[0];
  MlirBlock body = agpu__entry_block(op);
  AGPU__SCOPED(values) before = {0}, after = {0}, held = {0};
  for (size_t i = 0; i < regions->count; ++i) {
    size_t number = regions->data[i];
    agpu__values_push(&before, token_before(self, task, number, regions));
    self->tokens[number] = mlirBlockAddArgument(body, self->token_type,
                                                mlirOperationGetLocation(op));
  }
  throttle(self, (size_t)(task - self->graph->tasks), regions, &before, &held);
  emit_scope(self, task->inner[0]);
  for (size_t i = 0; i < regions->count; ++i)
    agpu__values_push(&after, self->tokens[regions->data[i]]);
  agpu__values_push_all(&after, &held);
  agpu__extend_yield(body, &after);
  intptr_t first = mlirOperationGetNumResults(op);
  give_results(self, rebuild(self, op, &before, before.count), first, task,
               regions);
}

/// A branch that is not there, as one that only yields.
static void add_empty_branch(MlirOperation op) {
  MlirBlock block = agpu__append_block(mlirOperationGetRegion(op, 1));
  agpu__builder at = agpu__builder_at_end(block, mlirOperationGetLocation(op));
  agpu__build_effect(&at, "scf.yield", NULL, 0);
}

static void emit_if(emission *self, agpu__task *task,
                    const agpu__numbers *regions) {
  MlirOperation op = task->ops.data[0];
  if (mlirBlockIsNull(agpu__region_entry(op, 1)))
    add_empty_branch(op);
  // Of regions in one branch alone the other gives what was there before.
  agpu__values before = {0}, none = {0};
  for (size_t i = 0; i < regions->count; ++i)
    agpu__values_push(&before, self->tokens[regions->data[i]]);
  for (int branch = 0; branch < 2; ++branch) {
    MlirBlock block = agpu__region_entry(op, branch);
    AGPU__SCOPED(values) tokens = {0};
    for (size_t i = 0; i < regions->count; ++i)
      self->tokens[regions->data[i]] = before.data[i];
    if (task->inner[branch] != AGPU__NO_TASK)
      emit_scope(self, task->inner[branch]);
    for (size_t i = 0; i < regions->count; ++i) {
      MlirValue token = self->tokens[regions->data[i]];
      agpu__values_push(&tokens,
                        mlirValueIsNull(token)
                            ? get_ready(self, mlirOperationGetLocation(op))
                            : token);
    }
    agpu__extend_yield(block, &tokens);
  }
  intptr_t first = mlirOperationGetNumResults(op);
  give_results(self, rebuild(self, op, &none, regions->count), first, task,
               regions);
  agpu__values_free(&before);
}

static void emit_scope(emission *self, size_t scope) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    agpu__task *task = &self->graph->tasks[number];
    if (task->is_gone)
      continue;
    agpu__numbers regions = {0};
    switch (task->kind) {
    case AGPU__TASK_REGION: emit_region(self, number); break;
    case AGPU__TASK_INLINE: emit_inline(self, task); break;
    case AGPU__TASK_IF:
    case AGPU__TASK_LOOP:
      collect_regions(self->graph, task, &regions);
      if (!regions.count)
        emit_scope(self, task->inner[0]);
      if (!regions.count && task->inner[1] != AGPU__NO_TASK)
        emit_scope(self, task->inner[1]);
      if (regions.count && task->kind == AGPU__TASK_IF)
        emit_if(self, task, &regions);
      if (regions.count && task->kind == AGPU__TASK_LOOP)
        emit_loop(self, task, &regions);
      free(regions.data);
      break;
    }
  }
}

void agpu__emit_tasks(agpu__task_graph *graph) {
  MlirBlock block = graph->scopes[0].block;
  MlirContext context =
      mlirOperationGetContext(mlirBlockGetParentOperation(block));
  emission self = {.graph = graph,
                   .tokens = agpu__allocate(graph->count, sizeof(*self.tokens)),
                   .token_type = agpu__token_type(context)};
  emit_scope(&self, 0);
  AGPU__SCOPED(values) tokens = {0};
  for (size_t i = 0; i < graph->count; ++i)
    if (!mlirValueIsNull(self.tokens[i]) && !graph->tasks[i].is_followed &&
        agpu__map_get(&self.done, self.tokens[i].ptr) == AGPU__MAP_NONE)
      push_token(&self, i, &tokens);
  emit_awaits(&self, mlirBlockGetTerminator(block), 0, &tokens);
  agpu__map_free(&self.done);
  free(self.tokens);
}

//===----------------------------------------------------------------------===//
// Loops and branches with more values
//
// scf.for and scf.if get what they hand on as new ops that take the regions of
// the old ones over.
//===----------------------------------------------------------------------===//

MlirOperation agpu__rebuild_op(MlirOperation op,
                               const agpu__values *more_operands,
                               const MlirType *more_types,
                               size_t more_results) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) operands = agpu__operands(op, 0);
  agpu__values_push_all(&operands, more_operands);
  size_t results = (size_t)mlirOperationGetNumResults(op);
  AGPU__OWNED MlirType *types =
      agpu__allocate(results + more_results + 1, sizeof(*types));
  for (size_t i = 0; i < results; ++i)
    types[i] = mlirValueGetType(agpu__result(op, (intptr_t)i));
  for (size_t i = 0; i < more_results; ++i)
    types[results + i] = more_types[i];
  MlirOperation made =
      agpu__build_like(&at, op,
                       (agpu__op_spec){.operands = operands.data,
                                       .operand_count = operands.count,
                                       .results = types,
                                       .result_count = results + more_results});
  agpu__replace_op_by(op, made);
  return made;
}

void agpu__extend_yield(MlirBlock block, const agpu__values *values) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  agpu__builder at = agpu__builder_before(yield);
  AGPU__SCOPED(values) operands = agpu__operands(yield, 0);
  agpu__values_push_all(&operands, values);
  agpu__build_effect(&at, "scf.yield", operands.data, operands.count);
  mlirOperationDestroy(yield);
}
