//===- array.h - Arrays of numbers --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_ARRAY_H
#define ASYNC_GPU_TOOLS_ARRAY_H

#include "element.h"

#include "lower/ir/text.h"

#include <stdbool.h>
#include <stdint.h>

/// As many dimensions as NumPy has.
enum { AGPU_ARRAY_RANK = 64 };

/// Elements side by side in row-major order. Zero-initialise; free with
/// agpu__array_free.
typedef struct agpu__array {
  const agpu__element *element;
  int64_t rank;
  int64_t sizes[AGPU_ARRAY_RANK];
  void *data;
} agpu__array;

/// Elements, and bytes, of the array.
int64_t agpu__array_count(const agpu__array *array);
size_t agpu__array_bytes(const agpu__array *array);

/// Zeroes for its element type and sizes. False with a message where they are
/// too many.
bool agpu__array_allocate(agpu__array *array, agpu__text *error);
void agpu__array_free(agpu__array *array);

/// True if `text` begins as agpu__array_parse wants it: a type.
bool agpu__array_is_typed(const char *text);

/// Reads an array written as a type and what is in it:
///
///     f32=1.5, 2xf32=1,2, 2x3xi32=[[1,2,3],[4,5,6]]
///     4x4xf32=1.5         all of it
///     4x4xf32             zeroes
///     4x4xf32=iota        0, 1, 2, ...
///     4x4xf32=random:7    drawn from the seed 7
///     4x4xf32=@FILE       its bytes
///
/// False with a message appended to `error`.
bool agpu__array_parse(const char *text, agpu__array *out_array,
                       agpu__text *error);

/// Reads numbers alone, separated by commas, for an array whose element and
/// sizes are known.
bool agpu__array_parse_values(const char *text, agpu__array *array,
                              agpu__text *error);

/// Appends "4x8xf32".
void agpu__array_print_type(const agpu__array *array, agpu__text *out);

/// Appends the array as agpu__array_parse reads it, but of more than a thousand
/// elements only the first and last three in each dimension.
void agpu__array_print(const agpu__array *array, agpu__text *out);

#endif // ASYNC_GPU_TOOLS_ARRAY_H
