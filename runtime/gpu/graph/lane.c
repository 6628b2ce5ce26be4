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
// is launched on another, that waits. Where nothing is recorded, that stream
// stands for a lane of another device, too: what this enqueues goes to one of
// its own, between two waits.
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
  if (!status) {
    status = agpu__event_wait(stream, event, NULL);
    agpu__event_release(event);
  }
  return agpu__driver_take_result(status);
}

CUresult agpu__lane_join(agpu__lane *lane) {
  agpu__recorder *of = lane->of;
  if (lane->failure || agpu__self.gpu.part != of || lane->round == of->round)
    return lane->failure;
  lane->round = of->round;
  lane->tail = -1;
  lane->pending_count = 0;
  CUresult result = agpu__lane_order(
      of->stream, atomic_load_explicit(&lane->real, memory_order_relaxed));
  agpu__device_enter_again(lane->side->base);
  return result;
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
  if (agpu__self.gpu.part == lane->of && lane->round == lane->of->round)
    return lane->of->stream;
  return atomic_load_explicit(&lane->real, memory_order_relaxed);
}

CUresult agpu__lane_cross(agpu__pool_stream *stream, const agpu__device *device,
                          agpu__pool_stream **out_stream) {
  CUresult result = CUDA_SUCCESS;
  uint64_t number;
  *out_stream = stream;
  if (stream->device != device) {
    result = agpu__driver_take_result(agpu__stream_pool_acquire(
        device, stream->level->priority, NULL, out_stream, &number));
    if (result)
      return result;
    result = agpu__lane_order(*out_stream, stream);
    if (result)
      agpu__stream_pool_release(*out_stream, NULL);
  }
  if (!result)
    agpu__event_settle(*out_stream);
  agpu__device_enter_again(device);
  return result;
}

CUresult agpu__lane_return(agpu__pool_stream *stream, agpu__pool_stream *from,
                           CUresult result) {
  // Release: as agpu__loan_enqueued.
  if (!result)
    atomic_fetch_add_explicit(&from->position, 1, memory_order_release);
  if (from == stream)
    return result;
  const agpu__op_name last = agpu__driver_get_origin();
  CUresult ordered = agpu__lane_order(stream, from);
  agpu__stream_pool_release(from, &last);
  agpu__device_enter_again(from->device);
  return result ? result : ordered;
}

CUresult agpu__record_cuStreamCreate(CUstream *stream, unsigned int flags) {
  (void)flags;
  // Loans get theirs in a round (agpu_graph_stream_acquire).
  agpu__recorder *of = agpu__self.gpu.part;
  if (!of)
    return CUDA_ERROR_INVALID_CONTEXT;
  agpu__lane *lane =
      agpu__memory_alloc(sizeof *lane, _Alignof(agpu__lane), "a stream");
  *lane = (agpu__lane){.of = of, .side = &of->own, .tail = -1};
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i)
    if (of->sides[i] && of->sides[i]->base->context == agpu__self.gpu.current)
      lane->side = of->sides[i]; // whose context the pool has entered
  atomic_init(&lane->real, of->stream);
  LIST_INSERT_HEAD(&of->lanes, lane, link);
  *stream = agpu__lane_get_handle(lane);
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
