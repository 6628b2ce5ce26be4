//===- calls.c - The host's side of a launch and of a region --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides in one process, batch by batch in turn: the difference is a few
// nanoseconds, which two processes do not agree on. A batch fits into what a
// driver queues, so that no call waits for the device.
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 200
/// As many as the runtime has by default.
#define STREAMS 32

extern agpu_module_desc bench_module __asm__("agpu_module.bench");
static agpu_kernel_desc kernel = {.module = &bench_module, .name = "empty"};

/// What the peers work on; one thread's.
typedef struct calls {
  const bench *b;
  agpu_stream *loan;
  CUstream streams[STREAMS];
  CUevent events[STREAMS];
} calls;

static void create(calls *self, const bench *b) {
  self->b = b;
  self->loan = agpu_stream_acquire(NULL);
  for (int i = 0; i < STREAMS; ++i) {
    CU(cuStreamCreate(&self->streams[i], CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&self->events[i], CU_EVENT_DISABLE_TIMING));
  }
}

static void destroy(calls *self) {
  agpu_stream_release(self->loan);
  for (int i = 0; i < STREAMS; ++i) {
    CU(cuStreamDestroy(self->streams[i]));
    CU(cuEventDestroy(self->events[i]));
  }
}

static void await(agpu_object *token) {
  agpu_object_await(token, NULL);
  mlirAsyncRuntimeDropRef(token, 1);
}

//===----------------------------------------------------------------------===//
// Launches on one stream
//===----------------------------------------------------------------------===//

static void launch_by_hand(calls *self, int64_t count) {
  CUstream stream = self->streams[0];
  for (int64_t i = 0; i < count; ++i)
    CU(cuLaunchKernel(self->b->empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

static void launch_async_gpu(calls *self, int64_t count) {
  void *params[1];
  for (int64_t i = 0; i < count; ++i)
    agpu_launch(self->loan, &kernel, 1, 1, 1, 1, 1, 1, 0, params,
                "calls.c:1:1");
}

//===----------------------------------------------------------------------===//
// Regions, each behind the one before on another stream
//===----------------------------------------------------------------------===//

static void regions_by_hand(calls *self, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    CUstream stream = self->streams[i % STREAMS];
    if (i)
      CU(cuStreamWaitEvent(stream, self->events[(i - 1) % STREAMS], 0));
    CU(cuLaunchKernel(self->b->empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    CU(cuEventRecord(self->events[i % STREAMS], stream));
  }
}

static void regions_async_gpu(calls *self, int64_t count) {
  (void)self;
  void *params[1];
  agpu_object *before = NULL;
  for (int64_t i = 0; i < count; ++i) {
    agpu_stream *stream = agpu_stream_acquire("calls.c:2:1");
    if (before) {
      agpu_stream_wait(stream, before);
      mlirAsyncRuntimeDropRef(before, 1);
    }
    agpu_launch(stream, &kernel, 1, 1, 1, 1, 1, 1, 0, params, "calls.c:2:2");
    before = agpu_stream_record(stream);
    agpu_stream_release(stream);
  }
  if (before)
    mlirAsyncRuntimeDropRef(before, 1);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// All that was enqueued by anyone is done afterwards.
static void wait_for_all(calls *self) {
  await(agpu_stream_record(self->loan));
  for (int i = 0; i < STREAMS; ++i)
    CU(cuStreamSynchronize(self->streams[i]));
}

static double time_batch(calls *self, void (*run)(calls *self, int64_t count)) {
  int64_t begin = bench_now_ns();
  run(self, BATCH);
  int64_t end = bench_now_ns();
  wait_for_all(self);
  return (double)(end - begin) / BATCH;
}

static void compare(const bench *b, void (*plain)(calls *self, int64_t count),
                    void (*runtime)(calls *self, int64_t count)) {
  int64_t batches = b->sizes->batches;
  double *theirs = calloc((size_t)batches, sizeof *theirs);
  double *ours = calloc((size_t)batches, sizeof *ours);
  bench_check(theirs && ours, "no memory for samples");
  calls self;
  create(&self, b);
  for (int64_t i = -2; i < batches; ++i) {
    // Who comes second finds more in the caches.
    bool first = i % 2 == 0;
    double one = time_batch(&self, first ? plain : runtime);
    double two = time_batch(&self, first ? runtime : plain);
    if (i >= 0) {
      theirs[i] = first ? one : two;
      ours[i] = first ? two : one;
    }
  }
  destroy(&self);
  bench_report("by_hand_ns", bench_median(theirs, batches));
  bench_report("ns", bench_median(ours, batches));
  free(theirs);
  free(ours);
}

void calls_launch(const bench *b) {
  compare(b, launch_by_hand, launch_async_gpu);
}

void calls_region(const bench *b) {
  compare(b, regions_by_hand, regions_async_gpu);
}

void calls_count(const bench *b, const char *workload, const char *peer,
                 int64_t count) {
  bool launches = strcmp(workload, "launch") == 0;
  bool ours = strcmp(peer, "async-gpu") == 0;
  bench_check(launches || strcmp(workload, "region") == 0,
              "only launch and region are counted");
  bench_check(ours || strcmp(peer, "by-hand") == 0,
              "only async-gpu and by-hand are counted");
  calls self;
  create(&self, b);
  if (launches)
    (ours ? launch_async_gpu : launch_by_hand)(&self, count);
  else
    (ours ? regions_async_gpu : regions_by_hand)(&self, count);
  wait_for_all(&self);
  destroy(&self);
}
