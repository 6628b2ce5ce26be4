//===- openmp.c - The workloads on OpenMP ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tasks are spawned by one thread of a team, whose other threads run them. GCC
// compiles this for libgomp, Clang for libomp.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <omp.h>
#include <stdlib.h>

/// Keeps the compiler from leaving an empty task out.
static inline void do_nothing(void) { __asm__ volatile("" ::: "memory"); }

static int64_t fib_tasks(int64_t n) {
  if (n < 2)
    return n;
  int64_t below;
  int64_t second;
#pragma omp task shared(below)
  below = fib_tasks(n - 1);
#pragma omp task shared(second)
  second = fib_tasks(n - 2);
#pragma omp taskwait
  return below + second;
}

static int64_t fib(int64_t n) {
  int64_t result = 0;
#pragma omp parallel
#pragma omp single
  result = fib_tasks(n);
  return result;
}

static int64_t fan_out(int64_t n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int64_t i = 0; i < n; ++i) {
#pragma omp task
    do_nothing();
  }
  return n;
}

static int64_t fan_out_opaque(int64_t n) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int64_t i = 0; i < n; ++i) {
#pragma omp task
    bench_opaque();
  }
  return n;
}

static int64_t chain(int64_t n) {
  int64_t count = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int64_t i = 0; i < n; ++i) {
#pragma omp task depend(inout : count) shared(count)
      ++count;
    }
#pragma omp taskwait
  }
  return count;
}

static int64_t chain_opaque(int64_t n) {
  int64_t count = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int64_t i = 0; i < n; ++i) {
#pragma omp task depend(inout : count) shared(count)
      {
        bench_opaque();
        ++count;
      }
    }
#pragma omp taskwait
  }
  return count;
}

/// This thread's part of `n` elements, as schedule(static) would cut it.
static void cut(int64_t n, int64_t *begin, int64_t *end) {
  int64_t threads = omp_get_num_threads();
  int64_t thread = omp_get_thread_num();
  *begin = n * thread / threads;
  *end = n * (thread + 1) / threads;
}

static void saxpy(float *x, float *y, int64_t n) {
#pragma omp parallel
  {
    int64_t begin;
    int64_t end;
    cut(n, &begin, &end);
    bench_saxpy(x, y, begin, end);
  }
}

static void iterate(float *x, float *y, int64_t n) {
#pragma omp parallel
  {
    int64_t begin;
    int64_t end;
    cut(n, &begin, &end);
    bench_iterate(x, y, begin, end);
  }
}

static void dot(float *x, float *y, int64_t n) {
  float sum = 0.0f;
#pragma omp parallel reduction(+ : sum)
  {
    int64_t begin;
    int64_t end;
    cut(n, &begin, &end);
    sum = bench_dot(x, y, begin, end);
  }
  bench_keep_dot(y, sum, n);
}

/// The leaves and inner nodes, all from this thread.
static void spawn_tree(int64_t *node, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
#pragma omp task depend(out : node[n + i])
    node[n + i] = i;
  }
  for (int64_t i = n - 1; i > 0; --i) {
#pragma omp task depend(in : node[2 * i], node[2 * i + 1]) depend(out : node[i])
    node[i] = node[2 * i] + node[2 * i + 1];
  }
}

static void spawn_opaque_tree(int64_t *node, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
#pragma omp task depend(out : node[n + i])
    {
      bench_opaque();
      node[n + i] = i;
    }
  }
  for (int64_t i = n - 1; i > 0; --i) {
#pragma omp task depend(in : node[2 * i], node[2 * i + 1]) depend(out : node[i])
    {
      bench_opaque();
      node[i] = node[2 * i] + node[2 * i + 1];
    }
  }
}

static int64_t run_tree(int64_t n, void (*spawn)(int64_t *node, int64_t n)) {
  int64_t *node = malloc(2 * (size_t)n * sizeof(*node));
  if (!node)
    abort();
#pragma omp parallel
#pragma omp single
  {
    spawn(node, n);
#pragma omp taskwait
  }
  int64_t result = node[1];
  free(node);
  return result;
}

static int64_t tree(int64_t n) { return run_tree(n, spawn_tree); }
static int64_t tree_opaque(int64_t n) { return run_tree(n, spawn_opaque_tree); }

static int64_t round_trip(int64_t n) {
  int64_t count = 0;
#pragma omp parallel
#pragma omp single
  for (int64_t i = 0; i < n; ++i) {
#pragma omp task shared(count)
    ++count;
#pragma omp taskwait
  }
  return count;
}

static int64_t round_trip_opaque(int64_t n) {
  int64_t count = 0;
#pragma omp parallel
#pragma omp single
  for (int64_t i = 0; i < n; ++i) {
#pragma omp task shared(count)
    {
      bench_opaque();
      ++count;
    }
#pragma omp taskwait
  }
  return count;
}

/// What stands for a tile where tasks say what they read and write.
static char tile[BENCH_TILES][BENCH_TILES];

static void factorise(void) {
  for (int64_t k = 0; k < BENCH_TILES; ++k) {
#pragma omp task depend(inout : tile[k][k])
    bench_potrf(k);
    for (int64_t i = k + 1; i < BENCH_TILES; ++i) {
#pragma omp task depend(inout : tile[i][k]) depend(in : tile[k][k])
      bench_trsm(i, k);
    }
    for (int64_t i = k + 1; i < BENCH_TILES; ++i)
      for (int64_t j = k + 1; j <= i; ++j) {
#pragma omp task depend(inout : tile[i][j]) depend(in : tile[i][k], tile[j][k])
        bench_update(i, j, k);
      }
  }
}

static int64_t cholesky(int64_t n) {
  int64_t right = 0;
#pragma omp parallel
#pragma omp single
  for (int64_t turn = 0; turn < n; ++turn) {
    bench_begin_cholesky();
#pragma omp taskgroup
    factorise();
    right += bench_end_cholesky();
  }
  return right;
}

const bench_work bench_works[] = {
    {"fib", fib, NULL},
    {"fan-out", fan_out, NULL},
    {"fan-out-opaque", fan_out_opaque, NULL},
    {"chain", chain, NULL},
    {"chain-opaque", chain_opaque, NULL},
    {"saxpy", NULL, saxpy},
    {"iterate", NULL, iterate},
    {"dot", NULL, dot},
    {"cholesky", cholesky, NULL},
    {"tree", tree, NULL},
    {"tree-opaque", tree_opaque, NULL},
    {"round-trip", round_trip, NULL},
    {"round-trip-opaque", round_trip_opaque, NULL},
    {NULL, NULL, NULL},
};
