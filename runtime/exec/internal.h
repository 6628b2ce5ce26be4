//===- internal.h - The executor's parts ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// executor.c  start, submit, stop       sleep.c  sleepers and waking them
// worker.c    the workers' threads      wait.c   waits inside and outside tasks
// watch.c     standstills               throttle.c  spawners that are too fast
// enough.c    spawners that run what they spawn
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_INTERNAL_H
#define ASYNC_GPU_RUNTIME_EXEC_INTERNAL_H

#include "base/os/platform.h"
#include "base/sync/park.h"
#include "base/sync/schedule.h"
#include "exec/executor.h"
#include "exec/policy/topology.h"
#include "exec/queue/deque.h"
#include "exec/queue/outside.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// Signals on parkers, beside AGPU__EXEC_DONE.
#define AGPU__EXEC_NOTIFIED AGPU__PARK_BIT(1) ///< there is work, or the end
#define AGPU__EXEC_SEATED AGPU__PARK_BIT(2)   ///< a spare thread got a seat

/// A worker's place: whoever sits here owns the deque and runs tasks. There
/// are as many seats as workers; threads come and go.
typedef struct agpu__seat {
  agpu__deque deque;
  uint32_t random; ///< state of the generator that picks victims
  uint32_t tick;   ///< tasks looked for, for fairness to threads outside
  agpu__patience patience;
  int64_t spin_ns; ///< how long to search before going to sleep
} agpu__seat;

/// A thread in, or about to go to, sleep. On the list of those that can be
/// woken for work, or of those that wait for AGPU__EXEC_DONE alone.
typedef struct agpu__sleeper {
  agpu__parker *parker;
  struct agpu__sleeper *previous, *next;
  bool listed;
  /// Inside a task, hence at work although it sleeps.
  bool in_task;
} agpu__sleeper;

/// A thread of the executor.
typedef struct agpu__exec_thread {
  pthread_t handle;
  agpu__parker parker;            ///< for SEATED, NOTIFIED
  agpu__seat *seat;               ///< given before SEATED is signalled
  bool searching;                 ///< likewise: takes over a searcher's role
  struct agpu__exec_thread *next; ///< of all threads
  struct agpu__exec_thread *next_spare; ///< while it is spare
} agpu__exec_thread;

typedef struct agpu__executor {
  _Atomic(bool) started;
  pthread_mutex_t start_lock;
  /// What the number of workers is or would be; 0 where nobody has asked.
  _Atomic(int64_t) wanted_workers;
  uint32_t seat_count;
  uint32_t worker_count; ///< seats that got a thread; fixed after the start
  agpu__seat *seats;
  /// The CPU on which each seat's thread last looked for work; -1 at first.
  /// Apart from the seats, so that a thief reads few lines to choose.
  _Atomic(int32_t) *seat_cpus;
  agpu__topology topology;

  /// Sleepers in the list, and threads woken to search that have not found or
  /// given up yet. Both are hints for submitters, ordered with the queues by
  /// sequential consistency; see sleep.c.
  AGPU__CACHE_ALIGNED atomic_int sleeping;
  atomic_int searching;

  /// Threads outside that look for brief tasks of their own, or run one, and,
  /// in units of AGPU__EXEC_HELP, how many ever have.
  AGPU__CACHE_ALIGNED _Atomic(uint64_t) helping;

  /// Spawners in agpu__exec_throttle, and tasks alive that they could not wait
  /// for. Changed under the lock.
  AGPU__CACHE_ALIGNED atomic_int throttled;
  _Atomic(int64_t) tasks_to_stay;

  AGPU__CACHE_ALIGNED pthread_mutex_t lock; ///< guards what follows
  pthread_cond_t quiet;
  pthread_cond_t relief; ///< for `throttled`
  agpu__sleeper *sleepers;
  agpu__sleeper *waiters; ///< for AGPU__EXEC_DONE alone
  int active;             ///< threads that run tasks or look for some
  int stuck;              ///< those of them that sleep inside a task
  int held;               ///< those of them that are throttled
  uint64_t wakeups;       ///< times `active` grew
  uint64_t rises;         ///< times a thread left its sleep inside a task
  bool stopping;
  agpu__exec_thread *threads;
  agpu__exec_thread *spares;
  uint32_t thread_count;
} agpu__executor;

#define AGPU__EXEC_HELP (UINT64_C(1) << 32)

/// Spawns of one task before agpu__exec_throttle looks.
#define AGPU__EXEC_FREE_SPAWNS 64

extern agpu__executor agpu__the_executor;

/// What a thread knows of itself.
typedef struct agpu__exec_self {
  agpu__seat *seat; ///< NULL: not a worker, or gave its seat away
  uint64_t task_number;
  uint32_t depth; ///< tasks on the stack
  bool is_orphan; ///< that was in a task that forked: this is the child
  /// Run before those queued; no `resume`: none. No other thread sees it, so it
  /// is there only while none could be wanted: from the end of one task to the
  /// search for the next.
  agpu__task next;
  uint32_t started_here; ///< what runs on top of its spawner (enough.c)
  uint32_t spawns_left;  ///< until agpu__exec_throttle looks
} agpu__exec_self;

extern AGPU__HOT_THREAD_LOCAL agpu__exec_self agpu__self;

/// Starts the executor if it has not been started. (executor.c)
void agpu__exec_ensure_started(void);

/// Puts `next` where other threads can take it, if there is one. (executor.c)
void agpu__exec_queue_next(void);

/// Runs a task on this thread. (worker.c)
void agpu__exec_run(agpu__task task);

/// A task has returned in the child of a fork that it made: whoever ran it is
/// the parent's. (worker.c)
_Noreturn void agpu__exec_end_orphan(void);

/// Looks for a task: in the thread's seat if it has one, among those from
/// outside, at the other seats. `patient`: lets some be for a moment (see
/// agpu__outside_take). (worker.c)
bool agpu__exec_find(bool patient, agpu__task *out_task);

/// Seats a spare or new thread at `seat`, which the caller gives up. False
/// where no thread is to be had; the caller then keeps the seat. (worker.c)
bool agpu__exec_hand_over(agpu__seat *seat, bool searching);

/// Whether any queue has a task. Sequentially consistent. (sleep.c)
bool agpu__exec_has_work(void);

/// After a task was queued: wakes a sleeper unless one is on its way. (sleep.c)
void agpu__exec_notify(void);

/// Makes the calling thread a searcher, unless there is one. (sleep.c)
bool agpu__exec_begin_search(void);

/// Lets time pass, for a thread that expects something within microseconds and
/// has looked for it `looks` times. False if it should go to sleep. (sleep.c)
bool agpu__exec_spin(uint32_t looks);

/// The calling thread, a searcher, found a task or gives up. (sleep.c)
void agpu__exec_end_search(void);

/// The calling thread begins or ends to run tasks. (sleep.c)
void agpu__exec_activate(void);
void agpu__exec_deactivate(void);

/// The second under the lock. (sleep.c)
void agpu__exec_count_out(agpu__executor *executor);

/// Sleeps until there may be work, or until `parker` has `also`. `searching`
/// says whether the caller is a searcher, and afterwards whether it is one: it
/// was woken for work, and must find a task or call agpu__exec_end_search.
/// (sleep.c)
void agpu__exec_sleep(agpu__parker *parker, uint32_t also, bool in_task,
                      bool *searching);

/// Without a seat: sleeps until `parker` has AGPU__EXEC_DONE. (sleep.c)
void agpu__exec_sleep_seatless(agpu__parker *parker);

/// Under the lock, after fewer threads were at work: tells throttled spawners
/// if none is. (throttle.c)
void agpu__exec_lull(agpu__executor *executor);

/// From time to time while `throttled` > 0: tells the spawners if they have
/// waited enough. (throttle.c)
void agpu__exec_relieve(void);

/// Waits until `parker` has any of `mask`. The process's first thread looks
/// from time to time whether the program has come to a standstill. (watch.c)
void agpu__exec_rest(agpu__parker *parker, uint32_t mask);

/// Whether something outside the executor is pending that will submit a task or
/// signal a parker, as far as the watch knows. (watch.c)
bool agpu__exec_is_pending(void);

/// Waits on the executor's condition `quiet`; under its lock. Looks likewise.
/// (watch.c)
void agpu__exec_rest_until_quiet(void);

#endif // ASYNC_GPU_RUNTIME_EXEC_INTERNAL_H
