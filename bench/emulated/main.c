//===- main.c - Times the kernels of one device ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     PROGRAM WORKLOAD SIZE LAUNCHES KERNELS
//
// Runs the workload once to look at each of its results, which also compiles
// what has to be, and then LAUNCHES times. Prints the nanoseconds from each
// launch to its end, one line each. Exit status 1 after a wrong result.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *allocate(int64_t count) {
  void *memory = calloc((size_t)count + 1, 4);
  if (!memory)
    abort();
  return memory;
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bench_buffer *filled(const void *data, int64_t count) {
  bench_buffer *buffer = bench_allocate(count);
  bench_upload(buffer, data, count);
  return buffer;
}

/// Numbers below 1 that take few bits, so that sums of them are exact.
static float *numbers(int64_t count, int64_t step) {
  float *data = allocate(count);
  for (int64_t i = 0; i < count; ++i)
    data[i] = (float)(i * step % 61) / 64;
  return data;
}

/// One workload: its buffers, a launch, and whether the results are right after
/// one launch.
typedef struct work {
  int64_t n;
  bench_buffer *buffers[3];
  float *x, *y;
  int32_t *bytes;
} work;

//===----------------------------------------------------------------------===//
// The workloads
//===----------------------------------------------------------------------===//

static void saxpy_open(work *w) {
  w->x = numbers(w->n, 7);
  w->y = numbers(w->n, 11);
  w->buffers[0] = filled(w->x, w->n);
  w->buffers[1] = filled(w->y, w->n);
}

static void saxpy_run(work *w) {
  bench_saxpy(w->n, 0.5f, w->buffers[0], w->buffers[1]);
}

static int saxpy_right(work *w) {
  float *result = allocate(w->n);
  bench_download(result, w->buffers[1], w->n);
  int64_t wrong = 0;
  for (int64_t i = 0; i < w->n; ++i)
    wrong += result[i] != 0.5f * w->x[i] + w->y[i];
  free(result);
  return !wrong;
}

static void product_open(work *w) {
  w->x = numbers(w->n * w->n, 7);
  w->y = numbers(w->n * w->n, 11);
  w->buffers[0] = filled(w->x, w->n * w->n);
  w->buffers[1] = filled(w->y, w->n * w->n);
  w->buffers[2] = bench_allocate(w->n * w->n);
}

static void product_run(work *w) {
  bench_product(w->n, w->buffers[0], w->buffers[1], w->buffers[2]);
}

/// The order of the additions is that of the kernel, so equal means equal.
static int product_right(work *w) {
  int64_t n = w->n, wrong = 0;
  float *result = allocate(n * n), *row = allocate(n);
  bench_download(result, w->buffers[2], n * n);
  for (int64_t i = 0; i < n; ++i) {
    memset(row, 0, (size_t)n * sizeof *row);
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        row[j] += w->x[i * n + k] * w->y[k * n + j];
    for (int64_t j = 0; j < n; ++j)
      wrong += result[i * n + j] != row[j];
  }
  free(result);
  free(row);
  return !wrong;
}

static void sums_open(work *w) {
  w->x = numbers(w->n, 7);
  w->buffers[0] = filled(w->x, w->n);
  w->buffers[1] = bench_allocate(w->n / BLOCK);
}

static void sums_run(work *w) {
  bench_sums(w->n, w->buffers[0], w->buffers[1]);
}

static int sums_right(work *w) {
  int64_t blocks = w->n / BLOCK, wrong = 0;
  float *result = allocate(blocks);
  bench_download(result, w->buffers[1], blocks);
  for (int64_t b = 0; b < blocks; ++b) {
    float sum = 0;
    for (int64_t i = 0; i < BLOCK; ++i)
      sum += w->x[b * BLOCK + i];
    wrong += result[b] != sum;
  }
  free(result);
  return !wrong;
}

static void stencil_open(work *w) {
  w->x = numbers(w->n * w->n, 7);
  w->y = allocate(w->n * w->n);
  w->buffers[0] = filled(w->x, w->n * w->n);
  w->buffers[1] = filled(w->y, w->n * w->n);
}

static void stencil_run(work *w) {
  bench_stencil(w->n, w->n, w->buffers[0], w->buffers[1]);
}

static int stencil_right(work *w) {
  int64_t n = w->n, wrong = 0;
  float *result = allocate(n * n);
  bench_download(result, w->buffers[1], n * n);
  for (int64_t y = 0; y < n; ++y)
    for (int64_t x = 0; x < n; ++x) {
      const float *at = w->x + y * n + x;
      int inside = x > 0 && y > 0 && x < n - 1 && y < n - 1;
      float expected =
          inside ? 0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-n] + at[n])
                 : 0;
      wrong += result[y * n + x] != expected;
    }
  free(result);
  return !wrong;
}

static void histogram_open(work *w) {
  w->bytes = allocate(w->n);
  uint32_t state = 1;
  for (int64_t i = 0; i < w->n; ++i) {
    state = state * 1664525u + 1013904223u;
    w->bytes[i] = (int32_t)(state >> 24);
  }
  int32_t none[BINS] = {0};
  w->buffers[0] = filled(w->bytes, w->n);
  w->buffers[1] = filled(none, BINS);
}

static void histogram_run(work *w) {
  bench_histogram(w->n, w->buffers[0], w->buffers[1]);
}

static int histogram_right(work *w) {
  int32_t result[BINS], expected[BINS] = {0};
  bench_download(result, w->buffers[1], BINS);
  for (int64_t i = 0; i < w->n; ++i)
    ++expected[w->bytes[i]];
  return !memcmp(result, expected, sizeof result);
}

static void small_open(work *w) { w->buffers[0] = bench_allocate(32); }

static void small_run(work *w) { bench_small(w->n, w->buffers[0]); }

static int small_right(work *w) {
  int32_t result[32], wrong = 0;
  bench_download(result, w->buffers[0], 32);
  for (int i = 0; i < 32; ++i)
    wrong += result[i] != w->n;
  return !wrong;
}

static const struct {
  const char *name;
  void (*open)(work *w);
  void (*run)(work *w);
  int (*right)(work *w);
} works[] = {
    {"saxpy", saxpy_open, saxpy_run, saxpy_right},
    {"product", product_open, product_run, product_right},
    {"sums", sums_open, sums_run, sums_right},
    {"stencil", stencil_open, stencil_run, stencil_right},
    {"histogram", histogram_open, histogram_run, histogram_right},
    {"small", small_open, small_run, small_right},
};

int main(int count, char **words) {
  if (count != 5)
    return 2;
  work w = {.n = strtoll(words[2], NULL, 10)};
  long launches = strtol(words[3], NULL, 10);
  size_t number = 0, all = sizeof works / sizeof works[0];
  while (number < all && strcmp(works[number].name, words[1]))
    ++number;
  if (number == all)
    return 2;
  bench_open(words[4]);
  works[number].open(&w);
  works[number].run(&w);
  int right = works[number].right(&w);
  if (!right)
    fprintf(stderr, "%s: a result is wrong\n", words[1]);
  for (long i = 0; i < launches && right; ++i) {
    int64_t start = now_ns();
    works[number].run(&w);
    printf("%lld\n", (long long)(now_ns() - start));
  }
  for (size_t i = 0; i < sizeof w.buffers / sizeof w.buffers[0]; ++i)
    if (w.buffers[i])
      bench_release(w.buffers[i]);
  free(w.x);
  free(w.y);
  free(w.bytes);
  return !right;
}
