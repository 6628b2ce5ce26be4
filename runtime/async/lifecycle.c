//===- lifecycle.c - Start and end of the runtime -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime starts with the first object, task or device, and ends when the
// process does or when it is told to: host and device come to rest, the
// device's threads end, then the executor's, and what no one has seen to is
// reported. After that it can start again. A fork waits for the locks of all
// layers, and the child begins with none of the parent's threads.
//
//===----------------------------------------------------------------------===//

#include "async/lifecycle.h"

#include "async/awaiter.h"
#include "async/runtime.h"
#include "async/standstill.h"
#include "async/task_error.h"
#include "base/memory/counter.h"
#include "base/memory/magazine.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/fork.h"
#include "base/os/thread.h"
#include "base/report/fatal.h"
#include "base/report/log.h"
#include "base/report/status_track.h"
#include "base/trace/trace.h"
#include "exec/executor.h"
#include "exec/loop/parallel.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/// All of the functions below take part in the life of this one.
static agpu__runtime *const runtime = &agpu__the_runtime;

static const agpu__outside_life *get_device_life(void) {
  return atomic_load_explicit(&runtime->device, memory_order_acquire);
}

static const agpu__outside_life *get_message_life(void) {
  return atomic_load_explicit(&runtime->messages, memory_order_acquire);
}

/// With on_exit, unlike atexit, the handler learns the status.
static void at_exit(int exit_status, void *unused) {
  (void)unused;
  agpu__fatal_wait_if_ending();
  agpu__mutex_lock(&runtime->start_lock);
  runtime->is_exiting = true;
  agpu__mutex_unlock(&runtime->start_lock);
  // A task that ends the process cannot wait for itself.
  if (agpu__exec_in_task())
    return;
  agpu_status status = agpu_runtime_shutdown();
  if (status)
    agpu__fatal(status, NULL, exit_status ? exit_status : EXIT_FAILURE);
}

static bool outside_is_pending(void) {
  const agpu__outside_life *life = get_device_life();
  const agpu__outside_life *messages = get_message_life();
  return (life && life->is_pending()) || (messages && messages->is_pending());
}

/// The steps before a fork go down the layers, so that a lock is taken before
/// those that its holder may want; those after it go up.
AGPU__UNCHECKED_LOCKS static void before_fork(void) {
  agpu__mutex_lock(&runtime->start_lock);
  agpu__exec_fork(AGPU__FORK_BEFORE);
  agpu__counter_fork(AGPU__FORK_BEFORE);
  agpu__magazine_fork(AGPU__FORK_BEFORE);
  agpu__trace_fork(AGPU__FORK_BEFORE);
  agpu__text_fork(AGPU__FORK_BEFORE);
}

AGPU__UNCHECKED_LOCKS static void after_fork(agpu__fork_step step) {
  agpu__text_fork(step);
  agpu__trace_fork(step);
  agpu__magazine_fork(step);
  agpu__counter_fork(step);
  agpu__exec_fork(step);
  agpu__mutex_unlock(&runtime->start_lock);
}

static void in_parent(void) { after_fork(AGPU__FORK_IN_PARENT); }

static void in_child(void) {
  agpu__thread_forget();
  agpu__fatal_forget();
  after_fork(AGPU__FORK_IN_CHILD);
  // Loops that ran, what waits, and what has failed without anyone having seen
  // it, is the parent's to report.
  agpu__parallel_forget();
  agpu__awaiter_forget();
  agpu_status_release(agpu__status_take_reported());
  agpu__mutex_init(&runtime->end_lock, AGPU__RANK_RUNTIME_END);
  const agpu__outside_life *life = get_device_life();
  if (life)
    life->forget();
  const agpu__outside_life *messages = get_message_life();
  if (messages)
    messages->forget();
}

/// When the library is loaded: a fork while some thread starts the runtime must
/// find the steps in place.
static void __attribute__((constructor)) begin_at_load(void) {
  (void)pthread_atfork(before_fork, in_parent, in_child);
}

static bool only_messages_are_pending(void) {
  const agpu__outside_life *life = get_device_life();
  const agpu__outside_life *messages = get_message_life();
  return messages && messages->is_pending() && !(life && life->is_pending());
}

static void hear_of_rest(uint64_t rises) {
  get_message_life()->hear_of_rest(rises);
}

static void start(void) AGPU__REQUIRES(runtime->start_lock) {
  AGPU__ASSERT_HELD(&runtime->start_lock);
  // A process that cannot register a handler loses the report at its end, and
  // nothing else. Handlers that run may start the runtime once more.
  if (!runtime->has_handlers || runtime->is_exiting)
    (void)on_exit(at_exit, NULL);
  runtime->has_handlers = true;
  agpu__standstill_watch(&(agpu__exec_watch){.is_pending = outside_is_pending,
                                             .only_messages_are_pending =
                                                 only_messages_are_pending,
                                             .hear_of_rest = hear_of_rest});
  atomic_store_explicit(&agpu__lifecycle_started, true, memory_order_release);
}

void agpu__lifecycle_start_slowly(void) {
  agpu_status status = agpu_runtime_check_settings();
  if (status)
    agpu__fatal(status, NULL, EXIT_FAILURE);
  agpu__mutex_lock(&runtime->start_lock);
  if (!atomic_load_explicit(&agpu__lifecycle_started, memory_order_relaxed))
    start();
  agpu__mutex_unlock(&runtime->start_lock);
}

void agpu__set_device_life(const agpu__outside_life *life) {
  agpu__lifecycle_start();
  // Handlers run last in, first out. A driver has registered its own by now,
  // so the runtime's must come once more to run while the driver still works.
  if (!get_device_life())
    (void)on_exit(at_exit, NULL);
  agpu__fatal_set_last_act(life->abandon);
  atomic_store_explicit(&runtime->device, life, memory_order_release);
}

void agpu__set_message_life(const agpu__outside_life *life) {
  agpu__lifecycle_start();
  atomic_store_explicit(&runtime->messages, life, memory_order_release);
}

bool agpu__lifecycle_is_exiting(void) {
  agpu__mutex_lock(&runtime->start_lock);
  bool is = runtime->is_exiting;
  agpu__mutex_unlock(&runtime->start_lock);
  return is;
}

void agpu__lifecycle_quiesce(void) {
  // Tasks enqueue device work, and device work that ends submits tasks. Both
  // are at rest when no task has run since before the device was drained.
  uint64_t wakeups;
  do {
    agpu__exec_drain();
    wakeups = agpu__exec_wakeups();
    const agpu__outside_life *life = get_device_life();
    if (life)
      life->drain();
    const agpu__outside_life *messages = get_message_life();
    if (messages)
      messages->drain();
  } while (!agpu__exec_is_quiet() || agpu__exec_wakeups() != wakeups);
}

/// Whether neither host nor device have work in flight. Does not wait.
static bool is_at_rest(void) {
  uint64_t wakeups = agpu__exec_wakeups();
  return !outside_is_pending() && agpu__exec_is_quiet() &&
         agpu__exec_wakeups() == wakeups;
}

bool agpu_runtime_settle(int64_t timeout_ns) {
  if (!atomic_load_explicit(&agpu__lifecycle_started, memory_order_acquire))
    return true;
  int64_t end = agpu__clock_now_ns() + timeout_ns, pause_ns = 1000;
  bool rests = is_at_rest();
  while (!rests && !agpu__exec_in_task() && agpu__clock_now_ns() < end) {
    agpu__clock_pause(&pause_ns);
    rests = is_at_rest();
  }
  return rests;
}

/// What a program has not given back by its end, which compiled ones do.
static void log_leaks(void) {
  int64_t tokens = agpu__counter_read(AGPU__COUNT_TOKENS);
  int64_t values = agpu__counter_read(AGPU__COUNT_VALUES);
  int64_t groups = agpu__counter_read(AGPU__COUNT_GROUPS);
  int64_t frames = agpu__counter_read(AGPU__COUNT_FRAMES);
  if (tokens || values || groups || frames)
    agpu__log(AGPU__LOG_ASYNC,
              "alive at the end: %" PRId64 " tokens, %" PRId64
              " values, %" PRId64 " groups, %" PRId64 " frames",
              tokens, values, groups, frames);
}

/// The end, of a runtime that runs.
static agpu_status shut_down(void) {
  if (!atomic_load_explicit(&agpu__lifecycle_started, memory_order_acquire))
    return agpu__status_take_reported();
  agpu__lifecycle_quiesce();
  const agpu__outside_life *life = get_device_life();
  if (life)
    life->shutdown();
  const agpu__outside_life *messages = get_message_life();
  if (messages)
    messages->shutdown();
  agpu__exec_stop();
  agpu__task_error_forget();
  log_leaks();
  agpu_status status = agpu__status_take_reported();
  if (!status)
    status = agpu__standstill_at_end();
  agpu__awaiter_forget();
  agpu__trace_settle(); // the program's code may go now
  atomic_store_explicit(&agpu__lifecycle_started, false, memory_order_release);
  return status;
}

agpu_status agpu_runtime_shutdown(void) {
  if (agpu__exec_in_task())
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the runtime was shut down from inside a task");
  agpu__mutex_lock(&runtime->end_lock);
  agpu_status status = shut_down();
  agpu__mutex_unlock(&runtime->end_lock);
  return status;
}

void agpu_runtime_get_counters(agpu_runtime_counters *out_counters) {
  *out_counters = (agpu_runtime_counters){
      .tokens = agpu__counter_read(AGPU__COUNT_TOKENS),
      .values = agpu__counter_read(AGPU__COUNT_VALUES),
      .groups = agpu__counter_read(AGPU__COUNT_GROUPS),
      .frames = agpu__counter_read(AGPU__COUNT_FRAMES),
  };
  const agpu__outside_life *life = get_device_life();
  if (life)
    life->count(out_counters);
}
