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
#include "helpers.h"

#include <pthread.h>
#include <semaphore.h>

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
  CHECK_EQ(agpu__self.choices.default_device, 0);
  CHECK(!agpu__self.choices.stream);
  agpu__self.choices.default_device = 7;
  give_here(token);
}

static void test_choices(void) {
  hold_worker();
  agpu__self.choices.default_device = 3;
  await(spawn(choose));
  CHECK_EQ(agpu__self.choices.default_device, 3);
  agpu__self.choices.default_device = 0;
  let_go();
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
  test_a_task_that_waits();
  test_choices();
  check_end(NULL);
  sem_destroy(&go_on);
  return 0;
}
