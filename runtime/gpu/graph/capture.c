//===- capture.c - Calls of the program's in rounds -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Captures are kept by the arguments' values, so that calls whose arguments go
// by turns are captured once each.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"

/// Captures that may be left of calls that no round has made since.
#define MOST_CAPTURES 64

agpu__capture *agpu__capture_find(const agpu__recorder *of,
                                  const agpu__device *device,
                                  const agpu_graph_call *call) {
  agpu__capture *at;
  SLIST_FOREACH (at, &of->captures, link)
    if (at->call.function == call->function && at->call.mode == call->mode &&
        at->device == device && at->call.bytes == call->bytes &&
        !memcmp(at->arguments, call->arguments, (size_t)call->bytes))
      break;
  return at;
}

/// Frees all, or those that no node has.
static void free_captures(agpu__recorder *of, bool all) {
  agpu__capture *at, *next;
  SLIST_FOREACH (at, &of->captures, link)
    at->is_kept = false;
  for (size_t i = 0; !all && i < of->list.count; ++i)
    if (of->list.nodes[i].kind == AGPU__NODE_CALL)
      of->list.nodes[i].capture->is_kept = true;
  for (at = SLIST_FIRST(&of->captures); at; at = next) {
    next = SLIST_NEXT(at, link);
    if (at->is_kept)
      continue;
    if (at->exec)
      (void)of->base->driver->cuGraphExecDestroy(at->exec);
    (void)of->base->driver->cuGraphDestroy(at->graph);
    SLIST_REMOVE(&of->captures, at, agpu__capture, link);
    agpu__memory_free(at);
    --of->capture_count;
  }
}

agpu__capture *agpu__capture_add(agpu__recorder *of, const agpu__device *device,
                                 const agpu_graph_call *call, CUgraph graph) {
  if (of->capture_count >= MOST_CAPTURES)
    free_captures(of, false);
  agpu__capture *made = agpu__memory_alloc((int64_t)sizeof *made + call->bytes,
                                           _Alignof(agpu__capture), "a graph");
  *made = (agpu__capture){.call = *call, .device = device, .graph = graph};
  if (call->bytes)
    memcpy(made->arguments, call->arguments, (size_t)call->bytes);
  SLIST_INSERT_HEAD(&of->captures, made, link);
  ++of->capture_count;
  ++of->captured;
  return made;
}

void agpu__captures_end(agpu__recorder *of, bool abandons) {
  free_captures(of, true);
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i) {
    const agpu__side *side = of->sides[i];
    if (!side || !side->capturing)
      continue;
    agpu__device_enter(side->base);
    if (abandons) {
      agpu__stream_pool_abandon(side->capturing->streams);
      agpu__event_pool_abandon(side->capturing->events);
    } else {
      agpu__stream_pool_destroy(side->capturing->streams);
      agpu__event_pool_destroy(side->capturing->events);
      agpu__memory_free(side->capturing);
    }
  }
}
