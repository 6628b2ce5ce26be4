//===- network.h - Messages of modelled ranks ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When messages arrive, by LogGP (A. Alexandrov et al., "LogGP: incorporating
// long messages into the LogP model", SPAA 1995) and its rendezvous of long
// messages (LogGPS: F. Ino et al., PPoPP 2001). It lies in memory that all
// ranks share, and each of them goes on with it.
//
// A message is moved once no rank can begin anything that comes before it: the
// time does not depend on which rank came first in real time. For that each
// rank says before when it begins nothing. That is the conservative simulation
// of K. M. Chandy and J. Misra ("Distributed simulation", IEEE TSE 5(5), 1979)
// with one list of events for all.
//
// All of it is called under the lock.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_NETWORK_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_NETWORK_H

#include "base/sync/network.h"
#include "emu/model/model.h"

#include <pthread.h>

enum {
  AGPU__EMU_MOST_RANKS = 256,
  AGPU__EMU_MOST_MESSAGES = 8192,
  AGPU__EMU_MOST_GATHERINGS = 256
};

typedef struct agpu__emu_message {
  bool is_used, is_moved;
  int8_t left; ///< sides that have not been released
  int32_t from, to, tag;
  uint64_t comm, number; ///< by the side that began first
  int64_t bytes;
  int64_t sent, posted;          ///< -1: not yet
  int64_t arrived;               ///< once it is moved
  int64_t send_end, receive_end; ///< -1: not known
} agpu__emu_message;

typedef struct agpu__emu_gathering {
  bool is_used, is_spread; ///< over several nodes
  agpu__network_gathering kind;
  bool is_in[AGPU__EMU_MOST_RANKS];
  int32_t members, joined, left, first;
  uint64_t comm, number;
  int64_t bytes, latest, end; ///< the last: -1: not known
} agpu__emu_gathering;

typedef struct agpu__emu_network {
  pthread_mutex_t lock;
  _Atomic(uint32_t) changes; ///< a futex
  int32_t ranks;
  agpu__emu_model model;              ///< of all
  int64_t next[AGPU__EMU_MOST_RANKS]; ///< what a rank begins comes no sooner
  // From when on a rank's links to the node's ranks, and to others, are free.
  int64_t out[2][AGPU__EMU_MOST_RANKS], in[2][AGPU__EMU_MOST_RANKS];
  uint64_t count, moved; ///< begun so far, and of messages moved
  int top;               ///< of messages that were ever used
  agpu__emu_message messages[AGPU__EMU_MOST_MESSAGES];
  agpu__emu_gathering gatherings[AGPU__EMU_MOST_GATHERINGS];
} agpu__emu_network;

/// No rank's message takes less.
int64_t agpu__emu_network_least(const agpu__emu_network *of);

bool agpu__emu_network_is_eager(const agpu__emu_network *of, int from, int to,
                                int64_t bytes);

/// A side of rank `rank` begins at `*time`, which a send moves on by the
/// overhead. The message's index, or -1: there is no room.
int agpu__emu_network_begin(agpu__emu_network *of, int rank,
                            const agpu__network_side *side, int64_t *time);

/// The same of what all ranks of a communicator do.
int agpu__emu_network_gather(agpu__emu_network *of, int rank,
                             agpu__network_gathering kind, uint64_t comm,
                             int members, int64_t bytes, int64_t time);

/// The side is known to be over, or what all do.
void agpu__emu_network_release(agpu__emu_network *of, int message);
void agpu__emu_network_release_all(agpu__emu_network *of, int gathering);

/// Moves what can be moved. When the next message can be, INT64_MAX: none is
/// known.
int64_t agpu__emu_network_settle(agpu__emu_network *of);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_NETWORK_H
