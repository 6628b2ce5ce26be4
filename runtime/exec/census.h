//===- census.h - The executor and the threads at work in it ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bottom of the executor: its one object, and what is counted under its
// lock. Everything else in this folder stands on it, each file on those above
// it in this list:
//
//   census.c     which threads run, sleep, wait; whether there is work
//   watch.c      waits that look for a standstill
//   sleep.c      searchers, sleepers, and waking them
//   relief.c     how many tasks are too many, and waiting for fewer
//   tasks.c      queueing, finding and running a task
//   seat.c       what a worker's thread does; seats that change threads
//   executor.c   start, drain, stop, fork
//   wait.c       waits inside and outside tasks
//   spawn/       submitting tasks; spawners that are too fast
//   loop/        parallel loops
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_CENSUS_H
#define ASYNC_GPU_RUNTIME_EXEC_CENSUS_H

#include "base/os/platform.h"
#include "base/sync/mutex.h"
#include "base/sync/park.h"
#include "exec/queue/deque.h"
#include "exec/queue/outside.h"
#include "exec/queue/task.h"
#include "exec/watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/// A worker's place: its thread owns the deque and runs tasks. There
/// are as many seats as workers; threads come and go.
typedef struct agpu__seat {
  agpu__deque deque;
  uint32_t random; ///< state of the generator that picks victims
  uint32_t tick;   ///< tasks looked for, for fairness to threads outside
  agpu__backoff backoff;
  int64_t spin_ns; ///< seat.c: how long to search before going to sleep
} agpu__seat;

/// A thread in, or about to go to, sleep. On the list of those that can be
/// woken for work, or of those that wait for AGPU__EXEC_DONE alone.
typedef struct agpu__sleeper {
  agpu__parker *parker;
  LIST_ENTRY(agpu__sleeper) link;
  bool listed; ///< can be woken for work; changed under the lock
  /// Inside a task, hence at work although it sleeps.
  bool in_task;
} agpu__sleeper;

typedef LIST_HEAD(agpu__sleepers, agpu__sleeper) agpu__sleepers;

/// What a thread is that looks for work.
typedef enum agpu__search {
  AGPU__SEARCHES_NOT,
  AGPU__SEARCHES,       ///< it has begun to by itself
  AGPU__SEARCHES_WOKEN, ///< it was woken to
} agpu__search;

/// A thread of the executor.
typedef struct agpu__exec_thread {
  pthread_t handle;
  agpu__parker parker; ///< for SEATED, NOTIFIED
  agpu__seat *seat;    ///< given before SEATED is signalled
  agpu__search search; ///< likewise: takes over a searcher's role
  SLIST_ENTRY(agpu__exec_thread) link;  ///< of all threads
  SLIST_ENTRY(agpu__exec_thread) spare; ///< while it is spare
} agpu__exec_thread;

typedef struct agpu__executor {
  _Atomic(bool) started;
  agpu__mutex start_lock; ///< taken before `lock`
  /// What the number of workers is or would be; 0 if it has not been asked for.
  _Atomic(int64_t) wanted_workers;
  uint32_t seat_count;
  uint32_t worker_count; ///< seats that got a thread; fixed after the start
  int most_searchers;    ///< at a time, without those that were woken
  agpu__seat *seats;
  _Atomic(const agpu__exec_watch *) watch; ///< watch.c
  uint32_t (*_Atomic source)(bool leaves); ///< executor.h, or NULL

  /// Sleepers in the list, and threads woken to search that have not found or
  /// given up yet. Both are hints for submitters, ordered with the queues by
  /// sequential consistency; see sleep.c.
  AGPU__CACHE_APART atomic_int sleeping;
  atomic_int searching;

  /// Spawners that wait for fewer tasks, and tasks alive that they could not
  /// wait for; relief.c. The first changes under the lock.
  AGPU__CACHE_APART atomic_int throttled;
  _Atomic(int64_t) tasks_to_stay;

  AGPU__CACHE_APART agpu__mutex lock;
  bool has_conditions AGPU__GUARDED_BY(lock);
  agpu__condition quiet;  ///< `active` became 0
  agpu__condition relief; ///< for `throttled`
  agpu__sleepers sleepers AGPU__GUARDED_BY(lock);
  /// Those for AGPU__EXEC_DONE alone.
  agpu__sleepers waiters AGPU__GUARDED_BY(lock);
  /// Threads that run tasks or look for some, those of them that sleep inside a
  /// task, and those that are throttled. Without those that help.
  int active AGPU__GUARDED_BY(lock);
  int stuck AGPU__GUARDED_BY(lock);
  int held AGPU__GUARDED_BY(lock);
  /// Times `active` grew, and times a thread left its sleep inside a task.
  uint64_t wakeups AGPU__GUARDED_BY(lock);
  uint64_t rises AGPU__GUARDED_BY(lock);
  bool stopping AGPU__GUARDED_BY(lock);
  SLIST_HEAD(, agpu__exec_thread) threads AGPU__GUARDED_BY(lock);
  SLIST_HEAD(, agpu__exec_thread) spares AGPU__GUARDED_BY(lock);
  uint32_t thread_count AGPU__GUARDED_BY(lock);

  agpu__outside outside; ///< tasks of threads without a seat
} agpu__executor;

/// Whether a thread outside runs a task that it waits for (agpu__self).
typedef enum agpu__help {
  AGPU__HELPS_NOT,
  AGPU__HELPS,         ///< its outbox says so
  AGPU__HELPS_COUNTED, ///< counted as active, as it rested in between
} agpu__help;

extern agpu__executor agpu__the_executor;

static inline bool agpu__exec_has_started(void) {
  return atomic_load_explicit(&agpu__the_executor.started,
                              memory_order_acquire);
}

/// Whether any queue has a task. Sequentially consistent. Any thread.
bool agpu__exec_has_work(void);

// The functions that follow are called under the lock.

/// The calling thread, or one that it wakes, begins or ends to run tasks.
void agpu__exec_count_in(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock);
void agpu__exec_count_out(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock);

/// Puts a sleeper on the list of those that can be woken for work, or takes it
/// off, and counts it.
void agpu__exec_list(agpu__executor *executor, agpu__sleeper *sleeper)
    AGPU__REQUIRES(executor->lock);
void agpu__exec_unlist(agpu__executor *executor, agpu__sleeper *sleeper)
    AGPU__REQUIRES(executor->lock);

/// The same for those that wait for AGPU__EXEC_DONE alone.
void agpu__exec_list_waiter(agpu__executor *executor, agpu__sleeper *sleeper)
    AGPU__REQUIRES(executor->lock);
void agpu__exec_unlist_waiter(agpu__executor *executor, agpu__sleeper *sleeper)
    AGPU__REQUIRES(executor->lock);

/// A spawner waits for fewer tasks from now on, or no more.
void agpu__exec_count_held(agpu__executor *executor, bool in_task)
    AGPU__REQUIRES(executor->lock);
void agpu__exec_count_released(agpu__executor *executor, bool in_task)
    AGPU__REQUIRES(executor->lock);

/// Whether every thread that is inside a task sleeps, or is a spawner that is
/// held.
bool agpu__exec_none_at_work(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock);

/// Whether every thread that is inside a task sleeps in a wait that has not
/// ended, and no task is queued.
bool agpu__exec_all_sleep(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock);

/// Whether a task is queued or runs.
bool agpu__exec_is_busy(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock);

/// The calling thread helps no more.
void agpu__exec_end_help(void) AGPU__EXCLUDES(agpu__the_executor.lock);

/// agpu__exec_count_in and _count_out for a thread that does not hold the lock.
void agpu__exec_activate(void) AGPU__EXCLUDES(agpu__the_executor.lock);
void agpu__exec_deactivate(void) AGPU__EXCLUDES(agpu__the_executor.lock);

//===----------------------------------------------------------------------===//
// Searchers, sleepers, and waking them
//===----------------------------------------------------------------------===//

/// Signals on parkers, beside AGPU__EXEC_DONE.
#define AGPU__EXEC_NOTIFIED AGPU__PARK_BIT(1) ///< there is work, or the end
#define AGPU__EXEC_SEATED AGPU__PARK_BIT(2)   ///< a spare thread got a seat

/// After a task was queued: wakes a sleeper unless somebody searches.
void agpu__exec_notify(void);

/// Makes the calling thread a searcher, unless there are enough.
bool agpu__exec_begin_search(void);

/// Lets time pass, for a thread that expects something within microseconds and
/// has looked `looks` times; from AGPU__EXEC_LOOKS on, for work from outside
/// alone, for which it asks. False if it should go to sleep.
#ifndef AGPU__EXEC_LOOKS // a test has few
#define AGPU__EXEC_LOOKS 64
#endif
bool agpu__exec_spin(uint32_t looks);

/// The calling thread, if it is a searcher, found a task or gives up. Wakes
/// others if there is more.
void agpu__exec_leave_search(agpu__search as);
static inline void agpu__exec_end_search(agpu__search *search) {
  if (*search == AGPU__SEARCHES_NOT)
    return;
  agpu__exec_leave_search(*search);
  *search = AGPU__SEARCHES_NOT;
}

/// Sleeps until there may be work, or until `parker` has `also`. `search` says
/// what the caller is, and afterwards what it has become: if it was woken for
/// work, it must find a task or call agpu__exec_end_search.
void agpu__exec_sleep(agpu__parker *parker, uint32_t also, bool in_task,
                      agpu__search *search);

/// Without a seat: sleeps until `parker` has AGPU__EXEC_DONE.
void agpu__exec_sleep_seatless(agpu__parker *parker);

//===----------------------------------------------------------------------===//
// Queueing, finding and running a task
//===----------------------------------------------------------------------===//

/// Puts a task where other threads can take it, and wakes one if need be. The
/// executor has been started. Any thread.
void agpu__exec_queue(agpu__task task);

/// The same with what the calling thread was to run next, if there is any.
void agpu__exec_queue_next(void);

/// Looks for a task: in the thread's seat if it has one, among those from
/// outside, at the other seats. `patient`: lets some be for a moment (see
/// agpu__outside_take).
bool agpu__exec_find(bool patient, agpu__task *out_task);

/// Runs a task on this thread.
void agpu__exec_run(agpu__task task);

/// The same, and then what agpu__exec_find would find in the thread's own seat,
/// until that has nothing, or it is another's turn. Not on top of anything.
void agpu__exec_run_with_own(agpu__task task);

/// A task has returned in the child of a fork that it made: whoever ran it is
/// the parent's.
_Noreturn void agpu__exec_end_orphan(void);

//===----------------------------------------------------------------------===//
// How many tasks are too many
//===----------------------------------------------------------------------===//

/// How many tasks more may be alive before a spawner should wait; none or less:
/// it should. Any thread.
int64_t agpu__exec_room(void);

/// A spawner waits until there are fewer tasks, or in vain; see relief.c.
void agpu__exec_hold(void);

/// From time to time while spawners wait: tells them if they have waited
/// enough. Any thread.
void agpu__exec_relieve(void);

//===----------------------------------------------------------------------===//
// Workers, and seats that change threads
//===----------------------------------------------------------------------===//

/// The life of a thread of the executor, an agpu__exec_thread: waits for a
/// seat, works there until it has given it away, and so on until the executor
/// stops.
void *agpu__exec_work(void *thread);

/// Seats a spare or new thread at `seat`, which the caller gives up; at the
/// start it is nobody's. False where no thread is available; the caller
/// then keeps the seat.
bool agpu__exec_hand_over(agpu__seat *seat, agpu__search search);

#endif // ASYNC_GPU_RUNTIME_EXEC_CENSUS_H
