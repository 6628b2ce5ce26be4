//===- barrier.c - Barriers of a block and of a cluster ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "bar, barrier": sync, red and arrive on the 16 barriers of a block.
// From sm_70 on, sync is by thread: it waits for all threads of the block that
// have not ended, or for the given number of threads, which is counted in whole
// warps. "In conditionally executed code, a bar instruction should only be used
// if it is known that all threads evaluate the condition identically": threads
// of one warp that meet at different bar.sync are an error, and so is a count
// in which the threads of a warp take part only in part.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

#include <stdio.h>

enum { SYNC, POPC, AND, OR };

typedef struct arrivals {
  uint32_t threads, warps, wanted;
  bool is_partial;     ///< some of a warp's threads wait, others run
  bool is_divergent;   ///< threads of a warp wait at different instructions
  unsigned warp, lane; ///< one that waits
} arrivals;

static void count_warp(const ptx_warp *warp, unsigned id, arrivals *a) {
  uint32_t here = 0;
  PTX_EACH_LANE(lane, warp->at_barrier)
  if (warp->lanes[lane].barrier == id)
    here |= UINT32_C(1) << lane;
  if (!here)
    return;
  a->warp = warp->number;
  a->lane = (unsigned)__builtin_ctz(here);
  a->threads += (uint32_t)__builtin_popcount(here);
  a->wanted = warp->lanes[a->lane].barrier_threads;
  a->is_partial |= here != warp->live;
  a->warps += here == warp->live;
  PTX_EACH_LANE(lane, here)
  a->is_divergent |= warp->pc[lane] != warp->pc[a->lane];
}

static arrivals count(const ptx_block *block, unsigned id) {
  arrivals a = {0};
  for (uint32_t i = 0; i < block->warp_count; ++i)
    count_warp(&block->warps[i], id, &a);
  return a;
}

/// What bar.red gives, from the predicates of all who wait.
static uint64_t reduced(const ptx_block *block, unsigned id, uint8_t mode) {
  uint64_t sum = 0, threads = 0;
  for (uint32_t i = 0; i < block->warp_count; ++i) {
    const ptx_warp *warp = &block->warps[i];
    PTX_EACH_LANE(lane, warp->at_barrier)
    if (warp->lanes[lane].barrier == id) {
      sum += warp->lanes[lane].barrier_predicate;
      ++threads;
    }
  }
  return mode == POPC ? sum : mode == AND ? sum == threads : sum != 0;
}

static void release(ptx_block *block, unsigned id) {
  const ptx_module *module = block->run->module;
  uint64_t results[4] = {0};
  for (uint8_t mode = POPC; mode <= OR; ++mode)
    results[mode] = reduced(block, id, mode);
  for (uint32_t i = 0; i < block->warp_count; ++i) {
    ptx_warp *warp = &block->warps[i];
    PTX_EACH_LANE(lane, warp->at_barrier) {
      if (warp->lanes[lane].barrier != id)
        continue;
      const ptx_insn *insn = &module->code[warp->pc[lane]];
      if (insn->mode != SYNC)
        ptx_write(warp, &insn->operands[0], lane, results[insn->mode]);
      warp->at_barrier &= ~(UINT32_C(1) << lane);
      warp->running |= UINT32_C(1) << lane;
      ++warp->pc[lane];
    }
  }
  block->arrived[id] = 0;
}

static void release_if_complete(ptx_block *block, unsigned id) {
  arrivals a = count(block, id);
  if (!a.threads)
    return;
  uint32_t come = PTX_WARP_SIZE * a.warps + block->arrived[id];
  bool is_complete =
      a.wanted ? come >= a.wanted && !a.is_partial : a.threads == block->live;
  if (!is_complete)
    return;
  const ptx_warp *warp = &block->warps[a.warp];
  const ptx_insn *insn = &block->run->module->code[warp->pc[a.lane]];
  if (a.is_divergent)
    ptx_fault(warp, insn, a.lane, PTX_LAUNCH_FAILED,
              "threads of a warp meet at barrier %u by different instructions",
              id);
  if (a.wanted && come > a.wanted)
    ptx_fault(warp, insn, a.lane, PTX_LAUNCH_FAILED,
              "barrier %u for %u threads is reached by %u", id, a.wanted, come);
  release(block, id);
}

static void release_cluster(ptx_block *block);

void ptx_release_barriers(ptx_block *block) {
  for (unsigned id = 0; id < PTX_BARRIERS; ++id)
    release_if_complete(block, id);
  release_cluster(block);
}

static uint32_t thread_count(ptx_warp *warp, const ptx_insn *insn,
                             unsigned lane, const ptx_operand *o) {
  uint64_t threads = ptx_read(warp, insn, o, lane);
  if (!threads || threads % PTX_WARP_SIZE ||
      threads > PTX_WARP_SIZE * warp->block->warp_count)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "a barrier for %llu threads in a block of %u",
              (unsigned long long)threads, warp->block->thread_count);
  return (uint32_t)threads;
}

static unsigned barrier_id(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                           const ptx_operand *o) {
  uint64_t id = ptx_read(warp, insn, o, lane);
  if (id >= PTX_BARRIERS)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED, "there is no barrier %llu",
              (unsigned long long)id);
  return (unsigned)id;
}

/// bar.sync a{, b}; bar.red d, a{, b}, {!}c
static void wait(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  bool is_reduction = insn->mode != SYNC;
  const ptx_operand *o = &insn->operands[is_reduction];
  size_t count_operands = insn->operand_count - 2 * (size_t)is_reduction;
  PTX_EACH_LANE(lane, lanes) {
    ptx_lane *l = &warp->lanes[lane];
    l->barrier = (uint8_t)barrier_id(warp, insn, lane, &o[0]);
    l->barrier_threads =
        count_operands > 1 ? thread_count(warp, insn, lane, &o[1]) : 0;
    l->barrier_predicate =
        is_reduction &&
        ptx_read(warp, insn, &insn->operands[insn->operand_count - 1], lane) &
            1;
  }
  warp->running &= ~lanes;
  warp->at_barrier |= lanes;
  ptx_release_barriers(warp->block);
}

/// bar.arrive a, b: by the whole warp, which goes on.
static void arrive(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  unsigned lane = (unsigned)__builtin_ctz(lanes);
  unsigned id = barrier_id(warp, insn, lane, &insn->operands[0]);
  (void)thread_count(warp, insn, lane, &insn->operands[1]);
  warp->block->arrived[id] += PTX_WARP_SIZE;
  ptx_release_barriers(warp->block);
}

//===----------------------------------------------------------------------===//
// barrier.cluster.arrive and .wait
//===----------------------------------------------------------------------===//

bool ptx_is_same_cluster(const ptx_block *a, const ptx_block *b) {
  const uint32_t *size = a->run->launch->cluster;
  for (int i = 0; i < 3; ++i)
    if (a->id[i] / size[i] != b->id[i] / size[i])
      return false;
  return true;
}

/// A thread that has ended counts as one that has arrived.
static uint32_t missing(const ptx_block *block) {
  return block->live > block->cluster_arrivals
             ? block->live - block->cluster_arrivals
             : 0;
}

enum { CLUSTER_BARRIER = PTX_BARRIERS };

static void release_cluster(ptx_block *block) {
  ptx_run *run = block->run;
  bool is_waited_for = false;
  for (unsigned i = 0; i < run->block_count; ++i) {
    ptx_block *other = &run->blocks[i];
    if (!other->warps || !ptx_is_same_cluster(block, other))
      continue;
    if (missing(other))
      return;
    is_waited_for |= other->cluster_arrivals != 0;
  }
  if (!is_waited_for)
    return;
  for (unsigned i = 0; i < run->block_count; ++i) {
    ptx_block *other = &run->blocks[i];
    if (!other->warps || !ptx_is_same_cluster(block, other))
      continue;
    other->cluster_arrivals = 0;
    ++other->cluster_phase;
    release(other, CLUSTER_BARRIER);
  }
}

static void arrive_in_cluster(ptx_warp *warp, const ptx_insn *insn,
                              unsigned lane) {
  (void)insn;
  warp->lanes[lane].cluster_phase = warp->block->cluster_phase;
  ++warp->block->cluster_arrivals;
  release_cluster(warp->block);
}

static void wait_in_cluster(ptx_warp *warp, const ptx_insn *insn,
                            uint32_t lanes) {
  (void)insn;
  PTX_EACH_LANE(lane, lanes) {
    if (warp->lanes[lane].cluster_phase != warp->block->cluster_phase) {
      ++warp->pc[lane]; // all have arrived already
      continue;
    }
    warp->lanes[lane].barrier = CLUSTER_BARRIER;
    warp->running &= ~(UINT32_C(1) << lane);
    warp->at_barrier |= UINT32_C(1) << lane;
  }
}

static bool select_cluster(ptx_insn *insn) {
  if (ptx_insn_has(insn, "arrive"))
    return ptx_use_step(insn, arrive_in_cluster);
  return ptx_insn_has(insn, "wait") && ptx_use_waits(insn, wait_in_cluster);
}

bool ptx_select_barrier(ptx_insn *insn) {
  static const char *const reductions[] = {"", "popc", "and", "or"};
  if (!ptx_insn_is(insn, "bar") && !ptx_insn_is(insn, "barrier"))
    return false;
  if (ptx_insn_has(insn, "cluster"))
    return select_cluster(insn);
  if (ptx_insn_has(insn, "arrive"))
    return insn->operand_count == 2 && ptx_use_together(insn, arrive);
  for (uint8_t mode = POPC; ptx_insn_has(insn, "red") && mode <= OR; ++mode)
    if (ptx_insn_has(insn, reductions[mode]))
      insn->mode = mode;
  if (insn->mode == SYNC && !ptx_insn_has(insn, "sync"))
    return false;
  size_t others = insn->mode == SYNC ? 0 : 2;
  return (insn->operand_count == 1 + others ||
          insn->operand_count == 2 + others) &&
         ptx_use_waits(insn, wait);
}

void ptx_report_stuck(ptx_block *block) {
  char text[600];
  size_t used = 0;
  const ptx_insn *last = NULL;
  const ptx_warp *first = NULL;
  unsigned first_lane = 0;
  for (uint32_t i = 0; i < block->warp_count && used < 400; ++i) {
    const ptx_warp *warp = &block->warps[i];
    PTX_EACH_LANE(lane, warp->live) {
      const ptx_insn *insn = &block->run->module->code[warp->pc[lane]];
      if (!first) {
        first = warp;
        first_lane = lane;
      }
      if (insn == last || used > 400)
        continue;
      last = insn;
      used += (size_t)snprintf(
          text + used, sizeof text - used, "; thread %u at line %u: %.60s",
          warp->lanes[lane].linear, insn->line, insn->text);
    }
  }
  ptx_fault(first, &block->run->module->code[first->pc[first_lane]], first_lane,
            PTX_LAUNCH_FAILED,
            "the block cannot go on: %u threads wait for what does not come%s",
            block->live, text);
}
