//===- small_floats.c - Floats of 8, 6 and 4 bits -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats, and the numbers by which templates/small_floats.mlir gets from
// one to f32 and back.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <stdlib.h>

static const agpu__small_float formats[] = {
    {"f8E4M3FN", 8, 3, 7, 0x7e, 0, 0x7f},
    {"f8E5M2", 8, 2, 15, 0x7b, 0x7c, 0x7f},
    {"f6E2M3FN", 6, 3, 1, 0x1f, 0, 0x1f},
    {"f6E3M2FN", 6, 2, 3, 0x1f, 0, 0x1f},
    {"f4E2M1FN", 4, 1, 1, 0x7, 0, 0x7},
};

const agpu__small_float *agpu__small_float_find(MlirType type) {
  AGPU__OWNED char *text = agpu__type_text(type);
  const agpu__small_float *found = NULL;
  for (size_t i = 0; i < AGPU__COUNT(formats); ++i)
    if (!strcmp(formats[i].type, text))
      found = &formats[i];
  return found;
}

const agpu__small_float *agpu__small_float_any(void) { return &formats[0]; }

void agpu__small_float_holes(const agpu__small_float *self, bool saturates,
                             agpu__holes *holes) {
  enum { F32_BIAS = 127, F32_FRACTION = 23 };
  unsigned shift = F32_FRACTION - self->fraction;
  unsigned least = F32_BIAS + 1 - self->bias; // exponents, biased
  uint32_t over = saturates        ? self->most
                  : self->infinity ? self->infinity
                                   : self->nan;
  agpu__hole(holes, "fraction", "%u", shift);
  agpu__hole(holes, "below_half", "%u", (1u << (shift - 1)) - 1);
  agpu__hole(holes, "rebias", "%u", (F32_BIAS - self->bias) << self->fraction);
  agpu__hole(holes, "least", "%u", least << F32_FRACTION);
  agpu__hole(holes, "magic", "%u",
             (least + F32_FRACTION - self->fraction) << F32_FRACTION);
  agpu__hole(holes, "most", "%u", self->most);
  agpu__hole(holes, "over", "%u", over);
  agpu__hole(holes, "infinity", "%u", self->infinity);
  agpu__hole(holes, "nan", "%u", self->nan);
  agpu__hole(holes, "sign", "%u", self->bits - 1);
  agpu__hole(holes, "size", "%u", (1u << (self->bits - 1)) - 1);
  agpu__hole(holes, "scale", "%u", (2 * F32_BIAS - self->bias) << F32_FRACTION);
}
