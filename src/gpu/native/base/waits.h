//===- waits.h - Ops that let a thread wait for others ---------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_WAITS_H
#define ASYNC_GPU_GPU_SIMT_WAITS_H

#include "async_gpu/compiled/native_thread.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Stands for a wait for a phase of an mbarrier object: an intrinsic that is
/// the passes' own, of the object's address (i64), the phase (i32) and
/// agpu_native_wait_mode (i32).
#define AGPU__SIMT_PHASE_WAIT "llvm.agpu.phase"

/// How an op that waits is described to the runtime.
typedef struct agpu__simt_wait {
  const char *op; ///< or the intrinsic that an llvm.call_intrinsic calls
  agpu_native_wait wait;
  /// Which operand goes into a member of the record; -1: none.
  int value, mask, a, b;
  /// The attribute `kind`, and its spellings in the order of the modes.
  const char *kind_format;
  const char *kinds[11];
} agpu__simt_wait;

/// The row of `op`, or NULL if it does not wait.
const agpu__simt_wait *agpu__simt_find_wait(MlirOperation op);

static inline bool agpu__simt_is_wait(MlirOperation op) {
  return agpu__simt_find_wait(op) != NULL;
}

/// True for barriers for all threads of a block.
bool agpu__simt_is_barrier(MlirOperation op);

/// What a whole warp does together, an op of the private dialect; and whether
/// it does nothing but meet. Beside barriers it is what loops over threads can
/// do.
#define AGPU__SIMT_COLLECTIVE "agpu.collective"
bool agpu__simt_is_collective(MlirOperation op);
bool agpu__simt_only_synchronizes(MlirOperation op);

/// True if an op of `function` itself waits.
bool agpu__simt_waits(MlirOperation function);

#endif // ASYNC_GPU_GPU_SIMT_WAITS_H
