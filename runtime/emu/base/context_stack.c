//===- context_stack.c - The contexts of a thread -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a thread's stack the top is its current context (context.c), and the rest
// a list. A call that sets the current context replaces the top.
//
//===----------------------------------------------------------------------===//

#include "emu/base/context_stack.h"

#include "base/os/self.h"
#include "emu/base/calls.h"

#include <stdlib.h>

/// A context under the current one.
typedef struct agpu__emu_below {
  struct agpu__emu_below *next;
  CUcontext context;
} below;

static void pop(void) {
  below *next = agpu__self.emu.below;
  agpu__emu_set_context(next ? next->context : NULL);
  if (next)
    agpu__self.emu.below = next->next;
  free(next);
}

/// At the end of a thread.
static void pop_all(void) {
  while (agpu__self.emu.below)
    pop();
}

CUresult agpu__emu_context_push(CUcontext context) {
  CUcontext current = agpu__emu_get_context();
  if (current) {
    below *under = malloc(sizeof *under);
    if (!under || !agpu__self_at_end(AGPU__PART_EMU_CONTEXTS, pop_all)) {
      free(under);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *under = (below){agpu__self.emu.below, current};
    agpu__self.emu.below = under;
  }
  agpu__emu_set_context(context);
  return CUDA_SUCCESS;
}

void agpu__emu_context_pop(void) { pop(); }

CUresult agpu__emu_cuCtxPushCurrent_v2(CUcontext context) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  return agpu__emu_is_context(context) ? agpu__emu_context_push(context)
                                       : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult agpu__emu_cuCtxPopCurrent_v2(CUcontext *context) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  CUcontext current = agpu__emu_get_context();
  if (!current)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = current;
  pop();
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxGetCurrent(CUcontext *context) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = agpu__emu_get_context();
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxSetCurrent(CUcontext context) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  // "If ctx is NULL then this will be equivalent to popping the top of the CUDA
  // context stack (or a no-op if the stack is empty)."
  if (!context)
    pop();
  else if (agpu__emu_is_context(context))
    agpu__emu_set_context(context);
  else
    return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_SUCCESS;
}
