//===- math.c - Math that upstream's conversions leave --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/convert/math.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

static char *type_text(MlirType type) {
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  return agpu__text_take(&text);
}

//===----------------------------------------------------------------------===//
// Powers of integers
//===----------------------------------------------------------------------===//

/// `%rN` is `%bN` to the power of `%eN`, of the scalar `type`: the product of
/// those of the squares b, b^2, b^4, ... whose bit the exponent has. To a
/// negative power, 1 and -1 have themselves or each other, others nothing left.
static void write_power(agpu__text *text, const char *type, int n) {
  agpu__text_printf(
      text,
      "  %%none%d = arith.subi %%b%d, %%b%d : %s\n"
      "  %%no_bits%d = arith.subi %%e%d, %%e%d : %s\n"
      "  %%p%d:3 = scf.while (%%base%d = %%b%d, %%rest%d = %%e%d, %%so_far%d = "
      "%%one) : (%s, %s, %s) -> (%s, %s, %s) {\n"
      "    %%more%d = arith.cmpi ne, %%rest%d, %%no_bits%d : %s\n"
      "    scf.condition(%%more%d) %%base%d, %%rest%d, %%so_far%d : %s, %s, "
      "%s\n"
      "  } do {\n"
      "  ^bb0(%%base: %s, %%rest: %s, %%so_far: %s):\n",
      n, n, n, type, n, n, n, type, n, n, n, n, n, n, type, type, type, type,
      type, type, n, n, n, type, n, n, n, n, type, type, type, type, type,
      type);
  agpu__text_printf(
      text,
      "    %%bit = arith.andi %%rest, %%one : %s\n"
      "    %%odd = arith.cmpi ne, %%bit, %%no_bits%d : %s\n"
      "    %%product = arith.muli %%so_far, %%base : %s\n"
      "    %%next = arith.select %%odd, %%product, %%so_far : %s\n"
      "    %%square = arith.muli %%base, %%base : %s\n"
      "    %%half = arith.shrui %%rest, %%one : %s\n"
      "    scf.yield %%square, %%half, %%next : %s, %s, %s\n"
      "  }\n",
      type, n, type, type, type, type, type, type, type, type);
  agpu__text_printf(
      text,
      "  %%minus%d = arith.subi %%none%d, %%one : %s\n"
      "  %%is_one%d = arith.cmpi eq, %%b%d, %%one : %s\n"
      "  %%is_minus%d = arith.cmpi eq, %%b%d, %%minus%d : %s\n"
      "  %%unit%d = arith.ori %%is_one%d, %%is_minus%d : i1\n"
      "  %%inverse%d = arith.select %%unit%d, %%p%d#2, %%none%d : %s\n"
      "  %%down%d = arith.cmpi slt, %%e%d, %%no_bits%d : %s\n"
      "  %%r%d = arith.select %%down%d, %%inverse%d, %%p%d#2 : %s\n",
      n, n, type, n, n, type, n, n, n, type, n, n, n, n, n, n, n, type, n, n, n,
      type, n, n, n, n, type);
}

static void write_one(agpu__text *text, MlirType element, const char *type) {
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1)
    agpu__text_puts(text, "  %one = arith.constant true\n");
  else
    agpu__text_printf(text, "  %%one = arith.constant 1 : %s\n", type);
}

/// Element by element for vectors.
static void expand_power(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  bool is_vector = mlirTypeIsAVector(type);
  MlirType element = is_vector ? mlirShapedTypeGetElementType(type) : type;
  char *whole = type_text(type), *scalar = type_text(element);
  agpu__text text = {0};
  agpu__text_printf(&text, "func.func @power(%%b: %s, %%e: %s) -> %s {\n",
                    whole, whole, whole);
  write_one(&text, element, scalar);
  int count = is_vector ? (int)mlirShapedTypeGetDimSize(type, 0) : 1;
  for (int i = 0; i < count; ++i) {
    if (is_vector)
      agpu__text_printf(&text,
                        "  %%b%d = vector.extract %%b[%d] : %s from %s\n"
                        "  %%e%d = vector.extract %%e[%d] : %s from %s\n",
                        i, i, scalar, whole, i, i, scalar, whole);
    else
      agpu__text_printf(&text,
                        "  %%b0 = arith.ori %%b, %%b : %s\n"
                        "  %%e0 = arith.ori %%e, %%e : %s\n",
                        scalar, scalar);
    write_power(&text, scalar, i);
  }
  agpu__text_puts(&text, is_vector ? "  %r = vector.from_elements " : "");
  for (int i = 0; i < count && is_vector; ++i)
    agpu__text_printf(&text, "%s%%r%d", i ? ", " : "", i);
  if (is_vector)
    agpu__text_printf(&text, " : %s\n", whole);
  agpu__text_printf(&text, "  return %%%s : %s\n}\n", is_vector ? "r" : "r0",
                    whole);
  agpu__template_replace(op, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
  free(whole);
  free(scalar);
}

//===----------------------------------------------------------------------===//
// Classes, sines and cosines
//===----------------------------------------------------------------------===//

/// Classes of numbers, as LLVM's bits.
static const struct {
  const char *op;
  int bits;
} classes[] = {
    {"math.isnan", 0x003},
    {"math.isinf", 0x204},
    {"math.isfinite", 0x1f8},
    {"math.isnormal", 0x108},
};

static void expand_class(MlirOperation op, int bits) {
  char *type = type_text(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  char *result = type_text(mlirValueGetType(agpu__result(op, 0)));
  char *text = agpu__format("func.func @class(%%v: %s) -> %s {\n"
                            "  %%r = \"llvm.intr.is.fpclass\"(%%v) <{bit = %d "
                            ": i32}> : (%s) -> %s\n"
                            "  return %%r : %s\n"
                            "}\n",
                            type, result, bits, type, result, result);
  agpu__template_replace(op, text, NULL, 0);
  free(text);
  free(type);
  free(result);
}

static void expand_sine_and_cosine(MlirOperation op) {
  char *type = type_text(mlirValueGetType(agpu__result(op, 0)));
  char *text = agpu__format("func.func @sincos(%%v: %s) -> (%s, %s) {\n"
                            "  %%s = math.sin %%v : %s\n"
                            "  %%c = math.cos %%v : %s\n"
                            "  return %%s, %%c : %s, %s\n"
                            "}\n",
                            type, type, type, type, type, type, type);
  agpu__template_replace(op, text, NULL, 0);
  free(text);
  free(type);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// LLVM's vectors have one dimension.
static bool is_scalar_or_row(MlirType type) {
  return !mlirTypeIsAVector(type) ||
         (mlirShapedTypeGetRank(type) == 1 && !mlirVectorTypeIsScalable(type));
}

static bool expand_op(MlirOperation op) {
  if (!agpu__op_in_dialect(op, "math"))
    return false;
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  bool simple = is_scalar_or_row(type);
  for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i)
    if (simple && agpu__op_is(op, classes[i].op)) {
      expand_class(op, classes[i].bits);
      return true;
    }
  if (simple && agpu__op_is(op, "math.ipowi"))
    expand_power(op);
  else if (mlirTypeIsAVector(type) && agpu__op_is(op, "math.sincos"))
    expand_sine_and_cosine(op);
  else
    return false;
  return true;
}

bool agpu__expand_math(MlirOperation root) {
  agpu__ops ops = {0};
  agpu__collect(root, NULL, &ops);
  bool any = false;
  for (size_t i = 0; i < ops.count; ++i)
    any |= expand_op(ops.data[i]);
  agpu__ops_free(&ops);
  return any;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  agpu__expand_math(module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_expand_math = {
    .argument = "async-gpu-expand-math",
    .summary = "Express math ops that upstream has no conversion for",
    .description =
        "`math.ipowi` becomes a loop over the exponent's bits, a test of a "
        "number's class (`math.isinf`, `isnan`, `isfinite`, `isnormal`) "
        "LLVM's, "
        "and `math.sincos` of vectors a sine and a cosine. Integers, floats "
        "and "
        "vectors of one dimension. Kernels get the same from "
        "`async-gpu-kernels-to-nvvm`.\n",
    .before = "%c = math.isnormal %x : f32\n",
    .after = "%c = \"llvm.intr.is.fpclass\"(%x) <{bit = 264 : i32}>\n"
             "    : (f32) -> i1\n",
    .run = run,
};
