//===- pending.c - What is to be completed --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists: a program has a few streams, and what comes is nearly always the last
// of its stream.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/pending.h"

#include "base/memory/memory.h"

static agpu__stream_entries *get_entries(agpu__stream_entries **streams,
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

void agpu__pending_add(agpu__stream_entries **streams, agpu__entry *added) {
  agpu__stream_entries *of = get_entries(streams, added->event->stream);
  agpu__entry **link = added->object ? &of->objects : &of->functions;
  while (*link && (*link)->event->position <= added->event->position)
    link = &(*link)->next;
  added->next = *link;
  *link = added;
}

void agpu__pending_free(agpu__stream_entries **streams) {
  while (*streams) {
    agpu__stream_entries *next = (*streams)->next;
    agpu__memory_free(*streams);
    *streams = next;
  }
}
