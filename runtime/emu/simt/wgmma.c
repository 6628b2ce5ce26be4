//===- wgmma.c - Matrix products of a warp group --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async of the PTX ISA. Both factors lie in shared memory, so that
// each thread computes its own elements of the product, and none waits for
// another. A matrix descriptor says where a factor lies: in groups of 8 rows of
// 16 bytes, or of the 32, 64 or 128 bytes within which it is swizzled; along K
// where that is the contiguous dimension, else along M or N.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/native_async.h"
#include "async_gpu/compiled/native_thread.h"
#include "emu/base/settings.h"
#include "emu/simt/async.h"
#include "emu/simt/floats.h"
#include "emu/simt/tensor_map.h"

#include <string.h>

#define CHUNK 16u      ///< bytes that swizzling moves as one
#define MOST_K 32u     ///< elements
#define WARP_GROUP 128 ///< threads

/// A factor, as its descriptor has it.
typedef struct factor {
  uintptr_t base;
  uint32_t leading, stride; ///< bytes
  uint32_t width;           ///< bytes of a row of a group
  unsigned swizzle;         ///< CUtensorMapSwizzle
  agpu_native_wgmma_type type;
  uint32_t element; ///< bytes
  bool k_major;
} factor;

/// The thread that computes.
typedef struct reader {
  const agpu__emu_runner *runner;
  agpu__emu_actor actor;
  bool is_checked;
} reader;

static uint32_t bytes_of(agpu_native_wgmma_type type) {
  switch (type) {
  case AGPU_NATIVE_WGMMA_TF32: return 4;
  case AGPU_NATIVE_WGMMA_F16:
  case AGPU_NATIVE_WGMMA_BF16: return 2;
  default: return 1;
  }
}

/// Addresses in descriptors have 18 bits, of which a block's shared memory has
/// each once.
static factor decode(const agpu__emu_runner *runner, uint64_t descriptor,
                     agpu_native_wgmma_type type, bool k_major) {
  static const unsigned swizzles[] = {
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_32B};
  static const uint32_t widths[] = {16, 128, 64, 32};
  uintptr_t shared = (uintptr_t)runner->block.shared;
  uint64_t mask = (1u << 18) - 1;
  unsigned mode = (unsigned)(descriptor >> 62);
  return (factor){.base = shared +
                          (((descriptor & 0x3fff) * CHUNK - shared) & mask),
                  .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * CHUNK,
                  .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * CHUNK,
                  .width = widths[mode],
                  .swizzle = swizzles[mode],
                  .type = type,
                  .element = bytes_of(type),
                  .k_major = k_major};
}

/// Where element `k` of row (of A) or column (of B) `line` is.
static uintptr_t place_of(const factor *of, uint32_t line, uint32_t k) {
  uint32_t bytes, offset;
  if (of->k_major) {
    bytes = k * of->element;
    uint32_t chunk = bytes / CHUNK;
    offset = line % 8 * of->width + line / 8 * of->stride +
             chunk * (of->swizzle ? CHUNK : of->leading);
  } else {
    bytes = line * of->element;
    uint32_t chunk = bytes / CHUNK, chunks = of->width / CHUNK;
    offset = k % 8 * of->width + k / 8 * of->stride;
    if (of->swizzle)
      offset += chunk % chunks * CHUNK + chunk / chunks * of->leading;
    else
      offset = k % 8 * CHUNK + k / 8 * of->leading + chunk * of->stride;
  }
  bool flipped;
  return agpu__emu_swizzle(of->base + offset, of->swizzle, &flipped) +
         bytes % CHUNK;
}

static const void *element_at(const reader *by, const factor *of, uint32_t line,
                              uint32_t k) {
  uintptr_t place = place_of(of, line, k);
  const agpu_native_block *block = &by->runner->block;
  uintptr_t offset = place - (uintptr_t)block->shared;
  if (offset >= block->shared_bytes ||
      of->element > block->shared_bytes - offset)
    agpu__emu_actor_fail(&by->actor, CUDA_ERROR_ILLEGAL_ADDRESS,
                         "multiplies matrices at offset %lld of workgroup "
                         "memory of %u bytes",
                         (long long)offset, block->shared_bytes);
  if (by->is_checked) {
    (void)agpu_native_check((void *)place, of->element, 1,
                            AGPU_NATIVE_SHARED | AGPU_NATIVE_READS,
                            by->actor.location, by->actor.thread[0],
                            by->actor.thread[1], by->actor.thread[2]);
    AGPU__EMU_TELL(matrix_read,
                   (place, of->swizzle, by->actor.location, by->actor.thread));
  }
  return (const void *)place;
}

/// Floats of 8 bits: e4m3 has no infinities, and one NaN.
static float from_e4m3(uint8_t bits) {
  if ((bits & 0x7f) == 0x7f)
    return agpu__emu_float_of(0x7fffffffu);
  uint32_t exponent = bits >> 3 & 15;
  if (exponent == 15) { // a number, where others have infinities
    float value = (float)(8 + (bits & 7)) * 32.0f;
    return bits & 0x80 ? -value : value;
  }
  return agpu__emu_small_to_float(bits, 4, 3);
}

static float float_at(const reader *by, const factor *of, uint32_t line,
                      uint32_t k) {
  const void *place = element_at(by, of, line, k);
  uint32_t bits = 0;
  memcpy(&bits, place, of->element);
  switch (of->type) {
  case AGPU_NATIVE_WGMMA_F16: return agpu__emu_half_to_float((uint16_t)bits);
  case AGPU_NATIVE_WGMMA_BF16: return agpu__emu_bfloat_to_float((uint16_t)bits);
  case AGPU_NATIVE_WGMMA_TF32: return agpu__emu_float_of(bits & 0xffffe000u);
  case AGPU_NATIVE_WGMMA_E4M3: return from_e4m3((uint8_t)bits);
  default: return agpu__emu_small_to_float(bits, 5, 2);
  }
}

static int32_t integer_at(const reader *by, const factor *of, uint32_t line,
                          uint32_t k) {
  uint8_t byte;
  memcpy(&byte, element_at(by, of, line, k), 1);
  return of->type == AGPU_NATIVE_WGMMA_S8 ? (int8_t)byte : byte;
}

/// Adds the products of a row of A and a column of B.
static void multiply_floats(const reader *by, const factor *a, const factor *b,
                            uint32_t row, uint32_t n, uint32_t k, float sign,
                            uint32_t lane, float *d) {
  float rows[2][MOST_K];
  for (uint32_t i = 0; i < k; ++i) {
    rows[0][i] = sign * float_at(by, a, row, i);
    rows[1][i] = sign * float_at(by, a, row + 8, i);
  }
  for (uint32_t pair = 0; pair < n / 4; ++pair) {
    uint32_t half = pair & 1;
    uint32_t column = pair / 2 * 8 + lane % 4 * 2 + half;
    float *first = &d[pair / 2 * 4 + half], *second = first + 2;
    for (uint32_t i = 0; i < k; ++i) {
      float value = float_at(by, b, column, i);
      *first += rows[0][i] * value;
      *second += rows[1][i] * value;
    }
  }
}

static void multiply_integers(const reader *by, const factor *a,
                              const factor *b, uint32_t row, uint32_t n,
                              uint32_t k, bool saturates, uint32_t lane,
                              int32_t *d) {
  for (uint32_t place = 0; place < n / 2; ++place) {
    uint32_t column = place / 4 * 8 + lane % 4 * 2 + (place & 1);
    int64_t sum = d[place];
    for (uint32_t i = 0; i < k; ++i)
      sum += integer_at(by, a, row + (place & 2) * 4, i) *
             integer_at(by, b, column, i);
    if (saturates && sum > INT32_MAX)
      sum = INT32_MAX;
    if (saturates && sum < INT32_MIN)
      sum = INT32_MIN;
    d[place] = (int32_t)(uint32_t)(uint64_t)sum;
  }
}

void agpu_native_wgmma(void *d, uint64_t descriptor_a, uint64_t descriptor_b,
                       uint32_t n, uint32_t k, uint32_t type_a, uint32_t type_b,
                       uint32_t flags, const char *location, uint32_t x,
                       uint32_t y, uint32_t z) {
  const agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  const reader by = {runner,
                     {location, {x, y, z}},
                     settings->check_memory || settings->check_races};
  if (runner->thread_count % WARP_GROUP)
    agpu__emu_actor_fail(&by.actor, CUDA_ERROR_LAUNCH_FAILED,
                         "is in a block of %u threads, and a warp group has %d",
                         runner->thread_count, WARP_GROUP);
  factor a = decode(runner, descriptor_a, (agpu_native_wgmma_type)type_a,
                    !(flags & AGPU_NATIVE_WGMMA_TRANSPOSE_A));
  factor b = decode(runner, descriptor_b, (agpu_native_wgmma_type)type_b,
                    !(flags & AGPU_NATIVE_WGMMA_TRANSPOSE_B));
  uint32_t thread = agpu__emu_thread_number(runner, x, y, z) % WARP_GROUP;
  uint32_t lane = thread % 32, row = thread / 32 * 16 + lane / 4;
  if (flags & AGPU_NATIVE_WGMMA_ZERO)
    memset(d, 0, n / 2 * sizeof(float));
  bool negative = !(flags & AGPU_NATIVE_WGMMA_NEGATE_A) !=
                  !(flags & AGPU_NATIVE_WGMMA_NEGATE_B);
  if (type_a == AGPU_NATIVE_WGMMA_S8 || type_a == AGPU_NATIVE_WGMMA_U8)
    multiply_integers(&by, &a, &b, row, n, k,
                      flags & AGPU_NATIVE_WGMMA_SATURATE, lane, d);
  else
    multiply_floats(&by, &a, &b, row, n, k, negative ? -1.0f : 1.0f, lane, d);
}
