//===- device_loop.h - Loops that the device ends -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_DEVICE_LOOP_H
#define ASYNC_GPU_GPU_DEVICE_LOOP_H

#include "gpu/streams/graph.h"
#include "lower/ir/ir.h"

/// An scf.while whose condition the host computes of what work on `stream` has
/// left in memory.
typedef struct agpu__device_loop {
  MlirOperation loop;
  MlirValue stream;
  MlirBlock before, after;
  // Of `before`, in this order, behind all work:
  MlirOperation copy; ///< to the host; null: the host reaches the memory
  MlirOperation record, await;
  MlirAttribute kernel; ///< of a launch in it
  /// What stays in device memory from round to round: the arguments of `after`,
  /// and then what launches are given that is computed of these.
  agpu__values slots;
  const char *why; ///< what it cannot be on the device for
} agpu__device_loop;

/// Whether the device can end the loop, an scf.while. False, with `out->why`
/// (NULL: it is no such loop). Free `out` with agpu__device_loop_free in any
/// case.
bool agpu__device_loop_match(MlirOperation module, MlirSymbolTable symbols,
                             MlirOperation loop, MlirValue stream,
                             agpu__device_loop *out);
void agpu__device_loop_free(agpu__device_loop *of);

/// The kernels of a loop, each in a module of its own.
typedef struct agpu__loop_kernels {
  /// Computes the condition, and sets it by the handle that is its first
  /// argument. Where the loop has slots, their memory is the second, and it
  /// writes what they hold in the next round. The rest is `condition_inputs`.
  MlirAttribute condition;
  agpu__values condition_inputs;
  /// Writes the slots, of the memory, the arguments of `after` and
  /// `start_inputs`; null where there are none.
  MlirAttribute start;
  agpu__values start_inputs;
} agpu__loop_kernels;

/// False, with `of->why`: there can be none. Free with agpu__loop_kernels_free
/// in any case.
bool agpu__loop_kernels_build(MlirOperation module, agpu__device_loop *of,
                              size_t number, agpu__loop_kernels *out);
void agpu__loop_kernels_free(agpu__loop_kernels *of);

/// Has the device run the loop, as part `part`, from its second round on, where
/// the runtime agrees. False, and nothing done but `of->why`: it cannot.
bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part);

#endif // ASYNC_GPU_GPU_DEVICE_LOOP_H
