//===- atomic.c - Atomic updates of memory -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: atom,
// red". Other threads of the host may execute other launches, so that what is
// atomic here is atomic for the host.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

enum { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC, OPERATIONS };
static const char *const operations[] = {"add", "min",  "max", "and", "or",
                                         "xor", "exch", "cas", "inc", "dec"};

/// What is stored where `old` stood.
static uint64_t updated(const ptx_insn *insn, uint64_t old, uint64_t b,
                        uint64_t c) {
  ptx_type type = insn->type;
  unsigned bits = ptx_type_bits(type);
  switch (insn->mode) {
  case ADD:
    // "atom.add.f32 on global memory flushes subnormals; on shared it does
    // not."
    return ptx_type_is_float(type)
               ? ptx_float_sum(
                     type, type == PTX_f32 && insn->space != PTX_SHARED, old, b)
               : old + b;
  case MIN:
  case MAX:
    if (ptx_type_is_float(type))
      return ptx_float_least(type, insn->flags, insn->mode == MAX, old, b);
    bool is_less = ptx_type_is_signed(type)
                       ? ptx_signed(old, bits) < ptx_signed(b, bits)
                       : old < b;
    return is_less == (insn->mode == MIN) ? old : b;
  case AND: return old & b;
  case OR: return old | b;
  case XOR: return old ^ b;
  case EXCH: return b;
  case CAS: return old == b ? c : old;
  case INC: return old >= b ? 0 : old + 1;
  default: return old == 0 || old > b ? b : old - 1;
  }
}

static bool replace(void *at, unsigned bytes, uint64_t *old, uint64_t with) {
  bool done;
  switch (bytes) {
  case 2: {
    uint16_t expected = (uint16_t)*old;
    done =
        __atomic_compare_exchange_n((uint16_t *)at, &expected, (uint16_t)with,
                                    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *old = expected;
    return done;
  }
  case 4: {
    uint32_t expected = (uint32_t)*old;
    done =
        __atomic_compare_exchange_n((uint32_t *)at, &expected, (uint32_t)with,
                                    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *old = expected;
    return done;
  }
  default:
    return __atomic_compare_exchange_n((uint64_t *)at, old, with, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
}

static void update(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  bool has_result = ptx_insn_is(insn, "atom");
  const ptx_operand *o = &insn->operands[has_result];
  unsigned bits = ptx_type_bits(insn->type), bytes = bits / 8;
  uint64_t address = ptx_address_of(warp, insn, &o[0], lane);
  void *at =
      ptx_memory_at(warp, insn, lane, insn->space, address, bytes, bytes);
  uint64_t b = ptx_read(warp, insn, &o[1], lane) & ptx_mask(bits);
  uint64_t c = insn->mode == CAS
                   ? ptx_read(warp, insn, &o[2], lane) & ptx_mask(bits)
                   : 0;
  uint64_t old = ptx_load(at, bytes);
  while (!replace(at, bytes, &old, updated(insn, old, b, c) & ptx_mask(bits)))
    ;
  if (has_result)
    ptx_write(warp, &insn->operands[0], lane, old);
}

bool ptx_select_atomic(ptx_insn *insn) {
  bool has_result = ptx_insn_is(insn, "atom");
  unsigned bits = ptx_type_bits(insn->type);
  if ((!has_result && !ptx_insn_is(insn, "red")) || insn->vector ||
      insn->space == PTX_CONST || insn->space == PTX_PARAM ||
      (bits != 16 && bits != 32 && bits != 64))
    return false;
  for (uint8_t i = 0; i < OPERATIONS; ++i)
    if (ptx_insn_has(insn, operations[i])) {
      insn->mode = i;
      size_t operands = (size_t)2 + has_result + (i == CAS);
      return insn->operand_count == operands && ptx_use_step(insn, update);
    }
  return false;
}
