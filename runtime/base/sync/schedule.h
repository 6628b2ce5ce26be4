//===- schedule.h - Schedules of the host drawn from a seed -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With ASYNC_GPU_SEED the threads that pass the points named here take turns as
// the seed says, and what the executor may do either way it draws: a fault that
// shows in one schedule of many shows within some seeds, and again with the
// same (tools/schedule). With ASYNC_GPU_EMU_MODEL they do by modelled time
// (emu/model/host.h). What is asked for is opened; without it a point is one
// branch that is predicted (base/os/hooks.h).
//
// Points stand where another thread may see, take or wake something, and never
// under a lock of the executor.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_SCHEDULE_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_SCHEDULE_H

#include "base/os/fork.h"
#include "base/os/hooks.h"
#include "base/sync/network.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum agpu__point {
  AGPU__POINT_SUBMIT,     ///< a task is about to be queued
  AGPU__POINT_QUEUED,     ///< it is; nobody has been woken for it
  AGPU__POINT_NEXT,       ///< one is handed on to the same thread
  AGPU__POINT_FIND,       ///< a thread looks for a task
  AGPU__POINT_TAKE,       ///< it takes some from outside
  AGPU__POINT_STEAL,      ///< or one from another's deque
  AGPU__POINT_SEARCH,     ///< it becomes a searcher, or ends being one
  AGPU__POINT_SPIN,       ///< and waits before it goes to sleep
  AGPU__POINT_RUN,        ///< a task begins
  AGPU__POINT_RAN,        ///< it has returned
  AGPU__POINT_WAIT,       ///< a thread is about to wait
  AGPU__POINT_HAND_OVER,  ///< it gives its seat to another
  AGPU__POINT_SLEEP,      ///< it goes to sleep
  AGPU__POINT_WOKEN,      ///< it was woken
  AGPU__POINT_NOTIFY,     ///< it is about to wake another
  AGPU__POINT_START_HERE, ///< a spawner asks whether to run what it spawns
  AGPU__POINT_LOOP,       ///< a parallel loop is opened, joined or left
  AGPU__POINT_AWAIT,      ///< an object is about to get an awaiter
  AGPU__POINT_FINISH,     ///< it has ended, and its awaiters have yet to hear
  AGPU__POINT_COMPLETION, ///< a thread of the device's takes, or gets, work;
                          ///< counts in modelled time alone
  AGPU__POINTS
} agpu__point;

/// What the library is asked, between `begin` and the next one.
typedef struct agpu__schedule_calls {
  uint32_t points; ///< AGPU__POINTS: of another version it is something else
  void (*begin)(int64_t seed); ///< no thread takes turns yet
  void (*pass)(agpu__point point);
  bool (*draw)(agpu__point point);
  uint32_t (*random)(void);
  void (*sleep)(const void *place);
  void (*wake)(const void *place);
  void (*fork)(agpu__fork_step step);
  int64_t (*now)(void);               ///< NULL, or agpu__clock_now_ns
  const agpu__network_calls *network; ///< NULL: messages take their own time
} agpu__schedule_calls;

/// The library exports it: what draws schedules, or the emulated device.
#define AGPU__SCHEDULE_SYMBOL "agpu_schedule_calls"

/// Reads ASYNC_GPU_SEED and ASYNC_GPU_EMU_MODEL, and opens the library. Before
/// threads that are to take turns begin. Where there is none, that is an error
/// of the program (base/report/status_track.h).
void agpu__schedule_read(void);

/// What messages between ranks take; NULL: their own time. Begins modelled
/// time, where there is any and it has not begun: the first call is as the
/// above.
AGPU__SHARED const agpu__network_calls *agpu__schedule_network(void);

/// Called by the inline functions below; they do nothing without a seed.
void agpu__schedule_pass(agpu__point point);
bool agpu__schedule_draw(agpu__point point);
uint32_t agpu__schedule_random(void);
void agpu__schedule_sleep(const void *place);
void agpu__schedule_wake(const void *place);

/// Whether there is a seed. Changes while no executor runs.
static inline bool agpu__schedule_on(void) {
  return agpu__hooks_on() && agpu__hooks_has(AGPU__HOOK_SCHEDULE);
}

/// Another thread may go on here.
static inline void agpu__pass(agpu__point point) {
  if (agpu__hooks_on())
    agpu__schedule_pass(point);
}

/// Whether to do at `point` what is right too, but rare. False without a seed.
static inline bool agpu__stray(agpu__point point) {
  return agpu__hooks_on() && agpu__schedule_draw(point);
}

/// The calling thread sleeps until someone calls agpu__pass_wake(place), or
/// until something else wakes it, and then calls agpu__pass(POINT_WOKEN).
static inline void agpu__pass_sleep(const void *place) {
  if (agpu__hooks_on())
    agpu__schedule_sleep(place);
}

/// Before the thread that sleeps at `place`, if there is one, is woken.
static inline void agpu__pass_wake(const void *place) {
  if (agpu__hooks_on())
    agpu__schedule_wake(place);
}

/// At a fork. The child has one thread, and draws on from the same seed.
void agpu__schedule_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_SCHEDULE_H
