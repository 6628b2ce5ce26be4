//===- lane.c - Orders of recorded work -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane remembers its last node and what else comes before its next one.
// Between two rounds it depends on nothing but its stream: where the next one
// is launched on another, that waits.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"

#include <string.h>

CUresult agpu__lane_order(agpu__pool_stream *stream, agpu__pool_stream *of) {
  // One without a handle was idle when that went.
  if (!of || of == stream || !of->handle)
    return CUDA_SUCCESS;
  const agpu__op_name op = {.what = "graph"};
  agpu__event *event;
  agpu_status status = agpu__event_make(of, 0, &op, &event);
  CUresult result = status ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  if (!status) {
    status = agpu__event_wait(stream, event, NULL);
    result = agpu__event_get_result(event);
    agpu__event_release(event);
  }
  result = status && !result ? CUDA_ERROR_UNKNOWN : result;
  agpu_status_release(status);
  return result;
}

CUresult agpu__lane_join(agpu__lane *lane) {
  agpu__recorder *of = lane->of;
  if (lane->failure || lane->round == of->round)
    return lane->failure;
  lane->round = of->round;
  lane->tail = -1;
  lane->pending_count = 0;
  return agpu__lane_order(
      of->stream, atomic_load_explicit(&lane->real, memory_order_relaxed));
}

void agpu__lane_add_pending(agpu__lane *lane, uint32_t node) {
  if (node == lane->tail)
    return;
  lane->pending = agpu__memory_grow(lane->pending, &lane->pending_capacity,
                                    lane->pending_count + 1,
                                    sizeof *lane->pending, "a graph");
  lane->pending[lane->pending_count++] = node;
}

size_t agpu__lane_get_ends(const agpu__lane *lane, uint32_t *out_nodes) {
  size_t count = lane->pending_count;
  if (count)
    memcpy(out_nodes, lane->pending, count * sizeof *out_nodes);
  if (lane->tail >= 0)
    out_nodes[count++] = (uint32_t)lane->tail;
  return count;
}

void agpu__lane_add(agpu__lane *lane, size_t node) {
  lane->tail = (int64_t)node;
  lane->pending_count = 0;
}

agpu__pool_stream *agpu__lane_get_stream(const agpu__lane *lane) {
  if (agpu__self.gpu.part == lane->of)
    return lane->of->stream;
  return atomic_load_explicit(&lane->real, memory_order_relaxed);
}

agpu__pool_stream *agpu__lane_begin(const agpu__lane *lane) {
  agpu__pool_stream *stream = agpu__lane_get_stream(lane);
  agpu__event_settle(stream);
  return stream;
}

CUresult agpu__lane_end(agpu__pool_stream *stream, CUresult result) {
  // Release: as agpu__loan_enqueued.
  if (!result)
    atomic_fetch_add_explicit(&stream->position, 1, memory_order_release);
  return result;
}

CUresult agpu__record_cuStreamCreate(CUstream *stream, unsigned int flags) {
  (void)flags;
  // Loans get theirs in a round (agpu_graph_stream_acquire).
  agpu__recorder *of = agpu__self.gpu.part;
  if (!of)
    return CUDA_ERROR_INVALID_CONTEXT;
  agpu__lane *lane =
      agpu__memory_alloc(sizeof *lane, _Alignof(agpu__lane), "a stream");
  *lane = (agpu__lane){.of = of, .tail = -1};
  atomic_init(&lane->real, of->stream);
  LIST_INSERT_HEAD(&of->lanes, lane, link);
  *stream = (CUstream)((uintptr_t)lane | 1);
  return CUDA_SUCCESS;
}

CUresult agpu__record_cuStreamDestroy(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}

void agpu__lane_free(agpu__lane *lane) {
  LIST_REMOVE(lane, link);
  agpu__memory_free(lane->pending);
  agpu__memory_free(lane);
}
