//===- ranks.h - The ranks of a run -------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dumps of processes that send each other messages (runtime/mpi/trace.h), put
// together: requests of all, sends with their receives, collective operations
// with those of other ranks, and one clock. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_RANKS_H
#define ASYNC_GPU_TOOLS_TRACE_RANKS_H

#include "trace/clocks.h"
#include "trace/dump.h"

/// A request of MPI. Times are its rank's clock's until ranks are joined.
typedef struct agpu__message {
  agpu__trace_kind kind; ///< SEND, RECEIVE, COLLECTIVE
  uint64_t id, number;   ///< in the process; in its channel
  uint64_t comm;         ///< of the communicator: the same on all its ranks
  int32_t peer, tag;     ///< a rank of the communicator; negative: any
  int32_t peer_rank;     ///< in the world; -1: not known
  uint64_t bytes;
  const char *name, *place; ///< the dump's
  int64_t begin, end;       ///< of what has not ended: the end of the dump
  int64_t ready;            ///< when all that take part had begun it
  int64_t posted;           ///< when it was asked for, on `post_thread`
  size_t post_thread, end_thread;
  bool is_over, has_failed, waits_for_all;
  /// The other side of a message, or the last rank to begin a collective
  /// operation, as indices; SIZE_MAX: there is none here.
  size_t partner_rank, partner;
} agpu__message;

/// A communicator, as a rank is in it.
typedef struct agpu__rank_comm {
  uint64_t id;
  uint32_t track;
  int32_t rank, size;
} agpu__rank_comm;

typedef struct agpu__rank {
  agpu__dump *dump;
  int rank, size;      ///< in the world; size 0: the dump has none
  uint64_t job;        ///< the same for all ranks of a run
  const char *machine; ///< NULL: not known
  agpu__clock clock;
  agpu__trace_array comms;    ///< agpu__rank_comm
  agpu__trace_array messages; ///< agpu__message, by begin
  size_t lasts; ///< collective operations that waited for this one last
} agpu__rank;

typedef struct agpu__ranks {
  agpu__rank *all; ///< by number
  size_t count;
  size_t messages;                  ///< that have both sides
  size_t collectives;               ///< that all ranks took part in
  size_t lone_sends, lone_receives; ///< without the other side, which is here
  const agpu__rank *lone_rank;      ///< of the first of these, or NULL
  const agpu__message *lone;
  agpu__clocks_found clocks;
  bool is_incomplete; ///< memory was out
} agpu__ranks;

/// What the dump, which has to be there as long as `self`, says of its rank.
/// False where memory is out: the arrays are to be freed all the same.
bool agpu__rank_read(agpu__rank *self, agpu__dump *dump);

/// Takes the dumps, in any order, which have to be there until
/// agpu__ranks_free. Several have to be of different ranks of one run. Returns
/// NULL, or why they cannot be joined: `*out_at` is a dump to blame. Times of
/// events, in the dumps, become those of the first rank's clock.
const char *agpu__ranks_join(agpu__ranks *out_ranks, agpu__dump *dumps,
                             size_t count, size_t *out_at);

void agpu__ranks_free(agpu__ranks *ranks);

/// Says into `line` which messages have no other side. False: all have one.
bool agpu__ranks_describe_lone(const agpu__ranks *ranks, char *line,
                               size_t size);

/// The rank of that number, or NULL.
const agpu__rank *agpu__ranks_find(const agpu__ranks *ranks, int32_t rank);

/// Elements of `messages`.
static inline agpu__message *agpu__rank_messages(const agpu__rank *rank) {
  return rank->messages.data;
}

#endif // ASYNC_GPU_TOOLS_TRACE_RANKS_H
