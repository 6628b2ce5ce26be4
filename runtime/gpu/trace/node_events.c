//===- node_events.c - When nodes of a graph ran, by events ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are those that the driver gives between the launch's first event and
// that of each node. What fails here is counted, and the node goes without.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/node_events.h"

#include "base/memory/memory.h"

#include <string.h>

struct agpu__node_events {
  size_t count;
  uint32_t *dependencies; // of all nodes
  size_t *ends;           // where those of each end
  CUevent events[];       // NULL: it has none
};

bool agpu__node_events_are_wanted(void) {
  const agpu__work_clock *clock =
      agpu__traced.inner && agpu__trace_on() ? agpu__traced_clock() : NULL;
  return clock && clock->take_nodes;
}

agpu__node_events *agpu__node_events_create(size_t count) {
  size_t bytes = sizeof(agpu__node_events) + count * sizeof(CUevent);
  agpu__node_events *of = agpu__memory_alloc(
      (int64_t)bytes, _Alignof(agpu__node_events), "a trace of a graph");
  memset(of, 0, bytes);
  of->count = count;
  return of;
}

CUresult agpu__node_events_add(agpu__node_events *of, size_t node,
                               CUevent *out) {
  CUresult result = agpu__traced.inner->cuEventCreate(&of->events[node], 0);
  if (result)
    of->events[node] = NULL;
  *out = of->events[node];
  return result;
}

void agpu__node_events_describe(agpu__node_events *of,
                                const agpu__traced_node *nodes) {
  size_t total = 0;
  for (size_t i = 0; i < of->count; ++i)
    total += nodes[i].count;
  of->dependencies =
      agpu__memory_alloc((int64_t)((total + 1) * sizeof *of->dependencies),
                         _Alignof(uint32_t), "a trace of a graph");
  of->ends = agpu__memory_alloc((int64_t)(of->count * sizeof *of->ends),
                                _Alignof(size_t), "a trace of a graph");
  total = 0;
  for (size_t i = 0; i < of->count; ++i) {
    for (size_t k = 0; k < nodes[i].count; ++k)
      of->dependencies[total++] = nodes[i].dependencies[k];
    of->ends[i] = total;
  }
}

void agpu__node_events_tell(const agpu__node_events *of, CUevent first,
                            int64_t begin, uint64_t work, agpu__work_ran *ran) {
  int64_t *times = agpu__memory_alloc((int64_t)(of->count * sizeof *times),
                                      _Alignof(int64_t), "a trace of a graph");
  size_t at = 0;
  for (size_t i = 0; i < of->count; ++i) {
    float milliseconds = 0;
    times[i] = begin;
    for (; at < of->ends[i]; ++at)
      if (times[of->dependencies[at]] > times[i])
        times[i] = times[of->dependencies[at]];
    if (!of->events[i])
      continue;
    CUresult result = first ? agpu__traced.inner->cuEventElapsedTime(
                                  &milliseconds, first, of->events[i])
                            : CUDA_SUCCESS;
    if (result)
      agpu__work_clock_lose(1, "the time of a node's event: error %d",
                            (int)result);
    if (!first || result) {
      ran(work + i, 0, 0, 0);
      continue;
    }
    int64_t from = times[i], to = begin + (int64_t)((double)milliseconds * 1e6);
    if (to > from)
      times[i] = to;
    ran(work + i, 0, from, times[i]);
  }
  agpu__memory_free(times);
}

void agpu__node_events_free(agpu__node_events *of) {
  for (size_t i = 0; of && i < of->count; ++i)
    if (of->events[i])
      (void)agpu__traced.inner->cuEventDestroy(of->events[i]);
  if (of) {
    agpu__memory_free(of->dependencies);
    agpu__memory_free(of->ends);
  }
  agpu__memory_free(of);
}
