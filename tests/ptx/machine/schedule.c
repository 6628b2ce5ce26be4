//===- schedule.c - Which threads of a warp go on ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a warp run together where they stand at the same instruction with
// the same rows. Usually the deepest frame and the lowest instruction go first,
// so that threads that have parted meet again as soon as they can. PTX promises
// none of that ("Independent Thread Scheduling"): with random divergence any
// thread may go first, alone or with any others.
//
//===----------------------------------------------------------------------===//

#include "machine/warp.h"

enum { RUN_LENGTH = 256, RANDOM_RUN_LENGTH = 40, STARVING = 20000 };

/// Lanes of `among` at the same place as `lane`.
static uint32_t companions(const ptx_warp *warp, unsigned lane,
                           uint32_t among) {
  uint32_t group = 0;
  PTX_EACH_LANE(other, among)
  if (warp->pc[other] == warp->pc[lane] &&
      warp->base[other] == warp->base[lane] &&
      warp->lanes[other].depth == warp->lanes[lane].depth)
    group |= UINT32_C(1) << other;
  return group;
}

static unsigned nth_lane(uint32_t lanes, unsigned n) {
  while (n--)
    lanes &= lanes - 1;
  return (unsigned)__builtin_ctz(lanes);
}

static uint32_t choose_randomly(ptx_warp *warp) {
  ptx_run *run = warp->block->run;
  unsigned count = (unsigned)__builtin_popcount(warp->running);
  unsigned lane = nth_lane(warp->running, (unsigned)(ptx_random(run) % count));
  uint32_t group = companions(warp, lane, warp->running);
  if (ptx_random(run) % 4 == 0)
    group = (group & (uint32_t)ptx_random(run)) | UINT32_C(1) << lane;
  return group;
}

/// The lane that goes first: one that has not run for long, so that threads
/// that wait for others in a loop do not keep these from running; else by depth
/// and place.
static unsigned first_lane(const ptx_warp *warp) {
  unsigned best = (unsigned)__builtin_ctz(warp->running);
  PTX_EACH_LANE(lane, warp->running) {
    if (warp->issues > warp->last_issue[lane] + STARVING)
      return lane;
    uint32_t depth = warp->lanes[lane].depth;
    uint32_t best_depth = warp->lanes[best].depth;
    if (depth > best_depth ||
        (depth == best_depth && warp->pc[lane] < warp->pc[best]))
      best = lane;
  }
  return best;
}

/// Up to where the group may go without looking at the others again.
static uint32_t next_meeting(const ptx_warp *warp, uint32_t group,
                             uint32_t pc) {
  uint32_t meeting = UINT32_MAX;
  PTX_EACH_LANE(other, warp->running & ~group)
  if (warp->pc[other] > pc && warp->pc[other] < meeting)
    meeting = warp->pc[other];
  return meeting;
}

static uint32_t guarded(const ptx_warp *warp, const ptx_insn *insn,
                        uint32_t group) {
  if (insn->guard < 0)
    return group;
  uint32_t lanes = 0;
  PTX_EACH_LANE(lane, group)
  if ((*ptx_register(warp, insn->guard, lane) & 1) != insn->guard_is_negated)
    lanes |= UINT32_C(1) << lane;
  return lanes;
}

static void set_pc(ptx_warp *warp, uint32_t lanes, uint32_t pc) {
  PTX_EACH_LANE(lane, lanes)
  warp->pc[lane] = pc;
}

/// Executes the instruction at `pc`; false where the group's threads do not all
/// stand behind it now. Their counters are set then.
static bool step(ptx_warp *warp, uint32_t group, uint32_t pc) {
  const ptx_insn *insn = &warp->block->run->module->code[pc];
  uint32_t lanes = guarded(warp, insn, group), live = warp->live;
  if (!lanes)
    return true;
  if (insn->compute) {
    ptx_run_compute(warp, insn, lanes);
    return true;
  }
  if (insn->lane && !(insn->flags & PTX_ENDS_RUN)) {
    PTX_EACH_LANE(lane, lanes)
    insn->lane(warp, insn, lane);
    return true;
  }
  set_pc(warp, group, pc + 1);
  if (insn->lane) {
    PTX_EACH_LANE(lane, lanes)
    insn->lane(warp, insn, lane);
  } else {
    set_pc(warp, lanes, pc); // they wait there
    if (insn->waits)
      insn->waits(warp, insn, lanes);
    else
      ptx_wait_together(warp, insn, lanes);
  }
  if (warp->live != live) {
    ptx_release_together(warp);
    ptx_release_barriers(warp->block);
  }
  return false;
}

bool ptx_warp_go_on(ptx_warp *warp) {
  if (!warp->running)
    return false;
  ptx_run *run = warp->block->run;
  bool is_random = run->launch->options->is_random;
  uint32_t group;
  if (is_random)
    group = choose_randomly(warp);
  else
    group = companions(warp, first_lane(warp), warp->running);
  uint32_t pc = warp->pc[__builtin_ctz(group)];
  uint32_t meeting = next_meeting(warp, group, pc);
  unsigned length = is_random
                        ? 1 + (unsigned)(ptx_random(run) % RANDOM_RUN_LENGTH)
                        : RUN_LENGTH;
  PTX_EACH_LANE(lane, group)
  warp->last_issue[lane] = warp->issues;
  while (length-- && pc != meeting) {
    ++run->instructions;
    ++warp->issues;
    if (!step(warp, group, pc))
      return true;
    ++pc;
  }
  set_pc(warp, group, pc);
  return true;
}
