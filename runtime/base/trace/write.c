//===- write.c - Writing a trace ------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events of all threads are put in the order of their times and gone
// through once. Those of tasks go to tasks.c; the others are written as the
// table of kinds says, arrows between them included.
//
//===----------------------------------------------------------------------===//

#include "base/trace/write.h"

#include "base/trace/busy.h"
#include "base/trace/emit.h"
#include "base/trace/ring.h"
#include "base/trace/tasks.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// An event of a thread.
typedef struct item {
  const agpu__trace_event *event;
  size_t thread;
} item;

typedef struct writer {
  agpu__trace_output *to;
  agpu__emitter emitter;
  agpu__tasks tasks;
  agpu__busy busy;
  item *items, *other; ///< sorted, and room to sort in
  size_t item_count;
  uint64_t dropped;
  agpu__trace_table flows; ///< to a point
  agpu__trace_array points;
  agpu__trace_array tracks; ///< agpu__emit_track, by number; [0] unused
  int error;
} writer;

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

static size_t count_events(const agpu__trace_ring *ring) {
  size_t count = 0;
  for (const agpu__trace_chunk *chunk = ring->oldest; chunk;
       chunk = chunk->newer)
    count += agpu__trace_chunk_count(ring, chunk);
  return count;
}

/// Stable, so that events of one thread at one time stay as they were.
static void sort(writer *self) {
  size_t count = self->item_count;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = low + width < count ? low + width : count;
      size_t high = low + 2 * width < count ? low + 2 * width : count;
      size_t left = low, right = middle;
      for (size_t at = low; at < high; ++at)
        self->other[at] = left < middle && (right == high ||
                                            self->items[left].event->time <=
                                                self->items[right].event->time)
                              ? self->items[left++]
                              : self->items[right++];
    }
    item *sorted = self->other;
    self->other = self->items;
    self->items = sorted;
  }
}

static bool gather(writer *self) {
  agpu__trace_ring *rings = agpu__trace_rings();
  size_t threads = 0, count = 0;
  for (const agpu__trace_ring *ring = rings; ring; ring = ring->next_ring) {
    ++threads;
    count += count_events(ring);
  }
  agpu__tasks_thread *all =
      agpu__trace_map((threads + 1) * sizeof(agpu__tasks_thread));
  self->items = agpu__trace_map((count + 1) * sizeof(item));
  self->other = agpu__trace_map((count + 1) * sizeof(item));
  self->tasks.threads = all;
  self->tasks.thread_count = all ? threads : 0;
  if (!all || !self->items || !self->other)
    return false;
  size_t thread = threads; // the oldest ring comes first
  self->dropped = agpu__trace_dropped_rings();
  for (const agpu__trace_ring *ring = rings; ring; ring = ring->next_ring) {
    --thread;
    all[thread].ring = ring;
    all[thread].track =
        (agpu__emit_track){AGPU__EMIT_HOST, (uint32_t)ring->thread_id};
    self->dropped += ring->dropped;
    for (const agpu__trace_chunk *chunk = ring->oldest; chunk;
         chunk = chunk->newer) {
      size_t in_chunk = agpu__trace_chunk_count(ring, chunk);
      for (size_t i = 0; i < in_chunk; ++i) {
        const agpu__trace_event *event = &chunk->events[i];
        self->items[self->item_count++] = (item){event, thread};
        if (event->track)
          continue;
        bool is_slice =
            agpu__trace_kinds[event->kind].shape == AGPU__TRACE_SHAPE_SLICE;
        int64_t end = event->time + (is_slice ? (int64_t)event->args[0] : 0);
        if (!all[thread].first || event->time < all[thread].first)
          all[thread].first = event->time;
        if (end > all[thread].last)
          all[thread].last = end;
      }
    }
  }
  sort(self);
  return true;
}

/// A second thread with the same number, since the first had ended, gets one of
/// its own.
static void number_threads(writer *self) {
  for (size_t i = 0; i < self->tasks.thread_count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (self->tasks.threads[i].track.track ==
          self->tasks.threads[j].track.track) {
        self->tasks.threads[i].track.track += UINT32_C(1) << 23;
        j = (size_t)-1;
      }
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

static void name_threads(writer *self) {
  agpu__emit_name(&self->emitter, (agpu__emit_track){AGPU__EMIT_HOST, 0},
                  "host", -1);
  for (size_t i = 0; i < self->tasks.thread_count; ++i) {
    const agpu__trace_ring *ring = self->tasks.threads[i].ring;
    if (!self->tasks.threads[i].last) // it has told of other tracks alone
      continue;
    bool is_main = ring->thread_id == (int)getpid();
    bool is_own = strncmp(ring->name, "agpu-", 5) == 0;
    agpu__emit_name(&self->emitter, self->tasks.threads[i].track,
                    is_main ? "main thread" : ring->name,
                    is_main  ? -2
                    : is_own ? (int64_t)i
                             : -1);
  }
}

/// Groups are numbered in the order in which their first tracks were made.
static bool name_tracks(writer *self) {
  const agpu__trace_track_node *nodes = agpu__trace_tracks();
  uint32_t count = nodes ? nodes->id : 0, groups = AGPU__EMIT_HOST;
  if (!agpu__trace_array_reserve(&self->tracks, sizeof(agpu__emit_track),
                                 count + 1u))
    return false;
  agpu__emit_track *tracks = self->tracks.data;
  for (uint32_t id = 1; id <= count; ++id) {
    const agpu__trace_track_node *node = nodes;
    while (node->id != id)
      node = node->next;
    for (const agpu__trace_track_node *other = nodes; other;
         other = other->next)
      if (other->id < id && strcmp(other->group, node->group) == 0)
        tracks[id].group = tracks[other->id].group;
    if (!tracks[id].group) {
      tracks[id].group = ++groups;
      agpu__emit_name(&self->emitter, (agpu__emit_track){groups, 0},
                      node->group, groups);
    }
    tracks[id].track = id;
    agpu__emit_name(&self->emitter, tracks[id], node->name, id);
  }
  self->tracks.count = count + 1u;
  return true;
}

//===----------------------------------------------------------------------===//
// Events that are no tasks
//===----------------------------------------------------------------------===//

static void put_arg(agpu__emitter *emitter, const char *key,
                    agpu__trace_format format, uint64_t value) {
  switch (format) {
  case AGPU__TRACE_FORMAT_NO: return;
  case AGPU__TRACE_FORMAT_COUNT: agpu__emit_number(emitter, key, value); return;
  case AGPU__TRACE_FORMAT_SIGNED:
    agpu__emit_signed(emitter, key, (int64_t)value);
    return;
  case AGPU__TRACE_FORMAT_HEX: agpu__emit_hex(emitter, key, value); return;
  case AGPU__TRACE_FORMAT_NS:
    agpu__emit_time(emitter, key, (int64_t)value);
    return;
  case AGPU__TRACE_FORMAT_TEXT:
  case AGPU__TRACE_FORMAT_PLACE:
    agpu__emit_text(emitter, key, (const char *)(uintptr_t)value);
    return;
  case AGPU__TRACE_FORMAT_NAME: return; // of tasks, which are not written here
  case AGPU__TRACE_FORMAT_GRID:
    agpu__emit_number(emitter, "grid_x", value >> 32);
    agpu__emit_number(emitter, "grid_y", (value >> 16) & 0xffff);
    agpu__emit_number(emitter, "grid_z", value & 0xffff);
    return;
  case AGPU__TRACE_FORMAT_BLOCK:
    agpu__emit_number(emitter, "block_x", (value >> 53) & 0x7ff);
    agpu__emit_number(emitter, "block_y", (value >> 42) & 0x7ff);
    agpu__emit_number(emitter, "block_z", (value >> 35) & 0x7f);
    if ((value >> 25) & 0x3ff)
      agpu__emit_number(emitter, "registers", (value >> 25) & 0x3ff);
    agpu__emit_number(emitter, "shared_bytes", value & 0x1ffffff);
    return;
  }
}

static void put_args(agpu__emitter *emitter, const agpu__trace_event *event,
                     unsigned first) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  if (event->id)
    agpu__emit_number(emitter, "id", event->id);
  for (unsigned i = first; i < 3; ++i)
    put_arg(emitter, row->args[i].key, row->args[i].format, event->args[i]);
}

static void follow_flow(writer *self, const agpu__trace_event *event,
                        agpu__emit_point at) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  if (row->flow == AGPU__TRACE_FLOW_NONE || !event->flow)
    return;
  if (row->flow == AGPU__TRACE_FLOW_IN) {
    const uint64_t *index = agpu__trace_table_find(&self->flows, event->flow);
    if (index)
      agpu__emit_arrow(&self->emitter, row->category,
                       ((agpu__emit_point *)self->points.data)[*index], at);
    return;
  }
  uint64_t *index = agpu__trace_table_add(&self->flows, event->flow);
  if (!index || (self->points.count == 0 &&
                 !agpu__trace_array_add(&self->points, sizeof(at)))) {
    self->tasks.is_incomplete = true;
    return;
  }
  if (!*index && agpu__trace_array_add(&self->points, sizeof(at)))
    *index = self->points.count - 1;
  if (*index)
    ((agpu__emit_point *)self->points.data)[*index] = at;
}

static bool is_work(uint16_t kind) {
  return kind == AGPU__TRACE_KERNEL || kind == AGPU__TRACE_COPY ||
         kind == AGPU__TRACE_FILL;
}

static void write_event(writer *self, size_t thread,
                        const agpu__trace_event *event) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  agpu__emitter *emitter = &self->emitter;
  agpu__emit_point at = {.time = event->time};
  if (event->track && event->track < self->tracks.count)
    at.track = ((agpu__emit_track *)self->tracks.data)[event->track];
  else if (row->flow != AGPU__TRACE_FLOW_NONE &&
           row->shape != AGPU__TRACE_SHAPE_SLICE)
    at = agpu__tasks_point(&self->tasks, thread, event->time);
  else
    at.track = self->tasks.threads[thread].track;
  const char *name = event->name ? event->name : row->shown;
  switch (row->shape) {
  case AGPU__TRACE_SHAPE_SLICE:
    agpu__emit_begin(emitter, "X", row->category, name, at,
                     (int64_t)event->args[0]);
    put_args(emitter, event, 1);
    break;
  case AGPU__TRACE_SHAPE_INSTANT:
    agpu__emit_begin(emitter, "i", row->category, name, at, 0);
    put_args(emitter, event, 0);
    break;
  case AGPU__TRACE_SHAPE_COUNTER:
    agpu__emit_begin(
        emitter, "C", row->category, name,
        (agpu__emit_point){{event->track ? at.track.group : AGPU__EMIT_HOST, 0},
                           event->time},
        0);
    agpu__emit_signed(emitter, "value", (int64_t)event->args[0]);
    break;
  default: return;
  }
  agpu__emit_end(emitter);
  follow_flow(self, event, at);
  if (is_work(event->kind))
    agpu__busy_add(&self->busy, emitter, at.track.group, event->time,
                   event->time + (int64_t)event->args[0]);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void write_events(writer *self) {
  for (size_t i = 0; i < self->item_count; ++i) {
    const agpu__trace_event *event = self->items[i].event;
    switch (agpu__trace_kinds[event->kind].shape) {
    case AGPU__TRACE_SHAPE_TASK:
      agpu__tasks_follow(&self->tasks, self->items[i].thread, event);
      break;
    default: write_event(self, self->items[i].thread, event); break;
    }
  }
  agpu__busy_finish(&self->busy, &self->emitter);
  agpu__tasks_finish(&self->tasks);
  // A slice behind all others, for arrows that begin in the program's own code.
  for (size_t i = 0; i < self->tasks.thread_count; ++i) {
    const agpu__tasks_thread *thread = &self->tasks.threads[i];
    if (!thread->needs_cover)
      continue;
    agpu__emit_begin(&self->emitter, "X", "program", "program",
                     (agpu__emit_point){thread->track, thread->first},
                     thread->last - thread->first + 1);
    agpu__emit_end(&self->emitter);
  }
}

static void write_notes(writer *self, const char *ended,
                        const agpu__trace_note_node *notes) {
  agpu__trace_output *to = self->to;
  agpu__trace_put(to, "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{"
                      "\n\"format\":\"async-gpu trace\",\n\"version\":1,"
                      "\n\"process\":");
  agpu__trace_put_number(to, (uint64_t)getpid());
  agpu__trace_put(to, ",\n\"ended\":");
  agpu__trace_put_string(to, ended);
  agpu__trace_put(to, ",\n\"clock\":\"CLOCK_MONOTONIC\",\n\"zero_ns\":");
  agpu__trace_put_signed(to, self->emitter.zero);
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) == 0) {
    agpu__trace_put(to, ",\n\"written_at_unix_seconds\":");
    agpu__trace_put_signed(to, now.tv_sec);
  }
  agpu__trace_put(to, ",\n\"events\":");
  agpu__trace_put_number(to, self->item_count);
  agpu__trace_put(to, ",\n\"dropped\":");
  agpu__trace_put_number(to, self->dropped);
  if (self->tasks.is_incomplete)
    agpu__trace_put(to, ",\n\"incomplete\":\"memory was out\"");
  agpu__trace_put(to, ",\n\"waiting\":[");
  agpu__tasks_emit_waiting(&self->tasks);
  agpu__trace_put(to, "]");
  for (const agpu__trace_note_node *note = notes; note; note = note->next) {
    const char *text = atomic_load(&note->text);
    if (!note->key || !text) // memory was out
      continue;
    agpu__trace_put(to, ",\n");
    agpu__trace_put_string(to, note->key);
    agpu__trace_put(to, ":");
    agpu__trace_put_string(to, text);
  }
  agpu__trace_put(to, "}\n}\n");
}

/// All events, in the order of their times.
static bool write_all(writer *self) {
  if (!gather(self))
    return false;
  if (self->item_count) {
    self->emitter.zero = self->items[0].event->time;
    int64_t last = self->items[self->item_count - 1].event->time;
    // Some thousands of points show all that a screen can.
    self->tasks.sample_every = (last - self->emitter.zero) / 4000;
  }
  number_threads(self);
  name_threads(self);
  if (!name_tracks(self))
    self->tasks.is_incomplete = true;
  write_events(self);
  return true;
}

static void release(writer *self, size_t capacity) {
  agpu__tasks_free(&self->tasks);
  agpu__trace_unmap(self->tasks.threads, (self->tasks.thread_count + 1) *
                                             sizeof *self->tasks.threads);
  agpu__trace_unmap(self->items, (capacity + 1) * sizeof(item));
  agpu__trace_unmap(self->other, (capacity + 1) * sizeof(item));
  agpu__trace_table_free(&self->flows);
  agpu__trace_array_free(&self->points, sizeof(agpu__emit_point));
  agpu__trace_array_free(&self->tracks, sizeof(agpu__emit_track));
}

bool agpu__trace_tell(agpu__emit_listener *listener, bool in_signal,
                      uint64_t *out_dropped) {
  writer self = {
      .emitter = {.listener = listener, .may_ask_loader = !in_signal}};
  self.tasks.emitter = &self.emitter;
  bool told = write_all(&self) && !self.tasks.is_incomplete;
  *out_dropped = self.dropped;
  release(&self, self.item_count);
  return told;
}

int agpu__trace_write(const char *path, const char *ended,
                      const agpu__trace_note_node *notes,
                      const agpu__trace_array *critical, bool in_signal) {
  // Too much for the stack of a signal handler.
  struct {
    writer writer;
    agpu__trace_output output;
  } *all = agpu__trace_map(sizeof(*all));
  if (!all)
    return ENOMEM;
  writer *self = &all->writer;
  self->to = &all->output;
  self->emitter.to = self->to;
  self->emitter.critical = critical;
  self->emitter.may_ask_loader = !in_signal;
  self->tasks.emitter = &self->emitter;
  agpu__trace_output_open(self->to, path);
  agpu__trace_put(self->to, "{\"traceEvents\":[");
  if (write_all(self))
    write_notes(self, ended, notes);
  else
    self->to->error = ENOMEM;
  return agpu__trace_output_close(self->to); // the process ends: so no frees
}
