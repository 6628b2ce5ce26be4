//===- write.h - Whole writes to standard error -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_WRITE_H
#define ASYNC_GPU_RUNTIME_BASE_OS_WRITE_H

#include "base/os/platform.h"

#include <stddef.h>

/// Writes `size` bytes to file descriptor 2, past stdio, in one system call
/// where the descriptor takes them in one. Failures are ignored: there is no
/// one left to tell. Any thread.
AGPU__SHARED void agpu__write_stderr(const char *text, size_t size);

/// Writes one line so, "LOCATION: KIND: TEXT", which is cut where it is too
/// long; without a location, which may be NULL or empty, "KIND: TEXT".
void agpu__write_line(const char *location, const char *kind, const char *text);

#endif // ASYNC_GPU_RUNTIME_BASE_OS_WRITE_H
