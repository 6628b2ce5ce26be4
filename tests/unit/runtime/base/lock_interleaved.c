//===- lock_interleaved.c - The lock in all interleavings -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define SPINS 1
#include "base/sync/lock.c"

#include "check.h"

static agpu__lock lock;
static int holders, rounds;

static void begin(void) {
  atomic_init(&lock.word, AGPU__LOCK_OPEN);
  holders = rounds = 0;
}

/// Thread 0 comes twice, so that it may overtake one that was woken.
static void work(int thread) {
  for (int i = 0; i < (thread == 0 ? 2 : 1); ++i) {
    agpu__lock_acquire(&lock);
    CHECK_EQ(++holders, 1);
    interleave_step();
    CHECK_EQ(holders--, 1);
    ++rounds;
    agpu__lock_release(&lock);
  }
}

/// That nobody sleeps on, the scheduler has seen.
static void end(void) {
  CHECK_EQ(rounds, 4);
  CHECK_EQ(lock.word, AGPU__LOCK_OPEN);
}

int main(void) {
  long runs = interleave(&(interleaving){
      .threads = 3, .preemptions = 4, .begin = begin, .run = work, .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
