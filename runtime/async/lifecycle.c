//===- lifecycle.c - Start and end of the runtime -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/lifecycle.h"

#include "async/frame.h"
#include "async/object.h"
#include "async/standstill.h"
#include "async/task_error.h"
#include "base/fatal.h"
#include "base/log.h"
#include "base/status_track.h"
#include "exec/executor.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(const agpu__device_life *) device_life;
atomic_bool agpu__lifecycle_started;
static atomic_bool ended;
static pthread_once_t start_once = PTHREAD_ONCE_INIT;

static const agpu__device_life *get_device_life(void) {
  return atomic_load_explicit(&device_life, memory_order_acquire);
}

/// With on_exit, unlike atexit, the handler learns the status.
static void at_exit(int exit_status, void *unused) {
  (void)unused;
  agpu__fatal_wait_if_ending();
  // A task that ends the process cannot wait for itself.
  if (atomic_load(&ended) || agpu__exec_in_task())
    return;
  agpu_status status = agpu_runtime_shutdown();
  if (status)
    agpu__fatal(status, NULL, exit_status ? exit_status : EXIT_FAILURE);
}

static bool device_is_pending(void) {
  const agpu__device_life *life = get_device_life();
  return life && life->is_pending();
}

static void start(void) {
  // A process that cannot register a handler loses the report at its end, and
  // nothing else.
  (void)on_exit(at_exit, NULL);
  agpu__standstill_watch(device_is_pending);
  atomic_store_explicit(&agpu__lifecycle_started, true, memory_order_release);
}

void agpu__lifecycle_start_once(void) {
  (void)pthread_once(&start_once, start);
}

void agpu__set_device_life(const agpu__device_life *life) {
  agpu__lifecycle_start();
  // Handlers run last in, first out. A driver has registered its own by now,
  // so the runtime's must come once more to run while the driver still works.
  (void)on_exit(at_exit, NULL);
  agpu__standstill_watch(device_is_pending);
  agpu__fatal_set_last_act(life->abandon);
  atomic_store_explicit(&device_life, life, memory_order_release);
}

void agpu__lifecycle_quiesce(void) {
  // Tasks enqueue device work, and device work that ends submits tasks. Both
  // are at rest when no task has run since before the device was drained.
  uint64_t wakeups;
  do {
    agpu__exec_drain();
    wakeups = agpu__exec_wakeups();
    const agpu__device_life *life = get_device_life();
    if (life)
      life->drain();
  } while (!agpu__exec_is_quiet() || agpu__exec_wakeups() != wakeups);
}

/// What a program has not given back by its end, which compiled ones do.
static void log_leaks(void) {
  int64_t tokens = agpu__object_count(AGPU__TOKEN);
  int64_t values = agpu__object_count(AGPU__VALUE);
  int64_t groups = agpu__object_count(AGPU__GROUP);
  int64_t frames = agpu__frame_count();
  if (tokens || values || groups || frames)
    agpu__log(AGPU__LOG_ASYNC,
              "alive at the end: %" PRId64 " tokens, %" PRId64
              " values, %" PRId64 " groups, %" PRId64 " frames",
              tokens, values, groups, frames);
}

agpu_status agpu_runtime_shutdown(void) {
  if (agpu__exec_in_task())
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the runtime was shut down from inside a task");
  if (atomic_exchange(&ended, true))
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the runtime was shut down twice");
  agpu__lifecycle_quiesce();
  const agpu__device_life *life = get_device_life();
  if (life)
    life->shutdown();
  agpu__exec_stop();
  agpu__task_error_forget();
  log_leaks();
  agpu_status status = agpu__status_take_reported();
  return status ? status : agpu__standstill_at_end();
}

void agpu_runtime_get_counters(agpu_runtime_counters *out_counters) {
  *out_counters = (agpu_runtime_counters){
      .tokens = agpu__object_count(AGPU__TOKEN),
      .values = agpu__object_count(AGPU__VALUE),
      .groups = agpu__object_count(AGPU__GROUP),
      .frames = agpu__frame_count(),
  };
  const agpu__device_life *life = get_device_life();
  if (life)
    life->count(out_counters);
}
