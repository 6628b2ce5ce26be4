//===- launch.c - Kernels and the threads that run blocks -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread of the stream runs the blocks of a launch, and is helped by a
// small pool, apart from the runtime's executor, when that pays: the first
// block is timed, and the others are shared if together they take longer than
// waking a thread does.
//
//===----------------------------------------------------------------------===//

#include "emu/check/host_access.h"
#include "emu/emu.h"
#include "emu/simt/block.h"
#include "emu/simt/pageable.h"

#include "base/os/clock.h"
#include "base/os/platform.h"
#include "base/os/thread.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/// Work worth waking other threads for, in nanoseconds: several times what it
/// takes until one runs.
#define WORTH_SHARING_NS 30000

/// A launch that is running.
typedef struct job {
  struct job *next; // in `jobs`, under `pool_lock`
  const agpu__emu_op *op;
  CUcontext context;
  uint64_t total;              // blocks to run, of all in `order`
  uint64_t shares;             // a thread takes one of so many of the rest
  agpu__emu_block_order order; // of the blocks
  _Atomic(uint64_t) taken;     // blocks
  atomic_bool failed;          // one block has: no further ones are run
  unsigned helpers;            // threads of the pool in it, under `pool_lock`
} job;

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t pool_left = PTHREAD_COND_INITIALIZER; // a helper left
static job *jobs;
static pthread_t *pool_threads;
static unsigned pool_count;
static bool pool_started, pool_stop;

/// Takes blocks: many at first, as each taking costs something, and ever fewer,
/// so that all threads end together. Returns how many, 0 where none is left;
/// the first is stored.
static uint64_t take_blocks(job *of, uint64_t *out_first) {
  // Relaxed: blocks are independent of each other.
  uint64_t first = atomic_load_explicit(&of->taken, memory_order_relaxed);
  uint64_t count;
  do {
    if (first >= of->total)
      return 0;
    count = (of->total - first) / of->shares;
    count = count ? count : 1;
  } while (!atomic_compare_exchange_weak_explicit(
      &of->taken, &first, first + count, memory_order_relaxed,
      memory_order_relaxed));
  *out_first = first;
  return count;
}

/// Takes and runs blocks until none is left, or one has failed.
static void run_job(job *of, agpu__emu_random *random) {
  agpu__emu_runner runner;
  if (!agpu__emu_runner_create(&runner, of->op)) {
    // The blocks that this thread would have run are missing.
    agpu__emu_set_error(CUDA_ERROR_OUT_OF_MEMORY);
    return;
  }
  for (uint64_t first, count; (count = take_blocks(of, &first));) {
    if (random && (agpu__emu_random_next(random) & 15) == 0)
      agpu__emu_delay(random);
    if (!agpu__emu_runner_run(&runner, &of->order, first, first + count,
                              &of->failed))
      atomic_store_explicit(&of->failed, true, memory_order_relaxed);
  }
  agpu__emu_runner_destroy(&runner);
}

static void *run_pool_thread(void *argument) {
  agpu__emu_random random =
      agpu__emu_random_create(UINT64_MAX / 2 + (uintptr_t)argument);
  bool seeded = agpu__emu_get_settings()->seeded;
  int64_t awake_until = 0;
  pthread_mutex_lock(&pool_lock);
  while (!pool_stop) {
    job *found = jobs;
    while (found && atomic_load_explicit(&found->taken, memory_order_relaxed) >=
                        found->total)
      found = found->next;
    if (!found && agpu__clock_now_ns() < awake_until) {
      pthread_mutex_unlock(&pool_lock);
      sched_yield();
      pthread_mutex_lock(&pool_lock);
      continue;
    }
    if (!found) {
      pthread_cond_wait(&pool_work, &pool_lock);
      continue;
    }
    ++found->helpers;
    pthread_mutex_unlock(&pool_lock);
    agpu__emu_set_context(found->context);
    run_job(found, seeded ? &random : NULL);
    pthread_mutex_lock(&pool_lock);
    if (--found->helpers == 0)
      pthread_cond_broadcast(&pool_left);
    awake_until = agpu__clock_now_ns() + agpu__emu_awake_ns();
  }
  pthread_mutex_unlock(&pool_lock);
  return NULL;
}

/// Under `pool_lock`. With fewer threads than asked for, or none, launches take
/// longer and that is all.
static void start_pool(void) {
  pool_started = true;
  pool_stop = false;
  unsigned wanted = agpu__emu_get_settings()->threads - 1;
  pool_threads = wanted ? calloc(wanted, sizeof *pool_threads) : NULL;
  if (!pool_threads)
    return;
  while (pool_count < wanted &&
         agpu__thread_create(&pool_threads[pool_count], "agpu-emu-blocks",
                             run_pool_thread,
                             (void *)(uintptr_t)pool_count) == 0)
    ++pool_count;
}

void agpu__emu_launch_reset(void) {
  pthread_mutex_lock(&pool_lock);
  pool_stop = true;
  pthread_cond_broadcast(&pool_work);
  pthread_mutex_unlock(&pool_lock);
  for (unsigned i = 0; i < pool_count; ++i)
    pthread_join(pool_threads[i], NULL);
  free(pool_threads);
  pool_threads = NULL;
  pool_count = 0;
  pool_started = false;
}

/// Waits until no helper is in the job, which is no longer in `jobs`; with
/// `pool_lock`. They end soon, as the last shares are small: sleeping would
/// take longer than looking again.
static void wait_for_helpers(job *of) {
  int64_t begin = agpu__clock_now_ns();
  while (of->helpers && agpu__clock_now_ns() - begin < WORTH_SHARING_NS) {
    pthread_mutex_unlock(&pool_lock);
    for (int i = 0; i < 32; ++i)
      agpu__pause();
    pthread_mutex_lock(&pool_lock);
  }
  while (of->helpers)
    pthread_cond_wait(&pool_left, &pool_lock);
}

static void share_job(job *of, agpu__emu_random *random) {
  pthread_mutex_lock(&pool_lock);
  if (!pool_started)
    start_pool();
  of->next = jobs;
  jobs = of;
  pthread_cond_broadcast(&pool_work);
  pthread_mutex_unlock(&pool_lock);

  run_job(of, random);

  pthread_mutex_lock(&pool_lock);
  job **link = &jobs;
  while (*link != of)
    link = &(*link)->next;
  *link = of->next;
  wait_for_helpers(of);
  pthread_mutex_unlock(&pool_lock);
}

static bool has_bad_parameter(const agpu__emu_op *op) {
  const agpu_native_kernel *kernel = op->launch.kernel;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    // What has the size of a pointer and lies in device memory is one.
    CUdeviceptr pointer;
    if (kernel->param_sizes[i] != sizeof pointer)
      continue;
    memcpy(&pointer, op->launch.params[i], sizeof pointer);
    if (agpu__emu_memory_is_out_of_reach(pointer))
      return true;
  }
  return false;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void agpu__emu_run_blocks(const agpu__emu_op *op, agpu__emu_random *random) {
  agpu__emu_host_access_watch();
  if (has_bad_parameter(op) || !agpu__emu_pageable_hide(op)) {
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  const uint32_t *grid = op->launch.block.grid_dim;
  job running = {.op = op,
                 .context = agpu__emu_get_context(),
                 .total = (uint64_t)grid[0] * grid[1] * grid[2],
                 .shares = 1,
                 .order = {(uint64_t)grid[0] * grid[1] * grid[2], 0, 1}};
  // The check for races looks at one block at a time.
  bool alone = settings->threads == 1 || settings->check_races;
  if (settings->seeded && running.total > 1) {
    // The products stay below 2^64 for these; others keep their order.
    if (running.total <= UINT32_MAX) {
      running.order.start = agpu__emu_random_next(random) % running.total;
      do
        running.order.stride =
            1 + agpu__emu_random_next(random) % running.total;
      while (gcd(running.order.stride, running.total) != 1);
    }
    running.shares = running.total; // one block at a time
    if (alone)
      run_job(&running, random);
    else
      share_job(&running, random);
    return;
  }
  if (running.total == 1 || alone) {
    run_job(&running, NULL);
    return;
  }
  // Time one block, then decide.
  uint64_t total = running.total;
  running.total = 1;
  int64_t begin = agpu__clock_now_ns();
  run_job(&running, NULL);
  int64_t block_ns = agpu__clock_now_ns() - begin;
  atomic_store_explicit(&running.taken, 1, memory_order_relaxed);
  running.total = total;
  uint64_t rest = total - 1;
  if ((uint64_t)block_ns < WORTH_SHARING_NS &&
      rest < WORTH_SHARING_NS / ((uint64_t)block_ns + 1)) {
    run_job(&running, NULL);
    return;
  }
  running.shares = settings->threads * 4u;
  share_job(&running, NULL);
}

static size_t align_up(size_t value) { return (value + 15) & ~(size_t)15; }

/// A launch in clusters of so many blocks.
static CUresult launch(CUfunction function, const unsigned *cluster,
                       unsigned int grid_x, unsigned int grid_y,
                       unsigned int grid_z, unsigned int block_x,
                       unsigned int block_y, unsigned int block_z,
                       unsigned int shared_bytes, CUstream stream,
                       void **params, void **extra) {
  static _Atomic uint64_t launches;
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_print_flush();
  if (!function || !stream || function->context != agpu__emu_get_context())
    return CUDA_ERROR_INVALID_HANDLE;
  const agpu_native_kernel *kernel = function->kernel;
  if (!grid_x || !grid_y || !grid_z || grid_x > AGPU__EMU_MAX_GRID_X ||
      grid_y > AGPU__EMU_MAX_GRID_YZ || grid_z > AGPU__EMU_MAX_GRID_YZ ||
      !block_x || !block_y || !block_z ||
      block_x > AGPU__EMU_MAX_THREADS_PER_BLOCK ||
      block_y > AGPU__EMU_MAX_THREADS_PER_BLOCK ||
      block_z > AGPU__EMU_MAX_BLOCK_Z ||
      (uint64_t)block_x * block_y * block_z > AGPU__EMU_MAX_THREADS_PER_BLOCK ||
      shared_bytes > AGPU__EMU_MAX_SHARED_BYTES ||
      kernel->shared_bytes > AGPU__EMU_MAX_SHARED_BYTES - shared_bytes ||
      extra || (kernel->param_count && !params))
    return CUDA_ERROR_INVALID_VALUE;

  size_t pointer_bytes = align_up(kernel->param_count * sizeof(void *));
  size_t hidden_bytes = align_up(kernel->pointer_count * sizeof(CUdeviceptr));
  // The op's end may not be aligned.
  size_t bytes = pointer_bytes + hidden_bytes + 16;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    if (!params[i])
      return CUDA_ERROR_INVALID_VALUE;
    bytes += align_up(kernel->param_sizes[i]);
  }
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_KERNEL, bytes);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->launch.kernel = kernel;
  op->launch.block = (agpu_native_block){
      .grid_dim = {grid_x, grid_y, grid_z},
      .block_dim = {block_x, block_y, block_z},
      .shared_bytes = kernel->shared_bytes + shared_bytes,
  };
  for (int d = 0; d < 3; ++d)
    op->launch.cluster_dim[d] = cluster[d];
  op->launch.number =
      atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed) + 1;
  // Behind the op: the pointers, what is hidden of them, then the values, each
  // aligned to 16.
  char *values = (char *)align_up((uintptr_t)(op + 1));
  op->launch.params = (void **)(void *)values;
  values += pointer_bytes;
  op->launch.hidden = (CUdeviceptr *)(void *)values;
  values += hidden_bytes;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    op->launch.params[i] = values;
    memcpy(values, params[i], kernel->param_sizes[i]);
    values += align_up(kernel->param_sizes[i]);
  }
  return agpu__emu_stream_enqueue(stream, op);
}

CUresult agpu__emu_launch_kernel(CUfunction function, unsigned int grid_x,
                                 unsigned int grid_y, unsigned int grid_z,
                                 unsigned int block_x, unsigned int block_y,
                                 unsigned int block_z,
                                 unsigned int shared_bytes, CUstream stream,
                                 void **params, void **extra) {
  static const unsigned single[] = {1, 1, 1};
  return launch(function, single, grid_x, grid_y, grid_z, block_x, block_y,
                block_z, shared_bytes, stream, params, extra);
}

CUresult agpu__emu_launch_kernel_ex(const CUlaunchConfig *config,
                                    CUfunction function, void **params,
                                    void **extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  uint64_t most =
      atomic_load_explicit(&function->large_clusters, memory_order_relaxed)
          ? AGPU__EMU_MAX_LARGE_CLUSTER
          : AGPU__EMU_MAX_CLUSTER;
  const unsigned grid[] = {config->gridDimX, config->gridDimY,
                           config->gridDimZ};
  unsigned cluster[] = {1, 1, 1};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute *attribute = &config->attrs[i];
    if (attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      return CUDA_ERROR_NOT_SUPPORTED;
    cluster[0] = attribute->value.clusterDim.x;
    cluster[1] = attribute->value.clusterDim.y;
    cluster[2] = attribute->value.clusterDim.z;
    // A cluster says which blocks run at the same time. Kernels that the
    // emulated device takes can ask for its shape and for no more.
    uint64_t blocks = 1;
    for (int d = 0; d < 3; ++d) {
      if (!cluster[d] || grid[d] % cluster[d])
        return CUDA_ERROR_INVALID_VALUE;
      blocks *= cluster[d];
      if (blocks > most)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
  }
  return launch(function, cluster, config->gridDimX, config->gridDimY,
                config->gridDimZ, config->blockDimX, config->blockDimY,
                config->blockDimZ, config->sharedMemBytes, config->hStream,
                params, extra);
}
