//===- origins.h - Where results of functions come from -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_ORIGINS_H
#define ASYNC_GPU_GPU_MEMORY_ORIGINS_H

#include "gpu/memory/objects.h"

/// Where a result of a function comes from.
typedef struct agpu__origin {
  /// Memory of the host that the function has allocated and that nothing else
  /// leads to but other results of the same number; 0: it is not.
  size_t own;
  bool is_given;   ///< it is one of the arguments
  bool *arguments; ///< which of them it may be
} agpu__origin;

/// Of each result of the function.
typedef struct agpu__origins {
  agpu__origin *data;
  size_t count;
} agpu__origins;

/// Free with agpu__origins_free.
void agpu__origins_create(MlirOperation function, const agpu__objects *objects,
                          agpu__origins *out_origins);
void agpu__origins_free(agpu__origins *origins);

/// True if result `number` of the call, of a function with these origins, is
/// the caller's alone: its own memory, which is that of no other result, or
/// which the caller frees as it frees those.
bool agpu__owns_result(const agpu__origins *origins, MlirOperation call,
                       intptr_t number);

#endif // ASYNC_GPU_GPU_MEMORY_ORIGINS_H
