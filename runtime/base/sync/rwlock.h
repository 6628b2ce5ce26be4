//===- rwlock.h - Mutual exclusion that readers share -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C library's lock for many readers or one writer, as clang's analysis
// knows it (capability.h): what it guards is read under either, and written
// under the writer's. Readers are not ordered with each other.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_RWLOCK_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_RWLOCK_H

#include "base/os/platform.h"
#include "base/sync/capability.h"
#include "base/sync/ranks.h"

#include <pthread.h>

typedef struct AGPU__CAPABILITY("readers' lock") agpu__rwlock {
  pthread_rwlock_t native;
  AGPU__RANK_MEMBER
} agpu__rwlock;

/// How often a thread looks whether the lock is open before it sleeps: it is
/// held for less than a thread takes to wake.
#define AGPU__RWLOCK_LOOKS 64

/// `of` is its row of ranks.h: AGPU__RANK_NAME.
#define AGPU__RWLOCK_INIT(of) {PTHREAD_RWLOCK_INITIALIZER AGPU__RANK_VALUE(of)}

/// Waits until no one writes, and reads. Any thread that does not hold it.
AGPU__UNCHECKED_LOCKS static inline void agpu__rwlock_read(agpu__rwlock *lock)
    AGPU__ACQUIRE_SHARED(*lock) {
  AGPU__RANK_TAKE(lock);
  for (int i = 0; i < AGPU__RWLOCK_LOOKS; ++i) {
    if (pthread_rwlock_tryrdlock(&lock->native) == 0)
      return;
    agpu__pause();
  }
  (void)pthread_rwlock_rdlock(&lock->native);
}

/// Ends that, on the same thread.
AGPU__UNCHECKED_LOCKS static inline void
agpu__rwlock_end_read(agpu__rwlock *lock) AGPU__RELEASE_SHARED(*lock) {
  AGPU__RANK_GIVE(lock);
  (void)pthread_rwlock_unlock(&lock->native);
}

/// Waits until no one reads or writes, and writes. Likewise.
AGPU__UNCHECKED_LOCKS static inline void agpu__rwlock_write(agpu__rwlock *lock)
    AGPU__ACQUIRE(*lock) {
  AGPU__RANK_TAKE(lock);
  for (int i = 0; i < AGPU__RWLOCK_LOOKS; ++i) {
    if (pthread_rwlock_trywrlock(&lock->native) == 0)
      return;
    agpu__pause();
  }
  (void)pthread_rwlock_wrlock(&lock->native);
}
AGPU__UNCHECKED_LOCKS static inline void
agpu__rwlock_end_write(agpu__rwlock *lock) AGPU__RELEASE(*lock) {
  AGPU__RANK_GIVE(lock);
  (void)pthread_rwlock_unlock(&lock->native);
}

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_RWLOCK_H
