//===- watch.c - Kernels that do not end ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread, which the first launch starts, sleeps until the first deadline of
// a launch that runs, or for ever where there is none.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/watch.h"

#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/os/write.h"
#include "base/sync/mutex.h"
#include "emu/base/client.h"
#include "emu/base/hooks.h"
#include "emu/base/settings.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/// Until a warning where there is no limit. Under the check for races kernels
/// that wait for each other never end, which is worth saying soon.
#define PATIENCE 60
#define PATIENCE_ALONE 10

static struct {
  agpu__mutex lock;
  agpu__condition changed;
  bool has_condition AGPU__GUARDED_BY(lock); // from the first start on
  LIST_HEAD(, agpu__emu_watched) running AGPU__GUARDED_BY(lock);
  pthread_t thread AGPU__GUARDED_BY(lock);
  bool started AGPU__GUARDED_BY(lock), stop AGPU__GUARDED_BY(lock);
  bool asleep AGPU__GUARDED_BY(lock); // without a time to wake at
} watch = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_WATCH)};

static int64_t patience(void) {
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  if (settings->kernel_seconds)
    return (int64_t)settings->kernel_seconds;
  return agpu__emu_hooks_table.one_at_a_time ? PATIENCE_ALONE : PATIENCE;
}

/// Keeps the lock unless the program ends.
static void report(const agpu__emu_watched *of) AGPU__REQUIRES(watch.lock) {
  char kernel[512], line[1200];
  agpu__emu_launch_describe(of->launch, kernel, sizeof kernel);
  bool has_limit = agpu__emu_get_settings()->kernel_seconds != 0;
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, of->location,
      "%s has run for %lld s without ending%s%s", kernel, (long long)patience(),
      agpu__emu_hooks_table.one_at_a_time
          ? "; ASYNC_GPU_EMU_CHECK=races runs one kernel and one block at a "
            "time, so that those which wait for each other never end"
          : "",
      has_limit ? ", the limit that ASYNC_GPU_EMU_KERNEL_SECONDS sets" : "");
  if (has_limit) {
    agpu__mutex_unlock(&watch.lock);
    agpu__emu_end(status);
  }
  int length =
      snprintf(line, sizeof line, "%.300s%swarning: %.800s\n",
               of->location ? of->location : "", of->location ? ": " : "",
               agpu_status_get_message(status));
  agpu_status_release(status);
  agpu__write_stderr(line, (size_t)length);
}

/// Waits for the first deadline, or for a launch.
static void wait_for_change(void) AGPU__REQUIRES(watch.lock) {
  int64_t first = INT64_MAX;
  const agpu__emu_watched *at;
  LIST_FOREACH (at, &watch.running, link)
    first = at->deadline < first ? at->deadline : first;
  watch.asleep = first == INT64_MAX;
  if (watch.asleep)
    agpu__condition_wait(&watch.changed, &watch.lock);
  else
    (void)agpu__condition_wait_for(&watch.changed, &watch.lock,
                                   first - agpu__clock_machine_ns());
}

static void *look_after(void *argument) {
  (void)argument;
  agpu__mutex_lock(&watch.lock);
  while (!watch.stop) {
    int64_t now = agpu__clock_machine_ns();
    agpu__emu_watched *at;
    LIST_FOREACH (at, &watch.running, link)
      if (at->deadline <= now) {
        at->deadline = INT64_MAX; // once
        report(at);
      }
    wait_for_change();
  }
  agpu__mutex_unlock(&watch.lock);
  return NULL;
}

static void start(void) AGPU__REQUIRES(watch.lock) {
  if (!watch.has_condition)
    agpu__condition_init(&watch.changed);
  watch.has_condition = true;
  watch.stop = false;
  watch.started = !agpu__thread_create_driver(&watch.thread, "agpu-emu-watch",
                                              look_after, NULL);
}

void agpu__emu_watch_begin(agpu__emu_watched *watched,
                           const agpu__emu_launch *launch,
                           const char *location) {
  *watched = (agpu__emu_watched){.launch = launch,
                                 .location = location,
                                 .deadline = agpu__clock_machine_ns() +
                                             patience() * AGPU__NS_PER_SECOND};
  agpu__mutex_lock(&watch.lock);
  LIST_INSERT_HEAD(&watch.running, watched, link);
  if (!watch.started)
    start();
  else if (watch.asleep)
    agpu__condition_signal(&watch.changed);
  agpu__mutex_unlock(&watch.lock);
}

void agpu__emu_watch_end(agpu__emu_watched *watched) {
  agpu__mutex_lock(&watch.lock);
  LIST_REMOVE(watched, link);
  agpu__mutex_unlock(&watch.lock);
}

void agpu__emu_watch_reset(void) {
  agpu__mutex_lock(&watch.lock);
  bool joins = watch.started;
  pthread_t old = watch.thread;
  watch.stop = true;
  watch.started = false;
  if (joins)
    agpu__condition_signal(&watch.changed);
  agpu__mutex_unlock(&watch.lock);
  if (joins)
    pthread_join(old, NULL);
}
