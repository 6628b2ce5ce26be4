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

#ifndef ASYNC_GPU_RUNTIME_BASE_FATAL_H
#define ASYNC_GPU_RUNTIME_BASE_FATAL_H

#include "async_gpu/status.h"

/// Prints "LOCATION: error: MESSAGE" and ends the process with `exit_status`,
/// once: where several threads fail at the same time, the first prints and
/// ends the process and the others sleep until it does. LOCATION is the
/// status's, else `fallback_location`; without either the line starts with
/// "error:". Standard output is flushed before the message, other files of
/// stdio after it (for one second at most, since a thread may hold one).
/// Handlers of `atexit` do not run. `status` is not NULL; it is not released.
_Noreturn void agpu__fatal(agpu_status status, const char *fallback_location,
                           int exit_status);

/// agpu__fatal for memory that is out: `bytes` could not be had for `what`.
_Noreturn void agpu__fatal_out_of_memory(const char *what, long long bytes);

#endif // ASYNC_GPU_RUNTIME_BASE_FATAL_H
