//===- negation.h - Negated bf16 numbers --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22 takes the sign of a negated bf16 for one that is never set where
// nothing but that bit is looked at: for x86, `(bits of -x) & 0x8000` is 0, and
// so is the sign of `-0.0 * x`, which its optimiser makes of such a negation.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_NEGATION_H
#define ASYNC_GPU_HOST_NEGATION_H

#include "llvm-c/Types.h"

/// Writes negations of bf16 as what they do to bits (those of vectors are
/// right). For IR that is not optimised any more.
void agpu__spell_out_negations(LLVMModuleRef ir);

#endif // ASYNC_GPU_HOST_NEGATION_H
