//===- numbers.c - Elements of matrices, all of them ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number of each format of at most 16 bits, decoded one by one and in
// rows of odd lengths, beside its definition: a sign, an exponent and a
// fraction. To f16, beside the nearest of all f16.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/numbers.h"

#include "check.h"

#include <math.h>
#include <stdbool.h>

typedef struct format {
  agpu_native_element type;
  int bits, exponent, fraction, shift;
  bool has_infinity, has_nan;
} format;

static const format formats[] = {
    {AGPU_NATIVE_F16, 16, 5, 10, 0, true, true},
    {AGPU_NATIVE_BF16, 16, 8, 7, 0, true, true},
    {AGPU_NATIVE_E4M3, 8, 4, 3, 0, false, true},
    {AGPU_NATIVE_E5M2, 8, 5, 2, 0, true, true},
    {AGPU_NATIVE_E3M2, 6, 3, 2, 0, false, false},
    {AGPU_NATIVE_E2M3, 6, 2, 3, 0, false, false},
    {AGPU_NATIVE_E2M1, 6, 2, 1, 2, false, false},
};

static double define(const format *of, uint32_t bits) {
  bits >>= of->shift;
  int bias = (1 << (of->exponent - 1)) - 1, top = (1 << of->exponent) - 1;
  int exponent = (int)(bits >> of->fraction) & top;
  int fraction = (int)bits & ((1 << of->fraction) - 1);
  double size = ldexp(fraction + (exponent ? 1 << of->fraction : 0),
                      (exponent ? exponent : 1) - bias - of->fraction);
  if (of->has_infinity && exponent == top)
    size = fraction ? NAN : INFINITY;
  else if (of->has_nan && exponent == top &&
           fraction == (1 << of->fraction) - 1)
    size = NAN;
  return bits >> (of->exponent + of->fraction) & 1 ? -size : size;
}

static void check_same(double is, double wanted) {
  CHECK(isnan(is) ? isnan(wanted)
                  : is == wanted && !signbit(is) == !signbit(wanted));
}

/// All numbers, in one row, whose length is no multiple of a vector's.
static void test_decoding(void) {
  static uint16_t halves[65536];
  static uint8_t bytes[256];
  static float out[65536];
  for (size_t f = 0; f < sizeof formats / sizeof *formats; ++f) {
    size_t count = (size_t)1 << formats[f].bits;
    for (uint32_t i = 0; i < count; ++i) {
      halves[i] = (uint16_t)i;
      bytes[i % 256] = (uint8_t)i;
    }
    const void *from = formats[f].bits == 16 ? (void *)halves : (void *)bytes;
    for (size_t less = 0; less < 3; ++less) {
      memset(out, 0x55, sizeof out);
      agpu__emu_decode_floats(formats[f].type, from, count - less, out);
      for (uint32_t i = 0; i < count - less; ++i)
        check_same(out[i], define(&formats[f], i));
    }
  }
}

/// Two to a byte; of tf32 the low bits do not count.
static void test_others(void) {
  uint8_t nibbles[8];
  float out[16];
  for (uint32_t i = 0; i < 8; ++i)
    nibbles[i] = (uint8_t)(2 * i | (2 * i + 1) << 4);
  agpu__emu_decode_nibbles(nibbles, 16, out);
  for (uint32_t i = 0; i < 16; ++i)
    check_same(out[i], define(&formats[6], i << 2));
  const uint32_t words[] = {0x3f801fff, 0xc0002001, 0x7f800001, 0x00003000};
  const uint32_t wanted[] = {0x3f800000, 0xc0002000, 0x7fffffff, 0x00002000};
  agpu__emu_decode_floats(AGPU_NATIVE_TF32, words, 4, out);
  CHECK(!memcmp(out, wanted, sizeof wanted));
}

static void test_integers(void) {
  uint8_t bytes[256];
  int32_t out[512];
  for (int i = 0; i < 256; ++i)
    bytes[i] = (uint8_t)i;
  agpu__emu_decode_integers(AGPU_NATIVE_S8, bytes, 256, out);
  for (int i = 0; i < 256; ++i)
    CHECK_EQ(out[i], i < 128 ? i : i - 256);
  agpu__emu_decode_integers(AGPU_NATIVE_U8, bytes, 256, out);
  for (int i = 0; i < 256; ++i)
    CHECK_EQ(out[i], i);
  agpu__emu_decode_integers(AGPU_NATIVE_S4, bytes, 512, out);
  for (int i = 0; i < 256; ++i) {
    CHECK_EQ(out[2 * i], i % 16 < 8 ? i % 16 : i % 16 - 16);
    CHECK_EQ(out[2 * i + 1], i / 16 < 8 ? i / 16 : i / 16 - 16);
  }
  agpu__emu_decode_integers(AGPU_NATIVE_U4, bytes, 512, out);
  for (int i = 0; i < 256; ++i) {
    CHECK_EQ(out[2 * i], i % 16);
    CHECK_EQ(out[2 * i + 1], i / 16);
  }
}

/// Between two neighbours: below, at and above the middle.
static void test_rounding(void) {
  const format *half = &formats[0];
  for (uint32_t i = 0; i <= 0x7bff; ++i) {
    double low = define(half, i);
    // What lies behind the largest rounds as if there were one more.
    double high = i == 0x7bff ? 65536 : define(half, i + 1);
    float middle = (float)((low + high) / 2); // exact
    CHECK_EQ(agpu__emu_to_f16((float)low), i);
    CHECK_EQ(agpu__emu_to_f16(nextafterf(middle, 0)), i);
    CHECK_EQ(agpu__emu_to_f16(middle), i + (i & 1));
    CHECK_EQ(agpu__emu_to_f16(nextafterf(middle, INFINITY)), i + 1);
    CHECK_EQ(agpu__emu_to_f16(-middle), 0x8000 | (i + (i & 1)));
  }
  CHECK_EQ(agpu__emu_to_f16(INFINITY), 0x7c00);
  CHECK_EQ(agpu__emu_to_f16(-NAN), AGPU__EMU_NAN_F16);
  CHECK_EQ(agpu__emu_to_f16(1e-30f), 0);
}

int main(void) {
  test_decoding();
  test_others();
  test_integers();
  test_rounding();
  return 0;
}
