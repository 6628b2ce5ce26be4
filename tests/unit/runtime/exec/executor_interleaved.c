//===- executor_interleaved.c - The executor in all interleavings ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executor's own files as one: tasks that are submitted, handed on, taken
// from outside, stolen and waited for, seats that are handed over, threads that
// sleep and are woken, the drain and the end. Small programs run
//
// - in random walks of some preemptions, at any atomic access, and
// - with every choice of two or three at any atomic access, from when the
//   workers sleep until the drain, and of one or two from the start to the end.
//
// A run fails where a task is lost or run twice, where all threads wait
// although there is work, or where one waits for something that a thread which
// is free to do so does not run.
//
//===----------------------------------------------------------------------===//

#include "executor_interleaved.h"

#include "base/memory/counter.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/cpus.h"
#include "base/os/thread.h"
#include "base/report/fatal.h"
#include "base/report/log.h"
#include "base/report/settings.h"
#include "base/report/status_track.h"
#include "base/sync/schedule.h"
#include "check.h"
#include "exec/census.h"
#include "exec/executor.h"
#include "exec/watch.h"
#include "own_self.h"

#include <errno.h>
#include <time.h>

//===----------------------------------------------------------------------===//
// What the executor needs of the runtime
//===----------------------------------------------------------------------===//

#define THREADS 4

/// Whoever waits for some time waits in vain.
int64_t agpu__clock_now_ns(void) {
  static int64_t now;
  return now += AGPU__NS_PER_SECOND;
}
int64_t agpu__clock_machine_ns(void) { return agpu__clock_now_ns(); }

/// What a run allocates has the same addresses in all of them.
static _Alignas(4096) char arena[1 << 18];
static size_t arena_used;

void *agpu__memory_alloc(int64_t bytes, int64_t alignment, const char *what) {
  if (strcmp(what, "a thread's queue of tasks") == 0) {
    // Lives on from one run to the next.
    void *memory = NULL;
    CHECK(posix_memalign(&memory, (size_t)alignment, (size_t)bytes) == 0);
    return memory;
  }
  size_t begin = (size_t)alignment + arena_used - 1;
  begin -= begin % (size_t)alignment;
  arena_used = begin + (size_t)bytes;
  CHECK(arena_used <= sizeof(arena));
  return arena + begin;
}

void agpu__memory_free(void *memory) { (void)memory; }

void *interleaved_calloc(size_t count, size_t size) {
  void *memory =
      agpu__memory_alloc((int64_t)(count * size), AGPU__CACHE_LINE, "");
  return memset(memory, 0, count * size);
}

void agpu__log(agpu__log_category category, const char *format, ...) {
  (void)category;
  (void)format;
}

bool agpu__self_at_end(agpu__thread_part part, void (*at_end)(void)) {
  (void)part;
  (void)at_end;
  return true;
}

agpu__counter_cells *agpu__counter_register(void) {
  static agpu__counter_cells cells[THREADS];
  return &cells[interleave_thread()];
}

int64_t agpu__counter_read(agpu__counter counter) {
  (void)counter;
  return 0;
}

agpu__cpus agpu__cpus_get(void) { return (agpu__cpus){.usable = 1}; }
agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  (void)setting;
  *out_value = 1;
  return AGPU_OK;
}
void agpu__status_report(agpu_status status) { CHECK(!status); }
agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code;
  (void)location;
  (void)format;
  return NULL;
}
void agpu__fatal(agpu_status status, const char *location, int exit_status) {
  (void)status;
  (void)location;
  (void)exit_status;
  abort();
}
void agpu__schedule_read(void) {}
uint32_t agpu__schedule_random(void) { return 1; }
void agpu__schedule_fork(agpu__fork_step step) { (void)step; }
void agpu__condition_init(agpu__condition *condition) { (void)condition; }
void agpu__exec_relieve(void) {}
void agpu__clock_pause(int64_t *pause_ns) {
  (void)pause_ns;
  interleave_yield();
}

void agpu__exec_rest(agpu__parker *parker, uint32_t mask) {
  (void)agpu__parker_wait(parker, mask);
}

AGPU__UNCHECKED_LOCKS void agpu__exec_rest_until_quiet(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__condition_wait(&executor->quiet, &executor->lock);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

// Thread 0 is the program's, and BESIDE if it has another one. The others are
// there for the executor to create.
#define BESIDE (THREADS - 1)

typedef struct created_thread {
  bool created, ended;
  void *(*run)(void *);
  void *argument;
} created_thread;

#include "executor_programs.h"

static created_thread created[THREADS];
static bool program_ended;

int agpu__thread_create(pthread_t *out_thread, const char *name,
                        void *(*run)(void *), void *argument) {
  (void)name;
  int last = current->run_beside ? BESIDE : THREADS;
  for (int i = 1; i < last; ++i)
    if (!created[i].created) {
      created[i] =
          (created_thread){.created = true, .run = run, .argument = argument};
      *out_thread = (pthread_t)i;
      return 0;
    }
  return EAGAIN;
}

static bool has_ended(const void *thread) {
  return ((const created_thread *)thread)->ended;
}

int interleaved_join(pthread_t thread) {
  interleave_block(has_ended, &created[thread]);
  return 0;
}

static bool is_needed_or_not(const void *thread) {
  return ((const created_thread *)thread)->created || program_ended;
}

extern char __start_agpu_thread_local[], __stop_agpu_thread_local[];

/// What is thread-local, of each thread that does not run.
static char of_threads[THREADS][1024];
static int running;

static size_t thread_local_size(void) {
  return (size_t)(__stop_agpu_thread_local - __start_agpu_thread_local);
}

static void switch_to(int thread) {
  memcpy(of_threads[running], __start_agpu_thread_local, thread_local_size());
  running = thread;
  memcpy(__start_agpu_thread_local, of_threads[thread], thread_local_size());
}

static bool has_begun, beside_has_ended;

static bool is_true(const void *flag) { return *(const bool *)flag; }

static void begin(void) {
  memset(ran, 0, sizeof(ran));
  memset(created, 0, sizeof(created));
  arena_used = 0;
  memset(of_threads, 0, sizeof(of_threads));
  CHECK(thread_local_size() <= sizeof(of_threads[0]));
  memset(__start_agpu_thread_local, 0, thread_local_size());
  running = 0;
  program_ended = has_begun = beside_has_ended = false;
  for (int i = 1; i < THREADS; ++i)
    interleave_delay(i, is_needed_or_not, &created[i]);
  if (current->run_beside)
    interleave_delay(BESIDE, is_true, &has_begun);
  for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); ++i)
    agpu__parker_init(&gates[i].parker);
  // What threads before had is nobody's.
  agpu__outside_fork(&agpu__the_executor.outside, AGPU__FORK_BEFORE);
  agpu__outside_fork(&agpu__the_executor.outside, AGPU__FORK_IN_CHILD);
  atomic_store(&agpu__the_executor.wanted_workers, current->seats);
  atomic_store(&message, 0);
  atomic_store(&leavers, 0);
  agpu__exec_set_source(current->source);
}

/// Whether the workers have gone to sleep before a program begins. From there
/// to the drain is what is looked at then.
static bool settled;

static void run_created(created_thread *self) {
  if (self->created)
    (void)self->run(self->argument);
  self->ended = true;
}

static void run(int thread) {
  if (thread == BESIDE && current->run_beside) {
    current->run_beside();
    beside_has_ended = true;
    return;
  }
  if (thread > 0) {
    run_created(&created[thread]);
    return;
  }
  if (settled) {
    interleave_alone(true);
    agpu__exec_start();
    interleave_block(all_sleep, NULL);
    interleave_alone(false);
  }
  has_begun = true;
  current->run();
  if (current->run_beside)
    interleave_block(is_true, &beside_has_ended);
  agpu__exec_drain();
  CHECK(agpu__exec_is_quiet());
  interleave_alone(settled);
  agpu__exec_stop();
  program_ended = true;
}

static void end(void) {
  for (int i = 0; i < current->tasks; ++i)
    CHECK_EQ(ran[i], 1);
  CHECK_EQ(agpu__the_executor.sleeping, 0);
  CHECK_EQ(agpu__the_executor.searching, 0);
}

static void run_one(const program *one, interleaving test) {
  current = one;
  test.threads = THREADS;
  test.begin = begin;
  test.run = run;
  test.end = end;
  test.enter = switch_to;
  const char *start = settled ? ", workers asleep" : "";
  if (test.walks > 0)
    fprintf(stderr, "%s%s, walks:", one->name, start);
  else
    fprintf(stderr, "%s%s, %d preemptions:", one->name, start,
            test.preemptions);
  long runs = interleave(&test);
  fprintf(stderr, " %ld runs, %.1f s so far\n", runs,
          (double)clock() / CLOCKS_PER_SEC);
}

#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

// executor_interleaved [WALKS [MORE]]
//
// WALKS random walks of each kind, and all choices of so many preemptions MORE.
int main(int argc, char **argv) {
  long walks = argc > 1 ? strtol(argv[1], NULL, 10) : 300;
  int more = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
  agpu__hooks = AGPU__HOOK_SCHEDULE;
  // What finds most comes first.
  for (int preemptions = 3; preemptions < 30; preemptions *= 3)
    for (int i = 0; i < 2; ++i)
      for (size_t j = 0; j < PROGRAMS; ++j) {
        settled = i == 0;
        run_one(&programs[j],
                (interleaving){.walks = walks, .preemptions = preemptions});
      }
  for (size_t i = 0; i < PROGRAMS; ++i) {
    int preemptions = programs[i].preemptions + more;
    settled = true;
    run_one(&programs[i],
            (interleaving){.reduced = true, .preemptions = preemptions});
    settled = false;
    run_one(&programs[i],
            (interleaving){.reduced = true, .preemptions = preemptions - 1});
  }
  return 0;
}
