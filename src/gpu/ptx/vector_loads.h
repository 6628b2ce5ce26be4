//===- vector_loads.h - Loads that read too much -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_VECTOR_LOADS_H
#define ASYNC_GPU_GPU_VECTOR_LOADS_H

#include "llvm-c/Types.h"

/// Where `module` loads vectors that LLVM may widen, makes the size of each
/// variable, a global or on the stack, a multiple of its alignment, up to that
/// of the widest access. For IR that is not optimised any more.
void agpu__pad_variables(LLVMModuleRef module);

/// Replaces the masked loads of `module` whose masks are constant by loads of
/// the lanes that are on. For IR that is not optimised any more.
void agpu__expand_masked_loads(LLVMModuleRef module);

#endif // ASYNC_GPU_GPU_VECTOR_LOADS_H
