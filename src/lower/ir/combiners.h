//===- combiners.h - Ops that reductions combine with -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_COMBINERS_H
#define ASYNC_GPU_LOWER_COMBINERS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// The number that changes nothing when it is combined with another.
typedef enum agpu__neutral {
  AGPU__NEUTRAL_NONE, ///< there is none: maxnumf of NaN and any number is that
  AGPU__NEUTRAL_ZERO,
  AGPU__NEUTRAL_MINUS_ZERO, ///< of sums of floats: -0.0 + 0.0 is 0.0
  AGPU__NEUTRAL_ONE,
  AGPU__NEUTRAL_LOWEST, ///< of floats, minus infinity
  AGPU__NEUTRAL_HIGHEST,
  AGPU__NEUTRAL_ALL_ONES,
} agpu__neutral;

/// An op of two operands, whose order does not matter, as what a reduction
/// combines with.
typedef struct agpu__combiner {
  const char *op;
  const char *kind; ///< what gpu.all_reduce calls it; NULL: not used there
  agpu__neutral neutral;
  bool takes_twice; ///< what has been combined may be so once more
} agpu__combiner;

/// What is known of `op`; NULL: it is no such op.
const agpu__combiner *agpu__find_combiner(MlirOperation op);

/// The combiner's neutral element as a constant of `type` ("f32", "i64") is
/// written, which the caller frees. NULL: it has none, or the type is not known
/// here.
char *agpu__neutral_text(const agpu__combiner *combiner, const char *type);

#endif // ASYNC_GPU_LOWER_COMBINERS_H
