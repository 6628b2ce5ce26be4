//===- progress.h - What the compiler is at -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PROGRESS_H
#define ASYNC_GPU_LOWER_PROGRESS_H

/// What this thread's part of the compiler is doing, as words that follow
/// "while" ("reading the file"), or NULL. For a message that says where
/// it ended, a signal handler too: the strings are read, nothing else.
const char *agpu__progress_get(void);

/// The pass of ours that runs, or NULL.
const char *agpu__progress_get_pass(void);

/// What the former begins with while one does.
#define AGPU__PROGRESS_PASS "it ran the pass "

/// The pass of upstream's that runs inside of it, or NULL.
const char *agpu__progress_get_detail(void);

/// The op that it runs on where there may be several ("'gpu.module' @kernels"),
/// or NULL.
const char *agpu__progress_get_op(void);

/// Returns what was set before, to be set again at the end. The string has to
/// live until then. The detail and the op are NULL afterwards.
const char *agpu__progress_set(const char *what);
void agpu__progress_set_detail(const char *detail);
void agpu__progress_set_op(const char *op);

/// What is set while code of the program runs on a thread that compiles.
extern const char agpu__progress_program[];

#endif // ASYNC_GPU_LOWER_PROGRESS_H
