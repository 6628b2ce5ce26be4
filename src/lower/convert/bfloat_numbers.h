//===- bfloat_numbers.h - Operations on the bits of bf16 --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds code that computes with bf16. Such a number, or each lane of a vector
// of them, is an integer of 16 bits here.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_BFLOAT_NUMBERS_H
#define ASYNC_GPU_LOWER_BFLOAT_NUMBERS_H

#include "llvm-c/Core.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__bfloat_builder {
  LLVMBuilderRef at;
  LLVMModuleRef ir;
  LLVMContextRef context;
} agpu__bfloat_builder;

/// `element`, or a vector of as many as `like`, a type, has lanes.
LLVMTypeRef agpu__bfloat_lanes(LLVMTypeRef like, LLVMTypeRef element);

/// True for a bf16 and for a vector of them.
bool agpu__is_bfloat(LLVMTypeRef type);

/// The integers in place of `type`, a bf16 or a vector of them.
LLVMTypeRef agpu__bfloat_bits_type(const agpu__bfloat_builder *b,
                                   LLVMTypeRef type);

/// The bits of `value` if it is of bf16; anything else as it is.
LLVMValueRef agpu__bfloat_bits(const agpu__bfloat_builder *b,
                               LLVMValueRef value);

/// The same of an operand.
LLVMValueRef agpu__bfloat_operand(const agpu__bfloat_builder *b,
                                  LLVMValueRef op, unsigned i);

/// A bf16 as a float of the type `element`, anything else as it is.
LLVMValueRef agpu__bfloat_extended(const agpu__bfloat_builder *b,
                                   LLVMValueRef value, LLVMTypeRef element);

/// The bits of what `call` gives, if it is of an intrinsic that computes a
/// bf16; else null.
LLVMValueRef agpu__bfloat_intrinsic(const agpu__bfloat_builder *b,
                                    LLVMValueRef call);

/// True for a call that multiplies and adds.
bool agpu__bfloat_is_fma(LLVMValueRef call);

/// `value` in each lane of `type`, which is of integers.
LLVMValueRef agpu__bfloat_number(LLVMTypeRef type, uint64_t value);

/// A call of the intrinsic `name`, overloaded by `types`.
LLVMValueRef agpu__bfloat_call(const agpu__bfloat_builder *b, const char *name,
                               LLVMTypeRef *types, size_t type_count,
                               LLVMValueRef *arguments, unsigned count);

/// A bf16 as a float: `element` is the type of one, f32 or wider.
LLVMValueRef agpu__bfloat_extend(const agpu__bfloat_builder *b,
                                 LLVMValueRef bits, LLVMTypeRef element);

/// The bf16 that is nearest to `value`, a float of a wider type; ties to even.
LLVMValueRef agpu__bfloat_round(const agpu__bfloat_builder *b,
                                LLVMValueRef value);

/// The bf16 that is nearest to `value`, an integer. Null where it is wider than
/// all integers that occur.
LLVMValueRef agpu__bfloat_from_integer(const agpu__bfloat_builder *b,
                                       LLVMValueRef value, bool is_signed);

/// x `opcode` y, rounded once: of LLVMFAdd to LLVMFRem.
LLVMValueRef agpu__bfloat_binary(const agpu__bfloat_builder *b,
                                 LLVMOpcode opcode, LLVMValueRef x,
                                 LLVMValueRef y);

/// x * y + z, rounded once.
LLVMValueRef agpu__bfloat_fuse(const agpu__bfloat_builder *b, LLVMValueRef x,
                               LLVMValueRef y, LLVMValueRef z);

/// `bits` with the other sign.
LLVMValueRef agpu__bfloat_negate(const agpu__bfloat_builder *b,
                                 LLVMValueRef bits);

/// `bits` with the sign of `sign`; of a null one, without a sign.
LLVMValueRef agpu__bfloat_copy_sign(const agpu__bfloat_builder *b,
                                    LLVMValueRef bits, LLVMValueRef sign);

#endif // ASYNC_GPU_LOWER_BFLOAT_NUMBERS_H
