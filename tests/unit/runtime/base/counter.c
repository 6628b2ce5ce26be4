//===- counter.c - Counts add up ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/memory/counter.h"
#include "check.h"

#include <pthread.h>

static void *count(void *unused) {
  (void)unused;
  for (int i = 0; i < 10000; ++i)
    agpu__counter_add(AGPU__COUNT_TASKS, i % 2 ? -1 : 2);
  return NULL;
}

int main(void) {
  pthread_t threads[20];
  for (int i = 0; i < 20; ++i)
    CHECK(pthread_create(&threads[i], NULL, count, NULL) == 0);
  for (int i = 0; i < 20; ++i)
    pthread_join(threads[i], NULL);
  // What threads have counted outlives them, and counters are apart.
  CHECK_EQ(agpu__counter_read(AGPU__COUNT_TASKS), 20 * 5000);
  CHECK_EQ(agpu__counter_read(AGPU__COUNT_FRAMES), 0);
  (void)count(NULL);
  CHECK_EQ(agpu__counter_read(AGPU__COUNT_TASKS), 21 * 5000);
  return 0;
}
