//===- network.h - Messages in modelled time ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What modelled time (emu/model/ranks.h) is asked about messages between ranks,
// if there is any: the MPI library moves them, and the model says when that
// is over. Ranks are those of the world, times nanoseconds.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_NETWORK_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One side of a message. Sides of a communicator, sender, receiver and tag are
/// matched in the order in which they begin.
typedef struct agpu__network_side {
  uint64_t comm; ///< the same on all of its ranks
  int32_t peer, tag;
  int64_t bytes; ///< a sender's
  bool is_receive;
} agpu__network_side;

/// What all ranks of a communicator do.
typedef enum agpu__network_gathering {
  AGPU__NETWORK_BARRIER, ///< and what else moves next to nothing
  AGPU__NETWORK_REDUCE,
  AGPU__NETWORK_REDUCE_SCATTER,
} agpu__network_gathering;

typedef struct agpu__network_calls {
  size_t bytes; ///< of the memory that ranks share
  /// Makes the memory, of zeros, ready for `ranks` ranks of this process's
  /// model. One rank, before any other joins. False: those are too many.
  bool (*create)(void *shared, int ranks);
  /// This rank keeps the time of the others from now on. `poll` is called by
  /// threads that wait for them, with no lock. False: it has another model.
  bool (*join)(void *shared, int rank, void (*poll)(void));
  /// Whether a send to `peer` is over before there is a receive for it.
  bool (*is_eager)(int peer, int64_t bytes);
  /// `of` begins at the calling thread's clock, which goes on by what that
  /// takes: it is over when all of its sides are. Or it begins no sooner than
  /// `earliest`, with `members` ranks. False: no more can be under way.
  bool (*begin)(void *of, const agpu__network_side *sides, size_t count);
  bool (*begin_all)(void *of, agpu__network_gathering kind, uint64_t comm,
                    int members, int64_t bytes, int64_t earliest);
  /// What is over next, at the calling thread's clock then; NULL after a while
  /// in which nothing is. One thread.
  void *(*await)(void);
  /// The rank begins nothing more.
  void (*leave)(void);
} agpu__network_calls;

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_NETWORK_H
