//===- host.c - The host in modelled time ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread runs, is at a point, sleeps until another wakes it, waits in the
// driver, or is away: it has used no CPU for a while without saying why. Only
// one that runs holds up others.
//
//===----------------------------------------------------------------------===//

#include "emu/model/host.h"

#include "emu/model/call_costs.h"
#include "emu/model/timeline.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum host_state { RUNS, AT_POINT, SLEEPS, IN_DRIVER, AWAY } host_state;

typedef struct host {
  LIST_ENTRY(host) link;
  uint64_t number;
  pthread_t thread;
  pid_t id;
  host_state state;
  bool is_known;        // the runtime has spoken of it: others wait for it
  bool is_early;        // it goes on by this machine's clock, and was not woken
  unsigned early_looks; // since then, that have found what wakes it soon
  int64_t clock;
  int64_t cpu;              // CPU time when it was looked at
  unsigned looks;           // that have found it asleep, one after the other
  int64_t counted;          // CPU time that is in its clock
  const void *place;        // where it sleeps
  agpu__emu_marker *polled; // it has asked for it in vain: one reference
  // IN_DRIVER: for one of the two.
  const agpu__emu_order *order;
  uint64_t given;
  agpu__emu_marker *marker;
} host;

static struct {
  const agpu__emu_model *model;
  LIST_HEAD(, host) threads AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  uint64_t count AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // Workers that the runtime has said it begins, and those that have come.
  unsigned workers AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  unsigned begun AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // The last that was woken before it slept for the first time, and when.
  const void *woken AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  int64_t woken_at AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // The latest clock of a thread that has queued a task.
  int64_t queued AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  pthread_key_t own; // each thread's
  pthread_once_t once;
} all = {.once = PTHREAD_ONCE_INIT};

static void leave(void *of) {
  host *self = of;
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  LIST_REMOVE(self, link);
  agpu__emu_marker_release(self->polled);
  free(self);
  agpu__emu_timeline_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

static void make_key(void) { (void)pthread_key_create(&all.own, leave); }

static host *get_own(void) { return pthread_getspecific(all.own); }

void agpu__emu_host_start(const agpu__emu_model *model) {
  (void)pthread_once(&all.once, make_key);
  all.model = model;
}

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t cpu_time(const host *of) {
  clockid_t id;
  struct timespec used = {0};
  if (!pthread_getcpuclockid(of->thread, &id))
    (void)clock_gettime(id, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/// The calling thread, which runs. One that has only just been seen begins with
/// the run: until it is woken it finds nothing to do.
static host *enter(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  host *self = get_own();
  if (!self) {
    self = calloc(1, sizeof *self);
    if (!self)
      abort();
    self->number = all.count++;
    self->thread = pthread_self();
    self->id = gettid();
    self->is_known = self->id == getpid();
    self->counted = cpu_time(self);
    LIST_INSERT_HEAD(&all.threads, self, link);
    (void)pthread_setspecific(all.own, self);
  }
  // It was not woken by a thread, but looks again after some time.
  if (self->state == SLEEPS) {
    self->clock = later(self->clock, agpu__emu_timeline_now());
    self->is_early = true;
  }
  self->state = RUNS;
  if (all.model->host_time > 0) {
    int64_t used = cpu_time(self);
    self->clock +=
        (int64_t)((double)(used - self->counted) * all.model->host_time);
    self->counted = used;
  }
  return self;
}

//===----------------------------------------------------------------------===//
// Who goes on
//===----------------------------------------------------------------------===//

static bool has_what_it_waits_for(const host *of, int64_t *out_time)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (of->order)
    return agpu__emu_timeline_is_over(of->order, of->given, out_time);
  *out_time = agpu__emu_marker_get_modelled(of->marker);
  return *out_time >= 0;
}

/// Those go on that wait in the driver for what is over, and see that some time
/// behind its end.
static void release(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  host *at;
  int64_t time;
  LIST_FOREACH (at, &all.threads, link)
    if (at->state == IN_DRIVER && has_what_it_waits_for(at, &time)) {
      at->clock = later(at->clock, time + (int64_t)all.model->synchronize_call);
      at->state = RUNS;
    }
}

/// Whether another thread is in that state, of those that others wait for.
static bool is_other(const host *self, host_state state)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const host *at;
  LIST_FOREACH (at, &all.threads, link)
    if (at != self && at->state == state &&
        (at->is_known || state == IN_DRIVER))
      return true;
  return false;
}

/// Makes a step, unless another thread does. False where there is none.
static bool step(int64_t limit) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (agpu__emu_timeline_is_stepping())
    return agpu__emu_timeline_rest() || true;
  bool made = agpu__emu_timeline_step(limit);
  release();
  return made;
}

/// The state of a thread as the kernel has it: 'S' sleeps, 'R' runs or waits
/// for a CPU. `task` is its number; 0: it is gone.
static char get_kernel_state(const char *task) {
  char path[64], text[256];
  (void)snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", task);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0)
    (void)close(file);
  text[size > 0 ? size : 0] = '\0';
  const char *end = strrchr(text, ')'); // behind the name
  return end && end[1] == ' ' ? end[2] : '\0';
}

static bool is_asleep(const host *of) {
  char task[16];
  (void)snprintf(task, sizeof task, "%d", (int)of->id);
  return get_kernel_state(task) == 'S';
}

/// Whether the thread waits here, in the model.
static bool waits_here(pid_t id) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const host *at;
  LIST_FOREACH (at, &all.threads, link)
    if (at->id == id)
      return at->state != RUNS;
  return id == gettid();
}

/// Whether a thread of the process could go on, if there were a CPU for it:
/// those that sleep may wait for that one.
static bool is_any_runnable(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  DIR *listed = opendir("/proc/self/task");
  const struct dirent *entry;
  bool found = false;
  while (listed && !found && (entry = readdir(listed)))
    found = !waits_here((pid_t)atoi(entry->d_name)) &&
            get_kernel_state(entry->d_name) == 'R';
  if (listed)
    (void)closedir(listed);
  return found;
}

/// Who runs, and has slept without saying why since this was last called, is
/// away. While somebody waits for work to run in real time, nobody is. On a
/// busy machine a thread may sleep for long, as what it waits for has no CPU.
static void look_who_is_away(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  enum { LOOKS = 3, LOOKS_BESIDE_OTHERS = 20 };
  host *at;
  if (agpu__emu_timeline_is_stepping())
    return;
  bool has_others = is_any_runnable();
  LIST_FOREACH (at, &all.threads, link) {
    if (at->state != RUNS || at == get_own())
      continue;
    int64_t used = cpu_time(at);
    at->looks = used == at->cpu && is_asleep(at) ? at->looks + 1 : 0;
    at->cpu = used;
    if (at->looks < (has_others ? LOOKS_BESIDE_OTHERS : LOOKS))
      continue;
    at->looks = 0;
    at->state = AWAY;
    agpu__emu_timeline_changed();
  }
}

static void rest(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  if (!agpu__emu_timeline_rest())
    look_who_is_away();
}

/// Whether a thread that sleeps for a while between its queries has its answer.
static bool is_polled(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const host *at;
  LIST_FOREACH (at, &all.threads, link)
    if (at->state == SLEEPS && at->polled &&
        agpu__emu_marker_get_modelled(at->polled) >= 0 &&
        !agpu__emu_marker_is_announced(at->polled))
      return true;
  return false;
}

/// Whether no thread does anything before devices go on.
static bool is_quiet(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  return !is_other(NULL, RUNS) && !is_other(NULL, AT_POINT) &&
         !is_other(NULL, IN_DRIVER) && !is_polled();
}

/// Makes steps while every thread sleeps.
static void drive(const host *self) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  while (self->state == SLEEPS && is_quiet() &&
         !agpu__emu_timeline_is_stepping() && step(AGPU__EMU_NEVER))
    continue;
}

//===----------------------------------------------------------------------===//
// The driver's calls
//===----------------------------------------------------------------------===//

void agpu__emu_host_call(const char *function) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  enter()->clock += (int64_t)agpu__emu_call_cost(all.model, function);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

int64_t agpu__emu_host_now(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  const host *self = get_own();
  int64_t now = self ? self->clock : agpu__emu_timeline_now();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return now;
}

/// Waits for what the thread says that it waits for.
static void await(host *self) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  self->state = IN_DRIVER;
  agpu__emu_timeline_changed();
  release();
  while (self->state == IN_DRIVER)
    if (is_other(self, RUNS) || is_other(self, AT_POINT) ||
        !step(AGPU__EMU_NEVER)) {
      rest();
      release();
    }
}

void agpu__emu_host_await_stream(const agpu__emu_order *order) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  host *self = enter();
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
  host *self = enter();
  self->marker = marker;
  await(self);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

/// Waits until no thread that runs is behind this one's clock.
static void await_others(const host *self)
    AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const host *at = LIST_FIRST(&all.threads);
  while (at) {
    bool is_behind = at != self && at->is_known && at->state == RUNS &&
                     at->clock < self->clock;
    if (is_behind)
      rest();
    at = is_behind ? LIST_FIRST(&all.threads) : LIST_NEXT(at, link);
  }
}

bool agpu__emu_host_sees_marker(agpu__emu_marker *marker) {
  enum { EARLY_LOOKS = 10 };
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  host *self = enter();
  await_others(self);
  while (agpu__emu_marker_get_modelled(marker) < 0 && step(self->clock))
    continue;
  int64_t time = agpu__emu_marker_get_modelled(marker);
  bool is_seen = time >= 0 && time <= self->clock;
  // One that a host function is to wake does not see it before that, unless the
  // host function came just before it went to sleep, and has not woken it.
  if (is_seen && self->is_early && agpu__emu_marker_is_announced(marker))
    is_seen = ++self->early_looks > EARLY_LOOKS;
  agpu__emu_marker_release(self->polled);
  self->polled = is_seen ? NULL : marker;
  if (!is_seen)
    agpu__emu_marker_retain(marker);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return is_seen;
}

bool agpu__emu_host_sees_stream(const agpu__emu_order *order) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  const host *self = enter();
  uint64_t given = agpu__emu_timeline_given(order);
  int64_t time;
  bool is_over;
  await_others(self);
  while (!(is_over = agpu__emu_timeline_is_over(order, given, &time)) &&
         step(self->clock))
    continue;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return is_over && time <= self->clock;
}

//===----------------------------------------------------------------------===//
// Host functions
//===----------------------------------------------------------------------===//

/// Where a host function waits for its turn and nothing goes on.
static void help(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  look_who_is_away();
  if (is_quiet())
    (void)step(AGPU__EMU_NEVER);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_function(struct agpu__emu_timed *of,
                             void (*call)(const struct agpu__emu_op *op),
                             const struct agpu__emu_op *op) {
  int64_t begin = agpu__emu_timeline_await_turn(of, help);
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  host *self = enter();
  self->clock = begin + (int64_t)all.model->host_function_latency;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  call(op);
  agpu__emu_timeline_returned(of, agpu__emu_host_now());
}

//===----------------------------------------------------------------------===//
// The runtime's threads
//===----------------------------------------------------------------------===//

/// Whether the thread, at a point, is the next.
static bool is_next(const host *self) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const host *at;
  if (is_other(self, RUNS))
    return false;
  LIST_FOREACH (at, &all.threads, link)
    if (at->state == AT_POINT &&
        (at->clock < self->clock ||
         (at->clock == self->clock && at->number < self->number)))
      return false;
  return true;
}

/// Waits, not for ever, until threads that are being created have come: what
/// they find does not depend on how long that takes.
static void await_workers(void) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  enum { RESTS = 200 };
  for (int i = 0; i < RESTS && all.begun < all.workers; ++i)
    (void)agpu__emu_timeline_rest();
}

void agpu__emu_host_pass(agpu__point point) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  host *self = enter();
  if (self->is_known && point == AGPU__POINT_SUBMIT)
    await_workers();
  all.begun += !self->is_known;
  self->is_known = true;
  if (point == AGPU__POINT_RUN)
    self->clock = later(self->clock, all.queued) + (int64_t)all.model->task;
  self->state = AT_POINT;
  agpu__emu_timeline_changed();
  while (self->state == AT_POINT) {
    if (!is_next(self))
      rest();
    else if (!step(self->clock))
      self->state = RUNS;
  }
  if (point == AGPU__POINT_QUEUED)
    all.queued = later(all.queued, self->clock);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

/// What spins sleeps instead: waiting takes no time of a CPU that is modelled.
bool agpu__emu_host_draw(agpu__point point) {
  return point == AGPU__POINT_SPIN;
}

uint32_t agpu__emu_host_random(void) {
  // Once for each worker, before it is created.
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  ++all.workers;
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return UINT32_C(0x9E3779B9);
}

void agpu__emu_host_sleep(const void *place) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  host *self = enter();
  self->is_known = true;
  bool is_woken = !self->place && all.woken == place;
  if (is_woken)
    self->clock = later(self->clock, all.woken_at);
  self->state = is_woken ? RUNS : SLEEPS;
  self->place = place;
  agpu__emu_timeline_changed();
  drive(self);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_wake(const void *place) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  host *at, *self = enter();
  int64_t time = self->clock + (int64_t)all.model->wake_latency;
  all.woken = place;
  all.woken_at = time;
  LIST_FOREACH (at, &all.threads, link)
    if (at->place == place && (at->state == SLEEPS || at->state == AWAY ||
                               (at->state == RUNS && at->is_early))) {
      at->clock = later(at->clock, time);
      at->state = RUNS;
      at->is_early = false;
      at->early_looks = 0;
      all.woken = NULL;
    }
  agpu__emu_timeline_changed();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

void agpu__emu_host_fork(agpu__fork_step unused) { (void)unused; }
