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

#ifndef ASYNC_GPU_LOWER_EXPECTED_DIAGNOSTICS_H
#define ASYNC_GPU_LOWER_EXPECTED_DIAGNOSTICS_H

#include "lower/ir/text.h"

#include "mlir-c/Diagnostics.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct agpu__expected agpu__expected;

/// A place in the text that is at fault, and what is wrong there.
typedef void (*agpu__expected_report)(size_t line, const char *message,
                                      void *data);

/// Reads the expectations in `text`, with line numbers from 1. Malformed ones
/// are reported and make agpu__expected_verify fail.
agpu__expected *agpu__expected_create(const char *text, size_t size,
                                      agpu__expected_report report, void *data);

/// Takes a diagnostic into account (`line` 0: not in this text). Returns false
/// if none was expected there.
bool agpu__expected_match(agpu__expected *expected,
                          MlirDiagnosticSeverity severity, size_t line,
                          const char *message);

/// Reports every expectation that was not met. True if all were.
bool agpu__expected_verify(agpu__expected *expected);

void agpu__expected_release(agpu__expected *expected);

/// "error", "warning", "note" or "remark".
const char *agpu__severity_name(MlirDiagnosticSeverity severity);

#endif // ASYNC_GPU_LOWER_EXPECTED_DIAGNOSTICS_H
