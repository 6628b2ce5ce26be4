//===- strategies.c - Each way to hear of events is taken -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test has ASYNC_GPU_LOG=driver and ASYNC_GPU_COMPLETION. With
// ASYNC_GPU_DEVICE=cuda the driver has nothing that is optional.
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

/// The host waits for a kernel that takes a while.
static void wait_for_kernel(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, true, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  launch_pause(stream, cell, 30);
  agpu_object *token = agpu_stream_record(stream);
  mlirAsyncRuntimeAwaitToken(token);
  CHECK_EQ(*cell, 1);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
}

int main(void) {
  const char *strategy = getenv("ASYNC_GPU_COMPLETION");
  bool by_function = strcmp(strategy, "hostfunc") == 0;
  bool by_flag = strncmp(strategy, "flag", 4) == 0;
  bool by_waiting = strcmp(strategy, "event") == 0;
  log_begin();
  int64_t begin = now_ms();
  // A thread waits only for what was not done when it was first asked about.
  do
    wait_for_kernel();
  while (by_waiting && !log_count("cuEventSynchronize("));
  int64_t taken = now_ms() - begin;
  int queries = log_count("cuEventQuery(");
  check_end();

  log_show();
  CHECK_EQ(log_count("cuLaunchHostFunc(") > 0, by_function);
  // A driver without writes of values fills one word.
  const char *write = strcmp(getenv("ASYNC_GPU_DEVICE"), "cuda") == 0
                          ? ", count=1, stream="
                          : "cuStreamWriteValue32(";
  CHECK_EQ(log_count(write) > 0, by_flag);
  CHECK_EQ(log_count("cuMemHostAlloc("), by_flag);
  CHECK_EQ(log_count("cuMemFreeHost("), by_flag);
  CHECK_EQ(log_count("cuEventSynchronize(") > 0, by_waiting);
  // Who waits in the driver sleeps there.
  CHECK_EQ(log_count("cuEventCreate(") - log_count("flags=2) = CUDA_SUCCESS"),
           by_waiting ? log_count("cuEventCreate(") : 0);
  CHECK_EQ(log_count("cuStreamSynchronize("), 0);
  // With word to come the driver is asked every 10 ms at most, once when there
  // is word, and once before that is arranged.
  if (by_function || by_flag || by_waiting)
    CHECK(queries <= taken / 10 + 8);
  return 0;
}
