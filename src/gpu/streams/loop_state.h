//===- loop_state.h - What a loop on the device carries -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LOOP_STATE_H
#define ASYNC_GPU_GPU_LOOP_STATE_H

#include "gpu/streams/device_loop.h"

/// The value that `value`, of a round, is: that which the round before has
/// yielded for an argument of `before`.
MlirValue agpu__loop_state_resolve(const agpu__device_loop *of,
                                   MlirValue value);

/// Finds what has to stay in device memory from round to round: `of->slots`.
/// Work up to `end` of `before` is on the device. False, with `of->why`: it
/// cannot.
bool agpu__loop_state_find(MlirOperation module, agpu__device_loop *of,
                           MlirOperation end);

/// The type of that memory: a memref of i64, one for each slot.
MlirType agpu__loop_state_type(const agpu__device_loop *of);

/// Reads and writes a slot.
MlirValue agpu__loop_state_read(agpu__builder *at, MlirValue memory,
                                size_t slot, MlirType type);
void agpu__loop_state_write(agpu__builder *at, MlirValue memory, size_t slot,
                            MlirValue value);

/// Has the launches in `copy`, which is one of an op of the loop, take what
/// they are given of the loop's state from `memory`.
void agpu__loop_state_use(MlirOperation module, const agpu__device_loop *of,
                          MlirOperation op, MlirOperation copy,
                          MlirValue memory);

#endif // ASYNC_GPU_GPU_LOOP_STATE_H
