//===- twins.h - Values that stand for others -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TWINS_H
#define ASYNC_GPU_LOWER_TWINS_H

#include "lower/ir/map.h"
#include "lower/ir/ops.h"

/// Zero-initialise; free with agpu__twins_free.
typedef struct agpu__twins {
  agpu__map numbers; ///< of values with a twin, in `twins`
  agpu__values twins;
} agpu__twins;

/// The twin of `value`; a null value: it has none.
MlirValue agpu__twins_get(const agpu__twins *self, MlirValue value);
void agpu__twins_set(agpu__twins *self, MlirValue value, MlirValue twin);
void agpu__twins_free(agpu__twins *self);

#endif // ASYNC_GPU_LOWER_TWINS_H
