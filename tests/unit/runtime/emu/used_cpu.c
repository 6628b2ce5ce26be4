//===- used_cpu.c - What counts of the CPU under a model ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "emu/model/rest.h"

#include <time.h>

enum { BURNT_NS = 20000000 };

static int64_t look(void) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  int64_t used = agpu__emu_used_cpu();
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
  return used;
}

static void say(bool works) {
  agpu__mutex_lock(&agpu__emu_timeline_lock);
  agpu__emu_leave_out_cpu(works);
  agpu__mutex_unlock(&agpu__emu_timeline_lock);
}

static int64_t get_own_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void burn(void) {
  int64_t end = get_own_ns() + BURNT_NS;
  while (get_own_ns() < end)
    continue;
}

static void what_a_thread_uses_counts(void) {
  int64_t before = look();
  burn();
  CHECK(look() - before >= BURNT_NS);
}

static void what_work_of_devices_uses_does_not(void) {
  int64_t before = look();
  say(true);
  int64_t begun = look();
  burn();
  CHECK(look() == begun);
  say(false);
  CHECK(look() - before < BURNT_NS);
  burn();
  CHECK(look() - before >= BURNT_NS);
}

int main(void) {
  what_a_thread_uses_counts();
  what_work_of_devices_uses_does_not();
  return 0;
}
