//===- emit.c - Events of the file ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One event is one line. Times are microseconds since the trace began, with
// three places behind the point.
//
//===----------------------------------------------------------------------===//

#include "trace/emit.h"

#include <string.h>

static void begin_line(agpu__emitter *self) {
  agpu__trace_put(self->to, self->has_events ? ",\n" : "\n");
  self->has_events = true;
  self->has_args = false;
}

static void put_key(agpu__emitter *self, const char *key) {
  agpu__trace_put(self->to, ",");
  agpu__trace_put_string(self->to, key);
  agpu__trace_put(self->to, ":");
}

static void put_track(agpu__emitter *self, agpu__emit_track track) {
  agpu__trace_put(self->to, ",\"pid\":");
  agpu__trace_put_number(self->to, track.group);
  agpu__trace_put(self->to, ",\"tid\":");
  agpu__trace_put_number(self->to, track.track);
}

static void put_head(agpu__emitter *self, const char *phase,
                     agpu__emit_point at) {
  begin_line(self);
  agpu__trace_put(self->to, "{\"ph\":\"");
  agpu__trace_put(self->to, phase);
  agpu__trace_put(self->to, "\"");
  put_track(self, at.track);
  agpu__trace_put(self->to, ",\"ts\":");
  agpu__trace_put_time(self->to, at.time - self->zero);
}

void agpu__emit_begin(agpu__emitter *self, const char *phase,
                      const char *category, const char *name,
                      agpu__emit_point at, int64_t length) {
  if (self->listener) {
    self->listener->begin(self->listener, phase, category, name, at, length);
    return;
  }
  self->is_slice = phase[0] == 'X';
  self->slices += self->is_slice;
  put_head(self, phase, at);
  if (phase[0] == 'X') {
    agpu__trace_put(self->to, ",\"dur\":");
    agpu__trace_put_time(self->to, length);
  }
  if (phase[0] == 'i')
    agpu__trace_put(self->to, ",\"s\":\"t\"");
  put_key(self, "cat");
  agpu__trace_put_string(self->to, category);
  put_key(self, "name");
  agpu__trace_put_string(self->to, name);
}

static void begin_arg(agpu__emitter *self, const char *key) {
  agpu__trace_put(self->to, self->has_args ? "," : ",\"args\":{");
  self->has_args = true;
  agpu__trace_put_string(self->to, key);
  agpu__trace_put(self->to, ":");
}

void agpu__emit_number(agpu__emitter *self, const char *key, uint64_t value) {
  if (self->listener) {
    self->listener->number(self->listener, key, value);
    return;
  }
  begin_arg(self, key);
  agpu__trace_put_number(self->to, value);
}

void agpu__emit_signed(agpu__emitter *self, const char *key, int64_t value) {
  if (self->listener)
    return;
  begin_arg(self, key);
  agpu__trace_put_signed(self->to, value);
}

void agpu__emit_text(agpu__emitter *self, const char *key, const char *value) {
  if (!value)
    return;
  if (self->listener) {
    self->listener->text(self->listener, key, value);
    return;
  }
  begin_arg(self, key);
  agpu__trace_put_string(self->to, value);
}

void agpu__emit_true(agpu__emitter *self, const char *key) {
  if (self->listener)
    return;
  begin_arg(self, key);
  agpu__trace_put(self->to, "true");
}

void agpu__emit_time(agpu__emitter *self, const char *key, int64_t ns) {
  if (self->listener)
    return;
  begin_arg(self, key);
  agpu__trace_put_time(self->to, ns);
}

void agpu__emit_late(agpu__emitter *self, int64_t ns) {
  if (self->listener)
    self->listener->late(self->listener, ns);
  else
    agpu__emit_time(self, "late", ns);
}

void agpu__emit_end(agpu__emitter *self) {
  if (self->listener)
    return;
  const agpu__trace_array *critical = self->critical;
  if (self->is_slice && critical && self->slices <= critical->count &&
      ((const bool *)critical->data)[self->slices - 1])
    agpu__emit_true(self, "critical");
  agpu__trace_put(self->to, self->has_args ? "}}" : "}");
}

static void put_arrow_end(agpu__emitter *self, const char *phase,
                          const char *kind, agpu__emit_point at) {
  put_head(self, phase, at);
  put_key(self, "cat");
  agpu__trace_put_string(self->to, kind);
  put_key(self, "name");
  agpu__trace_put_string(self->to, kind);
  agpu__trace_put(self->to, ",\"id\":");
  agpu__trace_put_number(self->to, self->arrows);
  // To the slice that is there, not to the next one.
  if (phase[0] == 'f')
    agpu__trace_put(self->to, ",\"bp\":\"e\"");
  agpu__trace_put(self->to, "}");
}

void agpu__emit_arrow(agpu__emitter *self, const char *kind,
                      agpu__emit_point from, agpu__emit_point to) {
  if (self->listener) {
    self->listener->arrow(self->listener, kind, from, to);
    return;
  }
  ++self->arrows;
  put_arrow_end(self, "s", kind, from);
  put_arrow_end(self, "f", kind, to);
}

void agpu__emit_name(agpu__emitter *self, agpu__emit_track track,
                     const char *name, int64_t place) {
  if (self->listener) {
    self->listener->track(self->listener, track, name);
    return;
  }
  bool is_group = track.track == 0;
  for (int i = 0; i < 2; ++i) {
    begin_line(self);
    agpu__trace_put(self->to, "{\"ph\":\"M\"");
    put_track(self, track);
    put_key(self, "name");
    if (i == 0)
      agpu__trace_put_string(self->to,
                             is_group ? "process_name" : "thread_name");
    else
      agpu__trace_put_string(self->to, is_group ? "process_sort_index"
                                                : "thread_sort_index");
    agpu__trace_put(self->to, ",\"args\":{");
    agpu__trace_put_string(self->to, i == 0 ? "name" : "sort_index");
    agpu__trace_put(self->to, ":");
    if (i == 0)
      agpu__trace_put_string(self->to, name);
    else
      agpu__trace_put_signed(self->to, place);
    agpu__trace_put(self->to, "}}");
  }
}

const char *agpu__emit_label(char *label, const agpu_trace_name *name,
                             const agpu__code *code) {
  return agpu__trace_label(label, name, code ? code->symbol : NULL,
                           code ? (const void *)(uintptr_t)code->address
                                : NULL);
}

void agpu__emit_region(agpu__emitter *self, const agpu_trace_name *name) {
  if (name && name->region >= 0)
    agpu__emit_number(self, "region", (uint64_t)name->region);
  if (name && name->stream >= 0)
    agpu__emit_number(self, "stream", (uint64_t)name->stream);
}
