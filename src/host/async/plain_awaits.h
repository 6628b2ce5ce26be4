//===- plain_awaits.h - Async ops of plain functions ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_PLAIN_AWAITS_H
#define ASYNC_GPU_HOST_PLAIN_AWAITS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// What becomes of `op` once there are no async functions any more: an await or
/// assertion stands in a plain function, and groups and calls are the same
/// everywhere. All other ops stay. `upstream`: only calls that upstream's
/// runtime has.
void agpu__lower_plain_op(MlirOperation op, bool upstream);

#endif // ASYNC_GPU_HOST_PLAIN_AWAITS_H
