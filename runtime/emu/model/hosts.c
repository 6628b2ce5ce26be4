//===- hosts.c - The threads of the host in modelled time -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are known from when they are seen first. The one that may go on is
// found by their states and clocks, under one lock.
//
//===----------------------------------------------------------------------===//

#include "emu/model/hosts.h"

#include "base/os/clock.h"
#include "emu/model/host.h"
#include "emu/model/ranks.h"
#include "emu/model/rest.h"
#include "emu/model/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct agpu__emu_hosts agpu__emu_hosts = {.once = PTHREAD_ONCE_INIT};

void agpu__emu_hosts_forget_polled(agpu__emu_host *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  while (of->polls)
    agpu__emu_marker_release(of->polled[--of->polls]);
}

static void leave(void *of) {
  agpu__emu_host *self = of;
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  LIST_REMOVE(self, link);
  if (agpu__emu_hosts.network == self) {
    agpu__emu_hosts.network = NULL;
    agpu__emu_hosts.has_message = false;
  }
  agpu__emu_hosts_forget_polled(self);
  free(self);
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

static void make_key(void) {
  (void)pthread_key_create(&agpu__emu_hosts.own, leave);
}

agpu__emu_host *agpu__emu_hosts_own(void) {
  return pthread_getspecific(agpu__emu_hosts.own);
}

void agpu__emu_host_start(const agpu__emu_model *model) {
  (void)pthread_once(&agpu__emu_hosts.once, make_key);
  agpu__emu_hosts.model = model;
}

static int64_t cpu_time(const agpu__emu_host *of) {
  clockid_t id;
  struct timespec used = {0};
  if (!pthread_getcpuclockid(of->thread, &id))
    (void)clock_gettime(id, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

bool agpu__emu_hosts_has_answer(const agpu__emu_host *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  for (unsigned i = 0; of->state == SLEEPS && i < of->polls; ++i)
    if (agpu__emu_marker_get_modelled(of->polled[i]) >= 0 &&
        !agpu__emu_marker_is_announced(of->polled[i]))
      return true;
  return false;
}

static agpu__emu_host *find_polled(void)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  agpu__emu_host *at;
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (agpu__emu_hosts_has_answer(at))
      return at;
  return NULL;
}

/// How soon it looks is a matter of this machine's clock, and of when it gets a
/// CPU. Not for ever: it may look for something else by now.
static bool await_polled(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  enum { RESTS = 40 };
  agpu__emu_host *polled = find_polled();
  if (!polled || agpu__emu_rest())
    return polled != NULL;
  polled = find_polled();
  if (polled && agpu__emu_is_asleep(polled->id) && ++polled->awaited > RESTS)
    agpu__emu_hosts_forget_polled(polled);
  return true;
}

/// Workers, by their names, in front of other threads: which of them comes
/// first does not count. The main one is 0.
static uint64_t get_number(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  char name[16] = "";
  unsigned worker;
  if (gettid() == getpid())
    return 0;
  if (!pthread_getname_np(pthread_self(), name, sizeof name) &&
      sscanf(name, "agpu-%u", &worker) == 1)
    return 1 + worker;
  return AGPU__EMU_MOST_WORKERS + ++agpu__emu_hosts.count;
}

/// The calling thread, which runs. One that has only just been seen begins with
/// the run: until it is woken it finds nothing to do.
agpu__emu_host *agpu__emu_hosts_enter(void)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  agpu__emu_host *self = agpu__emu_hosts_own();
  if (!self) {
    self = calloc(1, sizeof *self);
    if (!self)
      abort();
    self->number = get_number();
    self->thread = pthread_self();
    self->id = gettid();
    self->is_known = self->id == getpid();
    self->counted = cpu_time(self);
    LIST_INSERT_HEAD(&agpu__emu_hosts.threads, self, link);
    (void)pthread_setspecific(agpu__emu_hosts.own, self);
  }
  // It was not woken by a thread, but looks again after some time. Its clock
  // stays until it sees something.
  if (self->state == SLEEPS)
    self->is_early = true;
  self->state = RUNS;
  self->is_woken = false;
  if (agpu__emu_hosts.model->host_time > 0) {
    int64_t used = cpu_time(self);
    self->clock += (int64_t)((double)(used - self->counted) *
                             agpu__emu_hosts.model->host_time);
    self->counted = used;
  }
  return self;
}

//===----------------------------------------------------------------------===//
// Who goes on
//===----------------------------------------------------------------------===//

static bool has_what_it_waits_for(const agpu__emu_host *of, int64_t *out_time)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (of->order)
    return agpu__emu_timeline_is_over(of->order, of->given, out_time);
  *out_time = agpu__emu_marker_get_modelled(of->marker);
  return *out_time >= 0;
}

/// Those go on that wait in the driver for what is over, and see that some time
/// behind its end.
void agpu__emu_hosts_release(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  agpu__emu_host *at;
  int64_t time;
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (at->state == IN_DRIVER && has_what_it_waits_for(at, &time)) {
      at->clock = agpu__emu_later(
          at->clock, time + (int64_t)agpu__emu_hosts.model->synchronize_call);
      at->state = RUNS;
    }
}

/// Whether another thread is in that state, of those that others wait for.
bool agpu__emu_hosts_has_other(const agpu__emu_host *self,
                               agpu__emu_host_state state)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const agpu__emu_host *at;
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (at != self && at->state == state &&
        (at->is_known || state == IN_DRIVER))
      return true;
  return false;
}

/// When this process may begin the next message, as far as others do nothing.
static int64_t get_bound(int64_t time) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const agpu__emu_host *at;
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (at->is_known && (at->state == RUNS || at->state == AT_POINT) &&
        at->clock < time)
      time = at->clock;
  return time;
}

/// When the first message is over that a thread waits for: while that thread
/// does something else, it comes later.
static int64_t get_message(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  return agpu__emu_hosts.network && agpu__emu_hosts.network->state == IN_NETWORK
             ? agpu__emu_ranks_next()
             : AGPU__EMU_NEVER;
}

/// The thread gets it, at that time.
static bool hand_message(int64_t time) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  agpu__emu_hosts.network->clock =
      agpu__emu_later(agpu__emu_hosts.network->clock, time);
  agpu__emu_hosts.network->state = RUNS;
  agpu__emu_hosts.has_message = true;
  agpu__emu_changed();
  return true;
}

/// Meanwhile threads go on that are behind the calling one. One thread looks at
/// the other ranks, and others of the process wait for what it finds.
static void rest_for_ranks(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  static bool is_looking AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  agpu__emu_host *own = agpu__emu_hosts_own();
  bool runs = own && own->state == RUNS;
  if (runs) {
    own->state = AT_POINT;
    agpu__emu_changed();
  }
  if (is_looking) {
    (void)agpu__emu_rest();
  } else {
    is_looking = true;
    agpu__emu_ranks_rest();
    is_looking = false;
    agpu__emu_changed();
  }
  if (runs)
    own->state = RUNS;
}

/// Makes a step, unless another thread does, or other ranks are behind. False
/// where there is none.
bool agpu__emu_hosts_step(int64_t limit)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (agpu__emu_timeline_is_stepping()) {
    agpu__emu_hosts_rest();
    return true;
  }
  if (await_polled())
    return true;
  bool is_awaited =
      agpu__emu_hosts.network && agpu__emu_hosts.network->state == IN_NETWORK;
  int64_t work = agpu__emu_timeline_next(), message = get_message();
  int64_t next = work < message ? work : message;
  int64_t time = next < limit ? next : limit;
  if (!agpu__emu_ranks_may(get_bound(next), time, is_awaited) &&
      time != AGPU__EMU_NEVER) {
    rest_for_ranks();
    return true;
  }
  message = get_message();
  if (message != AGPU__EMU_NEVER && message <= work && message <= limit)
    return hand_message(message);
  bool made = agpu__emu_timeline_step(limit);
  agpu__emu_hosts_release();
  return made;
}

/// Whether the thread sleeps without saying why, and nothing could wake it: no
/// other could go on, at some looks. One that uses the CPU for long meanwhile
/// does not count, as it may wait in its turn by looking again and again. How
/// long threads wait for a CPU does not matter.
static bool has_gone(agpu__emu_host *at)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  enum { LOOKS = 3, LOOK_NS = 4000000, USED_NS = 200000000 };
  int64_t used = cpu_time(at), now = agpu__clock_machine_ns();
  if (now - at->looked_at < LOOK_NS)
    return false;
  at->looked_at = now;
  if (used != at->cpu || !agpu__emu_is_asleep(at->id)) {
    at->looks = 0;
    at->others = agpu__emu_used_cpu();
    at->cpu = used;
    return false;
  }
  if (agpu__emu_used_cpu() - at->others < USED_NS &&
      (agpu__emu_is_any_runnable() || !agpu__emu_is_asleep(at->id) ||
       ++at->looks < LOOKS))
    return false;
  at->looks = 0;
  return true;
}

/// Who runs, and has slept without saying why since this was last called, is
/// away. While somebody waits for work to run in real time, nobody is, but a
/// host function that waits for others: devices go on beside it.
void agpu__emu_hosts_look(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  agpu__emu_host *at = agpu__emu_hosts.called;
  if (agpu__emu_timeline_is_stepping()) {
    if (at && has_gone(at)) {
      agpu__emu_hosts.called = NULL;
      agpu__emu_timeline_leave_called();
    }
    return;
  }
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (at->state == RUNS && at != agpu__emu_hosts_own() && has_gone(at)) {
      at->state = AWAY;
      agpu__emu_changed();
    }
}

void agpu__emu_hosts_rest(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (!agpu__emu_rest())
    agpu__emu_hosts_look();
}

/// Whether no thread does anything before devices go on.
bool agpu__emu_hosts_are_quiet(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  return !agpu__emu_hosts_has_other(NULL, RUNS) &&
         !agpu__emu_hosts_has_other(NULL, AT_POINT) &&
         !agpu__emu_hosts_has_other(NULL, IN_DRIVER) && !find_polled();
}

/// Makes steps while every thread sleeps, and `self`, unless that is NULL.
void agpu__emu_hosts_drive(const agpu__emu_host *self)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  while ((!self || self->state == SLEEPS) && agpu__emu_hosts_are_quiet() &&
         !agpu__emu_timeline_is_stepping() &&
         agpu__emu_hosts_step(AGPU__EMU_NEVER))
    continue;
}
