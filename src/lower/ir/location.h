//===- location.h - Places in the source -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which place in a file a location stands for, and errors at one.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_LOCATION_H
#define ASYNC_GPU_LOWER_LOCATION_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// A place in a file. `file.data` is NULL where it is unknown.
typedef struct agpu__place {
  MlirStringRef file;
  int line, column;
} agpu__place;

/// The place that `location` stands for: of a name, what is named; of a call,
/// the callee; of several that are fused, the first that is known.
agpu__place agpu__place_of(MlirLocation location);

/// The name that the source gives what stands at `location` (`loc("x"(...))`);
/// empty: none.
MlirStringRef agpu__name_of(MlirLocation location);

/// "file:line:col" of that place, "" where it is unknown. The caller frees it.
char *agpu__location_text(MlirLocation location);

/// Emits `error: ...` at a location, in printf form, and returns
/// failure, so that `return agpu__error(...)` reads well.
MlirLogicalResult agpu__error(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // ASYNC_GPU_LOWER_LOCATION_H
