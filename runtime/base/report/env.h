//===- env.h - Settings from the environment --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a value is read: a malformed one is an error that names the variable, its
// value, what is allowed and what may have been meant, and never a guess. An
// empty variable counts as unset. Which settings there are is in
// base/report/settings.h, whose functions the rest of the runtime reads them
// by.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_REPORT_ENV_H
#define ASYNC_GPU_RUNTIME_BASE_REPORT_ENV_H

#include "async_gpu/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Of `count` words, the one that `word` of `length` bytes may have been meant
/// to be: at most a third of it differs. NULL if there is none.
const char *agpu__env_find_near(const char *const *words, int count,
                                const char *word, size_t length);

/// The value of `name`, or NULL where it is unset or empty, and in a process
/// with the rights of another than its caller (AT_SECURE): there the
/// environment may not choose what is written or loaded. The string is the
/// environment's.
const char *agpu__env_get(const char *name);

/// Reads a decimal integer from `minimum` to `maximum` into `*out_value`, or
/// `fallback` where the variable is unset. With `has_suffix` a K, M, G or T, in
/// either case, may follow, for that power of 1024. On INVALID_ARGUMENT
/// `*out_value` is `fallback`.
agpu_status agpu__env_get_integer(const char *name, bool has_suffix,
                                  int64_t minimum, int64_t maximum,
                                  int64_t fallback, int64_t *out_value);

/// Reads one of `count` words `choices` into `*out_index` (its index), or
/// `fallback` where the variable is unset. Of "on" and "off", "1" and "0" are
/// the same. On INVALID_ARGUMENT `*out_index` is
/// `fallback`.
agpu_status agpu__env_get_choice(const char *name, const char *const *choices,
                                 int count, int fallback, int *out_index);

/// Reads a comma-separated list of words from `choices` into `*out_mask` (bit
/// i for choices[i]); 0 where the variable is unset. On INVALID_ARGUMENT the
/// words that are known are in the mask.
agpu_status agpu__env_get_set(const char *name, const char *const *choices,
                              int count, uint32_t *out_mask);

#endif // ASYNC_GPU_RUNTIME_BASE_REPORT_ENV_H
