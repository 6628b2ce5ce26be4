//===- bodies.h - Host code that may hold GPU ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is host code with a stream of its own where it holds GPU ops: an
// `async.execute` region, an async function, or a plain function. What is
// called a region elsewhere is an `async.execute`, and later the async function
// that it has become.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_BODIES_H
#define ASYNC_GPU_GPU_BODIES_H

#include "lower/ir/ops.h"

typedef enum agpu__body_kind {
  AGPU__BODY_HOST,   ///< no GPU op: a coroutine on the executor
  AGPU__BODY_DEVICE, ///< GPU ops and ops without effect: only enqueues
  AGPU__BODY_MIXED,  ///< both
} agpu__body_kind;

/// "host", "device" or "mixed".
const char *agpu__body_kind_name(agpu__body_kind kind);

/// True for async.execute, async.func and func.func.
bool agpu__is_body(MlirOperation op);

/// The body op that `op` stands in; a null op: it stands in none.
MlirOperation agpu__body_of(MlirOperation op);

#endif // ASYNC_GPU_GPU_BODIES_H
