//===- bench.h - One workload, many runtimes --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program here is main.c and one table of workloads, whose functions are
// compiled MLIR (mlir.c) or written for a peer (peers/). So every runtime is
// driven and timed by the same code.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_BENCH_TASKS_BENCH_H
#define ASYNC_GPU_BENCH_TASKS_BENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_work {
  const char *name;
  /// Does the workload with size `n` and returns its result. NULL for a loop.
  int64_t (*run)(int64_t n);
  /// One loop over `n` elements. NULL for the others.
  void (*loop)(float *x, float *y, int64_t n);
} bench_work;

/// Ends with an entry without a name.
extern const bench_work bench_works[];

/// A semaphore for tasks that must run on another thread than the one that
/// waits: no runtime knows of it.
void bench_post(void);
void bench_wait(void);

/// Does nothing, which no compiler can know that calls it: a task that does
/// might block.
void bench_opaque(void);

/// The bodies of the loops, over elements from `begin` to below `end`.
void bench_saxpy(const float *x, float *y, int64_t begin, int64_t end);
void bench_iterate(const float *x, float *y, int64_t begin, int64_t end);
float bench_dot(const float *x, const float *y, int64_t begin, int64_t end);

/// A Cholesky factorisation by tiles: a matrix of so many by so many, whose
/// factor has integers and is known.
#define BENCH_TILES 12
#define BENCH_TILE 24

/// Sets the matrix up; says whether it has been factorised, as 1 or 0.
void bench_begin_cholesky(void);
int64_t bench_end_cholesky(void);

/// What a task does: factorises tile (k, k), solves for tile (i, k) with that,
/// takes the product of tiles (i, k) and (j, k) off tile (i, j).
void bench_potrf(int64_t k);
void bench_trsm(int64_t i, int64_t k);
void bench_update(int64_t i, int64_t j, int64_t k);

/// What a loop that only reads leaves behind: with main.c's elements, which are
/// 3 and 1, the dot product of `n` of them leaves y as it is, if it is right.
static inline void bench_keep_dot(float *y, float dot, int64_t n) {
  y[0] = dot / (3.0f * (float)n);
}

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_BENCH_TASKS_BENCH_H
