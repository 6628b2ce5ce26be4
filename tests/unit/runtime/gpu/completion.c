//===- completion.c - Consumers on the host learn of completion -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/completion.h"
#include "gpu/calls/loan.h"
#include "support.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 200 };

static int64_t seen[THREADS][ROUNDS];
static agpu_object *awaited[THREADS][ROUNDS];
static _Atomic(int) resumed;

static void note_resumed(void *handle) {
  // The work behind the token is visible here.
  CHECK_EQ(*(const int64_t *)handle, 2);
  atomic_fetch_add(&resumed, 1);
}

/// Each round: work on two streams, one token awaited by blocking and by a
/// continuation, and one not at all.
static void *run_rounds(void *argument) {
  intptr_t number = (intptr_t)argument;
  for (int i = 0; i < ROUNDS; ++i) {
    int64_t *result = &seen[number][i];
    agpu_stream *one = agpu_stream_acquire(NULL);
    agpu_stream *two = agpu_stream_acquire(NULL);
    void *cell = agpu_alloc(one, 8, false, NULL);
    agpu_memset(one, cell, 0, 8, 1, NULL);
    launch_increment(one, cell);
    agpu_object *first = agpu_stream_record(one);
    agpu_stream_wait(two, first);
    launch_increment(two, cell);
    agpu_memcpy(two, result, cell, 8, NULL);
    agpu_object *second = awaited[number][i] = agpu_stream_record(two);
    agpu_dealloc(two, cell, NULL);
    agpu_object *third = agpu_stream_record(two);
    mlirAsyncRuntimeAwaitTokenAndExecute(second, result, note_resumed);
    mlirAsyncRuntimeAwaitToken(second);
    CHECK_EQ(*result, 2);
    await_and_drop(first);
    mlirAsyncRuntimeDropRef(third, 1);
    agpu_stream_release(one);
    agpu_stream_release(two);
  }
  return NULL;
}

static sem_t goes_on, has_ended, is_told;

static void block(void *argument, agpu_status status) {
  (void)argument;
  CHECK(!status);
  CHECK(sem_wait(&goes_on) == 0);
  CHECK(sem_post(&has_ended) == 0);
}

static void tell(void *argument) {
  (void)argument;
  CHECK(sem_post(&is_told) == 0);
}

/// As a driver does that unregisters memory, until the device has nothing to
/// do: what comes to its end meanwhile is told.
static void check_function_that_blocks(void) {
  CHECK(sem_init(&goes_on, 0, 0) == 0 && sem_init(&has_ended, 0, 0) == 0 &&
        sem_init(&is_told, 0, 0) == 0);
  agpu_stream *one = agpu_stream_acquire(NULL);
  void *cell = agpu_alloc(one, 8, false, NULL);
  agpu_memset(one, cell, 0, 8, 1, NULL);
  agpu__event *event = agpu__loan_record(one);
  agpu__completion_defer(event, block, NULL);
  agpu__event_release(event);
  agpu_stream *two = agpu_stream_acquire(NULL);
  launch_pause(two, cell, 10);
  agpu_object *token = agpu_stream_record(two);
  mlirAsyncRuntimeAwaitTokenAndExecute(token, NULL, tell);
  CHECK(sem_wait(&is_told) == 0);
  CHECK(sem_post(&goes_on) == 0);
  CHECK(sem_wait(&has_ended) == 0);
  await_and_drop(token);
  agpu_dealloc(two, cell, NULL);
  await_and_drop(agpu_stream_record(two));
  agpu_stream_release(one);
  agpu_stream_release(two);
}

int main(void) {
  check_function_that_blocks();
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, run_rounds, (void *)i) == 0);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  while (atomic_load(&resumed) < THREADS * ROUNDS)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  for (int i = 0; i < THREADS; ++i)
    for (int j = 0; j < ROUNDS; ++j)
      mlirAsyncRuntimeDropRef(awaited[i][j], 1);
  check_end();
  return 0;
}
