//===- bare_pointers.h - Memrefs as pointers -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calling convention of kernels, which those who compile a kernel and those
// who launch it have to agree on: a memref argument is its descriptor, member
// by member, or one pointer. The pointer is that of the allocation, aligned: a
// static offset is part of the type, and the kernel adds it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_BARE_POINTERS_H
#define ASYNC_GPU_GPU_BARE_POINTERS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stddef.h>

#define AGPU__BARE_POINTERS "bare-pointers"

/// The option of the passes that have to agree.
#define AGPU__BARE_POINTERS_OPTION                                             \
  {AGPU__BARE_POINTERS, AGPU_OPTION_BOOL, "false",                             \
   "Pass memrefs to kernels as one pointer each instead of as descriptors; "   \
   "their sizes, strides and offset must be static."}

/// Fails with an error at `location` that names `what` ("kernel argument") and
/// its number where `type` is a memref whose pointer does not say all about it.
MlirLogicalResult agpu__check_bare_pointer(MlirLocation location,
                                           const char *what, size_t number,
                                           MlirType type);

#endif // ASYNC_GPU_GPU_BARE_POINTERS_H
