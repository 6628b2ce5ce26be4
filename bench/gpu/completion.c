//===- completion.c - From the end of a kernel to the host ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel's last store goes to memory of the host, where a thread of its own
// watches for it: that is when the kernel ends, as the host can see it. The
// latency is from there to the first instruction of what waited. The CPU time
// of a wait is measured without that thread, with a longer kernel.
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/// How long the kernel takes that latency is measured with.
#define TRIP_NS 100000
#define IDLE_TRIPS 5

/// Waits for one launch of `work` that adds 1 to the first cell.
typedef void (*wait_fn)(const bench *b, int32_t *cells, int32_t rounds);

static atomic_int_least64_t resumed_at;

// Called by programs.mlir where the coroutine goes on.
void bench_resumed(void);
void bench_resumed(void) { atomic_store(&resumed_at, bench_now_ns()); }

// programs.mlir's; a memref is five words.
void bench_resume(void *allocated, void *aligned, int64_t offset, int64_t size,
                  int64_t stride, int32_t rounds);

static void wait_async_gpu(const bench *b, int32_t *cells, int32_t rounds) {
  (void)b;
  bench_resume(cells, cells, 0, BENCH_CELLS, 1, rounds);
}

static void wait_for_event(const bench *b, int32_t *cells, int32_t rounds,
                           unsigned flags) {
  CUstream stream;
  CUevent event;
  CUdeviceptr memory = (CUdeviceptr)(uintptr_t)cells;
  int64_t index = 0;
  void *params[] = {&memory, &index, &rounds};
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | flags));
  CU(cuLaunchKernel(b->work, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
  CU(cuEventRecord(event, stream));
  CU(cuEventSynchronize(event));
  bench_resumed();
  CU(cuEventDestroy(event));
  CU(cuStreamDestroy(stream));
}

static void wait_spinning(const bench *b, int32_t *cells, int32_t rounds) {
  wait_for_event(b, cells, rounds, 0);
}

static void wait_blocking(const bench *b, int32_t *cells, int32_t rounds) {
  wait_for_event(b, cells, rounds, CU_EVENT_BLOCKING_SYNC);
}

typedef struct watcher {
  const int32_t *cell;
  atomic_int expected; // 0: none; negative: the end
  atomic_int_least64_t seen_at;
} watcher;

static void *run_watcher(void *argument) {
  watcher *self = argument;
  for (;;) {
    int expected = atomic_load(&self->expected);
    if (expected < 0)
      return NULL;
    if (expected > 0 &&
        __atomic_load_n(self->cell, __ATOMIC_ACQUIRE) == expected) {
      atomic_store(&self->seen_at, bench_now_ns());
      atomic_store(&self->expected, 0);
    }
  }
}

static void measure_latency(const bench *b, int32_t *cells, wait_fn wait) {
  int64_t trips = b->sizes->trips;
  double *latencies = calloc((size_t)trips, sizeof *latencies);
  bench_check(latencies, "no memory for samples");
  int32_t rounds = bench_rounds(b, TRIP_NS);
  watcher watching = {.cell = cells};
  pthread_t thread;
  bench_check(pthread_create(&thread, NULL, run_watcher, &watching) == 0,
              "no thread to watch memory");
  for (int64_t i = -3; i < trips; ++i) {
    atomic_store(&watching.expected, cells[0] + 1);
    wait(b, cells, rounds);
    while (atomic_load(&watching.expected))
      ;
    if (i >= 0)
      latencies[i] =
          (double)(atomic_load(&resumed_at) - atomic_load(&watching.seen_at));
  }
  atomic_store(&watching.expected, -1);
  pthread_join(thread, NULL);
  bench_report("ns", bench_median(latencies, trips));
  free(latencies);
}

static void measure_cpu(const bench *b, int32_t *cells, wait_fn wait) {
  int32_t rounds = bench_rounds(b, b->sizes->idle_ns);
  double shares[IDLE_TRIPS];
  for (int i = 0; i < IDLE_TRIPS; ++i) {
    int64_t cpu = bench_cpu_ns(), begin = bench_now_ns();
    wait(b, cells, rounds);
    shares[i] =
        (double)(bench_cpu_ns() - cpu) / (double)(bench_now_ns() - begin);
  }
  bench_report("cpu_share", bench_median(shares, IDLE_TRIPS));
}

static void measure(const bench *b, wait_fn wait) {
  void *memory;
  CU(cuMemHostAlloc(&memory, BENCH_CELLS * sizeof(int32_t),
                    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  int32_t *cells = memory;
  for (int i = 0; i < BENCH_CELLS; ++i)
    cells[i] = 0;
  measure_latency(b, cells, wait);
  measure_cpu(b, cells, wait);
  bench_check(cells[0] == b->sizes->trips + 3 + IDLE_TRIPS,
              "kernels ran too often or too seldom");
  CU(cuMemFreeHost(memory));
}

void completion_async_gpu(const bench *b) { measure(b, wait_async_gpu); }
void completion_event(const bench *b) { measure(b, wait_spinning); }
void completion_blocking_event(const bench *b) { measure(b, wait_blocking); }
