//===- heap.h - malloc in kernels ---------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each context has a heap for its kernels (CU_LIMIT_MALLOC_HEAP_SIZE).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_HEAP_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_HEAP_H

#include "driver_api/functions.h"

#include <stdbool.h>
#include <stddef.h>

/// How large the heap of the calling thread's context is; and sets that. False:
/// kernels have used it. Any thread.
size_t agpu__emu_heap_get_limit(void);
bool agpu__emu_heap_set_limit(size_t bytes);

/// The context ends, and no kernel runs in it: the next one has a heap of the
/// default's size.
void agpu__emu_heap_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_HEAP_H
