//===- reference_ops.h - What ops do with references -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_REFERENCE_OPS_H
#define ASYNC_GPU_HOST_REFERENCE_OPS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// How many references of `value` the op takes: one for each operand that is
/// `value` and whose reference the op hands over or keeps.
int64_t agpu__references_taken(MlirOperation op, MlirValue value);

/// The op's object results come with a reference. The results of all others
/// (a select, a cast, a load) are aliases and get one of their own.
bool agpu__gives_references(MlirOperation op);

/// The value is a result that the function around it completes (attributes.h):
/// of its references, the function has none to count.
bool agpu__is_own_result(MlirValue value);

#endif // ASYNC_GPU_HOST_REFERENCE_OPS_H
