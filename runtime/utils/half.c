//===- half.c - 16-bit floats ---------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16 and bf16 to float, for the printers here, and float and double to bf16,
// for compiled code. What compilers call by name is weak: the run-time library
// of one that has it comes first.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <math.h>
#include <string.h>

float agpu__float_from_f16(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int fraction = bits & 1023;
  float magnitude;
  if (exponent == 31)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = ldexpf((float)fraction, -24);
  else
    magnitude = ldexpf((float)(fraction + 1024), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

float agpu__float_from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

//===----------------------------------------------------------------------===//
// What LLVM calls to make a bfloat16, and libgcc has from its release 13 on
//===----------------------------------------------------------------------===//

/// A bfloat16 is returned where a float is, in its low half.
static float return_bits(uint32_t bits) {
  float result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}

/// To the nearest, ties to even.
static uint32_t round_to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  if (isnan(value))
    return bits >> 16 | 0x40; // quiet, also where its low half made it one
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

__attribute__((weak)) float __truncsfbf2(float value) {
  return return_bits(round_to_bf16(value));
}

__attribute__((weak)) float __truncdfbf2(double value) {
  // Rounding twice would be off by one where the first made a tie: the first
  // one rounds to odd instead, which no tie is.
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof(bits));
  if (!isnan(value) && !isinf(narrow) && (double)narrow != value) {
    if (fabs((double)narrow) > fabs(value))
      --bits; // towards zero
    bits |= 1;
    memcpy(&narrow, &bits, sizeof(bits));
  }
  return return_bits(round_to_bf16(narrow));
}
