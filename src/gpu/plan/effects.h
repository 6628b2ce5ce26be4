//===- effects.h - What host ops have to do with the device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each op of host code means for the order of host and device. Everything
// that decides whether to wait asks here.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_EFFECTS_H
#define ASYNC_GPU_GPU_EFFECTS_H

#include "lower/dialect/attributes.h"
#include "lower/ir/map.h"

#include "mlir-c/IR.h"

typedef enum agpu__effect {
  /// Work for the device, put on the region's stream.
  AGPU__EFFECT_ENQUEUES,
  /// An await: the region's stream waits, the host need not.
  AGPU__EFFECT_AWAITS,
  /// Cannot tell whether device work has completed: computes from its operands,
  /// or only allocates.
  AGPU__EFFECT_NONE,
  /// Starts a region of its own, after the device work so far: it gets a token
  /// for that instead of the host waiting.
  AGPU__EFFECT_SPAWNS,
  /// Control flow: what counts are the ops inside.
  AGPU__EFFECT_STRUCTURE,
  /// May read or write memory that the device uses, or do anything at all: the
  /// device work before it must have completed.
  AGPU__EFFECT_OBSERVES,
} agpu__effect;

/// What `op` does, as the table of ops and its own attributes say. Any op that
/// the table does not know observes.
agpu__effect agpu__effect_of(MlirOperation op);

/// What is known beside that of ops that might observe (local_memory.h):
/// whether they do, by the op's address.
typedef struct agpu__effects {
  agpu__map observes;
} agpu__effects;

/// What `op` does with that taken into account.
agpu__effect agpu__effect_in(const agpu__effects *known, MlirOperation op);

/// True for the gpu dialect's ops that stand in host code and enqueue work or
/// wait for it, and for calls that enqueue.
bool agpu__is_gpu_op(MlirOperation op);

/// How what such a call enqueues may be captured, a CUstreamCaptureMode; 0: it
/// may not be. `function` is the callee.
int64_t agpu__capture_mode(MlirOperation call, MlirOperation function);

/// True for a func.call with AGPU__ENQUEUE_ATTR.
bool agpu__is_enqueue_call(MlirOperation op);

#endif // ASYNC_GPU_GPU_EFFECTS_H
