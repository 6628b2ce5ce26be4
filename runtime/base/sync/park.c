//===- park.c - Putting a thread to sleep -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built on Linux futexes. Bit 0 of the word says that the owner is, or is
// about to be, asleep in the kernel; a signaller that finds it set makes the
// system call that wakes. The kernel compares the word with the value the
// owner went to sleep on, so a signal between the owner's check and its sleep
// makes the sleep return at once.
//
// Memory orders: a signal is a release, and what the owner returns or clears it
// has read with acquire: it sees what was written before each signal whose bits
// it knows, and before each that it clears with them, as a second signal of a
// bit that is set leaves nothing else behind. In between it looks relaxed.
//
//===----------------------------------------------------------------------===//

#include "base/sync/park.h"

#include "base/os/clock.h"
#include "base/sync/schedule.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEEPING UINT32_C(1)

static void futex_wait(_Atomic(uint32_t) *word, uint32_t expected,
                       const struct timespec *timeout) {
  // Interruptions and stray wake-ups are dealt with by the caller's loop.
  (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout, NULL,
                0);
}

void agpu__parker_init(agpu__parker *parker) { *parker = (agpu__parker){0}; }

bool agpu__parker_set(agpu__parker *parker, uint32_t bits) {
  if (!parker->is_device)
    agpu__pass_wake(parker);
  // From here on the parker may be gone.
  return (atomic_fetch_or_explicit(&parker->word, bits, memory_order_release) &
          SLEEPING) != 0;
}

void agpu__parker_wake(agpu__parker *parker) {
  (void)syscall(SYS_futex, &parker->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void agpu__parker_signal(agpu__parker *parker, uint32_t bits) {
  if (agpu__parker_set(parker, bits))
    agpu__parker_wake(parker);
}

void agpu__parker_await_owner(agpu__parker *parker) {
  while (agpu__schedule_on() && !(parker->word & SLEEPING))
    (void)sched_yield();
}

uint32_t agpu__parker_poll(agpu__parker *parker) {
  return atomic_load_explicit(&parker->word, memory_order_acquire) & ~SLEEPING;
}

static uint32_t wait_until(agpu__parker *parker, uint32_t mask,
                           int64_t deadline_ns) {
  uint32_t bits = agpu__parker_poll(parker);
  if (bits & mask)
    return bits;
  do { // again, if it was woken for a bit of somebody else
    if (!parker->is_device)
      agpu__pass_sleep(parker);
    bits = SLEEPING | atomic_fetch_or_explicit(&parker->word, SLEEPING,
                                               memory_order_relaxed);
    if (bits & mask)
      break;
    if (deadline_ns < 0) {
      futex_wait(&parker->word, bits, NULL);
    } else {
      int64_t left = deadline_ns - agpu__clock_machine_ns();
      if (left <= 0)
        break;
      struct timespec timeout = {(time_t)(left / AGPU__NS_PER_SECOND),
                                 (long)(left % AGPU__NS_PER_SECOND)};
      futex_wait(&parker->word, bits, &timeout);
    }
    bits = atomic_load_explicit(&parker->word, memory_order_relaxed);
  } while (!(bits & mask));
  return atomic_fetch_and_explicit(&parker->word, ~SLEEPING,
                                   memory_order_acquire) &
         ~SLEEPING;
}

uint32_t agpu__parker_wait(agpu__parker *parker, uint32_t mask) {
  return wait_until(parker, mask, -1);
}

uint32_t agpu__parker_wait_for(agpu__parker *parker, uint32_t mask,
                               int64_t timeout_ns) {
  return wait_until(parker, mask, agpu__clock_machine_ns() + timeout_ns);
}

void agpu__parker_clear(agpu__parker *parker, uint32_t bits) {
  atomic_fetch_and_explicit(&parker->word, ~bits, memory_order_acquire);
}

void agpu__parker_pause(agpu__parker *parker, uint32_t mask, unsigned rounds,
                        int64_t most_ns) {
  enum { YIELD_ROUNDS = 64, MIN_PAUSE_NS = 10000 };
  if (rounds < YIELD_ROUNDS) {
    sched_yield();
    return;
  }
  int64_t pause_ns = MIN_PAUSE_NS;
  for (unsigned i = YIELD_ROUNDS; i < rounds && pause_ns < most_ns; ++i)
    pause_ns *= 2;
  (void)agpu__parker_wait_for(parker, mask,
                              pause_ns < most_ns ? pause_ns : most_ns);
}
