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

#include "lower/ir.h"

#include <stdio.h>

typedef enum agpu__body_kind {
  AGPU__BODY_HOST,   ///< no GPU op: a coroutine on the executor
  AGPU__BODY_DEVICE, ///< GPU ops and ops without effect: only enqueues
  AGPU__BODY_MIXED,  ///< both
} agpu__body_kind;

/// One body of host code.
typedef struct agpu__body {
  MlirOperation op; ///< async.execute, async.func or func.func
  agpu__body_kind kind;
  /// Its stream, numbered from 0 in program order; -1: none.
  int stream;
  /// Bodies (by number) whose tokens or values its op takes as operands.
  size_t *dependencies;
  size_t dependency_count;
  /// GPU ops that stand directly in it (not in a nested region of its own), in
  /// program order.
  agpu__ops gpu_ops;
  /// Ops before which the host waits for the stream, in program order.
  agpu__ops waits;
  /// Nested regions (async.execute) that get a token of this body's stream as
  /// one more dependency, in program order.
  agpu__ops spawns;
  /// It is such a region itself.
  bool spawned_behind;
} agpu__body;

typedef struct agpu__plan {
  agpu__body *bodies;
  size_t count;
  agpu__ops marked; ///< ops whose effect attribute is the plan's own
} agpu__plan;

/// Decides for the whole module. Free with agpu__plan_free. Fails with a
/// diagnostic where a GPU op stands where it cannot be lowered. While the plan
/// lives, the ops of the module carry attributes of its own.
MlirLogicalResult agpu__plan_create(MlirOperation module, agpu__plan *out_plan);
void agpu__plan_free(agpu__plan *plan);

/// "host", "device" or "mixed".
const char *agpu__body_kind_name(agpu__body_kind kind);

/// Writes the plan as "file:line:col: remark: ..." lines at the ops it
/// concerns. (The C API has no call to emit remarks as diagnostics.)
void agpu__plan_print(const agpu__plan *plan, FILE *out);

/// True for async.execute, async.func and func.func.
bool agpu__is_body(MlirOperation op);

/// The body op that `op` stands in.
MlirOperation agpu__body_of(MlirOperation op);

#endif // ASYNC_GPU_GPU_PLAN_H
