//===- interleave.h - All interleavings of a few threads --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a lock-free algorithm in every order in which its threads can take
// turns, as far as a turn ends before the thread does no more than a given
// number of times: most faults show with two or three such preemptions (M.
// Musuvathi and S. Qadeer, "Iterative context bounding for systematic testing
// of multithreaded programs", PLDI 2007).
//
// The test includes this header and then the source under test. Each atomic
// access is a place where another thread may go on; between them nothing of
// another thread can be seen. A step before something else that threads share,
// a plain variable of the test, is interleave_step(). Accesses are sequentially
// consistent here. With INTERLEAVE_WEAK, and the test compiled for thread
// sanitizer, they are what C11 makes of the orders that the source gives
// (weak_memory.c), in reduced searches.
//
// Locks, conditions and futexes (of park.c) are the scheduler's. A run in which
// threads are left that wait for each other, or for a wake-up that was lost,
// fails. A thread that yields goes on when another has, or can not.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_INTERLEAVE_H
#define ASYNC_GPU_TESTS_UNIT_INTERLEAVE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

typedef struct interleaving {
  int threads;     ///< at most 4
  int preemptions; ///< at most so many
  /// Other threads go on at locks, futexes and the points of
  /// base/sync/schedule.h alone, not at each atomic access: for what is large
  /// and made of parts that have tests of their own.
  bool coarse;
  /// Reads, at most, of what has been replaced, where memory is weak; 0: two.
  int stale;
  /// Leaves out runs that differ from others in nothing that a thread sees, and
  /// takes an object that one thread alone accesses in all of them for that
  /// thread's. What threads share and is no atomic object, a lock, a condition
  /// or a futex is then to be guarded by one. Not for walks.
  bool reduced;
  /// A random walk of so many runs instead, of as many preemptions as fall into
  /// it: each step is one with the probability `preemptions` in the number of
  /// steps of a run. 0: all runs.
  long walks;
  void (*begin)(void);     ///< before each run
  void (*run)(int thread); ///< what each thread does, numbered from 0
  void (*end)(void);       ///< checks the outcome of a run
  /// Called when a thread goes on, if not NULL: what would be its thread-local
  /// data is to be put in place.
  void (*enter)(int thread);
} interleaving;

/// Where memory is weak there are more runs to each preemption.
#ifdef INTERLEAVE_WEAK
#define INTERLEAVE_BOUND(usual, weak) (weak)
#else
#define INTERLEAVE_BOUND(usual, weak) (usual)
#endif

/// On a function that stands for a part of the runtime in a test: its plain
/// accesses are no races.
#define INTERLEAVE_UNSEEN __attribute__((noinline, no_sanitize("thread")))

/// Returns the number of runs.
long interleave(const interleaving *test);

/// Another thread may go on here. Does nothing outside interleave().
void interleave_step(void);

/// The same at an atomic access of `object`, which may change it.
void interleave_access(const volatile void *object, bool changes);

/// Other threads go on only where the running one can not, or do so at each
/// access again, as at the beginning of a run: for parts of a run that other
/// tests are for.
void interleave_alone(bool alone);

/// The thread that runs; -1 outside interleave().
int interleave_thread(void);

/// Time passes between plain accesses: another thread may go on. Where memory
/// is weak that would order what threads do, and races show without.
static inline void interleave_gap(void) {
#ifndef INTERLEAVE_WEAK
  interleave_step();
#endif
}

/// The calling thread does not go on before `until(argument)` is true. Other
/// threads alone change what that depends on. The first sees what they all have
/// done by then; the second learns nothing by it.
void interleave_block(bool (*until)(const void *), const void *argument);
void interleave_rest(bool (*until)(const void *), const void *argument);

/// The same of a thread that has yet to begin. For `begin`.
void interleave_delay(int thread, bool (*until)(const void *),
                      const void *argument);

/// As pthread_mutex_lock and _unlock. Outside interleave() too.
int interleave_lock(const void *lock);
int interleave_unlock(const void *lock);

/// As pthread_cond_wait, _timedwait with a limit that never comes, and
/// _broadcast.
int interleave_wait(const void *condition, const void *lock);
int interleave_broadcast(const void *condition);

/// As sched_yield.
int interleave_yield(void);

/// As membarrier's MEMBARRIER_CMD_PRIVATE_EXPEDITED: each other thread has a
/// barrier here, and so has the calling one.
void interleave_barrier(void);

/// As syscall(SYS_futex, ...) for FUTEX_WAIT_PRIVATE without a timeout and for
/// FUTEX_WAKE_PRIVATE. The word may be gone by the time of a wake.
long interleave_syscall(long number, const _Atomic(uint32_t) *word,
                        int operation, uint32_t value, ...);

#define syscall interleave_syscall
#define pthread_mutex_lock(lock) interleave_lock(lock)
#define pthread_mutex_unlock(lock) interleave_unlock(lock)

#ifndef INTERLEAVE_WEAK // thread sanitizer's functions are told of each access

#undef atomic_load_explicit
#define atomic_load_explicit(object, order)                                    \
  (interleave_access(object, false), *(object))

#undef atomic_store_explicit
#define atomic_store_explicit(object, value, order)                            \
  (interleave_access(object, true), (void)(*(object) = (value)))

// The builtins behind these differ: GCC's take atomic objects, clang's of the
// same name do not. They take no memory order from the source under test.
#ifdef __clang__
#define INTERLEAVE_ATOMIC(operation) __c11_atomic_##operation
#define INTERLEAVE_EXCHANGE(object, value)                                     \
  __c11_atomic_exchange(object, value, __ATOMIC_SEQ_CST)
#define INTERLEAVE_COMPARE(object, expected, value)                            \
  __c11_atomic_compare_exchange_strong(object, expected, value,                \
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#else
#define INTERLEAVE_ATOMIC(operation) __atomic_##operation
#define INTERLEAVE_EXCHANGE(object, value)                                     \
  __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST)
#define INTERLEAVE_COMPARE(object, expected, value)                            \
  __atomic_compare_exchange_n(object, expected, value, 0, __ATOMIC_SEQ_CST,    \
                              __ATOMIC_SEQ_CST)
#endif

#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(object, expected, value,       \
                                                success, failure)              \
  (interleave_access(object, true), INTERLEAVE_COMPARE(object, expected, value))

#undef atomic_compare_exchange_weak_explicit
#define atomic_compare_exchange_weak_explicit                                  \
  atomic_compare_exchange_strong_explicit

#undef atomic_exchange_explicit
#define atomic_exchange_explicit(object, value, order)                         \
  (interleave_access(object, true), INTERLEAVE_EXCHANGE(object, value))

#undef atomic_fetch_add_explicit
#define atomic_fetch_add_explicit(object, value, order)                        \
  (interleave_access(object, true),                                            \
   INTERLEAVE_ATOMIC(fetch_add)(object, value, __ATOMIC_SEQ_CST))

#undef atomic_fetch_sub_explicit
#define atomic_fetch_sub_explicit(object, value, order)                        \
  (interleave_access(object, true),                                            \
   INTERLEAVE_ATOMIC(fetch_sub)(object, value, __ATOMIC_SEQ_CST))

#undef atomic_fetch_or_explicit
#define atomic_fetch_or_explicit(object, value, order)                         \
  (interleave_access(object, true),                                            \
   INTERLEAVE_ATOMIC(fetch_or)(object, value, __ATOMIC_SEQ_CST))

#undef atomic_fetch_and_explicit
#define atomic_fetch_and_explicit(object, value, order)                        \
  (interleave_access(object, true),                                            \
   INTERLEAVE_ATOMIC(fetch_and)(object, value, __ATOMIC_SEQ_CST))

#endif // INTERLEAVE_WEAK

#endif // ASYNC_GPU_TESTS_UNIT_INTERLEAVE_H
