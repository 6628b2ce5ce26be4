//===- dump.c - Writing what was recorded ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the rings once. In front of a chunk of events stand the texts
// that it refers to, unless they do already: a table of a fixed size remembers
// that, and where it is full, a text may stand there twice.
//
//===----------------------------------------------------------------------===//

#include "base/trace/session.h"

#include "async_gpu/compiled/trace.h"
#include "base/trace/arena.h"
#include "base/trace/dump_format.h"
#include "base/trace/names.h"
#include "base/trace/output.h"
#include "base/trace/ring.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  SEEN = 1 << 15, ///< addresses that are remembered
  PROBES = 8,
};

/// Too much for the stack of a signal handler.
typedef struct dumper {
  bool may_ask_loader;
  uint64_t seen[SEEN];
  agpu__trace_output to;
} dumper;

/// A part of a record.
typedef struct part {
  const void *data;
  size_t bytes;
} part;

static part text_part(const char *text) {
  return (part){text, strlen(text) + 1};
}

static void put_record(dumper *self, agpu__dump_kind kind, uint32_t number,
                       part first, part second) {
  static const char zeros[8];
  size_t bytes = first.bytes + second.bytes;
  agpu__dump_record head = {.kind = kind, .number = number, .bytes = bytes};
  agpu__trace_put_bytes(&self->to, &head, sizeof head);
  agpu__trace_put_bytes(&self->to, first.data, first.bytes);
  agpu__trace_put_bytes(&self->to, second.data, second.bytes);
  agpu__trace_put_bytes(&self->to, zeros, -bytes % 8);
}

/// Whether nothing has been written about what is at this address.
static bool is_new(dumper *self, const void *address) {
  uint64_t key = (uintptr_t)address;
  size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
  if (!key)
    return false;
  for (size_t i = 0; i < PROBES; ++i) {
    uint64_t *slot = &self->seen[(at + i) % SEEN];
    if (*slot == key)
      return false;
    if (!*slot || i + 1 == PROBES) {
      *slot = key;
      break;
    }
  }
  return true;
}

static void put_text(dumper *self, const char *text) {
  uint64_t address = (uintptr_t)text;
  if (is_new(self, text))
    put_record(self, AGPU__DUMP_TEXT, 0, (part){&address, sizeof address},
               text_part(text));
}

static void put_name(dumper *self, const agpu_trace_name *name) {
  if (!is_new(self, name))
    return;
  put_text(self, name->name);
  put_text(self, name->file);
  agpu__dump_name of = {.address = (uintptr_t)name,
                        .name = (uintptr_t)name->name,
                        .file = (uintptr_t)name->file,
                        .line = name->line,
                        .column = name->column,
                        .region = name->region,
                        .stream = name->stream};
  put_record(self, AGPU__DUMP_NAME, 0, (part){&of, sizeof of}, (part){0});
}

static void put_code(dumper *self, const void *code) {
  if (!is_new(self, code))
    return;
  const agpu_trace_name *name = agpu__trace_name_of(code);
  put_name(self, name);
  Dl_info about;
  bool is_known =
      !name && self->may_ask_loader && dladdr(code, &about) && about.dli_sname;
  agpu__dump_code of = {.address = (uintptr_t)code, .name = (uintptr_t)name};
  put_record(self, AGPU__DUMP_CODE, 0, (part){&of, sizeof of},
             text_part(is_known ? about.dli_sname : ""));
}

static void put_texts_of(dumper *self, const agpu__trace_event *event) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  if (row->shape != AGPU__TRACE_SHAPE_TASK)
    put_text(self, event->name);
  else if (event->flags & AGPU__TRACE_SETTLED)
    put_name(self, event->name);
  else
    put_code(self, event->name);
  for (int i = 0; i < 3; ++i) {
    const void *at = (const void *)(uintptr_t)event->args[i];
    if (row->args[i].format == AGPU__TRACE_FORMAT_NAME)
      put_name(self, at);
    else if (row->args[i].format == AGPU__TRACE_FORMAT_PLACE)
      put_text(self, at);
  }
}

static void put_ring(dumper *self, const agpu__trace_ring *ring) {
  put_record(self, AGPU__DUMP_THREAD, (uint32_t)ring->thread_id,
             (part){&ring->dropped, sizeof ring->dropped},
             text_part(ring->name));
  for (const agpu__trace_chunk *chunk = ring->oldest; chunk;
       chunk = chunk->newer) {
    size_t count = agpu__trace_chunk_count(ring, chunk);
    for (size_t i = 0; i < count; ++i)
      put_texts_of(self, &chunk->events[i]);
    put_record(self, AGPU__DUMP_EVENTS, 0,
               (part){chunk->events, count * sizeof *chunk->events}, (part){0});
  }
}

static void put_header(dumper *self) {
  agpu__dump_header header = {.order = AGPU__DUMP_ORDER,
                              .version = AGPU__DUMP_VERSION,
                              .event_bytes = sizeof(agpu__trace_event),
                              .process = (uint32_t)getpid()};
  memcpy(header.magic, AGPU__DUMP_MAGIC, sizeof header.magic);
  agpu__trace_put_bytes(&self->to, &header, sizeof header);
}

static void put_end(dumper *self, const char *ended) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  agpu__dump_end end = {.dropped = agpu__trace_dropped_rings(),
                        .unix_seconds = now.tv_sec};
  put_record(self, AGPU__DUMP_END, 0, (part){&end, sizeof end},
             text_part(ended));
}

int agpu__trace_dump(const char *path, const char *ended,
                     const agpu__trace_note_node *notes, bool in_signal) {
  dumper *self = agpu__trace_map(sizeof *self);
  if (!self)
    return ENOMEM;
  self->may_ask_loader = !in_signal;
  agpu__trace_output_open(&self->to, path, -1);
  put_header(self);
  for (const agpu__trace_track_node *track = agpu__trace_tracks(); track;
       track = track->next)
    put_record(self, AGPU__DUMP_TRACK, track->id, text_part(track->group),
               text_part(track->name));
  for (const agpu__trace_ring *ring = agpu__trace_rings(); ring;
       ring = ring->next_ring)
    put_ring(self, ring);
  for (const agpu__trace_note_node *note = notes; note; note = note->next) {
    const char *text = atomic_load(&note->text);
    if (note->key && text) // else memory was out
      put_record(self, AGPU__DUMP_NOTE, 0, text_part(note->key),
                 text_part(text));
  }
  put_end(self, ended);
  int error = agpu__trace_output_close(&self->to);
  agpu__trace_unmap(self, sizeof *self);
  return error;
}
