//===- write.c - Whole writes to standard error -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Past stdio, whose locks a thread that is gone or asleep may hold; so messages
// come out at the end of a process, and from signal handlers.
//
//===----------------------------------------------------------------------===//

#include "base/os/write.h"

#include <errno.h>
#include <unistd.h>

void agpu__write_stderr(const char *text, size_t size) {
  while (size > 0) {
    ssize_t written = write(STDERR_FILENO, text, size);
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return;
    }
    text += written;
    size -= (size_t)written;
  }
}
