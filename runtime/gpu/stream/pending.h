//===- pending.h - What is to be completed ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The completion thread's entries, per stream in the order of their positions.
// That thread's alone.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_PENDING_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_PENDING_H

#include "base/memory/memory.h"
#include "gpu/stream/completion.h"
#include "gpu/stream/helper.h"

typedef struct agpu__entry {
  struct agpu__entry *next;
  agpu__event *event;  // one reference
  agpu_object *object; // one reference, or NULL:
  agpu__deferred *function;
  void *argument;
  CUresult result; // once it is due
  agpu__job job;   // of a function
  // The helper is done with the function. Release and acquire.
  atomic_bool has_run;
} agpu__entry;

typedef struct agpu__entry_list {
  agpu__entry *first, **last;
} agpu__entry_list;

/// What one stream has pending.
typedef struct agpu__stream_entries {
  struct agpu__stream_entries *next;
  const agpu__pool_stream *stream;
  agpu__entry *objects, *functions; // by position
} agpu__stream_entries;

static inline void agpu__entry_list_init(agpu__entry_list *list) {
  *list = (agpu__entry_list){.last = &list->first};
}

static inline void agpu__entry_append(agpu__entry_list *list,
                                      agpu__entry *added) {
  added->next = NULL;
  *list->last = added;
  list->last = &added->next;
}

/// A program has a few streams.
static inline agpu__stream_entries *
agpu__pending_get(agpu__stream_entries **streams,
                  const agpu__pool_stream *stream) {
  agpu__stream_entries *found = *streams;
  while (found && found->stream != stream)
    found = found->next;
  if (!found) {
    found = agpu__memory_alloc(sizeof *found, _Alignof(agpu__stream_entries),
                               "a stream's completions");
    *found = (agpu__stream_entries){.next = *streams, .stream = stream};
    *streams = found;
  }
  return found;
}

/// Puts an entry among those of its event's stream: nearly always the last.
static inline void agpu__pending_add(agpu__stream_entries **streams,
                                     agpu__entry *added) {
  agpu__stream_entries *of = agpu__pending_get(streams, added->event->stream);
  agpu__entry **link = added->object ? &of->objects : &of->functions;
  while (*link && (*link)->event->position <= added->event->position)
    link = &(*link)->next;
  added->next = *link;
  *link = added;
}

/// Forgets all streams, which have nothing pending.
static inline void agpu__pending_free(agpu__stream_entries **streams) {
  while (*streams) {
    agpu__stream_entries *next = (*streams)->next;
    agpu__memory_free(*streams);
    *streams = next;
  }
}

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_PENDING_H
