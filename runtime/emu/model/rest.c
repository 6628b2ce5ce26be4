//===- rest.c - Waiting for a change of what is modelled ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where nothing changes, some thread may wait for something that the model does
// not know of. How long that takes says nothing on a busy machine: what counts
// is that no thread could go on. No call of the system says what another thread
// does: its file in /proc does.
//
//===----------------------------------------------------------------------===//

#include "emu/model/rest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

typedef struct resting {
  LIST_ENTRY(resting) link;
  pid_t thread;
} resting;

static struct {
  agpu__condition changed;
  LIST_HEAD(, resting) resting AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  // What was used while work of devices ran, without what runs now; since when
  // that does, or -1.
  int64_t of_work AGPU__GUARDED_BY(agpu__emu_timeline_lock);
  int64_t works_since AGPU__GUARDED_BY(agpu__emu_timeline_lock);
} all = {.works_since = -1};

void agpu__emu_rest_start(void) { agpu__condition_init(&all.changed); }

// The child has one thread, and no one waits.
AGPU__UNCHECKED_LOCKS void agpu__emu_rest_forget(void) {
  LIST_INIT(&all.resting);
  agpu__condition_init(&all.changed);
}

void agpu__emu_changed(void) { agpu__condition_broadcast(&all.changed); }

bool agpu__emu_rest(void) {
  enum { REST_NS = 5000000 };
  resting self = {.thread = gettid()};
  LIST_INSERT_HEAD(&all.resting, &self, link);
  bool has_changed =
      agpu__condition_wait_for(&all.changed, &agpu__emu_timeline_lock, REST_NS);
  LIST_REMOVE(&self, link);
  return has_changed;
}

/// 'S' sleeps, 'R' runs or waits for a CPU; '\0': it is gone.
static char get_state(pid_t thread) {
  char path[64], text[256];
  (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0)
    (void)close(file);
  text[size > 0 ? size : 0] = '\0';
  const char *end = strrchr(text, ')'); // behind the name
  return end && end[1] == ' ' ? end[2] : '\0';
}

bool agpu__emu_is_asleep(pid_t thread) { return get_state(thread) == 'S'; }

static bool waits_here(pid_t thread) AGPU__REQUIRES(agpu__emu_timeline_lock) {
  const resting *at;
  LIST_FOREACH (at, &all.resting, link)
    if (at->thread == thread)
      return true;
  return thread == gettid();
}

bool agpu__emu_is_any_runnable(void) {
  DIR *listed = opendir("/proc/self/task");
  const struct dirent *entry;
  bool found = false;
  while (listed && !found && (entry = readdir(listed))) {
    pid_t thread = (pid_t)atoi(entry->d_name);
    char state = thread > 0 && !waits_here(thread) ? get_state(thread) : '\0';
    found = state == 'R' || state == 'D';
  }
  if (listed)
    (void)closedir(listed);
  return found;
}

static int64_t get_cpu(void) {
  struct timespec used = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

void agpu__emu_leave_out_cpu(bool works) {
  if (!works)
    all.of_work += get_cpu() - all.works_since;
  all.works_since = works ? get_cpu() : -1;
}

int64_t agpu__emu_used_cpu(void) {
  int64_t until = all.works_since < 0 ? get_cpu() : all.works_since;
  return until - all.of_work;
}
