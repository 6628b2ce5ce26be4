//===- host.c - The host in modelled time ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads say and ask, each of the calls of host.h: it notes that in the
// thread's clock and state, and waits until the thread may go on.
//
//===----------------------------------------------------------------------===//

#include "emu/model/host.h"

#include "base/report/settings.h"
#include "emu/base/context.h"
#include "emu/model/call_costs.h"
#include "emu/model/hosts.h"
#include "emu/model/ranks.h"
#include "emu/model/rest.h"
#include "emu/model/timeline.h"

#include <string.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// The driver's calls
//===----------------------------------------------------------------------===//

void agpu__emu_host_call(const char *function) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  // How often it looks in vain is a matter of this machine's clock.
  self->is_free = self->is_early && strcmp(function, "cuEventQuery") == 0;
  if (!self->is_free)
    self->clock +=
        (int64_t)agpu__emu_call_cost(agpu__emu_hosts.model, function);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

int64_t agpu__emu_host_now(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  const agpu__emu_host *self = agpu__emu_hosts_own();
  int64_t now = self ? self->clock : agpu__emu_timeline_now();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return now;
}

/// Waits for what the thread says that it waits for.
static void await(agpu__emu_host *self)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  self->state = IN_DRIVER;
  agpu__emu_changed();
  agpu__emu_hosts_release();
  while (self->state == IN_DRIVER)
    if (agpu__emu_hosts_has_other(self, RUNS) ||
        agpu__emu_hosts_has_other(self, AT_POINT) ||
        !agpu__emu_hosts_step(AGPU__EMU_NEVER)) {
      agpu__emu_hosts_rest();
      agpu__emu_hosts_release();
    }
}

void agpu__emu_host_await_stream(const agpu__emu_order *order) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  self->given = agpu__emu_timeline_given(order);
  if (self->given) {
    self->order = order;
    await(self);
    self->order = NULL;
  }
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_await_marker(agpu__emu_marker *marker) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  self->marker = marker;
  await(self);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_held_up(bool is_held) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  if (is_held)
    self->state = AWAY;
  else
    self->clock = agpu__emu_later(self->clock, agpu__emu_timeline_now());
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

/// Makes a step up to this thread's clock, once no thread that runs is behind:
/// the step before may have let one go on. False where there is none.
static bool step_beside_others(const agpu__emu_host *self)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const agpu__emu_host *at = LIST_FIRST(&agpu__emu_hosts.threads);
  while (at) {
    bool is_behind = at != self && at->is_known && at->state == RUNS &&
                     at->clock < self->clock;
    if (is_behind)
      agpu__emu_hosts_rest();
    at = is_behind ? LIST_FIRST(&agpu__emu_hosts.threads) : LIST_NEXT(at, link);
  }
  return agpu__emu_hosts_step(self->clock);
}

static bool has_polled(const agpu__emu_host *self,
                       const agpu__emu_marker *marker)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  unsigned i = 0;
  while (i < self->polls && self->polled[i] != marker)
    ++i;
  return i < self->polls;
}

/// One that looks early sees what it has asked for in vain since it was woken:
/// what came later wakes it, as does a host function. It does not see that
/// before, unless the host function came just before it went to sleep, and has
/// not woken it.
static bool sees_early(agpu__emu_host *self, const agpu__emu_marker *marker)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  enum { EARLY_LOOKS = 10 };
  if (has_polled(self, marker) && !agpu__emu_marker_is_announced(marker))
    return true;
  self->early_looks += !agpu__emu_hosts_has_other(self, RUNS) &&
                       !agpu__emu_hosts_has_other(self, AT_POINT) &&
                       agpu__emu_timeline_next() == AGPU__EMU_NEVER;
  return self->early_looks > EARLY_LOOKS;
}

bool agpu__emu_host_sees_marker(agpu__emu_marker *marker) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  while (!self->is_early && agpu__emu_marker_get_modelled(marker) < 0 &&
         step_beside_others(self))
    continue;
  int64_t time = agpu__emu_marker_get_modelled(marker);
  bool is_seen = time >= 0 && (self->is_early ? sees_early(self, marker)
                                              : time <= self->clock);
  if (is_seen) {
    self->clock =
        agpu__emu_later(self->clock, time) +
        (self->is_free ? (int64_t)agpu__emu_hosts.model->query_call : 0);
    self->is_early = false;
  }
  for (unsigned i = self->polls; is_seen && i-- > 0;)
    if (self->polled[i] == marker) {
      agpu__emu_marker_release(marker);
      self->polled[i] = self->polled[--self->polls];
    }
  self->awaited = 0;
  // It is the only one that goes on, maybe, while the model waits for another.
  if (!is_seen && self->is_early)
    agpu__emu_hosts_look();
  if (!is_seen && !self->is_early && !has_polled(self, marker) &&
      self->polls < AGPU__EMU_POLLED) {
    agpu__emu_marker_retain(marker);
    self->polled[self->polls++] = marker;
  }
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return is_seen;
}

bool agpu__emu_host_sees_stream(const agpu__emu_order *order) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  const agpu__emu_host *self = agpu__emu_hosts_enter();
  uint64_t given = agpu__emu_timeline_given(order);
  int64_t time;
  bool is_over;
  while (!(is_over = agpu__emu_timeline_is_over(order, given, &time)) &&
         step_beside_others(self))
    continue;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return is_over && time <= self->clock;
}

//===----------------------------------------------------------------------===//
// Host functions
//===----------------------------------------------------------------------===//

/// Where a host function waits for its turn and nothing goes on. A thread that
/// uses the CPU for so long without a call may wait for this function, by
/// looking at memory again and again; one that sleeps in between is asleep at
/// so many looks.
static void help(void) {
  enum { SECOND = 1000000000, LOOK_NS = 5000000 };
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_hosts_look();
  int64_t used = agpu__emu_used_cpu();
  if (agpu__emu_timeline_now() != agpu__emu_hosts.stood_at ||
      !agpu__emu_hosts.stands_since)
    agpu__emu_hosts.stands_since = used;
  agpu__emu_hosts.stood_at = agpu__emu_timeline_now();
  if (!agpu__emu_is_any_runnable())
    agpu__emu_hosts.stands_since -= LOOK_NS;
  if (used - agpu__emu_hosts.stands_since > SECOND)
    (void)agpu__emu_hosts_step(AGPU__EMU_NEVER);
  agpu__emu_hosts_drive(NULL);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_function(struct agpu__emu_timed *of,
                             void (*call)(const struct agpu__emu_op *op),
                             const struct agpu__emu_op *op) {
  int64_t begin = agpu__emu_timeline_await_turn(of, help);
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  self->clock = begin + (int64_t)agpu__emu_hosts.model->host_function_latency;
  agpu__emu_hosts.called = self;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  call(op);
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  if (agpu__emu_hosts.called == self)
    agpu__emu_hosts.called = NULL;
  int64_t now = self->clock;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  agpu__emu_timeline_returned(of, now);
}

//===----------------------------------------------------------------------===//
// The runtime's threads
//===----------------------------------------------------------------------===//

/// Whether the thread, at a point, is the next.
static bool is_next(const agpu__emu_host *self)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const agpu__emu_host *at;
  if (agpu__emu_hosts_has_other(self, RUNS))
    return false;
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (at->state == AT_POINT &&
        (at->clock < self->clock ||
         (at->clock == self->clock && at->number < self->number)))
      return false;
  return true;
}

/// The thread, at a point, waits until it is the next.
static void await_next(agpu__emu_host *self, agpu__point point)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  self->is_known = true;
  self->point = point;
  if (point == AGPU__POINT_RUN)
    self->clock = agpu__emu_later(self->clock, agpu__emu_hosts.queued) +
                  (int64_t)agpu__emu_hosts.model->task;
  self->state = AT_POINT;
  agpu__emu_changed();
  while (self->state == AT_POINT) {
    if (!is_next(self))
      agpu__emu_hosts_rest();
    else if (!agpu__emu_hosts_step(self->clock))
      self->state = RUNS;
  }
}

void agpu__emu_host_pass(agpu__point point) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_enter();
  // The step that waits for a host function is the turn of its thread.
  if (agpu__emu_hosts.called != self)
    await_next(self, point);
  if (point == AGPU__POINT_QUEUED)
    agpu__emu_hosts.queued =
        agpu__emu_later(agpu__emu_hosts.queued, self->clock);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

static bool has_any_failed(void) {
  CUdevice device = 0;
  while (device < AGPU__EMU_MAX_DEVICES &&
         !agpu__emu_context_get_error(agpu__emu_device_context(device)))
    ++device;
  return device < AGPU__EMU_MAX_DEVICES;
}

/// Whether the thread, which sleeps until a host function wakes it, has to look
/// at devices again: none tells of a failure, nor of what it has asked for just
/// before that was over. Also where it is the only one that could go on.
static bool looks_again(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  const agpu__emu_host *self = agpu__emu_hosts_own();
  bool looks = self && self->state == SLEEPS &&
               (agpu__emu_hosts_has_answer(self) || has_any_failed() ||
                (agpu__emu_hosts_are_quiet() &&
                 agpu__emu_timeline_next() == AGPU__EMU_NEVER));
  agpu__emu_hosts_look();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return looks;
}

/// What spins sleeps instead: waiting takes no time of a CPU that is modelled.
bool agpu__emu_host_draw(agpu__point point) {
  return point == AGPU__POINT_SPIN ||
         (point == AGPU__POINT_COMPLETION && looks_again());
}

uint32_t agpu__emu_host_random(void) { return UINT32_C(0x9E3779B9); }

void agpu__emu_host_sleep(const void *place) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *self = agpu__emu_hosts_own();
  // This machine's clock has woken it as well, before it could see by whom.
  if (self && self->is_woken && self->point == AGPU__POINT_COMPLETION) {
    agpu__mutex_unlock(&agpu__emu_timeline_lock);
    return;
  }
  self = agpu__emu_hosts_enter();
  self->is_known = true;
  self->state = SLEEPS;
  self->place = place;
  agpu__emu_changed();
  agpu__emu_hosts_drive(self);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_wake(const void *place) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_host *at, *self = agpu__emu_hosts_enter();
  // Who waits for messages asks for them, and does not sleep.
  int64_t latency = self == agpu__emu_hosts.network
                        ? 0
                        : (int64_t)agpu__emu_hosts.model->wake_latency;
  int64_t time = self->clock + latency;
  LIST_FOREACH (at, &agpu__emu_hosts.threads, link)
    if (at->place == place &&
        (at->state == SLEEPS || at->state == AWAY ||
         (at->is_early && (at->state == RUNS || at->state == AT_POINT)))) {
      at->clock = agpu__emu_later(at->clock, time);
      at->is_woken = at->state == SLEEPS;
      // Woken at a point, it still waits for its turn.
      at->state = at->state == AT_POINT ? AT_POINT : RUNS;
      at->is_early = false;
      at->early_looks = 0;
      agpu__emu_hosts_forget_polled(at);
    }
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

// The child has one thread.
AGPU__UNCHECKED_LOCKS void agpu__emu_host_fork(agpu__fork_step step) {
  if (step != AGPU__FORK_IN_CHILD)
    return;
  agpu__emu_hosts.network = NULL;
  agpu__emu_hosts.has_message = false;
  agpu__emu_ranks_forget();
  agpu__emu_rest_forget();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

bool agpu__emu_host_begin(void *of, const agpu__network_side *sides,
                          size_t count) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  bool has_room =
      agpu__emu_ranks_begin(of, sides, count, &agpu__emu_hosts_enter()->clock);
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return has_room;
}

bool agpu__emu_host_begin_all(void *of, agpu__network_gathering kind,
                              uint64_t comm, int members, int64_t bytes,
                              int64_t earliest) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  bool has_room = agpu__emu_ranks_begin_all(
      of, kind, comm, members, bytes,
      agpu__emu_later(agpu__emu_hosts_enter()->clock, earliest));
  agpu__emu_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return has_room;
}

void *agpu__emu_host_await_message(void) {
  enum { RESTS_OF_LOOK = 10 };
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  if (!agpu__emu_hosts.has_message) {
    agpu__emu_host *own = agpu__emu_hosts_own();
    if (!own || own->state != IN_NETWORK) {
      agpu__emu_hosts.network = agpu__emu_hosts_enter();
      agpu__emu_hosts.network->is_known = true;
      agpu__emu_hosts.network->is_early = false;
      agpu__emu_hosts.network->state = IN_NETWORK;
      agpu__emu_changed();
    }
    if (agpu__emu_hosts_are_quiet())
      (void)agpu__emu_hosts_step(AGPU__EMU_NEVER);
    if (!agpu__emu_hosts.has_message)
      agpu__emu_ranks_rest();
    if (!agpu__emu_hosts_are_quiet() &&
        ++agpu__emu_hosts.rests % RESTS_OF_LOOK == 0)
      agpu__emu_hosts_look();
  }
  void *of = agpu__emu_hosts.has_message ? agpu__emu_ranks_take() : NULL;
  agpu__emu_hosts.has_message = false;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return of;
}
