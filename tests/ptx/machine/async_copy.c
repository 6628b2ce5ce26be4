//===- async_copy.c - Copies that a thread waits for later ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous Copy". The
// bytes move when they are waited for, and not before: what reads them too
// early reads what was there.
//
//===----------------------------------------------------------------------===//

#include "machine/bulk.h"
#include "machine/families.h"

#include <stdlib.h>

static void add(ptx_lane *l, const ptx_async_copy *copy) {
  l->copies = realloc(l->copies, (l->copy_count + 1) * sizeof *copy);
  if (!l->copies)
    abort();
  l->copies[l->copy_count++] = *copy;
}

static void start(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ptx_lane *l = &warp->lanes[lane];
  const ptx_operand *o = insn->operands;
  ptx_async_copy copy = {
      .insn = insn,
      .target = ptx_address_of(warp, insn, &o[0], lane),
      .source = ptx_address_of(warp, insn, &o[1], lane),
      .bytes = (unsigned)ptx_read(warp, insn, &o[2], lane),
      .group = l->group,
  };
  copy.source_bytes = insn->operand_count > 3
                          ? (unsigned)ptx_read(warp, insn, &o[3], lane)
                          : copy.bytes;
  if ((copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) ||
      copy.source_bytes > copy.bytes)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED, "%u of %u bytes are copied",
              copy.source_bytes, copy.bytes);
  (void)ptx_memory_at(warp, insn, lane, PTX_SHARED, copy.target, copy.bytes,
                      copy.bytes);
  (void)ptx_memory_at(warp, insn, lane, PTX_GLOBAL, copy.source,
                      copy.source_bytes, copy.bytes);
  add(l, &copy);
}

static void copy_now(ptx_warp *warp, unsigned lane,
                     const ptx_async_copy *copy) {
  uint8_t bytes[16] = {0};
  memcpy(bytes,
         ptx_memory_at(warp, copy->insn, lane, PTX_GLOBAL, copy->source,
                       copy->source_bytes, 1),
         copy->source_bytes);
  memcpy(ptx_memory_at(warp, copy->insn, lane, PTX_SHARED, copy->target,
                       copy->bytes, 1),
         bytes, copy->bytes);
}

/// Copies what is in all but the last `pending` groups of a thread.
static void finish(ptx_warp *warp, unsigned lane, uint64_t pending) {
  ptx_lane *l = &warp->lanes[lane];
  size_t kept = 0;
  for (size_t i = 0; i < l->copy_count; ++i) {
    const ptx_async_copy *copy = &l->copies[i];
    if (copy->group + pending >= l->group || !copy->bytes)
      l->copies[kept++] = *copy;
    else
      copy_now(warp, lane, copy);
  }
  l->copy_count = kept;
}

/// The thread's first arrival, and the copies before it, if there is one.
static bool end_arrival(ptx_warp *warp, unsigned lane) {
  ptx_lane *l = &warp->lanes[lane];
  size_t first = 0;
  while (first < l->copy_count && l->copies[first].bytes)
    ++first;
  if (first == l->copy_count)
    return false;
  for (size_t i = 0; i < first; ++i)
    copy_now(warp, lane, &l->copies[i]);
  const ptx_async_copy arrival = l->copies[first];
  --warp->block->pending_arrivals;
  l->copy_count -= first + 1;
  memmove(l->copies, &l->copies[first + 1], l->copy_count * sizeof *l->copies);
  ptx_mbarrier_complete(warp, arrival.insn, lane, arrival.target, 1, 0);
  return true;
}

static bool end_some_arrival(ptx_block *block) {
  if (!block->pending_arrivals)
    return false;
  uint32_t first = (uint32_t)(ptx_random(block->run) % block->thread_count);
  for (uint32_t i = 0; i < block->thread_count; ++i) {
    uint32_t thread = (first + i) % block->thread_count;
    if (end_arrival(&block->warps[thread / PTX_WARP_SIZE],
                    thread % PTX_WARP_SIZE))
      return true;
  }
  return false;
}

void ptx_end_some_copy(ptx_block *block) {
  ptx_run *run = block->run;
  unsigned first = (unsigned)(ptx_random(run) % run->block_count);
  for (unsigned i = 0; i < run->block_count; ++i) {
    ptx_block *other = &run->blocks[(first + i) % run->block_count];
    if (other->warps && ptx_is_same_cluster(block, other) &&
        (ptx_bulk_end_some(other) || end_some_arrival(other)))
      return;
  }
}

static void arrive(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  uint64_t target = ptx_address_of(warp, insn, &insn->operands[0], lane);
  if (!ptx_insn_has(insn, "noinc"))
    ptx_mbarrier_add_pending(warp, insn, lane, target);
  ++warp->block->pending_arrivals;
  add(&warp->lanes[lane], &(ptx_async_copy){.insn = insn,
                                            .target = target,
                                            .group = warp->lanes[lane].group});
}

static void commit(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)insn;
  ++warp->lanes[lane].group;
}

static void wait_for_groups(ptx_warp *warp, const ptx_insn *insn,
                            unsigned lane) {
  finish(warp, lane, ptx_read(warp, insn, &insn->operands[0], lane));
}

static void wait_for_all(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)insn;
  ++warp->lanes[lane].group;
  finish(warp, lane, 0);
}

bool ptx_select_async_copy(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "cp") || !ptx_insn_has(insn, "async") ||
      ptx_insn_has(insn, "bulk"))
    return false;
  if (ptx_insn_has(insn, "mbarrier"))
    return insn->operand_count == 1 && ptx_use_step(insn, arrive);
  if (ptx_insn_has(insn, "commit_group"))
    return ptx_use_step(insn, commit);
  if (ptx_insn_has(insn, "wait_group"))
    return insn->operand_count == 1 && ptx_use_step(insn, wait_for_groups);
  if (ptx_insn_has(insn, "wait_all"))
    return ptx_use_step(insn, wait_for_all);
  return insn->operand_count >= 3 && ptx_use_step(insn, start);
}
