//===- upstream.c - The workloads as upstream's lowering has them ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's calls in the order in which MLIR's gpu-async-region and
// gpu-to-llvm, over its CUDA wrappers, make them: each region creates a stream
// and destroys it, a host thread waits in the driver for it, memory is
// allocated and freed outside of streams, every wrapper pushes the context and
// pops it, and every launch looks its function up. Regions run on a pool of
// threads, as async.execute does there.
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include <pthread.h>
#include <sched.h>

//===----------------------------------------------------------------------===//
// The wrappers
//===----------------------------------------------------------------------===//

static CUcontext primary;

static void enter(void) {
  if (cuCtxPushCurrent)
    CU(cuCtxPushCurrent(primary));
  else
    CU(cuCtxSetCurrent(primary));
}

static void leave(void) {
  CUcontext popped;
  if (cuCtxPopCurrent)
    CU(cuCtxPopCurrent(&popped));
}

#define WRAPPED(call)                                                          \
  do {                                                                         \
    enter();                                                                   \
    CU(call);                                                                  \
    leave();                                                                   \
  } while (0)

static CUstream create_stream(void) {
  CUstream stream;
  WRAPPED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

static void finish(CUstream stream) {
  WRAPPED(cuStreamSynchronize(stream));
  WRAPPED(cuStreamDestroy(stream));
}

static void launch(const bench *b, const char *name, unsigned blocks,
                   unsigned threads, CUstream stream, void **params) {
  CUfunction function;
  WRAPPED(cuModuleGetFunction(&function, b->module, name));
  WRAPPED(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream,
                         params, NULL));
}

static void launch_work(const bench *b, CUstream stream, int64_t index,
                        int32_t rounds) {
  void *params[] = {(void *)&b->cells, &index, &rounds};
  launch(b, "work", 1, 1, stream, params);
}

//===----------------------------------------------------------------------===//
// The threads
//===----------------------------------------------------------------------===//

#define MAX_THREADS 64

typedef void (*region_fn)(const bench *b, int64_t index);

static struct {
  pthread_mutex_t lock; // guards what follows
  pthread_cond_t changed;
  const bench *b;
  region_fn region;
  int64_t next, done, count; // regions
  bool is_over;
  pthread_t threads[MAX_THREADS];
  int thread_count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .changed = PTHREAD_COND_INITIALIZER};

static void *run_thread(void *argument) {
  pthread_mutex_lock(&pool.lock);
  while (!pool.is_over) {
    if (pool.next == pool.count) {
      pthread_cond_wait(&pool.changed, &pool.lock);
      continue;
    }
    int64_t index = pool.next++;
    pthread_mutex_unlock(&pool.lock);
    pool.region(pool.b, index);
    pthread_mutex_lock(&pool.lock);
    if (++pool.done == pool.count)
      pthread_cond_broadcast(&pool.changed);
  }
  pthread_mutex_unlock(&pool.lock);
  return argument;
}

static void start_pool(const bench *b) {
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  primary = b->context;
  pool.is_over = false;
  pool.next = pool.count = 0;
  pool.thread_count = count < MAX_THREADS ? count : MAX_THREADS;
  for (int i = 0; i < pool.thread_count; ++i)
    bench_check(!pthread_create(&pool.threads[i], NULL, run_thread, NULL),
                "no thread for regions");
}

static void end_pool(void) {
  pthread_mutex_lock(&pool.lock);
  pool.is_over = true;
  pthread_cond_broadcast(&pool.changed);
  pthread_mutex_unlock(&pool.lock);
  for (int i = 0; i < pool.thread_count; ++i)
    pthread_join(pool.threads[i], NULL);
}

static void run_regions(const bench *b, region_fn region, int64_t count) {
  pthread_mutex_lock(&pool.lock);
  pool.b = b;
  pool.region = region;
  pool.next = pool.done = 0;
  pool.count = count;
  pthread_cond_broadcast(&pool.changed);
  while (pool.done < count)
    pthread_cond_wait(&pool.changed, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

//===----------------------------------------------------------------------===//
// The workloads
//===----------------------------------------------------------------------===//

static int32_t rounds;

static void fork_join_region(const bench *b, int64_t index) {
  CUstream stream = create_stream();
  for (int64_t i = 0; i < b->sizes->kernels; ++i)
    launch_work(b, stream, index, rounds);
  finish(stream);
}

static void fork_join(const bench *b) {
  run_regions(b, fork_join_region, b->sizes->regions);
}

static void run(const bench *b, void (*work)(const bench *b),
                void (*check)(const bench *b)) {
  start_pool(b);
  bench_time(b, work, check);
  end_pool();
}

void upstream_fork_join(const bench *b) {
  rounds = 0;
  run(b, fork_join, check_fork_join);
}

void upstream_overlap(const bench *b) {
  rounds = bench_rounds(b, b->sizes->overlap_ns);
  run(b, fork_join, check_fork_join);
}

static void chain_region(const bench *b, int64_t index) {
  CUstream stream = create_stream();
  for (int64_t i = 0; i < b->sizes->chain; ++i)
    launch_work(b, stream, index, 0);
  finish(stream);
}

static void chain(const bench *b) { run_regions(b, chain_region, 1); }

void upstream_chain(const bench *b) { run(b, chain, check_chain); }

/// One of the chain's regions; which thread they run on is left out.
static void single_region(const bench *b) {
  CUstream stream = create_stream();
  launch_work(b, stream, 0, 0);
  finish(stream);
}

static void chain_of_regions(const bench *b) {
  for (int64_t i = 0; i < b->sizes->chain; ++i)
    single_region(b);
}

void upstream_chain_of_regions(const bench *b) {
  run(b, chain_of_regions, check_chain);
}

static void pipeline_region(const bench *b, int64_t index) {
  size_t bytes = BENCH_CHUNK * sizeof(float);
  CUdeviceptr host = (CUdeviceptr)(uintptr_t)&b->data[index * BENCH_CHUNK];
  CUdeviceptr memory;
  CUstream stream = create_stream();
  WRAPPED(cuMemAlloc(&memory, bytes));
  void *params[] = {&memory};
  WRAPPED(cuMemcpyAsync(memory, host, bytes, stream));
  launch(b, "scale", BENCH_CHUNK / BENCH_THREADS, BENCH_THREADS, stream,
         params);
  WRAPPED(cuMemcpyAsync(host, memory, bytes, stream));
  WRAPPED(cuMemFree(memory));
  finish(stream);
}

static void pipeline(const bench *b) {
  run_regions(b, pipeline_region, b->sizes->chunks);
}

void upstream_pipeline(const bench *b) { run(b, pipeline, check_pipeline); }
