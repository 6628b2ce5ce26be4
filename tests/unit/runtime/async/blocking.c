//===- blocking.c - Awaits inside tasks ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With one worker: whatever is awaited inside a task must be produced by a
// task that the same worker would run.
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include <unistd.h>

static void emplace(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

static void spawn_and_await(void *done) {
  agpu_object *inner = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeExecute(inner, emplace);
  mlirAsyncRuntimeAwaitToken(inner);
  mlirAsyncRuntimeDropRef(inner, 1);
  mlirAsyncRuntimeEmplaceToken(done);
}

static void test_regions_that_block(void) {
  enum { REGIONS = 200 };
  agpu_object *group = mlirAsyncRuntimeCreateGroup(REGIONS);
  for (int i = 0; i < REGIONS; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeExecute(token, spawn_and_await);
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
}

/// fib with a blocking await at every call.
typedef struct call {
  int n, result;
  agpu_object *done;
} call;

static void fib(void *handle) {
  call *this = handle;
  if (this->n < 2) {
    this->result = this->n;
  } else {
    call left = {.n = this->n - 1, .done = mlirAsyncRuntimeCreateToken()};
    call right = {.n = this->n - 2, .done = mlirAsyncRuntimeCreateToken()};
    mlirAsyncRuntimeExecute(&left, fib);
    mlirAsyncRuntimeExecute(&right, fib);
    mlirAsyncRuntimeAwaitToken(left.done);
    mlirAsyncRuntimeAwaitToken(right.done);
    this->result = left.result + right.result;
    mlirAsyncRuntimeDropRef(left.done, 1);
    mlirAsyncRuntimeDropRef(right.done, 1);
  }
  mlirAsyncRuntimeEmplaceToken(this->done);
}

static void test_recursion_that_blocks(void) {
  call top = {.n = 12, .done = mlirAsyncRuntimeCreateToken()};
  mlirAsyncRuntimeExecute(&top, fib);
  mlirAsyncRuntimeAwaitToken(top.done);
  CHECK_EQ(top.result, 144);
  mlirAsyncRuntimeDropRef(top.done, 1);
}

// The work on the device ends while every thread of the host waits for it.
static fake_work work;

static void await_device(void *token) { mlirAsyncRuntimeAwaitToken(token); }

static void test_device_work_is_awaited_inside_a_task(void) {
  fake_work_init(&work);
  agpu_object *token = agpu__token_create_enqueued(&work.base);
  mlirAsyncRuntimeExecute(token, await_device);
  check_reaches(&work.requests, 1);
  usleep(1000);
  fake_work_complete(&work, AGPU_OK);
  mlirAsyncRuntimeAwaitToken(token);
  // The task may still be about to return from its await.
  __mlir_execution_engine_destroy();
  mlirAsyncRuntimeDropRef(token, 1);
}

int main(void) {
  CHECK_EQ(mlirAsyncRuntimGetNumWorkerThreads(), 1);
  test_regions_that_block();
  test_recursion_that_blocks();
  test_device_work_is_awaited_inside_a_task();
  check_end(NULL);
  return 0;
}
