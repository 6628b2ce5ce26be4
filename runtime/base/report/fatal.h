//===- fatal.h - The end of a program that failed ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two documented ends (an error that reaches an await outside any
// coroutine, an error that no one observed) and memory that is out come here.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_REPORT_FATAL_H
#define ASYNC_GPU_RUNTIME_BASE_REPORT_FATAL_H

#include "async_gpu/status.h"

#include "base/os/platform.h"

#include <stdbool.h>

/// Prints "LOCATION: error: MESSAGE" and ends the process with `exit_status`,
/// once: where several threads fail at the same time, the first prints and
/// ends the process and the others sleep until it does. LOCATION is the
/// status's, else `fallback_location`; without either the line starts with
/// "error:". Standard output is flushed before the message, other files of
/// stdio after it, each for one second at most: nobody may read a pipe, and a
/// thread may hold a file.
/// Handlers of `atexit` do not run, but agpu__fatal_set_last_act's does.
/// `status` is not NULL; it is not released.
AGPU__SHARED _Noreturn void
agpu__fatal(agpu_status status, const char *fallback_location, int exit_status);

/// Has `act` called between the message and the end, on a thread of its own,
/// for five seconds at most. Any thread; the last one counts.
void agpu__fatal_set_last_act(void (*act)(void));

/// Has `act` called with the exit status after that, on a thread of its own,
/// for five seconds at most: it may end the process. Any thread; the last one
/// counts.
AGPU__SHARED void agpu__fatal_set_final_act(void (*act)(int exit_status));

/// For the last act, before it gives memory back that other threads may be
/// using: from now on a thread that touches memory that is gone sleeps until
/// the process ends.
void agpu__fatal_ignore_faults(void);

/// `of` is asked about each such fault at first, in the signal handler: true
/// where the thread can go on. Work of the emulated device that the end waits
/// for is not stopped by its own.
void agpu__fatal_set_resolve_fault(bool (*of)(const void *info, void *context));

/// Whether a thread has begun to end the process by one of the functions here.
bool agpu__fatal_has_begun(void);

/// Sleeps until the process ends, if a thread has begun to end it by one of the
/// functions here.
void agpu__fatal_wait_if_ending(void);

/// In the child of a fork: the parent's end is not the child's.
void agpu__fatal_forget(void);

/// agpu__fatal for memory that is out: `bytes` could not be had for `what`.
AGPU__SHARED _Noreturn void agpu__fatal_out_of_memory(const char *what,
                                                      long long bytes);

/// Has `of` called after the last act: it writes what has been recorded, and
/// does not block. Any thread.
void agpu__fatal_set_trace(void (*of)(void));

#endif // ASYNC_GPU_RUNTIME_BASE_REPORT_FATAL_H
