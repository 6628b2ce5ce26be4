//===- half.c - 16-bit floats to 32-bit ones ===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
