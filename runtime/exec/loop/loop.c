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
// The state of a loop is a word of
//
//   OPEN     threads may join
//   WAITED   the owner sleeps on its parker
//   JOINED   times the number of threads that have joined and not left
//
//   free ──acquire──▶ owned, 0 ──open──▶ OPEN + n JOINED ──close──▶ n JOINED
//    ▲                                                                 │
//    └───────────── n = 0, if need be after WAITED ◀───────────────────┘
//
// Invariant: the fields beside `state` and `owned` are written by the owner
// alone, and only while the state is 0. They are read by the owner, and by a
// thread between the swap that counted it in, which succeeds only on a state
// with OPEN, and the subtraction that counts it out.
//
// Orders: opening is a release, and joining a swap that acquires what it reads:
// the opening itself, or joins and leaves of the same opening, which as
// read-modify-writes carry its release on. (A state that is OPEN again by the
// time of the swap belongs to a loop opened later; the thread has then joined
// that one, and its fields are what it sees.) Leaving is a release, which the
// owner acquires when it reads a state without JOINED; so it sees what the
// iterations wrote.
//
// The owner sleeps only if it set WAITED in a state with JOINED left; the last
// to leave then sees WAITED in the same word and signals. It reads `owner`
// after it has left, which is allowed: until the signal the owner stays.
//
//===----------------------------------------------------------------------===//

#include "exec/loop/loop.h"

#include "base/os/platform.h"
#include "base/report/assert.h"
#include "base/sync/schedule.h"
#include "exec/executor.h"

#include <stddef.h>

#define OPEN 1u
#define WAITED 2u
#define JOINED 4u

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
  atomic_store_explicit(&loop->state, OPEN, memory_order_release);
  // Whoever hears it finds the loop.
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

static bool join(agpu__loop *loop) {
  unsigned state = atomic_load_explicit(&loop->state, memory_order_relaxed);
  while (state & OPEN)
    if (atomic_compare_exchange_weak_explicit(
            &loop->state, &state, state + JOINED, memory_order_acquire,
            memory_order_relaxed))
      return true;
  return false;
}

static void leave(agpu__loop *loop) {
  agpu__pass(AGPU__POINT_LOOP);
  unsigned before =
      atomic_fetch_sub_explicit(&loop->state, JOINED, memory_order_acq_rel);
  AGPU__ASSERT(before >= JOINED);
  if (before == (JOINED | WAITED))
    agpu__parker_signal(loop->owner, AGPU__EXEC_DONE);
}

void agpu__loop_join_all(uint32_t rank) {
  agpu__loop *loops = agpu__the_loops.all;
  for (size_t i = 0; i < AGPU__LOOPS; ++i)
    if (join(&loops[i])) {
      agpu__pass(AGPU__POINT_LOOP);
      agpu__loop_run(&loops[i], rank);
      leave(&loops[i]);
    }
}

void agpu__loop_close(agpu__loop *loop) {
  agpu__pass(AGPU__POINT_LOOP);
  unsigned state =
      atomic_fetch_and_explicit(&loop->state, ~OPEN, memory_order_acquire) &
      ~OPEN;
  for (int i = 0; state && i < AGPU__LOOP_END_POLLS; ++i) {
    agpu__pause();
    state = atomic_load_explicit(&loop->state, memory_order_acquire);
  }
  if (state) {
    agpu__parker parker;
    agpu__parker_init(&parker);
    loop->owner = &parker;
    state =
        atomic_fetch_or_explicit(&loop->state, WAITED, memory_order_acq_rel);
    if (state)
      agpu__exec_wait(&parker, (agpu__wanted){0});
    atomic_store_explicit(&loop->state, 0, memory_order_relaxed);
  }
  atomic_store_explicit(&loop->owned, false, memory_order_release);
}

uint32_t agpu__loop_bell(void) {
  return atomic_load_explicit(&agpu__the_loops.bell, memory_order_seq_cst);
}

void agpu__loop_forget_all(void) {
  agpu__loop *loops = agpu__the_loops.all;
  for (size_t i = 0; i < AGPU__LOOPS; ++i) {
    atomic_store_explicit(&loops[i].state, 0, memory_order_relaxed);
    atomic_store_explicit(&loops[i].owned, false, memory_order_relaxed);
  }
}
