//===- ranks.c - Locks are taken in the order of their ranks --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the check of ranks lets through, and what it ends a process for. Where
// it is not built there is nothing to test but that the same code compiles.
//
//===----------------------------------------------------------------------===//

#include "base/sync/lock.h"
#include "base/sync/mutex.h"
#include "base/sync/rwlock.h"

#include "check.h"
#include "child.h"

#include <string.h>

// In the order of their ranks.
static agpu__mutex first = AGPU__MUTEX_INIT(AGPU__RANK_RUNTIME_END);
static agpu__lock second = AGPU__LOCK_INIT(AGPU__RANK_EXEC);
static agpu__rwlock third = AGPU__RWLOCK_INIT(AGPU__RANK_EMU_MEMORY);
static agpu__lock several[2] = {AGPU__LOCK_INIT(AGPU__RANK_MAGAZINE_DEPOT),
                                AGPU__LOCK_INIT(AGPU__RANK_MAGAZINE_DEPOT)};
static agpu__condition changed;

AGPU__UNCHECKED_LOCKS static void take_as_ranked(void) {
  agpu__mutex_lock(&first);
  agpu__lock_acquire(&second);
  agpu__rwlock_read(&third);
  AGPU__ASSERT_HELD(&first);
  AGPU__ASSERT_HELD(&second);
  AGPU__ASSERT_HELD(&third);
  // In any order.
  agpu__mutex_unlock(&first);
  agpu__lock_release(&second);
  agpu__rwlock_end_read(&third);
  agpu__rwlock_write(&third);
  agpu__rwlock_end_write(&third);
  agpu__lock_acquire(&several[0]);
  agpu__lock_acquire(&several[1]);
  agpu__lock_release(&several[0]);
  agpu__lock_release(&several[1]);
}

static void wait_with_lower_locks(void) {
  agpu__condition_init(&changed);
  agpu__mutex high = AGPU__MUTEX_INIT(AGPU__RANK_EMU_STREAM);
  agpu__lock_acquire(&second);
  agpu__mutex_lock(&high);
  CHECK(!agpu__condition_wait_for(&changed, &high, 1));
  agpu__mutex_unlock(&high);
  agpu__lock_release(&second);
}

/// As the child of a fork does with the locks of threads that are not there.
AGPU__UNCHECKED_LOCKS static void make_anew(void) {
  static agpu__lock lock = AGPU__LOCK_INIT(AGPU__RANK_EXEC);
  agpu__lock_acquire(&lock);
  agpu__lock_init(&lock, AGPU__RANK_EXEC);
  agpu__lock_acquire(&second);
  agpu__lock_release(&second);
}

AGPU__UNCHECKED_LOCKS static void take_lower(void) {
  agpu__lock_acquire(&second);
  agpu__mutex_lock(&first);
}

AGPU__UNCHECKED_LOCKS static void read_under_higher(void) {
  static agpu__lock higher = AGPU__LOCK_INIT(AGPU__RANK_TEXTS);
  agpu__lock_acquire(&higher);
  agpu__rwlock_read(&third);
}

AGPU__UNCHECKED_LOCKS static void take_the_same_rank(void) {
  static agpu__lock other = AGPU__LOCK_INIT(AGPU__RANK_EXEC);
  agpu__lock_acquire(&second);
  agpu__lock_acquire(&other);
}

AGPU__UNCHECKED_LOCKS static void take_several_backwards(void) {
  agpu__lock_acquire(&several[1]);
  agpu__lock_acquire(&several[0]);
}

AGPU__UNCHECKED_LOCKS static void take_twice(void) {
  agpu__mutex_lock(&first);
  agpu__mutex_lock(&first);
}

AGPU__UNCHECKED_LOCKS static void take_unranked(void) {
  static agpu__lock lock;
  agpu__lock_acquire(&lock);
}

AGPU__UNCHECKED_LOCKS static void wait_under_higher(void) {
  agpu__condition_init(&changed);
  agpu__mutex_lock(&first);
  agpu__lock_acquire(&second);
  (void)agpu__condition_wait_for(&changed, &first, 1);
}

AGPU__UNCHECKED_LOCKS static void wait_without(void) {
  agpu__condition_init(&changed);
  (void)agpu__condition_wait_for(&changed, &first, 1);
}

AGPU__UNCHECKED_LOCKS static void give_what_is_open(void) {
  agpu__mutex_unlock(&first);
}

static void require_without(void) { AGPU__ASSERT_HELD(&first); }

#ifdef AGPU__CHECK_RANKS
/// `body` ends its process by a signal, with a message that has all of `says`.
static void expect_end(void (*body)(void), const char *says, const char *too) {
  char text[1024];
  int status = child_run(body, text, sizeof text);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  CHECK(strstr(text, "error: a thread "));
  CHECK(strstr(text, says));
  CHECK(strstr(text, too));
}
#endif

int main(void) {
  take_as_ranked();
  wait_with_lower_locks();
  make_anew();
#ifdef AGPU__CHECK_RANKS
  expect_end(take_lower, "takes lock RUNTIME_END (",
             "while it holds lock EXEC (");
  expect_end(read_under_higher, "takes lock EMU_MEMORY", "holds lock TEXTS");
  expect_end(take_the_same_rank, "takes lock EXEC", "holds lock EXEC");
  expect_end(take_several_backwards, "takes lock MAGAZINE_DEPOT",
             "holds lock MAGAZINE_DEPOT");
  expect_end(take_twice, "takes lock RUNTIME_END", "holds lock RUNTIME_END");
  expect_end(take_unranked, "without a rank", "NONE");
  expect_end(wait_under_higher, "waits with lock RUNTIME_END",
             "holds lock EXEC");
  expect_end(wait_without, "does not hold lock RUNTIME_END", "");
  expect_end(give_what_is_open, "does not hold lock RUNTIME_END", "");
  expect_end(require_without, "does not hold lock RUNTIME_END", "");
#else
  (void)take_lower, (void)read_under_higher, (void)take_the_same_rank;
  (void)take_several_backwards, (void)take_twice, (void)take_unranked;
  (void)wait_under_higher, (void)wait_without, (void)give_what_is_open;
  (void)require_without, (void)child_exit, (void)child_run;
#endif
  return 0;
}
