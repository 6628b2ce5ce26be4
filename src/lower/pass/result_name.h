//===- result_name.h - What the source calls a result -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's parser forgets the names of values. Regions keep one, so that remarks,
// pictures and traces can call them by it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_RESULT_NAME_H
#define ASYNC_GPU_LOWER_RESULT_NAME_H

#include "mlir-c/Support.h"

/// The name of the last result, of those that have one that is no number, of
/// the op that stands at `op` in `text`: "squares" of `%0, %squares =
/// async.execute`. It is in the text; empty where there is none.
MlirStringRef agpu__result_name(const char *text, const char *op);

#endif // ASYNC_GPU_LOWER_RESULT_NAME_H
