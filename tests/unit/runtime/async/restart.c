//===- restart.c - Shutdown and start in one process ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many times, without that anything is left of a life: no thread, no file.
// Under valgrind and address sanitizer: no memory.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/parallel.h"
#include "helpers.h"
#include "threads_left.h"

#define LIVES 100

static void finish(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

/// Blocks in a task, so that a spare thread is needed.
static void wait_inside(void *token) {
  agpu_object *inner = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(inner, finish);
  mlirAsyncRuntimeAwaitToken(inner);
  mlirAsyncRuntimeDropRef(inner, 1);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void add_up(void *sum, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_int *)sum, (int)(end - begin));
}

/// A life with all that has threads and memory.
static void live(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(20);
  for (int i = 0; i < 20; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeExecute(token, i % 10 ? finish : wait_inside);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
  atomic_int sum = 0;
  agpu_parallel_for(1000, 10, add_up, &sum);
  CHECK_EQ(sum, 1000);
}

static void test_many_lives(void) {
  for (int i = 0; i < LIVES; ++i) {
    live();
    check_end(NULL);
    check_threads();
  }
}

static void test_files(void) {
  live();
  check_end(NULL);
  int before = count_entries("/proc/self/fd");
  for (int i = 0; i < 20; ++i) {
    live();
    check_end(NULL);
  }
  CHECK_EQ(count_entries("/proc/self/fd"), before);
}

static void test_shutdown_without_a_start(void) {
  CHECK(!agpu_runtime_shutdown());
  CHECK(!agpu_runtime_shutdown());
}

static void test_settings_are_read_again(void) {
  const char *before = getenv("ASYNC_GPU_NUM_THREADS");
  char *kept = before ? strdup(before) : NULL;
  setenv("ASYNC_GPU_NUM_THREADS", "3", 1);
  live();
  CHECK_EQ(mlirAsyncRuntimGetNumWorkerThreads(), 3);
  check_end(NULL);
  setenv("ASYNC_GPU_NUM_THREADS", "5", 1);
  CHECK_EQ(mlirAsyncRuntimGetNumWorkerThreads(), 5);
  live();
  check_end(NULL);
  unsetenv("ASYNC_GPU_NUM_THREADS");
  if (kept)
    setenv("ASYNC_GPU_NUM_THREADS", kept, 1);
  free(kept);
  live();
  check_end(NULL);
}

/// What has ended outlives the runtime that made it.
static void test_objects_that_have_ended_stay(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(token, finish);
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "it broke", "a.mlir:1:1");
  CHECK(agpu_object_is_error(failed));
  CHECK(!agpu_runtime_shutdown());
  CHECK(agpu_object_is_ready(token));
  live();
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK(agpu_object_is_error(failed));
  mlirAsyncRuntimeDropRef(failed, 1);
  check_end(NULL);
}

static void test_errors_belong_to_a_life(void) {
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "it broke", "a.mlir:1:1");
  mlirAsyncRuntimeDropRef(failed, 1);
  check_end("it broke");
  live();
  check_end(NULL);
}

/// A region that still waits at the end is told of once.
static void test_waits_belong_to_a_life(void) {
  static agpu_object *volatile never; // for good
  never = mlirAsyncRuntimeCreateToken();
  static atomic_int resumed;
  mlirAsyncRuntimeAwaitTokenAndExecute(never, &resumed, count_up);
  agpu_status status = agpu_runtime_shutdown();
#ifndef __SANITIZE_THREAD__ // has a thread that might end the wait
  CHECK(strstr(agpu_status_get_message(status), "suspended"));
#endif
  agpu_status_release(status);
  live();
  status = agpu_runtime_shutdown();
  CHECK_STR(agpu_status_get_message(status), "ok");
  CHECK_EQ(resumed, 0);
}

static void start_in_handler(void) {
  live();
  printf("a second life\n");
}

/// Of a handler that was registered before the runtime's, hence runs after it.
static void live_after_the_end(void) {
  atexit(start_in_handler);
  live();
}

int main(void) {
  count_threads_at_start();
  test_shutdown_without_a_start();
  test_many_lives();
  test_files();
  test_settings_are_read_again();
  test_objects_that_have_ended_stay();
  test_errors_belong_to_a_life();
  test_waits_belong_to_a_life();
  check_child(live_after_the_end, 0, "a second life\n");
  return 0;
}
