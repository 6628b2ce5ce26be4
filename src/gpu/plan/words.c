//===- words.c - What the plan decided, in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sentences about one decision each, without the region that they are about.
// Reads the plan and the module, and changes neither.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include <stdlib.h>

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
