//===- thread_state.h - Threads as the kernel sees them -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_THREAD_STATE_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_THREAD_STATE_H

/// The state of a thread of the process: 'S' sleeps, 'R' runs or waits for a
/// CPU. `task` is its number; '\0': it is gone.
char agpu__emu_thread_state(const char *task);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_THREAD_STATE_H
