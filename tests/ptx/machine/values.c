//===- values.c - Operands, read and written -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/warp.h"

/// The address of a variable in its own space. A dynamic shared array begins
/// behind the static memory, at its alignment.
static uint64_t variable_address(const ptx_warp *warp, const ptx_variable *v,
                                 unsigned lane) {
  const ptx_run *run = warp->block->run;
  if (v->space == PTX_SHARED && v->is_extern)
    return (run->dynamic_offset + v->align - 1) / v->align * v->align;
  if (v->space == PTX_LOCAL)
    return ptx_top(warp, lane)->local_base + v->offset;
  return v->offset;
}

uint64_t ptx_read(ptx_warp *warp, const ptx_insn *insn, const ptx_operand *o,
                  unsigned lane) {
  switch (o->kind) {
  case PTX_REGISTER: {
    uint64_t value = *ptx_register(warp, o->reg, lane);
    return o->is_negated ? !value : value;
  }
  case PTX_IMMEDIATE: return o->value;
  case PTX_SPECIAL: return ptx_special_read(warp, insn, o->reg, lane);
  case PTX_VARIABLE:
    return variable_address(warp, o->variable, lane) + o->value;
  case PTX_FUNCTION: return PTX_FUNCTION_BASE + o->function->number;
  default:
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED, "an operand has no value");
  }
}

uint64_t ptx_address_of(ptx_warp *warp, const ptx_insn *insn,
                        const ptx_operand *o, unsigned lane) {
  if (o->kind != PTX_ADDRESS)
    return ptx_read(warp, insn, o, lane);
  if (o->reg >= 0)
    return *ptx_register(warp, o->reg, lane) + o->value;
  if (o->variable)
    return variable_address(warp, o->variable, lane) + o->value;
  return o->value;
}

void ptx_write(ptx_warp *warp, const ptx_operand *o, unsigned lane,
               uint64_t value) {
  if (o->kind == PTX_REGISTER)
    *ptx_register(warp, o->reg, lane) = value & ptx_mask(o->bits);
}

void ptx_write_second(ptx_warp *warp, const ptx_operand *o, unsigned lane,
                      uint64_t value) {
  if (o->second >= 0)
    *ptx_register(warp, o->second, lane) = value & 1;
}

/// Where the values of one source lie: a row of registers, or a copy.
typedef struct source {
  const uint64_t *values;
  uint64_t mask;
  unsigned step; ///< 0: the same for all lanes
  uint64_t copy[PTX_WARP_SIZE];
} source;

/// All lanes of `lanes` have the same base.
static void find_source(ptx_warp *warp, const ptx_insn *insn, size_t number,
                        uint32_t lanes, source *s) {
  const ptx_operand *o = &insn->operands[1 + number];
  s->mask = ptx_mask(ptx_type_bits(insn->source_types[number]));
  s->step = 1;
  if (o->kind == PTX_REGISTER && !o->is_negated) {
    s->values = ptx_register(warp, o->reg, (unsigned)__builtin_ctz(lanes)) -
                __builtin_ctz(lanes);
  } else if (o->kind == PTX_IMMEDIATE) {
    s->values = &o->value;
    s->step = 0;
  } else {
    s->values = s->copy;
    PTX_EACH_LANE(lane, lanes)
    s->copy[lane] = ptx_read(warp, insn, o, lane);
  }
}

void ptx_run_compute(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  source s[4];
  uint64_t values[4] = {0};
  for (size_t i = 0; i < insn->source_count; ++i)
    find_source(warp, insn, i, lanes, &s[i]);
  const ptx_operand *target = &insn->operands[0];
  PTX_EACH_LANE(lane, lanes) {
    for (size_t i = 0; i < insn->source_count; ++i)
      values[i] = s[i].values[lane * s[i].step] & s[i].mask;
    uint64_t result = insn->compute(insn, values);
    ptx_write(warp, target, lane, result);
    ptx_write_second(warp, target, lane, result >> 1);
  }
}
