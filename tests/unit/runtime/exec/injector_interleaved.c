//===- injector_interleaved.c - The common queue in all interleavings -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "exec/queue/injector.c"

#include "check.h"
#include "interleave_memory.h"

#include <string.h>

#define PUSHED 4

static agpu__injector injector = AGPU__INJECTOR_INIT;
static int taken[PUSHED]; // how often
static int handles[PUSHED];

static void run(void *handle) { (void)handle; }

static void begin(void) { memset(taken, 0, sizeof(taken)); }

static int take(size_t share, size_t limit) {
  agpu__task tasks[PUSHED];
  size_t count = agpu__injector_take(&injector, share, limit, tasks);
  CHECK(count <= limit);
  for (size_t i = 0; i < count; ++i)
    ++taken[(int *)tasks[i].handle - handles];
  return (int)count;
}

/// Threads 0 and 1 push two each and look for one; thread 2 takes what it sees.
static void work(int thread) {
  if (thread == 2) {
    (void)take(2, PUSHED);
    (void)take(1, PUSHED);
    return;
  }
  for (int i = 0; i < 2; ++i)
    agpu__injector_push(&injector, (agpu__task){&handles[thread * 2 + i], run});
  (void)take(1, 1);
}

static void end(void) {
  while (take(1, 1))
    continue;
  CHECK(agpu__injector_is_empty(&injector));
  for (int i = 0; i < PUSHED; ++i)
    CHECK_EQ(taken[i], 1);
  agpu__injector_forget(&injector);
}

int main(void) {
  long runs = interleave(&(interleaving){
      .threads = 3, .preemptions = 2, .begin = begin, .run = work, .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
