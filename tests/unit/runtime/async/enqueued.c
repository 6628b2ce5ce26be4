//===- enqueued.c - Objects with work on a device -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include "async/object.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void test_device_consumers_need_no_completion(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  atomic_int resumed = 0;
  agpu_object_await_enqueued_and_execute(token, &resumed, count_up);
  CHECK(!agpu__object_get_work(token));
  usleep(1000);
  CHECK_EQ(resumed, 0);
  agpu__object_enqueue(token, &work.base);
  check_reaches(&resumed, 1);
  CHECK(agpu_object_is_enqueued(token));
  CHECK(!agpu_object_is_ready(token));
  agpu_object_await_enqueued(token);
  agpu_object_await_enqueued_and_execute(token, &resumed, count_up);
  check_reaches(&resumed, 2);
  CHECK(agpu__object_get_work(token) == &work.base);
  CHECK_EQ(work.references, 1);
  CHECK_EQ(work.requests, 0);
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK_EQ(work.references, 0);
}

/// One call asks, and waits only if it has to.
static void test_enqueued_or_execute(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  atomic_int resumed = 0;
  CHECK(!agpu_object_enqueued_or_execute(token, &resumed, count_up));
  usleep(1000);
  CHECK_EQ(resumed, 0);
  agpu__object_enqueue(token, &work.base);
  check_reaches(&resumed, 1);
  CHECK(agpu_object_enqueued_or_execute(token, &resumed, count_up));
  usleep(1000);
  CHECK_EQ(resumed, 1);
  mlirAsyncRuntimeDropRef(token, 1);

  token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeSetTokenError(token);
  CHECK(agpu_object_enqueued_or_execute(token, &resumed, count_up));
  CHECK(agpu_object_is_error(token));
  CHECK_EQ(resumed, 1);
  mlirAsyncRuntimeDropRef(token, 1);
}

/// What compiled code puts into a frame.
typedef struct frame {
  char header[AGPU_ENQUEUED_CALL_BYTES];
  agpu_object *result, *awaited[2], *other;
  atomic_int *calls;
} frame;

static void body(void *data) {
  frame *self = data;
  atomic_fetch_add(self->calls, 1);
  mlirAsyncRuntimeEmplaceToken(self->result);
  for (int i = 0; i < 2; ++i)
    mlirAsyncRuntimeDropRef(self->awaited[i], 1);
  mlirAsyncRuntimeDropRef(self->other, 1);
}

/// Calls `body`; the objects are the caller's still.
static agpu_object *call(agpu_object *first, agpu_object *second,
                         agpu_object *other, atomic_int *calls) {
  frame *self = agpu_frame_alloc(sizeof(frame), _Alignof(frame));
  agpu_object *result = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAddRef(first, 1);
  mlirAsyncRuntimeAddRef(second, 1);
  mlirAsyncRuntimeAddRef(other, 1);
  *self = (frame){.result = result,
                  .awaited = {first, second},
                  .other = other,
                  .calls = calls};
  agpu_call_enqueued(self, body, 1, 2, 4);
  return result;
}

/// The body runs once, when all it awaits are ENQUEUED: then at once.
static void test_call_enqueued(void) {
  fake_work work;
  fake_work_init(&work);
  atomic_int calls = 0;
  agpu_object *first = mlirAsyncRuntimeCreateToken();
  agpu_object *second = mlirAsyncRuntimeCreateToken();
  agpu_object *other = agpu__token_create_enqueued(&work.base);
  agpu_object *result = call(first, second, other, &calls);
  mlirAsyncRuntimeEmplaceToken(second);
  usleep(1000);
  CHECK_EQ(calls, 0);
  CHECK(!agpu_object_is_enqueued(result));
  mlirAsyncRuntimeEmplaceToken(first);
  agpu_object_await(result, NULL);
  CHECK_EQ(calls, 1);
  mlirAsyncRuntimeDropRef(result, 1);

  result = call(other, first, second, &calls);
  CHECK_EQ(calls, 2);
  CHECK(agpu_object_is_ready(result));
  mlirAsyncRuntimeDropRef(result, 1);
  mlirAsyncRuntimeDropRef(first, 1);
  mlirAsyncRuntimeDropRef(second, 1);
  mlirAsyncRuntimeDropRef(other, 1);
  // A worker drops the last reference after the result is ready.
  check_reaches(&work.references, 0);
}

/// An error of one that is awaited is the result's; the body does not run.
static void test_call_enqueued_fails(void) {
  atomic_int calls = 0;
  agpu_object *first = mlirAsyncRuntimeCreateToken();
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "it failed", "here");
  agpu_object *result = call(first, failed, first, &calls);
  CHECK(!agpu_object_is_ready(result));
  mlirAsyncRuntimeEmplaceToken(first);
  agpu_object_await_enqueued(result);
  CHECK(agpu_object_is_error(result));
  CHECK_EQ(calls, 0);
  agpu_status status = agpu_object_get_status(result);
  CHECK(!strcmp(agpu_status_get_message(status), "it failed"));
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(result, 1);
  mlirAsyncRuntimeDropRef(first, 1);
  mlirAsyncRuntimeDropRef(failed, 1);
}

static void test_host_consumers_request_once(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *token = agpu__token_create_enqueued(&work.base);
  atomic_int resumed = 0;
  mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
  CHECK_EQ(work.requests, 1);
  mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
  CHECK_EQ(work.requests, 1);
  // Consumers on the device still go on at once.
  atomic_int device = 0;
  agpu_object_await_enqueued_and_execute(token, &device, count_up);
  check_reaches(&device, 1);
  CHECK_EQ(resumed, 0);
  fake_work_complete(&work, AGPU_OK);
  check_reaches(&resumed, 2);
  CHECK(agpu_object_is_ready(token));
  CHECK(!agpu__object_get_work(token));
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK_EQ(work.references, 0);
}

static void test_early_host_consumers_request_once(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  atomic_int host = 0, device = 0;
  for (int i = 0; i < 3; ++i) {
    mlirAsyncRuntimeAwaitTokenAndExecute(token, &host, count_up);
    agpu_object_await_enqueued_and_execute(token, &device, count_up);
  }
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  agpu__object_enqueue(token, &work.base);
  CHECK_EQ(work.requests, 1);
  check_reaches(&device, 3);
  CHECK_EQ(host, 0);
  CHECK(!agpu_object_is_ready(group));
  fake_work_complete(&work, AGPU_OK);
  check_reaches(&host, 3);
  CHECK(agpu_object_is_ready(group));
  mlirAsyncRuntimeDropRef(token, 1);
  mlirAsyncRuntimeDropRef(group, 1);
  CHECK_EQ(work.references, 0);
}

static void test_a_group_is_a_host_consumer(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *token = agpu__token_create_enqueued(&work.base);
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  CHECK_EQ(work.requests, 1);
  // The request keeps the token, and the token keeps the group.
  mlirAsyncRuntimeDropRef(token, 1);
  atomic_int resumed = 0;
  agpu_object_await_enqueued_and_execute(group, &resumed, count_up);
  usleep(1000);
  CHECK_EQ(resumed, 0); // a group is enqueued when it is complete
  fake_work_complete(&work, AGPU_OK);
  check_reaches(&resumed, 1);
  mlirAsyncRuntimeDropRef(group, 1);
  CHECK_EQ(work.references, 0);
}

static void test_work_that_fails(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *token = agpu__token_create_enqueued(&work.base);
  atomic_int resumed = 0;
  mlirAsyncRuntimeAwaitTokenAndExecute(token, &resumed, count_up);
  CHECK(!agpu_object_is_error(token));
  fake_work_complete(&work, agpu_status_create(AGPU_STATUS_DRIVER, "k.mlir:2:3",
                                               "the kernel trapped"));
  check_reaches(&resumed, 1);
  CHECK(agpu_object_is_error(token));
  agpu_status status = agpu_object_get_status(token);
  CHECK_STR(agpu_status_get_message(status), "the kernel trapped");
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(token, 1);
}

static void test_a_value_is_there_before_the_work_is_done(void) {
  fake_work work;
  fake_work_init(&work);
  agpu_object *value = mlirAsyncRuntimeCreateValue(sizeof(int));
  *(int *)mlirAsyncRuntimeGetValueStorage(value) = 42;
  agpu__object_enqueue(value, &work.base);
  agpu_object_await_enqueued(value);
  CHECK_EQ(*(int *)mlirAsyncRuntimeGetValueStorage(value), 42);
  CHECK_EQ(work.requests, 0);
  mlirAsyncRuntimeDropRef(value, 1);
}

// Producer, completion and consumers of both kinds, all at the same time.
typedef struct race {
  fake_work work;
  agpu_object *token;
  atomic_int host, device;
} race;

static void *produce(void *argument) {
  race *all = argument;
  agpu__object_enqueue(all->token, &all->work.base);
  while (atomic_load(&all->work.requests) == 0)
    usleep(1);
  fake_work_complete(&all->work, AGPU_OK);
  return NULL;
}

static void *consume(void *argument) {
  race *all = argument;
  for (int i = 0; i < 20; ++i) {
    agpu_object_await_enqueued_and_execute(all->token, &all->device, count_up);
    mlirAsyncRuntimeAwaitTokenAndExecute(all->token, &all->host, count_up);
    agpu__work *work = agpu__object_get_work(all->token);
    CHECK(!work || work == &all->work.base);
  }
  agpu_object_await_enqueued(all->token);
  mlirAsyncRuntimeAwaitToken(all->token);
  return NULL;
}

static void test_races(void) {
  for (int round = 0; round < 200; ++round) {
    race all = {.token = mlirAsyncRuntimeCreateToken()};
    fake_work_init(&all.work);
    pthread_t threads[3];
    CHECK(pthread_create(&threads[0], NULL, consume, &all) == 0);
    CHECK(pthread_create(&threads[1], NULL, produce, &all) == 0);
    CHECK(pthread_create(&threads[2], NULL, consume, &all) == 0);
    for (int i = 0; i < 3; ++i)
      pthread_join(threads[i], NULL);
    check_reaches(&all.host, 40);
    check_reaches(&all.device, 40);
    CHECK_EQ(all.work.requests, 1);
    mlirAsyncRuntimeDropRef(all.token, 1);
    CHECK_EQ(all.work.references, 0);
  }
}

int main(void) {
  test_device_consumers_need_no_completion();
  test_enqueued_or_execute();
  test_call_enqueued();
  test_call_enqueued_fails();
  test_host_consumers_request_once();
  test_early_host_consumers_request_once();
  test_a_group_is_a_host_consumer();
  test_work_that_fails();
  test_a_value_is_there_before_the_work_is_done();
  test_races();
  check_end(NULL);
  return 0;
}
