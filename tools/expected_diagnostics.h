//===- expected_diagnostics.h - --verify-diagnostics ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comments in the input that say which diagnostics it must cause:
//
//     // expected-error @below {{part of the message}}
//     // expected-warning @+2 {{...}}    expected-note @above {{...}}
//     // expected-remark @unknown {{...}}
//     // expected-error-re {{a {{[rR]egular}} expression in inner braces}}
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_EXPECTED_DIAGNOSTICS_H
#define ASYNC_GPU_TOOLS_EXPECTED_DIAGNOSTICS_H

#include "lower/pass/diagnostics.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct agpu__expected agpu__expected;

typedef enum agpu__verify_mode {
  AGPU_VERIFY_NONE,
  AGPU_VERIFY_ALL,           ///< every diagnostic must be expected
  AGPU_VERIFY_ONLY_EXPECTED, ///< what is expected must come
} agpu__verify_mode;

/// Reads the expectations in `text`, the source of `diagnostics`, which are
/// compared with them from now on. `mode` is not AGPU_VERIFY_NONE. Malformed
/// ones are reported and make agpu__expected_verify fail.
agpu__expected *agpu__expected_create(agpu__diagnostics *diagnostics,
                                      const char *text, size_t size,
                                      agpu__verify_mode mode);

/// Reports every expectation that was not met. True if all were and, by mode,
/// nothing else came.
bool agpu__expected_verify(agpu__expected *expected);

void agpu__expected_release(agpu__expected *expected);

#endif // ASYNC_GPU_TOOLS_EXPECTED_DIAGNOSTICS_H
