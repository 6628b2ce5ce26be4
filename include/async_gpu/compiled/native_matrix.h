//===- native_matrix.h - Matrices that a warp holds -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lanes of a warp do together with matrices that are spread over their
// registers, as native kernels tell the emulated device: one number, the mode
// of a wait (AGPU_NATIVE_COLLECTIVE). Each lane has its registers in memory,
// one after the other, 4 bytes each, or 8 where the elements are f64: first
// those of all operands, in the order of the instruction; the results replace
// them from the first on.
//
// Which lane holds which elements is what the PTX ISA says of each shape. Of
// wmma it says nothing; there a lane holds elements that lie one after the
// other in memory, in the order of the matrix's layout (C and D: of rows), the
// lanes one after the other, and where an operand has more registers than that
// takes they repeat.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_NATIVE_MATRIX_H
#define ASYNC_GPU_COMPILED_NATIVE_MATRIX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Lowest four bits of a mode.
typedef enum agpu_native_collective {
  /// Nothing but that all lanes are there.
  AGPU_NATIVE_MEET,
  /// D = A * B + C, by agpu_native_product.
  AGPU_NATIVE_MMA,
  AGPU_NATIVE_WMMA,
  /// Matrices whose rows (16 bytes) the lanes have loaded, to fragments; and
  /// back, before lanes store rows. By agpu_native_rows.
  AGPU_NATIVE_FROM_ROWS,
  AGPU_NATIVE_TO_ROWS,
} agpu_native_collective;
#define AGPU_NATIVE_COLLECTIVE_OF(mode) ((agpu_native_collective)((mode) & 15u))

/// Types of elements: C's name, NVVM's name, bits.
#define AGPU_NATIVE_ELEMENTS(X)                                                \
  X(F16, f16, 16)                                                              \
  X(F32, f32, 32)                                                              \
  X(F64, f64, 64)                                                              \
  X(S32, s32, 32)                                                              \
  X(BF16, bf16, 16)                                                            \
  X(TF32, tf32, 32)                                                            \
  X(S8, s8, 8)                                                                 \
  X(U8, u8, 8)                                                                 \
  X(S4, s4, 4)                                                                 \
  X(U4, u4, 4)                                                                 \
  X(B1, b1, 1)                                                                 \
  X(E4M3, e4m3, 8)                                                             \
  X(E5M2, e5m2, 8)                                                             \
  X(E3M2, e3m2, 8)                                                             \
  X(E2M3, e2m3, 8)                                                             \
  X(E2M1, e2m1, 8)

typedef enum agpu_native_element {
#define X(name, text, bits) AGPU_NATIVE_##name,
  AGPU_NATIVE_ELEMENTS(X)
#undef X
} agpu_native_element;

/// Properties of a product.
enum {
  AGPU_NATIVE_COLUMNS_A = 1, ///< A by columns, which most instructions have
  AGPU_NATIVE_COLUMNS_B = 2, ///< by rows, and B by rows, which they have not
  AGPU_NATIVE_SATURATED = 4, ///< sums of integers stay in their range
  AGPU_NATIVE_AND_BITS = 8,  ///< of bits: and, not xor
  AGPU_NATIVE_SPARSE = 16,   ///< A has half of its elements, and metadata
  /// Blocks of a row of A, and of a column of B, have one, two or four scales,
  /// in ue8m0. Two or four: elements (e2m1) have 4 bits each.
  AGPU_NATIVE_SCALED_1X = 1 << 5,
  AGPU_NATIVE_SCALED_2X = 2 << 5,
  AGPU_NATIVE_SCALED_4X = 3 << 5,
  AGPU_NATIVE_UE4M3 = 128,   ///< in ue4m3
  AGPU_NATIVE_ORDERED = 256, ///< indices in metadata rise
};
/// How many; 0: none.
#define AGPU_NATIVE_SCALES_OF(properties) (1u << ((properties) >> 5 & 3u) >> 1)

/// The mode of D = A * B + C: sizes are powers of two, M and N of 8 to 32, K of
/// 4 to 512; C and D are of one of the first four types.
static inline uint32_t agpu_native_product(agpu_native_collective what,
                                           uint32_t m, uint32_t n, uint32_t k,
                                           const agpu_native_element types[4],
                                           uint32_t properties) {
  uint32_t shape = 0;
  while (8u << (shape & 3u) < m)
    ++shape;
  for (uint32_t size = 8; size < n; size *= 2)
    shape += 1u << 2;
  for (uint32_t size = 4; size < k; size *= 2)
    shape += 1u << 4;
  return (uint32_t)what | shape << 4 | (uint32_t)types[0] << 11 |
         (uint32_t)types[1] << 15 | (uint32_t)types[2] << 19 |
         (uint32_t)types[3] << 21 | properties << 23;
}
#define AGPU_NATIVE_M_OF(mode) (8u << ((mode) >> 4 & 3u))
#define AGPU_NATIVE_N_OF(mode) (8u << ((mode) >> 6 & 3u))
#define AGPU_NATIVE_K_OF(mode) (4u << ((mode) >> 8 & 7u))
#define AGPU_NATIVE_A_OF(mode) ((agpu_native_element)((mode) >> 11 & 15u))
#define AGPU_NATIVE_B_OF(mode) ((agpu_native_element)((mode) >> 15 & 15u))
#define AGPU_NATIVE_C_OF(mode) ((agpu_native_element)((mode) >> 19 & 3u))
#define AGPU_NATIVE_D_OF(mode) ((agpu_native_element)((mode) >> 21 & 3u))
#define AGPU_NATIVE_PROPERTIES_OF(mode) ((mode) >> 23)

/// Matrices that lanes load or store by rows of 16 bytes: of 8 by 8 elements of
/// 16 bits; of 16 by 16 of 8 bits; of 8 by 16 of 8 bits, in registers, and of 6
/// or 4 bits in memory, where the rest of a row is nobody's; of 16 by 16 of
/// those; of 16 by 8 of 8 bits, whose columns are the rows in memory.
typedef enum agpu_native_row_shape {
  AGPU_NATIVE_8X8_B16,
  AGPU_NATIVE_16X16_B8,
  AGPU_NATIVE_8X16_B6,
  AGPU_NATIVE_8X16_B4,
  AGPU_NATIVE_16X16_B6,
  AGPU_NATIVE_16X16_B4,
  AGPU_NATIVE_16X8_B8,
} agpu_native_row_shape;

/// The mode of `count` (1, 2, 4) such matrices. Lanes of as many as they have
/// rows, from the first on, hold a row each, in four registers.
static inline uint32_t agpu_native_rows(agpu_native_collective what,
                                        agpu_native_row_shape shape,
                                        uint32_t count, uint32_t transposed) {
  return (uint32_t)what | (uint32_t)shape << 4 | count << 8 | transposed << 12;
}
#define AGPU_NATIVE_ROW_SHAPE_OF(mode)                                         \
  ((agpu_native_row_shape)((mode) >> 4 & 15u))
#define AGPU_NATIVE_ROW_COUNT_OF(mode) ((mode) >> 8 & 15u)
#define AGPU_NATIVE_TRANSPOSED_OF(mode) ((mode) >> 12 & 1u)

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_NATIVE_MATRIX_H
