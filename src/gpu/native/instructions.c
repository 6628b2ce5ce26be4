//===- instructions.c - Instructions of the GPU on a host ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVVM ops that are one instruction with a plain meaning, as ops of the LLVM
// dialect, written as text. What an instruction computes is in the PTX ISA,
// under its name.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/simt.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Whether attribute `name` of `op` is there and its text contains `part`.
static bool attribute_has(MlirOperation op, const char *name,
                          const char *part) {
  MlirAttribute attribute =
      mlirOperationGetAttributeByName(op, agpu__str(name));
  if (mlirAttributeIsNull(attribute))
    return false;
  agpu__text text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  bool found = strstr(agpu__text_get(&text), part) != NULL;
  agpu__text_free(&text);
  return found;
}

static int64_t number_of(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(
      mlirOperationGetAttributeByName(op, agpu__str(name)));
}

static void write_i32(agpu__text *text, const char *name, int64_t value) {
  agpu__text_printf(text, "  %%%s = llvm.mlir.constant(%lld : i32) : i32\n",
                    name, (long long)value);
}

//===----------------------------------------------------------------------===//
// Bytes and small integers
//===----------------------------------------------------------------------===//

// Which of the eight bytes becomes byte `i` of a permutation in a mode other
// than the default, by its selector.
static int forward(int selector, int i) { return selector + i; }
static int backward(int selector, int i) { return (selector - i) & 7; }
static int replicate_8(int selector, int i) { return i < 0 ? i : selector; }
static int clamp_left(int selector, int i) {
  return i > selector ? i : selector;
}
static int clamp_right(int selector, int i) {
  return i < selector ? i : selector;
}
static int replicate_16(int selector, int i) {
  return 2 * (selector & 1) + (i & 1);
}

static const struct {
  const char *mode;
  int (*byte)(int selector, int i);
} permutations[] = {
    {"f4e", forward},    {"b4e", backward},    {"rc8", replicate_8},
    {"ecl", clamp_left}, {"ecr", clamp_right}, {"rc16", replicate_16},
};

/// The other modes as selectors of the default one, four digits for each of
/// the four: a shift takes the right one.
static void write_selector(agpu__text *text, MlirOperation op) {
  for (size_t m = 0; m < sizeof(permutations) / sizeof(permutations[0]); ++m) {
    if (!attribute_has(op, "mode", permutations[m].mode))
      continue;
    uint64_t table = 0;
    for (int selector = 0; selector < 4; ++selector)
      for (int i = 0; i < 4; ++i)
        table |= (uint64_t)permutations[m].byte(selector, i)
                 << (16 * selector + 4 * i);
    agpu__text_printf(text,
                      "  %%table = llvm.mlir.constant(%lld : i64) : i64\n"
                      "  %%k3 = llvm.mlir.constant(3 : i32) : i32\n"
                      "  %%k4 = llvm.mlir.constant(4 : i32) : i32\n"
                      "  %%low = llvm.and %%asked, %%k3 : i32\n"
                      "  %%bits = llvm.shl %%low, %%k4 : i32\n"
                      "  %%places = llvm.zext %%bits : i32 to i64\n"
                      "  %%row = llvm.lshr %%table, %%places : i64\n"
                      "  %%selector = llvm.trunc %%row : i64 to i32\n",
                      (long long)table);
    return;
  }
  agpu__text_puts(text, "  %none = llvm.mlir.constant(0 : i32) : i32\n"
                        "  %selector = llvm.or %asked, %none : i32\n");
}

/// Operands: the low word, a high one or none, and the selector. A digit of the
/// selector names a byte; its highest bit asks for the byte's sign alone.
static void write_permute(agpu__text *text, MlirOperation op) {
  bool both = mlirOperationGetNumOperands(op) == 3;
  agpu__text_printf(text,
                    "  %%same = llvm.mlir.constant(0 : i32) : i32\n"
                    "  %%asked = llvm.or %%a%d, %%same : i32\n",
                    both ? 2 : 1);
  write_selector(text, op);
  agpu__text_puts(text, "  %c0 = llvm.mlir.constant(0 : i32) : i32\n"
                        "  %c3 = llvm.mlir.constant(3 : i32) : i32\n"
                        "  %c7 = llvm.mlir.constant(7 : i32) : i32\n"
                        "  %c8 = llvm.mlir.constant(8 : i32) : i32\n"
                        "  %ff = llvm.mlir.constant(255 : i32) : i32\n"
                        "  %c32 = llvm.mlir.constant(32 : i64) : i64\n"
                        "  %lo = llvm.zext %a0 : i32 to i64\n");
  agpu__text_printf(text,
                    "  %%hi = llvm.zext %%%s : i32 to i64\n"
                    "  %%high = llvm.shl %%hi, %%c32 : i64\n"
                    "  %%all = llvm.or %%high, %%lo : i64\n"
                    "  %%r0 = llvm.or %%c0, %%c0 : i32\n",
                    both ? "a1" : "c0");
  for (int i = 0; i < 4; ++i) {
    agpu__text_printf(text,
                      "  %%at%d = llvm.mlir.constant(%d : i32) : i32\n"
                      "  %%to%d = llvm.mlir.constant(%d : i32) : i32\n",
                      i, 4 * i, i, 8 * i);
    agpu__text_printf(text,
                      "  %%digit%d = llvm.lshr %%selector, %%at%d : i32\n"
                      "  %%byte%d = llvm.and %%digit%d, %%c7 : i32\n"
                      "  %%bits%d = llvm.shl %%byte%d, %%c3 : i32\n"
                      "  %%places%d = llvm.zext %%bits%d : i32 to i64\n"
                      "  %%shifted%d = llvm.lshr %%all, %%places%d : i64\n"
                      "  %%narrow%d = llvm.trunc %%shifted%d : i64 to i8\n"
                      "  %%plain%d = llvm.zext %%narrow%d : i8 to i32\n"
                      "  %%wide%d = llvm.sext %%narrow%d : i8 to i32\n"
                      "  %%sign%d = llvm.ashr %%wide%d, %%c7 : i32\n"
                      "  %%signs%d = llvm.and %%sign%d, %%ff : i32\n",
                      i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i,
                      i);
    agpu__text_printf(
        text,
        "  %%mode%d = llvm.and %%digit%d, %%c8 : i32\n"
        "  %%is%d = llvm.icmp \"ne\" %%mode%d, %%c0 : i32\n"
        "  %%value%d = llvm.select %%is%d, %%signs%d, %%plain%d : i1, i32\n"
        "  %%placed%d = llvm.shl %%value%d, %%to%d : i32\n"
        "  %%r%d = llvm.or %%r%d, %%placed%d : i32\n",
        i, i, i, i, i, i, i, i, i, i, i, i + 1, i, i);
  }
  agpu__text_puts(text, "  %r = llvm.or %r4, %c0 : i32\n");
}

/// `%r` is %a2 and the products of the elements of %a0 and of %a1, from `first`
/// on, as wide as an i32.
static void write_dot(agpu__text *text, MlirOperation op, int elements,
                      const char *a_element, int first) {
  const char *a_extend =
      attribute_has(op, "a_type", "unsigned") ? "zext" : "sext";
  const char *b_extend =
      attribute_has(op, "b_type", "unsigned") ? "zext" : "sext";
  agpu__text_puts(text, "  %zero = llvm.mlir.constant(0 : i32) : i32\n"
                        "  %s0 = llvm.add %a2, %zero : i32\n");
  for (int i = 0; i < elements; ++i)
    agpu__text_printf(
        text,
        "  %%ai%d = llvm.mlir.constant(%d : i32) : i32\n"
        "  %%bi%d = llvm.mlir.constant(%d : i32) : i32\n"
        "  %%ae%d = llvm.extractelement %%a0[%%ai%d : i32] : vector<%dx%s>\n"
        "  %%be%d = llvm.extractelement %%a1[%%bi%d : i32] : vector<4xi8>\n"
        "  %%aw%d = llvm.%s %%ae%d : %s to i32\n"
        "  %%bw%d = llvm.%s %%be%d : i8 to i32\n"
        "  %%p%d = llvm.mul %%aw%d, %%bw%d : i32\n"
        "  %%s%d = llvm.add %%s%d, %%p%d : i32\n",
        i, i, i, first + i, i, i, elements, a_element, i, i, i, a_extend, i,
        a_element, i, b_extend, i, i, i, i, i + 1, i, i);
  agpu__text_printf(text, "  %%r = llvm.add %%s%d, %%zero : i32\n", elements);
}

static void write_dot_4(agpu__text *text, MlirOperation op) {
  write_dot(text, op, 4, "i8", 0);
}

static void write_dot_2(agpu__text *text, MlirOperation op) {
  write_dot(text, op, 2, "i16", attribute_has(op, "b_hi", "true") ? 2 : 0);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Exact where the instruction approximates; what is denormal counts as zero.
static void write_reciprocal(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(
      text, "  %least = llvm.mlir.constant(1.17549435E-38 : f32) : f32\n"
            "  %zero = llvm.mlir.constant(0.0 : f32) : f32\n"
            "  %one = llvm.mlir.constant(1.0 : f32) : f32\n"
            "  %size = llvm.intr.fabs(%a0) : (f32) -> f32\n"
            "  %small = llvm.fcmp \"olt\" %size, %least : f32\n"
            "  %none = llvm.intr.copysign(%zero, %a0) : (f32, f32) -> f32\n"
            "  %x = llvm.select %small, %none, %a0 : i1, f32\n"
            "  %q = llvm.fdiv %one, %x : f32\n"
            "  %rsize = llvm.intr.fabs(%q) : (f32) -> f32\n"
            "  %rsmall = llvm.fcmp \"olt\" %rsize, %least : f32\n"
            "  %rnone = llvm.intr.copysign(%zero, %q) : (f32, f32) -> f32\n"
            "  %r = llvm.select %rsmall, %rnone, %q : i1, f32\n");
}

/// TF32 keeps ten bits of the fraction, in the place where f32 has them.
static void write_tf32(agpu__text *text, MlirOperation op) {
  agpu__text_puts(text, "  %bits = llvm.bitcast %a0 : f32 to i32\n");
  write_i32(text, "kept", ~0x1fff);
  write_i32(text, "c13", 13);
  write_i32(text, "one", 1);
  // Half of the last place that is kept: added to round away from zero where
  // two are as near; one less, and the last bit, for the even one of them.
  if (attribute_has(op, "rnd", "<rna>")) {
    write_i32(text, "half", 0x1000);
    agpu__text_puts(text, "  %near = llvm.add %bits, %half : i32\n");
  } else if (attribute_has(op, "rnd", "<rn>")) {
    write_i32(text, "half", 0xfff);
    agpu__text_puts(text, "  %last = llvm.lshr %bits, %c13 : i32\n"
                          "  %odd = llvm.and %last, %one : i32\n"
                          "  %less = llvm.add %bits, %half : i32\n"
                          "  %near = llvm.add %less, %odd : i32\n");
  } else {
    write_i32(text, "half", 0);
    agpu__text_puts(text, "  %near = llvm.add %bits, %half : i32\n");
  }
  write_i32(text, "size", 0x7fffffff);
  write_i32(text, "infinity", 0x7f800000);
  write_i32(text, "nan", 0x7fffffff);
  agpu__text_puts(text,
                  "  %rounded = llvm.and %near, %kept : i32\n"
                  "  %plain = llvm.and %bits, %size : i32\n"
                  "  %is_nan = llvm.icmp \"ugt\" %plain, %infinity : i32\n"
                  "  %is_inf = llvm.icmp \"eq\" %plain, %infinity : i32\n"
                  "  %n0 = llvm.select %is_inf, %bits, %rounded : i1, i32\n");
  if (attribute_has(op, "sat", "satfinite")) {
    write_i32(text, "largest", 0x7f7fe000);
    write_i32(text, "signbit", INT32_MIN);
    agpu__text_puts(text, "  %nsize = llvm.and %n0, %size : i32\n"
                          "  %over = llvm.icmp \"ugt\" %nsize, %largest : i32\n"
                          "  %sign = llvm.and %n0, %signbit : i32\n"
                          "  %most = llvm.or %sign, %largest : i32\n"
                          "  %n1 = llvm.select %over, %most, %n0 : i1, i32\n");
  } else {
    agpu__text_puts(text, "  %zero1 = llvm.mlir.constant(0 : i32) : i32\n"
                          "  %n1 = llvm.or %n0, %zero1 : i32\n");
  }
  write_i32(text, "zero", 0);
  if (attribute_has(op, "relu", "true"))
    agpu__text_puts(text, "  %negative = llvm.icmp \"slt\" %n1, %zero : i32\n"
                          "  %n2 = llvm.select %negative, %zero, %n1 : i1, "
                          "i32\n");
  else
    agpu__text_puts(text, "  %n2 = llvm.or %n1, %zero : i32\n");
  agpu__text_puts(text, "  %r = llvm.select %is_nan, %nan, %n2 : i1, i32\n");
}

/// Operands: the high and the low element.
static void write_pack(agpu__text *text, const char *type) {
  agpu__text_printf(text,
                    "  %%zero = llvm.mlir.constant(0 : i32) : i32\n"
                    "  %%one = llvm.mlir.constant(1 : i32) : i32\n"
                    "  %%none = llvm.mlir.undef : vector<2x%s>\n"
                    "  %%high = llvm.fptrunc %%a0 : f32 to %s\n"
                    "  %%low = llvm.fptrunc %%a1 : f32 to %s\n"
                    "  %%half = llvm.insertelement %%low, %%none[%%zero : i32] "
                    ": vector<2x%s>\n"
                    "  %%r = llvm.insertelement %%high, %%half[%%one : i32] : "
                    "vector<2x%s>\n",
                    type, type, type, type, type);
}

static void write_pack_f16(agpu__text *text, MlirOperation op) {
  (void)op;
  write_pack(text, "f16");
}

static void write_pack_bf16(agpu__text *text, MlirOperation op) {
  (void)op;
  write_pack(text, "bf16");
}

static bool rounds_to_nearest(MlirOperation op) {
  return attribute_has(op, "rnd", "<rn>") &&
         !attribute_has(op, "relu", "true") &&
         !attribute_has(op, "sat", "satfinite");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Operands: target, source, and how many bytes to copy if not all; zeros are
/// stored for the rest. The copy is over at once, so that nothing is left to
/// wait for.
static void write_copy(agpu__text *text, MlirOperation op) {
  long long bytes = number_of(op, "size");
  agpu__text_printf(text, "  %%bytes = llvm.mlir.constant(%lld : i64) : i64\n",
                    bytes);
  if (mlirOperationGetNumOperands(op) == 3)
    agpu__text_puts(
        text, "  %zero = llvm.mlir.constant(0 : i8) : i8\n"
              "  \"llvm.intr.memset\"(%a0, %zero, %bytes) <{isVolatile = "
              "false}> : (!llvm.ptr<3>, i8, i64) -> ()\n"
              "  %count = llvm.zext %a2 : i32 to i64\n"
              "  \"llvm.intr.memcpy\"(%a0, %a1, %count) <{isVolatile = false}> "
              ": (!llvm.ptr<3>, !llvm.ptr<1>, i64) -> ()\n");
  else
    agpu__text_printf(text,
                      "  %%v = llvm.load %%a1 {alignment = %lld : i64} : "
                      "!llvm.ptr<1> -> vector<%lldxi32>\n"
                      "  llvm.store %%v, %%a0 {alignment = %lld : i64} : "
                      "vector<%lldxi32>, !llvm.ptr<3>\n",
                      bytes, bytes / 4, bytes, bytes / 4);
}

static void write_bulk_store(agpu__text *text, MlirOperation op) {
  agpu__text type = {0};
  mlirTypePrint(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                agpu__text_callback, &type);
  agpu__text_printf(text,
                    "  %%zero = llvm.mlir.constant(0 : i8) : i8\n"
                    "  \"llvm.intr.memset\"(%%a0, %%zero, %%a1) <{isVolatile = "
                    "false}> : (%s, i8, i64) -> ()\n",
                    agpu__text_get(&type));
  agpu__text_free(&type);
}

// A matrix of 8 by 8 elements of 16 bits is spread over a warp by rows of four
// lanes with two elements each. Lane 8 * m + i has the address of row i of
// matrix m. Transposed, the lanes hold columns.

/// `%lane`, `%row` and `%column` of the lane's elements, and the addresses as
/// numbers.
static void write_matrix_place(agpu__text *text) {
  agpu__text_puts(text, "  %lane = nvvm.read.ptx.sreg.laneid : i32\n"
                        "  %all = llvm.mlir.constant(-1 : i32) : i32\n"
                        "  %last = llvm.mlir.constant(31 : i32) : i32\n"
                        "  %two = llvm.mlir.constant(2 : i32) : i32\n"
                        "  %three = llvm.mlir.constant(3 : i32) : i32\n"
                        "  %sixteen = llvm.mlir.constant(16 : i32) : i32\n"
                        "  %row = llvm.lshr %lane, %two : i32\n"
                        "  %column = llvm.and %lane, %three : i32\n"
                        "  %half = llvm.mlir.constant(32 : i64) : i64\n"
                        "  %number = llvm.ptrtoint %a0 : !llvm.ptr<3> to i64\n"
                        "  %upper = llvm.lshr %number, %half : i64\n"
                        "  %high = llvm.trunc %upper : i64 to i32\n"
                        "  %low = llvm.trunc %number : i64 to i32\n");
}

/// `%eN`, the address of word (`half` < 0) or half word `half` of the lane in
/// matrix `m`, where N is its number.
static void write_matrix_element(agpu__text *text, int number, int m,
                                 int half) {
  agpu__text_printf(text, "  %%m%d = llvm.mlir.constant(%d : i32) : i32\n",
                    number, 8 * m + (half > 0 ? half : 0));
  if (half < 0)
    agpu__text_printf(text, "  %%from%d = llvm.add %%m%d, %%row : i32\n",
                      number, number);
  else
    agpu__text_printf(text,
                      "  %%pair%d = llvm.mul %%column, %%two : i32\n"
                      "  %%from%d = llvm.add %%m%d, %%pair%d : i32\n",
                      number, number, number, number);
  // A shuffle moves 32 bits.
  agpu__text_printf(text,
                    "  %%l%d = nvvm.shfl.sync idx %%all, %%low, %%from%d, "
                    "%%last : i32 -> i32\n"
                    "  %%g%d = nvvm.shfl.sync idx %%all, %%high, %%from%d, "
                    "%%last : i32 -> i32\n"
                    "  %%lw%d = llvm.zext %%l%d : i32 to i64\n"
                    "  %%gw%d = llvm.zext %%g%d : i32 to i64\n"
                    "  %%gs%d = llvm.shl %%gw%d, %%half : i64\n"
                    "  %%s%d = llvm.or %%gs%d, %%lw%d : i64\n",
                    number, number, number, number, number, number, number,
                    number, number, number, number, number, number);
  agpu__text_printf(text,
                    "  %%b%d = llvm.inttoptr %%s%d : i64 to !llvm.ptr<3>\n"
                    "  %%e%d = llvm.getelementptr %%b%d[%%%s] : "
                    "(!llvm.ptr<3>, i32) -> !llvm.ptr<3>, %s\n",
                    number, number, number, number, half < 0 ? "column" : "row",
                    half < 0 ? "i32" : "i16");
}

static bool is_transposed(MlirOperation op) {
  // The layout is an integer without a name in the IR.
  return attribute_has(op, "layout", "col");
}

static bool is_plain_matrix(MlirOperation op) {
  return attribute_has(op, "eltType", "<b16>") &&
         attribute_has(op, "shape", "m = 8, n = 8");
}

static void write_matrix_load(agpu__text *text, MlirOperation op) {
  int count = (int)number_of(op, "num");
  write_matrix_place(text);
  for (int m = 0; m < count; ++m) {
    if (!is_transposed(op)) {
      write_matrix_element(text, m, m, -1);
      agpu__text_printf(
          text, "  %%w%d = llvm.load %%e%d : !llvm.ptr<3> -> i32\n", m, m);
      continue;
    }
    for (int half = 0; half < 2; ++half) {
      int number = 2 * m + half;
      write_matrix_element(text, number, m, half);
      agpu__text_printf(text,
                        "  %%h%d = llvm.load %%e%d : !llvm.ptr<3> -> i16\n"
                        "  %%x%d = llvm.zext %%h%d : i16 to i32\n",
                        number, number, number, number);
    }
    agpu__text_printf(text,
                      "  %%y%d = llvm.shl %%x%d, %%sixteen : i32\n"
                      "  %%w%d = llvm.or %%x%d, %%y%d : i32\n",
                      m, 2 * m + 1, m, 2 * m, m);
  }
  if (count == 1) {
    agpu__text_puts(text, "  %zero = llvm.mlir.constant(0 : i32) : i32\n"
                          "  %r = llvm.or %w0, %zero : i32\n");
    return;
  }
  agpu__text type = {0};
  mlirTypePrint(mlirValueGetType(agpu__result(op, 0)), agpu__text_callback,
                &type);
  agpu__text_printf(text, "  %%r0 = llvm.mlir.undef : %s\n",
                    agpu__text_get(&type));
  for (int m = 0; m < count; ++m) {
    char *name = m + 1 < count ? agpu__format("r%d", m + 1) : agpu__format("r");
    agpu__text_printf(text, "  %%%s = llvm.insertvalue %%w%d, %%r%d[%d] : %s\n",
                      name, m, m, m, agpu__text_get(&type));
    free(name);
  }
  agpu__text_free(&type);
}

/// Operands: the address, and a word for each matrix.
static void write_matrix_store(agpu__text *text, MlirOperation op) {
  int count = (int)mlirOperationGetNumOperands(op) - 1;
  write_matrix_place(text);
  for (int m = 0; m < count; ++m) {
    if (!is_transposed(op)) {
      write_matrix_element(text, m, m, -1);
      agpu__text_printf(text, "  llvm.store %%a%d, %%e%d : i32, !llvm.ptr<3>\n",
                        m + 1, m);
      continue;
    }
    agpu__text_printf(text, "  %%y%d = llvm.lshr %%a%d, %%sixteen : i32\n", m,
                      m + 1);
    for (int half = 0; half < 2; ++half) {
      int number = 2 * m + half;
      write_matrix_element(text, number, m, half);
      agpu__text_printf(text, "  %%h%d = llvm.trunc %%%s%d : i32 to i16\n",
                        number, half ? "y" : "a", half ? m : m + 1);
      agpu__text_printf(text, "  llvm.store %%h%d, %%e%d : i16, !llvm.ptr<3>\n",
                        number, number);
    }
  }
}

//===----------------------------------------------------------------------===//
// Order, time, registers
//===----------------------------------------------------------------------===//

/// Host memory is coherent, and all threads of a block are one host thread.
static void write_fence(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  llvm.fence seq_cst\n");
}

static void write_trap(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  \"llvm.intr.debugtrap\"() : () -> ()\n");
}

static void write_cycles(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  %r = llvm.call_intrinsic "
                        "\"llvm.readcyclecounter\"() : () -> i64\n");
}

static void write_cycles_32(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  %all = llvm.call_intrinsic "
                        "\"llvm.readcyclecounter\"() : () -> i64\n"
                        "  %r = llvm.trunc %all : i64 to i32\n");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// What an op is replaced by: its operands are %a0..., its result is %r. NULL:
/// nothing. Ops that `accepts` turns down are not supported.
static const struct {
  const char *op;
  void (*write)(agpu__text *text, MlirOperation op);
  bool (*accepts)(MlirOperation op);
} instructions[] = {
    {"nvvm.breakpoint", write_trap, NULL},
    {"nvvm.convert.f32x2.to.bf16x2", write_pack_bf16, rounds_to_nearest},
    {"nvvm.convert.f32x2.to.f16x2", write_pack_f16, rounds_to_nearest},
    {"nvvm.convert.float.to.tf32", write_tf32, NULL},
    {"nvvm.cp.async.commit.group", NULL, NULL},
    {"nvvm.cp.async.shared.global", write_copy, NULL},
    {"nvvm.cp.async.wait.group", NULL, NULL},
    {"nvvm.dot.accumulate.2way", write_dot_2, NULL},
    {"nvvm.dot.accumulate.4way", write_dot_4, NULL},
    {"nvvm.fence.mbarrier.init", write_fence, NULL},
    {"nvvm.fence.proxy", write_fence, NULL},
    {"nvvm.fence.proxy.acquire", write_fence, NULL},
    {"nvvm.fence.proxy.release", write_fence, NULL},
    {"nvvm.fence.proxy.sync_restrict", write_fence, NULL},
    {"nvvm.fence.sc.cluster", write_fence, NULL},
    {"nvvm.fence.sync_restrict", write_fence, NULL},
    // A grid begins when those before it on its stream have ended.
    {"nvvm.griddepcontrol", NULL, NULL},
    {"nvvm.ldmatrix", write_matrix_load, is_plain_matrix},
    {"nvvm.memory.barrier", write_fence, NULL},
    {"nvvm.nanosleep", NULL, NULL},
    {"nvvm.pmevent", NULL, NULL},
    {"nvvm.prefetch", NULL, NULL},
    {"nvvm.prmt", write_permute, NULL},
    {"nvvm.rcp.approx.ftz.f", write_reciprocal, NULL},
    {"nvvm.read.ptx.sreg.clock", write_cycles_32, NULL},
    {"nvvm.read.ptx.sreg.clock64", write_cycles, NULL},
    {"nvvm.setmaxregister", NULL, NULL},
    {"nvvm.st.bulk", write_bulk_store, NULL},
    {"nvvm.stmatrix", write_matrix_store, is_plain_matrix},
};

#define INSTRUCTION_COUNT (sizeof(instructions) / sizeof(instructions[0]))

static int find_instruction(MlirOperation op) {
  for (int i = 0; i < (int)INSTRUCTION_COUNT; ++i)
    if (agpu__op_is(op, instructions[i].op))
      return !instructions[i].accepts || instructions[i].accepts(op) ? i : -1;
  return -1;
}

bool agpu__simt_is_instruction(MlirOperation op) {
  return find_instruction(op) >= 0;
}

static void print_type(agpu__text *text, MlirType type) {
  mlirTypePrint(type, agpu__text_callback, text);
}

static void replace(MlirOperation op,
                    void (*write)(agpu__text *text, MlirOperation op)) {
  agpu__text text = {0};
  agpu__text_puts(&text, "func.func @instruction(");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    agpu__text_printf(&text, "%s%%a%d: ", i ? ", " : "", (int)i);
    print_type(&text, mlirValueGetType(mlirOperationGetOperand(op, i)));
  }
  bool has_result = mlirOperationGetNumResults(op) == 1;
  agpu__text_puts(&text, has_result ? ") -> (" : ") {\n");
  if (has_result) {
    print_type(&text, mlirValueGetType(agpu__result(op, 0)));
    agpu__text_puts(&text, ") {\n");
  }
  write(&text, op);
  agpu__text_puts(&text, has_result ? "  return %r : " : "  return");
  if (has_result)
    print_type(&text, mlirValueGetType(agpu__result(op, 0)));
  agpu__text_puts(&text, "\n}\n");
  agpu__template_replace(op, agpu__text_get(&text), NULL, 0);
  agpu__text_free(&text);
}

void agpu__simt_expand_instructions(MlirOperation gpu_module) {
  agpu__ops ops = {0};
  agpu__collect(gpu_module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    int row = find_instruction(ops.data[i]);
    if (row < 0)
      continue;
    if (instructions[row].write)
      replace(ops.data[i], instructions[row].write);
    else
      mlirOperationDestroy(ops.data[i]);
  }
  agpu__ops_free(&ops);
}
