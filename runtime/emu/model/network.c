//===- network.c - Messages of modelled ranks -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A short message leaves once it is sent; a long one when both sides have begun
// and told each other so, which takes a latency each way. It keeps its sender's
// link for its bytes, or for the gap, and its receiver's for its bytes. What
// all ranks of a communicator do keeps the links of all for their bytes.
//
//===----------------------------------------------------------------------===//

#include "emu/model/network.h"

#include <math.h>

typedef struct link {
  int64_t latency, overhead, gap, rendezvous;
  double bandwidth; // bytes per nanosecond
} link;

static link get_link(const agpu__emu_model *model, bool leaves_node) {
  return leaves_node
             ? (link){(int64_t)model->network_latency,
                      (int64_t)model->network_overhead,
                      (int64_t)model->network_gap,
                      (int64_t)model->network_rendezvous,
                      model->network_bandwidth}
             : (link){(int64_t)model->node_latency,
                      (int64_t)model->node_overhead, (int64_t)model->node_gap,
                      (int64_t)model->node_rendezvous, model->node_bandwidth};
}

static bool leaves_node(const agpu__emu_network *of, int from, int to) {
  int ranks = (int)of->model.node_ranks;
  return from / ranks != to / ranks;
}

static int64_t get_span(const link *over, double bytes) {
  return llround(bytes / over->bandwidth);
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t agpu__emu_network_least(const agpu__emu_network *of) {
  link near = get_link(&of->model, false), far = get_link(&of->model, true);
  return leaves_node(of, 0, of->ranks - 1) && far.latency < near.latency
             ? far.latency
             : near.latency;
}

bool agpu__emu_network_is_eager(const agpu__emu_network *of, int from, int to,
                                int64_t bytes) {
  return bytes <= get_link(&of->model, leaves_node(of, from, to)).rendezvous;
}

/// The rank may do something then.
static void wake(agpu__emu_network *of, int rank, int64_t time) {
  if (time < of->next[rank])
    of->next[rank] = time;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The first whose other side is there, or a free one; NULL: there is none.
static agpu__emu_message *find(agpu__emu_network *of, int from, int to,
                               const agpu__network_side *side) {
  agpu__emu_message *found = NULL, *unused = NULL;
  for (int i = 0; i < of->top; ++i) {
    agpu__emu_message *at = &of->messages[i];
    if (!at->is_used && !unused)
      unused = at;
    if (at->is_used && (side->is_receive ? at->posted : at->sent) < 0 &&
        at->from == from && at->to == to && at->tag == side->tag &&
        at->comm == side->comm && (!found || at->number < found->number))
      found = at;
  }
  if (found)
    return found;
  if (!unused && of->top < AGPU__EMU_MOST_MESSAGES)
    unused = &of->messages[of->top++];
  if (unused)
    *unused = (agpu__emu_message){.is_used = true,
                                  .left = 2,
                                  .from = from,
                                  .to = to,
                                  .tag = side->tag,
                                  .comm = side->comm,
                                  .number = of->count++,
                                  .sent = -1,
                                  .posted = -1,
                                  .send_end = -1,
                                  .receive_end = -1};
  return unused;
}

static void end_receive(agpu__emu_network *of, agpu__emu_message *message,
                        const link *over) {
  message->receive_end =
      later(message->arrived, message->posted) + over->overhead;
  wake(of, message->to, message->receive_end);
}

int agpu__emu_network_begin(agpu__emu_network *of, int rank,
                            const agpu__network_side *side, int64_t *time) {
  int from = side->is_receive ? side->peer : rank;
  int to = side->is_receive ? rank : side->peer;
  agpu__emu_message *message = find(of, from, to, side);
  if (!message)
    return -1;
  link over = get_link(&of->model, leaves_node(of, from, to));
  if (side->is_receive) {
    message->posted = *time;
    if (message->is_moved)
      end_receive(of, message, &over);
  } else {
    message->sent = *time += over.overhead;
    message->bytes = side->bytes;
    if (side->bytes <= over.rendezvous)
      message->send_end = message->sent;
  }
  return (int)(message - of->messages);
}

/// When it can leave, as far as its link is free; INT64_MAX: not known.
static int64_t get_ready(const agpu__emu_network *of,
                         const agpu__emu_message *message) {
  link over = get_link(&of->model, leaves_node(of, message->from, message->to));
  if (message->sent < 0)
    return INT64_MAX;
  if (message->bytes <= over.rendezvous)
    return message->sent;
  if (message->posted < 0)
    return INT64_MAX;
  return later(message->sent + over.latency, message->posted) + over.latency;
}

static void move(agpu__emu_network *of, agpu__emu_message *message,
                 int64_t ready) {
  bool leaves = leaves_node(of, message->from, message->to);
  link over = get_link(&of->model, leaves);
  int64_t *out = &of->out[leaves][message->from];
  int64_t *in = &of->in[leaves][message->to];
  int64_t begin = later(ready, *out);
  int64_t span = get_span(&over, (double)message->bytes);
  *out = begin + later(span, over.gap);
  *in = message->arrived = later(begin + over.latency, *in) + span;
  message->is_moved = true;
  ++of->moved;
  if (message->send_end < 0) {
    message->send_end = begin + span;
    wake(of, message->from, message->send_end);
  }
  if (message->posted >= 0)
    end_receive(of, message, &over);
}

/// Which of two that can leave at the same time does first: of one sender the
/// one that it has sent first.
static bool is_before(const agpu__emu_message *a, const agpu__emu_message *b) {
  if (a->from != b->from)
    return a->from < b->from;
  if (a->sent != b->sent)
    return a->sent < b->sent;
  if (a->to != b->to)
    return a->to < b->to;
  return a->tag != b->tag ? a->tag < b->tag : a->number < b->number;
}

/// The first of the messages that can leave, and when: INT64_MAX, none is
/// known.
static agpu__emu_message *find_first(agpu__emu_network *of,
                                     int64_t *out_ready) {
  agpu__emu_message *first = NULL;
  *out_ready = INT64_MAX;
  for (int i = 0; i < of->top; ++i) {
    agpu__emu_message *at = &of->messages[i];
    int64_t time = at->is_used && !at->is_moved ? get_ready(of, at) : INT64_MAX;
    if (time < *out_ready ||
        (first && time == *out_ready && is_before(at, first))) {
      *out_ready = time;
      first = at;
    }
  }
  return first;
}

void agpu__emu_network_release(agpu__emu_network *of, int message) {
  agpu__emu_message *at = &of->messages[message];
  at->is_used = --at->left > 0;
}

//===----------------------------------------------------------------------===//
// All ranks of a communicator
//===----------------------------------------------------------------------===//

/// What it takes from when the last rank has come and the links are free, and
/// how long it keeps these: for the bytes of a rank.
typedef struct cost {
  int64_t whole, kept;
} cost;

static cost least(cost a, cost b) { return b.whole < a.whole ? b : a; }

/// What the fastest of the usual algorithms takes (R. Thakur, R. Rabenseifner,
/// W. Gropp, "Optimization of collective communication operations in MPICH",
/// IJHPCA 19(1), 2005). Sums take no time.
static cost get_cost(const link *over, agpu__network_gathering kind,
                     int members, int64_t bytes) {
  int64_t rounds = 0, step = 2 * over->overhead + over->latency;
  while ((INT64_C(1) << rounds) < members)
    ++rounds;
  double size = (double)bytes, most = (double)(members - 1);
  int64_t part = get_span(over, size * most / (double)members);
  int64_t all = rounds * get_span(over, size);
  switch (kind) {
  case AGPU__NETWORK_BARRIER: return (cost){rounds * step, 0};
  case AGPU__NETWORK_REDUCE_SCATTER: return (cost){rounds * step + part, part};
  case AGPU__NETWORK_REDUCE: break;
  }
  cost doubling = {rounds * step + all, all};
  cost halving = {2 * (rounds * step + part), 2 * part};
  cost ring = {2 * ((int64_t)(members - 1) * step + part), 2 * part};
  return least(doubling, least(halving, ring));
}

/// The first of the communicator that the rank is not in, or a free one.
static agpu__emu_gathering *find_gathering(agpu__emu_network *of, int rank,
                                           agpu__network_gathering kind,
                                           uint64_t comm, int members) {
  agpu__emu_gathering *found = NULL, *unused = NULL;
  for (int i = 0; i < AGPU__EMU_MOST_GATHERINGS; ++i) {
    agpu__emu_gathering *at = &of->gatherings[i];
    if (!at->is_used && !unused)
      unused = at;
    if (at->is_used && at->comm == comm && !at->is_in[rank] &&
        at->joined < at->members && (!found || at->number < found->number))
      found = at;
  }
  if (found || !unused)
    return found;
  *unused = (agpu__emu_gathering){.is_used = true,
                                  .kind = kind,
                                  .members = members,
                                  .left = members,
                                  .first = rank,
                                  .comm = comm,
                                  .number = of->count++,
                                  .end = -1};
  return unused;
}

int agpu__emu_network_gather(agpu__emu_network *of, int rank,
                             agpu__network_gathering kind, uint64_t comm,
                             int members, int64_t bytes, int64_t time) {
  agpu__emu_gathering *at = find_gathering(of, rank, kind, comm, members);
  if (!at)
    return -1;
  at->is_in[rank] = true;
  at->is_spread |= leaves_node(of, at->first, rank);
  at->latest = later(at->latest, time);
  at->bytes = later(at->bytes, bytes);
  ++at->joined;
  return (int)(at - of->gatherings);
}

/// The first that all have joined, and that has no end yet; of those at the
/// same time the one of the first communicator. `*out_ready`: as of messages.
static agpu__emu_gathering *find_joined(agpu__emu_network *of,
                                        int64_t *out_ready) {
  agpu__emu_gathering *first = NULL;
  *out_ready = INT64_MAX;
  for (int i = 0; i < AGPU__EMU_MOST_GATHERINGS; ++i) {
    agpu__emu_gathering *at = &of->gatherings[i];
    if (!at->is_used || at->joined < at->members || at->end >= 0)
      continue;
    bool is_before =
        first && (at->comm != first->comm ? at->comm < first->comm
                                          : at->number < first->number);
    if (at->latest < *out_ready || (at->latest == *out_ready && is_before)) {
      *out_ready = at->latest;
      first = at;
    }
  }
  return first;
}

/// Its bytes wait for the links of all its ranks, and keep them.
static void gather(agpu__emu_network *of, agpu__emu_gathering *at) {
  link over = get_link(&of->model, at->is_spread);
  cost takes = get_cost(&over, at->kind, at->members, at->bytes);
  int64_t begin = at->latest;
  for (int i = 0; i < of->ranks && takes.kept; ++i)
    if (at->is_in[i])
      begin = later(begin, later(of->out[at->is_spread][i],
                                 of->in[at->is_spread][i] - over.latency));
  at->end = begin + takes.whole;
  for (int i = 0; i < of->ranks; ++i)
    if (at->is_in[i]) {
      if (takes.kept) {
        of->out[at->is_spread][i] = begin + takes.kept;
        of->in[at->is_spread][i] = begin + takes.kept + over.latency;
      }
      wake(of, i, at->end);
    }
  ++of->moved;
}

int64_t agpu__emu_network_settle(agpu__emu_network *of) {
  for (;;) {
    int64_t now = INT64_MAX, ready, joined;
    for (int i = 0; i < of->ranks; ++i)
      now = of->next[i] < now ? of->next[i] : now;
    agpu__emu_message *message = find_first(of, &ready);
    agpu__emu_gathering *gathering = find_joined(of, &joined);
    bool is_message = ready <= joined;
    ready = is_message ? ready : joined;
    // At the same time a rank may still begin something.
    if ((!message && !gathering) || ready >= now)
      return ready;
    if (is_message)
      move(of, message, ready);
    else
      gather(of, gathering);
  }
}

void agpu__emu_network_release_all(agpu__emu_network *of, int gathering) {
  agpu__emu_gathering *at = &of->gatherings[gathering];
  at->is_used = --at->left > 0;
}
