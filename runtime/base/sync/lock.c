//===- lock.c - Mutual exclusion for a moment -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread does that finds the lock held: it looks again for about as long
// as most hold one, then sleeps in the kernel until the word is OPEN.
//
//===----------------------------------------------------------------------===//

#include "base/sync/lock.h"

#include "base/os/platform.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/// About as long as most hold a lock. The test of all orders has fewer.
#ifndef SPINS
#define SPINS 100
#endif

void agpu__lock_wait(agpu__lock *lock) {
  for (int i = 0; i < SPINS; ++i) {
    uint32_t open = AGPU__LOCK_OPEN;
    if (atomic_load_explicit(&lock->word, memory_order_relaxed) == open &&
        atomic_compare_exchange_weak_explicit(
            &lock->word, &open, AGPU__LOCK_HELD, memory_order_acquire,
            memory_order_relaxed))
      return;
    agpu__pause();
  }
  // A thread that has slept does not know whether others do, and leaves that
  // mark.
  while (atomic_exchange_explicit(&lock->word, AGPU__LOCK_WAITED_FOR,
                                  memory_order_acquire) != AGPU__LOCK_OPEN)
    // The kernel looks at the word once more, so no release is missed.
    (void)syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE,
                  AGPU__LOCK_WAITED_FOR, NULL, NULL, 0);
}

void agpu__lock_wake(agpu__lock *lock) {
  (void)syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
