//===- writers.h - Instructions as text ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each instruction appends the ops that compute it: operands
// are %a0, %a1 and so on, and the result is %r. What an instruction computes is
// in the PTX ISA, under its name.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_INSTRUCTION_WRITERS_H
#define ASYNC_GPU_GPU_INSTRUCTION_WRITERS_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether attribute `name` of `op` is there and its text contains `part`.
bool agpu__attribute_has(MlirOperation op, const char *name, const char *part);

/// The integer in attribute `name` of `op`, which has it.
int64_t agpu__number_of(MlirOperation op, const char *name);

/// Appends `%name`, a constant i32.
void agpu__write_i32(agpu__text *text, const char *name, int64_t value);

// integers.c
void agpu__write_permute(agpu__text *text, MlirOperation op);
void agpu__write_dot_4(agpu__text *text, MlirOperation op);
void agpu__write_dot_2(agpu__text *text, MlirOperation op);

// floats.c
void agpu__write_reciprocal(agpu__text *text, MlirOperation op);
void agpu__write_tf32(agpu__text *text, MlirOperation op);
void agpu__write_pack_f16(agpu__text *text, MlirOperation op);
void agpu__write_pack_bf16(agpu__text *text, MlirOperation op);
/// Of conversions: neither saturated nor cut off at zero.
bool agpu__rounds_to_nearest(MlirOperation op);

// copies.c
void agpu__write_copy(agpu__text *text, MlirOperation op);
void agpu__write_bulk_store(agpu__text *text, MlirOperation op);

// matrices.c
void agpu__write_matrix_load(agpu__text *text, MlirOperation op);
void agpu__write_matrix_store(agpu__text *text, MlirOperation op);
/// Of elements of 16 bits, 8 by 8.
bool agpu__is_plain_matrix(MlirOperation op);

#endif // ASYNC_GPU_GPU_INSTRUCTION_WRITERS_H
