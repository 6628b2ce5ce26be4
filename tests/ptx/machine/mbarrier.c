//===- mbarrier.c - mbarrier objects --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object's 64 bits hold all of it, as the manual says it has to: the
// arrivals that are pending and those that each phase expects, the count of
// bytes, the parity of the phase, and a mark of objects that are initialised. A
// thread that asks in vain lets a copy of the block's end (ptx_end_some_copy).
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

enum { COUNT_BITS = 20, MOST = (1 << COUNT_BITS) - 1 };

typedef struct object {
  uint8_t *at;
  uint32_t pending, expected;
  int32_t bytes;
  bool parity;
} object;

static const uint64_t mark = UINT64_C(2) << 62;

static bool is_lenient(const ptx_warp *warp) {
  return warp->block->run->launch->options->is_lenient;
}

static bool is_object(const uint8_t *at) {
  return (ptx_load(at, 8) & UINT64_C(3) << 62) == mark;
}

static object read_object(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                          uint64_t address) {
  uint8_t *at = ptx_memory_at(warp, insn, lane, insn->space, address, 8, 8);
  uint64_t bits = ptx_load(at, 8);
  if (!is_object(at))
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "there is no mbarrier object at 0x%llx",
              (unsigned long long)address);
  return (object){
      .at = at,
      .pending = (uint32_t)bits & MOST,
      .expected = (uint32_t)(bits >> COUNT_BITS) & MOST,
      .bytes =
          (int32_t)((bits >> 2 * COUNT_BITS & 0x1fffff) ^ 0x100000) - 0x100000,
      .parity = bits >> 61 & 1};
}

static void write_object(const object *o) {
  ptx_store(o->at, 8,
            mark | (uint64_t)o->parity << 61 |
                ((uint64_t)(uint32_t)o->bytes & 0x1fffff) << 2 * COUNT_BITS |
                (uint64_t)o->expected << COUNT_BITS | o->pending);
}

static void end_phase_if_over(object *o) {
  if (!o->pending && !o->bytes) {
    o->parity = !o->parity;
    o->pending = o->expected;
  }
  write_object(o);
}

static void add_bytes(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                      object *o, int64_t bytes) {
  if (o->bytes + bytes > MOST || o->bytes + bytes < -MOST)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "an mbarrier cannot count %lld bytes",
              (long long)(o->bytes + bytes));
  o->bytes += (int32_t)bytes;
}

static void take_arrivals(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                          object *o, uint64_t count) {
  if (!count || count > o->pending)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "%llu arrivals at an mbarrier that has %u pending",
              (unsigned long long)count, o->pending);
  o->pending -= (uint32_t)count;
}

void ptx_mbarrier_complete(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                           uint64_t address, uint32_t arrivals,
                           uint64_t bytes) {
  object o = read_object(warp, insn, lane, address);
  add_bytes(warp, insn, lane, &o, -(int64_t)bytes);
  if (arrivals)
    take_arrivals(warp, insn, lane, &o, arrivals);
  end_phase_if_over(&o);
}

void ptx_mbarrier_add_pending(ptx_warp *warp, const ptx_insn *insn,
                              unsigned lane, uint64_t address) {
  object o = read_object(warp, insn, lane, address);
  ++o.pending;
  write_object(&o);
}

static void initialise(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  uint64_t address = ptx_address_of(warp, insn, &insn->operands[0], lane);
  uint64_t count = ptx_read(warp, insn, &insn->operands[1], lane);
  if (!count || count > MOST)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "an mbarrier cannot expect %llu arrivals",
              (unsigned long long)count);
  object o = {.at = ptx_memory_at(warp, insn, lane, insn->space, address, 8, 8),
              .pending = (uint32_t)count,
              .expected = (uint32_t)count};
  if (is_lenient(warp) && is_object(o.at) &&
      read_object(warp, insn, lane, address).expected == count)
    return; // another thread has done it
  write_object(&o);
}

static void invalidate(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  object o = read_object(warp, insn, lane,
                         ptx_address_of(warp, insn, &insn->operands[0], lane));
  ptx_store(o.at, 8, PTX_POISON & ~(UINT64_C(3) << 62));
}

static void change_bytes(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  object o = read_object(warp, insn, lane,
                         ptx_address_of(warp, insn, &insn->operands[0], lane));
  int64_t bytes = (int64_t)ptx_read(warp, insn, &insn->operands[1], lane);
  add_bytes(warp, insn, lane, &o,
            ptx_insn_has(insn, "complete_tx") ? -bytes : bytes);
  end_phase_if_over(&o);
}

static bool is_drop(const ptx_insn *insn) {
  return ptx_insn_has(insn, "arrive_drop");
}

static void arrive(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  size_t place = insn->operands[0].kind != PTX_ADDRESS;
  object o =
      read_object(warp, insn, lane,
                  ptx_address_of(warp, insn, &insn->operands[place], lane));
  uint64_t number = insn->operand_count > place + 1
                        ? ptx_read(warp, insn, &insn->operands[place + 1], lane)
                        : 1;
  uint64_t state = ptx_load(o.at, 8);
  if (ptx_insn_has(insn, "expect_tx")) {
    add_bytes(warp, insn, lane, &o, (int64_t)number);
    number = 1;
  }
  if (is_drop(insn))
    o.expected -= (uint32_t)number;
  take_arrivals(warp, insn, lane, &o, number);
  if (ptx_insn_has(insn, "noComplete") && !o.pending)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "arrive.noComplete completes the phase");
  end_phase_if_over(&o);
  if (place)
    ptx_write(warp, &insn->operands[0], lane, state);
}

/// As both test_wait, which returns at once, and try_wait, which may.
static void test(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  uint64_t address = ptx_address_of(warp, insn, &insn->operands[1], lane);
  if (is_lenient(warp) &&
      !is_object(ptx_memory_at(warp, insn, lane, insn->space, address, 8, 8))) {
    ptx_write(warp, &insn->operands[0], lane, false);
    return;
  }
  object o = read_object(warp, insn, lane, address);
  uint64_t asked = ptx_read(warp, insn, &insn->operands[2], lane);
  bool parity = ptx_insn_has(insn, "parity") ? asked & 1 : asked >> 61 & 1;
  bool is_over = parity != o.parity;
  if (!is_over)
    ptx_end_some_copy(warp->block);
  ptx_write(warp, &insn->operands[0], lane, is_over);
}

bool ptx_select_mbarrier(ptx_insn *insn) {
  size_t count = insn->operand_count;
  if (!ptx_insn_is(insn, "mbarrier"))
    return false;
  if (ptx_insn_has(insn, "init"))
    return count == 2 && ptx_use_step(insn, initialise);
  if (ptx_insn_has(insn, "inval"))
    return count == 1 && ptx_use_step(insn, invalidate);
  if (ptx_insn_has(insn, "arrive") || is_drop(insn))
    return count >= 1 && count <= 3 && ptx_use_step(insn, arrive);
  if (ptx_insn_has(insn, "expect_tx") || ptx_insn_has(insn, "complete_tx"))
    return count == 2 && ptx_use_step(insn, change_bytes);
  insn->flags |= PTX_ENDS_RUN; // others may have to go on first
  return (ptx_insn_has(insn, "test_wait") || ptx_insn_has(insn, "try_wait")) &&
         count >= 3 && ptx_use_step(insn, test);
}
