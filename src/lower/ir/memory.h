//===- memory.h - Memory that is there -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler has nothing to say when memory is out, as LLVM has not: the
// process ends.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_MEMORY_H
#define ASYNC_GPU_LOWER_MEMORY_H

#include <stddef.h>

/// Says on standard error that memory is out, and ends the process as LLVM does
/// where that happens, by abort(). async-gpu-report, which is without LLVM, has
/// one of its own that exits.
_Noreturn void agpu__out_of_memory(void);

/// `count` elements of `bytes`, all zero; never NULL. The caller frees them.
void *agpu__allocate(size_t count, size_t bytes);

/// `data`, an array of `count` elements of `bytes` with room for `*capacity`,
/// with room for another one.
void *agpu__grow(void *data, size_t count, size_t *capacity, size_t bytes);

/// Makes room for another element in `array`, in place.
#define AGPU__GROW(array, count, capacity)                                     \
  ((array) = agpu__grow(array, count, &(capacity), sizeof(*(array))))

#endif // ASYNC_GPU_LOWER_MEMORY_H
