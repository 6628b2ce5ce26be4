//===- crash.h - A word before the end ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_CRASH_H
#define ASYNC_GPU_TOOLS_CRASH_H

#include <stdint.h>

/// Has the process say what crashed before it ends by a signal: the compiler,
/// of which it names the input and what it was doing (lower/pass/progress.h),
/// after which the exit status is 1; or, from agpu__crash_program_runs() on,
/// the program, which then ends by the signal. Temporary files are removed.
/// `tool` and the string below have to live on.
void agpu__crash_watch(const char *tool);

/// The file that is compiled, for the message.
void agpu__crash_set_input(const char *name);
void agpu__crash_program_runs(void);

/// What is written to the file `path` if the compiler crashes; NULL: nothing.
/// `text` lives until the next call.
void agpu__crash_set_reproducer(const char *path, const char *text);

/// The same, and `describe` says in words which code of the program is at an
/// address, or NULL; it is called in the handler, with `data`.
void agpu__crash_describe_code(const char *(*describe)(const void *data,
                                                       uintptr_t address),
                               const void *data);

#endif // ASYNC_GPU_TOOLS_CRASH_H
