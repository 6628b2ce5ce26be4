//===- quads.c - Products of eight lanes each -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type": a
// warp computes four products, of lanes 4 q to 4 q + 3 and those 16 further on.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/quads.h"

#include "emu/matrix/multiply.h"
#include "emu/matrix/numbers.h"

#include <math.h>
#include <stdbool.h>

enum { M = 8, N = 8, K = 4, FACTOR_BYTES = 8 };

/// One of the four products.
typedef struct quad {
  float a[M * K], b[K * N], c[M * N];
} quad;

/// Where element i of a lane belongs in C and D.
static uint32_t place_of(uint32_t lane, uint32_t i, bool halves) {
  uint32_t upper = lane / 16 * 4;
  uint32_t row = halves ? lane % 4 : (lane & 1) + (i & 2);
  uint32_t column = halves ? i : (i & 4) + (lane & 2) + (i & 1);
  return (row + upper) * N + column;
}

static void take_factors(quad *self, uint32_t lane, const char *registers,
                         uint32_t properties) {
  float own[2 * K];
  agpu__emu_decode_floats(AGPU_NATIVE_F16, registers, 2 * K, own);
  uint32_t line = lane % 4, upper = lane / 16 * 4;
  for (uint32_t i = 0; i < K; ++i) {
    if (properties & AGPU_NATIVE_COLUMNS_A)
      self->a[(i + upper) * K + line] = own[i];
    else
      self->a[(line + upper) * K + i] = own[i];
    if (properties & AGPU_NATIVE_COLUMNS_B)
      self->b[i * N + line + upper] = own[K + i];
    else
      self->b[line * N + i + upper] = own[K + i];
  }
}

static void take_sums(quad *self, uint32_t lane, const char *registers,
                      agpu_native_element type) {
  float own[N];
  agpu__emu_decode_floats(type, registers + 2 * FACTOR_BYTES, N, own);
  for (uint32_t i = 0; i < N; ++i)
    self->c[place_of(lane, i, type == AGPU_NATIVE_F16)] = own[i];
}

static void give_sums(const quad *self, uint32_t lane, char *registers,
                      agpu_native_element type) {
  bool halves = type == AGPU_NATIVE_F16;
  for (uint32_t i = 0; i < N; ++i) {
    float sum = self->c[place_of(lane, i, halves)];
    uint16_t half = (uint16_t)agpu__emu_to_f16(sum);
    if (isnan(sum))
      sum = agpu__emu_f32(AGPU__EMU_NAN_F32);
    if (halves)
      memcpy(registers + i * sizeof half, &half, sizeof half);
    else
      memcpy(registers + i * sizeof sum, &sum, sizeof sum);
  }
}

void agpu__emu_product_quads(uint32_t mode, char *const *lanes) {
  uint32_t properties = AGPU_NATIVE_PROPERTIES_OF(mode);
  quad quads[4];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    quad *own = &quads[lane % 16 / 4];
    take_factors(own, lane, lanes[lane], properties);
    take_sums(own, lane, lanes[lane], AGPU_NATIVE_C_OF(mode));
  }
  for (uint32_t q = 0; q < 4; ++q)
    agpu__emu_multiply_f32(quads[q].a, quads[q].b, quads[q].c, M, N, K);
  for (uint32_t lane = 0; lane < 32; ++lane)
    give_sums(&quads[lane % 16 / 4], lane, lanes[lane], AGPU_NATIVE_D_OF(mode));
}
