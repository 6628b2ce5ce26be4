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

#include "trace/write.h"

#include "trace/busy.h"
#include "trace/emit.h"
#include "trace/events.h"
#include "trace/regions.h"
#include "trace/requests.h"
#include "trace/tasks.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/// A track of the dump.
typedef struct emitted_track {
  agpu__emit_track at;
  const agpu_trace_name *region; ///< of a stream: that of its latest work
} emitted_track;

typedef struct writer {
  const agpu__dump *dump;
  agpu__trace_output *to;
  agpu__emitter *emitter;
  const agpu__ranks *ranks;
  const agpu__rank *rank;
  char prefix[32]; ///< of names of groups
  agpu__request_tracks *requests;
  agpu__tasks tasks;
  agpu__busy busy;
  agpu__events events;
  agpu__trace_table flows;   ///< to an origin
  agpu__trace_array origins; ///< of arrows; [0] unused
  bool has_marks;            ///< regions that run in place tell when they do
  agpu__trace_array tracks;  ///< emitted_track, by number; [0] unused
} writer;

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

/// Gathers the events, and when each thread begins and ends.
static bool gather(writer *self) {
  const agpu__dump *dump = self->dump;
  size_t threads = dump->threads.count;
  agpu__tasks_thread *all =
      agpu__trace_map((threads + 1) * sizeof(agpu__tasks_thread));
  self->tasks.threads = all;
  self->tasks.thread_count = all ? threads : 0;
  if (!all || !agpu__events_gather(&self->events, dump))
    return false;
  for (size_t i = 0; i < threads; ++i)
    all[i].track = (agpu__emit_track){
        self->tasks.host, ((agpu__dump_thread *)dump->threads.data)[i].number};
  for (size_t i = 0; i < self->events.count; ++i) {
    const agpu__trace_event *event = self->events.data[i].event;
    agpu__tasks_thread *thread = &all[self->events.data[i].thread];
    self->has_marks |=
        event->kind == AGPU__TRACE_IN_PLACE || event->kind == AGPU__TRACE_NODES;
    if (event->track)
      continue;
    bool is_slice =
        agpu__trace_kinds[event->kind].shape == AGPU__TRACE_SHAPE_SLICE;
    int64_t end = event->time + (is_slice ? (int64_t)event->args[0] : 0);
    if (!thread->first || event->time < thread->first)
      thread->first = event->time;
    if (end > thread->last)
      thread->last = end;
  }
  return true;
}

/// A second thread with the same number, since the first had ended, gets one of
/// its own.
static void number_threads(writer *self) {
  agpu__trace_table next = {.count = 0}; // by number: of the next one with it
  for (size_t i = 0; i < self->tasks.thread_count; ++i) {
    uint32_t *track = &self->tasks.threads[i].track.track;
    uint64_t *of = agpu__trace_table_add(&next, (uint64_t)*track + 1);
    if (!of) {
      self->tasks.is_incomplete = true;
      break;
    }
    *track += (uint32_t)*of;
    *of += UINT32_C(1) << 23;
  }
  agpu__trace_table_free(&next);
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

static void name_group(writer *self, uint32_t group, const char *name,
                       int64_t place) {
  char text[128];
  (void)snprintf(text, sizeof text, "%s%s", self->prefix, name);
  // Those of a rank stay together.
  int64_t first = self->tasks.host - AGPU__EMIT_HOST;
  agpu__emit_name(self->emitter, (agpu__emit_track){group, 0}, text,
                  first + place);
}

static void name_threads(writer *self) {
  name_group(self, self->tasks.host, "host", -1);
  for (size_t i = 0; i < self->tasks.thread_count; ++i) {
    const agpu__dump_thread *thread =
        (const agpu__dump_thread *)self->dump->threads.data + i;
    if (!self->tasks.threads[i].last) // it has told of other tracks alone
      continue;
    bool is_main = thread->number == self->dump->process;
    bool is_own = strncmp(thread->name, "agpu-", 5) == 0;
    agpu__emit_name(self->emitter, self->tasks.threads[i].track,
                    is_main ? "main thread" : thread->name,
                    is_main  ? -2
                    : is_own ? (int64_t)(thread->order ? thread->order : i)
                             : -1);
  }
}

/// Groups are numbered in the order in which their first tracks were made.
static bool name_tracks(writer *self) {
  const agpu__dump_track *all = self->dump->tracks.data;
  size_t count = self->dump->tracks.count;
  uint32_t groups = self->tasks.host;
  if (!agpu__trace_array_reserve(&self->tracks, sizeof(emitted_track),
                                 count + 1))
    return false;
  emitted_track *tracks = self->tracks.data;
  for (size_t i = 0; i < count; ++i) {
    uint32_t id = (uint32_t)i + 1, group = 0;
    // None: the dump is cut off. Those of MPI are ranks.c's.
    if (!all[i].name || strcmp(all[i].group, "MPI") == 0)
      continue;
    for (size_t j = 0; j < i && !group; ++j)
      if (all[j].name && strcmp(all[j].group, all[i].group) == 0)
        group = tracks[j + 1].at.group;
    if (!group) {
      group = ++groups;
      name_group(self, group, all[i].group, group + 1 - self->tasks.host);
    }
    tracks[id].at = (agpu__emit_track){group, id};
    agpu__emit_name(self->emitter, tracks[id].at, all[i].name, id);
  }
  self->tracks.count = count + 1;
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
  case AGPU__TRACE_FORMAT_NS:
    agpu__emit_time(emitter, key, (int64_t)value);
    return;
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

/// Where an arrow begins, and the region that runs there, or NULL; of a call
/// that enqueues, its place.
typedef struct origin {
  agpu__emit_point point;
  const agpu_trace_name *region;
  const char *place;
} origin;

static const origin *find_origin(const writer *self, uint64_t flow) {
  const uint64_t *index = agpu__trace_table_find(&self->flows, flow);
  return index && *index ? (const origin *)self->origins.data + *index : NULL;
}

static void add_origin(writer *self, uint64_t flow, origin added) {
  uint64_t *index = agpu__trace_table_add(&self->flows, flow);
  if (!index || (self->origins.count == 0 &&
                 !agpu__trace_array_add(&self->origins, sizeof(added)))) {
    self->tasks.is_incomplete = true;
    return;
  }
  if (!*index && agpu__trace_array_add(&self->origins, sizeof(added)))
    *index = self->origins.count - 1;
  if (!*index)
    self->tasks.is_incomplete = true;
  else
    ((origin *)self->origins.data)[*index] = added;
}

static void follow_flow(writer *self, const agpu__trace_event *event,
                        agpu__emit_point at, const agpu_trace_name *region) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  if (row->flow == AGPU__TRACE_FLOW_NONE || !event->flow)
    return;
  const origin *from = find_origin(self, event->flow);
  if (row->flow != AGPU__TRACE_FLOW_IN)
    add_origin(self, event->flow,
               (origin){at, region,
                        event->kind == AGPU__TRACE_ENQUEUE
                            ? (const char *)(uintptr_t)event->args[1]
                            : NULL});
  else if (from && from->point.time) // not of a node whose call is lost
    agpu__emit_arrow(self->emitter, row->category, from->point, at);
}

/// Of a stream's own, not of a conditional node's body.
static bool is_work(uint16_t kind) {
  return kind == AGPU__TRACE_KERNEL || kind == AGPU__TRACE_COPY ||
         kind == AGPU__TRACE_FILL || kind == AGPU__TRACE_CONDITIONAL;
}

static bool is_in_body(uint16_t kind) {
  return kind >= AGPU__TRACE_BODY_KERNEL &&
         kind <= AGPU__TRACE_BODY_CONDITIONAL;
}

/// Of a node of a body: its place stands where the graph was launched.
static const origin *find_launch(const writer *self,
                                 const agpu__trace_event *event) {
  return is_in_body(event->kind) ? find_origin(self, event->id << 1) : NULL;
}

/// The region that enqueues the work of the event, or after whose work it is
/// that an event is recorded, or NULL: as far as regions that run in place tell
/// when they do, since others are taken for theirs. `on`: the event's track.
static const agpu_trace_name *region_of(writer *self, size_t thread,
                                        const agpu__trace_event *event,
                                        emitted_track *on) {
  if (!self->has_marks)
    return NULL;
  if (event->kind == AGPU__TRACE_RECORD)
    return on ? on->region : NULL;
  if (is_in_body(event->kind)) {
    const origin *from = find_launch(self, event);
    return from ? from->region : NULL;
  }
  if (agpu__trace_kinds[event->kind].flow == AGPU__TRACE_FLOW_IN) {
    const origin *from = find_origin(self, event->flow);
    const agpu_trace_name *region = from ? from->region : NULL;
    if (on && is_work(event->kind))
      on->region = region;
    return region;
  }
  if (event->kind != AGPU__TRACE_ENQUEUE)
    return NULL;
  const origin *known = find_origin(self, event->flow); // of a node
  const agpu__frame *top = agpu__region_top(&self->tasks.threads[thread]);
  return known ? known->region
         : top ? agpu__region_at(&self->tasks, top->region)->name
               : NULL;
}

/// A graph's launch tells of its nodes' regions, before it does of the nodes.
static void follow_nodes(writer *self, const agpu__trace_event *event) {
  const origin of = {.region = (const agpu_trace_name *)event->args[0]};
  for (uint64_t i = 0; i < event->args[1] && i < self->events.count; ++i)
    add_origin(self, (event->id + i) << 1, of);
}

static void write_event(writer *self, size_t thread,
                        const agpu__trace_event *event) {
  const agpu__trace_kind_row *row = &agpu__trace_kinds[event->kind];
  agpu__emitter *emitter = self->emitter;
  agpu__emit_point at = {.time = event->time};
  emitted_track *on = NULL;
  if (event->track && event->track < self->tracks.count) {
    on = (emitted_track *)self->tracks.data + event->track;
    at.track = on->at;
  } else if (row->flow != AGPU__TRACE_FLOW_NONE &&
             row->shape != AGPU__TRACE_SHAPE_SLICE) {
    at = agpu__tasks_point(&self->tasks, thread, event->time);
  } else {
    at.track = self->tasks.threads[thread].track;
  }
  const char *name = event->name ? event->name : row->shown;
  const agpu_trace_name *region = region_of(self, thread, event, on);
  switch (row->shape) {
  case AGPU__TRACE_SHAPE_SLICE:
    agpu__emit_begin(emitter, "X", row->category, name, at,
                     (int64_t)event->args[0]);
    put_args(emitter, event, 1);
    if (is_in_body(event->kind)) {
      const origin *from = find_launch(self, event);
      agpu__emit_number(emitter, "round", event->flow);
      if (from && from->place)
        agpu__emit_text(emitter, "at", from->place);
    }
    agpu__emit_region(emitter, region);
    break;
  case AGPU__TRACE_SHAPE_COUNTER:
    agpu__emit_begin(
        emitter, "C", row->category, name,
        (agpu__emit_point){
            {event->track ? at.track.group : self->tasks.host, 0}, event->time},
        0);
    agpu__emit_signed(emitter, "value", (int64_t)event->args[0]);
    break;
  default: return;
  }
  agpu__emit_end(emitter);
  follow_flow(self, event, at, region);
  if (is_work(event->kind))
    agpu__busy_add(&self->busy, emitter, at.track.group, event->time,
                   event->time + (int64_t)event->args[0]);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void write_events(writer *self) {
  for (size_t i = 0; i < self->events.count; ++i) {
    const agpu__trace_event *event = self->events.data[i].event;
    switch (agpu__trace_kinds[event->kind].shape) {
    case AGPU__TRACE_SHAPE_TASK:
      if (event->kind == AGPU__TRACE_NODES)
        follow_nodes(self, event);
      agpu__tasks_follow(&self->tasks, self->events.data[i].thread, event);
      break;
    case AGPU__TRACE_SHAPE_MESSAGE: break; // as ranks.c has put them together
    default: write_event(self, self->events.data[i].thread, event); break;
    }
  }
  agpu__busy_finish(&self->busy, self->emitter);
  self->tasks.is_incomplete |= self->busy.is_incomplete;
  agpu__tasks_finish(&self->tasks);
  agpu__requests_emit(self->emitter, self->rank, self->ranks, self->requests);
  // A slice behind all others, for arrows that begin in the program's own code.
  for (size_t i = 0; i < self->tasks.thread_count; ++i) {
    const agpu__tasks_thread *thread = &self->tasks.threads[i];
    if (!thread->needs_cover)
      continue;
    agpu__emit_begin(self->emitter, "X", "program", "program",
                     (agpu__emit_point){thread->track, thread->first},
                     thread->last - thread->first + 1);
    agpu__emit_end(self->emitter);
  }
}

static void put_key(agpu__trace_output *to, const char *key) {
  agpu__trace_put(to, ",\n");
  agpu__trace_put_string(to, key);
  agpu__trace_put(to, ":");
}

/// What is known of one dump, of several in an object of its own.
static void write_notes(writer *self) {
  agpu__trace_output *to = self->to;
  const agpu__dump *dump = self->dump;
  const agpu__dump_note *notes = dump->notes.data;
  agpu__trace_put(to, "\"process\":");
  agpu__trace_put_number(to, dump->process);
  put_key(to, "ended");
  agpu__trace_put_string(to, agpu__dump_ended(dump));
  agpu__trace_put(to, ",\n\"clock\":\"CLOCK_MONOTONIC\",\n\"zero_ns\":");
  agpu__trace_put_signed(to, self->emitter->zero);
  if (dump->unix_seconds) {
    put_key(to, "written_at_unix_seconds");
    agpu__trace_put_signed(to, dump->unix_seconds);
  }
  put_key(to, "events");
  agpu__trace_put_number(to, self->events.count);
  put_key(to, "dropped");
  agpu__trace_put_number(to, dump->dropped);
  if (self->tasks.is_incomplete || self->ranks->is_incomplete || !dump->ended) {
    put_key(to, "incomplete");
    agpu__trace_put_string(to, dump->ended ? "memory was out"
                                           : "the dump is cut off");
  }
  agpu__trace_put(to, ",\n\"waiting\":[");
  agpu__tasks_emit_waiting(&self->tasks);
  agpu__trace_put(to, "]");
  for (size_t i = 0; i < dump->notes.count; ++i) {
    put_key(to, notes[i].key);
    agpu__trace_put_string(to, notes[i].text);
  }
}

/// Which rank it is, and how its clock was aligned.
static void write_rank(writer *self) {
  agpu__trace_output *to = self->to;
  const agpu__rank *rank = self->rank;
  if (!rank->size)
    return;
  agpu__trace_put(to, "\"rank\":");
  agpu__trace_put_number(to, (uint64_t)rank->rank);
  put_key(to, "ranks");
  agpu__trace_put_number(to, (uint64_t)rank->size);
  if (rank->machine) {
    put_key(to, "machine");
    agpu__trace_put_string(to, rank->machine);
  }
  if (self->ranks->count > 1) {
    put_key(to, "clock_offset_ns");
    agpu__trace_put_signed(to, rank->clock.offset);
    put_key(to, "clock_drift_ppb");
    agpu__trace_put_signed(to, (int64_t)(rank->clock.drift * 1e9));
    put_key(to, "clock_error_ns");
    agpu__trace_put_signed(to, rank->clock.error);
  }
  agpu__trace_put(to, ",\n");
}

static void write_ranks(writer *writers, const agpu__ranks *ranks,
                        agpu__trace_output *to) {
  char line[1024];
  agpu__trace_put(to, "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{"
                      "\n\"format\":\"async-gpu trace\",\n\"version\":1,\n");
  if (ranks->count == 1) {
    write_rank(&writers[0]);
    write_notes(&writers[0]);
    agpu__trace_put(to, "}\n}\n");
    return;
  }
  agpu__trace_put(to, "\"messages\":");
  agpu__trace_put_number(to, ranks->messages);
  put_key(to, "collectives");
  agpu__trace_put_number(to, ranks->collectives);
  put_key(to, "unmatched_sends");
  agpu__trace_put_number(to, ranks->lone_sends);
  put_key(to, "unmatched_receives");
  agpu__trace_put_number(to, ranks->lone_receives);
  if (agpu__ranks_describe_lone(ranks, line, sizeof line)) {
    put_key(to, "unmatched");
    agpu__trace_put_string(to, line);
  }
  put_key(to, "contradictions");
  agpu__trace_put_number(to, ranks->clocks.contradictions);
  put_key(to, "contradictions_ns");
  agpu__trace_put_signed(to, ranks->clocks.worst);
  put_key(to, "ranks");
  for (size_t i = 0; i < ranks->count; ++i) {
    agpu__trace_put(to, i ? ",\n{" : "[\n{");
    write_rank(&writers[i]);
    write_notes(&writers[i]);
    agpu__trace_put(to, "}");
  }
  agpu__trace_put(to, "]}\n}\n");
}

/// Before anything is emitted.
static bool prepare(writer *self) {
  if (!gather(self))
    return false;
  if (self->events.count) {
    int64_t first = self->events.data[0].event->time;
    int64_t last = self->events.data[self->events.count - 1].event->time;
    if (first < self->emitter->zero)
      self->emitter->zero = first;
    // Some thousands of points show all that a screen can.
    self->tasks.sample_every = (last - first) / 4000;
  }
  number_threads(self);
  agpu__trace_array *threads = &self->requests->threads;
  self->requests->host = self->tasks.host;
  if (!agpu__trace_array_reserve(threads, sizeof(agpu__emit_track),
                                 self->tasks.thread_count + 1))
    return false;
  threads->count = self->tasks.thread_count;
  for (size_t i = 0; i < threads->count; ++i)
    ((agpu__emit_track *)threads->data)[i] = self->tasks.threads[i].track;
  return agpu__requests_place(self->requests, self->rank);
}

/// All events of a rank, in the order of their times.
static void write_rank_events(writer *self) {
  name_threads(self);
  if (!name_tracks(self))
    self->tasks.is_incomplete = true;
  write_events(self);
}

static void release(writer *self) {
  agpu__tasks_free(&self->tasks);
  agpu__trace_unmap(self->tasks.threads, (self->tasks.thread_count + 1) *
                                             sizeof *self->tasks.threads);
  agpu__events_free(&self->events);
  agpu__trace_table_free(&self->flows);
  agpu__trace_array_free(&self->origins, sizeof(origin));
  agpu__trace_array_free(&self->tracks, sizeof(emitted_track));
}

/// To a file, or a listener. False where memory was out, and parts are missing.
static bool write_all(agpu__emitter *emitter, const agpu__ranks *ranks) {
  size_t count = ranks->count;
  writer *writers = agpu__trace_map(count * sizeof *writers);
  agpu__request_tracks *requests = agpu__trace_map(count * sizeof *requests);
  bool ok = writers && requests;
  emitter->zero = INT64_MAX;
  for (size_t i = 0; ok && i < count; ++i) {
    const agpu__rank *rank = &ranks->all[i];
    uint32_t first = count > 1 ? AGPU__EMIT_RANK * (uint32_t)rank->rank : 0;
    writers[i] = (writer){.dump = rank->dump,
                          .to = emitter->to,
                          .emitter = emitter,
                          .ranks = ranks,
                          .rank = rank,
                          .requests = &requests[i]};
    writers[i].tasks.emitter = emitter;
    writers[i].tasks.host = first + AGPU__EMIT_HOST;
    if (count > 1)
      (void)snprintf(writers[i].prefix, sizeof writers[i].prefix,
                     "rank %d: ", rank->rank);
    ok = prepare(&writers[i]);
  }
  if (emitter->zero == INT64_MAX)
    emitter->zero = 0;
  bool is_whole = ok && !ranks->is_incomplete;
  for (size_t i = 0; ok && i < count; ++i) {
    // Each run of a region has a number of its own, of whichever rank.
    if (i)
      writers[i].tasks.region_count = writers[i - 1].tasks.region_count;
    write_rank_events(&writers[i]);
    is_whole &= !writers[i].tasks.is_incomplete;
  }
  if (ok) {
    agpu__requests_connect(emitter, ranks, requests);
    if (emitter->to)
      write_ranks(writers, ranks, emitter->to);
  } else if (emitter->to) {
    emitter->to->error = ENOMEM;
  }
  for (size_t i = 0; writers && requests && i < count; ++i) {
    release(&writers[i]);
    agpu__requests_free(&requests[i]);
  }
  agpu__trace_unmap(writers, count * sizeof *writers);
  agpu__trace_unmap(requests, count * sizeof *requests);
  return is_whole;
}

bool agpu__trace_tell(agpu__emit_listener *listener, const agpu__ranks *ranks) {
  agpu__emitter emitter = {.listener = listener};
  return write_all(&emitter, ranks);
}

bool agpu__trace_write(agpu__trace_output *to, const agpu__ranks *ranks,
                       const agpu__trace_array *critical) {
  agpu__emitter emitter = {.to = to, .critical = critical};
  agpu__trace_put(to, "{\"traceEvents\":[");
  return write_all(&emitter, ranks);
}
