//===- wanted.c - A thread outside runs what it waits for -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While the only worker is in a task that blocks, the waiting thread itself has
// to run what it waits for, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "async/object.h"
#include "base/os/self.h"
#include "exec/executor.h"
#include "helpers.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t go_on;
static atomic_int held;
static pthread_t waiter;

static void hold(void *unused) {
  (void)unused;
  atomic_fetch_add(&held, 1);
  sem_wait(&go_on);
}

/// The worker is in a task that ends with let_go.
static void hold_worker(void) {
  atomic_store(&held, 0);
  mlirAsyncRuntimeExecute(NULL, hold);
  check_reaches(&held, 1);
}

static void let_go(void) { sem_post(&go_on); }

static void give_here(void *token) {
  CHECK(pthread_equal(pthread_self(), waiter));
  mlirAsyncRuntimeEmplaceToken(token);
}

static void give_elsewhere(void *token) {
  CHECK(!pthread_equal(pthread_self(), waiter));
  mlirAsyncRuntimeEmplaceToken(token);
}

static agpu_object *spawn(void (*give)(void *)) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(token, give);
  return token;
}

static void await(agpu_object *token) {
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
}

static void test_a_token(void) {
  hold_worker();
  await(spawn(give_here));
  let_go();
}

static void test_a_group(void) {
  enum { MEMBERS = 3 };
  hold_worker();
  agpu_object *group = mlirAsyncRuntimeCreateGroup(MEMBERS);
  for (int i = 0; i < MEMBERS; ++i) {
    agpu_object *token = spawn(give_here);
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
  let_go();
}

static void *let_go_later(void *unused) {
  (void)unused;
  agpu_object *token = spawn(give_elsewhere);
  let_go();
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  return NULL;
}

/// Waits for `token` while another thread lets the worker go.
static void await_worker(agpu_object *token) {
  pthread_t other;
  CHECK_EQ(pthread_create(&other, NULL, let_go_later, NULL), 0);
  await(token);
  pthread_join(other, NULL);
}

/// What was submitted before it is not what the thread waits for.
static void test_behind_another_task(void) {
  hold_worker();
  agpu_object *other = spawn(give_elsewhere);
  await_worker(spawn(give_elsewhere));
  await(other);
}

/// Which of the two the task gives is not known.
static void test_two_objects(void) {
  hold_worker();
  agpu_object *first = mlirAsyncRuntimeCreateToken();
  agpu_object *second = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(first, give_elsewhere);
  mlirAsyncRuntimeExecute(second, give_elsewhere);
  await_worker(first);
  await(second);
}

enum { RESULTS = 3 };

static agpu_object *results[RESULTS];

/// Completes those that there are, values first.
static void give_all(agpu_object **given) {
  CHECK(pthread_equal(pthread_self(), waiter));
  for (int i = RESULTS; i-- > 0;)
    if (given[i])
      mlirAsyncRuntimeEmplaceToken(given[i]);
}

static void give_results(void *unused) {
  (void)unused;
  give_all(results);
}

static void drop_results(void) {
  for (int i = 0; i < RESULTS; ++i)
    if (results[i])
      mlirAsyncRuntimeDropRef(results[i], 1);
  memset(results, 0, sizeof(results));
}

/// A token and values, as upstream's lowering gives them, and any of them is
/// awaited; `before` are objects in between, so that all places of a block of
/// numbers come up.
static void test_several_results(int awaited, int before) {
  for (int i = 0; i < before; ++i)
    mlirAsyncRuntimeDropRef(mlirAsyncRuntimeCreateGroup(0), 1);
  hold_worker();
  results[0] = mlirAsyncRuntimeCreateToken();
  for (int i = 1; i < RESULTS; ++i)
    results[i] = mlirAsyncRuntimeCreateValue(8);
  enum { BLOCK = 64 };
  if (results[RESULTS - 1]->number / BLOCK == results[0]->number / BLOCK) {
    mlirAsyncRuntimeExecute(NULL, give_results);
    mlirAsyncRuntimeAwaitValue(results[awaited]);
  } else {
    // Numbers of two blocks: nobody says that they belong together.
    agpu__object_guess_name();
    CHECK_EQ(agpu__hot.exec.names >> 32, 0);
    give_all(results);
  }
  drop_results();
  let_go();
}

/// Values without a token may be of two tasks, unless they are said to be of
/// one.
static void test_values(int awaited, bool said) {
  hold_worker();
  for (int i = 1; i < RESULTS; ++i)
    results[i] = mlirAsyncRuntimeCreateValue(8);
  if (said) {
    agpu_execute(NULL, give_results, RESULTS - 1);
    mlirAsyncRuntimeAwaitValue(results[awaited]);
  } else {
    agpu__object_guess_name();
    CHECK_EQ(agpu__hot.exec.names >> 32, 0);
    give_all(results);
  }
  drop_results();
  let_go();
}

/// Of a function that starts in its caller, as async.func does, and of a region
/// that it spawns.
static void test_results_of_the_caller(void) {
  hold_worker();
  agpu_object *outer = mlirAsyncRuntimeCreateToken();
  agpu_object *inner = mlirAsyncRuntimeCreateValue(8);
  agpu_execute(inner, give_here, 1);
  CHECK(!agpu__exec_help((agpu__wanted){.name = outer->number}));
  mlirAsyncRuntimeAwaitValue(inner);
  mlirAsyncRuntimeDropRef(inner, 1);
  mlirAsyncRuntimeEmplaceToken(outer);
  mlirAsyncRuntimeDropRef(outer, 1);
  let_go();
}

/// Members of a group of which each has other results too.
static void test_group_of_several_results(void) {
  hold_worker();
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  results[0] = mlirAsyncRuntimeCreateToken();
  results[1] = mlirAsyncRuntimeCreateValue(8);
  mlirAsyncRuntimeExecute(NULL, give_results);
  mlirAsyncRuntimeAddTokenToGroup(results[0], group);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
  drop_results();
  let_go();
}

/// A token that is given otherwise has no task, whatever is submitted next.
static void test_an_object_without_task(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  atomic_int ran = 0;
  mlirAsyncRuntimeExecute(&ran, count_up);
  check_reaches(&ran, 1);
}

/// Members in between others: the group's are known as far as they follow each
/// other.
static void test_group_with_gaps(void) {
  hold_worker();
  agpu_object *group = mlirAsyncRuntimeCreateGroup(2);
  agpu_object *other = NULL;
  for (int i = 0; i < 2; ++i) {
    agpu_object *token = spawn(i ? give_elsewhere : give_here);
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeDropRef(token, 1);
    if (!other)
      other = spawn(give_elsewhere);
  }
  pthread_t releaser;
  CHECK_EQ(pthread_create(&releaser, NULL, let_go_later, NULL), 0);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
  pthread_join(releaser, NULL);
  await(other);
}

/// A task on top of its waiter waits itself, for what the worker runs.
static void spawn_and_await(void *token) {
  CHECK(pthread_equal(pthread_self(), waiter));
  let_go();
  await(spawn(give_elsewhere));
  mlirAsyncRuntimeEmplaceToken(token);
}

static void test_a_task_that_waits(void) {
  hold_worker();
  await(spawn(spawn_and_await));
}

/// What the code below has chosen is not the task's to see or to change.
static void choose(void *token) {
  CHECK_EQ(agpu__hot.choices.default_device, 0);
  CHECK(!agpu__hot.choices.stream);
  agpu__hot.choices.default_device = 7;
  give_here(token);
}

static void test_choices(void) {
  hold_worker();
  agpu__hot.choices.default_device = 3;
  await(spawn(choose));
  CHECK_EQ(agpu__hot.choices.default_device, 3);
  agpu__hot.choices.default_device = 0;
  let_go();
}

enum { WAITING = 3 };

static int order[WAITING], ran;

static void note(void *number) { order[ran++] = *(const int *)number; }

/// What waits first for a token that a worker's task gives runs first.
static void test_order_of_awaiters(void) {
  static const int numbers[WAITING] = {1, 2, 3};
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  for (int i = 0; i < WAITING; ++i)
    agpu__object_await_and_submit(
        token, AGPU__NEED_READY, (agpu__task){(void *)&numbers[i], note}, NULL);
  hold_worker(); // so that this thread does not run what follows
  mlirAsyncRuntimeExecute(token, give_elsewhere);
  let_go();
  agpu__exec_drain();
  mlirAsyncRuntimeDropRef(token, 1);
  for (int i = 0; i < WAITING; ++i)
    CHECK_EQ(order[i], numbers[i]);
}

int main(void) {
  waiter = pthread_self();
  sem_init(&go_on, 0, 0);
  test_a_token();
  test_a_group();
  test_behind_another_task();
  test_two_objects();
  test_an_object_without_task();
  test_group_with_gaps();
  for (int awaited = 0; awaited < RESULTS; ++awaited)
    for (int before = 0; before < 70; before += 23)
      test_several_results(awaited, before);
  for (int awaited = 1; awaited < RESULTS; ++awaited) {
    test_values(awaited, true);
    test_values(awaited, false);
  }
  test_results_of_the_caller();
  test_group_of_several_results();
  test_a_task_that_waits();
  test_choices();
  test_order_of_awaiters();
  check_end(NULL);
  sem_destroy(&go_on);
  return 0;
}
