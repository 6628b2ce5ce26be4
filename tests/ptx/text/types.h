//===- types.h - The types and state spaces of PTX -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "State Spaces, Types, and Variables": fundamental types, the packed
// ones of instructions, and the spaces an address may be in.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_TYPES_H
#define ASYNC_GPU_TESTS_PTX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// X(name in the text, bits, kind)
#define PTX_TYPES(X)                                                           \
  X(pred, 1, BITS)                                                             \
  X(b8, 8, BITS)                                                               \
  X(b16, 16, BITS)                                                             \
  X(b32, 32, BITS)                                                             \
  X(b64, 64, BITS)                                                             \
  X(b128, 128, BITS)                                                           \
  X(u8, 8, BITS)                                                               \
  X(u16, 16, BITS)                                                             \
  X(u32, 32, BITS)                                                             \
  X(u64, 64, BITS)                                                             \
  X(s8, 8, SIGNED)                                                             \
  X(s16, 16, SIGNED)                                                           \
  X(s32, 32, SIGNED)                                                           \
  X(s64, 64, SIGNED)                                                           \
  X(f16, 16, FLOAT)                                                            \
  X(bf16, 16, FLOAT)                                                           \
  X(f16x2, 32, FLOAT)                                                          \
  X(bf16x2, 32, FLOAT)                                                         \
  X(tf32, 32, FLOAT)                                                           \
  X(f32, 32, FLOAT)                                                            \
  X(f64, 64, FLOAT)                                                            \
  X(b1, 1, BITS)                                                               \
  X(u4, 4, BITS)                                                               \
  X(s4, 4, SIGNED)                                                             \
  X(e4m3, 8, FLOAT)                                                            \
  X(e5m2, 8, FLOAT)                                                            \
  X(e3m2, 8, FLOAT)                                                            \
  X(e2m3, 8, FLOAT)                                                            \
  X(e2m1, 8, FLOAT)                                                            \
  X(ue8m0, 8, FLOAT)

typedef enum ptx_type {
  PTX_NO_TYPE,
#define PTX_TYPE_NAME(name, bits, kind) PTX_##name,
  PTX_TYPES(PTX_TYPE_NAME)
#undef PTX_TYPE_NAME
} ptx_type;

typedef enum ptx_space {
  PTX_GENERIC,
  PTX_GLOBAL,
  PTX_SHARED,
  PTX_LOCAL,
  PTX_PARAM,
  PTX_CONST,
} ptx_space;

/// PTX_NO_TYPE where the `length` characters name none.
ptx_type ptx_type_find(const char *name, size_t length);
unsigned ptx_type_bits(ptx_type type);
bool ptx_type_is_signed(ptx_type type);
bool ptx_type_is_float(ptx_type type);

/// The low `bits` ones.
static inline uint64_t ptx_mask(unsigned bits) {
  return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

/// The low `bits` of a value as a signed number.
static inline int64_t ptx_signed(uint64_t value, unsigned bits) {
  if (bits >= 64)
    return (int64_t)value;
  uint64_t sign = (uint64_t)1 << (bits - 1);
  return (int64_t)(((value & ptx_mask(bits)) ^ sign) - sign);
}

#endif // ASYNC_GPU_TESTS_PTX_TYPES_H
