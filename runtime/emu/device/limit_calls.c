//===- limit_calls.c - Limits of a context --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a heap and a buffer for output have is fixed once kernels use them.
// Threads of kernels have stacks of the host: how large they are to be is kept,
// and means nothing.
//
//===----------------------------------------------------------------------===//

#include "emu/device/limits.h"

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/simt/heap.h"
#include "emu/simt/output.h"

#include <stdatomic.h>

/// What a thread has by default, and can have at most.
#define STACK_BYTES ((size_t)1024)
#define MOST_STACK_BYTES ((size_t)512 << 10)

static atomic_size_t stacks[AGPU__EMU_MAX_CONTEXTS]; // 0: the default

static atomic_size_t *own_stack(void) {
  return &stacks[agpu__emu_context_number(agpu__emu_get_context())];
}

static CUresult refuse(const char *what) {
  agpu__emu_note("kernels have used the %s: how large it is has to be set "
                 "before the first launch of one",
                 what);
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuCtxSetLimit(CUlimit limit, size_t value) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  switch ((int)limit) {
  case CU_LIMIT_STACK_SIZE:
    if (value > MOST_STACK_BYTES)
      return CUDA_ERROR_INVALID_VALUE;
    atomic_store_explicit(own_stack(), value, memory_order_relaxed);
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    return agpu__emu_output_set_limit(value) ? CUDA_SUCCESS
                                             : refuse("buffer for output");
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    return agpu__emu_heap_set_limit(value) ? CUDA_SUCCESS : refuse("heap");
  }
  return CUDA_ERROR_UNSUPPORTED_LIMIT;
}

CUresult agpu__emu_cuCtxGetLimit(size_t *value, CUlimit limit) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch ((int)limit) {
  case CU_LIMIT_STACK_SIZE:
    *value = atomic_load_explicit(own_stack(), memory_order_relaxed);
    if (!*value)
      *value = STACK_BYTES;
    return CUDA_SUCCESS;
  case CU_LIMIT_PRINTF_FIFO_SIZE:
    *value = agpu__emu_output_get_limit();
    return CUDA_SUCCESS;
  case CU_LIMIT_MALLOC_HEAP_SIZE:
    *value = agpu__emu_heap_get_limit();
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_UNSUPPORTED_LIMIT;
}

void agpu__emu_limits_end(CUcontext context) {
  agpu__emu_heap_end(context);
  atomic_store_explicit(&stacks[agpu__emu_context_number(context)], 0,
                        memory_order_relaxed);
}
