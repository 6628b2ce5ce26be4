//===- lock.h - Mutual exclusion for a moment ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mutex whose uncontended way is two atomic operations inline, for what is
// done several times in every region: the C library's takes some fifty
// instructions for the pair. It is not recursive, and does not say which thread
// holds it. There is nothing to destroy.
//
// The word is OPEN, HELD, or WAITED_FOR: held, and someone may be asleep. Only
// a thread that sees WAITED_FOR makes a system call. (Drepper, "Futexes are
// tricky".)
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_LOCK_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_LOCK_H

#include "base/sync/capability.h"
#include "base/sync/ranks.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct AGPU__CAPABILITY("lock") agpu__lock {
  _Atomic(uint32_t) word;
  AGPU__RANK_MEMBER
} agpu__lock;

/// An open one. `of` is its row of ranks.h: AGPU__RANK_NAME.
#define AGPU__LOCK_INIT(of) {0 AGPU__RANK_VALUE(of)}

enum { AGPU__LOCK_OPEN, AGPU__LOCK_HELD, AGPU__LOCK_WAITED_FOR };

/// The part of the functions below that others are involved in.
void agpu__lock_wait(agpu__lock *lock);
void agpu__lock_wake(agpu__lock *lock);

/// Makes an open lock of memory that may not be zero. Nobody else knows yet
/// what it guards.
static inline void agpu__lock_init(agpu__lock *lock, agpu__rank of)
    AGPU__ASSUMES(*lock) {
  AGPU__RANK_START(lock, of);
  atomic_init(&lock->word, AGPU__LOCK_OPEN);
}

/// Waits until no one holds the lock, and holds it. Any thread.
AGPU__UNCHECKED_LOCKS static inline void agpu__lock_acquire(agpu__lock *lock)
    AGPU__ACQUIRE(*lock) {
  AGPU__RANK_TAKE(lock);
  uint32_t open = AGPU__LOCK_OPEN;
  if (!atomic_compare_exchange_strong_explicit(
          &lock->word, &open, AGPU__LOCK_HELD, memory_order_acquire,
          memory_order_relaxed))
    agpu__lock_wait(lock);
}

/// Holds a lock that no one holds, nor takes before what the caller writes next
/// is seen.
AGPU__UNCHECKED_LOCKS static inline void agpu__lock_take(agpu__lock *lock)
    AGPU__ACQUIRE(*lock) {
  AGPU__RANK_TAKE(lock);
  atomic_store_explicit(&lock->word, AGPU__LOCK_HELD, memory_order_relaxed);
}

/// Gives it back, on the thread that holds it.
AGPU__UNCHECKED_LOCKS static inline void agpu__lock_release(agpu__lock *lock)
    AGPU__RELEASE(*lock) {
  AGPU__RANK_GIVE(lock);
  if (atomic_exchange_explicit(&lock->word, AGPU__LOCK_OPEN,
                               memory_order_release) == AGPU__LOCK_WAITED_FOR)
    agpu__lock_wake(lock);
}

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_LOCK_H
