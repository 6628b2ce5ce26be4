//===- block.c - One thread's way through the blocks of a launch ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runner of a host thread, what it lends the kernel for each block, and how
// a block ends that has failed. Special registers of PTX that a kernel does not
// know from its own ids and sizes are its runner's, too: clusters, the clock of
// the world, the launch's number, bytes of shared memory.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/block.h"

#include "base/os/self.h"
#include "base/report/assert.h"
#include "driver_api/values.h"
#include "emu/base/context.h"
#include "emu/base/hooks.h"
#include "emu/base/result.h"
#include "emu/simt/async.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Patterns of swizzling repeat after 1024 bytes at the latest.
#define SHARED_ALIGNMENT ((size_t)1024)
#define PIECE_ALIGNMENT ((size_t)AGPU_NATIVE_MEMORY_ALIGNMENT)

static size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

bool agpu__emu_runner_create(agpu__emu_runner *runner,
                             const agpu__emu_launch *launch) {
  *runner =
      (agpu__emu_runner){.launch = launch,
                         .block = launch->block,
                         .random = agpu__emu_random_create(launch->number)};
  const uint32_t *size = runner->block.block_dim;
  runner->thread_count = size[0] * size[1] * size[2];
  size_t bytes = runner->block.shared_bytes;
  if (!bytes)
    return true;
  runner->block.shared =
      aligned_alloc(SHARED_ALIGNMENT, round_up(bytes, SHARED_ALIGNMENT));
  return runner->block.shared != NULL;
}

static void keep_output(agpu__emu_runner *runner) {
  if (runner->output.size)
    agpu__emu_output_keep(&runner->output, runner->launch->kernel->name);
}

void agpu__emu_runner_leave_block(agpu__emu_runner *runner) {
  runner->has_started = false;
  runner->has_ended = false;
  runner->piece = 0;
  runner->assertion.message = NULL;
  if (runner->arrivals)
    memset(runner->arrivals, 0, AGPU__EMU_BARRIERS * sizeof *runner->arrivals);
  if (runner->async)
    agpu__emu_async_leave(runner);
  keep_output(runner);
}

static void set_block(agpu_native_block *block, uint64_t number) {
  block->block_id[0] = (uint32_t)(number % block->grid_dim[0]);
  number /= block->grid_dim[0];
  block->block_id[1] = (uint32_t)(number % block->grid_dim[1]);
  block->block_id[2] = (uint32_t)(number / block->grid_dim[1]);
}

static void set_next_block(agpu_native_block *block) {
  for (int d = 0; d < 3; ++d) {
    if (++block->block_id[d] < block->grid_dim[d])
      return;
    block->block_id[d] = 0;
  }
}

static void run_block(agpu__emu_runner *runner) {
  const agpu__emu_launch *launch = runner->launch;
  AGPU__EMU_TELL(block_begins, (runner));
  if (agpu__emu_hooks_table.is_left_out &&
      agpu__emu_hooks_table.is_left_out(runner))
    return;
  launch->kernel->run(launch->params, &runner->block);
  agpu_native_check_assertions();
  if (runner->async && runner->async->finish)
    runner->async->finish(runner);
  agpu__emu_runner_leave_block(runner);
}

bool agpu__emu_runner_run(agpu__emu_runner *runner,
                          const agpu__emu_block_order *order, uint64_t first,
                          uint64_t end, const atomic_bool *stop) {
  bool in_order = order->start == 0 && order->stride == 1;
  AGPU__ASSERT(!agpu__self.emu.runner);
  agpu__self.emu.runner = runner;
  if (setjmp(runner->leave)) {
    agpu__emu_runner_leave_block(runner);
    agpu__self.emu.runner = NULL;
    return false;
  }
  set_block(&runner->block, first); // where blocks run one after the other
  for (uint64_t i = first; i < end; ++i) {
    if (atomic_load_explicit(stop, memory_order_relaxed))
      break;
    if (!in_order)
      set_block(&runner->block,
                (order->start + i * order->stride) % order->total);
    run_block(runner);
    if (in_order)
      set_next_block(&runner->block);
  }
  agpu__self.emu.runner = NULL;
  return true;
}

void agpu__emu_runner_destroy(agpu__emu_runner *runner) {
  if (runner->counted)
    agpu__emu_hooks_table.runner_ends(runner);
  free(runner->block.shared);
  free(runner->threads);
  free(runner->frames);
  free(runner->arrivals);
  agpu__emu_async_destroy(runner);
  for (size_t i = 0; i < runner->piece_count; ++i)
    free(runner->pieces[i]);
  free(runner->pieces);
  agpu__emu_output_free(&runner->output);
}

static bool holds(const void *memory, size_t bytes, uintptr_t address) {
  return memory && address - (uintptr_t)memory < bytes;
}

bool agpu__emu_runner_keeps(const agpu__emu_runner *runner, uintptr_t address) {
  bool keeps = holds(runner->frames, runner->frame_bytes * runner->thread_count,
                     address);
  for (size_t i = 0; i < runner->piece_count && !keeps; ++i)
    keeps = holds(runner->pieces[i], malloc_usable_size(runner->pieces[i]),
                  address);
  return keeps;
}

agpu__emu_runner *agpu__emu_runner_current(void) {
  return agpu__self_known ? agpu__self_known->emu.runner : NULL;
}

_Noreturn void agpu__emu_block_fail(CUresult error, const char *location,
                                    const char *format, ...) {
  agpu__emu_runner *runner = agpu__self.emu.runner;
  AGPU__ASSERT(runner);
  char text[640];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const uint32_t *id = runner->block.block_id;
  agpu__emu_note("%s%skernel '%s', block %u,%u,%u: %s",
                 location ? location : "", location && *location ? ": " : "",
                 runner->launch->kernel->name, id[0], id[1], id[2], text);
  // A reader of the error may end the process: what was printed comes first.
  keep_output(runner);
  agpu__emu_set_error(error);
  longjmp((runner->cluster ? runner->cluster : runner)->leave, 1);
}

agpu_native_thread *agpu_native_begin_block(const agpu_native_block *block) {
  (void)block;
  agpu__emu_runner *runner = agpu__self.emu.runner;
  if (!runner->threads)
    runner->threads = malloc(runner->thread_count * sizeof *runner->threads);
  if (!runner->threads)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its threads");
  return runner->threads;
}

void *agpu_native_frame(const agpu_native_thread *thread, uint64_t size,
                        uint64_t alignment) {
  agpu__emu_runner *runner = agpu__self.emu.runner;
  if (!runner->frames) {
    // Frames start on cache lines of their own.
    size_t step = alignment > 64 ? (size_t)alignment : 64;
    runner->frame_bytes = round_up((size_t)size, step);
    runner->frames =
        aligned_alloc(step, runner->frame_bytes * runner->thread_count);
    if (!runner->frames)
      agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                           "no memory for the frames of its threads");
  }
  size_t number = (size_t)(thread - runner->threads);
  return runner->frames + number * runner->frame_bytes;
}

void *agpu_native_memory(uint64_t bytes) {
  agpu__emu_runner *runner = agpu__self.emu.runner;
  if (runner->piece < runner->piece_count)
    return runner->pieces[runner->piece++];
  void **pieces =
      realloc(runner->pieces, (runner->piece_count + 1) * sizeof *pieces);
  if (pieces)
    runner->pieces = pieces;
  void *piece =
      pieces ? aligned_alloc(PIECE_ALIGNMENT,
                             round_up((size_t)bytes * runner->thread_count,
                                      PIECE_ALIGNMENT))
             : NULL;
  if (!piece)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for values of its threads");
  pieces[runner->piece_count++] = piece;
  ++runner->piece;
  return piece;
}

void agpu_native_trap(const char *location, uint32_t x, uint32_t y,
                      uint32_t z) {
  agpu__emu_block_fail(CUDA_ERROR_LAUNCH_FAILED, location,
                       "thread %u,%u,%u ran into a trap", x, y, z);
}

void agpu_native_check_assertions(void) {
  const agpu__emu_runner *runner = agpu__self.emu.runner;
  const uint32_t *thread = runner->assertion.thread;
  if (runner->assertion.message)
    agpu__emu_block_fail(CUDA_ERROR_ASSERT, runner->assertion.location,
                         "thread %u,%u,%u: assertion failed: %s", thread[0],
                         thread[1], thread[2], runner->assertion.message);
}

void agpu_native_expect_size(uint32_t x, uint32_t y, uint32_t z) {
  const uint32_t *size = agpu__self.emu.runner->block.block_dim;
  if (size[0] != x || size[1] != y || size[2] != z)
    agpu__emu_block_fail(CUDA_ERROR_LAUNCH_FAILED, NULL,
                         "launched with %ux%ux%u threads, but it says that its "
                         "blocks have %ux%ux%u",
                         size[0], size[1], size[2], x, y, z);
}

void agpu_native_refuse(const char *what, const char *location) {
  agpu__emu_block_fail(CUDA_ERROR_NOT_SUPPORTED, location, "%s", what);
}

void agpu__emu_number_id(const agpu__emu_runner *runner, uint32_t number,
                         uint32_t *out_id) {
  const uint32_t *size = runner->block.block_dim;
  out_id[0] = number % size[0];
  out_id[1] = number / size[0] % size[1];
  out_id[2] = number / (size[0] * size[1]);
}

void agpu__emu_thread_id(const agpu_native_thread *thread, uint32_t *out_id) {
  const agpu__emu_runner *runner = agpu__self.emu.runner;
  agpu__emu_number_id(runner, (uint32_t)(thread - runner->threads), out_id);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static uint64_t nanoseconds(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// x fastest, as CUDA numbers the blocks of a cluster.
static uint32_t rank_in_cluster(const uint32_t *block, const uint32_t *size) {
  uint32_t z = block[2] % size[2], y = block[1] % size[1];
  return (z * size[1] + y) * size[0] + block[0] % size[0];
}

uint64_t agpu_native_register(uint32_t name) {
  const agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu_native_block *block = &runner->block;
  const uint32_t *size = runner->launch->cluster_dim;
  uint32_t d =
      name >= AGPU_NATIVE_CLUSTERID ? (name - AGPU_NATIVE_CLUSTERID) % 3 : 0;
  if (name >= AGPU_NATIVE_CLUSTER_NCTARANK)
    return (uint64_t)size[0] * size[1] * size[2];
  if (name >= AGPU_NATIVE_CLUSTER_CTARANK)
    return rank_in_cluster(block->block_id, size);
  if (name >= AGPU_NATIVE_CLUSTER_NCTAID)
    return size[d];
  if (name >= AGPU_NATIVE_CLUSTER_CTAID)
    return block->block_id[d] % size[d];
  if (name >= AGPU_NATIVE_NCLUSTERID)
    return block->grid_dim[d] / size[d];
  if (name >= AGPU_NATIVE_CLUSTERID)
    return block->block_id[d] / size[d];
  switch (name) {
  case AGPU_NATIVE_GLOBALTIMER: return nanoseconds();
  case AGPU_NATIVE_GRIDID: return runner->launch->number;
  case AGPU_NATIVE_TOTAL_SMEM_SIZE: return block->shared_bytes;
  default: return block->shared_bytes - runner->launch->kernel->shared_bytes;
  }
}
