//===- body_runs.h - What ran in loops of a device ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conditional node of a launch, and each time that a node of its body ran, or
// of a body in there. A trace shows the first of these alone, as many as an
// event of 16 that a thread keeps; of the others it has the number.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_BODY_RUNS_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_BODY_RUNS_H

#include "gpu/trace/traced.h"

typedef struct agpu__body_runs agpu__body_runs;

/// Of nodes[0] and the nodes inside of it, whose numbers begin with `first`;
/// NULL where it has none inside. All functions: one thread at a time.
agpu__body_runs *agpu__body_runs_create(const agpu__traced_node *nodes,
                                        uint64_t first);
void agpu__body_runs_free(agpu__body_runs *of);

/// How many are inside: their numbers follow that of the node.
size_t agpu__body_runs_inside(const agpu__body_runs *of);

/// The node of that number ran, in the round of the body that it is in.
void agpu__body_runs_add(agpu__body_runs *of, uint64_t work, uint64_t round,
                         int64_t begin, int64_t end);

/// How often the body of the node itself ran, and how many runs a trace leaves
/// out: all, where it does not show any.
void agpu__body_runs_count(const agpu__body_runs *of, bool is_shown,
                           uint64_t *out_rounds, uint64_t *out_left_out);

/// Writes the others on a track (agpu__trace_track).
void agpu__body_runs_write(agpu__body_runs *of, uint32_t track);

/// The third argument of an item's event, of that length.
uint64_t agpu__traced_third(const agpu__stream_item *of, uint64_t length);

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_BODY_RUNS_H
