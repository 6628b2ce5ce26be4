//===- together.c - Threads of a warp wait for each other ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA: an instruction with a mask "causes the executing thread to wait
// until all non-exited threads of the mask have executed the same instruction
// with the same mask". A thread that is not in its own mask is undefined
// behaviour, and an error here.
//
//===----------------------------------------------------------------------===//

#include "machine/warp.h"

/// The mask that a lane executes the instruction with.
static uint32_t mask_of(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  if (insn->mask < 0)
    return warp->live;
  return (uint32_t)ptx_read(warp, insn, &insn->operands[insn->mask], lane);
}

void ptx_wait_together(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  PTX_EACH_LANE(lane, lanes) {
    uint32_t mask = mask_of(warp, insn, lane);
    if (lanes & ~mask && warp->block->run->launch->options->is_lenient)
      mask = warp->live;
    if (!(mask >> lane & 1))
      ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
                "lane %u is not in the mask 0x%x that it executes this with",
                lane, mask);
    warp->lanes[lane].mask = mask;
  }
  warp->running &= ~lanes;
  warp->at_warp_step |= lanes;
  ptx_release_together(warp);
}

/// The lanes that wait where `lane` does, with its mask.
static uint32_t gathered(const ptx_warp *warp, unsigned lane) {
  uint32_t here = 0;
  PTX_EACH_LANE(other, warp->at_warp_step)
  if (warp->pc[other] == warp->pc[lane] &&
      warp->lanes[other].mask == warp->lanes[lane].mask)
    here |= UINT32_C(1) << other;
  return here;
}

void ptx_release_together(ptx_warp *warp) {
  const ptx_module *module = warp->block->run->module;
  PTX_EACH_LANE(lane, warp->at_warp_step) {
    uint32_t here = gathered(warp, lane);
    if (warp->lanes[lane].mask & warp->live & ~here)
      continue;
    const ptx_insn *insn = &module->code[warp->pc[lane]];
    insn->together(warp, insn, here);
    warp->at_warp_step &= ~here;
    warp->running |= here;
    PTX_EACH_LANE(released, here)
    ++warp->pc[released];
  }
}
