//===- convention.h - How kernels are called -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calling convention of kernels, on which the code that compiles a kernel
// and the code that launches it have to agree. Parameters are those of the
// lowered llvm.func, one pointer each in a launch:
//   - a memref of rank r: allocated pointer, aligned pointer, i64 offset, r i64
//     sizes, r i64 strides (3 + 2r parameters; rank 0 has 3); as a bare
//     pointer, the aligned one alone: a static offset is part of the type, and
//     the kernel adds it;
//   - a memref without rank: i64 rank, pointer to its descriptor;
//   - index: i64; iN, f16, bf16, f32, f64 and pointers: themselves (i1 is one
//     byte, 0 or 1); eight-bit floats: i8;
//   - vector<NxT>: itself; a vector of more dimensions: an LLVM array of
//     vectors; complex<T>: an LLVM structure of two T.
// The values may lie at any address, aligned or not.
//
// Whether memrefs are bare pointers stands on the program's module, as
// agpu.convention. The first pass that has the option writes it, and who
// launches reads it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_CONVENTION_H
#define ASYNC_GPU_GPU_CONVENTION_H

#include "lower/pass/pass.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU__BARE_POINTERS "bare-pointers"

/// The option of the passes that lower kernels.
#define AGPU__BARE_POINTERS_OPTION                                             \
  {AGPU__BARE_POINTERS, AGPU_OPTION_BOOL, "false",                             \
   "Pass memrefs to kernels as one pointer each instead of as descriptors; "   \
   "their sizes, strides and offset must be static."}

/// Reads the option and records it on `module`, the program's. Fails with a
/// diagnostic there where a pass before has recorded another convention.
MlirLogicalResult agpu__convention_set(MlirOperation module,
                                       const agpu_pass_values *values,
                                       bool *out_bare);

/// What is recorded; descriptors where nothing is.
bool agpu__convention_is_bare(MlirOperation module);

/// Once no launch is left.
void agpu__convention_forget(MlirOperation module);

/// What a parameter is of its argument.
typedef enum agpu__part {
  AGPU__PART_VALUE,      ///< all of it
  AGPU__PART_ALLOCATED,  ///< of a memref's descriptor
  AGPU__PART_ALIGNED,    ///< likewise, and a bare pointer
  AGPU__PART_OFFSET,     //
  AGPU__PART_SIZE,       ///< of a dimension
  AGPU__PART_STRIDE,     //
  AGPU__PART_RANK,       ///< of a memref without one in its type
  AGPU__PART_DESCRIPTOR, ///< its address, likewise
} agpu__part;

/// How an argument is passed: the rank of a memref that is its descriptor, part
/// by part, or one of these.
enum {
  AGPU__PASSED_PLAIN = -1,        ///< as it is
  AGPU__PASSED_BARE_POINTER = -2, ///< a memref
  AGPU__PASSED_UNRANKED = -3,     ///< a memref without a rank in its type
};
int agpu__passed_as(MlirType type, bool bare);

/// How many parameters an argument makes that is passed so.
size_t agpu__parameter_count(int passed);

/// What number `index` of them is. `out_dimension` receives that of a size or a
/// stride, else -1.
agpu__part agpu__parameter_part(int passed, size_t index,
                                int32_t *out_dimension);

/// The number of the one by which a kernel gets at the memory of a memref: the
/// aligned pointer, or the address of the descriptor. 0 for other arguments.
size_t agpu__parameter_address(int passed);

/// Fails with an error at `location` that names `what` ("kernel argument") and
/// its number where `type` is a memref whose pointer does not say all about it.
MlirLogicalResult agpu__check_bare_pointer(MlirLocation location,
                                           const char *what, size_t number,
                                           MlirType type);

#endif // ASYNC_GPU_GPU_CONVENTION_H
