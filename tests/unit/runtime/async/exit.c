//===- exit.c - How the process ends ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is a child process; what it prints and its exit status are checked.
//
//===----------------------------------------------------------------------===//

#include "async/lifecycle.h"
#include "helpers.h"

#include <pthread.h>
#include <unistd.h>

static void print_later(void *token) {
  usleep(20000);
  printf("done\n");
  mlirAsyncRuntimeEmplaceToken(token);
}

/// Nobody waits for the region, but the process's end.
static void leave_work_behind(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeExecute(token, print_later);
}

static void leave_an_error(void) {
  printf("printed before\n");
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_object_set_error(token, "it broke", "a.mlir:4:2");
}

static void leave_an_error_and_fail(void) {
  leave_an_error();
  exit(3);
}

static void shut_down_before(void) {
  leave_an_error();
  agpu_status status = agpu_runtime_shutdown();
  CHECK_STR(agpu_status_get_message(status), "it broke");
  agpu_status_release(status); // told, so the exit is silent
}

static void check_an_error(void) {
  printf("printed before\n");
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(token, "it broke", "a.mlir:4:2");
  agpu_object_check(token, "a.mlir:9:9");
}

static void *check_in_thread(void *token) {
  agpu_object_check(token, "a.mlir:9:9");
  return NULL;
}

static void check_an_error_in_many_threads(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(token, "it broke", NULL);
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i)
    CHECK(pthread_create(&threads[i], NULL, check_in_thread, token) == 0);
  for (;;)
    pause();
}

static void exit_now(void *unused) {
  (void)unused;
  exit(7);
}

static void exit_inside_a_task(void) {
  mlirAsyncRuntimeExecute(NULL, exit_now);
  for (;;)
    pause();
}

static void set_wrong_threads(void) {
  setenv("ASYNC_GPU_NUM_THREADS", "many", 1);
  leave_work_behind();
}

// A device whose work, when drained, resumes host tasks that enqueue more.
static fake_work first, second;
static int shutdowns;

static void print_and_drop(void *token) {
  printf("done\n");
  mlirAsyncRuntimeDropRef(token, 1);
}

static void enqueue_second(void) {
  fake_work_init(&second);
  agpu_object *token = agpu__token_create_enqueued(&second.base);
  mlirAsyncRuntimeAwaitTokenAndExecute(token, token, print_and_drop);
}

static void drain(void) {
  if (atomic_load(&first.requested))
    fake_work_complete(&first, AGPU_OK);
  if (atomic_load(&second.requested))
    fake_work_complete(&second, AGPU_OK);
}

static bool is_pending(void) {
  return atomic_load(&first.requested) || atomic_load(&second.requested);
}

static void shut_device_down(void) { ++shutdowns; }

static void count_device(agpu_runtime_counters *counters) {
  counters->streams = 5;
}

static void resume_twice(void *handle) {
  mlirAsyncRuntimeDropRef(handle, 1);
  enqueue_second();
}

static void drain_host_and_device(void) {
  static const agpu__outside_life life = {.drain = drain,
                                          .is_pending = is_pending,
                                          .shutdown = shut_device_down,
                                          .count = count_device};
  agpu__set_device_life(&life);
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.streams, 5);
  fake_work_init(&first);
  agpu_object *token = agpu__token_create_enqueued(&first.base);
  mlirAsyncRuntimeAwaitTokenAndExecute(token, token, resume_twice);
  check_end(NULL);
  CHECK_EQ(shutdowns, 1);
  CHECK(!agpu_runtime_shutdown());
  CHECK_EQ(shutdowns, 1);
}

int main(void) {
  check_child(leave_work_behind, 0, "done\n");
  check_child(leave_an_error, 1,
              "printed before\na.mlir:4:2: error: it broke\n");
  check_child(leave_an_error_and_fail, 3,
              "printed before\na.mlir:4:2: error: it broke\n");
  check_child(shut_down_before, 0, "printed before\n");
  check_child(check_an_error, 1,
              "printed before\na.mlir:4:2: error: it broke\n");
  check_child(check_an_error_in_many_threads, 1,
              "a.mlir:9:9: error: it broke\n");
  check_child(exit_inside_a_task, 7, "");
  check_child(set_wrong_threads, 1,
              "error: ASYNC_GPU_NUM_THREADS is \"many\"; expected an integer "
              "from 1 to 1024\n");
  check_child(drain_host_and_device, 0, "done\n");
  return 0;
}
