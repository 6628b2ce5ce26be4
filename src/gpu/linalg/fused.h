//===- fused.h - Ops of linalg in the kernels of others -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_FUSED_H
#define ASYNC_GPU_LINALG_FUSED_H

#include "gpu/linalg/linalg_op.h"
#include "lower/ir/map.h"

/// Makes fills of copies of memory that has been filled with a number, and
/// moves fills to where that memory is used. Fails with a diagnostic.
MlirLogicalResult agpu__linalg_spread_fills(MlirOperation module);

/// Finds what may be part of the kernel of `op`, a reduction: fills and copies
/// of what its outputs begin with, and, if it has one output, an elementwise op
/// that alone reads that. `in_vectors`: the kernel has rows of results as
/// vectors. What stands in between is moved in front of `op`, if need be.
/// Adds them to `fused`.
void agpu__linalg_fuse(agpu__linalg_op *op, bool in_vectors, agpu__map *fused);

/// True if `op` is part of another's kernel.
bool agpu__linalg_is_fused(const agpu__map *fused, MlirOperation op);

/// What else is asked of ops that may be part of a kernel: if `memref` is made
/// by memref.alloc; if `op` touches no memory; if `source`, which is no view,
/// is memory that the function allocates or has from outside, so that two such
/// values are two memories, if one is allocated; if `op` writes each element of
/// one output without reading it.
bool agpu__linalg_is_allocated(MlirValue memref);
bool agpu__linalg_touches_nothing(MlirOperation op);
bool agpu__linalg_is_known(MlirValue source);
bool agpu__linalg_is_pointwise(MlirOperation op);

/// True if `op` puts elements of another memory, or a number, into all of
/// `memref`; then that is stored, with its map.
bool agpu__linalg_is_start(MlirOperation op, MlirValue memref,
                           MlirValue *out_value, MlirAffineMap *out_map);

/// Finds such an op for output `index` of `self`, notes it there and in
/// `fused`. False if there is none.
bool agpu__linalg_find_start(agpu__linalg_op *self, intptr_t index,
                             bool in_vectors, agpu__map *fused);

/// Appends %TO, what output `index` begins with at the iteration that there is:
/// `count` elements side by side, or, 0, one.
void agpu__linalg_print_start(const agpu__linalg_op *op, intptr_t index,
                              const char *to, int count, agpu__text *out);

/// Appends what stores %FROM, what output `index` ends with, or what is
/// computed of it.
void agpu__linalg_print_finish(const agpu__linalg_op *op, intptr_t index,
                               const char *from, int count, agpu__text *out);

/// Appends the declaration of the place of the body of op->finish, if there is
/// one.
void agpu__linalg_declare_finish(const agpu__linalg_op *op, int count,
                                 agpu__text *out);

/// Appends %TO, `count` elements of an operand that are neighbours along
/// `loop`, the same one where it is not indexed by that, or, 0, one.
void agpu__linalg_print_elements(const agpu__linalg_op *op, intptr_t operand,
                                 intptr_t loop, const char *to, int count,
                                 agpu__text *out);

/// True if the body of `op` is of ops that take and give numbers, or, with
/// `in_vectors`, vectors of them.
bool agpu__linalg_has_plain_body(MlirOperation op, bool in_vectors);

/// Builds such a body at `at`, of the operands of `call`, numbers or vectors.
MlirValue agpu__linalg_build_body(agpu__builder *at, MlirOperation op,
                                  MlirOperation call);

#endif // ASYNC_GPU_LINALG_FUSED_H
