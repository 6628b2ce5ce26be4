//===- tm_tensor_text.h - torch-mlir's ops as MLIR can read them --*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TM_TENSOR_TEXT_H
#define ASYNC_GPU_LOWER_TM_TENSOR_TEXT_H

#include "lower/ir/text.h"

#include <stdbool.h>

/// True if the program has ops of torch-mlir's dialect tm_tensor, which has to
/// be parsed as an unregistered one.
bool agpu__has_tm_tensor(const char *text, size_t size);

/// Appends the program, in which ops of tm_tensor stand in MLIR's generic form.
/// Each is on the line that it was on. What is not well formed stays as it is,
/// for the parser to report.
void agpu__tm_tensor_rewrite(const char *text, size_t size, agpu__text *out);

#endif // ASYNC_GPU_LOWER_TM_TENSOR_TEXT_H
