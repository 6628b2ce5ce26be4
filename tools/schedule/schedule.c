//===- schedule.c - Schedules of the host drawn from a seed ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A seed draws three things.
//
// Turns. Each thread has a priority, and passes a point only when no thread of
// a higher one runs: one that neither sleeps nor is in the program's own hands.
// The priority of a thread that passes a point falls below all others' at
// points that are drawn (S. Burckhardt, P. Kothari, M. Musuvathi and S.
// Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding
// bugs", ASPLOS 2010: a fault that needs d orderings is found with a
// probability that falls with the d-th power of the number of points, whereas
// pauses hardly ever make one thread wait for long). Which threads run is known
// from the points: what is woken counts as running at once, and a thread that
// has passed none for PATIENCE_NS is away, in code that the runtime does not
// know, until it comes back. There a schedule depends on more than the seed.
//
// Pauses. A thread sleeps for some microseconds, or leaves its CPU, at some
// points often, at others seldom or never. Less and less, so that a long
// program ends.
//
// Choices. Where the executor could do one thing or another, agpu__stray lets
// it do what it seldom does.
//
// A third of the seeds have turns alone, a third pauses alone, the others both;
// choices are in all of them. Each thread draws numbers of its own, so that
// they do not depend on the others.
//
//===----------------------------------------------------------------------===//

#include "base/sync/schedule.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Threads beyond that do not take turns.
#define THREADS 256

#define PATIENCE_NS (1000 * 1000)

/// Points from which on turns are taken only in one of eight stretches of
/// STRETCH points: a long program should end.
#define ALL_TURNS (UINT64_C(1) << 16)
#define STRETCH (UINT64_C(1) << 12)

/// Pauses of a thread after which they get half as many.
#define PAUSES 512

typedef enum thread_state {
  FREE,    ///< no thread
  RUNNING, ///< between two points
  AT_POINT,
  ASLEEP,
  AWAY, ///< between two points, for long
} thread_state;

typedef struct thread_slot {
  thread_state state;
  int64_t priority;  ///< the highest goes first
  uint64_t passed;   ///< points
  const void *place; ///< where it sleeps
} thread_slot;

static struct {
  // Written by begin, before the runtime asks for anything, and then only where
  // the setting is another: threads of devices may be here already.
  int64_t setting;
  uint64_t seed;
  bool has_turns, has_pauses;
  /// One in so many passes pauses; 0: none does.
  uint32_t pause_one_in[AGPU__POINTS];
  uint32_t stray_one_in[AGPU__POINTS];
  /// Numbers drawn that are no thread's.
  _Atomic(uint64_t) draws;

  pthread_key_t at_end; ///< of a thread that has a slot
  pthread_mutex_t lock; ///< of what follows
  pthread_cond_t changed;
  thread_slot threads[THREADS];
  /// Slots that ever were used.
  size_t thread_count;
  int waiting;     ///< threads at points
  uint64_t passed; ///< points
  uint64_t next_change;
  int64_t lowest; ///< priority given so far
} schedule = {.setting = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
  size_t slot; ///< from 1; 0: none
  uint64_t random;
  uint32_t pauses;
} own;

static void lock(void) { (void)pthread_mutex_lock(&schedule.lock); }
static void unlock(void) { (void)pthread_mutex_unlock(&schedule.lock); }

/// splitmix64.
static uint64_t mix(uint64_t x) {
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static uint64_t draw(void) {
  uint64_t number =
      atomic_fetch_add_explicit(&schedule.draws, 1, memory_order_relaxed) + 1;
  return mix(schedule.seed ^ mix(number));
}

static uint64_t draw_own(void) {
  if (own.random == 0)
    own.random = draw();
  own.random += UINT64_C(0x9E3779B97F4A7C15);
  return mix(own.random);
}

/// From 2^least to 2^most, each power as likely as the others.
static uint64_t draw_length(uint64_t random, unsigned least, unsigned most) {
  unsigned power = least + (unsigned)(random % (most - least + 1));
  return (UINT64_C(1) << power) +
         ((random >> 8) & ((UINT64_C(1) << power) - 1));
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

static void tell_others(void) {
  if (schedule.waiting > 0)
    (void)pthread_cond_broadcast(&schedule.changed);
}

/// At the end of a thread.
static void leave(void *unused) {
  (void)unused;
  lock();
  if (own.slot)
    schedule.threads[own.slot - 1].state = FREE;
  own.slot = 0;
  tell_others();
  unlock();
}

/// The calling thread's slot; NULL where there is none left.
static thread_slot *enter(void) {
  if (own.slot)
    return &schedule.threads[own.slot - 1];
  size_t index = 0;
  while (index < THREADS && schedule.threads[index].state != FREE)
    ++index;
  if (index == THREADS)
    return NULL;
  if (index >= schedule.thread_count)
    schedule.thread_count = index + 1;
  own.slot = index + 1;
  schedule.threads[index] =
      (thread_slot){.state = RUNNING, .priority = (int64_t)(draw_own() >> 2)};
  (void)pthread_setspecific(schedule.at_end, &schedule);
  return &schedule.threads[index];
}

/// A thread that runs and goes before `slot`; NULL where there is none.
static thread_slot *find_before(const thread_slot *slot) {
  for (size_t i = 0; i < schedule.thread_count; ++i)
    if ((schedule.threads[i].state == RUNNING ||
         schedule.threads[i].state == AT_POINT) &&
        schedule.threads[i].priority > slot->priority)
      return &schedule.threads[i];
  return NULL;
}

/// False if time was up.
static bool wait_for_change(void) {
  ++schedule.waiting;
  struct timespec end;
  (void)clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += PATIENCE_NS;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  int error = pthread_cond_timedwait(&schedule.changed, &schedule.lock, &end);
  --schedule.waiting;
  return error == 0;
}

/// Those that have run since `before`, without a point, are away.
static void look_who_is_away(const uint64_t *before) {
  for (size_t i = 0; i < schedule.thread_count; ++i)
    if (schedule.threads[i].state == RUNNING &&
        schedule.threads[i].passed == before[i])
      schedule.threads[i].state = AWAY;
  tell_others();
}

static void take_turn(void) {
  lock();
  thread_slot *slot = enter();
  ++schedule.passed;
  bool all = schedule.passed < ALL_TURNS || schedule.passed / STRETCH % 8 == 0;
  if (!slot || !all) {
    unlock();
    return;
  }
  ++slot->passed;
  if (schedule.passed >= schedule.next_change) {
    slot->priority = --schedule.lowest;
    schedule.next_change = schedule.passed + draw_length(draw(), 2, 13);
    tell_others();
  }
  slot->state = AT_POINT;
  slot->place = NULL;
  while (find_before(slot)) {
    uint64_t before[THREADS];
    for (size_t i = 0; i < schedule.thread_count; ++i)
      before[i] = schedule.threads[i].passed;
    size_t count = schedule.thread_count;
    bool in_time = wait_for_change();
    if (!in_time) {
      for (size_t i = count; i < schedule.thread_count; ++i)
        before[i] = UINT64_MAX;
      look_who_is_away(before);
    }
  }
  slot->state = RUNNING;
  unlock();
}

static void sleep_at(const void *place) {
  lock();
  if (own.slot) {
    schedule.threads[own.slot - 1].state = ASLEEP;
    schedule.threads[own.slot - 1].place = place;
    tell_others();
  }
  unlock();
}

static void wake(const void *place) {
  lock();
  for (size_t i = 0; i < schedule.thread_count; ++i)
    if (schedule.threads[i].state == ASLEEP &&
        schedule.threads[i].place == place)
      schedule.threads[i].state = RUNNING;
  unlock();
}

//===----------------------------------------------------------------------===//
// Pauses and choices
//===----------------------------------------------------------------------===//

static void pause_at(agpu__point point) {
  uint32_t one_in = schedule.pause_one_in[point];
  uint32_t halvings = own.pauses / PAUSES;
  uint64_t drawn = draw_own();
  if (one_in == 0 || halvings > 16 || drawn % (one_in << halvings) != 0)
    return;
  ++own.pauses;
  drawn >>= 32;
  if (drawn % 4 == 0) {
    (void)sched_yield();
    return;
  }
  struct timespec pause = {.tv_nsec =
                               (long)(draw_length(drawn >> 2, 0, 8) * 1000)};
  (void)nanosleep(&pause, NULL);
}

static void pass(agpu__point point) {
  // When devices are done is not drawn, nor when those threads come here.
  if (point == AGPU__POINT_COMPLETION)
    return;
  if (schedule.has_pauses)
    pause_at(point);
  if (schedule.has_turns)
    take_turn();
}

static bool stray(agpu__point point) {
  return draw_own() % schedule.stray_one_in[point] == 0;
}

static uint32_t draw_word(void) { return (uint32_t)(draw_own() >> 32) | 1; }

//===----------------------------------------------------------------------===//
// Begin and fork
//===----------------------------------------------------------------------===//

static void make_changed(void) {
  pthread_condattr_t attributes;
  (void)pthread_condattr_init(&attributes);
  (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&schedule.changed, &attributes);
  (void)pthread_condattr_destroy(&attributes);
}

static void make_once(void) {
  (void)pthread_key_create(&schedule.at_end, leave);
  make_changed();
}

/// No thread takes turns yet.
static void forget_threads(void) {
  for (size_t i = 0; i < schedule.thread_count; ++i)
    schedule.threads[i].state = FREE;
  schedule.thread_count = 0;
  schedule.waiting = 0;
  own.slot = 0;
}

static void take_setting(int64_t value) {
  schedule.setting = value;
  schedule.seed = mix((uint64_t)value);
  schedule.has_turns = value % 3 != 1;
  schedule.has_pauses = value % 3 != 0;
  static const uint32_t rates[] = {0, 0, 256, 32, 8, 2};
  static const uint32_t stray_rates[] = {1024, 64, 8, 2};
  for (int i = 0; i < AGPU__POINTS; ++i) {
    uint64_t drawn = mix(schedule.seed + (uint64_t)i);
    schedule.pause_one_in[i] =
        rates[drawn % (sizeof(rates) / sizeof(rates[0]))];
    schedule.stray_one_in[i] =
        stray_rates[(drawn >> 32) %
                    (sizeof(stray_rates) / sizeof(stray_rates[0]))];
  }
}

static void begin(int64_t setting) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, make_once);
  lock();
  if (setting != schedule.setting)
    take_setting(setting);
  schedule.passed = 0;
  schedule.lowest = 0;
  atomic_store_explicit(&schedule.draws, 0, memory_order_relaxed);
  schedule.next_change = draw_length(mix(schedule.seed), 2, 13);
  unlock();
}

/// Takes the lock in one call and gives it back in another.
static void fork_step(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE) {
    lock();
    return;
  }
  if (step == AGPU__FORK_IN_CHILD) {
    forget_threads();
    make_changed(); // threads of the parent may have waited there
  }
  unlock();
}

extern const agpu__schedule_calls agpu_schedule_calls
    __attribute__((visibility("default")));
const agpu__schedule_calls agpu_schedule_calls = {.points = AGPU__POINTS,
                                                  .begin = begin,
                                                  .pass = pass,
                                                  .draw = stray,
                                                  .random = draw_word,
                                                  .sleep = sleep_at,
                                                  .wake = wake,
                                                  .fork = fork_step};
