//===- interleave_locks.c - Locks, conditions and futexes of a run --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is of the system's outside of tests is the scheduler's here: who waits
// for a lock, in a condition or on a futex goes on when it may.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "interleave_parts.h"
#include "weak_memory.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#define WORDS 32

/// Locks that are held. A lock is known by its address.
static const void *held[WORDS];

static int find_held(const void *lock) {
  for (int i = 0; i < WORDS; ++i)
    if (held[i] == lock)
      return i;
  return -1;
}

static bool is_free(const void *lock) { return find_held(lock) < 0; }

int interleave_lock(const void *lock) {
  if (interleave_thread() >= 0)
    interleave_rest(is_free, lock);
  interleave_see_place(lock);
  int slot = find_held(NULL);
  CHECK(slot >= 0 && is_free(lock));
  held[slot] = lock;
  weak_memory_acquire(lock);
  return 0;
}

int interleave_unlock(const void *lock) {
  int slot = find_held(lock);
  CHECK(slot >= 0);
  held[slot] = NULL;
  weak_memory_release(lock);
  interleave_see_place(lock);
  interleave_pause();
  return 0;
}

/// For each thread in a condition, its address.
static const void *waits_for[INTERLEAVE_THREADS];

static bool is_told(const void *place) {
  return *(const void *const *)place == NULL;
}

int interleave_wait(const void *condition, const void *lock) {
  // A condition that nobody else can tell of is not waited for outside.
  int current = interleave_thread();
  CHECK(current >= 0);
  interleave_see_place(condition);
  interleave_see_place(lock);
  weak_memory_release(lock);
  waits_for[current] = condition;
  held[find_held(lock)] = NULL;
  interleave_rest(is_told, &waits_for[current]);
  return interleave_lock(lock);
}

int interleave_broadcast(const void *condition) {
  interleave_see_place(condition);
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    if (waits_for[i] == condition)
      waits_for[i] = NULL;
  return 0;
}

/// For each thread in a futex, its address.
static const void *sleeps_on[INTERLEAVE_THREADS];

static bool is_awake(const void *place) {
  return *(const void *const *)place == NULL;
}

long interleave_syscall(long number, const _Atomic(uint32_t) *word,
                        int operation, uint32_t value, ...) {
  CHECK(number == SYS_futex);
  interleave_access(word, true);
  interleave_see_place(word);
  if (operation == FUTEX_WAIT_PRIVATE) {
#ifdef INTERLEAVE_WEAK
    if (weak_memory_look(word) != value)
      return -1;
#else
    if (*word != value)
      return -1;
#endif
    const void **place = &sleeps_on[interleave_thread()];
    *place = word;
    interleave_rest(is_awake, place);
    return 0;
  }
  CHECK(operation == FUTEX_WAKE_PRIVATE && value == 1);
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    if (sleeps_on[i] == word) {
      sleeps_on[i] = NULL;
      return 1;
    }
  return 0;
}
