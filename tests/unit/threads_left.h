//===- threads_left.h - Threads that a process is left with -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_THREADS_LEFT_H
#define ASYNC_GPU_TESTS_UNIT_THREADS_LEFT_H

#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

static inline int count_entries(const char *folder) {
  DIR *entries = opendir(folder);
  CHECK(entries);
  int count = 0;
  while (readdir(entries))
    ++count;
  closedir(entries);
  return count;
}

static int threads_at_start;

static inline void *threads_left_nothing(void *unused) { return unused; }

/// Behind the first thread, since a sanitizer may start one of its own then.
static inline void count_threads_at_start(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, threads_left_nothing, NULL) == 0);
  pthread_join(thread, NULL);
  threads_at_start = count_entries("/proc/self/task");
}

/// There are no more than at the start. A thread that was joined may be there
/// for a moment.
static inline void check_threads(void) {
  for (int i = 0; i < 100000; ++i) {
    if (count_entries("/proc/self/task") <= threads_at_start)
      return;
    usleep(100);
  }
  CHECK(0 && "threads are left");
}

#endif // ASYNC_GPU_TESTS_UNIT_THREADS_LEFT_H
