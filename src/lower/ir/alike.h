//===- alike.h - Functions that are alike but for names -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions whose texts differ in nothing but their names.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_IR_ALIKE_H
#define ASYNC_GPU_LOWER_IR_ALIKE_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

/// The text of a function. Free with agpu__alike_free.
typedef struct agpu__alike {
  agpu__text text;  ///< with its name
  const char *rest; ///< what follows that
  size_t
      same_as; ///< number of the first one that is like it: itself, or before
} agpu__alike;

/// Reads the text of `function`. False for one whose text has no parameters.
bool agpu__alike_read(MlirOperation function, agpu__alike *out);
void agpu__alike_free(agpu__alike *self);

/// Sets `same_as` of all.
void agpu__alike_find(agpu__alike *all, size_t count);

#endif // ASYNC_GPU_LOWER_IR_ALIKE_H
