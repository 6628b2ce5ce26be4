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

#include "gpu/plan/plan_remarks.h"

#include "lower/pass/diagnostics.h"

#include <stdlib.h>

/// The dependency whose stream `body` reuses, if the run settles which that
/// is; NULL where there is none.
static const agpu__dependency *find_unknown_stream(const agpu__body *body) {
  for (size_t i = 0; i < body->dependency_count; ++i)
    if (body->dependencies[i].kind == AGPU__DEPENDENCY_CONTINUE &&
        body->dependencies[i].from == AGPU__NO_BODY)
      return &body->dependencies[i];
  return NULL;
}

static void remark_body(const agpu__plan *plan, const agpu__body *body) {
  MlirLocation location = mlirOperationGetLocation(body->op);
  size_t number = (size_t)(body - plan->bodies);
  const agpu__dependency *on = find_unknown_stream(body);
  if (body->stream < 0)
    agpu__remark(location, "region %zu: host", number);
  else if (on)
    agpu__remark(location,
                 "region %zu: %s, stream of operand %td or %d, %zu GPU ops",
                 number, agpu__body_kind_name(body->kind),
                 on - body->dependencies, body->stream, body->gpu_ops.count);
  else
    agpu__remark(location, "region %zu: %s, stream %d, %zu GPU ops", number,
                 agpu__body_kind_name(body->kind), body->stream,
                 body->gpu_ops.count);
}

/// "region 3", or "operand 0" where the region is not known. The caller frees
/// it.
static char *name_dependency(const agpu__body *body, size_t operand) {
  size_t from = body->dependencies[operand].from;
  return from == AGPU__NO_BODY ? agpu__format("operand %zu", operand)
                               : agpu__format("region %zu", from);
}

static void remark_dependency(const agpu__plan *plan, const agpu__body *body,
                              size_t operand) {
  const agpu__dependency *on = &body->dependencies[operand];
  MlirLocation location = mlirOperationGetLocation(body->op);
  size_t number = (size_t)(body - plan->bodies);
  char *from = name_dependency(body, operand);
  switch (on->kind) {
  case AGPU__DEPENDENCY_HOST:
    agpu__remark(location, "region %zu depends on %s: the host waits", number,
                 from);
    break;
  case AGPU__DEPENDENCY_ENQUEUE:
    agpu__remark(location,
                 "region %zu depends on %s: enqueued when the host is done",
                 number, from);
    break;
  case AGPU__DEPENDENCY_EVENT:
    agpu__remark(location, "region %zu depends on %s: event", number, from);
    break;
  case AGPU__DEPENDENCY_CONTINUE:
    agpu__remark(location, "region %zu depends on %s: reuses its stream, %s",
                 number, from,
                 on->is_last ? "no event"
                             : "an event only for others that wait for it");
    break;
  case AGPU__DEPENDENCY_IMPLIED: {
    char *by = name_dependency(body, on->implied_by);
    bool repeats = on->from == AGPU__NO_BODY ||
                   on->from == body->dependencies[on->implied_by].from;
    if (repeats)
      agpu__remark(location,
                   "region %zu depends on %s: no wait, operand %zu says the "
                   "same",
                   number, from, on->implied_by);
    else
      agpu__remark(location,
                   "region %zu depends on %s: no wait, %s runs behind it",
                   number, from, by);
    free(by);
    break;
  }
  }
  free(from);
}

static void remark_ops(const agpu__plan *plan, const agpu__body *body) {
  size_t number = (size_t)(body - plan->bodies);
  for (size_t i = 0; i < body->spawns.count; ++i)
    agpu__remark(mlirOperationGetLocation(body->spawns.data[i]),
                 "async.execute depends on the work of region %zu so far, "
                 "which does not wait here",
                 number);
  for (size_t i = 0; i < body->waits.count; ++i) {
    MlirStringRef name = agpu__op_name(body->waits.data[i]);
    agpu__remark(mlirOperationGetLocation(body->waits.data[i]),
                 "%.*s may observe device results: region %zu waits for its "
                 "stream here",
                 (int)name.length, name.data, number);
  }
}

void agpu__plan_remark(const agpu__plan *plan) {
  for (size_t i = 0; i < plan->count; ++i) {
    const agpu__body *body = &plan->bodies[i];
    if (body->stream < 0 && !agpu__op_is(body->op, "async.execute"))
      continue;
    remark_body(plan, body);
    for (size_t k = 0; k < body->dependency_count; ++k)
      remark_dependency(plan, body, k);
    remark_ops(plan, body);
  }
}
