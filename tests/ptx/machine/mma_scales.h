//===- mma_scales.h - Scales of the factors of mma -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_MMA_SCALES_H
#define ASYNC_GPU_TESTS_PTX_MMA_SCALES_H

#include "machine/warp.h"

/// Whether kind, number and type of the scales of mma.block_scale go together.
bool ptx_has_scales(const ptx_insn *insn);

/// Multiplies A (16 by k) and B (k by 8) by what the last four operands of
/// mma.block_scale say; of others, nothing.
void ptx_scale_factors(ptx_warp *warp, const ptx_insn *insn, unsigned k,
                       double *a, double *b);

#endif // ASYNC_GPU_TESTS_PTX_MMA_SCALES_H
