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

#include "machine/families.h"

#include <stdlib.h>

static void start(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ptx_lane *l = &warp->lanes[lane];
  const ptx_operand *o = insn->operands;
  ptx_async_copy copy = {
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
  l->copies = realloc(l->copies, (l->copy_count + 1) * sizeof copy);
  if (!l->copies)
    abort();
  l->copies[l->copy_count++] = copy;
}

/// Does the copies of all groups but the last `pending` ones.
static void finish(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                   uint64_t pending) {
  ptx_lane *l = &warp->lanes[lane];
  size_t kept = 0;
  for (size_t i = 0; i < l->copy_count; ++i) {
    const ptx_async_copy *copy = &l->copies[i];
    if (copy->group + pending >= l->group) {
      l->copies[kept++] = *copy;
      continue;
    }
    uint8_t bytes[16] = {0};
    memcpy(bytes,
           ptx_memory_at(warp, insn, lane, PTX_GLOBAL, copy->source,
                         copy->source_bytes, 1),
           copy->source_bytes);
    memcpy(ptx_memory_at(warp, insn, lane, PTX_SHARED, copy->target,
                         copy->bytes, 1),
           bytes, copy->bytes);
  }
  l->copy_count = kept;
}

static void commit(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)insn;
  ++warp->lanes[lane].group;
}

static void wait_for_groups(ptx_warp *warp, const ptx_insn *insn,
                            unsigned lane) {
  finish(warp, insn, lane, ptx_read(warp, insn, &insn->operands[0], lane));
}

static void wait_for_all(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ++warp->lanes[lane].group;
  finish(warp, insn, lane, 0);
}

bool ptx_select_async_copy(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "cp") || !ptx_insn_has(insn, "async") ||
      ptx_insn_has(insn, "bulk") || ptx_insn_has(insn, "mbarrier"))
    return false;
  if (ptx_insn_has(insn, "commit_group"))
    return ptx_use_step(insn, commit);
  if (ptx_insn_has(insn, "wait_group"))
    return insn->operand_count == 1 && ptx_use_step(insn, wait_for_groups);
  if (ptx_insn_has(insn, "wait_all"))
    return ptx_use_step(insn, wait_for_all);
  return insn->operand_count >= 3 && ptx_use_step(insn, start);
}
