//===- dependencies.c - What regions depend on, and their streams --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills in the dependencies of the bodies of a plan, in program order: which of
// them say nothing new, and which let a body reuse a stream. SSA values make
// both local questions: what defines an operand, and what else uses it.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Dependencies that others imply
//===----------------------------------------------------------------------===//
//
// Where C depends on A and on B, and B on A, the first is redundant: B's work
// follows A's, and B has A's error if A has one. All are SSA values, so the A
// that B depended on is the A that C sees, in loops too.
//
// One that is not found costs a wait that is not needed. So all searches of a
// plan together take no more steps than its bodies pay for.

enum { STEPS_FOR_EACH = 256 };

/// What is searched for one body.
typedef struct search {
  agpu__plan *plan;
  size_t of;     ///< the body
  size_t first;  ///< of what it depends on
  size_t wanted; ///< bodies that it depends on, and that are not marked yet
} search;

/// Marks what body `number` depends on for operand `operand`, until all that is
/// wanted is marked. Bodies depend on bodies before them, so none before the
/// first needs a look, and nothing marks the last: it is all that is wanted
/// then. What is still to be looked at is a list through the marks themselves:
/// chains of regions are as long as a program makes them.
static void mark_dependences(search *self, size_t number, size_t operand) {
  agpu__mark *marks = self->plan->marks;
  size_t next = AGPU__NO_BODY;
  for (;;) {
    const agpu__body *body = &self->plan->bodies[number];
    for (size_t i = 0; i < body->dependency_count; ++i) {
      size_t from = body->dependencies[i].from;
      if (from == AGPU__NO_BODY || from < self->first ||
          marks[from].of == self->of)
        continue;
      if (self->wanted < 2 || !self->plan->steps)
        return;
      --self->plan->steps;
      self->wanted -= marks[from].wanted_by == self->of;
      marks[from].of = self->of;
      marks[from].operand = operand;
      marks[from].next = next;
      next = from;
    }
    if (next == AGPU__NO_BODY)
      return;
    number = next;
    next = marks[number].next;
  }
}

/// True if operand `other` is the same, or of the same region as, `operand`.
static bool is_repeated(const agpu__body *body, size_t other, size_t operand) {
  const agpu__dependency *all = body->dependencies;
  return mlirValueEqual(mlirOperationGetOperand(body->op, (intptr_t)other),
                        mlirOperationGetOperand(body->op, (intptr_t)operand)) ||
         (all[other].from != AGPU__NO_BODY &&
          all[other].from == all[operand].from);
}

static bool is_token(const agpu__body *body, size_t operand) {
  return agpu__type_is_token(
      mlirValueGetType(mlirOperationGetOperand(body->op, (intptr_t)operand)));
}

/// The number of an operand after whose work that of `operand` is; `operand`
/// itself if there is none.
static size_t find_implying(const agpu__plan *plan, const agpu__body *body,
                            size_t operand) {
  size_t from = body->dependencies[operand].from;
  size_t number = (size_t)(body - plan->bodies);
  if (from != AGPU__NO_BODY && plan->marks[from].of == number)
    return plan->marks[from].operand;
  // Of several of one region the first value stays, or else the first token.
  bool token = is_token(body, operand);
  for (size_t i = 0; i < body->dependency_count; ++i)
    if (i != operand && is_repeated(body, i, operand) &&
        (is_token(body, i) ? token && i < operand : token || i < operand))
      return i;
  return operand;
}

static void leave_out_implied(agpu__plan *plan, agpu__body *body) {
  agpu__dependency *all = body->dependencies;
  search self = {plan, (size_t)(body - plan->bodies), AGPU__NO_BODY, 0};
  plan->steps += STEPS_FOR_EACH;
  for (size_t i = 0; i < body->dependency_count; ++i) {
    size_t from = all[i].from;
    if (from == AGPU__NO_BODY || plan->marks[from].wanted_by == self.of)
      continue;
    plan->marks[from].wanted_by = self.of;
    ++self.wanted;
    if (from < self.first)
      self.first = from;
  }
  for (size_t i = 0; i < body->dependency_count; ++i)
    if (all[i].from != AGPU__NO_BODY)
      mark_dependences(&self, all[i].from, i);
  for (size_t i = 0; i < body->dependency_count; ++i) {
    // The host needs a value that it computes with, implied or not; a stream
    // need not wait for it.
    size_t by = find_implying(plan, body, i);
    if (by == i ||
        (!is_token(body, i) && all[i].kind != AGPU__DEPENDENCY_EVENT))
      continue;
    all[i].kind = AGPU__DEPENDENCY_IMPLIED;
    all[i].implied_by = by;
  }
}

static agpu__dependency_kind get_kind(const agpu__plan *plan,
                                      const agpu__body *body, size_t from) {
  if (body->kind == AGPU__BODY_HOST)
    return AGPU__DEPENDENCY_HOST;
  return from != AGPU__NO_BODY && plan->bodies[from].kind == AGPU__BODY_HOST
             ? AGPU__DEPENDENCY_ENQUEUE
             : AGPU__DEPENDENCY_EVENT;
}

void agpu__plan_dependencies(agpu__plan *plan, agpu__body *body) {
  if (!agpu__op_is(body->op, "async.execute"))
    return;
  size_t count = (size_t)mlirOperationGetNumOperands(body->op);
  body->dependencies = agpu__allocate(count, sizeof(*body->dependencies));
  body->dependency_count = count;
  for (size_t i = 0; i < count; ++i) {
    MlirValue value = mlirOperationGetOperand(body->op, (intptr_t)i);
    const agpu__body *from =
        mlirValueIsAOpResult(value)
            ? agpu__plan_find(plan, mlirOpResultGetOwner(value))
            : NULL;
    size_t number = from ? (size_t)(from - plan->bodies) : AGPU__NO_BODY;
    body->dependencies[i] = (agpu__dependency){
        .kind = get_kind(plan, body, number), .from = number};
  }
  leave_out_implied(plan, body);
}

//===----------------------------------------------------------------------===//
// Regions that reuse a stream
//===----------------------------------------------------------------------===//
//
// The stream is handed over when the program runs, and only if no one else has
// got it by then (agpu_stream_continue), so nothing here has to be certain of
// the ways that control takes. What has to be is that nobody else waits for a
// token that is called the last use.

/// True if the use is a dependency that is left out.
static bool is_left_out(const agpu__plan *plan, MlirOpOperand use) {
  const agpu__body *body = agpu__plan_find(plan, mlirOpOperandGetOwner(use));
  size_t number = mlirOpOperandGetOperandNumber(use);
  return body && number < body->dependency_count &&
         body->dependencies[number].kind == AGPU__DEPENDENCY_IMPLIED;
}

static bool has_one_use(const agpu__plan *plan, MlirValue value) {
  int count = 0;
  AGPU__USES_FOREACH (use, value)
    count += !is_left_out(plan, use);
  return count == 1;
}

/// True if nothing is in the region, nor does it wait for anything.
static bool is_empty(MlirOperation region) {
  return mlirOperationGetNumOperands(region) == 0 &&
         agpu__op_is(mlirBlockGetFirstOperation(agpu__entry_block(region)),
                     "async.yield");
}

/// True if `value` comes from a region and only one op uses it, or that has no
/// work.
static bool is_handed_on(const agpu__plan *plan, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation region = mlirOpResultGetOwner(value);
  return agpu__op_is(region, "async.execute") &&
         (is_empty(region) || has_one_use(plan, value));
}

/// The same for an argument of a loop's body: what the loop begins with, and
/// what each round gives the next.
static bool is_handed_on_by_loop(const agpu__plan *plan, MlirValue argument) {
  MlirBlock block = mlirBlockArgumentGetOwner(argument);
  MlirOperation loop = mlirBlockGetParentOperation(block);
  intptr_t number = mlirBlockArgumentGetArgNumber(argument) - 1;
  if (!agpu__op_is(loop, "scf.for") || number < 0)
    return false;
  return is_handed_on(plan, mlirOperationGetOperand(loop, 3 + number)) &&
         is_handed_on(plan, mlirOperationGetOperand(
                                mlirBlockGetTerminator(block), number));
}

/// True if no region but `successor` depends on `value`.
static bool is_only_successor(const agpu__plan *plan, MlirOperation successor,
                              MlirValue value) {
  AGPU__USES_FOREACH (use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOperationEqual(user, successor) || is_left_out(plan, use))
      continue;
    // A region that has captured it depends on it somewhere inside.
    if (agpu__op_is(user, "async.execute") ||
        !mlirOperationEqual(agpu__body_of(user), agpu__body_of(successor)))
      return false;
  }
  return true;
}

/// True if `body` runs once, at most, for each time that `value` is made.
static bool runs_once_for(const agpu__body *body, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  return mlirBlockEqual(block, mlirOperationGetBlock(body->op));
}

static bool may_continue(const agpu__plan *plan, const agpu__body *body,
                         const agpu__dependency *on, MlirValue value) {
  if (!runs_once_for(body, value) || !is_only_successor(plan, body->op, value))
    return false;
  if (on->from == AGPU__NO_BODY)
    return mlirValueIsABlockArgument(value); // settled by the run
  MlirOperation from = plan->bodies[on->from].op;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(from); ++i)
    if (!is_only_successor(plan, body->op, agpu__result(from, i)))
      return false;
  return agpu__have_same_device(from, body->op) &&
         agpu__priority_of(from) == agpu__priority_of(body->op);
}

void agpu__plan_continue(const agpu__plan *plan, agpu__body *body) {
  // What the body that spawns it has on its own stream does not count: that
  // goes on there.
  agpu__dependency *only = NULL;
  for (size_t i = 0; i < body->dependency_count; ++i) {
    agpu__dependency *on = &body->dependencies[i];
    if (on->kind != AGPU__DEPENDENCY_EVENT)
      continue;
    // Token and value of one region are one predecessor.
    if (only && (on->from == AGPU__NO_BODY || on->from != only->from))
      return;
    if (!only)
      only = on;
  }
  if (!only)
    return;
  MlirValue value =
      mlirOperationGetOperand(body->op, only - body->dependencies);
  if (!may_continue(plan, body, only, value))
    return;
  only->kind = AGPU__DEPENDENCY_CONTINUE;
  only->is_last =
      mlirValueIsABlockArgument(value)
          ? has_one_use(plan, value) && is_handed_on_by_loop(plan, value)
          : has_one_use(plan, value);
  if (only->from != AGPU__NO_BODY)
    body->stream = plan->bodies[only->from].stream;
}
