//===- suite.h - What the conformance programs share ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing but the C library: also for a program that is compiled with CUDA's
// own header.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_CONFORMANCE_SUITE_H
#define ASYNC_GPU_TESTS_CONFORMANCE_SUITE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/// A test's exit status where the driver lacks what it is about.
#define SKIPPED 77
#define SECONDS_PER_TEST 60

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__,             \
              #condition);                                                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Runs tests 0 to `count` - 1, each in a process of its own, as drivers do not
/// survive a fork, and prints how each ended, by its name behind `prefix`.
/// Returns the exit status.
static inline int suite_run_all(size_t count, const char *prefix,
                                const char *(*name)(size_t i),
                                int (*run)(size_t i)) {
  int failed = 0, passed = 0;
  for (size_t i = 0; i < count; ++i) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(SECONDS_PER_TEST);
      exit(run(i));
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
    bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    printf("%-7s %s%s\n",
           ok        ? "ok"
           : skipped ? "skipped"
                     : "FAILED",
           prefix, name(i));
    passed += ok;
    failed += !ok && !skipped;
  }
  return failed ? 1 : passed ? 0 : SKIPPED;
}

#endif // ASYNC_GPU_TESTS_CONFORMANCE_SUITE_H
