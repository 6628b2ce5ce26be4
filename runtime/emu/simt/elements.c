//===- elements.c - Elements of tensors -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of cp.reduce.async.bulk.tensor. Other blocks may combine the same
// elements at the same time, so that each is exchanged as a whole: one of 16
// bits in the word that it is a half of.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/elements.h"

#include "emu/matrix/numbers.h"

#include <math.h>
#include <string.h>

typedef enum kind { UNSIGNED, SIGNED, HALF, BFLOAT, FLOAT, OTHER } kind;

static const struct {
  uint8_t kind, bytes;
} types[] = {{OTHER, 1},  {OTHER, 2}, {UNSIGNED, 4}, {SIGNED, 4}, {UNSIGNED, 8},
             {SIGNED, 8}, {HALF, 2},  {FLOAT, 4},    {OTHER, 8},  {BFLOAT, 2},
             {FLOAT, 4},  {FLOAT, 4}, {FLOAT, 4}};

bool agpu__emu_elements_can(CUtensorMapDataType type,
                            agpu_native_bulk_reduction reduction) {
  kind of = (kind)types[type].kind;
  switch (reduction) {
  case AGPU_NATIVE_BULK_ADD: return of != OTHER;
  case AGPU_NATIVE_BULK_MAX:
  case AGPU_NATIVE_BULK_MIN: return of != OTHER && of != FLOAT;
  case AGPU_NATIVE_BULK_INC:
  case AGPU_NATIVE_BULK_DEC: return type == CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case AGPU_NATIVE_BULK_AND:
  case AGPU_NATIVE_BULK_OR:
  case AGPU_NATIVE_BULK_XOR: return of == UNSIGNED || of == SIGNED;
  }
  return false;
}

static float combine_floats(agpu_native_bulk_reduction reduction, float a,
                            float b) {
  switch (reduction) {
  case AGPU_NATIVE_BULK_MAX: return fmaxf(a, b);
  case AGPU_NATIVE_BULK_MIN: return fminf(a, b);
  default: return a + b;
  }
}

static bool is_less(kind of, uint64_t a, uint64_t b, unsigned bytes) {
  if (of == UNSIGNED)
    return a < b;
  return bytes == 4 ? (int32_t)a < (int32_t)b : (int64_t)a < (int64_t)b;
}

static uint64_t combine(CUtensorMapDataType type,
                        agpu_native_bulk_reduction reduction, uint64_t a,
                        uint64_t b) {
  kind of = (kind)types[type].kind;
  if (of == HALF)
    return agpu__emu_to_f16(combine_floats(reduction,
                                           agpu__emu_from_f16((uint32_t)a),
                                           agpu__emu_from_f16((uint32_t)b)));
  if (of == BFLOAT)
    return agpu__emu_to_bf16(combine_floats(reduction,
                                            agpu__emu_f32((uint32_t)a << 16),
                                            agpu__emu_f32((uint32_t)b << 16)));
  if (of == FLOAT)
    return agpu__emu_f32_bits(combine_floats(
        reduction, agpu__emu_f32((uint32_t)a), agpu__emu_f32((uint32_t)b)));
  switch (reduction) {
  case AGPU_NATIVE_BULK_ADD: return a + b;
  case AGPU_NATIVE_BULK_MAX:
    return is_less(of, a, b, types[type].bytes) ? b : a;
  case AGPU_NATIVE_BULK_MIN:
    return is_less(of, b, a, types[type].bytes) ? b : a;
  case AGPU_NATIVE_BULK_INC: return a >= b ? 0 : a + 1;
  case AGPU_NATIVE_BULK_DEC: return a == 0 || a > b ? b : a - 1;
  case AGPU_NATIVE_BULK_AND: return a & b;
  case AGPU_NATIVE_BULK_OR: return a | b;
  case AGPU_NATIVE_BULK_XOR: return a ^ b;
  }
  return a;
}

/// Combines the element of `bytes` (2 or 4) in the word at `to`, at a bit.
static void combine_in_word(CUtensorMapDataType type,
                            agpu_native_bulk_reduction reduction, void *to,
                            unsigned shift, uint32_t mask, uint32_t value) {
  uint32_t *word = to;
  uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), next;
  do {
    uint64_t result = combine(type, reduction, old >> shift & mask, value);
    next = (old & ~(mask << shift)) | ((uint32_t)result & mask) << shift;
  } while (!__atomic_compare_exchange_n(word, &old, next, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void combine_wide(CUtensorMapDataType type,
                         agpu_native_bulk_reduction reduction, void *to,
                         uint64_t value) {
  uint64_t *word = to;
  uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old,
                                      combine(type, reduction, old, value),
                                      true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

void agpu__emu_elements_combine(CUtensorMapDataType type,
                                agpu_native_bulk_reduction reduction, char *to,
                                const char *from, uint32_t bytes) {
  unsigned size = types[type].bytes;
  for (uint32_t i = 0; i < bytes; i += size) {
    uint64_t value = 0;
    memcpy(&value, from + i, size);
    uintptr_t place = (uintptr_t)(to + i);
    if (size == 8)
      combine_wide(type, reduction, (void *)place, value);
    else if (size == 4)
      combine_in_word(type, reduction, (void *)place, 0, UINT32_MAX,
                      (uint32_t)value);
    else
      combine_in_word(type, reduction, (void *)(place & ~(uintptr_t)3),
                      (unsigned)(place & 2) * 8, 0xffff, (uint32_t)value);
  }
}

void agpu__emu_elements_fill_nan(CUtensorMapDataType type, char *to,
                                 uint32_t bytes) {
  unsigned size = types[type].bytes;
  memset(to, 0xff, bytes);
  // All ones but the sign.
  for (uint32_t i = size - 1; i < bytes; i += size)
    to[i] = 0x7f;
}
