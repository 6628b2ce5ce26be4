//===- half_range.h - Integers beyond the range of f16 ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_HALF_RANGE_H
#define ASYNC_GPU_LOWER_HALF_RANGE_H

#include "llvm-c/Types.h"

/// Limits what `ir` converts to f16 to numbers that decide the result, so that
/// LLVM 22 does not take an integer that becomes infinity for one that f16 has.
/// For IR that is not optimised yet.
void agpu__limit_half_conversions(LLVMModuleRef ir);

#endif // ASYNC_GPU_LOWER_HALF_RANGE_H
