//===- task.h - What the executor runs --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_TASK_H
#define ASYNC_GPU_RUNTIME_EXEC_TASK_H

/// A suspended coroutine, or anything else: `resume(handle)` is called once,
/// on some thread.
typedef struct agpu__task {
  void *handle;
  void (*resume)(void *handle);
} agpu__task;

#endif // ASYNC_GPU_RUNTIME_EXEC_TASK_H
