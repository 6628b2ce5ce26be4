//===- llvm_access.h - Ops of the LLVM dialect that access memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program that checks its accesses has to know of an op: where it
// accesses memory, how many bytes, and how. Loads, stores, atomic operations,
// copies and fills, and the masked and scattered accesses of vectors.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_LLVM_ACCESS_H
#define ASYNC_GPU_LOWER_LLVM_ACCESS_H

#include "lower/ir/build.h"

/// One access, for a visitor that builds code in front of the op.
typedef struct agpu__access {
  MlirOperation op;
  MlirValue address; ///< `!llvm.ptr`
  MlirValue bytes;   ///< i64; 0 where a masked-out lane accesses nothing
  MlirType type;     ///< of the value; null for a copy or a fill
  uint32_t flags;    ///< agpu_native_access, without AGPU_NATIVE_SHARED
} agpu__access;

/// Whether the op accesses memory in a way that agpu__visit_accesses knows.
/// Stores which operand is its address; -1 for a copy, which has two.
bool agpu__is_access(MlirOperation op, intptr_t *out_address);

/// True if `address` is seen to be in a variable: of the function's own
/// (llvm.alloca), or a global one.
bool agpu__is_variable(MlirValue address);

/// Calls `visit` for each access that `op` makes, with a builder before it; the
/// op then takes the address that it returns (the same, or another for the same
/// memory). `wants` is asked first, before code is built for an address.
void agpu__visit_accesses(MlirOperation op,
                          bool (*wants)(MlirValue address, void *data),
                          MlirValue (*visit)(agpu__builder *at,
                                             const agpu__access *access,
                                             void *data),
                          void *data);

#endif // ASYNC_GPU_LOWER_LLVM_ACCESS_H
