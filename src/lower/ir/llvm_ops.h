//===- llvm_ops.h - Ops of the LLVM dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders for the LLVM dialect ops that the passes make themselves. Pointers
// are in the default address space where nothing else is said.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_LLVM_OPS_H
#define ASYNC_GPU_LOWER_LLVM_OPS_H

#include "lower/ir/build.h"

/// `llvm.mlir.constant` of a typed attribute.
MlirValue agpu__llvm_constant(agpu__builder *at, MlirAttribute value);
MlirValue agpu__llvm_i64(agpu__builder *at, int64_t value);
MlirValue agpu__llvm_i32(agpu__builder *at, int32_t value);
MlirValue agpu__llvm_bool(agpu__builder *at, bool value);

/// The null pointer.
MlirValue agpu__llvm_null(agpu__builder *at);

/// The address of a global or LLVM function of the module.
MlirValue agpu__llvm_address(agpu__builder *at, const char *symbol);

/// The size of an LLVM type in bytes, as an i64 that folds to a constant.
MlirValue agpu__llvm_size_of(agpu__builder *at, MlirType type);

/// What memory for an LLVM type is aligned to, likewise.
MlirValue agpu__llvm_align_of(agpu__builder *at, MlirType type);

/// The product and the sum of sizes, i64s that are negative where they are
/// wrong. INT64_MAX stands for all that is larger, or negative.
MlirValue agpu__llvm_multiply_size(agpu__builder *at, MlirValue a, MlirValue b);
MlirValue agpu__llvm_add_size(agpu__builder *at, MlirValue a, MlirValue b);

MlirValue agpu__llvm_undef(agpu__builder *at, MlirType type);
MlirValue agpu__llvm_poison(agpu__builder *at, MlirType type);

/// `aggregate` with `value` at `position`.
MlirValue agpu__llvm_insert(agpu__builder *at, MlirValue aggregate,
                            MlirValue value, int64_t position);

/// What is at `position` of `aggregate`, of this type.
MlirValue agpu__llvm_extract(agpu__builder *at, MlirValue aggregate,
                             MlirType type, int64_t position);

MlirValue agpu__llvm_load(agpu__builder *at, MlirValue address, MlirType type);
void agpu__llvm_store(agpu__builder *at, MlirValue value, MlirValue address);

/// The address of element `index` of an array of `element` at `base`.
MlirValue agpu__llvm_element(agpu__builder *at, MlirValue base,
                             MlirType element, MlirValue index);

/// The same for a constant index, and for a path into nested aggregates, whose
/// first number counts whole ones.
MlirValue agpu__llvm_element_at(agpu__builder *at, MlirValue base,
                                MlirType element, int32_t index);
MlirValue agpu__llvm_member(agpu__builder *at, MlirValue base, MlirType type,
                            const int32_t *path, size_t length);

/// The address `offset` bytes after `base`.
MlirValue agpu__llvm_byte(agpu__builder *at, MlirValue base, int64_t offset);

/// Memory on the stack for `count` elements (an integer). `alignment` is in
/// bytes; 0: the type's own.
MlirValue agpu__llvm_alloca(agpu__builder *at, MlirType type, MlirValue count,
                            int64_t alignment);

MlirValue agpu__llvm_compare(agpu__builder *at, agpu__predicate predicate,
                             MlirValue a, MlirValue b);
MlirValue agpu__llvm_select(agpu__builder *at, MlirValue condition, MlirValue a,
                            MlirValue b);

/// `llvm.br` and `llvm.cond_br` (`values` go to `yes`).
void agpu__llvm_branch(agpu__builder *at, MlirBlock to, const MlirValue *values,
                       size_t count);
MlirOperation agpu__llvm_branch_if(agpu__builder *at, MlirValue condition,
                                   MlirBlock yes, const MlirValue *values,
                                   size_t count, MlirBlock no);

/// A copy of `bytes` (i64) from one place to another that does not overlap.
void agpu__llvm_copy(agpu__builder *at, MlirValue to, MlirValue from,
                     MlirValue bytes);

/// `llvm.return` of `value`; of nothing where that is null.
void agpu__llvm_return(agpu__builder *at, MlirValue value);

#endif // ASYNC_GPU_LOWER_LLVM_OPS_H
