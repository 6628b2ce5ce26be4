//===- many.c - Millions of tasks -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neither the stack nor the memory grows with their number, as far as they
// can run.
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

#ifdef AGPU_TEST_FEW // with a sanitizer, which takes memory of its own
#define TASKS 100000
#define PEAK_KIB LONG_MAX
#else
#define TASKS 1000000
#define PEAK_KIB (32 * 1024)
#endif

/// Peak of the memory that the process had, in KiB.
static long peak(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return usage.ru_maxrss;
}

/// A coroutine as compiled code has it: awaits one token, ends with its own.
typedef struct region {
  agpu_object *previous, *own;
} region;

static void end_region(void *handle) {
  region *frame = handle;
  if (frame->previous)
    mlirAsyncRuntimeDropRef(frame->previous, 1);
  mlirAsyncRuntimeEmplaceToken(frame->own);
  agpu_frame_free(frame);
}

static void begin_region(void *handle) {
  region *frame = handle;
  if (frame->previous && !agpu_object_is_ready(frame->previous))
    mlirAsyncRuntimeAwaitTokenAndExecute(frame->previous, frame, end_region);
  else
    end_region(frame);
}

/// Takes over a reference of `previous`.
static agpu_object *spawn(agpu_object *previous) {
  region *frame = agpu_frame_alloc(sizeof(*frame), 16);
  agpu_object *own = mlirAsyncRuntimeCreateToken();
  *frame = (region){previous, own};
  mlirAsyncRuntimeExecute(frame, begin_region);
  return own;
}

static void run_chain(void) {
  agpu_object *last = NULL;
  for (int i = 0; i < TASKS; ++i)
    last = spawn(last);
  mlirAsyncRuntimeAwaitToken(last);
  mlirAsyncRuntimeDropRef(last, 1);
}

static void run_group(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(TASKS);
  for (int i = 0; i < TASKS; ++i) {
    agpu_object *token = spawn(NULL);
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
}

static void run_in_task(void *done) {
  run_chain();
  run_group();
  mlirAsyncRuntimeEmplaceToken(done);
}

static void test_spawned_by_the_main_thread(void) {
  run_chain();
  run_group();
}

static void test_spawned_by_a_task(void) {
  agpu_object *done = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(done, run_in_task);
  mlirAsyncRuntimeAwaitToken(done);
  mlirAsyncRuntimeDropRef(done, 1);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_and_count(void *counter) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  count_up(counter);
}

/// What the tasks need, the spawner holds: it is not held up for good.
static void test_a_spawner_that_holds_a_lock(void) {
  enum { HELD = 30000 };
  atomic_int run = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < HELD; ++i)
    mlirAsyncRuntimeExecute(&run, lock_and_count);
  pthread_mutex_unlock(&lock);
  check_reaches(&run, HELD);
}

int main(void) {
  test_spawned_by_the_main_thread();
  test_spawned_by_a_task();
  CHECK(peak() < PEAK_KIB);
  test_a_spawner_that_holds_a_lock();
  check_end(NULL);
  return 0;
}
