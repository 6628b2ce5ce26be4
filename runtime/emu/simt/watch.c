//===- watch.c - Kernels that do not end ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/simt/watch.h"

#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/os/write.h"
#include "base/report/fatal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND ((int64_t)1000000000)

/// Until a warning where there is no limit. Under the check for races kernels
/// that wait for each other never end, which is worth saying soon.
#define PATIENCE 60
#define PATIENCE_ALONE 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static pthread_cond_t changed;
static bool has_condition; // `changed` is there, of the monotonic clock
static agpu__emu_watched *running;
static pthread_t thread;
static bool started, stop;
static bool asleep; // without a time to wake at

static int64_t patience(void) {
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  if (settings->kernel_seconds)
    return (int64_t)settings->kernel_seconds;
  return settings->check_races ? PATIENCE_ALONE : PATIENCE;
}

/// Writes of which launch it is, and for how long it has run.
static void describe(const agpu__emu_op *op, char *out, size_t size) {
  const uint32_t *grid = op->launch.block.grid_dim;
  const uint32_t *block = op->launch.block.block_dim;
  (void)snprintf(out, size,
                 "kernel '%s' with grid %ux%ux%u, block %ux%ux%u has run for "
                 "%lld s and not ended%s",
                 op->launch.kernel->name, grid[0], grid[1], grid[2], block[0],
                 block[1], block[2], (long long)patience(),
                 agpu__emu_get_settings()->check_races
                     ? "; ASYNC_GPU_EMU_CHECK=races runs one kernel and one "
                       "block at a time, so that those which wait for each "
                       "other never end"
                     : "");
}

/// Under the lock, which it keeps unless the program ends.
static void report(const agpu__emu_op *op) {
  char text[768], line[1200];
  const char *location = agpu__emu_op_origin(op).location;
  describe(op, text, sizeof text);
  if (agpu__emu_get_settings()->kernel_seconds) {
    agpu_status status = agpu_status_create(
        AGPU_STATUS_PROGRAM, location,
        "%s, the limit that ASYNC_GPU_EMU_KERNEL_SECONDS sets", text);
    pthread_mutex_unlock(&lock);
    agpu__fatal(status, NULL, EXIT_FAILURE);
  }
  int length = snprintf(line, sizeof line, "%.300s%swarning: %s\n",
                        location ? location : "", location ? ": " : "", text);
  agpu__write_stderr(line, (size_t)length);
}

/// Under the lock: waits for the first deadline, or for a launch.
static void wait_for_change(void) {
  int64_t first = INT64_MAX;
  for (const agpu__emu_watched *at = running; at; at = at->next)
    first = at->deadline < first ? at->deadline : first;
  asleep = first == INT64_MAX;
  if (asleep) {
    pthread_cond_wait(&changed, &lock);
    return;
  }
  const struct timespec until = {.tv_sec = first / SECOND,
                                 .tv_nsec = first % SECOND};
  (void)pthread_cond_timedwait(&changed, &lock, &until);
}

static void *look_after(void *argument) {
  (void)argument;
  pthread_mutex_lock(&lock);
  while (!stop) {
    int64_t now = agpu__clock_now_ns();
    for (agpu__emu_watched *at = running; at; at = at->next) {
      if (at->deadline > now)
        continue;
      at->deadline = INT64_MAX; // once
      report(at->op);
    }
    wait_for_change();
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/// Under the lock.
static void start(void) {
  if (!has_condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    has_condition = !pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  stop = false;
  started = has_condition &&
            !agpu__thread_create(&thread, "agpu-emu-watch", look_after, NULL);
}

void agpu__emu_watch_begin(agpu__emu_watched *watched, const agpu__emu_op *op) {
  *watched = (agpu__emu_watched){
      .op = op, .deadline = agpu__clock_now_ns() + patience() * SECOND};
  pthread_mutex_lock(&lock);
  watched->next = running;
  running = watched;
  if (!started)
    start();
  else if (asleep)
    pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

void agpu__emu_watch_end(agpu__emu_watched *watched) {
  pthread_mutex_lock(&lock);
  agpu__emu_watched **link = &running;
  while (*link != watched)
    link = &(*link)->next;
  *link = watched->next;
  pthread_mutex_unlock(&lock);
}

void agpu__emu_watch_reset(void) {
  pthread_mutex_lock(&lock);
  bool joins = started;
  stop = true;
  started = false;
  if (joins)
    pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  if (joins)
    pthread_join(thread, NULL);
}
