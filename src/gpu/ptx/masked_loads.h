//===- masked_loads.h - Loads of some lanes ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MASKED_LOADS_H
#define ASYNC_GPU_GPU_MASKED_LOADS_H

#include "llvm-c/Types.h"

/// Replaces the masked loads of `module` whose masks are constant by loads of
/// the lanes that are on. For IR that is not optimised any more.
void agpu__expand_masked_loads(LLVMModuleRef module);

#endif // ASYNC_GPU_GPU_MASKED_LOADS_H
