//===- completion_strategy.c - How the host hears of events ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table. A strategy is how word of an event comes, if at all, and how the
// thread spends its time while none does: after it stand words of memory that
// streams write, and threads that wait in the driver, one for each stream that
// is waited for, made when it is needed and kept.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/completion_strategy.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"
#include "base/os/thread.h"
#include "base/report/settings.h"

#include <assert.h>
#include <sched.h>

/// The longest pause between two looks.
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
  agpu__parker_pause(thread, AGPU__COMPLETION_POKE | AGPU__COMPLETION_STOP,
                     rounds, MAX_PAUSE_NS);
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
     .is_signaled = agpu__stream_flag_is_up,
     .pause = pause_by_sleeping},
    {.name = "flag-spin",
     .announce = announce_by_flag,
     .is_signaled = agpu__stream_flag_is_up,
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

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

/// A word that is 0. A stream keeps its flag, so that none comes back.
static CUresult create(const agpu__device *device, uint32_t **out_flag) {
  void *memory;
  CUresult result = device->driver->cuMemHostAlloc(
      &memory, sizeof **out_flag,
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result)
    return result;
  *out_flag = memory;
  **out_flag = 0;
  return CUDA_SUCCESS;
}

CUresult agpu__stream_flag_announce(agpu__event *event) {
  const agpu__driver *driver = event->device->driver;
  agpu__pool_stream *stream = event->stream;
  CUresult result = CUDA_SUCCESS;
  // Under a lock so that what the flag holds only grows.
  agpu__lock_acquire(&stream->flag_lock);
  uint32_t *flag = atomic_load_explicit(&stream->flag, memory_order_relaxed);
  if (!flag) {
    result = create(event->device, &flag);
    if (!result)
      // Release: whoever looks at the flag sees it at 0 first.
      atomic_store_explicit(&stream->flag, flag, memory_order_release);
  }
  if (!result && atomic_load_explicit(&stream->position,
                                      memory_order_relaxed) != event->position)
    result = CUDA_ERROR_NOT_READY;
  if (!result) {
    // One address for both sides: that is what unified addressing means for
    // memory from cuMemHostAlloc.
    CUdeviceptr target = (CUdeviceptr)(uintptr_t)flag;
    uint32_t value = (uint32_t)event->position;
    result = driver->cuStreamWriteValue32
                 ? driver->cuStreamWriteValue32(stream->handle, target, value,
                                                CU_STREAM_WRITE_VALUE_DEFAULT)
                 : driver->cuMemsetD32Async(target, value, 1, stream->handle);
  }
  agpu__lock_release(&stream->flag_lock);
  return result;
}

bool agpu__stream_flag_is_up(const agpu__event *event) {
  // The memory is the driver's. Where the process fails it may be gone, and the
  // driver says so to whoever asks.
  if (!agpu__driver_gate_enter())
    return true;
  const uint32_t *flag =
      atomic_load_explicit(&event->stream->flag, memory_order_acquire);
  // The low bits of positions, which lie less than half of their range apart.
  bool is_up = flag && (int32_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) -
                                 (uint32_t)event->position) >= 0;
  agpu__driver_gate_leave();
  return is_up;
}

void agpu__stream_flag_abandon(const agpu__pool_stream *stream) {
  uint32_t *flag = atomic_load_explicit(&stream->flag, memory_order_relaxed);
  if (flag)
    (void)stream->device->driver->cuMemFreeHost(flag);
}

//===----------------------------------------------------------------------===//
// Threads that wait in the driver
//===----------------------------------------------------------------------===//

/// As many streams as a program has in flight, in general.
#define MAX_WAITERS 64

#define WORK AGPU__PARK_BIT(0)
#define STOP AGPU__PARK_BIT(1)

typedef struct waiter {
  SLIST_ENTRY(waiter) link;
  agpu__event_waiters *all;
  pthread_t thread;
  agpu__parker parker; // its own
  // One reference; NULL: it has nothing to do. Release and acquire.
  _Atomic(agpu__event *) event;
} waiter;

struct agpu__event_waiters {
  agpu__parker *thread; // that is told
  uint32_t bits;
  SLIST_HEAD(, waiter) list; // of whoever gives
  unsigned count;
};

static void *run_thread(void *argument) {
  waiter *self = argument;
  for (;;) {
    uint32_t bits = agpu__parker_wait(&self->parker, WORK | STOP);
    agpu__parker_clear(&self->parker, WORK);
    agpu__event *event =
        atomic_load_explicit(&self->event, memory_order_acquire);
    if (event) {
      agpu__device_enter(event->device);
      // What it returns is asked for once more by whoever is told.
      (void)event->device->driver->cuEventSynchronize(event->handle);
      agpu__event_release(event);
      atomic_store_explicit(&self->event, NULL, memory_order_release);
      agpu__parker_signal(self->all->thread, self->all->bits);
    } else if (bits & STOP) {
      return NULL;
    }
  }
}

/// Another thread that has nothing to do, or NULL.
static waiter *create_waiter(agpu__event_waiters *waiters) {
  if (waiters->count == MAX_WAITERS)
    return NULL;
  waiter *added =
      agpu__memory_alloc(sizeof *added, _Alignof(waiter), "a waiting thread");
  *added = (waiter){.all = waiters};
  agpu__parker_init(&added->parker);
  if (agpu__thread_create(&added->thread, "agpu-waiter", run_thread, added)) {
    agpu__memory_free(added);
    return NULL;
  }
  SLIST_INSERT_HEAD(&waiters->list, added, link);
  ++waiters->count;
  return added;
}

agpu__event_waiters *agpu__event_waiters_create(agpu__parker *thread,
                                                uint32_t bits) {
  agpu__event_waiters *waiters = agpu__memory_alloc(
      sizeof *waiters, _Alignof(agpu__event_waiters), "waiting threads");
  *waiters = (agpu__event_waiters){.thread = thread, .bits = bits};
  return waiters;
}

bool agpu__event_waiters_give(agpu__event_waiters *waiters,
                              agpu__event *event) {
  waiter *idle;
  SLIST_FOREACH (idle, &waiters->list, link)
    if (!atomic_load_explicit(&idle->event, memory_order_acquire))
      break;
  if (!idle)
    idle = create_waiter(waiters);
  if (!idle)
    return false;
  atomic_store_explicit(&idle->event, agpu__event_retain(event),
                        memory_order_release);
  agpu__parker_signal(&idle->parker, WORK);
  return true;
}

void agpu__event_waiters_destroy(agpu__event_waiters *waiters) {
  while (!SLIST_EMPTY(&waiters->list)) {
    waiter *first = SLIST_FIRST(&waiters->list);
    SLIST_REMOVE_HEAD(&waiters->list, link);
    agpu__parker_signal(&first->parker, STOP);
    pthread_join(first->thread, NULL);
    agpu__memory_free(first);
  }
  agpu__memory_free(waiters);
}
