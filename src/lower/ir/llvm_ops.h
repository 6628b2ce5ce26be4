//===- llvm_ops.h - Ops of the LLVM dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders for the few LLVM dialect ops that the passes make themselves.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_LLVM_OPS_H
#define ASYNC_GPU_LOWER_LLVM_OPS_H

#include "lower/ir/ir.h"

/// `llvm.mlir.constant` of a typed attribute.
MlirValue agpu__llvm_constant(agpu__builder *at, MlirAttribute value);
MlirValue agpu__llvm_i64(agpu__builder *at, int64_t value);
MlirValue agpu__llvm_bool(agpu__builder *at, bool value);

/// The null pointer.
MlirValue agpu__llvm_null(agpu__builder *at);

/// The address of a global or LLVM function of the module.
MlirValue agpu__llvm_address(agpu__builder *at, const char *symbol);

/// The size of an LLVM type in bytes, as an i64 that folds to a constant.
MlirValue agpu__llvm_size_of(agpu__builder *at, MlirType type);

/// The product and the sum of sizes, i64s that are negative where they are
/// wrong. INT64_MAX stands for all that is larger, or negative.
MlirValue agpu__llvm_multiply_size(agpu__builder *at, MlirValue a, MlirValue b);
MlirValue agpu__llvm_add_size(agpu__builder *at, MlirValue a, MlirValue b);

MlirValue agpu__llvm_undef(agpu__builder *at, MlirType type);

/// `aggregate` with `value` at `position`.
MlirValue agpu__llvm_insert(agpu__builder *at, MlirValue aggregate,
                            MlirValue value, int64_t position);

/// What is at `position` of `aggregate`, of this type.
MlirValue agpu__llvm_extract(agpu__builder *at, MlirValue aggregate,
                             MlirType type, int64_t position);

MlirValue agpu__llvm_load(agpu__builder *at, MlirValue address, MlirType type);
void agpu__llvm_store(agpu__builder *at, MlirValue value, MlirValue address);

/// The builder's location as a `!llvm.ptr` to "file:line:col"; null where the
/// location is unknown.
MlirValue agpu__location_constant(agpu__builder *at, MlirOperation module);

#endif // ASYNC_GPU_LOWER_LLVM_OPS_H
