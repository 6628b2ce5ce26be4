//===- ranks.c - Messages of ranks, matched -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dumps of two and three ranks are put together by hand, as runtime/mpi/trace.h
// says: in order and not, from any rank, with what has no other side, and of
// other runs.
//
//===----------------------------------------------------------------------===//

#include "trace/ranks.h"
#include "check.h"

#include <stdio.h>

enum { RANKS = 3, EVENTS = 32 };

/// A rank's dump: a thread, a track for the process and one for the world.
typedef struct made {
  agpu__dump dump;
  agpu__trace_event events[EVENTS];
  agpu__dump_piece piece;
  agpu__dump_track tracks[4];
  agpu__dump_thread thread;
  char name[64], world[64], other[64];
  size_t count;
  int64_t offset; ///< of its clock
} made;

static made all[RANKS];
static agpu__dump dumps[RANKS];
static agpu__ranks ranks;

/// Ranks of the world are reversed in the other communicator.
static void begin(int count) {
  memset(all, 0, sizeof all);
  for (int i = 0; i < count; ++i) {
    made *of = &all[i];
    snprintf(of->name, sizeof of->name, "rank %d of %d, job 00000000000000ab",
             i, count);
    snprintf(of->world, sizeof of->world, "%016x rank %d of %d", 0U, i, count);
    snprintf(of->other, sizeof of->other, "%016x rank %d of %d", 0xbeefU,
             count - 1 - i, count);
    of->tracks[0] = (agpu__dump_track){"MPI", of->name};
    of->tracks[1] = (agpu__dump_track){"MPI", "clock of all"};
    of->tracks[2] = (agpu__dump_track){"MPI", of->world};
    of->tracks[3] = (agpu__dump_track){"MPI", of->other};
  }
}

static void add_event(int rank, agpu__trace_event event) {
  made *of = &all[rank];
  CHECK(of->count < EVENTS);
  event.time += of->offset;
  of->events[of->count++] = event;
}

static uint64_t pack(int32_t peer, int32_t tag) {
  return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

enum { WORLD = 3, OTHER = 4 };

static void post(int rank, agpu__trace_kind kind, uint64_t id, int64_t time,
                 uint32_t comm, int32_t peer, int32_t tag, uint64_t number) {
  static const char name[] = "mpi.it";
  add_event(rank, (agpu__trace_event){
                      .time = time,
                      .kind = (uint16_t)kind,
                      .track = comm,
                      .id = id,
                      .flow = number,
                      .name = name,
                      .args = {(uintptr_t)"p.mlir:1:2", pack(peer, tag),
                               kind == AGPU__TRACE_COLLECTIVE}});
}

static void end(int rank, uint64_t id, int64_t time, int32_t peer, int32_t tag,
                uint64_t number) {
  add_event(rank, (agpu__trace_event){.time = time,
                                      .kind = AGPU__TRACE_MESSAGE_END,
                                      .track = WORLD,
                                      .id = id,
                                      .flow = number,
                                      .args = {pack(peer, tag), 64, 0}});
}

static const char *join(size_t count, size_t *out_at) {
  for (size_t i = 0; i < count; ++i) {
    made *of = &all[i];
    of->piece = (agpu__dump_piece){of->events, of->count, 0};
    of->thread = (agpu__dump_thread){.number = 1, .name = "main"};
    // The last rank comes first.
    dumps[count - 1 - i] =
        (agpu__dump){.pieces = {.data = &of->piece, .count = 1},
                     .tracks = {.data = of->tracks, .count = 4},
                     .threads = {.data = &of->thread, .count = 1},
                     .ended = "exit"};
  }
  return agpu__ranks_join(&ranks, dumps, count, out_at);
}

static void join_well(size_t count) {
  size_t at;
  const char *error = join(count, &at);
  if (error)
    fprintf(stderr, "%s\n", error);
  CHECK(!error);
  CHECK(!ranks.is_incomplete);
}

static const agpu__message *find(int rank, uint64_t id) {
  const agpu__message *messages = agpu__rank_messages(&ranks.all[rank]);
  for (size_t i = 0; i < ranks.all[rank].messages.count; ++i)
    if (messages[i].id == id)
      return &messages[i];
  CHECK(false);
  return NULL;
}

static void check_pair(int sender, uint64_t send, int receiver,
                       uint64_t receive) {
  const agpu__message *from = find(sender, send), *to = find(receiver, receive);
  CHECK_EQ(from->partner_rank, receiver);
  CHECK_EQ(to->partner_rank, sender);
  CHECK(&agpu__rank_messages(&ranks.all[receiver])[from->partner] == to);
  CHECK(&agpu__rank_messages(&ranks.all[sender])[to->partner] == from);
  CHECK_EQ(from->peer_rank, receiver);
  CHECK_EQ(to->peer_rank, sender);
}

/// Two sends of a channel, and one of another tag between them; the receives
/// end in the other order.
static void test_order(void) {
  begin(2);
  post(0, AGPU__TRACE_SEND, 1, 100, WORLD, 1, 7, 0);
  post(0, AGPU__TRACE_SEND, 2, 110, WORLD, 1, 8, 0);
  post(0, AGPU__TRACE_SEND, 3, 120, WORLD, 1, 7, 1);
  for (uint64_t id = 1; id <= 3; ++id)
    end(0, id, 130, 1, id == 2 ? 8 : 7, id == 3);
  post(1, AGPU__TRACE_RECEIVE, 11, 105, WORLD, 0, 7, 0);
  post(1, AGPU__TRACE_RECEIVE, 12, 106, WORLD, 0, 7, 1);
  post(1, AGPU__TRACE_RECEIVE, 13, 107, WORLD, 0, 8, 0);
  end(1, 13, 140, 0, 8, 0);
  end(1, 12, 150, 0, 7, 1);
  end(1, 11, 160, 0, 7, 0);
  join_well(2);
  check_pair(0, 1, 1, 11);
  check_pair(0, 3, 1, 12);
  check_pair(0, 2, 1, 13);
  CHECK_EQ(ranks.messages, 3);
  CHECK_EQ(ranks.lone_sends + ranks.lone_receives, 0);
  // The send of 12 began 14 later; that of 11 was there.
  CHECK_EQ(find(1, 12)->ready, 120);
  CHECK_EQ(find(1, 11)->ready, 105);
  CHECK_EQ(find(1, 12)->bytes, 64);
  // The receive was there 5 after the send, which was not over.
  CHECK_EQ(find(0, 1)->ready, 105);
  CHECK_STR(find(0, 1)->place, "p.mlir:1:2");
  agpu__ranks_free(&ranks);
}

/// Receives from any rank are numbered as they end, which is not the order in
/// which they got their messages.
static void test_any(void) {
  begin(2);
  for (uint64_t i = 0; i < 3; ++i) {
    post(0, AGPU__TRACE_SEND, 1 + i, 100 + (int64_t)i, WORLD, 1, 5, i);
    end(0, 1 + i, 110, 1, 5, i);
    bool is_any = i != 1;
    post(1, AGPU__TRACE_RECEIVE, 11 + i, 90 + (int64_t)i, WORLD,
         is_any ? -1 : 0, is_any ? -1 : 5, is_any ? UINT64_MAX : 0);
  }
  end(1, 13, 120, 0, 5, 1);
  end(1, 11, 130, 0, 5, 2);
  end(1, 12, 140, 0, 5, 0);
  join_well(2);
  for (uint64_t i = 0; i < 3; ++i)
    check_pair(0, 1 + i, 1, 11 + i);
  agpu__ranks_free(&ranks);
}

/// A communicator in which ranks have other numbers.
static void test_communicator(void) {
  begin(3);
  // Rank 0 is 2 there, and rank 2 is 0.
  post(0, AGPU__TRACE_SEND, 1, 100, OTHER, 0, 5, 0);
  end(0, 1, 110, 0, 5, 0);
  post(2, AGPU__TRACE_RECEIVE, 1, 100, OTHER, 2, 5, 0);
  end(2, 1, 120, 2, 5, 0);
  // The same numbers in the world are another channel.
  post(0, AGPU__TRACE_SEND, 2, 101, WORLD, 2, 5, 0);
  end(0, 2, 111, 2, 5, 0);
  post(2, AGPU__TRACE_RECEIVE, 2, 101, WORLD, 0, 5, 0);
  end(2, 2, 121, 0, 5, 0);
  join_well(3);
  check_pair(0, 1, 2, 1);
  check_pair(0, 2, 2, 2);
  CHECK_EQ(ranks.messages, 2);
  agpu__ranks_free(&ranks);
}

/// A send that nobody receives, and a receive that waits; messages to ranks
/// whose trace is not there are none of these.
static void test_lone(void) {
  char line[512];
  begin(3);
  post(0, AGPU__TRACE_SEND, 1, 100, WORLD, 1, 5, 0);
  end(0, 1, 110, 1, 5, 0);
  post(0, AGPU__TRACE_SEND, 2, 120, WORLD, 2, 5, 0);
  end(0, 2, 130, 2, 5, 0);
  post(1, AGPU__TRACE_RECEIVE, 1, 200, WORLD, 0, 6, 0);
  add_event(1, (agpu__trace_event){.time = 900, .kind = AGPU__TRACE_RAN});
  join_well(2); // the third one's is not given
  CHECK_EQ(ranks.messages, 0);
  CHECK_EQ(ranks.lone_sends, 1);
  CHECK_EQ(ranks.lone_receives, 1);
  CHECK(agpu__ranks_describe_lone(&ranks, line, sizeof line));
  CHECK_STR(line, "requests without the other side: 1 sends, 1 receives; the "
                  "first: mpi.it to rank 1, tag 5, of rank 0 at p.mlir:1:2");
  CHECK(!find(1, 1)->is_over);
  CHECK_EQ(find(1, 1)->end, 900);
  agpu__ranks_free(&ranks);
}

/// The trace of the receiver has lost the first two: numbers say which is the
/// third.
static void test_dropped(void) {
  begin(2);
  for (uint64_t i = 0; i < 3; ++i) {
    post(0, AGPU__TRACE_SEND, 1 + i, 100 + (int64_t)i, WORLD, 1, 5, i);
    end(0, 1 + i, 110, 1, 5, i);
  }
  post(1, AGPU__TRACE_RECEIVE, 13, 110, WORLD, 0, 5, 2);
  end(1, 13, 120, 0, 5, 2);
  join_well(2);
  check_pair(0, 3, 1, 13);
  CHECK_EQ(ranks.lone_sends, 2);
  agpu__ranks_free(&ranks);
}

/// Rank 2 comes last to the first operation, and rank 0 to the second; its
/// clock is far ahead.
static void test_collectives(void) {
  begin(3);
  all[2].offset = 5000000;
  all[2].tracks[1].name = "clock of another machine";
  for (int i = 0; i < 3; ++i) {
    post(i, AGPU__TRACE_COLLECTIVE, 1, 100 + 10 * i, WORLD, 0, 0, 0);
    end(i, 1, 125, 0, 0, 0);
    post(i, AGPU__TRACE_COLLECTIVE, 2, 230 - 10 * i, WORLD, 0, 0, 1);
    end(i, 2, 235, 0, 0, 1);
  }
  join_well(3);
  CHECK_EQ(ranks.collectives, 2);
  CHECK_EQ(ranks.clocks.contradictions, 0);
  const agpu__clock *clock = &ranks.all[2].clock;
  CHECK(clock->error > 0 && clock->error <= 20);
  CHECK(clock->offset - 5000000 <= clock->error &&
        5000000 - clock->offset <= clock->error);
  CHECK_EQ(ranks.all[0].lasts, 1);
  CHECK_EQ(ranks.all[2].lasts, 1);
  CHECK_EQ(find(1, 1)->partner_rank, 2);
  CHECK_EQ(find(1, 2)->partner_rank, 0);
  CHECK_EQ(find(1, 2)->ready, 230);
  // Events are of the first rank's clock now.
  CHECK_EQ(all[2].events[0].time, find(2, 1)->begin);
  agpu__ranks_free(&ranks);
}

/// The thread that asked for a request which another one started.
static void test_hand(void) {
  begin(2);
  add_event(0, (agpu__trace_event){
                   .time = 80, .kind = AGPU__TRACE_MESSAGE_HAND, .id = 1});
  post(0, AGPU__TRACE_SEND, 1, 100, WORLD, 1, 5, 0);
  join_well(2);
  CHECK_EQ(find(0, 1)->posted, 80);
  CHECK_EQ(find(0, 1)->begin, 100);
  agpu__ranks_free(&ranks);
}

static void check_refused(const char *expected, size_t expected_at) {
  size_t at;
  const char *error = join(2, &at);
  CHECK(error);
  CHECK_STR(error, expected);
  CHECK_EQ(at, expected_at);
  agpu__ranks_free(&ranks);
}

static void test_refused(void) {
  begin(2);
  all[1].name[strlen(all[1].name) - 1] = 'c';
  check_refused("it is of another run than the first trace", 0);
  begin(2);
  strcpy(all[1].name, all[0].name);
  check_refused("it is of the same rank as another trace", 1);
  begin(2);
  strcpy(all[1].name, "rank 4 of 2");
  check_refused("it is of a process that sends no messages by MPI: traces of "
                "the ranks of one run can be joined",
                0);
}

int main(void) {
  test_order();
  test_any();
  test_communicator();
  test_lone();
  test_dropped();
  test_collectives();
  test_hand();
  test_refused();
  return 0;
}
