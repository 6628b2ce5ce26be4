//===- main.c - Runs and times one workload -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   PROGRAM WORKLOAD N WARMUP               once with size WARMUP, then timed
//                                           with size N
//   PROGRAM WORKLOAD N WARMUP pause US      N times with size 1, after a pause
//                                           of US microseconds each; only what
//                                           is between the pauses is timed
//   PROGRAM WORKLOAD N WARMUP times COUNT   with size N, COUNT times in a row
//   PROGRAM WORKLOAD N WARMUP idle MS       after it, nothing for MS
//                                           milliseconds; only they are timed
//   PROGRAM LOOP N WARMUP elements COUNT    a loop over COUNT elements, N times
//
// Prints one line of JSON: seconds, CPU seconds of the process (user and
// system, both of the timed part), the result (of a loop: how many elements
// are right), and the peak of the process's memory in KiB.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE

#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sem_t semaphore;

void bench_post(void) { sem_post(&semaphore); }

void bench_wait(void) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR)
    ;
}

//===----------------------------------------------------------------------===//
// Measures
//===----------------------------------------------------------------------===//

typedef struct measure {
  double seconds, cpu_seconds;
} measure;

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void start(measure *total) {
  total->cpu_seconds -= read_clock(CLOCK_PROCESS_CPUTIME_ID);
  total->seconds -= read_clock(CLOCK_MONOTONIC);
}

static void stop(measure *total) {
  total->seconds += read_clock(CLOCK_MONOTONIC);
  total->cpu_seconds += read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/// The peak of this program's memory. Not getrusage(): what that gives starts
/// with the peak of the process before exec.
static long read_peak_kib(void) {
  FILE *file = fopen("/proc/self/status", "re");
  char line[256];
  long kib = -1;
  while (file && fgets(line, sizeof(line), file))
    if (sscanf(line, "VmHWM: %ld", &kib) == 1)
      break;
  if (file)
    fclose(file);
  return kib;
}

static void sleep_for(int64_t nanoseconds) {
  struct timespec left = {.tv_sec = nanoseconds / 1000000000,
                          .tv_nsec = nanoseconds % 1000000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    ;
}

//===----------------------------------------------------------------------===//
// Workloads
//===----------------------------------------------------------------------===//

static int64_t time_trips(const bench_work *work, int64_t count,
                          int64_t pause_us, measure *total) {
  int64_t result = 0;
  for (int64_t i = 0; i < count; ++i) {
    sleep_for(pause_us * 1000);
    start(total);
    result += work->run(1);
    stop(total);
  }
  return result;
}

/// What an element of y is after `count` loops over x = 3, y = 1.
static float expect(const bench_work *work, int64_t count) {
  float x = 3.0f;
  float y = 1.0f;
  for (int64_t i = 0; i < count; ++i)
    if (strcmp(work->name, "dot") == 0)
      break;
    else if (strcmp(work->name, "iterate") == 0)
      bench_iterate(&x, &y, 0, 1);
    else
      bench_saxpy(&x, &y, 0, 1);
  return y;
}

static int64_t time_loops(const bench_work *work, int64_t count, int64_t warmup,
                          int64_t elements, measure *total) {
  float *x = malloc((size_t)elements * sizeof(*x));
  float *y = malloc((size_t)elements * sizeof(*y));
  if (!x || !y) {
    fprintf(stderr, "no memory for %" PRId64 " elements\n", elements);
    exit(1);
  }
  for (int64_t i = 0; i < elements; ++i) {
    x[i] = 3.0f;
    y[i] = 1.0f;
  }
  for (int64_t i = 0; i < warmup; ++i)
    work->loop(x, y, elements);
  start(total);
  for (int64_t i = 0; i < count; ++i)
    work->loop(x, y, elements);
  stop(total);
  float expected = expect(work, count + warmup);
  int64_t right = 0;
  for (int64_t i = 0; i < elements; ++i)
    right += y[i] == expected;
  free(x);
  free(y);
  return right;
}

static bool read_number(const char *text, int64_t *out_number) {
  char *end;
  errno = 0;
  *out_number = strtoll(text, &end, 10);
  return *text && !*end && errno == 0 && *out_number >= 0;
}

int main(int count, char **words) {
  int64_t n, warmup, extra = 0;
  const char *mode = count > 4 ? words[4] : "";
  if ((count != 4 && count != 6) || !read_number(words[2], &n) ||
      !read_number(words[3], &warmup) ||
      (count == 6 && !read_number(words[5], &extra))) {
    fprintf(stderr,
            "usage: %s WORKLOAD N WARMUP [pause US | times COUNT | "
            "idle MS | elements COUNT]\n",
            words[0]);
    return 2;
  }
  const bench_work *work = bench_works;
  while (work->name && strcmp(work->name, words[1]) != 0)
    ++work;
  if (!work->name || !work->loop != (strcmp(mode, "elements") != 0)) {
    fprintf(stderr, "no workload '%s' of this kind\n", words[1]);
    return 2;
  }

  sem_init(&semaphore, 0, 0);
  measure total = {0};
  int64_t result;
  if (work->loop) {
    result = time_loops(work, n, warmup, extra, &total);
  } else {
    (void)work->run(warmup);
    if (strcmp(mode, "pause") == 0) {
      result = time_trips(work, n, extra, &total);
    } else if (strcmp(mode, "idle") == 0) {
      result = work->run(n);
      start(&total);
      sleep_for(extra * 1000000);
      stop(&total);
    } else {
      int64_t times = strcmp(mode, "times") == 0 ? extra : 1;
      result = 0;
      start(&total);
      for (int64_t i = 0; i < times; ++i)
        result += work->run(n);
      stop(&total);
    }
  }
  printf("{\"seconds\": %.9g, \"cpu_seconds\": %.9g, \"result\": %" PRId64
         ", \"peak_kib\": %ld}\n",
         total.seconds, total.cpu_seconds, result, read_peak_kib());
  return 0;
}
