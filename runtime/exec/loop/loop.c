//===- loop.c - Loops that threads can join -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops lie in a static array, so that a thread that comes late finds a loop
// that is closed, or another one, and never freed memory.
//
// Each thread that joins loops has a rank, and with it a place, a word that it
// writes and the owners of loops read: threads that join and leave at the same
// time do not wait for each other's cache lines.
//
//   a thread joins:     place = loop;  if loop.open: is in;  else leaves
//   a thread leaves:    place = 0
//   the owner closes:   loop.open = false;  until no place = loop: waits
//
// Invariant: the fields of a loop beside `open` and `owned` are written by the
// owner alone, before it opens the loop. They are read by the owner, and by a
// thread that is in.
//
// Orders: the four accesses to `place` and `open` at joining and closing are
// sequentially consistent, so that either the thread finds the loop closed, or
// the owner finds the thread in its place. (A loop that is open again by then
// has been opened later; the thread has joined that one, and its fields are
// what it sees.) Leaving is a release, which the owner acquires when it reads
// another value; so it sees what the iterations wrote. Where that value is of a
// thread that has got the rank since, giving and taking it have carried this
// on. The owner looks at places of ranks that are taken: a thread that took its
// rank after that finds the loop closed, and one that gave it back before has
// left.
//
// Before the owner sleeps it marks the places that are still at its loop; those
// who leave them see that, and the last signals. It counts them from 1, so that
// none of them is the last before the owner has marked all.
//
//===----------------------------------------------------------------------===//

#include "exec/loop/loop.h"

#include "base/os/platform.h"
#include "base/report/assert.h"
#include "base/sync/schedule.h"
#include "exec/executor.h"

#include <stddef.h>

/// In a place: the owner of the loop sleeps.
#define WAITED 0x80000000u

/// Polls for a loop's end before the owner sleeps: some tens of microseconds,
/// about what going to sleep and being woken costs.
#ifndef AGPU__LOOP_END_POLLS // a test has few
#define AGPU__LOOP_END_POLLS 1000
#endif

agpu__loops agpu__the_loops = {.ranks = 1};

agpu__loop *agpu__loop_acquire(void) {
  agpu__loop *loops = agpu__the_loops.all;
  for (size_t i = 0; i < AGPU__LOOPS; ++i)
    if (!atomic_load_explicit(&loops[i].owned, memory_order_relaxed) &&
        !atomic_exchange_explicit(&loops[i].owned, true, memory_order_acquire))
      return &loops[i];
  return NULL;
}

void agpu__loop_open(agpu__loop *loop) {
  AGPU__ASSERT(loop->unit_count > 0 && loop->range_count > 0 &&
               loop->range_count <= AGPU__LOOP_RANGES);
  for (uint32_t i = 0; i < loop->range_count; ++i) {
    uint64_t units = loop->unit_count;
    agpu__range_set(&loop->ranges[i], (uint32_t)(units * i / loop->range_count),
                    (uint32_t)(units * (i + 1) / loop->range_count));
  }
  agpu__pass(AGPU__POINT_LOOP);
  atomic_store_explicit(&loop->open, true, memory_order_release);
  // A woken thread finds the loop.
  atomic_fetch_add_explicit(&agpu__the_loops.bell, 1, memory_order_seq_cst);
}

static void run_piece(agpu__loop *loop, agpu__piece piece) {
  bool last = piece.end == loop->unit_count;
  loop->body(loop->context, piece.begin * loop->unit,
             last ? loop->count : piece.end * loop->unit);
}

void agpu__loop_run(agpu__loop *loop, uint32_t rank) {
  uint32_t own = rank % loop->range_count;
  agpu__piece piece;
  while (agpu__range_take(&loop->ranges[own], /*front=*/true, &piece))
    run_piece(loop, piece);
  for (uint32_t i = 1; i < loop->range_count; ++i) {
    agpu__range *other = &loop->ranges[(own + i) % loop->range_count];
    while (agpu__range_take(other, /*front=*/false, &piece))
      run_piece(loop, piece);
  }
}

uint32_t agpu__loop_take_rank(void) {
  uint64_t taken =
      atomic_load_explicit(&agpu__the_loops.ranks, memory_order_relaxed);
  while (~taken) {
    uint32_t rank = (uint32_t)__builtin_ctzll(~taken);
    if (atomic_compare_exchange_weak_explicit(
            &agpu__the_loops.ranks, &taken, taken | UINT64_C(1) << rank,
            memory_order_seq_cst, memory_order_relaxed))
      return rank;
  }
  return 0;
}

void agpu__loop_give_rank(uint32_t rank) {
  if (rank)
    atomic_fetch_and_explicit(&agpu__the_loops.ranks, ~(UINT64_C(1) << rank),
                              memory_order_release);
}

static unsigned number_of(const agpu__loop *loop) {
  return (unsigned)(loop - agpu__the_loops.all) + 1;
}

static atomic_uint *place_of(uint32_t rank) {
  return &agpu__the_loops.places[rank].loop;
}

static void leave(agpu__loop *loop, atomic_uint *place) {
  agpu__pass(AGPU__POINT_LOOP);
  unsigned before = atomic_exchange_explicit(place, 0, memory_order_acq_rel);
  AGPU__ASSERT((before & ~WAITED) == number_of(loop));
  if ((before & WAITED) && atomic_fetch_sub_explicit(&loop->waited_for, 1,
                                                     memory_order_acq_rel) == 1)
    agpu__parker_signal(loop->owner, AGPU__EXEC_DONE);
}

void agpu__loop_join_all(uint32_t rank) {
  AGPU__ASSERT(rank > 0);
  agpu__loop *loops = agpu__the_loops.all;
  atomic_uint *place = place_of(rank);
  for (size_t i = 0; i < AGPU__LOOPS; ++i) {
    if (!atomic_load_explicit(&loops[i].open, memory_order_relaxed))
      continue;
    atomic_store_explicit(place, number_of(&loops[i]), memory_order_seq_cst);
    agpu__pass(AGPU__POINT_LOOP);
    if (atomic_load_explicit(&loops[i].open, memory_order_seq_cst))
      agpu__loop_run(&loops[i], rank);
    leave(&loops[i], place);
  }
}

/// Those of `ranks` whose threads are in the loop.
static uint64_t find_those_in(agpu__loop *loop, uint64_t ranks) {
  uint64_t in = 0;
  for (uint64_t left = ranks; left; left &= left - 1) {
    uint32_t rank = (uint32_t)__builtin_ctzll(left);
    if (atomic_load_explicit(place_of(rank), memory_order_seq_cst) ==
        number_of(loop))
      in |= UINT64_C(1) << rank;
  }
  return in;
}

/// Sleeps until the last of them has left.
static void wait_for(agpu__loop *loop, uint64_t ranks) {
  agpu__parker parker;
  agpu__parker_init(&parker);
  loop->owner = &parker;
  atomic_store_explicit(&loop->waited_for, 1, memory_order_relaxed);
  for (; ranks; ranks &= ranks - 1) {
    unsigned here = number_of(loop);
    atomic_fetch_add_explicit(&loop->waited_for, 1, memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(
            place_of((uint32_t)__builtin_ctzll(ranks)), &here, here | WAITED,
            memory_order_release, memory_order_acquire))
      atomic_fetch_sub_explicit(&loop->waited_for, 1, memory_order_relaxed);
  }
  if (atomic_fetch_sub_explicit(&loop->waited_for, 1, memory_order_acquire) > 1)
    agpu__exec_wait(&parker, (agpu__wanted){0});
}

void agpu__loop_close(agpu__loop *loop) {
  agpu__pass(AGPU__POINT_LOOP);
  atomic_store_explicit(&loop->open, false, memory_order_seq_cst);
  uint64_t ranks = find_those_in(
      loop, atomic_load_explicit(&agpu__the_loops.ranks, memory_order_seq_cst) &
                ~UINT64_C(1));
  for (int i = 0; ranks && i < AGPU__LOOP_END_POLLS; ++i) {
    agpu__pause();
    ranks = find_those_in(loop, ranks);
  }
  if (ranks)
    wait_for(loop, ranks);
  atomic_store_explicit(&loop->owned, false, memory_order_release);
}

uint32_t agpu__loop_bell(void) {
  return atomic_load_explicit(&agpu__the_loops.bell, memory_order_seq_cst);
}

void agpu__loop_forget_all(void) {
  agpu__loop *loops = agpu__the_loops.all;
  for (size_t i = 0; i < AGPU__LOOPS; ++i) {
    atomic_store_explicit(&loops[i].open, false, memory_order_relaxed);
    atomic_store_explicit(&loops[i].owned, false, memory_order_relaxed);
  }
  for (uint32_t rank = 0; rank < AGPU__LOOP_RANGES; ++rank)
    atomic_store_explicit(place_of(rank), 0, memory_order_relaxed);
  atomic_store_explicit(&agpu__the_loops.ranks, 1, memory_order_relaxed);
}
