//===- requests.c - Requests of MPI in a trace ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is in the first lane that has been free for a while when it begins,
// so that no two of a lane begin at one time: the graph of a run finds them by
// that.
//
//===----------------------------------------------------------------------===//

#include "trace/requests.h"

#include <inttypes.h>
#include <stdio.h>

bool agpu__requests_place(agpu__request_tracks *self, const agpu__rank *rank) {
  const agpu__message *messages = agpu__rank_messages(rank);
  agpu__trace_array ends = {.data = NULL}; // int64_t, of lanes
  bool ok = agpu__trace_array_reserve(&self->lanes, sizeof(uint32_t),
                                      rank->messages.count + 1);
  for (size_t i = 0; ok && i < rank->messages.count; ++i) {
    size_t lane = 0;
    while (lane < ends.count &&
           ((const int64_t *)ends.data)[lane] >= messages[i].begin)
      ++lane;
    ok = lane < ends.count || agpu__trace_array_add(&ends, sizeof(int64_t));
    if (!ok)
      break;
    ((int64_t *)ends.data)[lane] = messages[i].end;
    ((uint32_t *)self->lanes.data)[i] = (uint32_t)lane;
    self->lanes.count = i + 1;
  }
  agpu__trace_array_free(&ends, sizeof(int64_t));
  return ok;
}

void agpu__requests_free(agpu__request_tracks *self) {
  agpu__trace_array_free(&self->threads, sizeof(agpu__emit_track));
  agpu__trace_array_free(&self->lanes, sizeof(uint32_t));
}

static agpu__emit_track get_lane(const agpu__request_tracks *self,
                                 size_t message) {
  return (agpu__emit_track){self->host,
                            AGPU__EMIT_LANES +
                                ((const uint32_t *)self->lanes.data)[message]};
}

static void name_lanes(agpu__emitter *emitter,
                       const agpu__request_tracks *tracks) {
  uint32_t named = 0;
  for (size_t i = 0; i < tracks->lanes.count; ++i) {
    uint32_t lane = ((const uint32_t *)tracks->lanes.data)[i];
    char name[32];
    if (lane < named)
      continue;
    if (lane)
      (void)snprintf(name, sizeof name, "MPI %" PRIu32, lane + 1);
    agpu__emit_name(emitter, get_lane(tracks, i), lane ? name : "MPI",
                    AGPU__EMIT_LANES + (int64_t)lane);
    ++named;
  }
}

/// "mpi.recv from rank 0"
static void describe(const agpu__message *of, char *text, size_t size) {
  const char *way = of->kind == AGPU__TRACE_SEND ? "to" : "from";
  if (of->kind == AGPU__TRACE_COLLECTIVE)
    (void)snprintf(text, size, "%s", of->name);
  else if (of->peer_rank >= 0)
    (void)snprintf(text, size, "%s %s rank %" PRId32, of->name, way,
                   of->peer_rank);
  else if (of->peer >= 0)
    (void)snprintf(text, size, "%s %s rank %" PRId32 " of its communicator",
                   of->name, way, of->peer);
  else
    (void)snprintf(text, size, "%s from any rank", of->name);
}

static void emit(agpu__emitter *emitter, const agpu__message *of,
                 const agpu__ranks *ranks, agpu__emit_track lane) {
  char name[128], comm[32];
  describe(of, name, sizeof name);
  (void)snprintf(comm, sizeof comm, "%" PRIx64, of->comm);
  agpu__emit_begin(emitter, "X", agpu__trace_kinds[of->kind].category, name,
                   (agpu__emit_point){lane, of->begin}, of->end - of->begin);
  agpu__emit_number(emitter, "id", of->id);
  if (of->kind != AGPU__TRACE_COLLECTIVE) {
    agpu__emit_signed(emitter, "peer", of->peer_rank);
    agpu__emit_signed(emitter, "tag", of->tag);
  }
  agpu__emit_text(emitter, "communicator", of->comm ? comm : "world");
  if (of->number != UINT64_MAX)
    agpu__emit_number(emitter, "number", of->number);
  agpu__emit_number(emitter, "bytes", of->bytes);
  agpu__emit_text(emitter, "at", of->place);
  if (of->partner != SIZE_MAX && of->kind == AGPU__TRACE_COLLECTIVE)
    agpu__emit_signed(emitter, "last_rank", ranks->all[of->partner_rank].rank);
  if (of->ready > of->begin)
    agpu__emit_late(emitter, of->ready - of->begin);
  if (of->has_failed)
    agpu__emit_true(emitter, "failed");
  if (!of->is_over)
    agpu__emit_true(emitter, "unfinished");
  agpu__emit_end(emitter);
}

void agpu__requests_emit(agpu__emitter *emitter, const agpu__rank *rank,
                         const agpu__ranks *ranks,
                         const agpu__request_tracks *tracks) {
  const agpu__message *messages = agpu__rank_messages(rank);
  name_lanes(emitter, tracks);
  for (size_t i = 0; i < tracks->lanes.count; ++i)
    emit(emitter, &messages[i], ranks, get_lane(tracks, i));
}

static agpu__emit_point get_point(const agpu__request_tracks *of, size_t thread,
                                  int64_t time) {
  return (agpu__emit_point){
      ((const agpu__emit_track *)of->threads.data)[thread], time};
}

/// What a request waited for: the threads that called the library, at both
/// sides. A lane is found by when the request began.
static void tell(agpu__emit_listener *listener, const agpu__ranks *ranks,
                 const agpu__request_tracks *tracks, size_t rank,
                 size_t number) {
  const agpu__message *of = &agpu__rank_messages(&ranks->all[rank])[number];
  agpu__emit_point here = {get_lane(&tracks[rank], number), of->begin};
  listener->arrow(listener, "message",
                  get_point(&tracks[rank], of->post_thread, of->posted), here);
  if (of->partner != SIZE_MAX && of->ready > of->begin) {
    const agpu__message *other =
        &agpu__rank_messages(&ranks->all[of->partner_rank])[of->partner];
    listener->arrow(
        listener, "message",
        get_point(&tracks[of->partner_rank], other->post_thread, other->posted),
        here);
  }
  if (of->is_over)
    listener->arrow(listener, "message", here,
                    get_point(&tracks[rank], of->end_thread, of->end));
}

void agpu__requests_connect(agpu__emitter *emitter, const agpu__ranks *ranks,
                            const agpu__request_tracks *tracks) {
  for (size_t i = 0; i < ranks->count; ++i)
    for (size_t k = 0; k < tracks[i].lanes.count; ++k) {
      const agpu__message *of = &agpu__rank_messages(&ranks->all[i])[k];
      if (emitter->listener) {
        tell(emitter->listener, ranks, tracks, i, k);
        continue;
      }
      if (of->kind != AGPU__TRACE_SEND || of->partner == SIZE_MAX)
        continue;
      const agpu__message *to =
          &agpu__rank_messages(&ranks->all[of->partner_rank])[of->partner];
      // Inside of the slice. Halves of offsets are rounded, of two ranks.
      int64_t end = to->end > to->begin ? to->end - 1 : to->end;
      if (end < of->begin && end + 3 >= of->begin)
        end = of->begin;
      if (end >= of->begin)
        agpu__emit_arrow(
            emitter, "message",
            (agpu__emit_point){get_lane(&tracks[i], k), of->begin},
            (agpu__emit_point){get_lane(&tracks[of->partner_rank], of->partner),
                               end});
    }
}
