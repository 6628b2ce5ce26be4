//===- fork.c - The runtime in the child of a fork ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is a process that forks once more, mostly while its other threads
// are busy.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/parallel.h"
#include "child.h"
#include "helpers.h"

#include <pthread.h>

static void finish(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

static void add_up(void *sum, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_int *)sum, (int)(end - begin));
}

static void use_the_runtime(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(100);
  for (int i = 0; i < 100; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeExecute(token, finish);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
  atomic_int sum = 0;
  agpu_parallel_for(1000, 10, add_up, &sum);
  CHECK_EQ(sum, 1000);
}

static void use_after_use(void) {
  use_the_runtime();
  CHECK_EQ(child_exit(use_the_runtime, NULL, 0), 0);
  use_the_runtime();
}

static atomic_bool stop;

/// Takes all locks that a program can make the runtime take.
static void *keep_busy(void *unused) {
  (void)unused;
  while (!atomic_load(&stop)) {
    use_the_runtime();
    agpu_runtime_counters counters;
    agpu_runtime_get_counters(&counters);
  }
  return NULL;
}

#define BUSY 3

/// Whatever the other threads hold at that moment, the child can go on. The
/// more forks, the more moments; the time is bounded, not the moments.
static void fork_while_busy(void) {
  pthread_t threads[BUSY];
  for (int i = 0; i < BUSY; ++i)
    CHECK(pthread_create(&threads[i], NULL, keep_busy, NULL) == 0);
  for (int i = 0; i < 40; ++i)
    CHECK_EQ(child_exit(use_the_runtime, NULL, 0), 0);
  atomic_store(&stop, true);
  for (int i = 0; i < BUSY; ++i)
    pthread_join(threads[i], NULL);
}

static atomic_int runs;
static atomic_bool may_run, holds;

static void hold(void *unused) {
  (void)unused;
  atomic_store(&holds, true);
  while (!atomic_load(&may_run))
    usleep(100);
}

static void count_run(void *unused) {
  (void)unused;
  atomic_fetch_add(&runs, 1);
}

static void check_no_runs(void) {
  use_the_runtime();
  CHECK(!agpu_runtime_shutdown());
  CHECK_EQ(runs, 0);
}

/// With ASYNC_GPU_NUM_THREADS=1: what is queued behind a task that runs is the
/// parent's, and runs there once.
static void leave_tasks_to_the_parent(void) {
  setenv("ASYNC_GPU_NUM_THREADS", "1", 1);
  mlirAsyncRuntimeExecute(NULL, hold);
  while (!atomic_load(&holds))
    usleep(100);
  for (int i = 0; i < 2000; ++i) // more than an outbox holds
    mlirAsyncRuntimeExecute(NULL, count_run);
  CHECK_EQ(child_exit(check_no_runs, NULL, 0), 0);
  atomic_store(&may_run, true);
  CHECK(!agpu_runtime_shutdown());
  CHECK_EQ(runs, 2000);
}

static void leave_errors_to_the_parent(void) {
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "it broke", "a.mlir:1:1");
  mlirAsyncRuntimeDropRef(failed, 1);
  agpu_object *never = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAwaitTokenAndExecute(never, NULL, count_run);
  CHECK_EQ(child_exit(use_the_runtime, NULL, 0), 0); // silent
  mlirAsyncRuntimeEmplaceToken(never);
  mlirAsyncRuntimeDropRef(never, 1);
}

static agpu_object *pending;

static void await_pending(void) { mlirAsyncRuntimeAwaitToken(pending); }

/// What the parent's tasks would have made ready never gets so in the child.
static void await_the_parents_work(void) {
  pending = mlirAsyncRuntimeCreateToken();
  CHECK_EQ(child_exit(await_pending, NULL, 0), 1);
  mlirAsyncRuntimeEmplaceToken(pending);
  mlirAsyncRuntimeDropRef(pending, 1);
}

static void fork_and_use(void *token) {
  CHECK_EQ(child_exit(use_the_runtime, NULL, 0), 0);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void fork_and_return(void *token) {
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0)
    return;
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 1);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void fork_and_exec(void *token) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    (void)execl("/bin/true", "true", (char *)NULL);
    _exit(9);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void run_task(void (*task)(void *)) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(token, task);
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  use_the_runtime();
}

/// With its only worker held, the thread that waits runs the task itself.
static void return_from_a_brief_task(void) {
  setenv("ASYNC_GPU_NUM_THREADS", "1", 1);
  mlirAsyncRuntimeExecute(NULL, hold);
  while (!atomic_load(&holds))
    usleep(100);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_execute_brief(token, fork_and_return);
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  atomic_store(&may_run, true);
}

static void use_in_a_task(void) { run_task(fork_and_use); }
static void return_from_a_task(void) { run_task(fork_and_return); }
static void exec_in_a_task(void) { run_task(fork_and_exec); }

static atomic_int loop_children;

static void fork_in_piece(void *sum, int64_t begin, int64_t end) {
  if (atomic_fetch_add(&loop_children, 1) < 4)
    CHECK_EQ(child_exit(use_the_runtime, NULL, 0), 0);
  add_up(sum, begin, end);
}

static void use_in_a_loop(void) {
  atomic_int sum = 0;
  agpu_parallel_for(64, 1, fork_in_piece, &sum);
  CHECK_EQ(sum, 64);
}

static void fork_again(void) {
  use_the_runtime();
  CHECK_EQ(child_exit(use_after_use, NULL, 0), 0);
  use_the_runtime();
}

int main(void) {
  // One does not know threads that are started in a child, and the other's
  // allocator may be locked by another thread at a fork.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  printf("skipped: sanitizers do not know children of threads\n");
  return 77;
#endif
  check_child(use_after_use, 0, "");
  check_child(fork_again, 0, "");
  check_child(fork_while_busy, 0, "");
  check_child(use_in_a_loop, 0, "");
  check_child(leave_tasks_to_the_parent, 0, "");
  check_child(leave_errors_to_the_parent, 1, "a.mlir:1:1: error: it broke\n");
  check_child(await_the_parents_work, 0,
              "error: the program cannot go on: every thread is idle, and "
              "nothing is left that could end a wait\nnote: the main thread "
              "waits for token 1\n");
  check_child(use_in_a_task, 0, "");
  check_child(return_from_a_task, 0,
              "error: a task that forked has ended in the child, which has to "
              "exec or exit before that\n");
  check_child(return_from_a_brief_task, 0,
              "error: a task that forked has ended in the child, which has to "
              "exec or exit before that\n");
  check_child(exec_in_a_task, 0, "");
  return 0;
}
