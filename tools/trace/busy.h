//===- busy.h - How many streams are busy -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A counter of each device, out of the slices of its streams. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_BUSY_H
#define ASYNC_GPU_TOOLS_TRACE_BUSY_H

#include "trace/array.h"
#include "trace/emit.h"

/// All zero at first.
typedef struct agpu__busy {
  agpu__trace_array running; ///< work that is not over
  bool is_incomplete;        ///< memory was out
} agpu__busy;

/// Work of a device, whose tracks are the group, runs from `begin` to `end`.
/// Later calls have later begins.
void agpu__busy_add(agpu__busy *self, agpu__emitter *emitter, uint32_t group,
                    int64_t begin, int64_t end);

/// All is over.
void agpu__busy_finish(agpu__busy *self, agpu__emitter *emitter);

#endif // ASYNC_GPU_TOOLS_TRACE_BUSY_H
