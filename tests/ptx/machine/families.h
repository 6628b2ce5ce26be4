//===- families.h - What selects each family of instructions -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file a family. ptx_select_… looks at the mnemonic; where the family has
// the instruction, it sets what executes it and is true.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_FAMILIES_H
#define ASYNC_GPU_TESTS_PTX_FAMILIES_H

#include "machine/warp.h"

#include <string.h>

bool ptx_select_integer(ptx_insn *insn);
bool ptx_select_carry(ptx_insn *insn);
bool ptx_select_bits(ptx_insn *insn);
bool ptx_select_float(ptx_insn *insn);
bool ptx_select_approximate(ptx_insn *insn);
bool ptx_select_convert(ptx_insn *insn);
bool ptx_select_convert_small(ptx_insn *insn);
bool ptx_select_compare(ptx_insn *insn);
bool ptx_select_move(ptx_insn *insn);
bool ptx_select_memory(ptx_insn *insn);
bool ptx_select_atomic(ptx_insn *insn);
bool ptx_select_control(ptx_insn *insn);
bool ptx_select_exchange(ptx_insn *insn);
bool ptx_select_barrier(ptx_insn *insn);
bool ptx_select_async_copy(ptx_insn *insn);
bool ptx_select_bulk(ptx_insn *insn);
bool ptx_select_wgmma(ptx_insn *insn);
bool ptx_select_mbarrier(ptx_insn *insn);
bool ptx_select_tensor(ptx_insn *insn);
bool ptx_select_mma(ptx_insn *insn);
bool ptx_select_mma_quads(ptx_insn *insn);
bool ptx_select_wmma(ptx_insn *insn);

/// How .approx errs in what this thread of the host executes from now on.
void ptx_set_approximation(int of_launch);

static inline bool ptx_insn_is(const ptx_insn *insn, const char *operation) {
  return strcmp(insn->parts[0], operation) == 0;
}

/// Sets a pure function of `count` sources of the instruction's type.
static inline bool ptx_use(ptx_insn *insn, ptx_compute *compute, size_t count) {
  if (insn->operand_count != count + 1 || !insn->type)
    return false;
  insn->compute = compute;
  insn->source_count = (uint8_t)count;
  for (size_t i = 0; i < count; ++i)
    insn->source_types[i] = insn->type;
  return true;
}

static inline bool ptx_use_step(ptx_insn *insn, ptx_lane_step *step) {
  insn->lane = step;
  return true;
}
static inline bool ptx_use_together(ptx_insn *insn, ptx_warp_step *step) {
  insn->together = step;
  return true;
}
static inline bool ptx_use_waits(ptx_insn *insn, ptx_warp_step *step) {
  insn->waits = step;
  return true;
}

/// The results of min and max of floats ("min", "max"), which redux and atom
/// have, too.
uint64_t ptx_float_least(ptx_type type, uint32_t flags, bool is_max, uint64_t a,
                         uint64_t b);
/// a + b, rounded to nearest; subnormals are flushed where asked for.
uint64_t ptx_float_sum(ptx_type type, bool ftz, uint64_t a, uint64_t b);

#endif // ASYNC_GPU_TESTS_PTX_FAMILIES_H
