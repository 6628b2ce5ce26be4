//===- by_hand.c - The workloads as a user of the driver writes them ------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams, events and memory are there beforehand and used again, nothing is
// recorded that nobody waits for, and the host waits once.
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include <stdlib.h>
#include <string.h>

struct by_hand {
  int64_t streams;
  CUstream *stream;
  CUevent *ended; // one for each stream
  CUevent started;
  CUdeviceptr slots[BENCH_SLOTS]; // a chunk for each of the first streams
};

by_hand *by_hand_create(int64_t streams) {
  by_hand *self = calloc(1, sizeof *self);
  bench_check(self, "no memory");
  self->streams = streams;
  self->stream = calloc((size_t)streams, sizeof *self->stream);
  self->ended = calloc((size_t)streams, sizeof *self->ended);
  bench_check(self->stream && self->ended, "no memory");
  CU(cuEventCreate(&self->started, CU_EVENT_DISABLE_TIMING));
  for (int64_t i = 0; i < streams; ++i) {
    CU(cuStreamCreate(&self->stream[i], CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&self->ended[i], CU_EVENT_DISABLE_TIMING));
  }
  return self;
}

by_hand *by_hand_create_slots(void) {
  by_hand *self = by_hand_create(BENCH_SLOTS);
  for (int i = 0; i < BENCH_SLOTS; ++i)
    CU(cuMemAlloc(&self->slots[i], BENCH_CHUNK * sizeof(float)));
  return self;
}

void by_hand_destroy(by_hand *self) {
  for (int64_t i = 0; i < self->streams; ++i) {
    CU(cuStreamDestroy(self->stream[i]));
    CU(cuEventDestroy(self->ended[i]));
  }
  CU(cuEventDestroy(self->started));
  for (int i = 0; i < BENCH_SLOTS; ++i)
    if (self->slots[i])
      CU(cuMemFree(self->slots[i]));
  free(self->stream);
  free(self->ended);
  free(self);
}

static void fork_from(by_hand *self, CUstream origin) {
  if (!origin)
    return;
  CU(cuEventRecord(self->started, origin));
  for (int64_t i = 0; i < self->streams; ++i)
    CU(cuStreamWaitEvent(self->stream[i], self->started, 0));
}

static void join_at(by_hand *self, CUstream origin) {
  for (int64_t i = 0; origin && i < self->streams; ++i) {
    CU(cuEventRecord(self->ended[i], self->stream[i]));
    CU(cuStreamWaitEvent(origin, self->ended[i], 0));
  }
}

void by_hand_wait(by_hand *self) {
  for (int64_t i = 0; i < self->streams; ++i)
    CU(cuStreamSynchronize(self->stream[i]));
}

static void launch_work(const bench *b, CUstream stream, int64_t index,
                        int32_t rounds) {
  void *params[] = {(void *)&b->cells, &index, &rounds};
  CU(cuLaunchKernel(b->work, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

//===----------------------------------------------------------------------===//
// What is enqueued
//===----------------------------------------------------------------------===//

void by_hand_enqueue_fork_join(const bench *b, by_hand *self, CUstream origin,
                               int32_t rounds) {
  fork_from(self, origin);
  for (int64_t region = 0; region < b->sizes->regions; ++region)
    for (int64_t i = 0; i < b->sizes->kernels; ++i)
      launch_work(b, self->stream[region], region, rounds);
  join_at(self, origin);
}

void by_hand_enqueue_chain(const bench *b, CUstream stream, int64_t kernels) {
  for (int64_t i = 0; i < kernels; ++i)
    launch_work(b, stream, 0, 0);
}

void by_hand_enqueue_pipeline(const bench *b, by_hand *self, CUstream origin) {
  size_t bytes = BENCH_CHUNK * sizeof(float);
  fork_from(self, origin);
  for (int64_t i = 0; i < b->sizes->chunks; ++i) {
    // The stream keeps the chunks apart that share its memory.
    CUstream stream = self->stream[i % BENCH_SLOTS];
    CUdeviceptr slot = self->slots[i % BENCH_SLOTS];
    CUdeviceptr host = (CUdeviceptr)(uintptr_t)&b->data[i * BENCH_CHUNK];
    void *params[] = {&slot};
    CU(cuMemcpyAsync(slot, host, bytes, stream));
    CU(cuLaunchKernel(b->scale, BENCH_CHUNK / BENCH_THREADS, 1, 1,
                      BENCH_THREADS, 1, 1, 0, stream, params, NULL));
    CU(cuMemcpyAsync(host, slot, bytes, stream));
  }
  join_at(self, origin);
}

//===----------------------------------------------------------------------===//
// The workloads
//===----------------------------------------------------------------------===//

static by_hand *own;
static int32_t rounds;

static void fork_join(const bench *b) {
  by_hand_enqueue_fork_join(b, own, NULL, rounds);
  by_hand_wait(own);
}

static void run_fork_join(const bench *b) {
  own = by_hand_create(b->sizes->regions);
  bench_time(b, fork_join, check_fork_join);
  by_hand_destroy(own);
}

void by_hand_fork_join(const bench *b) {
  rounds = 0;
  run_fork_join(b);
}

void by_hand_overlap(const bench *b) {
  rounds = bench_rounds(b, b->sizes->overlap_ns);
  run_fork_join(b);
}

static void chain(const bench *b) {
  by_hand_enqueue_chain(b, own->stream[0], b->sizes->chain);
  by_hand_wait(own);
}

void by_hand_chain(const bench *b) {
  own = by_hand_create(1);
  bench_time(b, chain, check_chain);
  by_hand_destroy(own);
}

static void pipeline(const bench *b) {
  by_hand_enqueue_pipeline(b, own, NULL);
  by_hand_wait(own);
}

void by_hand_pipeline(const bench *b) {
  own = by_hand_create_slots();
  bench_time(b, pipeline, check_pipeline);
  by_hand_destroy(own);
}

//===----------------------------------------------------------------------===//
// What comes out, whoever did it
//===----------------------------------------------------------------------===//

void check_fork_join(const bench *b) {
  bench_check_cells(b, b->sizes->regions, (int32_t)b->sizes->kernels);
}

void check_chain(const bench *b) {
  bench_check_cells(b, 1, (int32_t)b->sizes->chain);
}

void check_pipeline(const bench *b) {
  int64_t elements = b->sizes->chunks * BENCH_CHUNK;
  *b->expected = 2 * *b->expected + 1;
  for (int64_t i = 0; i < elements; ++i)
    bench_check(b->data[i] == *b->expected, "an element of a chunk is wrong");
}
