//===- lane.h - Orders of recorded work ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a recording device has for streams. The handle of a lane is told from
// real ones by its lowest bit. A lane that is used outside of its round, or by
// another thread, is the stream that it was last launched on.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_LANE_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_LANE_H

#include "base/os/self.h"
#include "gpu/graph/record.h"

struct agpu__lane {
  LIST_ENTRY(agpu__lane) link;
  agpu__recorder *of;
  uint64_t round;    ///< that it is part of
  int64_t tail;      ///< its last node in that; -1: none
  uint32_t *pending; ///< other nodes that the next one depends on
  size_t pending_count, pending_capacity;
  _Atomic(agpu__pool_stream *) real; ///< NULL: none yet
};

static inline bool agpu__is_lane(CUstream handle) {
  return (uintptr_t)handle & 1;
}
static inline agpu__lane *agpu__lane_from(CUstream handle) {
  return (agpu__lane *)((uintptr_t)handle & ~(uintptr_t)1);
}

/// True for the thread of a round that records: work is collected.
static inline bool agpu__lane_records(const agpu__lane *lane) {
  return agpu__self.gpu.part == lane->of && !lane->of->why;
}

/// The lane is part of its thread's round from now on, after what it held.
CUresult agpu__lane_join(agpu__lane *lane);

/// Work that `of` holds comes before what follows on `stream`.
CUresult agpu__lane_order(agpu__pool_stream *stream, agpu__pool_stream *of);

/// Its next node depends on that one, too.
void agpu__lane_add_pending(agpu__lane *lane, uint32_t node);

/// Writes the nodes that its end depends on; returns how many.
size_t agpu__lane_get_ends(const agpu__lane *lane, uint32_t *out_nodes);

/// `node` is its last now.
void agpu__lane_add(agpu__lane *lane, size_t node);

/// The stream that stands for it where nothing is recorded. Never NULL.
agpu__pool_stream *agpu__lane_get_stream(const agpu__lane *lane);

/// Around a call that enqueues on that stream, which it returns; hands the
/// call's result on.
agpu__pool_stream *agpu__lane_begin(const agpu__lane *lane);
CUresult agpu__lane_end(agpu__pool_stream *stream, CUresult result);

/// Of who ends the recorder. A lane stays where its stream is destroyed: others
/// may still hold it.
void agpu__lane_free(agpu__lane *lane);

/// cuStreamCreate and cuStreamDestroy of the recording driver.
CUresult agpu__record_cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult agpu__record_cuStreamDestroy(CUstream stream);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_LANE_H
