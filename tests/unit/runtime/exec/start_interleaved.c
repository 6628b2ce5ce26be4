//===- start_interleaved.c - The executor's start in all interleavings ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that need the executor at the same time, and one that asks how many
// workers there are: it starts once, all of them see what the start has made,
// and they agree on the number although what it is read from may change.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "exec/executor.c"

#include "check.h"
#include "interleave_memory.h"
#include "own_self.h"

#include <stdarg.h>

#define THREADS 3

agpu__executor agpu__the_executor;

// What executor.c needs of the runtime. The number of CPUs that may be used is
// another one each time.

static int64_t asked;

INTERLEAVE_UNSEEN agpu__cpus agpu__cpus_get(void) {
  return (agpu__cpus){.usable = 2 + asked++ % 3};
}

agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  CHECK_EQ(setting, AGPU__SETTING_NUM_THREADS);
  *out_value = AGPU__SETTING_UNSET;
  return AGPU_OK;
}

void agpu__status_report(agpu_status status) { CHECK(!status); }

void agpu__schedule_read(void) {}
uint32_t agpu__schedule_random(void) { return 1; }
void agpu__schedule_fork(agpu__fork_step step) { (void)step; }
int64_t agpu__counter_read(agpu__counter counter) { return (int64_t)counter; }

void agpu__deque_init(agpu__deque *deque) {
  atomic_init(&deque->top, 0);
  atomic_init(&deque->bottom, 0);
  deque->alone = false;
}

void agpu__deque_destroy(agpu__deque *deque) { (void)deque; }

void agpu__condition_init(agpu__condition *condition) { (void)condition; }

void agpu__log(agpu__log_category category, const char *format, ...) {
  (void)category, (void)format;
}

static int seated; ///< the start's alone

bool agpu__exec_hand_over(agpu__seat *seat, agpu__search search) {
  CHECK(search == AGPU__SEARCHES_NOT &&
        seat == &agpu__the_executor.seats[seated]);
  ++seated;
  return true;
}

// No run gets there.
int64_t agpu__clock_now_ns(void) { return 0; }
void agpu__clock_pause(int64_t *pause_ns) { (void)pause_ns; }
bool agpu__exec_has_work(void) { return false; }
bool agpu__exec_is_busy(agpu__executor *executor) { return !executor; }
void agpu__exec_rest_until_quiet(void) {}
void agpu__exec_run(agpu__task task) { (void)task; }
void agpu__outside_begin(agpu__outside *outside) { (void)outside; }
void agpu__outside_forget(agpu__outside *outside) { (void)outside; }

bool agpu__exec_find(bool patient, agpu__task *out_task) {
  (void)patient, (void)out_task;
  return false;
}

bool agpu__outside_has_help(agpu__outside *outside, uint64_t *out_helps) {
  (void)outside;
  *out_helps = 0;
  return false;
}

void agpu__outside_fork(agpu__outside *outside, agpu__fork_step step) {
  (void)outside, (void)step;
}

void agpu__parker_signal(agpu__parker *parker, uint32_t bits) {
  (void)parker, (void)bits;
}

//===----------------------------------------------------------------------===//

static int64_t counts[THREADS]; ///< what each was told

static void begin(void) {
  agpu__the_executor =
      (agpu__executor){.start_lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC_START),
                       .lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC)};
  memset(counts, 0, sizeof(counts));
  seated = 0;
  asked = 0;
}

/// As whoever submits a task uses what is there.
static void use(int thread) {
  const agpu__executor *executor = &agpu__the_executor;
  CHECK(executor->seats);
  CHECK_EQ(executor->worker_count, executor->seat_count);
  CHECK_EQ(executor->seats[1].random, 2 * 0x9E3779B9u);
  counts[thread] = executor->seat_count;
}

/// The last thread does not start it: it asks how many workers there would be,
/// and looks whether there are some.
static void work(int thread) {
  if (thread == THREADS - 1) {
    counts[thread] = agpu__exec_worker_count();
    if (agpu__exec_has_started())
      use(thread);
    return;
  }
  if (!agpu__exec_has_started())
    agpu__exec_start();
  use(thread);
}

static void end(void) {
  CHECK_EQ(seated, counts[0]);
  for (int i = 0; i < THREADS; ++i)
    CHECK_EQ(counts[i], counts[0]);
  agpu__exec_stop();
  CHECK(!agpu__exec_has_started());
  CHECK_EQ(interleave_heap.blocks, 0);
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = THREADS,
                                         .preemptions = 4,
                                         .begin = begin,
                                         .run = work,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
