//===- event_waiters.c - Threads that wait in the driver ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread for each stream that is waited for, made when it is needed and kept:
// it sleeps in the driver for one event at a time, and pokes.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/event_waiters.h"

#include "base/memory/memory.h"
#include "base/os/thread.h"

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
