//===- exchange.c - Threads of a warp exchange values --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions":
// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, activemask,
// bar.warp.sync. Their lanes are those of the mask that live; together.c has
// them wait for each other.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

enum { UP, DOWN, BFLY, IDX };
enum { ANY, ALL, UNI, BALLOT };
enum { ADD, MIN, MAX, AND, OR, XOR };

/// The lane that `lane` reads, and whether it lies in its segment.
static int source_lane(const ptx_insn *insn, unsigned lane, uint64_t b,
                       uint64_t c, bool *out_inside) {
  int by = (int)(b & 31), own = (int)lane;
  unsigned segment = (unsigned)(c >> 8) & 31, clamp = (unsigned)c & 31;
  int most = (int)((lane & segment) | (clamp & ~segment));
  int least = (int)(lane & segment), from;
  switch (insn->mode) {
  case UP:
    from = own - by;
    *out_inside = from >= most;
    break;
  case DOWN:
    from = own + by;
    *out_inside = from <= most;
    break;
  case BFLY:
    from = own ^ by;
    *out_inside = from <= most;
    break;
  default:
    from = least | (by & (int)~segment);
    *out_inside = from <= most;
    break;
  }
  return *out_inside ? from : own;
}

/// "Reading from an inactive or absent thread is undefined": poison.
static void shuffle(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  uint64_t results[PTX_WARP_SIZE];
  bool inside[PTX_WARP_SIZE];
  PTX_EACH_LANE(lane, lanes) {
    uint64_t b = ptx_read(warp, insn, &insn->operands[2], lane);
    uint64_t c = ptx_read(warp, insn, &insn->operands[3], lane);
    int from = source_lane(insn, lane, b, c, &inside[lane]);
    bool takes_part = from < PTX_WARP_SIZE && lanes >> from & 1;
    results[lane] =
        takes_part ? ptx_read(warp, insn, &insn->operands[1], (unsigned)from)
                   : PTX_POISON;
  }
  PTX_EACH_LANE(lane, lanes) {
    ptx_write(warp, &insn->operands[0], lane, results[lane] & ptx_mask(32));
    ptx_write_second(warp, &insn->operands[0], lane, inside[lane]);
  }
}

static void vote(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  uint32_t votes = 0;
  PTX_EACH_LANE(lane, lanes)
  if (ptx_read(warp, insn, &insn->operands[1], lane) & 1)
    votes |= UINT32_C(1) << lane;
  uint64_t result = insn->mode == BALLOT ? votes
                    : insn->mode == ANY  ? votes != 0
                    : insn->mode == ALL  ? votes == lanes
                                         : votes == lanes || !votes;
  PTX_EACH_LANE(lane, lanes)
  ptx_write(warp, &insn->operands[0], lane, result);
}

static void match(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  uint64_t values[PTX_WARP_SIZE], mask = ptx_mask(ptx_type_bits(insn->type));
  PTX_EACH_LANE(lane, lanes)
  values[lane] = ptx_read(warp, insn, &insn->operands[1], lane) & mask;
  PTX_EACH_LANE(lane, lanes) {
    uint32_t same = 0;
    PTX_EACH_LANE(other, lanes)
    same |= (uint32_t)(values[other] == values[lane]) << other;
    bool is_all = same == lanes;
    uint64_t result = insn->mode == ANY ? same : is_all ? lanes : 0;
    ptx_write(warp, &insn->operands[0], lane, result);
    ptx_write_second(warp, &insn->operands[0], lane, is_all);
  }
}

static uint64_t reduced(const ptx_insn *insn, uint64_t a, uint64_t b) {
  bool is_max = insn->mode == MAX;
  switch (insn->mode) {
  case ADD: return a + b;
  case AND: return a & b;
  case OR: return a | b;
  case XOR: return a ^ b;
  default:
    if (insn->type == PTX_f32)
      return ptx_float_least(PTX_f32, insn->flags, is_max, a, b);
    bool is_less = insn->type == PTX_s32 ? (int32_t)a < (int32_t)b
                                         : (uint32_t)a < (uint32_t)b;
    return is_less != is_max ? a : b;
  }
}

static void redux(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  unsigned first = (unsigned)__builtin_ctz(lanes);
  uint64_t all = ptx_read(warp, insn, &insn->operands[1], first);
  if (insn->flags & PTX_ABS)
    all &= 0x7fffffff;
  PTX_EACH_LANE(lane, lanes & (lanes - 1))
  all = reduced(insn, all, ptx_read(warp, insn, &insn->operands[1], lane));
  PTX_EACH_LANE(lane, lanes)
  ptx_write(warp, &insn->operands[0], lane, all);
}

/// Any of the lanes may be it: the last one, since programs expect the first.
static void elect(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  unsigned leader = 31u - (unsigned)__builtin_clz(lanes);
  PTX_EACH_LANE(lane, lanes) {
    ptx_write(warp, &insn->operands[0], lane, leader);
    ptx_write_second(warp, &insn->operands[0], lane, lane == leader);
  }
}

/// The threads that happen to execute it together; bits of others may be set or
/// not, and nothing can be concluded from those that are.
static void active_mask(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  PTX_EACH_LANE(lane, lanes) {
    ptx_write(warp, &insn->operands[0], lane, lanes);
    ++warp->pc[lane];
  }
}

static void meet(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  (void)warp;
  (void)insn;
  (void)lanes;
}

/// Sets the mode to the position of the qualifier that the mnemonic has.
static bool find_mode(ptx_insn *insn, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (ptx_insn_has(insn, names[i])) {
      insn->mode = (uint8_t)i;
      return true;
    }
  return false;
}

static bool use(ptx_insn *insn, ptx_warp_step *step, size_t operands) {
  insn->together = step;
  insn->mask = (int)operands - 1; // the mask is always the last
  return insn->operand_count == operands && ptx_insn_has(insn, "sync");
}

bool ptx_select_exchange(ptx_insn *insn) {
  static const char *const shuffles[] = {"up", "down", "bfly", "idx"};
  static const char *const votes[] = {"any", "all", "uni", "ballot"};
  static const char *const reductions[] = {"add", "min", "max",
                                           "and", "or",  "xor"};
  if (ptx_insn_is(insn, "shfl"))
    return find_mode(insn, shuffles, 4) && use(insn, shuffle, 5);
  if (ptx_insn_is(insn, "vote"))
    return find_mode(insn, votes, 4) && use(insn, vote, 3);
  if (ptx_insn_is(insn, "match"))
    return find_mode(insn, votes, 2) && use(insn, match, 3);
  if (ptx_insn_is(insn, "redux"))
    return find_mode(insn, reductions, 6) && use(insn, redux, 3);
  if (ptx_insn_is(insn, "activemask"))
    return insn->operand_count == 1 && ptx_use_waits(insn, active_mask);
  if (ptx_insn_is(insn, "elect"))
    return use(insn, elect, 2);
  if ((ptx_insn_is(insn, "bar") || ptx_insn_is(insn, "barrier")) &&
      ptx_insn_has(insn, "warp"))
    return use(insn, meet, 1);
  return false;
}
