//===- json_text.h - Values of JSON ----------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_JSON_TEXT_H
#define ASYNC_GPU_TOOLS_TRACE_JSON_TEXT_H

#include "base/trace/output.h"

/// Text as it is.
void agpu__trace_put(agpu__trace_output *to, const char *text);

/// A string of JSON, in quotes. What is not UTF-8 is replaced.
void agpu__trace_put_string(agpu__trace_output *to, const char *text);

void agpu__trace_put_number(agpu__trace_output *to, uint64_t number);
void agpu__trace_put_signed(agpu__trace_output *to, int64_t number);

/// Nanoseconds as microseconds.
void agpu__trace_put_time(agpu__trace_output *to, int64_t ns);

#endif // ASYNC_GPU_TOOLS_TRACE_JSON_TEXT_H
