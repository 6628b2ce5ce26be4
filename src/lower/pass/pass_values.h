//===- pass_values.h - Option values of one use of a pass -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's C API gives external passes no options, so async-gpu reads them
// itself, in mlir-opt's syntax: `name=value other={a b} flag`, separated by
// spaces, values in braces or quotes where they hold spaces.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PASS_VALUES_H
#define ASYNC_GPU_LOWER_PASS_VALUES_H

#include "lower/ir/text.h"
#include "lower/pass/pass.h"

/// Reads `text` (may be NULL: all defaults) against `options` into a new
/// object. On an unknown option or a malformed value: NULL, and a message
/// without full stop is appended to `error`. `argument` is the name of the
/// pass, for messages. `options` must outlive the result.
agpu_pass_values *agpu__pass_values_create(const char *argument,
                                           const agpu_pass_option *options,
                                           size_t count, const char *text,
                                           agpu__text *error);

/// A copy with a life of its own.
agpu_pass_values *agpu__pass_values_clone(const agpu_pass_values *values);

/// The text of a pipeline (agpu_pipeline) with these values. The caller frees
/// it.
char *agpu__pass_values_fill(const agpu_pass_values *values, const char *text);

/// NULL is allowed.
void agpu__pass_values_release(agpu_pass_values *values);

#endif // ASYNC_GPU_LOWER_PASS_VALUES_H
