//===- vector_reduction.h - Reductions of vectors -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_VECTOR_REDUCTION_H
#define ASYNC_GPU_LINALG_VECTOR_REDUCTION_H

#include "gpu/linalg/linalg_op.h"

#include "lower/ir/combiners.h"

/// Appends the kernel of a reduction by one op, `how`, whose terms are
/// neighbours in memory, and its launch, as agpu__linalg_replace takes them
/// then. False, and nothing is appended, where they are not.
bool agpu__linalg_vector_reduction(agpu__linalg_op *op,
                                   const agpu__linalg_loops *results,
                                   const agpu__linalg_loops *reductions,
                                   const agpu__combiner *how,
                                   const char *neutral, const char *type,
                                   agpu__text *out);

#endif // ASYNC_GPU_LINALG_VECTOR_REDUCTION_H
