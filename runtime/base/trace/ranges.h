//===- ranges.h - What runs, for NVIDIA's tools -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs on the host, as ranges of the domain "async-gpu" of NVTX: a tool
// that has put itself into the process, as Nsight Systems does, shows them
// beside what it sees itself. Where no tool has, there is nothing to call.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_RANGES_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/// What ranges are of: shown by name.
typedef enum agpu__nvtx_category {
  AGPU__NVTX_REGION = 1,
  AGPU__NVTX_WAIT,
} agpu__nvtx_category;

/// Loads the tool that NVTX_INJECTION64_PATH names and lets it say what it
/// wants to be told. False where there is none, or it wants none of this: then
/// nothing below may be called. Once, before other threads call.
bool agpu__nvtx_start(void);

/// Begins a range on the calling thread, inside those that it has begun and not
/// ended. `name` is copied by the tool; `payload` is a number that it shows.
void agpu__nvtx_push(agpu__nvtx_category category, const char *name,
                     uint64_t payload);

/// Ends the innermost range of the calling thread.
void agpu__nvtx_pop(void);

/// Names the calling thread.
void agpu__nvtx_name_thread(const char *name);

//===----------------------------------------------------------------------===//
// What runs, for a tool in the process
//===----------------------------------------------------------------------===//

/// Where a tool for NVTX is in the process, tells it of all stretches
/// that regions run, and of all waits of threads, from now on. Once, before
/// tasks run.
void agpu__trace_ranges_begin(void);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_RANGES_H
