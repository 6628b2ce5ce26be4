//===- object_calls.h - Ops of objects become calls ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_OBJECT_CALLS_H
#define ASYNC_GPU_HOST_OBJECT_CALLS_H

#include "host/async/lowering.h"

/// Questions, payloads, references, errors and boxes; false for all other ops.
/// `out_result` says whether there was a diagnostic.
bool agpu__lower_object_op(agpu__lowering *self, MlirLogicalResult *out_result);

#endif // ASYNC_GPU_HOST_OBJECT_CALLS_H
