//===- allocation_check.h - Whether an allocation succeeds ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ALLOCATION_CHECK_H
#define ASYNC_GPU_LOWER_ALLOCATION_CHECK_H

#include "lower/ir/ir.h"

#include <stdbool.h>

typedef struct agpu__allocation_check {
  MlirValue ok;    ///< an i1: the sizes fit, and the memory is there
  MlirValue bytes; ///< an i64: those asked for; INT64_MAX where none fit
} agpu__allocation_check;

/// Builds what tells whether `op`, a memref.alloc, .alloca or .realloc, gets
/// its memory: after an alloc, before the others. What depends on it stands
/// directly after the op that gives `ok`. False where there is nothing to
/// check, or `op` has a check.
bool agpu__build_allocation_check(MlirOperation op,
                                  agpu__allocation_check *out_check);

/// Whether the shape alone of what `op` allocates is larger than the address
/// space.
bool agpu__allocation_is_too_large(MlirOperation op);

#endif // ASYNC_GPU_LOWER_ALLOCATION_CHECK_H
