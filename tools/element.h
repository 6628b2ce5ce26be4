//===- element.h - Numbers in arrays ------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_ELEMENT_H
#define ASYNC_GPU_TOOLS_ELEMENT_H

#include "lower/ir/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A type of elements, as async_gpu/call.h has them.
typedef struct agpu__element {
  const char *name; ///< "f32"
  const char *npy;  ///< as NumPy's files say it, "<f4"
  /// The same with another sign, or written another way; NULL: there is none.
  const char *npy_too;
  int64_t bytes;
} agpu__element;

/// The longest name of an element, with its NUL.
enum { AGPU_ELEMENT_NAME = 16 };

/// The element of this name, or NULL.
const agpu__element *agpu__element_find(const char *name, size_t size);

/// What NumPy's files call `npy`; NULL where no element is like it.
const agpu__element *agpu__element_of_npy(const char *npy);

/// Reads a number at `*text` and moves behind it. False, with a message
/// appended to `error`, where there is none, or it does not fit.
bool agpu__element_parse(const agpu__element *element, const char **text,
                         void *out_value, agpu__text *error);

/// Number `index` of 0, 1, 2, ..., as the element can have it.
void agpu__element_set_count(const agpu__element *element, uint64_t index,
                             void *out_value);

/// A number that is drawn from `*state`: floats are in [0, 1), integers are 0
/// to 99, or what fits.
void agpu__element_set_random(const agpu__element *element, uint64_t *state,
                              void *out_value);

/// Appends the number as C prints it: floats with as many digits as tell it
/// from all others, or, if `as_runner`, as mlir-runner prints results.
void agpu__element_print(const agpu__element *element, const void *value,
                         bool as_runner, agpu__text *out);

#endif // ASYNC_GPU_TOOLS_ELEMENT_H
