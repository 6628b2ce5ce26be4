//===- sort.h - Sorting in place -----------------------------------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_SORT_H
#define ASYNC_GPU_TOOLS_TRACE_SORT_H

#include "trace/array.h"

typedef bool agpu__is_before(const void *a, const void *b);

/// Sorts elements of `size` bytes so that none `is_before` one in front of it.
/// Signal-safe.
void agpu__array_sort(agpu__trace_array *array, size_t size,
                      agpu__is_before *is_before);

#endif // ASYNC_GPU_TOOLS_TRACE_SORT_H
