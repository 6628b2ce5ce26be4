//===- record.c - A device that records -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round, and what a recorder is made of. A recorder is used by one thread at
// a time; its events may be asked for by any.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"
#include "gpu/graph/enqueue.h"
#include "gpu/graph/lane.h"
#include "gpu/graph/notes.h"

static void launch(agpu__recorder *of) {
  agpu__device_enter(of->base);
  agpu__event_settle(of->stream);
  CUresult result =
      agpu__graph_launch(&of->built, &of->list, of->stream->handle);
  if (result) {
    agpu__record_flush(of, "the driver refuses it");
    return;
  }
  atomic_fetch_add_explicit(&of->stream->position, 1, memory_order_release);
  agpu__record_tell_events(of, CUDA_SUCCESS);
}

static void free_memory(agpu__recorder *of) {
  const agpu__driver *driver = of->base->driver;
  for (size_t i = 0; i < of->free_count; ++i) {
    CUresult result = driver->cuMemFreeAsync(of->frees[i], of->stream->handle);
    atomic_fetch_add_explicit(&of->stream->position, 1, memory_order_release);
    if (result && !of->error)
      of->error = agpu__driver_error(driver, result, NULL, "deallocation");
  }
  of->free_count = 0;
}

void agpu__recorder_begin(agpu__recorder *of, agpu__pool_stream *stream) {
  ++of->round;
  of->depth = 0;
  of->stream = stream;
  of->why = NULL;
  of->error = AGPU_OK;
  agpu__record_open(of);
}

agpu_status agpu__recorder_end(agpu__recorder *of, size_t *out_nodes) {
  *out_nodes = of->list.count;
  if (!of->why && of->list.count)
    launch(of);
  agpu__record_tell_events(of, CUDA_SUCCESS);
  free_memory(of);
  agpu__lane *lane;
  LIST_FOREACH (lane, &of->lanes, link)
    if (lane->round == of->round)
      atomic_store_explicit(&lane->real, of->stream, memory_order_relaxed);
  agpu__node_list_clear(&of->list);
  agpu__record_close(of);
  return of->error;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

agpu__recorder *agpu__recorder_create(const agpu__device *base) {
  agpu__recorder *made =
      agpu__memory_alloc(sizeof *made, _Alignof(agpu__recorder), "a graph");
  *made = (agpu__recorder){.base = base, .device = *base};
  agpu__record_fill_driver(&made->driver, base->driver);
  made->device.driver = &made->driver;
  made->device.events = agpu__event_pool_create();
  made->device.streams = agpu__stream_pool_create(base->shared->stream_limit);
  made->ops = *base->event_ops;
  made->ops.request = agpu__record_request;
  made->device.event_ops = &made->ops;
  made->built.driver = base->driver;
  made->built.context = base->context;
  return made;
}

bool agpu__recorder_is_in_use(const agpu__recorder *recorder) {
  return agpu__event_pool_count_lent(recorder->device.events) ||
         agpu__stream_pool_count_lent(recorder->device.streams);
}

void agpu__recorder_abandon(agpu__recorder *of) {
  agpu__graph_drop(&of->built);
  agpu__event_pool_abandon(of->device.events);
}

AGPU__UNCHECKED_LOCKS // it is the only thread
    void agpu__recorder_destroy(agpu__recorder *of) {
  agpu__device_enter(of->base);
  agpu__graph_drop(&of->built);
  agpu__stream_pool_destroy(of->device.streams);
  agpu__event_pool_destroy(of->device.events);
  while (of->layouts) {
    agpu__param_layout *next = of->layouts->next;
    agpu__memory_free(of->layouts);
    of->layouts = next;
  }
  agpu__node_list_free(&of->built.list);
  agpu__node_list_free(&of->list);
  agpu__memory_free(of->scratch);
  agpu__memory_free(of->frees);
  agpu__memory_free(of->notes);
  agpu__memory_free(of->noted);
  agpu__memory_free(of);
}
