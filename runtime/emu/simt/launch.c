//===- launch.c - The threads that run blocks -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread of the stream runs the blocks of a launch, and is helped by others
// when that pays: threads of the host that wait for the device, and a small
// pool apart from the runtime's executor. What a block took the last time says
// whether all take longer than it takes until another thread has begun: a
// moment where one is looking for work, and more where it has to be woken. The
// first time one block is run and timed. No more threads look than the device
// has beside the stream's.
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

/// Work worth waking other threads for, in nanoseconds: several times what it
/// takes until one runs; and work worth sharing with one that is awake.
#define WORTH_WAKING_NS 30000
#define WORTH_SHARING_NS 4000

/// How long a thread of the host that waits stays in a job before it looks
/// whether its wait is over, as far as blocks are short.
#define PATIENCE_NS 50000

static struct {
  agpu__mutex lock;
  agpu__condition work, left; // a job is shared; a helper has left one
  LIST_HEAD(, job) jobs AGPU__GUARDED_BY(lock);
  // Jobs in the list, which change under the lock, and threads that look for
  // one or are in one, beside its own. Relaxed: they say when to take the lock.
  atomic_uint shared, awake;
  // What a block of a kernel took the last time, in nanoseconds; 0: not known.
  // Relaxed: kernels may share an entry, and it chooses how they run, no more.
  atomic_uint times[256];
  pthread_t *threads AGPU__GUARDED_BY(lock);
  unsigned count AGPU__GUARDED_BY(lock);
  bool has_conditions AGPU__GUARDED_BY(lock); // from the first start on
  bool started AGPU__GUARDED_BY(lock), stop AGPU__GUARDED_BY(lock);
} pool = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_LAUNCH)};

static atomic_uint *get_time(const agpu_native_kernel *of) {
  return &pool.times[((uintptr_t)of >> 4) * 0x9e3779b1u >> 16 & 255];
}

/// A thread of the host that waits for the device, and runs blocks meanwhile.
typedef struct waiter {
  bool (*is_done)(void *of);
  void *of;
} waiter;

/// A launch that is running.
typedef struct job {
  LIST_ENTRY(job) link AGPU__GUARDED_BY(pool.lock); // in the pool's list
  const agpu__emu_launch *launch;
  CUcontext context;
  uint64_t total;              // blocks to run, of all in `order`
  uint64_t shares;             // a thread takes one of so many of the rest
  uint64_t most;               // that a waiter takes at a time
  agpu__emu_block_order order; // of the blocks
  _Atomic(uint64_t) taken;     // blocks
  atomic_bool failed;          // one block has: no further ones are run
  // Other threads in it, which change under the lock. Release and acquire: at 0
  // what they did is over, and the job may go.
  atomic_uint helpers;
} job;

/// Takes blocks: many at first, as each taking costs something, and ever fewer,
/// so that all threads end together. Returns how many, 0 where none is left;
/// the first is stored. A waiter (or NULL) takes few, and none where its wait
/// is over.
static uint64_t take_blocks(job *of, const waiter *by, uint64_t *out_first) {
  // Relaxed: blocks are independent of each other.
  uint64_t first = atomic_load_explicit(&of->taken, memory_order_relaxed);
  uint64_t count;
  if (by && by->is_done(by->of))
    return 0;
  do {
    if (first >= of->total)
      return 0;
    count = (of->total - first) / of->shares;
    if (by && count > of->most)
      count = of->most;
    count = count ? count : 1;
  } while (!atomic_compare_exchange_weak_explicit(
      &of->taken, &first, first + count, memory_order_relaxed,
      memory_order_relaxed));
  *out_first = first;
  return count;
}

/// Runs blocks first to end on behalf of the job.
typedef bool run_blocks_of(agpu__emu_runner *runner,
                           const agpu__emu_block_order *order, uint64_t first,
                           uint64_t end, const atomic_bool *stop);

/// Takes and runs blocks until none is left, one has failed, or the wait of the
/// waiter (or NULL) that does so is over. Returns how many.
static uint64_t take_and_run(job *of, const waiter *by,
                             agpu__emu_random *random, agpu__emu_runner *runner,
                             run_blocks_of *run) {
  uint64_t all = 0;
  for (uint64_t first, count; (count = take_blocks(of, by, &first));) {
    if (random && (agpu__emu_random_next(random) & 15) == 0)
      agpu__emu_delay(random);
    if (!run(runner, &of->order, first, first + count, &of->failed))
      atomic_store_explicit(&of->failed, true, memory_order_relaxed);
    all += count;
  }
  return all;
}

/// The same of clusters of several blocks, which are counted in place of those.
static uint64_t run_clusters(job *of, const waiter *by,
                             agpu__emu_random *random) {
  uint32_t size = agpu__emu_cluster_volume(of->launch);
  agpu__emu_runner *blocks = agpu__emu_cluster_create(of->launch);
  if (!blocks) {
    agpu__emu_set_error(CUDA_ERROR_OUT_OF_MEMORY);
    return 0;
  }
  uint64_t all = take_and_run(of, by, random, blocks, agpu__emu_cluster_run);
  for (uint32_t i = 0; i < size; ++i)
    agpu__emu_runner_destroy(&blocks[i]);
  free(blocks);
  return all;
}

static uint64_t run_job(job *of, const waiter *by, agpu__emu_random *random) {
  if (agpu__emu_cluster_volume(of->launch) > 1)
    return run_clusters(of, by, random);
  agpu__emu_runner runner;
  if (!agpu__emu_runner_create(&runner, of->launch)) {
    // The blocks that this thread would have run are missing.
    agpu__emu_set_error(CUDA_ERROR_OUT_OF_MEMORY);
    return 0;
  }
  uint64_t all = take_and_run(of, by, random, &runner, agpu__emu_runner_run);
  agpu__emu_runner_destroy(&runner);
  return all;
}

/// The same on the launch's own thread, with a look at the clock.
static void run_own(job *of, agpu__emu_random *random) {
  int64_t begin = agpu__clock_machine_ns();
  uint64_t blocks = run_job(of, NULL, random);
  uint64_t took = (uint64_t)(agpu__clock_machine_ns() - begin);
  uint64_t each = blocks ? took / blocks + 1 : 0;
  if (blocks)
    atomic_store_explicit(get_time(of->launch->kernel),
                          each < UINT32_MAX ? (unsigned)each : UINT32_MAX,
                          memory_order_relaxed);
}

/// A job that has blocks left, which the calling thread is counted in then;
/// NULL where there is none.
static job *join_job(void) AGPU__REQUIRES(pool.lock) {
  job *found;
  LIST_FOREACH (found, &pool.jobs, link)
    if (atomic_load_explicit(&found->taken, memory_order_relaxed) <
        found->total)
      break;
  if (found)
    atomic_fetch_add_explicit(&found->helpers, 1, memory_order_relaxed);
  return found;
}

/// The same, looking for one without sleep as long as that pays: as a waiter
/// waits, or (NULL) there are too few others. `pool.lock` is open.
static job *look_for_job(const waiter *by) {
  unsigned most = agpu__emu_get_settings()->threads - 1;
  agpu__emu_spin spin = agpu__emu_spin_begin();
  job *found = NULL;
  do {
    if (!by && atomic_load_explicit(&pool.awake, memory_order_relaxed) > most)
      break;
    if (atomic_load_explicit(&pool.shared, memory_order_relaxed)) {
      agpu__mutex_lock(&pool.lock);
      found = join_job();
      agpu__mutex_unlock(&pool.lock);
    }
  } while (!found && !(by && by->is_done(by->of)) &&
           agpu__emu_spin_continue(&spin));
  return found;
}

/// Runs blocks of a job that the thread has joined, and leaves it.
static void help(job *of, const waiter *by, agpu__emu_random *random) {
  CUcontext own = agpu__emu_get_context();
  agpu__emu_set_context(of->context);
  (void)run_job(of, by, random);
  agpu__emu_set_context(own);
  agpu__mutex_lock(&pool.lock);
  if (atomic_fetch_sub_explicit(&of->helpers, 1, memory_order_release) == 1)
    agpu__condition_broadcast(&pool.left);
  agpu__mutex_unlock(&pool.lock);
}

static void *run_pool_thread(void *argument) {
  agpu__emu_random random =
      agpu__emu_random_create(UINT64_MAX / 2 + (uintptr_t)argument);
  bool seeded = agpu__emu_get_settings()->seeded;
  atomic_fetch_add_explicit(&pool.awake, 1, memory_order_relaxed);
  agpu__mutex_lock(&pool.lock);
  while (!pool.stop) {
    agpu__mutex_unlock(&pool.lock);
    job *found = look_for_job(NULL);
    agpu__mutex_lock(&pool.lock);
    if (!found)
      found = join_job();
    if (found) {
      agpu__mutex_unlock(&pool.lock);
      help(found, NULL, seeded ? &random : NULL);
      agpu__mutex_lock(&pool.lock);
    } else if (!pool.stop) {
      atomic_fetch_sub_explicit(&pool.awake, 1, memory_order_relaxed);
      agpu__condition_wait(&pool.work, &pool.lock);
      atomic_fetch_add_explicit(&pool.awake, 1, memory_order_relaxed);
    }
  }
  atomic_fetch_sub_explicit(&pool.awake, 1, memory_order_relaxed);
  agpu__mutex_unlock(&pool.lock);
  return NULL;
}

bool agpu__emu_launch_help(bool (*is_done)(void *of), void *of) {
  const waiter self = {is_done, of};
  if (is_done(of))
    return true;
  // A seed draws which threads run what.
  if (agpu__emu_get_settings()->seeded)
    return agpu__emu_stay_awake(is_done, of);
  atomic_fetch_add_explicit(&pool.awake, 1, memory_order_relaxed);
  for (job *found; (found = look_for_job(&self));)
    help(found, &self, NULL);
  atomic_fetch_sub_explicit(&pool.awake, 1, memory_order_relaxed);
  return is_done(of);
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
static void wait_for_helpers(job *of) {
  int64_t begin = agpu__clock_machine_ns();
  do {
    if (!atomic_load_explicit(&of->helpers, memory_order_acquire))
      return;
    for (int i = 0; i < 32; ++i)
      agpu__pause();
  } while (agpu__clock_machine_ns() - begin < WORTH_WAKING_NS);
  agpu__mutex_lock(&pool.lock);
  while (atomic_load_explicit(&of->helpers, memory_order_acquire))
    agpu__condition_wait(&pool.left, &pool.lock);
  agpu__mutex_unlock(&pool.lock);
}

/// Wakes as many threads as the device has beside those that are awake, or the
/// job has blocks for.
static void wake_for(const job *of) AGPU__REQUIRES(pool.lock) {
  uint64_t wanted = agpu__emu_get_settings()->threads - 1;
  wanted = wanted < of->total ? wanted : of->total;
  for (uint64_t i = atomic_load_explicit(&pool.awake, memory_order_relaxed);
       i < wanted; ++i)
    agpu__condition_signal(&pool.work);
}

static void share_job(job *of, agpu__emu_random *random) {
  agpu__mutex_lock(&pool.lock);
  if (!pool.started)
    start_pool();
  LIST_INSERT_HEAD(&pool.jobs, of, link);
  atomic_fetch_add_explicit(&pool.shared, 1, memory_order_relaxed);
  wake_for(of);
  agpu__mutex_unlock(&pool.lock);

  run_own(of, random);

  agpu__mutex_lock(&pool.lock);
  LIST_REMOVE(of, link);
  atomic_fetch_sub_explicit(&pool.shared, 1, memory_order_relaxed);
  agpu__mutex_unlock(&pool.lock);
  wait_for_helpers(of);
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

/// As drawn: one block at a time, in an order of steps of the same length.
static void run_seeded(job *of, bool alone, agpu__emu_random *random) {
  // The products stay below 2^64 for these; others keep their order.
  if (of->total <= UINT32_MAX) {
    of->order.start = agpu__emu_random_next(random) % of->total;
    do
      of->order.stride = 1 + agpu__emu_random_next(random) % of->total;
    while (gcd(of->order.stride, of->total) != 1);
  }
  of->shares = of->total;
  if (alone)
    (void)run_job(of, NULL, random);
  else
    share_job(of, random);
}

/// Whether so many blocks are worth sharing, if one takes that long.
static bool is_worth_sharing(uint64_t blocks, uint64_t block_ns) {
  uint64_t enough = atomic_load_explicit(&pool.awake, memory_order_relaxed)
                        ? WORTH_SHARING_NS
                        : WORTH_WAKING_NS;
  return blocks > 1 && blocks >= enough / block_ns;
}

/// Runs `blocks` more on this thread.
static void run_alone(job *of, uint64_t blocks) {
  uint64_t total = of->total;
  of->total = atomic_load_explicit(&of->taken, memory_order_relaxed) + blocks;
  run_own(of, NULL);
  atomic_store_explicit(&of->taken, of->total, memory_order_relaxed);
  of->total = total;
}

/// Of several blocks: shares them, as far as that pays.
static void run_timed(job *of) {
  const atomic_uint *time = get_time(of->launch->kernel);
  uint64_t left = of->total;
  if (!atomic_load_explicit(time, memory_order_relaxed)) {
    run_alone(of, 1);
    --left;
  }
  uint64_t block_ns = atomic_load_explicit(time, memory_order_relaxed);
  block_ns = block_ns ? block_ns : 1; // of another kernel's entry
  if (!is_worth_sharing(left, block_ns)) {
    run_alone(of, left);
    return;
  }
  of->shares = agpu__emu_get_settings()->threads * 4u;
  of->most = PATIENCE_NS / block_ns;
  share_job(of, NULL);
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
  if (settings->seeded && all > 1)
    run_seeded(&running, alone, random);
  else if (alone || all == 1)
    (void)run_job(&running, NULL, NULL);
  else
    run_timed(&running);
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
