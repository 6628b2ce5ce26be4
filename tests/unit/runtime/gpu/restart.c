//===- restart.c - Devices across shutdowns and forks ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async_gpu/device.h"
#include "child.h"
#include "support.h"
#include "threads_left.h"

/// Work on every device, with a kernel whose descriptor remembers where it is.
static void work(void) {
  for (int32_t device = 0; device < agpu_device_count(); ++device) {
    agpu_enter_device(device);
    agpu_stream *stream = agpu_stream_acquire(NULL);
    int64_t *cell = agpu_alloc(stream, 8, /*host_shared=*/true, NULL);
    agpu_memset(stream, cell, 0, 8, 1, NULL);
    launch_increment(stream, cell);
    launch_increment(stream, cell);
    agpu_object *token = agpu_stream_record(stream);
    await_and_drop(token);
    CHECK_EQ(*cell, 2);
    agpu_dealloc(stream, cell, NULL);
    agpu_stream_release(stream);
  }
  agpu_enter_device(0);
}

static void test_many_lives(void) {
  int files = 0;
  for (int i = 0; i < 20; ++i) {
    work();
    check_end();
    check_threads();
    if (i == 1)
      files = count_entries("/proc/self/fd");
  }
  CHECK_EQ(count_entries("/proc/self/fd"), files);
}

static void *work_in_thread(void *unused) {
  (void)unused;
  work();
  return NULL;
}

/// A thread that goes on from one life to the next enters the new devices.
static void test_threads_of_each_life(void) {
  for (int i = 0; i < 5; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work_in_thread, NULL) == 0);
    work();
    pthread_join(thread, NULL);
    check_end();
  }
}

// Sanitizers have locks and threads of their own, which forks do not know.
/// The driver's calls are counted from its start.
static void test_faults_of_each_life(void) {
  setenv("ASYNC_GPU_EMU_FAULT", "cuStreamCreate:1:CUDA_ERROR_UNKNOWN", 1);
  for (int i = 0; i < 2; ++i) {
    agpu_stream *stream = agpu_stream_acquire("r.mlir:1:1");
    agpu_memset(stream, &stream, 0, 1, 1, NULL);
    CHECK_STR(
        get_error_and_drop(agpu_stream_record(stream)),
        "r.mlir:1:1: creating a stream: CUDA_ERROR_UNKNOWN: unknown error");
    agpu_stream_release(stream);
    check_end();
  }
  unsetenv("ASYNC_GPU_EMU_FAULT");
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define FORKS

static void refuse_devices(void) {
  agpu_device_kind kind;
  agpu_status status = agpu_runtime_get_device(&kind);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_UNSUPPORTED);
  CHECK_STR(agpu_status_get_message(status),
            "a device was in use when this process was forked; only a program "
            "that the child starts by exec can use one");
  agpu_status_release(status);
  // Choosing anew makes no difference.
  CHECK(!agpu_runtime_set_device(AGPU_DEVICE_EMU));
  status = agpu_runtime_get_device(&kind);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_UNSUPPORTED);
  agpu_status_release(status);
  CHECK(!agpu_runtime_shutdown());
}

static void work_and_end(void) {
  work();
  check_end();
}

static void test_forks(void) {
  CHECK_EQ(child_exit(work_and_end, NULL, 0),
           0); // before any device was in use
  work();
  CHECK_EQ(child_exit(refuse_devices, NULL, 0), 0);
  work();
  check_end();
  CHECK_EQ(child_exit(work_and_end, NULL, 0), 0); // none is in use any more
}

#endif

int main(void) {
  count_threads_at_start();
  test_many_lives();
  test_threads_of_each_life();
  if (strcmp(getenv("ASYNC_GPU_DEVICE"), "emu") == 0)
    test_faults_of_each_life(); // libcuda is loaded once
#ifdef FORKS
  test_forks();
#endif
  return 0;
}
