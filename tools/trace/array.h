//===- array.h - Arrays of who reads a trace ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight from the system, as tables (base/trace/arena.h): a trace is read in
// a signal handler, too.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_ARRAY_H
#define ASYNC_GPU_TOOLS_TRACE_ARRAY_H

#include "base/trace/arena.h"

/// An array that grows, of elements of one size. All zero at first.
typedef struct agpu__trace_array {
  void *data;
  size_t count, capacity;
} agpu__trace_array;

/// Makes room for `more` elements of `size` bytes. False where memory is out.
bool agpu__trace_array_reserve(agpu__trace_array *array, size_t size,
                               size_t more);

/// Adds one element, all zero, and returns it; NULL where memory is out.
void *agpu__trace_array_add(agpu__trace_array *array, size_t size);

void agpu__trace_array_free(agpu__trace_array *array, size_t size);

#endif // ASYNC_GPU_TOOLS_TRACE_ARRAY_H
