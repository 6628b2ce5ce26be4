//===- mutex.h - Mutual exclusion, and waiting for a change -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C library's mutexes and conditions, as clang's analysis knows them
// (capability.h). For what is short and done often there is base/sync/lock.h;
// for what waits for a condition, this.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_MUTEX_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_MUTEX_H

#include "base/os/fork.h"
#include "base/os/platform.h"
#include "base/sync/capability.h"
#include "base/sync/ranks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct AGPU__CAPABILITY("mutex") agpu__mutex {
  pthread_mutex_t native;
  AGPU__RANK_MEMBER
} agpu__mutex;

/// Of a static or automatic one. `of` is its row of ranks.h: AGPU__RANK_NAME.
#define AGPU__MUTEX_INIT(of) {PTHREAD_MUTEX_INITIALIZER AGPU__RANK_VALUE(of)}

/// Makes an open mutex, where AGPU__MUTEX_INIT does not. Nobody else knows yet
/// what it guards.
static inline void agpu__mutex_init(agpu__mutex *mutex, agpu__rank of)
    AGPU__ASSUMES(*mutex) {
  AGPU__RANK_START(mutex, of);
  (void)pthread_mutex_init(&mutex->native, NULL);
}

/// Nobody holds it, nor ever will.
static inline void agpu__mutex_destroy(agpu__mutex *mutex) {
  (void)pthread_mutex_destroy(&mutex->native);
}

// A mutex of the usual kind has no errors that a correct program can meet.

/// Waits until no one holds the mutex, and holds it. Any thread.
AGPU__UNCHECKED_LOCKS static inline void agpu__mutex_lock(agpu__mutex *mutex)
    AGPU__ACQUIRE(*mutex) {
  AGPU__RANK_TAKE(mutex);
  (void)pthread_mutex_lock(&mutex->native);
}

/// Gives it back, on the thread that holds it.
AGPU__UNCHECKED_LOCKS static inline void agpu__mutex_unlock(agpu__mutex *mutex)
    AGPU__RELEASE(*mutex) {
  AGPU__RANK_GIVE(mutex);
  (void)pthread_mutex_unlock(&mutex->native);
}

/// Takes it before a fork, and gives it back behind that in another call.
AGPU__UNCHECKED_LOCKS static inline void
agpu__mutex_fork(agpu__mutex *mutex, agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE)
    agpu__mutex_lock(mutex);
  else
    agpu__mutex_unlock(mutex);
}

/// What threads wait for. Waits end at a time whatever is done to the clock of
/// the machine.
typedef struct agpu__condition {
  pthread_cond_t native;
} agpu__condition;

/// Makes a condition that no one waits for. Each needs it once.
AGPU__SHARED void agpu__condition_init(agpu__condition *condition);

static inline void agpu__condition_destroy(agpu__condition *condition) {
  (void)pthread_cond_destroy(&condition->native);
}

/// Wakes all that wait, or one of them. Any thread.
static inline void agpu__condition_broadcast(agpu__condition *condition) {
  (void)pthread_cond_broadcast(&condition->native);
}
static inline void agpu__condition_signal(agpu__condition *condition) {
  (void)pthread_cond_signal(&condition->native);
}

/// Gives `mutex` back until it is woken, by someone or by nothing at all.
static inline void agpu__condition_wait(agpu__condition *condition,
                                        agpu__mutex *mutex)
    AGPU__REQUIRES(*mutex) {
  AGPU__RANK_WAIT(mutex);
  (void)pthread_cond_wait(&condition->native, &mutex->native);
}

/// The same for `ns` nanoseconds at most. False where the time is up.
AGPU__SHARED bool agpu__condition_wait_for(agpu__condition *condition,
                                           agpu__mutex *mutex, int64_t ns)
    AGPU__REQUIRES(*mutex);

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_MUTEX_H
