//===- context_stack.h - The contexts of a thread -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_STACK_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_STACK_H

#include "emu/base/context.h"

/// The context becomes the calling thread's current one, and the one that was
/// is below it on its stack. OUT_OF_MEMORY: nothing has changed.
CUresult agpu__emu_context_push(CUcontext context);

/// The one below the current one is current again; none where there is none.
void agpu__emu_context_pop(void);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_STACK_H
