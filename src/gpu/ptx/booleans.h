//===- booleans.h - Conversions of single bits ------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_BOOLEANS_H
#define ASYNC_GPU_GPU_BOOLEANS_H

#include "llvm-c/Types.h"

/// Replaces the conversions of `module` between i1 and floats, of scalars and
/// of vectors, by selections and comparisons. For IR that is not optimised any
/// more.
void agpu__convert_booleans(LLVMModuleRef module);

#endif // ASYNC_GPU_GPU_BOOLEANS_H
