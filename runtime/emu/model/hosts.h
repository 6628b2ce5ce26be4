//===- hosts.h - The threads of the host in modelled time ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What host.c and hosts.c know of each other: threads, and who goes on. A
// thread runs, is at a point, sleeps until another wakes it, waits in the
// driver or for messages, or is away: it has used no CPU for a while without
// saying why. Only one that runs holds up others.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_HOSTS_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_HOSTS_H

#include "base/sync/schedule.h"
#include "emu/device/marker.h"
#include "emu/device/op.h"
#include "emu/model/lock.h"
#include "emu/model/model.h"

#include <pthread.h>
#include <sys/queue.h>

typedef enum agpu__emu_host_state {
  RUNS,
  AT_POINT,
  SLEEPS,
  IN_DRIVER,
  IN_NETWORK,
  AWAY
} agpu__emu_host_state;

enum { AGPU__EMU_POLLED = 64, AGPU__EMU_MOST_WORKERS = 1 << 16 };

typedef struct agpu__emu_host {
  LIST_ENTRY(agpu__emu_host) link;
  uint64_t number; // the main one's is 0, then come workers
  pthread_t thread;
  pid_t id;
  agpu__emu_host_state state;
  bool is_known;        // the runtime has spoken of it: others wait for it
  bool is_woken;        // by a thread, since when it has said nothing
  agpu__point point;    // the last one that it has passed
  bool is_early;        // it goes on by this machine's clock, and was not woken
  unsigned early_looks; // since then, that have found what wakes it soon
  int64_t clock;
  int64_t cpu;       // CPU time when it was looked at
  int64_t looked_at; // by this machine's clock, as all who wait look
  int64_t others;    // CPU time of the process when it was last awake
  unsigned looks;    // since then that have found no thread awake
  int64_t counted;   // CPU time that is in its clock
  const void *place; // where it sleeps
  // It has asked for these in vain since it was woken: one reference of each.
  agpu__emu_marker *polled[AGPU__EMU_POLLED];
  unsigned polls;
  unsigned awaited; // rests of others until it asks again
  bool is_free;     // its call has taken no time, so far
  // IN_DRIVER: for one of the two.
  const agpu__emu_order *order;
  uint64_t given;
  agpu__emu_marker *marker;
} agpu__emu_host;

/// Constant once there are threads, but for what is guarded.
extern struct agpu__emu_hosts {
  const agpu__emu_model *model;
  LIST_HEAD(, agpu__emu_host) threads AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  uint64_t count AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // Where the clock stood when a host function that waits for its turn looked,
  // and since when, by the CPU that the process has used.
  int64_t stood_at AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  int64_t stands_since AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // Runs a host function, in a step that waits for that.
  agpu__emu_host *called AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  agpu__emu_host *
      network AGPU__GUARDED_BY(agpu__emu_timeline_lock); // waits for messages
  bool has_message AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  unsigned rests AGPU__GUARDED_BY(agpu__emu_timeline_lock); // of that thread
  // The latest clock of a thread that has queued a task.
  int64_t queued AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  pthread_key_t own; // each thread's
  pthread_once_t once;
} agpu__emu_hosts;

static inline int64_t agpu__emu_later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/// The calling thread, or NULL if it has not been seen.
agpu__emu_host *agpu__emu_hosts_own(void);

/// The calling thread, which runs. One that has only just been seen begins with
/// the run: until it is woken it finds nothing to do.
agpu__emu_host *agpu__emu_hosts_enter(void)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// It has asked for nothing in vain.
void agpu__emu_hosts_forget_polled(agpu__emu_host *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Whether the thread sleeps for a while between its queries, and has its
/// answer.
bool agpu__emu_hosts_has_answer(const agpu__emu_host *of)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Those go on that wait in the driver for what is over, and see that some time
/// behind its end.
void agpu__emu_hosts_release(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Whether another thread is in that state, of those that others wait for; no
/// thread does anything before devices go on.
bool agpu__emu_hosts_has_other(const agpu__emu_host *self,
                               agpu__emu_host_state state)
    AGPU__REQUIRES(agpu__emu_timeline_lock);
bool agpu__emu_hosts_are_quiet(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Makes a step, unless another thread does, or other ranks are behind. False
/// where there is none.
bool agpu__emu_hosts_step(int64_t limit)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Makes steps while every thread sleeps, and `self`, unless that is NULL.
void agpu__emu_hosts_drive(const agpu__emu_host *self)
    AGPU__REQUIRES(agpu__emu_timeline_lock);

/// Waits for a change, or finds out who is away; the latter alone.
void agpu__emu_hosts_rest(void) AGPU__REQUIRES(agpu__emu_timeline_lock);
void agpu__emu_hosts_look(void) AGPU__REQUIRES(agpu__emu_timeline_lock);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_HOSTS_H
