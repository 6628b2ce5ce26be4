//===- park_interleaved.c - Parkers in all interleavings ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/park.c"

#include "check.h"

#include <string.h>

int64_t agpu__clock_machine_ns(void) { return 0; }

#define A AGPU__PARK_BIT(0)
#define B AGPU__PARK_BIT(1)

static agpu__parker parker;
static int written[2]; // by each signaller, before its signal
static _Atomic(int) told[2];
static uint32_t left; // in the parker's memory, when it is gone

static void begin(void) {
  agpu__parker_init(&parker);
  memset(written, 0, sizeof(written));
  for (int i = 0; i < 2; ++i)
    atomic_init(&told[i], 0);
}

/// The owner's memory is someone else's from now on.
static void free_parker(void) {
  left = 0xABCDEF01;
  parker.word = left;
}

/// Thread 0 waits for both signals, one after the other, and then its parker is
/// gone; the others signal one each.
static void work(int thread) {
  if (thread == 0) {
    CHECK(agpu__parker_wait(&parker, A) & A);
    CHECK_EQ(written[0], 1);
    agpu__parker_clear(&parker, A);
    CHECK(agpu__parker_wait(&parker, B) & B);
    CHECK_EQ(written[1], 1);
    free_parker();
  } else {
    written[thread - 1] = 1;
    agpu__parker_signal(&parker, thread == 1 ? A : B);
  }
}

/// The owner sleeps again and again for one bit that it clears.
static void work_again(int thread) {
  if (thread == 0) {
    for (int i = 0; i < 2; ++i) {
      CHECK(agpu__parker_wait(&parker, A | B) & (A | B));
      uint32_t bits = agpu__parker_poll(&parker);
      agpu__parker_clear(&parker, bits);
      if (bits == (A | B))
        break;
    }
    CHECK(written[0] && written[1]);
    free_parker();
  } else {
    written[thread - 1] = 1;
    agpu__parker_signal(&parker, thread == 1 ? A : B);
  }
}

/// Both signallers give one bit: of two signals the owner may sleep through
/// one, if it looks at all of what was written once it has cleared the bit.
static void work_looking(int thread) {
  static _Atomic(int) *const said[] = {&told[0], &told[1]};
  if (thread == 0) {
    for (bool all = false; !all;) {
      CHECK(agpu__parker_wait(&parker, A) & A);
      agpu__parker_clear(&parker, A);
      all = true;
      for (int i = 0; i < 2; ++i)
        all &= atomic_load_explicit(said[i], memory_order_relaxed);
    }
    left = 0;
  } else {
    atomic_store_explicit(said[thread - 1], 1, memory_order_relaxed);
    agpu__parker_signal(&parker, A);
  }
}

/// A signal after the owner has looked stays.
static void end(void) { CHECK_EQ(parker.word & ~A, left & ~A); }

int main(void) {
  void (*const cases[])(int) = {work, work_again, work_looking};
  for (int i = 0; i < 3; ++i) {
    long runs = interleave(&(interleaving){.threads = 3,
                                           .preemptions = 4,
                                           .begin = begin,
                                           .run = cases[i],
                                           .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
