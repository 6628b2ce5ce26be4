//===- structors.h - Global constructors and destructors --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ORC's C API has no call that runs a module's `llvm.global_ctors`, so the JIT
// takes the lists out and calls the functions by name.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_STRUCTORS_H
#define ASYNC_GPU_HOST_STRUCTORS_H

#include "llvm-c/Core.h"

#include <stddef.h>

/// Names of functions, in the order in which they are to be called.
typedef struct agpu__structors {
  char **constructors;
  size_t constructor_count;
  char **destructors;
  size_t destructor_count;
} agpu__structors;

/// Takes both lists out of `ir` and makes the functions visible by name.
void agpu__structors_take(LLVMModuleRef ir, agpu__structors *out_structors);

void agpu__structors_free(agpu__structors *structors);

#endif // ASYNC_GPU_HOST_STRUCTORS_H
