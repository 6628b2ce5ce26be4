//===- async.h - Work asynchronous to a block's threads --------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's mbarrier objects, and its asynchronous copies and products that are
// under way. A copy is made as late as the rules allow: when the thread that
// began it waits for it, or when nothing but the end of some copy lets a thread
// go on. Which one, of several, ends first is drawn where there is a seed. So
// what a program does not wait for, it does not get.
//
// For the thread that runs the block, and the blocks of its cluster.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_ASYNC_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_ASYNC_H

#include "emu/simt/phase.h"

/// A copy of cp.async, or an arrival after those before it.
typedef struct agpu__emu_copy {
  void *to; ///< the mbarrier object of an arrival
  const void *from;
  uint32_t bytes, copied; ///< 0 bytes: an arrival
  uint32_t group, flight; ///< the check's; 0: none
  const char *location;
} agpu__emu_copy;

/// A thread's copies, in the order in which they began.
typedef struct agpu__emu_copies {
  agpu__emu_copy *data;
  uint32_t count, closed; ///< closed: groups
  size_t capacity;
} agpu__emu_copies;

typedef struct agpu__emu_async {
  agpu__emu_phase *phases;
  size_t phase_count, phase_capacity;
  agpu__emu_copies *copies;     ///< of each thread; NULL: none has begun any
  uint32_t arrivals;            ///< among these
  struct agpu__emu_bulk *bulks; ///< copies in bulk (bulk.h)
  size_t bulk_count, bulk_capacity;
  uint32_t *bulk_closed;               ///< groups of each thread; NULL: none is
  struct agpu__emu_products *products; ///< of each thread (wgmma.h), or NULL
  struct agpu__emu_joint *joints;      ///< products (wgmma_joint.c)
  size_t joint_count, joint_capacity;
  uint32_t fruitless; ///< answers since something has changed
  uint8_t *cluster;   ///< each thread's agpu__emu_cluster_state; NULL: none has
  /// What is left to do when the threads have ended; NULL: nothing.
  void (*finish)(agpu__emu_runner *runner);
} agpu__emu_async;

/// The block has ended: forgets what is under way.
void agpu__emu_async_leave(agpu__emu_runner *runner);
void agpu__emu_async_destroy(agpu__emu_runner *runner);

/// The runner of the block in whose shared memory `place` is, of the calling
/// thread's; NULL: none.
agpu__emu_runner *agpu__emu_owner(const void *place);

/// The blocks of the cluster that the runner's block is of.
uint32_t agpu__emu_peer_count(const agpu__emu_runner *runner);
agpu__emu_runner *agpu__emu_peer(agpu__emu_runner *runner, uint32_t rank);

/// Closes the thread's open group of cp.async; ends all but the last `pending`
/// closed ones.
void agpu__emu_copies_commit(agpu__emu_runner *runner, uint32_t thread);
void agpu__emu_copies_wait(agpu__emu_runner *runner, uint32_t thread,
                           uint32_t pending);

/// Ends one of the copies that an mbarrier waits for. False: there is none.
bool agpu__emu_copies_end_one(agpu__emu_runner *runner);

/// No thread of the runner's block can go on by itself, nor by a barrier. Lets
/// threads go on whose wait is over; lets some work end; answers those that
/// only ask. False: there is nothing of the kind. The last fails the block
/// where threads wait in vain.
bool agpu__emu_async_release(agpu__emu_runner *runner);
bool agpu__emu_async_end_one(agpu__emu_runner *runner);
bool agpu__emu_async_answer(agpu__emu_runner *runner);

/// All of that, in this order, of a block that is in no cluster.
bool agpu__emu_async_go_on(agpu__emu_runner *runner);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_ASYNC_H
