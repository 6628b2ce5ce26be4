//===- executor.h - The executor --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of workers, each with a deque of tasks, that steal from each other.
// It starts with the first call that needs it. The number of workers is that
// of the CPUs that the process may use (base/os/cpus.h), or
// ASYNC_GPU_NUM_THREADS (1 to 1024).
//
// Waiting never deadlocks: a thread that must wait for something
//
// - inside a task on a worker does not hold up the worker's tasks: as soon as
//   there are any, it hands its place (the deque, and the right to run tasks)
//   to a spare thread and sleeps until it can go on;
// - outside any task runs such tasks of its own as are brief (see task.h) and
//   those that it waits for, then sleeps. It runs no others meanwhile: one of
//   them could wait in turn for something that this thread alone does later,
//   and would hold it up for good. What it waits for holds it up in any case.
//
// A task is never run on top of another task that waits: the lower one may be
// what the upper one needs, and could not go on below it. So one worker is
// enough for every program that is correct with many. Only when a thousand
// spare threads wait, or the system gives no more, is a task run on top after
// all.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_EXECUTOR_H
#define ASYNC_GPU_RUNTIME_EXEC_EXECUTOR_H

#include "base/memory/counter.h"
#include "base/os/fork.h"
#include "base/os/self.h"
#include "base/sync/park.h"
#include "base/sync/schedule.h"
#include "exec/queue/task.h"

#include <stdbool.h>
#include <stdint.h>

/// Spawns of one task before agpu__exec_throttle looks.
#define AGPU__EXEC_FREE_SPAWNS 64

/// The bit that ends agpu__exec_wait. A parker that is waited on in this way
/// must be signalled with this bit alone.
#define AGPU__EXEC_DONE AGPU__PARK_BIT(0)

/// Runs `task` soon, on some thread, never inside this call. Starts the
/// executor. Any thread.
void agpu__exec_submit(agpu__task task);

/// The same in two steps: a task that is announced counts as alive (see
/// agpu__exec_throttle) although it is not yet known when it can run. Exactly
/// one call of the second follows each of the first. Any thread.
static inline void agpu__exec_announce(void) {
  agpu__counter_add(AGPU__COUNT_TASKS, 1);
}
void agpu__exec_submit_announced(agpu__task task);

/// Whether the calling thread has queued enough tasks for the others to do, so
/// that it had better run one more itself than submit it; false where its stack
/// is too deep for that. See enough.c. If true, what the thread submits until
/// agpu__exec_started_here is submitted inside of what it runs: it is not
/// throttled. Calls nest. The latter throttles if `suspended`. Any thread.
bool agpu__exec_run_inline(void);
void agpu__exec_started_here(bool suspended);

/// As agpu__exec_submit_announced, inside a task that is about to return: a
/// worker runs the first such task next, and nobody can take it away. So a
/// chain stays on one CPU.
static inline void agpu__exec_submit_next(agpu__task task) {
  // Only where it is the worker's loop that the task returns to: a thread that
  // runs one on top of a wait may have no use for another, and what runs on top
  // of its spawner returns to that.
  if (agpu__hot.exec.seat && agpu__hot.exec.depth == 1 &&
      agpu__hot.exec.started_here == 0 && !agpu__hot.exec.next_resume &&
      !agpu__stray(AGPU__POINT_NEXT)) {
    agpu__hot.exec.next_handle = task.handle;
    agpu__hot.exec.next_resume = task.resume;
  } else {
    agpu__exec_submit_announced(task);
  }
}

/// Returns once AGPU__EXEC_DONE has been signalled on `parker`, which belongs
/// to the calling thread. Tasks go on meanwhile. That needs the `wanted` ones
/// to end, all of them: the thread may run those that it has submitted itself.
/// Starts the executor. Any thread.
void agpu__exec_wait(agpu__parker *parker, agpu__wanted wanted);

/// Runs the oldest task that the calling thread has submitted outside of tasks,
/// if that has not begun and is brief or one of the `wanted`, of which the
/// thread needs all. False where there is none. Any thread.
bool agpu__exec_help(agpu__wanted wanted);

/// From now on threads that wait ask `source`, which submits what has come, and
/// says how often a thread is to ask before it yields; 0: no more may come. It
/// does not block. Who `leaves` sleeps. Any thread.
AGPU__SHARED void agpu__exec_set_source(uint32_t (*source)(bool leaves));

/// Whether there is more to run, or the calling task is on top of its spawner.
AGPU__SHARED bool agpu__exec_has_more(void);

/// How many workers there are or would be. Does not start them. Any thread.
int64_t agpu__exec_worker_count(void);

/// Starts the executor if it has not been started. Any thread.
AGPU__SHARED void agpu__exec_start(void);

/// Whether the calling thread is inside a task.
static inline bool agpu__exec_in_task(void) { return agpu__hot.exec.depth > 0; }

/// A number that differs between two tasks that the calling thread runs one
/// after the other, and stays the same within one.
static inline uint64_t agpu__exec_task_number(void) {
  return agpu__hot.exec.task_number;
}

/// What agpu__exec_throttle does once in a while.
void agpu__exec_throttle_now(void);

/// For a thread that has submitted a task: lets it wait while some thousands of
/// tasks are alive (announced, queued or running) and get fewer, so that a
/// spawner does not fill the memory with what it is ahead. Returns in the end
/// whatever the tasks do; see throttle.c. Any thread.
static inline void agpu__exec_throttle(void) {
  if (agpu__hot.exec.started_here > 0)
    return;
  if (agpu__hot.exec.spawns_left > 0)
    --agpu__hot.exec.spawns_left;
  else
    agpu__exec_throttle_now();
}

/// Waits until no task is queued or running. Tasks that threads of others
/// submit meanwhile may or may not be waited for. Not inside a task.
void agpu__exec_drain(void);

/// Counts the times the executor came out of rest. If it is the same before
/// and after something, and agpu__exec_is_quiet() then holds, no task ran in
/// between.
uint64_t agpu__exec_wakeups(void);

/// Whether no task is queued or running.
bool agpu__exec_is_quiet(void);

/// Ends and joins all threads of an executor that is quiet, and frees its
/// memory. Nothing is submitted meanwhile; what is submitted afterwards starts
/// it anew, with as many workers as the environment says then. Not inside a
/// task.
void agpu__exec_stop(void);

/// At a fork (base/os/fork.h). The child's executor has not been started; tasks
/// that were queued or ran are the parent's alone. A thread that forks inside a
/// task may go on in the child until that task would end.
void agpu__exec_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_EXEC_EXECUTOR_H
