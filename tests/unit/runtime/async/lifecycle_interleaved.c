//===- lifecycle_interleaved.c - The runtime's start in all interleavings -===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that need the runtime at the same time: it starts once, and all see
// what the start has done. A device and messages register while others ask for
// what they count and whether they rest. Of two shutdowns one is done.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include <stdlib.h>

static int handlers; ///< of the end of the process

#define on_exit(function, argument) count_handler(function)

static int count_handler(void (*function)(int, void *)) {
  (void)function;
  return ++handlers;
}

#include "async/lifecycle.c"
#include "async/runtime.c"

#include "check.h"
#include "own_self.h"

#include <stdarg.h>

// What they need of the runtime.

static int watches, stops; ///< the start's and the end's alone

void agpu__standstill_watch(const agpu__exec_watch *watch) {
  CHECK(watch->is_pending && watch->hear_of_rest);
  ++watches;
}

void agpu__exec_stop(void) {
  interleave_gap();
  ++stops;
}

int64_t agpu__clock_now_ns(void) { return 0; }
void agpu__clock_pause(int64_t *pause_ns) { (void)pause_ns; }
int64_t agpu__counter_read(agpu__counter counter) { return 0 * (int)counter; }
void agpu__counter_fork(agpu__fork_step step) { (void)step; }
void agpu__magazine_fork(agpu__fork_step step) { (void)step; }
void agpu__trace_fork(agpu__fork_step step) { (void)step; }
void agpu__text_fork(agpu__fork_step step) { (void)step; }
void agpu__exec_fork(agpu__fork_step step) { (void)step; }
void agpu__trace_settle(void) {}
void agpu__thread_forget(void) {}
void agpu__fatal_forget(void) {}
void agpu__fatal_wait_if_ending(void) {}
void agpu__fatal_set_last_act(void (*act)(void)) { (void)act; }
void agpu__awaiter_forget(void) {}
void agpu__parallel_forget(void) {}
void agpu__task_error_forget(void) {}
void agpu__exec_drain(void) {}
bool agpu__exec_is_quiet(void) { return true; }
uint64_t agpu__exec_wakeups(void) { return 0; }
void agpu_status_release(agpu_status status) { CHECK(!status); }
agpu_status agpu__status_take_reported(void) { return NULL; }
agpu_status agpu__standstill_at_end(void) { return NULL; }
agpu_status agpu_runtime_check_settings(void) { return NULL; }

agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code, (void)location, (void)format;
  CHECK(false);
  return NULL;
}

void agpu__log(agpu__log_category category, const char *format, ...) {
  (void)category, (void)format;
}

void agpu__fatal(agpu_status status, const char *location, int exit_status) {
  (void)status, (void)location;
  exit(exit_status);
}

//===----------------------------------------------------------------------===//

static agpu__outside_life device, messages;

static void do_nothing(void) {}
static bool is_not_pending(void) { return false; }
static void count(agpu_runtime_counters *counters) { counters->streams = 3; }

static void begin(void) {
  agpu__the_runtime =
      (agpu__runtime){.start_lock = AGPU__MUTEX_INIT(AGPU__RANK_RUNTIME_START),
                      .end_lock = AGPU__MUTEX_INIT(AGPU__RANK_RUNTIME_END)};
  atomic_init(&agpu__lifecycle_started, false);
  device = messages = (agpu__outside_life){.drain = NULL};
  handlers = watches = stops = 0;
}

static void start_at_once(int thread) {
  (void)thread;
  agpu__lifecycle_start();
  CHECK_EQ(watches, 1);
}

static void end_started(void) {
  CHECK_EQ(watches, 1);
  CHECK_EQ(handlers, 1);
}

static void fill(agpu__outside_life *life) {
  *life = (agpu__outside_life){.drain = do_nothing,
                               .is_pending = is_not_pending,
                               .shutdown = do_nothing,
                               .count = count};
}

/// Whoever finds one finds what it consists of.
static void register_lives(int thread) {
  if (thread == 0) {
    fill(&messages);
    agpu__set_message_life(&messages);
  } else if (thread == 1) {
    fill(&device);
    agpu__set_device_life(&device);
  } else {
    agpu_runtime_counters counters;
    agpu_runtime_get_counters(&counters);
    CHECK(counters.streams == 0 || counters.streams == 3);
    CHECK(agpu_runtime_settle(1));
  }
}

static void end_registered(void) {
  CHECK_EQ(watches, 1);
  CHECK_EQ(handlers, 2); // the device's comes once more
  CHECK(get_device_life() == &device && get_message_life() == &messages);
}

static void begin_running(void) {
  begin();
  agpu__lifecycle_start();
}

static void shut_down_at_once(int thread) {
  (void)thread;
  CHECK(!agpu_runtime_shutdown());
  CHECK_EQ(stops, 1);
}

static void end_shut_down(void) {
  CHECK_EQ(stops, 1);
  CHECK(!agpu__lifecycle_started);
}

int main(void) {
  static const struct {
    void (*begin)(void);
    void (*run)(int thread);
    void (*end)(void);
  } all[] = {{begin, start_at_once, end_started},
             {begin, register_lives, end_registered},
             {begin_running, shut_down_at_once, end_shut_down}};
  for (int i = 0; i < 3; ++i) {
    long runs = interleave(&(interleaving){.threads = 3,
                                           .preemptions = 4,
                                           .begin = all[i].begin,
                                           .run = all[i].run,
                                           .end = all[i].end});
    printf("%ld runs\n", runs);
    CHECK(runs > 20);
  }
  return 0;
}
