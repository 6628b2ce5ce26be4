//===- carriers.c - The threads that run streams --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams used one after the other share one thread; streams that wait for each
// other have one each; a stream that was destroyed with work ends it. A thread
// that waits for a stream runs none of its host functions.
//
//===----------------------------------------------------------------------===//

#include "base/os/platform.h"
#include "check.h"
#include "gpu/driver/driver.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

enum { STREAMS = 8, WAITS = 1000 };

static pid_t threads[STREAMS];
static sem_t opened;

static void note_thread(void *thread) { *(pid_t *)thread = gettid(); }

static void wait_until_open(void *ignored) {
  (void)ignored;
  while (sem_wait(&opened))
    ;
}

static void count(void *done) { atomic_fetch_add((atomic_int *)done, 1); }

int main(void) {
  agpu__driver driver;
  CUcontext context;
  CUstream streams[STREAMS];
  atomic_int done = 0;
  CHECK(!sem_init(&opened, 0, 0));
  CHECK(!agpu__driver_load(AGPU_DEVICE_EMU, &driver));
  CHECK(!driver.cuInit(0));
  CHECK(!driver.cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(!driver.cuCtxSetCurrent(context));

  for (int i = 0; i < STREAMS; ++i) {
    CHECK(!driver.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    CHECK(!driver.cuLaunchHostFunc(streams[i], note_thread, &threads[i]));
    CHECK(!driver.cuStreamSynchronize(streams[i]));
    // The thread sanitizer would take one thread's work for ordered.
    CHECK(AGPU__THREAD_SANITIZER ? i == 0 || threads[i] != threads[0]
                                 : threads[i] == threads[0]);
  }

  for (int i = 0; i < WAITS; ++i) {
    pid_t thread = 0;
    CHECK(!driver.cuLaunchHostFunc(streams[0], note_thread, &thread));
    CHECK(!driver.cuStreamSynchronize(streams[0]));
    CHECK(thread != gettid());
  }

  // All wait at once, the others for the last one.
  CUevent event;
  CUstream last = streams[STREAMS - 1];
  CHECK(!driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CHECK(!driver.cuLaunchHostFunc(last, wait_until_open, NULL));
  CHECK(!driver.cuEventRecord(event, last));
  for (int i = 0; i + 1 < STREAMS; ++i) {
    CHECK(!driver.cuStreamWaitEvent(streams[i], event, 0));
    CHECK(!driver.cuLaunchHostFunc(streams[i], count, &done));
  }
  CHECK(!sem_post(&opened));
  CHECK(!driver.cuEventDestroy(event));
  for (int i = 0; i < STREAMS; ++i)
    CHECK(!driver.cuStreamDestroy(streams[i]));

  CHECK(!driver.cuDevicePrimaryCtxRelease(0));
  CHECK_EQ(atomic_load(&done), STREAMS - 1);
  return 0;
}
