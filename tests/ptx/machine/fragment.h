//===- fragment.h - Elements in the registers of lanes -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_FRAGMENT_H
#define ASYNC_GPU_TESTS_PTX_FRAGMENT_H

#include "machine/warp.h"

/// Faults where lanes of the warp are missing.
void ptx_need_whole_warp(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes);

/// Register i of an operand, which is one or a vector of them.
static inline const ptx_operand *ptx_part(const ptx_operand *o, size_t i) {
  return o->kind == PTX_VECTOR ? &o->elements[i] : o;
}

/// How many elements of so many bits an operand has in each lane.
unsigned ptx_element_count(const ptx_operand *o, unsigned bits);

/// Element i of those in a lane: its bits.
uint64_t ptx_read_element(ptx_warp *warp, const ptx_insn *insn,
                          const ptx_operand *o, unsigned bits, unsigned i,
                          unsigned lane);
void ptx_write_element(ptx_warp *warp, const ptx_insn *insn,
                       const ptx_operand *o, unsigned bits, unsigned i,
                       unsigned lane, uint64_t value);

/// The number that an element of a matrix is. Of tf32 the low bits do not
/// count; of what has fewer than 8 bits in a byte (f8f6f4), e2m1 lies in the
/// middle.
double ptx_element_value(ptx_type type, uint64_t bits);

/// A sum as an element of C, rounded or, with .satfinite, limited.
uint64_t ptx_encode_sum(const ptx_insn *insn, double sum);

#endif // ASYNC_GPU_TESTS_PTX_FRAGMENT_H
