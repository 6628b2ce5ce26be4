//===- result.h - Results, and what is said of them ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A note of what the calling thread found wrong goes to the log, and into the
// text of the result that its call returns (or that becomes sticky, on a
// stream's thread).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_RESULT_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_RESULT_H

#include "driver_api/functions.h"

/// The result of that name; CUDA_SUCCESS where there is none.
CUresult agpu__emu_find_error(const char *name);

/// Its text; NULL where there is no such result.
const char *agpu__emu_get_error_text(CUresult error);

/// Makes a note, in printf form. Forgotten when the thread's next call begins.
void agpu__emu_note(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// What was noted last on this thread, or "".
const char *agpu__emu_get_note(void);
void agpu__emu_clear_note(void);

/// "<text>: <what>", good until the thread's next call; `text` where there is
/// no memory.
const char *agpu__emu_join_note(const char *text, const char *what);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_RESULT_H
