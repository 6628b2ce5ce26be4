//===- carrier.c - Threads that run streams -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A carrier sleeps until it is given work, or has to end; before it sleeps,
// it looks for a moment whether there is more.
//
//===----------------------------------------------------------------------===//

#include "emu/device/carrier.h"

#include "base/os/thread.h"
#include "base/sync/lock.h"
#include "base/sync/park.h"
#include "emu/base/awake.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

enum { GO = AGPU__PARK_BIT(0), STOP = AGPU__PARK_BIT(1) };

struct agpu__emu_carrier {
  SLIST_ENTRY(agpu__emu_carrier) link; // where it is idle
  pthread_t thread;
  agpu__parker parker;
  // What to run, until someone does: NULL then. Release and acquire: who takes
  // it sees the argument.
  void (*_Atomic run)(void *);
  void *argument;
};

static struct {
  agpu__lock lock;
  // The one given back last first.
  SLIST_HEAD(, agpu__emu_carrier) idle AGPU__GUARDED_BY(lock);
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_CARRIERS)};

static bool has_signal(void *carrier) {
  return agpu__parker_poll(&((agpu__emu_carrier *)carrier)->parker) != 0;
}

/// Waits for a signal, awake at first.
static uint32_t await_signal(agpu__emu_carrier *self) {
  (void)agpu__emu_stay_awake(has_signal, self);
  return agpu__parker_wait(&self->parker, GO | STOP);
}

static void *carry(void *data) {
  agpu__emu_carrier *self = data;
  while (await_signal(self) & GO) {
    agpu__parker_clear(&self->parker, GO);
    void (*run)(void *) = atomic_exchange(&self->run, NULL);
    if (run)
      run(self->argument);
  }
  return NULL;
}

static agpu__emu_carrier *create(void) {
  agpu__emu_carrier *created = calloc(1, sizeof *created);
  if (!created)
    return NULL;
  agpu__parker_init(&created->parker);
  created->parker.is_device = true;
  if (agpu__thread_create_driver(&created->thread, "agpu-emu-stream", carry,
                                 created)) {
    free(created);
    return NULL;
  }
  return created;
}

agpu__emu_carrier *agpu__emu_carrier_take(void) {
  agpu__lock_acquire(&all.lock);
  agpu__emu_carrier *taken = SLIST_FIRST(&all.idle);
  if (taken)
    SLIST_REMOVE_HEAD(&all.idle, link);
  agpu__lock_release(&all.lock);
  return taken ? taken : create();
}

void agpu__emu_carrier_start(agpu__emu_carrier *carrier, void (*run)(void *),
                             void *argument) {
  carrier->argument = argument;
  atomic_store_explicit(&carrier->run, run, memory_order_release);
  agpu__parker_signal(&carrier->parker, GO);
}

bool agpu__emu_carrier_stop(agpu__emu_carrier *carrier) {
  return atomic_exchange(&carrier->run, NULL) != NULL;
}

void agpu__emu_carrier_give(agpu__emu_carrier *carrier) {
  agpu__lock_acquire(&all.lock);
  SLIST_INSERT_HEAD(&all.idle, carrier, link);
  agpu__lock_release(&all.lock);
}

void agpu__emu_carriers_reset(void) {
  agpu__lock_acquire(&all.lock);
  agpu__emu_carrier *next = SLIST_FIRST(&all.idle);
  SLIST_INIT(&all.idle);
  agpu__lock_release(&all.lock);
  for (agpu__emu_carrier *old; (old = next);) {
    next = SLIST_NEXT(old, link);
    agpu__parker_signal(&old->parker, STOP);
    pthread_join(old->thread, NULL);
    free(old);
  }
}
