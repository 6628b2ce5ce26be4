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
  const char *why;      ///< what it cannot be on the device for
} agpu__device_loop;

/// Whether the device can end the loop, an scf.while. False, with `out->why`
/// (NULL: it is no such loop).
bool agpu__device_loop_match(MlirSymbolTable symbols, MlirOperation loop,
                             MlirValue stream, agpu__device_loop *out);

/// The kernel, in a module of its own, that computes the loop's condition and
/// sets it by the handle that is its first argument; `out_arguments` are the
/// others. Null, with `of->why`: there can be none.
MlirAttribute agpu__loop_condition_build(MlirOperation module,
                                         agpu__device_loop *of, size_t number,
                                         agpu__values *out_arguments);

/// Has the device run the loop, as part `part`, from its second round on, where
/// the runtime agrees. False, and nothing done but `of->why`: it cannot.
bool agpu__device_loop_build(MlirOperation module, agpu__device_loop *of,
                             const agpu__graph_part *part);

#endif // ASYNC_GPU_GPU_DEVICE_LOOP_H
