//===- graph_meetings.c - Rounds that wait for those of other threads -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part whose recorded round waits for one of another thread, however long
// that goes on, is a graph again in its next round; and so are parts of which
// each waits for the other's. Work that a round has enqueued before its end is
// there for other threads at once.
//
// A thread that waits for a round looks again after a while. Here it never
// does, so that a wake-up that is missing shows.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "support.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// How long that while is (gpu/graph/notes.c).
#define SETTLE_NS 1000000

enum { ROUNDS = 6 };

typedef struct side {
  agpu_graph_site *part;
  char *cell;
  int number;
} side;

static agpu_graph_site parts[] = {{.mode = AGPU_GRAPH_ON},
                                  {.mode = AGPU_GRAPH_ON}};
static pthread_barrier_t barrier;
static agpu_object *tokens[2];
static atomic_int sleeping; ///< waits for rounds, since the start

/// The C library's, for the runtime.
long syscall(long number, ...) {
  long of[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i)
    of[i] = va_arg(list, long);
  va_end(list);
  const struct timespec *timeout = (const struct timespec *)of[3];
  if (number == SYS_futex && of[1] == FUTEX_WAIT_PRIVATE && timeout &&
      !timeout->tv_sec && timeout->tv_nsec == SETTLE_NS) {
    of[3] = 0;
    atomic_fetch_add(&sleeping, 1);
  }
  long (*real)(long number, ...);
  void *found = dlsym(RTLD_NEXT, "syscall");
  memcpy(&real, &found, sizeof real);
  return real(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}

/// In each round but the first, which is none, and the last: gets the token of
/// the other thread's round while that goes on, and works behind it.
static void *run(void *argument) {
  side *of = argument;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  for (int i = 0; i < ROUNDS; ++i) {
    agpu_graph_begin(of->part, stream);
    launch_increment(stream, of->cell);
    bool meets = i && i + 1 < ROUNDS;
    // Both wait in even rounds; in odd ones the first goes on for longer than
    // the other one waits with work of its own.
    bool waits = meets && (i % 2 == 0 || of->number);
    tokens[of->number] = agpu_stream_record(stream);
    (void)pthread_barrier_wait(&barrier);
    if (waits)
      agpu_stream_wait(stream, tokens[!of->number]);
    else if (meets)
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    launch_increment(stream, of->cell);
    agpu_graph_end(of->part, stream);
    (void)pthread_barrier_wait(&barrier);
    mlirAsyncRuntimeDropRef(tokens[of->number], 1);
  }
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  return NULL;
}

/// Waits, in no round, for what one of the main thread's has enqueued, which
/// goes on until this is over.
static void *follow(void *argument) {
  side *of = argument;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_stream_wait(stream, tokens[0]);
  launch_increment(stream, of->cell);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  return NULL;
}

static void check_early_end(agpu_stream *stream, char *cell) {
  side of = {.cell = cell};
  pthread_t thread;
  agpu_graph_begin(&parts[0], stream);
  launch_increment(stream, cell);
  tokens[0] = agpu_stream_record(stream);
  int before = atomic_load(&sleeping);
  CHECK_EQ(pthread_create(&thread, NULL, follow, &of), 0);
  while (atomic_load(&sleeping) == before)
    (void)sched_yield();
  mlirAsyncRuntimeAwaitToken(tokens[0]); // ends the recording
  CHECK_EQ(pthread_join(thread, NULL), 0);
  mlirAsyncRuntimeDropRef(tokens[0], 1);
  agpu_graph_end(&parts[0], stream);
}

int main(void) {
  log_begin();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *cells = agpu_alloc(stream, 16, false, NULL);
  agpu_memset(stream, cells, 0, 8, 2, NULL);
  await_and_drop(agpu_stream_record(stream));
  // It was read when the device started, before others changed the environment.
  CHECK_EQ(setenv("ASYNC_GPU_GRAPHS", "off", 1), 0);
  CHECK_EQ(pthread_barrier_init(&barrier, NULL, 2), 0);
  side sides[2];
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    sides[i] = (side){&parts[i], cells + 8 * i, i};
    CHECK_EQ(pthread_create(&threads[i], NULL, run, &sides[i]), 0);
  }
  for (int i = 0; i < 2; ++i)
    CHECK_EQ(pthread_join(threads[i], NULL), 0);
  int64_t seen[2] = {0};
  agpu_memcpy(stream, seen, cells, 16, NULL);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(seen[0], 2 * ROUNDS);
  CHECK_EQ(seen[1], 2 * ROUNDS);
  // The rounds that went on for long, and the last ones, where nobody waits.
  CHECK(log_count("cuGraphLaunch(") >= 4);
  int launched = log_count("cuGraphLaunch(");
  for (int i = 0; i < 2; ++i) {
    agpu_graph_begin(&parts[i], stream);
    launch_increment(stream, cells);
    agpu_graph_end(&parts[i], stream);
  }
  CHECK_EQ(log_count("cuGraphLaunch("), launched + 2);
  check_early_end(stream, cells);
  agpu_memcpy(stream, seen, cells, 16, NULL);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(seen[0], 2 * ROUNDS + 4);
  agpu_dealloc(stream, cells, NULL);
  agpu_stream_release(stream);
  check_end();
  return 0;
}
