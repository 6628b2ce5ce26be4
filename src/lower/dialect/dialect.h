//===- dialect.h - The `agpu` dialect ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops between "async and gpu" and "runtime calls". They exist only inside
// the pipeline: async-gpu-regions makes them and async-gpu-runtime-calls takes
// them away. The C API cannot define a dialect in C++, so it is defined in
// IRDL, which also lets mlir-opt read our intermediate IR with --irdl-file.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_DIALECT_H
#define ASYNC_GPU_LOWER_DIALECT_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Loads the dialect into a context that has loaded those of upstream's that it
/// refers to.
/// Call once for each context, before parsing. Fails only on a defect of ours,
/// with a diagnostic.
MlirLogicalResult agpu__dialect_load(MlirContext context);

/// The type `!agpu.stream`.
MlirType agpu__stream_type(MlirContext context);

#endif // ASYNC_GPU_LOWER_DIALECT_H
