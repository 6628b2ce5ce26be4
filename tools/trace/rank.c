//===- rank.c - What a rank's dump says of messages -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of tracks say which rank of which run the dump is of, and which
// communicators it has; events of shape MESSAGE are its requests. What they
// hold stands in runtime/mpi/trace.h.
//
//===----------------------------------------------------------------------===//

#include "trace/ranks.h"

#include "trace/sort.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

/// Reads `text` if it stands there, and moves behind it.
static bool skip(const char **at, const char *text) {
  size_t size = strlen(text);
  if (strncmp(*at, text, size) != 0)
    return false;
  *at += size;
  return true;
}

/// A number that is not negative; -1 where there is none.
static int32_t read_number(const char **at) {
  int64_t number = 0;
  const char *first = *at;
  for (; **at >= '0' && **at <= '9' && number < INT32_MAX; ++*at)
    number = 10 * number + (**at - '0');
  return *at == first || number > INT32_MAX ? -1 : (int32_t)number;
}

static uint64_t read_hex(const char **at) {
  uint64_t number = 0;
  for (;; ++*at) {
    char c = **at;
    if (c >= '0' && c <= '9')
      number = number << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      number = number << 4 | (uint64_t)(c - 'a' + 10);
    else
      return number;
  }
}

/// "rank R of N", with R less than N.
static bool read_rank(const char **at, int32_t *out_rank, int32_t *out_size) {
  if (!skip(at, "rank "))
    return false;
  *out_rank = read_number(at);
  if (*out_rank < 0 || !skip(at, " of "))
    return false;
  *out_size = read_number(at);
  return *out_size > *out_rank;
}

/// False where memory is out.
static bool read_track(agpu__rank *self, uint32_t track, const char *name) {
  const char *at = name;
  int32_t rank, size;
  if (skip(&at, "machine ")) {
    self->machine = at;
  } else if (skip(&at, "clock ")) {
    self->clock.name = *at ? at : NULL;
  } else if (read_rank(&at, &rank, &size)) {
    self->rank = rank;
    self->size = size;
    self->job = skip(&at, ", job ") ? read_hex(&at) : 0;
  } else {
    uint64_t id = read_hex(&at);
    if (!skip(&at, " ") || !read_rank(&at, &rank, &size))
      return true; // of a later writer
    agpu__rank_comm *added = agpu__trace_array_add(&self->comms, sizeof *added);
    if (!added)
      return false;
    *added = (agpu__rank_comm){id, track, rank, size};
  }
  return true;
}

static bool read_tracks(agpu__rank *self) {
  const agpu__dump_track *tracks = self->dump->tracks.data;
  for (size_t i = 0; i < self->dump->tracks.count; ++i)
    if (tracks[i].name && strcmp(tracks[i].group, "MPI") == 0 &&
        !read_track(self, (uint32_t)i + 1, tracks[i].name))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static const agpu__rank_comm *find_comm(const agpu__rank *self,
                                        uint32_t track) {
  const agpu__rank_comm *comms = self->comms.data;
  for (size_t i = 0; i < self->comms.count; ++i)
    if (comms[i].track == track)
      return &comms[i];
  return NULL;
}

static bool begin_message(agpu__rank *self, const agpu__trace_event *event,
                          size_t thread, const agpu__rank_comm *comm) {
  agpu__message *added = agpu__trace_array_add(&self->messages, sizeof *added);
  if (!added)
    return false;
  *added =
      (agpu__message){.kind = (agpu__trace_kind)event->kind,
                      .id = event->id,
                      .number = event->flow,
                      .comm = comm->id,
                      .peer = (int32_t)(event->args[1] >> 32),
                      .tag = (int32_t)event->args[1],
                      .peer_rank = -1,
                      .name = event->name ? event->name : "",
                      .place = (const char *)(uintptr_t)event->args[0],
                      .begin = event->time,
                      .ready = event->time,
                      .posted = event->time,
                      .post_thread = thread,
                      .waits_for_all = event->kind == AGPU__TRACE_COLLECTIVE &&
                                       event->args[2] != 0,
                      .partner_rank = SIZE_MAX,
                      .partner = SIZE_MAX};
  return true;
}

static void end_message(agpu__message *of, const agpu__trace_event *event,
                        size_t thread) {
  of->is_over = true;
  of->has_failed = event->args[2] != 0;
  of->end = event->time > of->begin ? event->time : of->begin;
  of->end_thread = thread;
  of->number = event->flow;
  of->bytes = event->args[1];
  if (of->kind == AGPU__TRACE_RECEIVE) {
    of->peer = (int32_t)(event->args[0] >> 32);
    of->tag = (int32_t)event->args[0];
  }
}

static bool is_message_before(const void *first, const void *second) {
  const agpu__message *a = first, *b = second;
  return a->begin != b->begin ? a->begin < b->begin : a->id < b->id;
}

typedef bool visitor(agpu__rank *self, const agpu__trace_event *event,
                     size_t thread, agpu__trace_table *by_id);

static bool visit_begin(agpu__rank *self, const agpu__trace_event *event,
                        size_t thread, agpu__trace_table *by_id) {
  const agpu__rank_comm *comm = find_comm(self, event->track);
  if (event->kind == AGPU__TRACE_MESSAGE_END ||
      event->kind == AGPU__TRACE_MESSAGE_HAND || !comm)
    return true;
  uint64_t *index = agpu__trace_table_add(by_id, event->id + 1);
  if (!index || !begin_message(self, event, thread, comm))
    return false;
  *index = self->messages.count;
  return true;
}

static bool visit_rest(agpu__rank *self, const agpu__trace_event *event,
                       size_t thread, agpu__trace_table *by_id) {
  const uint64_t *index = agpu__trace_table_find(by_id, event->id + 1);
  agpu__message *of = index ? &agpu__rank_messages(self)[*index - 1] : NULL;
  if (of && event->kind == AGPU__TRACE_MESSAGE_END) {
    end_message(of, event, thread);
  } else if (of && event->kind == AGPU__TRACE_MESSAGE_HAND &&
             event->time <= of->begin) {
    of->posted = event->time;
    of->post_thread = thread;
  }
  return true;
}

static bool visit(agpu__rank *self, visitor *each, agpu__trace_table *by_id) {
  const agpu__dump_piece *pieces = self->dump->pieces.data;
  for (size_t i = 0; i < self->dump->pieces.count; ++i)
    for (size_t k = 0; k < pieces[i].count; ++k) {
      const agpu__trace_event *event = &pieces[i].events[k];
      if (agpu__trace_kinds[event->kind].shape == AGPU__TRACE_SHAPE_MESSAGE &&
          !each(self, event, pieces[i].thread, by_id))
        return false;
    }
  return true;
}

/// The times of the first event and of the last.
static void find_times(const agpu__dump *dump, int64_t *out_first,
                       int64_t *out_last) {
  const agpu__dump_piece *pieces = dump->pieces.data;
  *out_first = INT64_MAX;
  *out_last = INT64_MIN;
  for (size_t i = 0; i < dump->pieces.count; ++i)
    for (size_t k = 0; k < pieces[i].count; ++k) {
      int64_t time = pieces[i].events[k].time;
      *out_first = time < *out_first ? time : *out_first;
      *out_last = time > *out_last ? time : *out_last;
    }
  if (*out_first > *out_last)
    *out_first = *out_last = 0;
}

bool agpu__rank_read(agpu__rank *self, agpu__dump *dump) {
  *self = (agpu__rank){.dump = dump};
  agpu__trace_table by_id = {.count = 0};
  int64_t last;
  find_times(dump, &self->clock.reference, &last);
  bool ok = read_tracks(self) && visit(self, visit_begin, &by_id) &&
            visit(self, visit_rest, &by_id);
  agpu__trace_table_free(&by_id);
  agpu__message *messages = agpu__rank_messages(self);
  for (size_t i = 0; i < self->messages.count; ++i)
    if (!messages[i].is_over)
      messages[i].end = last;
  agpu__array_sort(&self->messages, sizeof(agpu__message), is_message_before);
  return ok;
}
