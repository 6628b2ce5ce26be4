//===- address_space.h - One address space ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the host all memory of the emulated device lies in one address space.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ADDRESS_SPACE_H
#define ASYNC_GPU_GPU_ADDRESS_SPACE_H

#include "mlir-c/IR.h"

/// Moves every pointer and global inside `root`, which holds LLVM dialect ops
/// only, to address space 0. Casts between address spaces go away.
void agpu__flatten_address_spaces(MlirOperation root);

/// Gives every memref in `root` whose memory space is one of the gpu dialect's
/// (global, workgroup, private) the number that NVVM has for it, which is all
/// that upstream's conversion of vectors understands.
void agpu__number_address_spaces(MlirOperation root);

#endif // ASYNC_GPU_GPU_ADDRESS_SPACE_H
