//===- progress_line.h - What takes so long ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a terminal, what takes longer than two seconds has a line on stderr that
// says what is done and for how long. It goes when something else is printed.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_PROGRESS_LINE_H
#define ASYNC_GPU_TOOLS_PROGRESS_LINE_H

/// From now on the line may be shown, where stderr is a terminal; `reads` what
/// its user types into, it is not. Uses SIGALRM.
void agpu__progress_line_begin(const char *tool, const char *reads);

/// What is done where no pass runs: "drawing". The string has to live on.
void agpu__progress_line_set(const char *what);

/// Before anything is printed: the line goes, and may come again.
void agpu__progress_line_clear(void);

/// The line goes for good, and SIGALRM is as it was. Before code of a program
/// runs.
void agpu__progress_line_end(void);

#endif // ASYNC_GPU_TOOLS_PROGRESS_LINE_H
