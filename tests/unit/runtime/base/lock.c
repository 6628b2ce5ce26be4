//===- lock.c - One at a time, and none is forgotten ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/sync/lock.h"

#include "check.h"

#include <pthread.h>
#include <sched.h>

enum { THREADS = 6, ROUNDS = 20000 };

static agpu__lock lock = AGPU__LOCK_INIT(AGPU__RANK_TEXTS);
static int inside; // under the lock, as all that follows
static int64_t sum;

static void *count(void *argument) {
  intptr_t number = (intptr_t)argument;
  for (int i = 0; i < ROUNDS; ++i) {
    agpu__lock_acquire(&lock);
    CHECK_EQ(++inside, 1);
    ++sum;
    // Now and then long enough for the others to fall asleep.
    if ((i + number) % 64 == 0)
      sched_yield();
    --inside;
    agpu__lock_release(&lock);
  }
  return NULL;
}

static void test_threads_exclude_each_other(void) {
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, count, (void *)i) == 0);
  // A sleeper that is not woken is a test that does not end.
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK_EQ(sum, THREADS * ROUNDS);
}

/// Gives back what it marks as taken by hand.
AGPU__UNCHECKED_LOCKS static void
test_is_open_at_first_and_after_release(void) {
  agpu__lock one = AGPU__LOCK_INIT(AGPU__RANK_TEXTS);
  CHECK_EQ(atomic_load(&one.word), AGPU__LOCK_OPEN);
  agpu__lock_acquire(&one);
  CHECK_EQ(atomic_load(&one.word), AGPU__LOCK_HELD);
  agpu__lock_release(&one);
  CHECK_EQ(atomic_load(&one.word), AGPU__LOCK_OPEN);
  // Nobody sleeps: the call that wakes does no harm.
  agpu__lock_acquire(&one);
  atomic_store(&one.word, AGPU__LOCK_WAITED_FOR);
  agpu__lock_release(&one);
  CHECK_EQ(atomic_load(&one.word), AGPU__LOCK_OPEN);
}

int main(void) {
  test_is_open_at_first_and_after_release();
  test_threads_exclude_each_other();
  return 0;
}
