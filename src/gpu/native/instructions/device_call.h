//===- device_call.h - Calls of the emulated device ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of the device that is put together in place of an op: operands, the
// op's place in the source, and the thread's ids.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_DEVICE_CALL_H
#define ASYNC_GPU_GPU_DEVICE_CALL_H

#include "lower/ir/ir.h"

/// Begins as {.at = before the op, .op, .gpu_module}.
typedef struct agpu__simt_call {
  agpu__builder at;
  MlirOperation op, gpu_module;
  MlirValue operands[24];
  size_t count;
  bool has_no_result; ///< that stands for the op's
} agpu__simt_call;

/// Adds an operand: a value, a constant, an address as a generic one.
void agpu__simt_push(agpu__simt_call *self, MlirValue value);
void agpu__simt_push_i32(agpu__simt_call *self, int64_t value);
void agpu__simt_push_pointer(agpu__simt_call *self, MlirValue value);

/// Calls `function`, with the place of the op and the thread's ids after all
/// operands, and puts its result in place of the op's, if it has one.
void agpu__simt_finish(agpu__simt_call *self, const char *function,
                       MlirType result);

/// Whether the text of attribute `name` has `part` in it.
bool agpu__simt_attr_has(MlirOperation op, const char *name, const char *part);

#endif // ASYNC_GPU_GPU_DEVICE_CALL_H
