//===- build.h - The graph of a run -------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_BUILD_H
#define ASYNC_GPU_TOOLS_TRACE_BUILD_H

#include "trace/graph.h"
#include "trace/timeline.h"

/// Adds to `graph`, an empty one, what happened in `run`. Labels of activities
/// are labels of the run, to which those of threads are added. For each
/// activity, `slices` (uint32_t) gets the slice that it is a piece of, or
/// AGPU__GRAPH_NONE. Slices of the run are sorted by tracks and times
/// afterwards. False where memory is out. Signal-safe.
bool agpu__graph_build(agpu__graph *graph, agpu__timeline *run,
                       agpu__trace_array *slices);

#endif // ASYNC_GPU_TOOLS_TRACE_BUILD_H
