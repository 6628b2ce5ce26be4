//===- numbers.c - Elements of matrices -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over elements of one type, without branches, so that the host's vector
// unit can do them.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/numbers.h"

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__x86_64__) && defined(__GNUC__)
/// The same by x86's own instruction, where there is one.
__attribute__((target("avx,f16c"))) static size_t
decode_eights(const uint16_t *halves, size_t count, float *out) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                  (const __m128i *)(const void *)&halves[i])));
  return i;
}
// Processors with avx2 have f16c, which older compilers cannot ask for.
#define DECODE_EIGHTS(halves, count, out)                                      \
  (__builtin_cpu_supports("avx2") ? decode_eights(halves, count, out) : 0)
#elif defined(__aarch64__)
static size_t decode_eights(const uint16_t *halves, size_t count, float *out) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    float16x8_t eight = vreinterpretq_f16_u16(vld1q_u16(halves + i));
    vst1q_f32(out + i, vcvt_f32_f16(vget_low_f16(eight)));
    vst1q_f32(out + i + 4, vcvt_high_f32_f16(eight));
  }
  return i;
}
#define DECODE_EIGHTS(halves, count, out) decode_eights(halves, count, out)
#else
#define DECODE_EIGHTS(halves, count, out) ((size_t)0)
#endif

static void decode_halves(const void *from, size_t count, float *out) {
  const uint16_t *halves = from;
  for (size_t i = DECODE_EIGHTS(halves, count, out); i < count; ++i)
    out[i] = agpu__emu_from_f16(halves[i]);
}

static void decode_bf16(const void *from, size_t count, float *out) {
  const uint16_t *halves = from;
  for (size_t i = 0; i < count; ++i)
    out[i] = agpu__emu_f32((uint32_t)halves[i] << 16);
}

static void decode_tf32(const void *from, size_t count, float *out) {
  const uint32_t *words = from;
  for (size_t i = 0; i < count; ++i) {
    bool is_nan = (words[i] & 0x7fffffffu) > 0x7f800000u;
    out[i] = agpu__emu_f32(is_nan ? AGPU__EMU_NAN_F32 : words[i] & 0xffffe000u);
  }
}

/// Floats of a byte: sign, exponent, `fraction` bits, in the lowest bits of it.
/// From `special` on they are no finite numbers; of e5m2 the first is infinity.
static void decode_bytes(const void *from, size_t count, unsigned bits,
                         unsigned fraction, float scale, uint32_t special,
                         float *out) {
  const uint8_t *bytes = from;
  uint32_t sign = 1u << (bits - 1), size_mask = sign - 1;
  for (size_t i = 0; i < count; ++i) {
    uint32_t byte = bytes[i], size = byte & size_mask;
    uint32_t number =
        agpu__emu_f32_bits(agpu__emu_f32(size << (23 - fraction)) * scale);
    if (size >= special)
      number = size == 0x7cu ? 0x7f800000u : AGPU__EMU_NAN_F32;
    out[i] = agpu__emu_f32(number | (byte & sign) << (32 - bits));
  }
}

static float from_e2m1(uint32_t nibble) {
  static const float sizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  float size = sizes[nibble & 7];
  return nibble >> 3 & 1 ? -size : size;
}

/// In a byte they lie in the middle.
static void decode_e2m1(const void *from, size_t count, float *out) {
  const uint8_t *bytes = from;
  for (size_t i = 0; i < count; ++i)
    out[i] = from_e2m1(bytes[i] >> 2);
}

void agpu__emu_decode_nibbles(const void *from, size_t count, float *out) {
  const uint8_t *bytes = from;
  for (size_t i = 0; i < count; ++i)
    out[i] = from_e2m1((uint32_t)bytes[i / 2] >> 4 * (i & 1));
}

void agpu__emu_decode_floats(agpu_native_element type, const void *from,
                             size_t count, float *out) {
  switch (type) {
  case AGPU_NATIVE_F16: decode_halves(from, count, out); return;
  case AGPU_NATIVE_BF16: decode_bf16(from, count, out); return;
  case AGPU_NATIVE_TF32: decode_tf32(from, count, out); return;
  case AGPU_NATIVE_E4M3:
    decode_bytes(from, count, 8, 3, 0x1p120f, 0x7f, out);
    return;
  case AGPU_NATIVE_E5M2:
    decode_bytes(from, count, 8, 2, 0x1p112f, 0x7c, out);
    return;
  case AGPU_NATIVE_E3M2:
    decode_bytes(from, count, 6, 2, 0x1p124f, UINT32_MAX, out);
    return;
  case AGPU_NATIVE_E2M3:
    decode_bytes(from, count, 6, 3, 0x1p126f, UINT32_MAX, out);
    return;
  case AGPU_NATIVE_E2M1: decode_e2m1(from, count, out); return;
  default: memcpy(out, from, count * sizeof *out); return;
  }
}

void agpu__emu_decode_integers(agpu_native_element type, const void *from,
                               size_t count, int32_t *out) {
  const uint8_t *bytes = from;
  switch (type) {
  case AGPU_NATIVE_S8:
    for (size_t i = 0; i < count; ++i)
      out[i] = (int8_t)bytes[i];
    return;
  case AGPU_NATIVE_U8:
    for (size_t i = 0; i < count; ++i)
      out[i] = bytes[i];
    return;
  case AGPU_NATIVE_S4:
    for (size_t i = 0; i < count; ++i)
      out[i] = ((bytes[i / 2] >> 4 * (i & 1) & 15) ^ 8) - 8;
    return;
  case AGPU_NATIVE_U4:
    for (size_t i = 0; i < count; ++i)
      out[i] = bytes[i / 2] >> 4 * (i & 1) & 15;
    return;
  default: memcpy(out, from, count * sizeof *out); return;
  }
}
