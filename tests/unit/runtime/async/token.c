//===- token.c - Tokens and values --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/executor.h"
#include "helpers.h"

#include <pthread.h>
#include <unistd.h>

static void test_emplace(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  CHECK(!agpu_object_is_ready(token));
  CHECK(!agpu_object_is_enqueued(token));
  mlirAsyncRuntimeEmplaceToken(token);
  CHECK(agpu_object_is_ready(token));
  CHECK(agpu_object_is_enqueued(token));
  CHECK(!mlirAsyncRuntimeIsTokenError(token));
  CHECK(!agpu_object_get_status(token));
  mlirAsyncRuntimeAwaitToken(token);
  agpu_object_await_enqueued(token);
  agpu_object_check(token, "a.mlir:1:1"); // does nothing
  mlirAsyncRuntimeDropRef(token, 1);
}

static void test_references(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAddRef(token, 3);
  mlirAsyncRuntimeDropRef(token, 2);
  mlirAsyncRuntimeDropRef(token, 2); // the consumers' last
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.tokens, 1);
  mlirAsyncRuntimeEmplaceToken(token);
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.tokens, 0);
}

static void test_value_storage(void) {
  static const int64_t sizes[] = {0, 1, 4, 64, 100, 4096};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    agpu_object *value = mlirAsyncRuntimeCreateValue(sizes[i]);
    void *storage = mlirAsyncRuntimeGetValueStorage(value);
    CHECK_EQ((uintptr_t)storage % 64, 0);
    memset(storage, 7, (size_t)sizes[i]);
    mlirAsyncRuntimeEmplaceValue(value);
    mlirAsyncRuntimeAwaitValue(value);
    CHECK(mlirAsyncRuntimeGetValueStorage(value) == storage);
    mlirAsyncRuntimeDropRef(value, 1);
  }
}

/// The same pending object, awaited often and in every way.
static void test_many_awaiters(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  atomic_int resumed = 0;
  for (int i = 0; i < 1000; ++i) {
    mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
    agpu_object_await_enqueued_and_execute(token, &resumed, count_up);
  }
  usleep(1000);
  CHECK_EQ(resumed, 0);
  mlirAsyncRuntimeEmplaceToken(token);
  check_reaches(&resumed, 2000);
  // And once it is ready.
  mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
  check_reaches(&resumed, 2001);
  mlirAsyncRuntimeDropRef(token, 1);
}

static pthread_t resumed_on;

static void note_thread(void *handle) {
  resumed_on = pthread_self();
  count_up(handle);
}

static void test_resume_is_never_inside_the_call(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  atomic_int resumed = 0;
  mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, note_thread);
  check_reaches(&resumed, 1); // without helping: on another thread
  CHECK(!pthread_equal(resumed_on, pthread_self()));
  mlirAsyncRuntimeDropRef(token, 1);
}

static void *await_in_thread(void *token) {
  mlirAsyncRuntimeAwaitToken(token);
  return NULL;
}

static void emplace(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

static void test_threads_await(void) {
  for (int round = 0; round < 200; ++round) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i)
      CHECK(pthread_create(&threads[i], NULL, await_in_thread, token) == 0);
    mlirAsyncRuntimeExecute(token, emplace);
    mlirAsyncRuntimeAwaitToken(token);
    for (int i = 0; i < 4; ++i)
      pthread_join(threads[i], NULL);
    mlirAsyncRuntimeDropRef(token, 1);
  }
}

/// Each link is emplaced by the task that the one before resumed.
typedef struct link {
  agpu_object *own;
} link_t;

static void emplace_link(void *handle) {
  mlirAsyncRuntimeEmplaceToken(((link_t *)handle)->own);
}

static void test_long_chain(void) {
  enum { LINKS = 200000 };
  link_t *links = calloc(LINKS, sizeof(*links));
  CHECK(links);
  for (int i = 0; i < LINKS; ++i) {
    links[i].own = mlirAsyncRuntimeCreateToken();
    if (i > 0)
      mlirAsyncRuntimeAwaitTokenAndExecute(links[i - 1].own, &links[i],
                                           emplace_link);
  }
  mlirAsyncRuntimeEmplaceToken(links[0].own);
  mlirAsyncRuntimeAwaitToken(links[LINKS - 1].own);
  // The last task drops its token after it has given it.
  agpu__exec_drain();
  for (int i = 0; i < LINKS; ++i)
    mlirAsyncRuntimeDropRef(links[i].own, 1);
  free(links);
}

static void test_frames(void) {
  void *frame = agpu_frame_alloc(200, 64);
  CHECK_EQ((uintptr_t)frame % 64, 0);
  memset(frame, 1, 200);
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.frames, 1);
  agpu_frame_free(frame);
  agpu_frame_free(NULL);
}

/// One that all share and nobody counts.
static void test_ready_token(void) {
  agpu_object *token = &agpu_ready_token;
  CHECK(agpu_object_is_ready(token) && agpu_object_is_enqueued(token));
  CHECK(!mlirAsyncRuntimeIsTokenError(token));
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(token, 3);
  mlirAsyncRuntimeAddRef(token, 2);
  mlirAsyncRuntimeDropRef(token, 3);
  mlirAsyncRuntimeAwaitToken(token);
  agpu_object_await(token, NULL);
  atomic_int resumed = 0;
  agpu_execute_after(token, &resumed, count_up, false, NULL);
  agpu_execute_after(token, &resumed, count_up, true, NULL);
  check_reaches(&resumed, 2);
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.tokens, 0);
}

static void test_execute_after(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  atomic_int resumed = 0;
  agpu_execute_after(token, &resumed, count_up, false, NULL);
  agpu_execute_after(token, &resumed, count_up, true, NULL);
  CHECK_EQ(atomic_load(&resumed), 0);
  mlirAsyncRuntimeEmplaceToken(token);
  check_reaches(&resumed, 2);
  mlirAsyncRuntimeDropRef(token, 1);
}

int main(void) {
  test_emplace();
  test_references();
  test_value_storage();
  test_many_awaiters();
  test_resume_is_never_inside_the_call();
  test_threads_await();
  test_long_chain();
  test_frames();
  test_ready_token();
  test_execute_after();
  CHECK(mlirAsyncRuntimGetNumWorkerThreads() > 0);
  check_end(NULL);
  return 0;
}
