//===- fault_context.h - Where a signal has come from -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a handler of SIGSEGV reads and writes of the thread's registers. Can be
// called in a signal handler.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_FAULT_CONTEXT_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_FAULT_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

/// The instruction that has faulted.
uintptr_t agpu__emu_fault_code(const ucontext_t *context);

/// "reads", "writes", or "touches" where nothing says which.
const char *agpu__emu_fault_verb(const ucontext_t *context);

/// Has the thread go on in `next`, which does not return, as if the code had
/// called it.
void agpu__emu_fault_leave_for(void (*next)(void), ucontext_t *context);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_FAULT_CONTEXT_H
