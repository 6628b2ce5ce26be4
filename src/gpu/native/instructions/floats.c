//===- floats.c - Floats of the GPU as host code -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reciprocals, TF32 and packed conversions, written as ops of the LLVM dialect.
// Exact where the instruction approximates.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/writers.h"

/// Exact where the instruction approximates; what is denormal counts as zero.
void agpu__write_reciprocal(agpu__text *text, MlirOperation op) {
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
void agpu__write_tf32(agpu__text *text, MlirOperation op) {
  agpu__text_puts(text, "  %bits = llvm.bitcast %a0 : f32 to i32\n");
  agpu__write_i32(text, "kept", ~0x1fff);
  agpu__write_i32(text, "c13", 13);
  agpu__write_i32(text, "one", 1);
  // Half of the last place that is kept: added to round away from zero where
  // two are as near; one less, and the last bit, for the even one of them.
  if (agpu__attribute_has(op, "rnd", "<rna>")) {
    agpu__write_i32(text, "half", 0x1000);
    agpu__text_puts(text, "  %near = llvm.add %bits, %half : i32\n");
  } else if (agpu__attribute_has(op, "rnd", "<rn>")) {
    agpu__write_i32(text, "half", 0xfff);
    agpu__text_puts(text, "  %last = llvm.lshr %bits, %c13 : i32\n"
                          "  %odd = llvm.and %last, %one : i32\n"
                          "  %less = llvm.add %bits, %half : i32\n"
                          "  %near = llvm.add %less, %odd : i32\n");
  } else {
    agpu__write_i32(text, "half", 0);
    agpu__text_puts(text, "  %near = llvm.add %bits, %half : i32\n");
  }
  agpu__write_i32(text, "size", 0x7fffffff);
  agpu__write_i32(text, "infinity", 0x7f800000);
  agpu__write_i32(text, "nan", 0x7fffffff);
  agpu__text_puts(text,
                  "  %rounded = llvm.and %near, %kept : i32\n"
                  "  %plain = llvm.and %bits, %size : i32\n"
                  "  %is_nan = llvm.icmp \"ugt\" %plain, %infinity : i32\n"
                  "  %is_inf = llvm.icmp \"eq\" %plain, %infinity : i32\n"
                  "  %n0 = llvm.select %is_inf, %bits, %rounded : i1, i32\n");
  if (agpu__attribute_has(op, "sat", "satfinite")) {
    agpu__write_i32(text, "largest", 0x7f7fe000);
    agpu__write_i32(text, "signbit", INT32_MIN);
    agpu__text_puts(text, "  %nsize = llvm.and %n0, %size : i32\n"
                          "  %over = llvm.icmp \"ugt\" %nsize, %largest : i32\n"
                          "  %sign = llvm.and %n0, %signbit : i32\n"
                          "  %most = llvm.or %sign, %largest : i32\n"
                          "  %n1 = llvm.select %over, %most, %n0 : i1, i32\n");
  } else {
    agpu__text_puts(text, "  %zero1 = llvm.mlir.constant(0 : i32) : i32\n"
                          "  %n1 = llvm.or %n0, %zero1 : i32\n");
  }
  agpu__write_i32(text, "zero", 0);
  if (agpu__attribute_has(op, "relu", "true"))
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

void agpu__write_pack_f16(agpu__text *text, MlirOperation op) {
  (void)op;
  write_pack(text, "f16");
}

void agpu__write_pack_bf16(agpu__text *text, MlirOperation op) {
  (void)op;
  write_pack(text, "bf16");
}

bool agpu__rounds_to_nearest(MlirOperation op) {
  return agpu__attribute_has(op, "rnd", "<rn>") &&
         !agpu__attribute_has(op, "relu", "true") &&
         !agpu__attribute_has(op, "sat", "satfinite");
}
