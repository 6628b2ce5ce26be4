//===- sparse.h - Matrices with half of their elements ---------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_SPARSE_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_SPARSE_H

#include "async_gpu/compiled/native_matrix.h"
#include "emu/matrix/product.h"

#include <stdbool.h>
#include <stddef.h>

/// Puts the elements of A of mma.sp, 16 rows of k / 2 words, where the metadata
/// says, into 16 rows of k words; all others are 0. The metadata and the
/// selector are two registers of each lane, `offset` bytes after its first.
/// `is_ordered`: indices have to rise.
agpu__emu_bad_lane agpu__emu_expand_sparse(char *const *lanes, size_t offset,
                                           agpu_native_element type, uint32_t k,
                                           bool is_ordered,
                                           const uint32_t *half,
                                           uint32_t *out_whole);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_SPARSE_H
