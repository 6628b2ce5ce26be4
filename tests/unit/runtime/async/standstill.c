//===- standstill.c - Standstills are reported ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// And nothing else is taken for one. Each case is a process of its own, since
// a report ends it.
//
//===----------------------------------------------------------------------===//

#include "async/lifecycle.h"
#include "base/os/thread.h"
#include "child.h"
#include "exec/census.h"
#include "helpers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#define CANNOT_GO_ON                                                           \
  "the program cannot go on: every thread is idle, and nothing is left that "  \
  "could end a wait\n"

static void nothing(void *unused) { (void)unused; }

static void await_forever(void) {
  agpu_object_await(mlirAsyncRuntimeCreateToken(), "a.mlir:1:2");
}

static void await_without_a_place(void) {
  mlirAsyncRuntimeAwaitValue(mlirAsyncRuntimeCreateValue(8));
}

/// A group that lacks members is the cause, whoever waits for it.
static void await_behind_a_group(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken(); // of the coroutine
  agpu_object *group = mlirAsyncRuntimeCreateGroup(3);
  agpu_object *member = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAddTokenToGroup(member, group);
  mlirAsyncRuntimeEmplaceToken(member);
  agpu_object *second = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAddTokenToGroup(second, group);
  agpu_object_await_and_execute(group, token, nothing, "a.mlir:3:4");
  agpu_object_await(token, "a.mlir:5:6");
}

static void await_in_task(void *token) {
  agpu_object_await(token, "a.mlir:7:8");
}

/// A cycle through a blocking wait: its thread is inside a task.
static void await_a_task_that_waits(void) {
  mlirAsyncRuntimeExecute(mlirAsyncRuntimeCreateToken(), await_in_task);
  agpu_object_await(mlirAsyncRuntimeCreateToken(), "a.mlir:1:2");
}

/// Time as it would be told before someone puts the clock back by a year.
int clock_gettime(clockid_t clock, struct timespec *out_time) {
  int failed = (int)syscall(SYS_clock_gettime, clock, out_time);
  if (clock == CLOCK_REALTIME)
    out_time->tv_sec += 365 * 24 * 3600;
  return failed;
}

static atomic_int scans, scans_under_lock;

/// The list of threads is long to read: others go on meanwhile.
DIR *opendir(const char *path) {
  DIR *(*real)(const char *);
  *(void **)&real = dlsym(RTLD_NEXT, "opendir");
  if (strcmp(path, "/proc/self/task") == 0) {
    atomic_fetch_add(&scans, 1);
    pthread_mutex_t *lock = &agpu__the_executor.lock.native;
    int held = pthread_mutex_trylock(lock);
    for (int i = 0; i < 100 && held; ++i) { // by a thread for a moment
      usleep(1000);
      held = pthread_mutex_trylock(lock);
    }
    if (held)
      atomic_fetch_add(&scans_under_lock, 1);
    else
      pthread_mutex_unlock(lock);
  }
  return real(path);
}

static void await_a_foreign_thread(void);

static void look_for_threads(void) {
  await_a_foreign_thread();
  CHECK(atomic_load(&scans) > 0);
  CHECK_EQ(atomic_load(&scans_under_lock), 0);
}

/// The main thread does not wait itself, but the end of the process does.
static void leave_a_task_that_waits(void) {
  mlirAsyncRuntimeExecute(mlirAsyncRuntimeCreateToken(), await_in_task);
}

static void leave_a_suspended_coroutine(void) {
  // What is left on purpose is no leak to a leak checker.
  static agpu_object *volatile token;
  token = mlirAsyncRuntimeCreateToken();
  agpu_object_await_and_execute(token, NULL, nothing, "a.mlir:3:4");
}

static void leave_a_suspended_coroutine_unwatched(void) {
  setenv("ASYNC_GPU_WATCHDOG", "off", 1);
  leave_a_suspended_coroutine();
}

static void set_wrong_watchdog(void) {
  setenv("ASYNC_GPU_WATCHDOG", "maybe", 1);
  mlirAsyncRuntimeExecute(NULL, nothing);
}

// What follows goes on in the end.

static void emplace_late(void *token) {
  usleep(400 * 1000);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void await_one_at_a_time(void *unused) {
  (void)unused;
  for (int i = 0; i < 2; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeExecute(token, emplace_late);
    mlirAsyncRuntimeAwaitToken(token);
    mlirAsyncRuntimeDropRef(token, 1);
  }
}

/// Tasks that sleep, and threads that wait for them in tasks of their own.
static void sleep_in_tasks(void) {
  for (int i = 0; i < 3; ++i)
    mlirAsyncRuntimeExecute(NULL, await_one_at_a_time);
  await_one_at_a_time(NULL);
}

static void *emplace_in_thread(void *token) {
  emplace_late(token);
  return NULL;
}

/// A thread of the program's own emplaces, and enters the runtime only then.
static void await_a_foreign_thread(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, emplace_in_thread, token) == 0);
  mlirAsyncRuntimeAwaitToken(token);
  pthread_join(thread, NULL);
  mlirAsyncRuntimeDropRef(token, 1);
}

static void *emplace_as_the_driver(void *token) {
  pthread_setname_np(pthread_self(), "cuda-EvtHandlr");
  emplace_late(token);
  return NULL;
}

/// A library has put a host function on a stream of its own.
static void await_a_host_function(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, emplace_as_the_driver, token) == 0);
  mlirAsyncRuntimeAwaitToken(token);
  pthread_join(thread, NULL);
  mlirAsyncRuntimeDropRef(token, 1);
}

static void *await_in_thread(void *unused) {
  (void)unused;
  agpu_object_await(mlirAsyncRuntimeCreateToken(), "a.mlir:1:2");
  return NULL;
}

/// Once the foreign threads have ended, standstills are noticed again. One
/// that waits for good itself keeps the program waiting.
static void join_and_await_forever(void) {
  await_a_foreign_thread();
  await_forever();
}

static void *exit_later(void *unused) {
  (void)unused;
  usleep(600 * 1000);
  printf("still waiting\n");
  fflush(stdout);
  _exit(5);
}

static void await_in_two_threads(void) {
  pthread_t waiting, ending;
  CHECK(pthread_create(&waiting, NULL, await_in_thread, NULL) == 0);
  CHECK(pthread_create(&ending, NULL, exit_later, NULL) == 0);
  await_forever();
}

static void await_unwatched(void) {
  setenv("ASYNC_GPU_WATCHDOG", "off", 1);
  alarm(1);
  await_forever();
}

// A device whose completion is requested, and comes late.
static fake_work work;
static atomic_bool pending;
static bool device_is_pending(void) { return atomic_load(&pending); }
static void drain(void) {}
static void count(agpu_runtime_counters *counters) { (void)counters; }

static void *complete_late(void *unused) {
  (void)unused;
  usleep(400 * 1000);
  fake_work_complete(&work, AGPU_OK);
  atomic_store(&pending, false);
  return NULL;
}

static void await_a_device(void) {
  static const agpu__outside_life life = {.drain = drain,
                                          .is_pending = device_is_pending,
                                          .shutdown = drain,
                                          .count = count};
  agpu__set_device_life(&life);
  fake_work_init(&work);
  atomic_store(&pending, true);
  agpu_object *token = agpu__token_create_enqueued(&work.base);
  pthread_t thread;
  CHECK(agpu__thread_create(&thread, "device", complete_late, NULL) == 0);
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  await_forever(); // and now nothing is pending any more
}

/// Ends by SIGALRM, hence is not a case for check_child.
static void check_unwatched(void) {
  int status = child_run(await_unwatched, NULL, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

int main(void) {
#ifdef __SANITIZE_THREAD__
  printf(
      "skipped: the sanitizer has a thread that the runtime does not know\n");
  return 77;
#endif
  static const char forever[] =
      "a.mlir:1:2: error: " CANNOT_GO_ON
      "a.mlir:1:2: note: the main thread waits for token 1\n";
  check_child(await_forever, 1, forever);
  check_child(await_without_a_place, 1,
              "error: " CANNOT_GO_ON
              "note: the main thread waits for value 1\n");
  check_child(
      await_behind_a_group, 1,
      "a.mlir:3:4: error: a group created for 3 members has 2, and nothing is "
      "left that could add more\n"
      "a.mlir:5:6: note: the main thread waits for token 1\n"
      "a.mlir:3:4: note: a suspended region waits for group 2 (declared: 3 "
      "members, added: 2, complete: 1)\n"
      "note: group 2 waits for its member token 4\n");
  check_child(
      await_a_task_that_waits, 1,
      "a.mlir:1:2: error: " CANNOT_GO_ON
      "a.mlir:7:8: note: a function called from a region waits for token 1\n"
      "a.mlir:1:2: note: the main thread waits for token 2\n");
  check_child(
      leave_a_task_that_waits, 1,
      "error: " CANNOT_GO_ON
      "a.mlir:7:8: note: a function called from a region waits for token 1\n");
  check_child(leave_a_suspended_coroutine, 1,
              "error: the program ended, and nothing is left that could end "
              "the waits of 1 suspended regions\n"
              "a.mlir:3:4: note: a suspended region waits for token 1\n");
  check_child(leave_a_suspended_coroutine_unwatched, 0, "");
  check_child(set_wrong_watchdog, 1,
              "error: ASYNC_GPU_WATCHDOG is \"maybe\"; expected on or off\n");
  check_child(sleep_in_tasks, 0, "");
  check_child(await_a_foreign_thread, 0, "");
  check_child(look_for_threads, 0, "");
  check_child(await_a_host_function, 0, "");
  check_child(join_and_await_forever, 1,
              "a.mlir:1:2: error: " CANNOT_GO_ON
              "a.mlir:1:2: note: the main thread waits for token 2\n");
  check_child(await_in_two_threads, 5, "still waiting\n");
  check_child(await_a_device, 1,
              "a.mlir:1:2: error: " CANNOT_GO_ON
              "a.mlir:1:2: note: the main thread waits for token 2\n");
  check_unwatched();
  return 0;
}
