//===- launch.c - The threads that run blocks -----------------------------===//
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

#include "emu/simt/launch.h"

#include "base/os/clock.h"
#include "base/os/platform.h"
#include "base/os/thread.h"
#include "base/sync/mutex.h"
#include "emu/base/awake.h"
#include "emu/base/context.h"
#include "emu/base/hooks.h"
#include "emu/base/settings.h"
#include "emu/memory/memory.h"
#include "emu/simt/block.h"
#include "emu/simt/cluster.h"
#include "emu/simt/pageable.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/// Work worth waking other threads for, in nanoseconds: several times what it
/// takes until one runs.
#define WORTH_SHARING_NS 30000

static struct {
  agpu__mutex lock;
  agpu__condition work, left; // a job is shared; a helper has left one
  LIST_HEAD(, job) jobs AGPU__GUARDED_BY(lock);
  pthread_t *threads AGPU__GUARDED_BY(lock);
  unsigned count AGPU__GUARDED_BY(lock);
  bool has_conditions AGPU__GUARDED_BY(lock); // from the first start on
  bool started AGPU__GUARDED_BY(lock), stop AGPU__GUARDED_BY(lock);
} pool = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_LAUNCH)};

/// A launch that is running.
typedef struct job {
  LIST_ENTRY(job) link AGPU__GUARDED_BY(pool.lock); // in the pool's list
  const agpu__emu_launch *launch;
  CUcontext context;
  uint64_t total;              // blocks to run, of all in `order`
  uint64_t shares;             // a thread takes one of so many of the rest
  agpu__emu_block_order order; // of the blocks
  _Atomic(uint64_t) taken;     // blocks
  atomic_bool failed;          // one block has: no further ones are run
  unsigned helpers AGPU__GUARDED_BY(pool.lock); // threads of the pool in it
} job;

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

/// The same of clusters of several blocks, which are counted in place of those.
static void run_clusters(job *of, agpu__emu_random *random) {
  uint32_t size = agpu__emu_cluster_volume(of->launch);
  agpu__emu_runner *blocks = agpu__emu_cluster_create(of->launch);
  if (!blocks) {
    agpu__emu_set_error(CUDA_ERROR_OUT_OF_MEMORY);
    return;
  }
  for (uint64_t first, count; (count = take_blocks(of, &first));) {
    if (random && (agpu__emu_random_next(random) & 15) == 0)
      agpu__emu_delay(random);
    if (!agpu__emu_cluster_run(blocks, &of->order, first, first + count,
                               &of->failed))
      atomic_store_explicit(&of->failed, true, memory_order_relaxed);
  }
  for (uint32_t i = 0; i < size; ++i)
    agpu__emu_runner_destroy(&blocks[i]);
  free(blocks);
}

/// Takes and runs blocks until none is left, or one has failed.
static void run_job(job *of, agpu__emu_random *random) {
  if (agpu__emu_cluster_volume(of->launch) > 1) {
    run_clusters(of, random);
    return;
  }
  agpu__emu_runner runner;
  if (!agpu__emu_runner_create(&runner, of->launch)) {
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
  agpu__mutex_lock(&pool.lock);
  while (!pool.stop) {
    job *found;
    LIST_FOREACH (found, &pool.jobs, link)
      if (atomic_load_explicit(&found->taken, memory_order_relaxed) <
          found->total)
        break;
    if (!found && agpu__clock_now_ns() < awake_until) {
      agpu__mutex_unlock(&pool.lock);
      sched_yield();
      agpu__mutex_lock(&pool.lock);
      continue;
    }
    if (!found) {
      agpu__condition_wait(&pool.work, &pool.lock);
      continue;
    }
    ++found->helpers;
    agpu__mutex_unlock(&pool.lock);
    agpu__emu_set_context(found->context);
    run_job(found, seeded ? &random : NULL);
    agpu__mutex_lock(&pool.lock);
    if (--found->helpers == 0)
      agpu__condition_broadcast(&pool.left);
    awake_until = agpu__clock_now_ns() + agpu__emu_awake_ns();
  }
  agpu__mutex_unlock(&pool.lock);
  return NULL;
}

/// With fewer threads than asked for, or none, launches take longer and that is
/// all.
static void start_pool(void) AGPU__REQUIRES(pool.lock) {
  if (!pool.has_conditions) {
    agpu__condition_init(&pool.work);
    agpu__condition_init(&pool.left);
  }
  pool.has_conditions = true;
  pool.started = true;
  pool.stop = false;
  unsigned wanted = agpu__emu_get_settings()->threads - 1;
  pool.threads = wanted ? calloc(wanted, sizeof *pool.threads) : NULL;
  if (!pool.threads)
    return;
  while (pool.count < wanted &&
         agpu__thread_create_driver(&pool.threads[pool.count],
                                    "agpu-emu-blocks", run_pool_thread,
                                    (void *)(uintptr_t)pool.count) == 0)
    ++pool.count;
}

void agpu__emu_launch_reset(void) {
  agpu__mutex_lock(&pool.lock);
  pthread_t *threads = pool.threads;
  unsigned count = pool.count;
  pool.threads = NULL;
  pool.count = 0;
  pool.started = false;
  pool.stop = true;
  if (count)
    agpu__condition_broadcast(&pool.work);
  agpu__mutex_unlock(&pool.lock);
  for (unsigned i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  free(threads);
}

/// Waits until no helper is in the job, which is no longer in the list. They
/// end soon, as the last shares are small: sleeping would take longer than
/// looking again.
static void wait_for_helpers(job *of) AGPU__REQUIRES(pool.lock) {
  int64_t begin = agpu__clock_now_ns();
  while (of->helpers && agpu__clock_now_ns() - begin < WORTH_SHARING_NS) {
    agpu__mutex_unlock(&pool.lock);
    for (int i = 0; i < 32; ++i)
      agpu__pause();
    agpu__mutex_lock(&pool.lock);
  }
  while (of->helpers)
    agpu__condition_wait(&pool.left, &pool.lock);
}

static void share_job(job *of, agpu__emu_random *random) {
  agpu__mutex_lock(&pool.lock);
  if (!pool.started)
    start_pool();
  LIST_INSERT_HEAD(&pool.jobs, of, link);
  agpu__condition_broadcast(&pool.work);
  agpu__mutex_unlock(&pool.lock);

  run_job(of, random);

  agpu__mutex_lock(&pool.lock);
  LIST_REMOVE(of, link);
  wait_for_helpers(of);
  agpu__mutex_unlock(&pool.lock);
}

void agpu__emu_launch_describe(const agpu__emu_launch *launch, char *out,
                               size_t size) {
  const uint32_t *grid = launch->block.grid_dim;
  const uint32_t *block = launch->block.block_dim;
  (void)snprintf(out, size, "kernel '%s' with grid %ux%ux%u, block %ux%ux%u",
                 launch->kernel->name, grid[0], grid[1], grid[2], block[0],
                 block[1], block[2]);
}

static bool has_bad_parameter(const agpu__emu_launch *launch, bool has_run) {
  const agpu_native_kernel *kernel = launch->kernel;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    // What has the size of a pointer and lies in device memory is one.
    CUdeviceptr pointer;
    if (kernel->param_sizes[i] != sizeof pointer)
      continue;
    memcpy(&pointer, launch->params[i], sizeof pointer);
    if (agpu__emu_memory_is_out_of_reach(pointer, has_run))
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

static void run_blocks(const agpu__emu_launch *launch,
                       agpu__emu_random *random) {
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  const uint32_t *grid = launch->block.grid_dim;
  uint64_t all =
      (uint64_t)grid[0] * grid[1] * grid[2] / agpu__emu_cluster_volume(launch);
  job running = {.launch = launch,
                 .context = agpu__emu_get_context(),
                 .total = all,
                 .shares = 1,
                 .order = {all, 0, 1}};
  bool alone = settings->threads == 1 || agpu__emu_hooks_table.one_at_a_time;
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

void agpu__emu_launch_run(const agpu__emu_launch *launch,
                          agpu__emu_random *random) {
  unsigned version = agpu__emu_memory_version();
  if (has_bad_parameter(launch, false) || !agpu__emu_pageable_prepare(launch)) {
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
    return;
  }
  run_blocks(launch, random);
  if (agpu__emu_memory_version() != version && has_bad_parameter(launch, true))
    agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
}
