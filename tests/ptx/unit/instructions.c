//===- instructions.c - What each instruction computes -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread executes each instruction on values given by hand. In the text, A,
// B and C are the three values and R is the result; the digits behind them say
// how many bits of them (1: a predicate).
//
//===----------------------------------------------------------------------===//

#include "harness.h"

#define F32_1 0x3f800000u
#define F32_NAN 0x7fffffffu
#define F64_1 0x3ff0000000000000u
#define NEG(x) ((uint64_t)(-(int64_t)(x)))

static const struct {
  const char *text;
  uint64_t a, b, c, expected;
} cases[] = {
    // Integer arithmetic.
    {"add.s32 R32, A32, B32;", 0xffffffff, 2, 0, 1},
    {"add.s64 R64, A64, B64;", ~0ull, 2, 0, 1},
    {"add.u16 R16, A16, B16;", 0xffff, 3, 0, 2},
    {"add.sat.s32 R32, A32, B32;", 0x7fffffff, 1, 0, 0x7fffffff},
    {"sub.s32 R32, A32, B32;", 3, 5, 0, 0xfffffffe},
    {"sub.sat.s32 R32, A32, B32;", 0x80000000, 1, 0, 0x80000000},
    {"mul.lo.s32 R32, A32, B32;", 0x10000, 0x10001, 0, 0x10000},
    {"mul.hi.u32 R32, A32, B32;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
    {"mul.hi.s32 R32, A32, B32;", 0xffffffff, 0xffffffff, 0, 0},
    {"mul.hi.u64 R64, A64, B64;", ~0ull, ~0ull, 0, ~1ull},
    {"mul.hi.s64 R64, A64, B64;", 1ull << 63, 2, 0, ~0ull},
    {"mul.hi.u16 R16, A16, B16;", 0xffff, 0xffff, 0, 0xfffe},
    {"mul.wide.u32 R64, A32, B32;", 0xffffffff, 2, 0, 0x1fffffffe},
    {"mul.wide.s32 R64, A32, B32;", 0xffffffff, 2, 0, NEG(2)},
    {"mul.wide.u16 R32, A16, B16;", 0xffff, 0xffff, 0, 0xfffe0001},
    {"mad.lo.s32 R32, A32, B32, C32;", 7, 6, 0xffffffff, 41},
    {"mad.wide.u32 R64, A32, B32, C64;", 0xffffffff, 1, 1, 0x100000000},
    {"div.s32 R32, A32, B32;", 0xfffffff9, 2, 0, 0xfffffffd},
    {"div.s32 R32, A32, B32;", 0x80000000, 0xffffffff, 0, 0x80000000},
    {"div.u32 R32, A32, B32;", 0xfffffff9, 2, 0, 0x7ffffffc},
    {"div.s16 R16, A16, B16;", 0xfff9, 2, 0, 0xfffd},
    {"rem.s32 R32, A32, B32;", 0xfffffff9, 2, 0, 0xffffffff},
    {"rem.u64 R64, A64, B64;", 100, 7, 0, 2},
    {"abs.s32 R32, A32;", 0xfffffff9, 0, 0, 7},
    {"neg.s16 R16, A16;", 1, 0, 0, 0xffff},
    {"min.s32 R32, A32, B32;", 0xffffffff, 1, 0, 0xffffffff},
    {"min.u32 R32, A32, B32;", 0xffffffff, 1, 0, 1},
    {"max.s64 R64, A64, B64;", ~0ull, 1, 0, 1},
    {"max.u16 R16, A16, B16;", 0xffff, 1, 0, 0xffff},
    {"sad.s32 R32, A32, B32, C32;", 0xffffffff, 2, 10, 13},
    {"sad.u32 R32, A32, B32, C32;", 2, 5, 10, 13},
    {"dp4a.s32.u32 R32, A32, B32, C32;", 0xff020304, 0x01020304, 10, 38},
    {"dp4a.u32.u32 R32, A32, B32, C32;", 0xff000000, 0x02000000, 1, 511},
    {"dp2a.lo.s32.s32 R32, A32, B32, C32;", 0xffff0003, 0x00000205, 0, 13},
    {"dp2a.hi.s32.s32 R32, A32, B32, C32;", 0xffff0003, 0x02050000, 0, 13},
    // Extended precision.
    {"add.cc.u32 R32, A32, B32; addc.u32 R32, C32, 0;", 0xffffffff, 1, 5, 6},
    {"sub.cc.u32 R32, A32, B32; subc.u32 R32, C32, 0;", 0, 1, 5, 4},
    {"mad.lo.cc.u32 R32, A32, B32, 1; madc.hi.u32 R32, A32, B32, C32;",
     0xffffffff, 0xffffffff, 1, 0xffffffff},
    {"add.cc.u64 R64, A64, B64; addc.u64 R64, C64, 0;", ~0ull, 1, 0, 1},
    // Logic, shifts, fields.
    {"and.b32 R32, A32, B32;", 12, 10, 0, 8},
    {"or.b64 R64, A64, B64;", 12, 10, 0, 14},
    {"xor.b16 R16, A16, B16;", 12, 10, 0, 6},
    {"not.b32 R32, A32;", 1, 0, 0, 0xfffffffe},
    {"cnot.b32 R32, A32;", 0, 0, 0, 1},
    {"lop3.b32 R32, A32, B32, C32, 0x96;", 12, 10, 9, 15},
    {"shl.b32 R32, A32, B32;", 3, 31, 0, 0x80000000},
    {"shl.b32 R32, A32, B32;", 3, 32, 0, 0},
    {"shr.u32 R32, A32, B32;", 0x80000000, 31, 0, 1},
    {"shr.s32 R32, A32, B32;", 0x80000000, 100, 0, 0xffffffff},
    {"shr.s16 R16, A16, B32;", 0x8000, 3, 0, 0xf000},
    {"shl.b64 R64, A64, B32;", 1, 63, 0, 1ull << 63},
    {"shf.l.wrap.b32 R32, A32, B32, C32;", 0x80000001, 2, 33, 5},
    {"shf.l.clamp.b32 R32, A32, B32, C32;", 0x80000001, 2, 33, 0x80000001},
    {"shf.r.wrap.b32 R32, A32, B32, C32;", 0x80000001, 3, 1, 0xc0000000},
    {"shf.r.clamp.b32 R32, A32, B32, C32;", 7, 9, 40, 9},
    {"bfe.u32 R32, A32, B32, C32;", 0x12345678, 8, 8, 0x56},
    {"bfe.s32 R32, A32, B32, C32;", 0x0000f000, 12, 4, 0xffffffff},
    {"bfe.u32 R32, A32, B32, C32;", 0xffffffff, 28, 8, 15},
    {"bfe.s32 R32, A32, B32, C32;", 0x80000000, 40, 3, 0xffffffff},
    {"bfe.u32 R32, A32, B32, C32;", 0xffffffff, 4, 0, 0},
    {"bfi.b32 R32, A32, B32, C32, 8;", 0xff, 0x11111111, 4, 0x11111ff1},
    {"brev.b32 R32, A32;", 1, 0, 0, 0x80000000},
    {"clz.b32 R32, A32;", 1, 0, 0, 31},
    {"clz.b64 R32, A64;", 0, 0, 0, 64},
    {"popc.b64 R32, A64;", ~0ull, 0, 0, 64},
    {"bfind.u32 R32, A32;", 0x100, 0, 0, 8},
    {"bfind.s32 R32, A32;", 0xfffffeff, 0, 0, 8},
    {"bfind.shiftamt.u32 R32, A32;", 0x100, 0, 0, 23},
    {"bfind.u32 R32, A32;", 0, 0, 0, 0xffffffff},
    {"prmt.b32 R32, A32, B32, C32;", 0x83020100, 0x07060504, 0xb740,
     0xff070400},
    {"prmt.b32.f4e R32, A32, B32, C32;", 0x03020100, 0x07060504, 1, 0x04030201},
    {"prmt.b32.b4e R32, A32, B32, C32;", 0x03020100, 0x07060504, 1, 0x06070001},
    {"prmt.b32.rc8 R32, A32, B32, C32;", 0x03020100, 0, 2, 0x02020202},
    {"prmt.b32.ecl R32, A32, B32, C32;", 0x03020100, 0, 2, 0x03020202},
    {"prmt.b32.ecr R32, A32, B32, C32;", 0x03020100, 0, 2, 0x02020100},
    {"prmt.b32.rc16 R32, A32, B32, C32;", 0x03020100, 0, 1, 0x03020302},
    // Floats.
    {"add.rn.f32 R32, A32, B32;", F32_1, F32_1, 0, 0x40000000},
    {"add.rz.f32 R32, A32, B32;", F32_1, 0x33ffffff, 0, F32_1},
    {"add.rn.f32 R32, A32, B32;", F32_1, 0x33ffffff, 0, F32_1 + 1},
    {"add.rp.f32 R32, A32, B32;", F32_1, 0x00000001, 0, F32_1 + 1},
    {"add.rm.f32 R32, A32, B32;", F32_1, 0x80000001, 0, F32_1 - 1},
    {"add.ftz.f32 R32, A32, B32;", 1, 1, 0, 0},
    {"add.f32 R32, A32, B32;", 1, 1, 0, 2},
    {"add.sat.f32 R32, A32, B32;", F32_1, F32_1, 0, F32_1},
    {"add.f32 R32, A32, B32;", 0x7f800000, 0xff800000, 0, F32_NAN},
    {"sub.f64 R64, A64, B64;", F64_1, F64_1, 0, 0},
    {"mul.rn.f64 R64, A64, B64;", F64_1, 0xbff0000000000000, 0,
     0xbff0000000000000},
    {"fma.rn.f32 R32, A32, B32, C32;", 0x3f800001, 0x3f800001, 0xbf800002,
     0x28800000},
    {"fma.rm.f64 R64, A64, B64, C64;", F64_1, F64_1, 0x8000000000000001,
     0x3fefffffffffffff},
    {"div.rn.f32 R32, A32, B32;", F32_1, 0x40400000, 0, 0x3eaaaaab},
    {"div.rz.f32 R32, A32, B32;", F32_1, 0x40400000, 0, 0x3eaaaaaa},
    {"rcp.rn.f64 R64, A64;", 0x4000000000000000, 0, 0, 0x3fe0000000000000},
    {"sqrt.rn.f32 R32, A32;", 0x40000000, 0, 0, 0x3fb504f3},
    {"min.f32 R32, A32, B32;", F32_NAN, F32_1, 0, F32_1},
    {"min.NaN.f32 R32, A32, B32;", F32_NAN, F32_1, 0, F32_NAN},
    {"min.f32 R32, A32, B32;", 0, 0x80000000, 0, 0x80000000},
    {"max.f32 R32, A32, B32;", 0x80000000, 0, 0, 0},
    {"max.f64 R64, A64, B64;", F64_1, 0x7ff8000000000000, 0, F64_1},
    {"abs.f32 R32, A32;", 0xbf800000, 0, 0, F32_1},
    {"neg.f64 R64, A64;", F64_1, 0, 0, 0xbff0000000000000},
    {"copysign.f32 R32, A32, B32;", 0x80000000, F32_1, 0, 0xbf800000},
    {"testp.infinite.f32 R1, A32;", 0x7f800000, 0, 0, 1},
    {"testp.subnormal.f64 R1, A64;", 1, 0, 0, 1},
    // Halves: 1 + 2^-11 is a tie, to even.
    // 1 + 2^-23, and less than half of that; 2 - 1; 1.5 * 2 + 1.
    {"add.rn.f32.f16 R32, A16, B32;", 0x3c00, 0x34000000, 0, F32_1 + 1},
    {"add.rn.f32.bf16 R32, A16, B32;", 0x3f80, 0x33000000, 0, F32_1},
    {"sub.rn.f32.f16 R32, A16, B32;", 0x4000, F32_1, 0, F32_1},
    {"fma.rn.f32.bf16 R32, A16, B16, C32;", 0x3fc0, 0x4000, F32_1, 0x40800000},
    {"add.rn.f16 R16, A16, B16;", 0x3c00, 0x1000, 0, 0x3c00},
    {"add.rn.f16 R16, A16, B16;", 0x3c01, 0x1000, 0, 0x3c02},
    {"mul.rn.f16 R16, A16, B16;", 0x8000, 0x3c00, 0, 0x8000},
    {"fma.rn.f16 R16, A16, B16, C16;", 0x7bff, 0x4000, 0, 0x7c00},
    {"add.f16x2 R32, A32, B32;", 0x3c004000, 0x3c003c00, 0, 0x40004200},
    {"mul.bf16 R16, A16, B16;", 0x8000, 0x3f80, 0, 0x8000},
    {"fma.rn.bf16 R16, A16, B16, C16;", 0x3f80, 0x3f80, 0x3b80, 0x3f80},
    {"fma.rn.relu.f16 R16, A16, B16, C16;", 0xbc00, 0x3c00, 0, 0},
    // Approximations, exact where nothing asks for errors.
    {"ex2.approx.f32 R32, A32;", 0x40000000, 0, 0, 0x40800000},
    {"lg2.approx.f32 R32, A32;", 0x40800000, 0, 0, 0x40000000},
    {"rcp.approx.ftz.f32 R32, A32;", 0x40000000, 0, 0, 0x3f000000},
    {"rsqrt.approx.f32 R32, A32;", 0x40800000, 0, 0, 0x3f000000},
    {"sqrt.approx.f32 R32, A32;", 0x40800000, 0, 0, 0x40000000},
    {"sin.approx.f32 R32, A32;", 0, 0, 0, 0},
    {"cos.approx.f32 R32, A32;", 0, 0, 0, F32_1},
    {"div.approx.f32 R32, A32, B32;", F32_1, 0x7f000000, 0, 0},
    {"div.full.f32 R32, A32, B32;", F32_1, 0x40000000, 0, 0x3f000000},
    {"rcp.approx.ftz.f64 R64, A64;", 0x4008000000000000, 0, 0,
     0x3fd5555500000000},
    // Conversions.
    {"cvt.u32.u64 R32, A64;", 0x123456789, 0, 0, 0x23456789},
    {"cvt.s64.s32 R64, A32;", 0x80000000, 0, 0, 0xffffffff80000000},
    {"cvt.s64.s8 R64, A64;", 0x80, 0, 0, NEG(128)},
    {"cvt.s8.s32 R32, A32;", 0x180, 0, 0, 0xffffff80},
    {"cvt.u8.u32 R32, A32;", 0x180, 0, 0, 0x80},
    {"cvt.sat.u8.s32 R32, A32;", 0xffffffff, 0, 0, 0},
    {"cvt.sat.s8.u32 R32, A32;", 1000, 0, 0, 127},
    {"cvt.rn.f32.s32 R32, A32;", 0x01000001, 0, 0, 0x4b800000},
    {"cvt.rz.f32.u64 R32, A64;", ~0ull, 0, 0, 0x5f7fffff},
    {"cvt.rn.f64.u64 R64, A64;", ~0ull, 0, 0, 0x43f0000000000000},
    {"cvt.rn.f16.u32 R16, A32;", 65520, 0, 0, 0x7c00},
    {"cvt.rzi.s32.f32 R32, A32;", 0xbfc00000, 0, 0, 0xffffffff},
    {"cvt.rzi.u32.f32 R32, A32;", 0xbfc00000, 0, 0, 0},
    {"cvt.rzi.s32.f32 R32, A32;", 0x7f800000, 0, 0, 0x7fffffff},
    {"cvt.rzi.s32.f32 R32, A32;", F32_NAN, 0, 0, 0},
    {"cvt.rzi.s64.f64 R64, A64;", 0x7ff8000000000000, 0, 0, 1ull << 63},
    {"cvt.rni.s32.f64 R32, A64;", 0x4004000000000000, 0, 0, 2},
    {"cvt.rmi.f32.f32 R32, A32;", 0xbf000000, 0, 0, 0xbf800000},
    {"cvt.rpi.f64.f64 R64, A64;", 0xbfe0000000000000, 0, 0, 0x8000000000000000},
    {"cvt.f64.f32 R64, A32;", F32_1, 0, 0, F64_1},
    {"cvt.rn.f32.f64 R32, A64;", 0x3ff0000010000000, 0, 0, F32_1},
    {"cvt.rn.f32.f64 R32, A64;", 0x3ff0000010000001, 0, 0, F32_1 + 1},
    {"cvt.f32.f16 R32, A16;", 1, 0, 0, 0x33800000},
    {"cvt.rn.f16.f32 R16, A32;", 0x33000001, 0, 0, 1},
    {"cvt.rn.bf16.f32 R16, A32;", 0x3f808000, 0, 0, 0x3f80},
    {"cvt.rn.bf16.f32 R16, A32;", 0x3f818000, 0, 0, 0x3f82},
    {"cvt.rn.f16x2.f32 R32, A32, B32;", F32_1, 0x40000000, 0, 0x3c004000},
    {"cvt.rna.tf32.f32 R32, A32;", 0x3f801000, 0, 0, 0x3f802000},
    {"cvt.sat.f32.f32 R32, A32;", 0xbf800000, 0, 0, 0},
    // Comparison and selection.
    {"setp.lt.s32 R1, A32, B32;", 0xffffffff, 0, 0, 1},
    {"setp.lt.u32 R1, A32, B32;", 0xffffffff, 0, 0, 0},
    {"setp.hi.u32 R1, A32, B32;", 0xffffffff, 0, 0, 1},
    {"setp.eq.s16 R1, A16, B16;", 0x1ffff, 0xffff, 0, 1},
    {"setp.lt.f32 R1, A32, B32;", F32_NAN, 0, 0, 0},
    {"setp.ltu.f32 R1, A32, B32;", F32_NAN, 0, 0, 1},
    {"setp.ne.f32 R1, A32, B32;", F32_NAN, 0, 0, 0},
    {"setp.neu.f64 R1, A64, B64;", 0, 1ull << 63, 0, 0},
    {"setp.num.f32 R1, A32, B32;", 0, F32_NAN, 0, 0},
    {"setp.gt.and.s32 R1, A32, B32, C1;", 2, 1, 0, 0},
    {"setp.gt.or.s32 R1, A32, B32, !C1;", 1, 2, 0, 1},
    {"setp.eq.s32 _|R1, A32, B32;", 1, 2, 0, 1},
    {"set.lt.u32.s32 R32, A32, B32;", 1, 2, 0, 0xffffffff},
    {"set.lt.f32.s32 R32, A32, B32;", 1, 2, 0, F32_1},
    {"selp.b32 R32, A32, B32, C1;", 7, 8, 1, 7},
    {"selp.b64 R64, A64, B64, C1;", 7, 8, 0, 8},
    {"slct.s32.f32 R32, A32, B32, C32;", 7, 8, 0xbf800000, 8},
    {"slct.s32.s32 R32, A32, B32, C32;", 7, 8, 0, 7},
    // Moves.
    {"mov.b64 R64, {A32, B32};", 1, 2, 0, 0x200000001},
    {"mov.b64 {_, R32}, A64;", 0x500000001, 0, 0, 5},
    {"mov.b32 {R16, _}, A32;", 0x12345678, 0, 0, 0x5678},
    {"mov.f32 R32, 0fBF800000;", 0, 0, 0, 0xbf800000},
    {"mov.b32 R32, -1;", 0, 0, 0, 0xffffffff},
    {"mov.u32 R32, WARP_SZ;", 0, 0, 0, 32},
    {"mov.pred R1, C1;", 0, 0, 1, 1},
    // Guards and branches.
    {"mov.b32 R32, 1; @C1 mov.b32 R32, 2;", 0, 0, 1, 2},
    {"mov.b32 R32, 1; @!C1 mov.b32 R32, 2;", 0, 0, 1, 1},
    {"mov.b32 R32, 1; @C1 bra over; mov.b32 R32, 2; over:", 0, 0, 1, 1},
    {"brx.idx A32, table; table: .branchtargets x, y; x: mov.b32 R32, 5; bra "
     "z; "
     "y: mov.b32 R32, 6; z:",
     1, 0, 0, 6},
};

/// One kernel a case.
static void write_kernel(char *out, size_t size, size_t number) {
  size_t used = (size_t)snprintf(
      out, size,
      ".entry k%zu(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 "
      "c) "
      "{ .reg .pred %%A1, %%B1, %%C1, %%R1; .reg .b16 %%A16, %%B16, %%C16, "
      "%%R16; .reg .b32 %%A32, %%B32, %%C32, %%R32; .reg .b64 %%A64, %%B64, "
      "%%C64, %%R64, %%out; ld.param.u64 %%out, [out]; ",
      number);
  for (const char *x = "abc"; *x; ++x)
    used += (size_t)snprintf(
        out + used, size - used,
        "ld.param.u64 %%%c64, [%c]; cvt.u32.u64 %%%c32, %%%c64; cvt.u16.u64 "
        "%%%c16, %%%c64; setp.ne.u64 %%%c1, %%%c64, 0; ",
        *x - 32, *x, *x - 32, *x - 32, *x - 32, *x - 32, *x - 32, *x - 32);
  const char *result = strstr(cases[number].text, "R64")   ? "64"
                       : strstr(cases[number].text, "R32") ? "32"
                       : strstr(cases[number].text, "R16") ? "16"
                                                           : "1";
  for (const char *at = cases[number].text; *at; ++at) {
    bool begins = at == cases[number].text || !strchr("._abcdefx", at[-1]);
    bool is_value = strchr("ABCR", *at) && at[1] >= '1' && at[1] <= '6';
    used += (size_t)snprintf(out + used, size - used, "%s%c",
                             begins && is_value ? "%" : "", *at);
  }
  const char *widen = strcmp(result, "64") == 0   ? ""
                      : strcmp(result, "32") == 0 ? "cvt.u64.u32 %R64, %R32;"
                      : strcmp(result, "16") == 0 ? "cvt.u64.u16 %R64, %R16;"
                                                  : "selp.u64 %R64, 1, 0, %R1;";
  snprintf(out + used, size - used,
           " %s st.global.u64 [%%out], %%R64; ret; }\n", widen);
}

int main(void) {
  harness_start();
  harness_open();
  size_t count = sizeof cases / sizeof *cases, failed = 0;
  CUstream stream;
  CUdeviceptr out;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuMemAlloc_v2(&out, 8));
  for (size_t i = 0; i < count; ++i) {
    char text[2048], name[32];
    write_kernel(text, sizeof text, i);
    CUmodule module = harness_load(text);
    CUfunction function;
    snprintf(name, sizeof name, "k%zu", i);
    CALL(cuModuleGetFunction(&function, module, name));
    uint64_t a = cases[i].a, b = cases[i].b, c = cases[i].c, result = 0;
    CALL(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream,
                        (void *[]){&out, &a, &b, &c}, NULL));
    CALL(cuMemcpyAsync((uintptr_t)&result, out, 8, stream));
    if (result != cases[i].expected) {
      fprintf(stderr,
              "%s with %" PRIx64 ", %" PRIx64 ", %" PRIx64 ": %" PRIx64
              ", not %" PRIx64 "\n",
              cases[i].text, a, b, c, result, cases[i].expected);
      ++failed;
    }
    CALL(cuModuleUnload(module));
  }
  CALL(cuMemFree_v2(out));
  CALL(cuStreamDestroy_v2(stream));
  harness_close();
  CHECK_STR(harness_take_reports(), "");
  return failed ? 1 : 0;
}
