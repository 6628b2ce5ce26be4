//===- strategies.c - Each way to hear of events is taken -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test has ASYNC_GPU_LOG=driver and ASYNC_GPU_COMPLETION.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void await_token(agpu_object *token) {
  mlirAsyncRuntimeAwaitToken(token);
}

/// By way of a group, which a thread cannot wait for in the driver.
static void await_in_group(agpu_object *token) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
}

/// The host waits for a kernel that takes a while.
static void wait_for_kernel(void (*await)(agpu_object *token)) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, true, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  launch_pause(stream, cell, 30);
  agpu_object *token = agpu_stream_record(stream);
  await(token);
  CHECK_EQ(*cell, 1);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
}

int main(void) {
  bool by_function = strcmp(getenv("ASYNC_GPU_COMPLETION"), "hostfunc") == 0;
  log_begin();
  int64_t begin = now_ms();
  wait_for_kernel(await_in_group);
  int64_t taken = now_ms() - begin;
  int queries = log_count("cuEventQuery(");
  CHECK_EQ(log_count("cuEventSynchronize("), 0);
  // Unless it is to query, a thread that has nothing else to do waits itself.
  wait_for_kernel(await_token);
  check_end();

  log_show();
  CHECK_EQ(log_count("cuLaunchHostFunc(") > 0, by_function);
  CHECK_EQ(log_count("cuEventSynchronize("), by_function);
  CHECK_EQ(log_count("cuStreamSynchronize("), 0);
  // With word to come the driver is asked every 10 ms at most, once when there
  // is word, and once before that is arranged.
  if (by_function)
    CHECK(queries <= taken / 10 + 8);
  else
    CHECK(queries > 0);
  return 0;
}
