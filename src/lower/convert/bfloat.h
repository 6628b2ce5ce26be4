//===- bfloat.h - Arithmetic on bf16 ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_BFLOAT_H
#define ASYNC_GPU_LOWER_BFLOAT_H

#include "llvm-c/Types.h"

#include <stdbool.h>

/// Makes integers of all bf16 in `ir`, which LLVM 22's code for x86 gets wrong.
/// For IR that is not optimised any more.
void agpu__expand_bfloat(LLVMModuleRef ir);

/// Replaces what LLVM's code for the chips before sm_90, which have no such
/// instructions, rounds twice: conversions of integers, and fma where the chip
/// has none. For IR that is not optimised any more.
void agpu__round_bfloat_once(LLVMModuleRef ir, bool has_fma);

/// True where `ir` has an atomic operation that computes with bf16. The code
/// generator makes a loop of it behind agpu__expand_bfloat's back: LLVM's
/// `atomic-expand` has to run before.
bool agpu__has_bfloat_atomics(LLVMModuleRef ir);

#endif // ASYNC_GPU_LOWER_BFLOAT_H
