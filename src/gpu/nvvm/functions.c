//===- functions.c - Math functions without a library ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The errors that docs/kernels.md states are those of these formulas with what
// PTX says of ex2.approx (2 units in the last place) and lg2.approx (2^-22.6
// absolute near 1).
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/functions.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

// In the texts, `$` stands for the type, `?` for the types of a select, `[N]`
// for the constant N. Each computes %y of %x.

// %t + %lo is %a * log2(e) with twice the digits: the product's error counts as
// often as %a is large.
#define PRODUCT                                                                \
  "%high = arith.constant [1.4426950216293335] : $\n"                          \
  "%low = arith.constant [1.9259629911266175e-8] : $\n"                        \
  "%t = arith.mulf %a, %high : $\n"                                            \
  "%minus_t = arith.negf %t : $\n"                                             \
  "%rest = math.fma %a, %high, %minus_t : $\n"                                 \
  "%lo = math.fma %a, %low, %rest : $\n"                                       \
  "%ln2 = arith.constant [0.693147180559945] : $\n"

// %e = 2^(%p + %lo); where 2^%p is none or all there is, %lo may be no number.
#define POWER                                                                  \
  "%e0 = math.exp2 %p : $\n"                                                   \
  "%bend = arith.mulf %lo, %ln2 : $\n"                                         \
  "%e1 = math.fma %e0, %bend, %e0 : $\n"                                       \
  "%far = arith.constant [160.0] : $\n"                                        \
  "%size = math.absf %p : $\n"                                                 \
  "%near = arith.cmpf olt, %size, %far : $\n"                                  \
  "%e = arith.select %near, %e1, %e0 : ?\n"

// %half_e = e^|%x| / 2, which is there as long as the result is.
#define HALF_EXPONENTIAL                                                       \
  "%a = math.absf %x : $\n" PRODUCT "%one = arith.constant [1.0] : $\n"        \
  "%p = arith.subf %t, %one : $\n" POWER                                       \
  "%quarter = arith.constant [0.25] : $\n"                                     \
  "%other = arith.divf %quarter, %e : $\n"

// %l = log(1 + %u). Near 0 by the series of artanh(u / (2 + u)).
#define LOGARITHM                                                              \
  "%one = arith.constant [1.0] : $\n"                                          \
  "%two = arith.constant [2.0] : $\n"                                          \
  "%ln2 = arith.constant [0.693147180559945] : $\n"                            \
  "%w = arith.addf %u, %one : $\n"                                             \
  "%lg = math.log2 %w : $\n"                                                   \
  "%l0 = arith.mulf %lg, %ln2 : $\n"                                           \
  "%below = arith.addf %u, %two : $\n"                                         \
  "%s = arith.divf %u, %below : $\n"                                           \
  "%ss = arith.mulf %s, %s : $\n"                                              \
  "%n9 = arith.constant [0.111111111] : $\n"                                   \
  "%n7 = arith.constant [0.142857143] : $\n"                                   \
  "%n5 = arith.constant [0.2] : $\n"                                           \
  "%n3 = arith.constant [0.333333333] : $\n"                                   \
  "%q7 = math.fma %ss, %n9, %n7 : $\n"                                         \
  "%q5 = math.fma %ss, %q7, %n5 : $\n"                                         \
  "%q3 = math.fma %ss, %q5, %n3 : $\n"                                         \
  "%q2 = arith.mulf %ss, %q3 : $\n"                                            \
  "%q1 = math.fma %s, %q2, %s : $\n"                                           \
  "%l1 = arith.addf %q1, %q1 : $\n"                                            \
  "%small = arith.constant [0.41] : $\n"                                       \
  "%usize = math.absf %u : $\n"                                                \
  "%close = arith.cmpf olt, %usize, %small : $\n"                              \
  "%l = arith.select %close, %l1, %l0 : ?\n"

// %y is %l, or log(2 %a) where %a is so large that its square is none.
#define OR_LARGE                                                               \
  "%huge = arith.constant [1.0e+9] : $\n"                                      \
  "%large = arith.cmpf ogt, %a, %huge : $\n"                                   \
  "%lga = math.log2 %a : $\n"                                                  \
  "%lgb = arith.addf %lga, %one : $\n"                                         \
  "%l2 = arith.mulf %lgb, %ln2 : $\n"                                          \
  "%r = arith.select %large, %l2, %l : ?\n"

#define SIGN "%y = math.copysign %r, %x : $\n"

static const struct {
  const char *op, *text;
} functions[] = {
    {"math.exp",
     "%zero = arith.constant [-0.0] : $\n"
     "%a = arith.addf %x, %zero : $\n" PRODUCT
     "%p = arith.addf %t, %zero : $\n" POWER "%y = arith.addf %e, %zero : $\n"},
    // Below 1 by the first terms of its series.
    {"math.sinh",
     HALF_EXPONENTIAL "%r0 = arith.subf %e, %other : $\n"
                      "%xx = arith.mulf %x, %x : $\n"
                      "%k9 = arith.constant [2.75573192e-6] : $\n"
                      "%k7 = arith.constant [1.98412698e-4] : $\n"
                      "%k5 = arith.constant [8.33333333e-3] : $\n"
                      "%k3 = arith.constant [0.166666667] : $\n"
                      "%h7 = math.fma %xx, %k9, %k7 : $\n"
                      "%h5 = math.fma %xx, %h7, %k5 : $\n"
                      "%h3 = math.fma %xx, %h5, %k3 : $\n"
                      "%h2 = arith.mulf %xx, %h3 : $\n"
                      "%r1 = math.fma %a, %h2, %a : $\n"
                      "%close = arith.cmpf olt, %a, %one : $\n"
                      "%r = arith.select %close, %r1, %r0 : ?\n" SIGN},
    {"math.cosh", HALF_EXPONENTIAL "%y = arith.addf %e, %other : $\n"},
    // Below 0.6 by a fraction of polynomials, the fifth of its continued
    // fraction (Lambert).
    {"math.tanh",
     "%size_x = math.absf %x : $\n"
     "%a = arith.addf %size_x, %size_x : $\n" PRODUCT
     "%one = arith.constant [1.0] : $\n"
     "%zero = arith.constant [-0.0] : $\n"
     "%p = arith.addf %t, %zero : $\n" POWER "%two = arith.constant [2.0] : $\n"
     "%e2 = arith.addf %e, %one : $\n"
     "%part = arith.divf %two, %e2 : $\n"
     "%r0 = arith.subf %one, %part : $\n"
     "%xx = arith.mulf %x, %x : $\n"
     "%n1 = arith.constant [105.0] : $\n"
     "%n0 = arith.constant [945.0] : $\n"
     "%d2 = arith.constant [15.0] : $\n"
     "%d1 = arith.constant [420.0] : $\n"
     "%u1 = arith.addf %xx, %n1 : $\n"
     "%u0 = math.fma %xx, %u1, %n0 : $\n"
     "%v1 = math.fma %xx, %d2, %d1 : $\n"
     "%v0 = math.fma %xx, %v1, %n0 : $\n"
     "%quotient = arith.divf %u0, %v0 : $\n"
     "%r1 = arith.mulf %size_x, %quotient : $\n"
     "%small = arith.constant [0.6] : $\n"
     "%close = arith.cmpf olt, %size_x, %small : $\n"
     "%r = arith.select %close, %r1, %r0 : ?\n" SIGN},
    // log(a + sqrt(a^2 + 1)), as log(1 + u).
    {"math.asinh", "%a = math.absf %x : $\n"
                   "%aa = arith.mulf %a, %a : $\n"
                   "%unit = arith.constant [1.0] : $\n"
                   "%aa1 = arith.addf %aa, %unit : $\n"
                   "%root = math.sqrt %aa1 : $\n"
                   "%root1 = arith.addf %root, %unit : $\n"
                   "%more = arith.divf %aa, %root1 : $\n"
                   "%u = arith.addf %a, %more : $\n" LOGARITHM OR_LARGE SIGN},
    // log(x + sqrt(x^2 - 1)), as log(1 + u); no number below 1.
    {"math.acosh", "%unit = arith.constant [1.0] : $\n"
                   "%zero = arith.constant [-0.0] : $\n"
                   "%a = arith.addf %x, %zero : $\n"
                   "%d = arith.subf %x, %unit : $\n"
                   "%d2 = arith.addf %x, %unit : $\n"
                   "%root0 = math.sqrt %d : $\n"
                   "%root1 = math.sqrt %d2 : $\n"
                   "%root = arith.mulf %root0, %root1 : $\n"
                   "%u = arith.addf %d, %root : $\n" LOGARITHM OR_LARGE
                   "%y = arith.addf %r, %zero : $\n"},
    // log((1 + a) / (1 - a)) / 2, as log(1 + u).
    {"math.atanh", "%a = math.absf %x : $\n"
                   "%unit = arith.constant [1.0] : $\n"
                   "%aa = arith.addf %a, %a : $\n"
                   "%down = arith.subf %unit, %a : $\n"
                   "%u = arith.divf %aa, %down : $\n" LOGARITHM
                   "%half = arith.constant [0.5] : $\n"
                   "%r = arith.mulf %l, %half : $\n" SIGN},
    // Of what is left of x by multiples of pi / 2, in three parts; by a
    // fraction as the hyperbolic one, or what is left of it.
    {"math.tan", "%two_by_pi = arith.constant [0.636619772367581] : $\n"
                 "%pi0 = arith.constant [-1.5707963705062866] : $\n"
                 "%pi1 = arith.constant [4.371138828673793e-8] : $\n"
                 "%pi2 = arith.constant [1.7151245100058819e-15] : $\n"
                 "%turns = arith.mulf %x, %two_by_pi : $\n"
                 "%k = math.roundeven %turns : $\n"
                 "%x0 = math.fma %k, %pi0, %x : $\n"
                 "%x1 = math.fma %k, %pi1, %x0 : $\n"
                 "%x2 = math.fma %k, %pi2, %x1 : $\n"
                 "%xx = arith.mulf %x2, %x2 : $\n"
                 "%n1 = arith.constant [-105.0] : $\n"
                 "%n0 = arith.constant [945.0] : $\n"
                 "%d2 = arith.constant [15.0] : $\n"
                 "%d1 = arith.constant [-420.0] : $\n"
                 "%u1 = arith.addf %xx, %n1 : $\n"
                 "%u0 = math.fma %xx, %u1, %n0 : $\n"
                 "%v1 = math.fma %xx, %d2, %d1 : $\n"
                 "%v0 = math.fma %xx, %v1, %n0 : $\n"
                 "%up = arith.mulf %x2, %u0 : $\n"
                 "%even = arith.divf %up, %v0 : $\n"
                 "%minus = arith.negf %v0 : $\n"
                 "%odd = arith.divf %minus, %up : $\n"
                 "%half = arith.constant [0.5] : $\n"
                 "%pairs = arith.mulf %k, %half : $\n"
                 "%whole = math.roundeven %pairs : $\n"
                 "%is_even = arith.cmpf oeq, %pairs, %whole : $\n"
                 "%r = arith.select %is_even, %even, %odd : ?\n"
                 "%none = arith.constant [0.0] : $\n"
                 "%is_none = arith.cmpf oeq, %x, %none : $\n"
                 "%y = arith.select %is_none, %x, %r : ?\n"},
};

/// `text` with what its placeholders stand for.
static void write_body(agpu__text *out, const char *text, const char *type,
                       const char *flags) {
  for (; *text; ++text)
    if (*text == '$')
      agpu__text_puts(out, type);
    else if (*text == '?')
      agpu__text_printf(out, "%s%s%s", flags, *flags ? ", " : "", type);
    else if (*text == '[' || *text == ']')
      agpu__text_puts(out, !*flags ? "" : *text == '[' ? "dense<" : ">");
    else
      agpu__text_append(out, text, 1);
}

static bool expand(MlirOperation op, const char *text) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  bool vector = mlirTypeIsAVector(type);
  MlirType element = vector ? mlirShapedTypeGetElementType(type) : type;
  bool narrow = mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
  if ((!narrow && !mlirTypeIsAF32(element)) ||
      (vector &&
       (mlirShapedTypeGetRank(type) != 1 || mlirVectorTypeIsScalable(type))))
    return false;
  agpu__text own = {0}, body = {0};
  mlirTypePrint(type, agpu__text_callback, &own);
  int size = vector ? (int)mlirShapedTypeGetDimSize(type, 0) : 0;
  char *wide =
      vector ? agpu__format("vector<%dxf32>", size) : agpu__format("f32");
  char *flags =
      vector ? agpu__format("vector<%dxi1>", size) : agpu__format("%s", "");
  const char *name = agpu__text_get(&own);
  agpu__text_printf(&body, "func.func @function(%%%s: %s) -> %s {\n",
                    narrow ? "given" : "x", name, name);
  if (narrow)
    agpu__text_printf(&body, "%%x = arith.extf %%given : %s to %s\n", name,
                      wide);
  write_body(&body, text, wide, flags);
  if (narrow)
    agpu__text_printf(&body, "%%narrow = arith.truncf %%y : %s to %s\n", wide,
                      name);
  agpu__text_printf(&body, "return %%%s : %s\n}\n", narrow ? "narrow" : "y",
                    name);
  bool good = mlirLogicalResultIsSuccess(
      agpu__template_replace(op, agpu__text_get(&body), NULL, 0));
  agpu__text_free(&own);
  agpu__text_free(&body);
  free(wide);
  free(flags);
  return good;
}

bool agpu__expand_functions(MlirOperation gpu_module) {
  bool any = false;
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) {
    agpu__ops ops = {0};
    agpu__collect(gpu_module, functions[i].op, &ops);
    for (size_t k = 0; k < ops.count; ++k)
      any |= expand(ops.data[k], functions[i].text);
    agpu__ops_free(&ops);
  }
  return any;
}
