//===- launch.c - A launch, from its first thread to its last ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/bulk.h"
#include "machine/families.h"
#include "machine/host.h"

#include <fenv.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  WARP_TURNS = 8,
  ROUNDS_BETWEEN_LOOKS = 64,
  SHARED_ALIGN = 128,
  DYNAMIC_ALIGN = 16,   ///< and that of the array, where it has a greater one
  LENIENT_ALIGN = 1024, ///< what patterns of swizzling repeat in
};

int ptx_fresh_byte(const ptx_run *run) {
  return run->launch->options->is_lenient ? 0 : PTX_POISON_BYTE;
}

uint64_t ptx_random(ptx_run *run) { // xorshift
  run->random ^= run->random << 13;
  run->random ^= run->random >> 7;
  run->random ^= run->random << 17;
  return run->random;
}

void ptx_fault(const ptx_warp *warp, const ptx_insn *insn, unsigned lane,
               int result, const char *format, ...) {
  ptx_run *run = warp->block->run;
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const uint32_t *block = warp->block->id, *id = warp->lanes[lane].id;
  run->result = result;
  snprintf(run->message, run->message_size,
           "kernel '%s', block %u,%u,%u, thread %u,%u,%u: line %u of the PTX, "
           "'%.120s': %s",
           run->launch->function->name, block[0], block[1], block[2], id[0],
           id[1], id[2], insn ? insn->line : 0, insn ? insn->text : "", text);
  longjmp(run->failed, 1);
}

static uint64_t volume(const uint32_t *sizes) {
  return (uint64_t)sizes[0] * sizes[1] * sizes[2];
}

static void split(uint64_t linear, const uint32_t *sizes, uint32_t *out) {
  out[0] = (uint32_t)(linear % sizes[0]);
  out[1] = (uint32_t)(linear / sizes[0] % sizes[1]);
  out[2] = (uint32_t)(linear / sizes[0] / sizes[1]);
}

/// The n-th block to start. Blocks of a cluster start one behind the other.
static uint64_t block_in_order(const ptx_launch *launch, uint64_t n) {
  uint64_t per_cluster = volume(launch->cluster);
  if (per_cluster == 1)
    return n;
  uint32_t clusters[3], cluster[3], inner[3], id[3];
  for (int i = 0; i < 3; ++i)
    clusters[i] = launch->grid[i] / launch->cluster[i];
  split(n / per_cluster, clusters, cluster);
  split(n % per_cluster, launch->cluster, inner);
  for (int i = 0; i < 3; ++i)
    id[i] = cluster[i] * launch->cluster[i] + inner[i];
  return id[0] + (uint64_t)launch->grid[0] *
                     (id[1] + (uint64_t)launch->grid[1] * id[2]);
}

static void start_thread(ptx_block *block, uint32_t linear) {
  const ptx_launch *launch = block->run->launch;
  ptx_warp *warp = &block->warps[linear / PTX_WARP_SIZE];
  unsigned lane = linear % PTX_WARP_SIZE;
  warp->block = block;
  warp->number = linear / PTX_WARP_SIZE;
  ++warp->count;
  warp->live |= UINT32_C(1) << lane;
  warp->running = warp->live;
  warp->lanes[lane].linear = linear;
  split(linear, launch->block, warp->lanes[lane].id);
  ptx_push_frame(warp, lane, launch->function, NULL, 0);
  if (launch->function->launch_bytes)
    memcpy(warp->lanes[lane].params.bytes, launch->parameters,
           launch->function->launch_bytes);
}

static void start_block(ptx_run *run, ptx_block *block, uint64_t n,
                        uint32_t slot) {
  const ptx_launch *launch = run->launch;
  uint32_t threads = (uint32_t)volume(launch->block);
  *block = (ptx_block){
      .run = run,
      .linear = block_in_order(launch, n),
      .slot = slot,
      .thread_count = threads,
      .live = threads,
      .warp_count = (threads + PTX_WARP_SIZE - 1) / PTX_WARP_SIZE,
      .shared_bytes = run->dynamic_offset + launch->dynamic_bytes,
  };
  split(block->linear, launch->grid, block->id);
  block->warps = calloc(block->warp_count, sizeof *block->warps);
  size_t bytes = (size_t)block->shared_bytes + SHARED_ALIGN;
  block->shared =
      aligned_alloc(SHARED_ALIGN, bytes / SHARED_ALIGN * SHARED_ALIGN);
  if (!block->warps || !block->shared)
    abort();
  memset(block->shared, ptx_fresh_byte(run), (size_t)block->shared_bytes);
  for (uint32_t i = 0; i < threads; ++i)
    start_thread(block, i);
}

static void free_block(ptx_block *block) {
  ptx_bulk_free(block);
  free(block->fenced_maps);
  for (uint32_t i = 0; block->warps && i < block->warp_count; ++i) {
    ptx_warp *warp = &block->warps[i];
    for (unsigned lane = 0; lane < warp->count; ++lane) {
      ptx_lane *l = &warp->lanes[lane];
      free(l->frames);
      free(l->params.bytes);
      free(l->local.bytes);
      free(l->copies);
    }
    free(warp->rows);
  }
  free(block->warps);
  free(block->shared);
  *block = (ptx_block){0};
}

static bool block_goes_on(ptx_block *block) {
  bool has_moved = false;
  for (uint32_t i = 0; i < block->warp_count; ++i)
    for (int turn = 0; turn < WARP_TURNS; ++turn) {
      if (!ptx_warp_go_on(&block->warps[i]))
        break;
      has_moved = true;
    }
  return has_moved;
}

/// In the message of a launch that lasts: where its first thread is.
static void check_time(ptx_run *run, const ptx_block *block) {
  if (ptx_now_ns() < run->deadline_ns)
    return;
  for (uint32_t i = 0; i < block->warp_count; ++i) {
    const ptx_warp *warp = &block->warps[i];
    if (!warp->live)
      continue;
    unsigned lane = (unsigned)__builtin_ctz(warp->live);
    ptx_fault(warp, &run->module->code[warp->pc[lane]], lane, PTX_TIMEOUT,
              "the launch has run for %u s", run->launch->options->seconds);
  }
}

/// Some blocks at a time, in turns. Blocks of one launch may wait for each
/// other only where a cluster has them.
static void run_blocks(ptx_run *run) {
  uint64_t total = volume(run->launch->grid), started = 0, ended = 0;
  for (; started < run->block_count; ++started)
    start_block(run, &run->blocks[started], started, (uint32_t)started);
  for (uint64_t round = 1; ended < total; ++round) {
    bool has_moved = false;
    for (uint32_t slot = 0; slot < run->block_count; ++slot) {
      ptx_block *block = &run->blocks[slot];
      if (!block->warps)
        continue;
      has_moved |= block_goes_on(block);
      if (round % ROUNDS_BETWEEN_LOOKS == 0)
        check_time(run, block);
      if (block->live)
        continue;
      ptx_release_barriers(block);
      ptx_bulk_finish(block);
      free_block(block);
      ++ended;
      has_moved = true;
      if (started < total)
        start_block(run, block, started++, slot);
    }
    for (uint32_t slot = 0; !has_moved && slot < run->block_count; ++slot)
      if (run->blocks[slot].warps)
        ptx_report_stuck(&run->blocks[slot]);
    if (round % ROUNDS_BETWEEN_LOOKS == 0)
      sched_yield();
  }
}

static unsigned resident_blocks(const ptx_launch *launch) {
  uint64_t total = volume(launch->grid), cluster = volume(launch->cluster);
  uint64_t count = launch->options->resident_blocks;
  count = count < cluster ? cluster : count / cluster * cluster;
  return (unsigned)(count < total ? count : total);
}

int ptx_launch_run(const ptx_launch *launch, char *message, size_t size) {
  ptx_run *run = calloc(1, sizeof *run);
  if (!run)
    abort();
  const ptx_function *function = launch->function;
  run->launch = launch;
  run->module = function->module;
  run->message = message;
  run->message_size = size;
  run->random =
      (launch->options->seed + 1) * 0x9E3779B97F4A7C15ull + launch->number;
  run->random += !run->random;
  run->deadline_ns =
      ptx_now_ns() + launch->options->seconds * UINT64_C(1000000000);
  run->memory_version = ptx_memory_version();
  run->dynamic_offset = function->shared_bytes;
  unsigned align = launch->options->is_lenient ? LENIENT_ALIGN : DYNAMIC_ALIGN;
  if (launch->dynamic_bytes)
    run->dynamic_offset = (run->dynamic_offset + align - 1) / align * align;
  run->block_count = resident_blocks(launch);
  run->blocks = calloc(run->block_count, sizeof *run->blocks);
  if (!run->blocks)
    abort();
  fesetround(FE_TONEAREST);
  ptx_set_approximation(launch->options->approximate);
  if (!setjmp(run->failed))
    run_blocks(run);
  for (unsigned i = 0; i < run->block_count; ++i)
    free_block(&run->blocks[i]);
  int result = run->result;
  free(run->blocks);
  free(run);
  return result;
}
