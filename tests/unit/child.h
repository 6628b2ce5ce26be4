//===- child.h - Parts of tests in processes of their own -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what ends a process, or has to begin in a fresh one.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_CHILD_H
#define ASYNC_GPU_TESTS_UNIT_CHILD_H

#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

/// Runs `body` in a process of its own, which ends with status 0 should it
/// return. `text`, of `size` bytes, gets what the process prints to stdout and
/// stderr together; NULL: that goes where the caller's does. Returns what
/// waitpid says of its end.
static inline int child_run(void (*body)(void), char *text, size_t size) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (text) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
    }
    close(ends[0]);
    close(ends[1]);
    body();
    exit(0);
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t got = 1;
  while (text && (got = read(ends[0], text + used, size - used - 1)) > 0)
    used += (size_t)got;
  if (text)
    text[used] = '\0';
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

/// The same of a process that exits. Returns its status.
static inline int child_exit(void (*body)(void), char *text, size_t size) {
  int status = child_run(body, text, size);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

#endif // ASYNC_GPU_TESTS_UNIT_CHILD_H
