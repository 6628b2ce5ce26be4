//===- rest.c - When the progress thread rests ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With requests under way the thread never sleeps for long: while others test
// it naps, to see whether they still do; else it yields for some rounds, and
// then sleeps for longer and longer. Without any it sleeps until it is woken.
//
// For a new request it is woken only if it sleeps for long: that is a call of
// the system, for each message of a program that has one at a time. It says
// that it naps, and before it sleeps for longer it says that it does not, and
// looks once more. Who adds a request counts it, and then looks what the thread
// has said. All of these are sequentially consistent, so one of the two sees
// what the other has done.
//
//===----------------------------------------------------------------------===//

#include "mpi/rest.h"

#include "base/report/assert.h"

#include <stdatomic.h>
#include <stddef.h>

#define POKE AGPU__PARK_BIT(0)
#define WAKE AGPU__PARK_BIT(1)
#define STOP AGPU__PARK_BIT(2)
#define ANY (POKE | WAKE | STOP)

/// A message takes some microseconds to come, and a thread that waits for it as
/// long as this more.
#define MAX_PAUSE_NS (100 * 1000)

/// Between looks whether others still test, and the rounds of yields that it
/// leaves out once they do not: they compute, or have poked it.
#define NAP_NS (1000 * 1000)
#define NAP_ROUNDS 64

/// What ranks tell each other of waits has time.
#define LISTEN_NS (20 * 1000 * 1000)

static struct {
  agpu__parker parker;
  /// The program's requests that have not ended, and above them how many have
  /// been added or removed: one write for a message's begin, and one for its
  /// end.
  _Atomic(uint64_t) programs;
  atomic_size_t others;
  void (*_Atomic notify)(void);
  atomic_bool naps;  // looks soon, without being woken
  atomic_uint tests; // of others
} self;

/// One more that was added or removed.
#define ACT (UINT64_C(1) << 32)

void agpu__mpi_pending_add(agpu__mpi_whose whose) {
  if (whose == AGPU__MPI_PROGRAMS) {
    atomic_fetch_add(&self.programs, ACT + 1);
  } else {
    // A piece is an act of the program's: a message goes on.
    atomic_fetch_add(&self.programs, ACT);
    atomic_fetch_add(&self.others, 1);
  }
}

void agpu__mpi_pending_set_notify(void (*notify)(void)) {
  atomic_store(&self.notify, notify);
}

void agpu__mpi_pending_remove(agpu__mpi_whose whose) {
  if (whose == AGPU__MPI_PROGRAMS) {
    uint32_t before = (uint32_t)atomic_fetch_add(&self.programs, ACT - 1);
    AGPU__ASSERT(before > 0 && "a request ends twice");
    if (before > 1)
      return;
  } else {
    atomic_fetch_sub(&self.others, 1);
  }
  void (*notify)(void) = atomic_load(&self.notify);
  if (notify && !agpu__mpi_pending())
    notify();
}

bool agpu__mpi_pending(void) {
  return agpu__mpi_pending_of_program() > 0 || atomic_load(&self.others) > 0;
}

uint32_t agpu__mpi_pending_of_program(void) {
  return (uint32_t)atomic_load(&self.programs);
}

uint64_t agpu__mpi_acts(void) { return atomic_load(&self.programs); }

void agpu__mpi_pending_forget(void) {
  atomic_store(&self.programs, 0);
  atomic_store(&self.others, 0);
}

void agpu__mpi_rest_wake(void) {
  if (!atomic_load(&self.naps))
    agpu__parker_signal(&self.parker, WAKE);
}

void agpu__mpi_rest_poke(void) { agpu__parker_signal(&self.parker, POKE); }

void agpu__mpi_rest_stop(void) { agpu__parker_signal(&self.parker, STOP); }

void agpu__mpi_rest_note_test(void) {
  // One thread at a time.
  atomic_store_explicit(
      &self.tests, atomic_load_explicit(&self.tests, memory_order_relaxed) + 1,
      memory_order_relaxed);
}

void agpu__mpi_rest_init(void) {
  agpu__parker_init(&self.parker);
  atomic_store(&self.naps, false);
}

void agpu__mpi_rest_begin(agpu__mpi_round *round) {
  uint32_t bits = agpu__parker_poll(&self.parker);
  agpu__parker_clear(&self.parker, POKE | WAKE);
  unsigned before = round->tests;
  round->tests = atomic_load_explicit(&self.tests, memory_order_relaxed);
  round->others_test = round->tests != before && !(bits & POKE);
  round->stops = bits & STOP;
}

void agpu__mpi_rest(agpu__mpi_round *round, bool listens) {
  if (round->others_test) {
    atomic_store(&self.naps, true);
    round->in_vain = NAP_ROUNDS;
    (void)agpu__parker_wait_for(&self.parker, ANY, NAP_NS);
  } else if (agpu__mpi_pending()) {
    atomic_store(&self.naps, true);
    agpu__parker_pause(&self.parker, ANY, round->in_vain++, MAX_PAUSE_NS);
  } else if (atomic_exchange(&self.naps, false)) {
    return; // looks once more
  } else if (listens) {
    (void)agpu__parker_wait_for(&self.parker, ANY, LISTEN_NS);
  } else {
    (void)agpu__parker_wait(&self.parker, ANY);
  }
}
