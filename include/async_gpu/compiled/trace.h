//===- trace.h - Names of a program's regions ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled programs tell traces of themselves: which code is which region
// of the source. A program registers its table when it is loaded, and takes it
// back before it is released; nothing calls it in between.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_TRACE_H
#define ASYNC_GPU_COMPILED_TRACE_H

#include "async_gpu/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One region, by the function that its tasks run.
typedef struct agpu_trace_name {
  /// What the first word of a task's handle points to: the part of a coroutine
  /// that resumes, or the body of a call that waits until work is enqueued.
  const void *code;
  const char *name; ///< as the user knows it; not NULL
  const char *file; ///< or NULL
  uint32_t line, column;
  int32_t region; ///< its number in the plan; -1: none
  int32_t stream; ///< that of its stream there; -1: none
} agpu_trace_name;

/// A program's table. Its memory stays where it is while it is registered.
typedef struct agpu_trace_names {
  /// The function that a task of the program is given together with a
  /// coroutine's handle.
  void (*resume)(void *handle);
  const agpu_trace_name *names;
  uint64_t count;
  struct agpu_trace_names *next; ///< the runtime's
} agpu_trace_names;

/// Registers a table. Any thread.
AGPU_EXPORT void agpu_trace_names_add(agpu_trace_names *table);

/// Takes it back: the program's code and constants may go. Traces keep what
/// they need of them. Any thread, when none of the program's tasks is left.
AGPU_EXPORT void agpu_trace_names_remove(agpu_trace_names *table);

// What programs call that were lowered with `trace`. Any thread.

/// The region `name`, which is no task, runs from here to the next
/// agpu_trace_end of the thread that no other begin takes.
AGPU_EXPORT void agpu_trace_begin(const agpu_trace_name *name);
AGPU_EXPORT void agpu_trace_end(void);

/// What agpu_start_here is about to be asked for is the region `name`.
AGPU_EXPORT void agpu_trace_here(const agpu_trace_name *name);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_TRACE_H
