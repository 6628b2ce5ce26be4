//===- matrix_reference.h - What products of matrices give ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of one warp, computed from its lanes' registers and nothing else,
// element by element as the PTX manual has it. Shares no code with the emulated
// device or the interpreter of PTX, so that it is a third reading.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_INTEGRATION_MATRIX_REFERENCE_H
#define ASYNC_GPU_INTEGRATION_MATRIX_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCE_LANES = 32, REFERENCE_WORDS = 24, REFERENCE_RESULTS = 4 };

typedef enum reference_type {
  REFERENCE_F16,
  REFERENCE_BF16,
  REFERENCE_TF32,
  REFERENCE_F32,
  REFERENCE_S32,
  REFERENCE_S8,
  REFERENCE_U8,
  REFERENCE_S4,
  REFERENCE_U4,
  REFERENCE_E4M3,
  REFERENCE_E5M2,
  REFERENCE_E3M2,
  REFERENCE_E2M3,
  REFERENCE_E2M1,   ///< in the middle of a byte
  REFERENCE_NIBBLE, ///< e2m1 in 4 bits
} reference_type;

/// m16n8k or m8n8k of mma: rows of A by columns of B. The registers of a lane
/// are those of A, B and C, then metadata and selector, then what block scales
/// have.
typedef struct reference_product {
  unsigned k;
  reference_type a, b, c; ///< c: of D too
  unsigned m;             ///< 8; 0: 16
  bool sparse, saturates;
  unsigned scales; ///< for a row of A; 0: none
  bool is_ue4m3;
  /// Selectors, which are filled in as well.
  unsigned selector, byte_a, thread_a, byte_b, thread_b;
} reference_product;

/// Registers with numbers of which all sums are exact, also in `c`.
void reference_fill(const reference_product *product, uint64_t *random,
                    uint32_t words[REFERENCE_LANES][REFERENCE_WORDS]);

/// How many elements of D, in the first registers of `results`, are wrong.
unsigned reference_check(const reference_product *product,
                         uint32_t words[REFERENCE_LANES][REFERENCE_WORDS],
                         uint32_t results[REFERENCE_LANES][REFERENCE_RESULTS]);

/// Registers of a lane for D.
unsigned reference_result_count(const reference_product *product);
/// In front of those for block scales, and of the metadata.
unsigned reference_first_scale(const reference_product *product);
unsigned reference_first_metadata(const reference_product *product);

/// The number that has these bits.
double reference_value(reference_type type, uint32_t bits);
unsigned reference_bits(reference_type type);

#endif // ASYNC_GPU_INTEGRATION_MATRIX_REFERENCE_H
