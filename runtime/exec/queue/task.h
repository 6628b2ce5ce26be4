//===- task.h - What the executor runs --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_QUEUE_TASK_H
#define ASYNC_GPU_RUNTIME_EXEC_QUEUE_TASK_H

#include <stdbool.h>
#include <stdint.h>

/// A suspended coroutine, or anything else: `resume(handle)` is called once,
/// on some thread. The handle is the caller's: any bits.
typedef struct agpu__task {
  void *handle;
  void (*resume)(void *handle);
} agpu__task;

/// The highest bit of an address, which no code of a program has.
#define AGPU__TASK_BRIEF ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1))

/// Marks a task that takes a moment: it neither blocks nor spawns, so that a
/// thread that waits can run it itself. The mark is a bit of the function's
/// address, since handles are not ours to look at.
static inline agpu__task agpu__task_as_brief(agpu__task task) {
  task.resume = (void (*)(void *))((uintptr_t)task.resume | AGPU__TASK_BRIEF);
  return task;
}

static inline bool agpu__task_is_brief(agpu__task task) {
  return ((uintptr_t)task.resume & AGPU__TASK_BRIEF) != 0;
}

/// The names of a task, which are the caller's: so many numbers from `first`.
/// Where these are none, `first` does not matter.
static inline uint64_t agpu__names(uint32_t first, uint32_t count) {
  return (uint64_t)count << 32 | first;
}

static inline bool agpu__is_named(uint64_t names, uint32_t name) {
  return name - (uint32_t)names < (uint32_t)(names >> 32);
}

/// What a thread outside waits for, among the tasks that it has queued itself:
/// the one of this name (0: none), and those with `count` tickets from `first`.
/// A ticket says where a task was queued; it has AGPU__TICKET_BITS bits, and is
/// not 0.
#define AGPU__TICKET_BITS 48
typedef struct agpu__wanted {
  uint64_t first, count;
  uint32_t name;
} agpu__wanted;

/// Runs it.
static inline void agpu__task_run(agpu__task task) {
  ((void (*)(void *))((uintptr_t)task.resume & ~AGPU__TASK_BRIEF))(task.handle);
}

#endif // ASYNC_GPU_RUNTIME_EXEC_QUEUE_TASK_H
