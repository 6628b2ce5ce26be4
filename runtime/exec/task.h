//===- task.h - What the executor runs --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_TASK_H
#define ASYNC_GPU_RUNTIME_EXEC_TASK_H

#include <stdbool.h>
#include <stdint.h>

/// A suspended coroutine, or anything else: `resume(handle)` is called once,
/// on some thread. Handles are even.
typedef struct agpu__task {
  void *handle;
  void (*resume)(void *handle);
} agpu__task;

/// Marks a task that takes a moment: it neither blocks nor spawns, so that a
/// thread that waits can run it itself. The mark is the lowest bit of the
/// handle, which is even.
static inline agpu__task agpu__task_as_brief(agpu__task task) {
  task.handle = (void *)((uintptr_t)task.handle | 1);
  return task;
}

static inline bool agpu__task_is_brief(agpu__task task) {
  return ((uintptr_t)task.handle & 1) != 0;
}

/// Runs it.
static inline void agpu__task_run(agpu__task task) {
  task.resume((void *)((uintptr_t)task.handle & ~(uintptr_t)1));
}

#endif // ASYNC_GPU_RUNTIME_EXEC_TASK_H
