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
#include <stdbool.h>
#include <stdio.h>
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

void agpu__write_line(const char *location, const char *kind,
                      const char *text) {
  char line[2048];
  bool is_placed = location && *location;
  int length =
      snprintf(line, sizeof line, "%s%s%s: %s\n", is_placed ? location : "",
               is_placed ? ": " : "", kind, text);
  if (length < 0)
    return;
  if ((size_t)length >= sizeof line) {
    length = sizeof line - 1;
    line[length - 1] = '\n';
  }
  agpu__write_stderr(line, (size_t)length);
}
