//===- completion_strategy.c - How the host hears of events ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table. A strategy is how word of an event comes, if at all, and how the
// thread spends its time while none does.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/completion_strategy.h"

#include "base/os/platform.h"
#include "base/report/settings.h"
#include "gpu/stream/flag.h"

#include <assert.h>
#include <sched.h>

/// Rounds that only yield, then pauses that double.
#define YIELD_ROUNDS 64
#define MIN_PAUSE_NS 10000
#define MAX_PAUSE_NS 1000000

static void poke(void *argument) {
  agpu__parker_signal(argument, AGPU__COMPLETION_POKE);
}

static CUresult announce_by_host_function(agpu__event *event,
                                          agpu__parker *thread) {
  return event->device->driver->cuLaunchHostFunc(event->stream->handle, poke,
                                                 thread);
}

static CUresult announce_by_flag(agpu__event *event, agpu__parker *thread) {
  (void)thread; // looks at the flag
  return agpu__stream_flag_announce(event);
}

static void pause_by_sleeping(agpu__parker *thread, unsigned rounds) {
  if (rounds < YIELD_ROUNDS) {
    sched_yield();
    return;
  }
  int64_t pause_ns = MIN_PAUSE_NS;
  for (unsigned i = YIELD_ROUNDS; i < rounds && pause_ns < MAX_PAUSE_NS; ++i)
    pause_ns *= 2;
  (void)agpu__parker_wait_for(
      thread, AGPU__COMPLETION_POKE | AGPU__COMPLETION_STOP,
      pause_ns < MAX_PAUSE_NS ? pause_ns : MAX_PAUSE_NS);
}

static void pause_by_yielding(agpu__parker *thread, unsigned rounds) {
  (void)thread, (void)rounds;
  sched_yield();
}

static void pause_by_spinning(agpu__parker *thread, unsigned rounds) {
  (void)thread, (void)rounds;
  agpu__pause();
}

// In the order of the setting's words; the first one is the default.
static const agpu__completion_strategy strategies[] = {
    {.name = "hostfunc",
     .announce = announce_by_host_function,
     .pause = pause_by_sleeping},
    {.name = "event",
     .event_flags = CU_EVENT_BLOCKING_SYNC,
     .has_waiters = true,
     .pause = pause_by_sleeping},
    {.name = "flag",
     .announce = announce_by_flag,
     .has_word = agpu__stream_flag_is_up,
     .pause = pause_by_sleeping},
    {.name = "flag-spin",
     .announce = announce_by_flag,
     .has_word = agpu__stream_flag_is_up,
     .pause = pause_by_spinning},
    {.name = "poll", .pause = pause_by_sleeping},
    {.name = "yield", .pause = pause_by_yielding},
    {.name = "spin", .pause = pause_by_spinning},
};
enum { COUNT = sizeof strategies / sizeof *strategies };

agpu_status
agpu__completion_strategy_read(const agpu__completion_strategy **out_strategy) {
  int index;
  agpu_status status = agpu__setting_word(AGPU__SETTING_COMPLETION, &index);
  assert(index < COUNT);
  *out_strategy = &strategies[index];
  return status;
}
