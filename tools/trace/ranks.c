//===- ranks.c - The ranks of a run ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is the send and the receive of one channel and number. Numbers are
// the runtime's but for receives from any rank or of any tag, which it counts
// when they end: in a channel, the receives that began first got the lowest
// numbers, as MPI keeps the order.
//
//===----------------------------------------------------------------------===//

#include "trace/ranks.h"

#include "trace/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

//===----------------------------------------------------------------------===//
// Who is who
//===----------------------------------------------------------------------===//

/// A rank of a communicator, as one number. That two are the same by chance is
/// as good as impossible.
static uint64_t get_key(uint64_t comm, int32_t rank) {
  uint64_t key = (comm ^ UINT64_C(0x9E3779B97F4A7C15)) +
                 (uint64_t)(uint32_t)rank * UINT64_C(0xBF58476D1CE4E5B9);
  key ^= key >> 31;
  key *= UINT64_C(0x94D049BB133111EB);
  return key ? key : 1;
}

/// Fills in the world's ranks of peers.
static bool find_peers(agpu__ranks *self, agpu__trace_table *by_comm) {
  for (size_t i = 0; i < self->count; ++i) {
    const agpu__rank_comm *comms = self->all[i].comms.data;
    for (size_t k = 0; k < self->all[i].comms.count; ++k) {
      uint64_t *index =
          agpu__trace_table_add(by_comm, get_key(comms[k].id, comms[k].rank));
      if (!index)
        return false;
      *index = i + 1;
    }
  }
  for (size_t i = 0; i < self->count; ++i) {
    agpu__message *messages = agpu__rank_messages(&self->all[i]);
    for (size_t k = 0; k < self->all[i].messages.count; ++k) {
      agpu__message *of = &messages[k];
      if (of->kind == AGPU__TRACE_COLLECTIVE || of->peer < 0)
        continue;
      const uint64_t *index =
          agpu__trace_table_find(by_comm, get_key(of->comm, of->peer));
      if (index)
        of->peer_rank = self->all[*index - 1].rank;
      else if (!of->comm)
        of->peer_rank = of->peer;
    }
  }
  return true;
}

const agpu__rank *agpu__ranks_find(const agpu__ranks *self, int32_t rank) {
  for (size_t i = 0; i < self->count; ++i)
    if (self->all[i].rank == rank)
      return &self->all[i];
  return NULL;
}

static size_t find_rank(const agpu__ranks *self, int32_t rank) {
  const agpu__rank *found = rank < 0 ? NULL : agpu__ranks_find(self, rank);
  return found ? (size_t)(found - self->all) : NONE;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// A request, and what it is matched by.
typedef struct side {
  uint64_t comm;
  size_t from, to; ///< indices of ranks; of a collective operation 0
  int32_t tag;
  bool is_receive;
  uint64_t number, id;
  size_t rank, message;
} side;

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_channels(const side *a, const side *b) {
  int order = compare(a->comm, b->comm);
  if (!order)
    order = compare(a->from, b->from);
  if (!order)
    order = compare(a->to, b->to);
  return order ? order : compare((uint32_t)a->tag, (uint32_t)b->tag);
}

/// The same, of sends apart from receives.
static int compare_ends(const side *a, const side *b) {
  int order = compare_channels(a, b);
  return order ? order : compare(a->is_receive, b->is_receive);
}

static bool is_id_before(const void *first, const void *second) {
  const side *a = first, *b = second;
  int order = compare_ends(a, b);
  return (order ? order : compare(a->id, b->id)) < 0;
}

static bool is_number_before(const void *first, const void *second) {
  const side *a = first, *b = second;
  int order = compare_ends(a, b);
  return (order ? order : compare(a->number, b->number)) < 0;
}

static bool is_side_before(const void *first, const void *second) {
  const side *a = first, *b = second;
  int order = compare_channels(a, b);
  if (!order)
    order = compare(a->number, b->number);
  if (!order)
    order = compare(a->is_receive, b->is_receive);
  return (order ? order : compare(a->rank, b->rank)) < 0;
}

static agpu__message *get_message(const agpu__ranks *self, const side *of) {
  return &agpu__rank_messages(&self->all[of->rank])[of->message];
}

/// Adds messages, or collective operations.
static bool add_sides(agpu__ranks *self, agpu__trace_array *to,
                      bool collectives) {
  for (size_t i = 0; i < self->count; ++i) {
    agpu__message *messages = agpu__rank_messages(&self->all[i]);
    for (size_t k = 0; k < self->all[i].messages.count; ++k) {
      const agpu__message *of = &messages[k];
      bool is_receive = of->kind == AGPU__TRACE_RECEIVE;
      size_t peer = collectives ? i : find_rank(self, of->peer_rank);
      if ((of->kind == AGPU__TRACE_COLLECTIVE) != collectives ||
          of->number == UINT64_MAX || peer == NONE)
        continue;
      side *added = agpu__trace_array_add(to, sizeof *added);
      if (!added)
        return false;
      *added = (side){.comm = of->comm,
                      .from = collectives  ? 0
                              : is_receive ? peer
                                           : i,
                      .to = collectives  ? 0
                            : is_receive ? i
                                         : peer,
                      .tag = collectives ? 0 : of->tag,
                      .is_receive = is_receive,
                      .number = of->number,
                      .id = of->id,
                      .rank = i,
                      .message = k};
    }
  }
  return true;
}

/// Gives receives of a channel their numbers in the order in which they began.
static bool renumber(agpu__trace_array *sides) {
  agpu__trace_array sorted = {.data = NULL};
  if (!agpu__trace_array_reserve(&sorted, sizeof(side), sides->count + 1))
    return false;
  if (sides->count)
    memcpy(sorted.data, sides->data, sides->count * sizeof(side));
  sorted.count = sides->count;
  agpu__array_sort(&sorted, sizeof(side), is_number_before);
  agpu__array_sort(sides, sizeof(side), is_id_before);
  for (size_t i = 0; i < sides->count; ++i)
    ((side *)sides->data)[i].number = ((side *)sorted.data)[i].number;
  agpu__trace_array_free(&sorted, sizeof(side));
  return true;
}

static void note_lone(agpu__ranks *self, const side *of) {
  const agpu__message *message = get_message(self, of);
  self->lone_sends += !of->is_receive;
  self->lone_receives += of->is_receive;
  if (self->lone && self->lone->begin <= message->begin)
    return;
  self->lone = message;
  self->lone_rank = &self->all[of->rank];
}

static bool match_messages(agpu__ranks *self) {
  agpu__trace_array sides = {.data = NULL};
  bool ok = add_sides(self, &sides, false) && renumber(&sides);
  agpu__array_sort(&sides, sizeof(side), is_side_before);
  const side *all = sides.data;
  for (size_t i = 0; ok && i < sides.count; ++i) {
    bool is_pair = i + 1 < sides.count &&
                   compare_channels(&all[i], &all[i + 1]) == 0 &&
                   all[i].number == all[i + 1].number && !all[i].is_receive &&
                   all[i + 1].is_receive;
    if (!is_pair) {
      note_lone(self, &all[i]);
      continue;
    }
    agpu__message *send = get_message(self, &all[i]);
    agpu__message *receive = get_message(self, &all[i + 1]);
    send->partner_rank = all[i + 1].rank;
    send->partner = all[i + 1].message;
    receive->partner_rank = all[i].rank;
    receive->partner = all[i].message;
    receive->number = send->number;
    ++self->messages;
    ++i;
  }
  agpu__trace_array_free(&sides, sizeof(side));
  return ok;
}

//===----------------------------------------------------------------------===//
// What cannot end before what
//===----------------------------------------------------------------------===//

static bool add_bound(agpu__trace_array *bounds, size_t from,
                      const agpu__message *begun, size_t to,
                      const agpu__message *ended) {
  if (from == to || !ended->is_over)
    return true;
  agpu__clock_bound *added = agpu__trace_array_add(bounds, sizeof *added);
  if (added)
    *added = (agpu__clock_bound){(uint32_t)from, (uint32_t)to, begun->begin,
                                 ended->end};
  return added;
}

static bool bound_messages(const agpu__ranks *self, agpu__trace_array *bounds) {
  for (size_t i = 0; i < self->count; ++i) {
    const agpu__message *messages = agpu__rank_messages(&self->all[i]);
    for (size_t k = 0; k < self->all[i].messages.count; ++k) {
      const agpu__message *of = &messages[k];
      if (of->kind != AGPU__TRACE_RECEIVE || of->partner == NONE)
        continue;
      const agpu__message *send =
          &agpu__rank_messages(&self->all[of->partner_rank])[of->partner];
      if (!add_bound(bounds, of->partner_rank, send, i, of))
        return false;
    }
  }
  return true;
}

/// All ranks' ends are behind all ranks' begins. Of very many, those behind
/// and before the first one's.
static bool bound_all(const agpu__ranks *self, const side *all, size_t count,
                      agpu__trace_array *bounds) {
  enum { MOST = 64 };
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < count; ++k)
      if ((count <= MOST || i == 0 || k == 0) &&
          !add_bound(bounds, all[i].rank, get_message(self, &all[i]),
                     all[k].rank, get_message(self, &all[k])))
        return false;
  return true;
}

typedef bool group_visitor(agpu__ranks *self, const side *all, size_t count,
                           agpu__trace_array *bounds);

static bool bound_group(agpu__ranks *self, const side *all, size_t count,
                        agpu__trace_array *bounds) {
  return !get_message(self, all)->waits_for_all ||
         bound_all(self, all, count, bounds);
}

/// Who was last, by the one clock.
static bool note_last(agpu__ranks *self, const side *all, size_t count,
                      agpu__trace_array *bounds) {
  (void)bounds;
  ++self->collectives;
  const side *last = all;
  for (size_t i = 1; i < count; ++i)
    if (get_message(self, &all[i])->begin > get_message(self, last)->begin)
      last = &all[i];
  if (!get_message(self, all)->waits_for_all || count < 2)
    return true;
  ++self->all[last->rank].lasts;
  int64_t ready = get_message(self, last)->begin;
  for (size_t i = 0; i < count; ++i) {
    agpu__message *of = get_message(self, &all[i]);
    of->partner_rank = last->rank;
    of->partner = last->message;
    of->ready = ready < of->end ? ready : of->end;
  }
  return true;
}

/// The collective operations of all that took part in them.
static bool visit_groups(agpu__ranks *self, const agpu__trace_array *sides,
                         group_visitor *each, agpu__trace_array *bounds) {
  const side *all = sides->data;
  for (size_t i = 0, end; i < sides->count; i = end) {
    bool same = true;
    for (end = i + 1; end < sides->count && all[end].comm == all[i].comm &&
                      all[end].number == all[i].number;
         ++end)
      same &= strcmp(get_message(self, &all[end])->name,
                     get_message(self, &all[i])->name) == 0;
    if (same && !each(self, all + i, end - i, bounds))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// One clock
//===----------------------------------------------------------------------===//

/// Times of the events, and of the requests.
static void correct(agpu__rank *self) {
  const agpu__clock *clock = &self->clock;
  if (!clock->offset && clock->drift == 0)
    return;
  agpu__dump_piece *pieces = self->dump->pieces.data;
  for (size_t i = 0; i < self->dump->pieces.count; ++i)
    for (size_t k = 0; k < pieces[i].count; ++k) {
      // The dump's own memory (dump.c).
      agpu__trace_event *event = (agpu__trace_event *)&pieces[i].events[k];
      event->time = agpu__clock_correct(clock, event->time);
    }
  agpu__message *messages = agpu__rank_messages(self);
  for (size_t i = 0; i < self->messages.count; ++i) {
    messages[i].begin = agpu__clock_correct(clock, messages[i].begin);
    messages[i].end = agpu__clock_correct(clock, messages[i].end);
    messages[i].ready = messages[i].begin;
    messages[i].posted = agpu__clock_correct(clock, messages[i].posted);
  }
}

/// When both sides of a message were there.
static void find_ready(agpu__ranks *self) {
  for (size_t i = 0; i < self->count; ++i) {
    agpu__message *messages = agpu__rank_messages(&self->all[i]);
    for (size_t k = 0; k < self->all[i].messages.count; ++k) {
      agpu__message *of = &messages[k];
      if (of->kind == AGPU__TRACE_COLLECTIVE || of->partner == NONE)
        continue;
      int64_t other =
          agpu__rank_messages(&self->all[of->partner_rank])[of->partner].begin;
      // A send that was over by then was not waited for.
      if (other > of->begin && other <= of->end)
        of->ready = other;
      else if (other > of->end && of->kind == AGPU__TRACE_RECEIVE)
        of->ready = of->end;
    }
  }
}

static bool align(agpu__ranks *self, const agpu__trace_array *bounds) {
  agpu__clock *clocks = agpu__trace_map(self->count * sizeof *clocks);
  if (!clocks)
    return false;
  for (size_t i = 0; i < self->count; ++i)
    clocks[i] = self->all[i].clock;
  bool ok = agpu__clocks_align(clocks, self->count, bounds, &self->clocks);
  for (size_t i = 0; i < self->count; ++i) {
    self->all[i].clock = clocks[i];
    correct(&self->all[i]);
  }
  agpu__trace_unmap(clocks, self->count * sizeof *clocks);
  return ok;
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Puts ranks in order.
static void sort_ranks(agpu__ranks *self) {
  for (size_t i = 1; i < self->count; ++i)
    for (size_t k = i; k && self->all[k].rank < self->all[k - 1].rank; --k) {
      agpu__rank moved = self->all[k];
      self->all[k] = self->all[k - 1];
      self->all[k - 1] = moved;
    }
}

/// Whether they are of one run.
static const char *check(const agpu__ranks *self, const agpu__dump *dumps,
                         size_t *out_at) {
  for (size_t i = 0; i < self->count && self->count > 1; ++i) {
    const agpu__rank *of = &self->all[i];
    *out_at = (size_t)(of->dump - dumps);
    if (!of->size)
      return "it is of a process that sends no messages by MPI: traces of the "
             "ranks of one run can be joined";
    if (of->job != self->all[0].job || of->size != self->all[0].size)
      return "it is of another run than the first trace";
    if (i && of->rank == self->all[i - 1].rank)
      return "it is of the same rank as another trace";
  }
  return NULL;
}

static bool join(agpu__ranks *self) {
  agpu__trace_table by_comm = {.count = 0};
  agpu__trace_array groups = {.data = NULL}, bounds = {.data = NULL};
  bool ok = find_peers(self, &by_comm) && match_messages(self) &&
            add_sides(self, &groups, true);
  agpu__array_sort(&groups, sizeof(side), is_side_before);
  ok = ok && bound_messages(self, &bounds) &&
       visit_groups(self, &groups, bound_group, &bounds) &&
       (self->count < 2 || align(self, &bounds)) &&
       visit_groups(self, &groups, note_last, &bounds);
  if (ok)
    find_ready(self);
  agpu__trace_table_free(&by_comm);
  agpu__trace_array_free(&groups, sizeof(side));
  agpu__trace_array_free(&bounds, sizeof(agpu__clock_bound));
  return ok;
}

const char *agpu__ranks_join(agpu__ranks *out_ranks, agpu__dump *dumps,
                             size_t count, size_t *out_at) {
  agpu__ranks *self = out_ranks;
  *out_at = 0;
  *self = (agpu__ranks){.count = count};
  self->all = agpu__trace_map((count + 1) * sizeof *self->all);
  self->is_incomplete = !self->all;
  for (size_t i = 0; self->all && i < count; ++i)
    self->is_incomplete |= !agpu__rank_read(&self->all[i], &dumps[i]);
  if (!self->all)
    return "memory is out";
  sort_ranks(self);
  const char *error = check(self, dumps, out_at);
  if (!error)
    self->is_incomplete |= !join(self);
  return error;
}

void agpu__ranks_free(agpu__ranks *self) {
  for (size_t i = 0; self->all && i < self->count; ++i) {
    agpu__trace_array_free(&self->all[i].comms, sizeof(agpu__rank_comm));
    agpu__trace_array_free(&self->all[i].messages, sizeof(agpu__message));
  }
  agpu__trace_unmap(self->all, (self->count + 1) * sizeof *self->all);
  *self = (agpu__ranks){.count = 0};
}

bool agpu__ranks_describe_lone(const agpu__ranks *self, char *line,
                               size_t size) {
  const agpu__message *lone = self->lone;
  if (!lone)
    return false;
  (void)snprintf(
      line, size,
      "requests without the other side: %zu sends, %zu receives; the first: "
      "%s %s rank %" PRId32 ", tag %" PRId32 ", of rank %d%s%s%s",
      self->lone_sends, self->lone_receives, lone->name,
      lone->kind == AGPU__TRACE_SEND ? "to" : "from", lone->peer_rank,
      lone->tag, self->lone_rank->rank, lone->place ? " at " : "",
      lone->place ? lone->place : "",
      self->lone_rank->dump->dropped ? " (its trace has lost events)" : "");
  return true;
}
