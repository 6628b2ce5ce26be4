//===- plan_remarks.c - The plan in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan as remarks: one for each body, each of its dependencies, and each
// place where the host waits. Numbers of regions and streams are those of the
// plan.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include "lower/pass/diagnostics.h"

#include <stdlib.h>

static void remark_body(const agpu__body *body) {
  MlirLocation location = mlirOperationGetLocation(body->op);
  const agpu__dependency *on = agpu__plan_unknown_stream(body);
  if (body->stream < 0)
    agpu__remark(location, "region %zu: host", body->number);
  else if (on)
    agpu__remark(location,
                 "region %zu: %s, stream of operand %td or %d, %zu GPU ops",
                 body->number, agpu__body_kind_name(body->kind),
                 on - body->dependencies, body->stream, body->gpu_ops.count);
  else
    agpu__remark(location, "region %zu: %s, stream %d, %zu GPU ops",
                 body->number, agpu__body_kind_name(body->kind), body->stream,
                 body->gpu_ops.count);
  if (body->stream >= 0 && agpu__priority_of(body->op))
    agpu__remark(location, "region %zu: its device work has priority %d",
                 body->number, agpu__priority_of(body->op));
}

/// "region 3", or "operand 0" where the region is not known. The caller frees
/// it.
static char *name_dependency(const agpu__plan *plan, const agpu__body *body,
                             size_t operand) {
  size_t from = body->dependencies[operand].from;
  return from == AGPU__NO_BODY
             ? agpu__format("operand %zu", operand)
             : agpu__format("region %zu", plan->bodies[from].number);
}

static void remark_dependency(const agpu__plan *plan, const agpu__body *body,
                              size_t operand) {
  AGPU__OWNED char *from = name_dependency(plan, body, operand);
  AGPU__OWNED char *words = agpu__plan_words_of_dependency(plan, body, operand);
  agpu__remark(mlirOperationGetLocation(body->op),
               "region %zu depends on %s: %s", body->number, from, words);
}

static void remark_ops(const agpu__body *body) {
  for (size_t i = 0; i < body->spawns.count; ++i)
    agpu__remark(mlirOperationGetLocation(body->spawns.data[i]),
                 "async.execute depends on the work of region %zu so far, "
                 "which does not wait here",
                 body->number);
  for (size_t i = 0; i < body->waits.count; ++i) {
    AGPU__OWNED char *words = agpu__plan_words_of_wait(body->waits.data[i]);
    agpu__remark(mlirOperationGetLocation(body->waits.data[i]),
                 "%s: region %zu waits for its stream here", words,
                 body->number);
  }
}

void agpu__plan_remark(const agpu__plan *plan) {
  for (size_t i = 0; i < plan->count; ++i) {
    const agpu__body *body = &plan->bodies[i];
    if (body->stream < 0 && !agpu__op_is(body->op, "async.execute"))
      continue;
    remark_body(body);
    for (size_t k = 0; k < body->dependency_count; ++k)
      remark_dependency(plan, body, k);
    remark_ops(body);
  }
}

//===----------------------------------------------------------------------===//
// What the plan decided, in words
//
// Sentences about one decision each, without the region that they are about.
// Reads the plan and the module, and changes neither.
//===----------------------------------------------------------------------===//

const agpu__dependency *agpu__plan_unknown_stream(const agpu__body *body) {
  for (size_t i = 0; i < body->dependency_count; ++i)
    if (body->dependencies[i].kind == AGPU__DEPENDENCY_CONTINUE &&
        body->dependencies[i].from == AGPU__NO_BODY)
      return &body->dependencies[i];
  return NULL;
}

/// An operand that need not be waited for, as another one says it.
static char *words_of_implied(const agpu__plan *plan, const agpu__body *body,
                              const agpu__dependency *on) {
  size_t by = body->dependencies[on->implied_by].from;
  if (on->from == AGPU__NO_BODY || on->from == by)
    return agpu__format("no wait, operand %zu says the same", on->implied_by);
  return by == AGPU__NO_BODY
             ? agpu__format("no wait, operand %zu runs after it",
                            on->implied_by)
             : agpu__format("no wait, region %zu runs after it",
                            plan->bodies[by].number);
}

char *agpu__plan_words_of_dependency(const agpu__plan *plan,
                                     const agpu__body *body, size_t operand) {
  const agpu__dependency *on = &body->dependencies[operand];
  const char *words = "event";
  switch (on->kind) {
  case AGPU__DEPENDENCY_HOST: words = "the host waits"; break;
  case AGPU__DEPENDENCY_ENQUEUE:
    words = "enqueued when the host is done";
    break;
  case AGPU__DEPENDENCY_EVENT: break;
  case AGPU__DEPENDENCY_CONTINUE:
    words = on->is_last ? "reuses its stream, no event"
                        : "reuses its stream, an event only for others that "
                          "wait for it";
    break;
  case AGPU__DEPENDENCY_IMPLIED: return words_of_implied(plan, body, on);
  }
  return agpu__format("%s", words);
}

char *agpu__plan_words_of_wait(MlirOperation op) {
  MlirStringRef name = agpu__op_name(op);
  return agpu__format("%.*s may observe device results", AGPU__STR(name));
}
