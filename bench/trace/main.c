//===- main.c - What an event of a trace costs ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that record the begin and the end of a slice over and over, by our
// recorder and by Tracy's client, in turns. Prints nanoseconds an event for
// each round: trace FILE PAIRS THREADS ROUNDS.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/runtime.h"
#include "base/trace/trace.h"

#ifdef WITH_TRACY
#include "tracy/TracyC.h"
#endif

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long pairs;

static void *record_ours(void *unused) {
  for (long i = 0; i < pairs; ++i) {
    if (agpu__trace_on())
      agpu__trace_record(AGPU__TRACE_RUN, (uint64_t)i + 1, 0, NULL, 0, 0, 0);
    if (agpu__trace_on())
      agpu__trace_record(AGPU__TRACE_RAN, 0, 0, NULL, 0, 0, 0);
  }
  return unused;
}

#ifdef WITH_TRACY
static void *record_tracy(void *unused) {
  for (long i = 0; i < pairs; ++i) {
    TracyCZoneN(zone, "region", 1);
    TracyCZoneEnd(zone);
  }
  return unused;
}
#endif

typedef struct timed {
  void *(*record)(void *);
  double ns;
} timed;

static double thread_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *run(void *argument) {
  timed *self = argument;
  double begin = thread_ns();
  (void)self->record(NULL);
  self->ns = thread_ns() - begin;
  return NULL;
}

/// CPU time of all threads for one event: others on the machine do not count.
static double measure(void *(*record)(void *), int threads) {
  pthread_t started[64];
  timed all[64];
  double sum = 0;
  for (int i = 0; i < threads; ++i) {
    all[i].record = record;
    if (pthread_create(&started[i], NULL, run, &all[i]) != 0)
      abort();
  }
  for (int i = 0; i < threads; ++i) {
    (void)pthread_join(started[i], NULL);
    sum += all[i].ns;
  }
  return sum / (double)(2 * pairs) / threads;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  pairs = strtol(argv[2], NULL, 10);
  int threads = atoi(argv[3]), rounds = atoi(argv[4]);
  if (pairs < 1 || threads < 1 || threads > 64 ||
      agpu_runtime_set_trace(argv[1]))
    return 1;
  for (int i = 0; i < rounds; ++i) {
    (void)printf("async-gpu %.2f\n", measure(record_ours, threads));
#ifdef WITH_TRACY
    (void)printf("tracy %.2f\n", measure(record_tracy, threads));
#endif
  }
  return 0;
}
