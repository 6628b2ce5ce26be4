//===- approximate.c - Approximate floating-point functions --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions": .approx and .full, whose greatest
// errors the manual gives. A program must be right with any result within them;
// settings have all results err upwards or downwards by as much.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

#include <math.h>

enum { RCP, SQRT, RSQRT, EX2, LG2, SIN, COS, TANH, DIV };

/// +1, 0 or -1: of the launch that this thread of the host executes.
static _Thread_local int direction;

void ptx_set_approximation(int of_launch) { direction = of_launch; }

static double exact(int operation, double x, double y) {
  switch (operation) {
  case RCP: return 1 / x;
  case SQRT: return sqrt(x);
  case RSQRT: return 1 / sqrt(x);
  case EX2: return exp2(x);
  case LG2: return log2(x);
  case SIN: return sin(x);
  case COS: return cos(x);
  case TANH: return tanh(x);
  default: return x / y;
  }
}

/// Greatest errors of .f32: in units of the last place, or absolute.
static double ulps_of(int operation, double x) {
  switch (operation) {
  case RCP:
  case SQRT: return 1;
  case RSQRT:
  case EX2:
  case DIV: return 2;
  case LG2: return x > 0.5 && x < 2 ? 0 : 2;
  default: return 0;
  }
}

static double error_of(int operation, double x) {
  switch (operation) {
  case LG2: return x > 0.5 && x < 2 ? 0x1p-22 : 0;
  case SIN:
  case COS: return fabs(x) <= 6.2832 ? 0x1p-20 : 0x1p-14;
  case TANH: return fabs(tanh(x)) * 0x1p-11;
  default: return 0;
  }
}

static uint64_t in_f32(const ptx_insn *i, const uint64_t *s) {
  bool ftz = i->flags & PTX_FTZ;
  float x = ftz ? ptx_flush(ptx_f32(s[0])) : ptx_f32(s[0]);
  float y = ftz ? ptx_flush(ptx_f32(s[1])) : ptx_f32(s[1]);
  // "For |b| in [2^126, 2^128], if a is infinity, the result is NaN, else 0."
  if (i->mode == DIV && !ptx_insn_has(i, "full") && isfinite(y) &&
      fabsf(y) > 0x1p126f)
    return isinf(x) ? 0x7fffffff
                    : ptx_f32_bits(copysignf(0, x * copysignf(1, y)));
  double result = exact(i->mode, (double)x, (double)y);
  if (isfinite(result))
    result += direction * error_of(i->mode, (double)x);
  float rounded = (float)result;
  int steps = direction && isfinite(rounded) && rounded != 0
                  ? (int)ulps_of(i->mode, (double)x)
                  : 0;
  while (steps--)
    rounded = nextafterf(rounded, (float)direction * INFINITY);
  return ptx_f32_result(ftz ? ptx_flush(rounded) : rounded);
}

/// rcp and rsqrt of .f64 with .ftz: 20 bits and no low word; rsqrt without:
/// all.
static uint64_t in_f64(const ptx_insn *i, const uint64_t *s) {
  double x = ptx_f64(s[0]);
  bool ftz = i->flags & PTX_FTZ;
  if (ftz && fpclassify(x) == FP_SUBNORMAL)
    x = copysign(0, x);
  double result = exact(i->mode, x, 0);
  if (ftz && fpclassify(result) == FP_SUBNORMAL)
    result = copysign(0, result);
  return ptx_f64_bits(result) & (ftz ? ~ptx_mask(32) : ptx_mask(64));
}

static uint64_t in_half(const ptx_insn *i, const uint64_t *s) {
  return ptx_encode(i->type, exact(i->mode, ptx_value(i->type, s[0]), 0),
                    PTX_NEAREST);
}

bool ptx_select_approximate(ptx_insn *insn) {
  static const char *const operations[] = {"rcp", "sqrt", "rsqrt", "ex2", "lg2",
                                           "sin", "cos",  "tanh",  "div"};
  if (!ptx_type_is_float(insn->type) || !(insn->flags & PTX_APPROX))
    return false;
  for (uint8_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    if (!ptx_insn_is(insn, operations[i]))
      continue;
    insn->mode = i;
    if (insn->type == PTX_f32)
      return ptx_use(insn, in_f32, i == DIV ? 2 : 1);
    if (insn->type == PTX_f64)
      return (i == RCP || i == RSQRT) && ptx_use(insn, in_f64, 1);
    return (i == EX2 || i == TANH) &&
           ptx_element_type(insn->type) == insn->type &&
           ptx_use(insn, in_half, 1);
  }
  return false;
}
