//===- litmus_interleaved.c - What the tests' weak memory can show --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small programs by which memory models are told apart: what C11 allows has
// to be seen in some run, and what it forbids in none. It is for memory as
// weak_memory.c has it.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "check.h"
#include "child.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define SC memory_order_seq_cst

static atomic_int x, y;
static int plain;
static int result[4];
static int outcome[2]; ///< whether it was seen: the weak one, any other

static void begin(void) {
  atomic_init(&x, 0);
  atomic_init(&y, 0);
  plain = 0;
  for (int i = 0; i < 4; ++i)
    result[i] = 0;
}

/// Store buffering: each writes one, and does not see the other's.
#define STORE_BUFFERING(name, store, load)                                     \
  static void name(int thread) {                                               \
    atomic_store_explicit(thread ? &y : &x, 1, store);                         \
    result[thread] = atomic_load_explicit(thread ? &x : &y, load);             \
  }
STORE_BUFFERING(buffer_relaxed, RLX, RLX)
STORE_BUFFERING(buffer_released, REL, ACQ)
STORE_BUFFERING(buffer_consistent, SC, SC)
STORE_BUFFERING(buffer_half, SC, ACQ)

/// One of the two has a barrier made for both.
static void buffer_barrier(int thread) {
  atomic_store_explicit(thread ? &y : &x, 1, RLX);
  if (thread)
    interleave_barrier();
  result[thread] = atomic_load_explicit(thread ? &x : &y, RLX);
}

static void end_buffer(void) { ++outcome[result[0] || result[1]]; }

/// Message passing: the flag is seen, and what was written before it is not.
#define MESSAGE(name, store, load)                                             \
  static void name(int thread) {                                               \
    if (thread == 0) {                                                         \
      atomic_store_explicit(&x, 1, RLX);                                       \
      atomic_store_explicit(&y, 1, store);                                     \
    } else {                                                                   \
      result[0] = atomic_load_explicit(&y, load);                              \
      result[1] = atomic_load_explicit(&x, RLX);                               \
    }                                                                          \
  }
MESSAGE(message_relaxed, RLX, RLX)
MESSAGE(message_unreleased, RLX, ACQ)
MESSAGE(message_unacquired, REL, RLX)
MESSAGE(message, REL, ACQ)

/// The same, where who waits for the flag is told by someone else that it is
/// there: by nothing that the threads do, or as one who has seen it all.
static bool is_written(const void *unused) {
  (void)unused;
  return atomic_load_explicit(&y, RLX) != 0;
}

#define WAITED(name, wait)                                                     \
  static void name(int thread) {                                               \
    if (thread == 0) {                                                         \
      atomic_store_explicit(&x, 1, RLX);                                       \
      atomic_store_explicit(&y, 1, REL);                                       \
    } else {                                                                   \
      wait(is_written, NULL);                                                  \
      result[0] = 1;                                                           \
      result[1] = atomic_load_explicit(&x, RLX);                               \
    }                                                                          \
  }
WAITED(message_rested, interleave_rest)
WAITED(message_blocked, interleave_block)

static void end_message(void) { ++outcome[!(result[0] && !result[1])]; }

/// The same, where another thread adds to the flag before it is read.
static void message_through_add(int thread) {
  if (thread == 2) {
    atomic_fetch_add_explicit(&y, 1, RLX);
    return;
  }
  if (thread == 0) {
    atomic_store_explicit(&x, 1, RLX);
    atomic_store_explicit(&y, 1, REL);
    return;
  }
  result[0] = atomic_load_explicit(&y, ACQ) == 2;
  result[1] = atomic_load_explicit(&x, RLX);
}

/// The same, where it is overwritten instead.
static void message_overwritten(int thread) {
  if (thread == 2) {
    if (atomic_load_explicit(&y, RLX) == 1)
      atomic_store_explicit(&y, 2, RLX);
    return;
  }
  message_through_add(thread);
}

/// One thread reads one object twice, and never gets older.
static void coherence(int thread) {
  if (thread == 0) {
    atomic_store_explicit(&x, 1, RLX);
    atomic_store_explicit(&x, 2, RLX);
  } else {
    result[0] = atomic_load_explicit(&x, RLX);
    result[1] = atomic_load_explicit(&x, RLX);
  }
}

static void end_coherence(void) { ++outcome[result[1] >= result[0]]; }

/// Two threads see the writes of two others in different orders.
#define INDEPENDENT(name, store, load)                                         \
  static void name(int thread) {                                               \
    if (thread < 2) {                                                          \
      atomic_store_explicit(thread ? &y : &x, 1, store);                       \
      return;                                                                  \
    }                                                                          \
    result[thread * 2 - 4] =                                                   \
        atomic_load_explicit(thread == 2 ? &x : &y, load);                     \
    result[thread * 2 - 3] =                                                   \
        atomic_load_explicit(thread == 2 ? &y : &x, load);                     \
  }
INDEPENDENT(independent_released, REL, ACQ)
INDEPENDENT(independent_consistent, SC, SC)

static void end_independent(void) {
  ++outcome[!(result[0] && !result[1] && result[2] && !result[3])];
}

/// Both add, and one of the two is lost.
static void add(int thread) {
  (void)thread;
  atomic_fetch_add_explicit(&x, 1, RLX);
}

static void end_add(void) { ++outcome[x == 2]; }

static void check(const char *what, int threads, void (*run)(int),
                  void (*end)(void), bool allowed) {
  outcome[0] = outcome[1] = 0;
  long runs = interleave(&(interleaving){.threads = threads,
                                         .preemptions = 3,
                                         .begin = begin,
                                         .run = run,
                                         .end = end});
  printf("%s: %ld runs, %s\n", what, runs, outcome[0] ? "seen" : "not seen");
  CHECK(outcome[1] > 0);
  CHECK_EQ(outcome[0] > 0, allowed);
}

//===----------------------------------------------------------------------===//
// Races of plain accesses end the test
//===----------------------------------------------------------------------===//

#define PUBLISH(name, store, load)                                             \
  static void name(int thread) {                                               \
    if (thread == 0) {                                                         \
      plain = 1;                                                               \
      atomic_store_explicit(&y, 1, store);                                     \
    } else if (atomic_load_explicit(&y, load)) {                               \
      CHECK_EQ(plain, 1);                                                      \
    }                                                                          \
  }
PUBLISH(publish, REL, ACQ)
PUBLISH(publish_unacquired, REL, RLX)
PUBLISH(publish_unreleased, RLX, ACQ)

static void nothing(void) {}

static void search(void (*run)(int)) {
  (void)interleave(&(interleaving){.threads = 2,
                                   .preemptions = 3,
                                   .begin = begin,
                                   .run = run,
                                   .end = nothing});
}

static void race_unacquired(void) { search(publish_unacquired); }
static void race_unreleased(void) { search(publish_unreleased); }

int main(void) {
  check("store buffering, relaxed", 2, buffer_relaxed, end_buffer, true);
  check("store buffering, release and acquire", 2, buffer_released, end_buffer,
        true);
  check("store buffering, one side consistent", 2, buffer_half, end_buffer,
        true);
  check("store buffering, consistent", 2, buffer_consistent, end_buffer, false);
  check("store buffering, a barrier of all", 2, buffer_barrier, end_buffer,
        false);
  check("message, relaxed", 2, message_relaxed, end_message, true);
  check("message, not released", 2, message_unreleased, end_message, true);
  check("message, not acquired", 2, message_unacquired, end_message, true);
  check("message", 2, message, end_message, false);
  check("message, waited for", 2, message_rested, end_message, true);
  check("message, waited for and all seen", 2, message_blocked, end_message,
        false);
  check("message, added to", 3, message_through_add, end_message, false);
  check("message, overwritten", 3, message_overwritten, end_message, true);
  check("coherence", 2, coherence, end_coherence, false);
  check("independent writes, release and acquire", 4, independent_released,
        end_independent, true);
  check("independent writes, consistent", 4, independent_consistent,
        end_independent, false);
  check("additions", 2, add, end_add, false);
  search(publish);
  static void (*const races[])(void) = {race_unacquired, race_unreleased};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    CHECK_EQ(child_exit(races[i], text, sizeof(text)), 1);
    CHECK(strstr(text, "race at"));
  }
  return 0;
}
