//===- ranges.h - What runs, for a tool in the process -------------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_RANGES_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_RANGES_H

/// Where a tool for NVTX is in the process (nvtx.h), tells it of all stretches
/// that regions run, and of all waits of threads, from now on. Once, before
/// tasks run.
void agpu__trace_ranges_begin(void);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_RANGES_H
