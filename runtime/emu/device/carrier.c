//===- carrier.c - Threads that run streams -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/device/carrier.h"

#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/sync/park.h"
#include "emu/emu.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { GO = AGPU__PARK_BIT(0), STOP = AGPU__PARK_BIT(1) };

struct agpu__emu_carrier {
  agpu__emu_carrier *next_idle;
  pthread_t thread;
  agpu__parker parker;
  void (*run)(void *); // these two are read behind GO
  void *argument;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static agpu__emu_carrier *idle; // the one given back last stands first

/// Waits for a signal, awake at first.
static uint32_t await_signal(agpu__emu_carrier *self) {
  int64_t end = agpu__clock_now_ns() + agpu__emu_awake_ns();
  uint32_t bits;
  while (!(bits = agpu__parker_poll(&self->parker)) &&
         agpu__clock_now_ns() < end)
    sched_yield();
  return bits ? bits : agpu__parker_wait(&self->parker, GO | STOP);
}

static void *carry(void *data) {
  agpu__emu_carrier *self = data;
  while (await_signal(self) & GO) {
    agpu__parker_clear(&self->parker, GO);
    self->run(self->argument);
  }
  return NULL;
}

static agpu__emu_carrier *create(void) {
  agpu__emu_carrier *created = calloc(1, sizeof *created);
  if (!created)
    return NULL;
  agpu__parker_init(&created->parker);
  if (agpu__thread_create(&created->thread, "agpu-emu-stream", carry,
                          created)) {
    free(created);
    return NULL;
  }
  return created;
}

agpu__emu_carrier *agpu__emu_carrier_take(void) {
  pthread_mutex_lock(&lock);
  agpu__emu_carrier *taken = idle;
  if (taken)
    idle = taken->next_idle;
  pthread_mutex_unlock(&lock);
  return taken ? taken : create();
}

void agpu__emu_carrier_start(agpu__emu_carrier *carrier, void (*run)(void *),
                             void *argument) {
  carrier->run = run;
  carrier->argument = argument;
  agpu__parker_signal(&carrier->parker, GO);
}

void agpu__emu_carrier_give(agpu__emu_carrier *carrier) {
  pthread_mutex_lock(&lock);
  carrier->next_idle = idle;
  idle = carrier;
  pthread_mutex_unlock(&lock);
}

void agpu__emu_carriers_reset(void) {
  pthread_mutex_lock(&lock);
  agpu__emu_carrier *all = idle;
  idle = NULL;
  pthread_mutex_unlock(&lock);
  while (all) {
    agpu__emu_carrier *next = all->next_idle;
    agpu__parker_signal(&all->parker, STOP);
    pthread_join(all->thread, NULL);
    free(all);
    all = next;
  }
}
