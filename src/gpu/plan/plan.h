//===- plan.h - What is decided about regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan: every body of host code that holds GPU ops (an `async.execute`
// region, an async function, a plain function) and every other region, what
// kind it is, what it depends on, and where the host must wait for the device
// and why. The passes apply it and the remarks print it; nothing decides twice.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLAN_H
#define ASYNC_GPU_GPU_PLAN_H

#include "gpu/plan/bodies.h"
#include "gpu/plan/effects.h"
#include "lower/ir/ir.h"
#include "lower/ir/map.h"

#include <stdbool.h>
#include <stddef.h>

/// How a body waits for what it depends on.
typedef enum agpu__dependency_kind {
  AGPU__DEPENDENCY_HOST,     ///< the body is the host's: it waits for all of it
  AGPU__DEPENDENCY_ENQUEUE,  ///< on host work: enqueued when that is done
  AGPU__DEPENDENCY_EVENT,    ///< its stream waits for an event
  AGPU__DEPENDENCY_CONTINUE, ///< it reuses the stream: no event
  AGPU__DEPENDENCY_IMPLIED,  ///< another one of the body implies it: no wait
} agpu__dependency_kind;

#define AGPU__NO_BODY ((size_t)-1)

/// One operand of an async.execute, a token or value.
typedef struct agpu__dependency {
  agpu__dependency_kind kind;
  size_t from; ///< the body that gives it; AGPU__NO_BODY: not known here
  /// IMPLIED: the number of the operand that implies it.
  size_t implied_by;
  /// CONTINUE: nobody else ever waits for the token.
  bool is_last;
} agpu__dependency;

/// One body of host code.
typedef struct agpu__body {
  MlirOperation op; ///< async.execute, async.func or func.func
  /// What it is called, everywhere: that of AGPU__REGION_ATTR, or the lowest
  /// that is free.
  size_t number;
  /// It is a region, or has device work or regions: who reads the plan sees it.
  bool is_shown;
  agpu__body_kind kind;
  /// Its stream, numbered from 0 in program order; -1: none. Bodies that go on
  /// on each other's stream have the same.
  int stream;
  /// One for each operand of its op, if that is an async.execute.
  agpu__dependency *dependencies;
  size_t dependency_count;
  /// GPU ops that stand directly in it (not in a nested region of its own), in
  /// program order.
  agpu__ops gpu_ops;
  /// async.await and func.return that stand in it in the same way.
  agpu__ops awaits, returns;
  /// Ops before which the host waits for the stream, in program order.
  agpu__ops waits;
  /// Nested regions (async.execute) that get a token of this body's stream as
  /// one more dependency, in program order; and of each of them before which
  /// one the stream is recorded: itself, or one before it in its block.
  agpu__ops spawns, records;
  /// Of such a region, the latter; else null.
  MlirOperation recorded_before;
} agpu__body;

/// For dependencies.c: body `of` depends on this one by its operand `operand`,
/// and body `wanted_by` has it as an operand.
typedef struct agpu__mark {
  size_t of, operand, wanted_by;
  size_t next; ///< the next one to look at; AGPU__NO_BODY: none
} agpu__mark;

typedef struct agpu__plan {
  agpu__body *bodies; ///< in program order, outer ones before inner ones
  size_t count;
  agpu__map numbers; ///< of bodies, by the address of the op
  agpu__mark *marks; ///< one for each body
  size_t steps;      ///< that searches for implied dependencies may still take
  int stream_count;
  agpu__effects effects;
} agpu__plan;

/// Decides for the whole module. `reuse_streams`: a region that is the only
/// successor of its only predecessor reuses its stream. Free with
/// agpu__plan_free. Fails with a diagnostic where a GPU op stands where it
/// cannot be lowered.
MlirLogicalResult agpu__plan_create(MlirOperation module, bool reuse_streams,
                                    agpu__plan *out_plan);
void agpu__plan_free(agpu__plan *plan);

/// Has `made` look at each plan that this thread's passes are about to apply,
/// while the module is still as it was. NULL: none does.
void agpu__plan_on_created(void (*made)(const agpu__plan *plan, void *data),
                           void *data);

/// For the pass that applies it.
void agpu__plan_notify_created(const agpu__plan *plan);

/// The body whose op is `op`; NULL: there is none.
static inline agpu__body *agpu__plan_find(const agpu__plan *plan,
                                          MlirOperation op) {
  size_t number = agpu__map_get(&plan->numbers, op.ptr);
  return number == AGPU__MAP_NONE ? NULL : &plan->bodies[number];
}

#endif // ASYNC_GPU_GPU_PLAN_H
