//===- run_trace.h - Traces of a run ---------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_RUN_TRACE_H
#define ASYNC_GPU_TOOLS_RUN_TRACE_H

#include <stdbool.h>

/// Has the run's trace written to `trace` and its profile to `profile`, as
/// --trace and --profile name them, however the process ends; NULL: not that.
/// Once. False after a message.
bool agpu__run_trace_begin(const char *trace, const char *profile);

#endif // ASYNC_GPU_TOOLS_RUN_TRACE_H
