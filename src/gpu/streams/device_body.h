//===- device_body.h - Rounds that branch on the device -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_DEVICE_BODY_H
#define ASYNC_GPU_GPU_DEVICE_BODY_H

#include "gpu/streams/device_loop.h"

#include "lower/ir/copies.h"

/// A loop, or a round, in the making.
typedef struct agpu__device_maker {
  MlirOperation module;
  const agpu__device_loop *of;
  const agpu__graph_part *part;
  agpu__loop_kernels kernels;
  MlirValue memory;    ///< of what it carries; null: there is none
  agpu__values passed; ///< by the condition of the first round
  /// Memory of the host, and the device's copies of it.
  agpu__values hosts, kept;
  bool is_private; ///< nothing but the branches looks at these of the host
} agpu__device_maker;

/// An scf.if at the end of `to`, whose blocks are filled by the caller.
MlirOperation agpu__device_build_if(MlirBlock to, MlirLocation location,
                                    MlirValue condition,
                                    const MlirType *results,
                                    size_t result_count, MlirBlock *out_then,
                                    MlirBlock *out_else);
void agpu__device_build_yield(MlirBlock to, MlirLocation location,
                              const MlirValue *values, size_t count);

/// Ends the part in `runs`, which yields whether the device has taken it, as it
/// has not where `runs_not` runs.
void agpu__device_build_outcome(const agpu__device_maker *self, MlirBlock runs,
                                MlirBlock runs_not);

/// A launch of one thread.
void agpu__device_build_launch(const agpu__device_loop *of, MlirBlock to,
                               MlirAttribute kernel,
                               const agpu__values *arguments);

/// The device's memory for what the host has `copies` of in branches, and what
/// the host has there now.
void agpu__device_build_kept(agpu__device_maker *self, MlirBlock to);

/// What the device does for a block up to `end`, as part of the body of
/// condition `outer`: a copy of it, but for branches.
void agpu__device_build_until(const agpu__device_maker *self, MlirBlock from,
                              MlirOperation end, MlirBlock to, size_t outer,
                              agpu__copies *copies);

#endif // ASYNC_GPU_GPU_DEVICE_BODY_H
