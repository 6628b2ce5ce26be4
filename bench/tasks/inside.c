//===- inside.c - Workloads from inside a task ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs/inside.mlir, and for workloads of other programs whose spawner
// is a worker here, with a deque.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include "async_gpu/compiled/mlir_async_runtime.h"

/// memref<i64> as MLIR's C interface passes it.
typedef struct memref_i64 {
  int64_t *allocated, *aligned;
  int64_t offset;
} memref_i64;

void _mlir_ciface_start_fib(int64_t n, memref_i64 *result);
void _mlir_ciface_start_fib_func(int64_t n, memref_i64 *result);
void _mlir_ciface_start_fan_out(int64_t n, memref_i64 *result);

static int64_t run(void (*start)(int64_t n, memref_i64 *result), int64_t n) {
  int64_t result = 0;
  memref_i64 place = {.allocated = &result, .aligned = &result};
  start(n, &place);
  bench_wait();
  return result;
}

static int64_t fib(int64_t n) { return run(_mlir_ciface_start_fib, n); }

static int64_t fib_func(int64_t n) {
  return run(_mlir_ciface_start_fib_func, n);
}

static int64_t fan_out(int64_t n) { return run(_mlir_ciface_start_fan_out, n); }

int64_t fan_out_opaque(int64_t n);
int64_t chain_opaque(int64_t n);
int64_t tree_opaque(int64_t n);

/// Of the task that the function runs in.
static struct {
  int64_t (*function)(int64_t n);
  int64_t n, result;
} inside;

static void call(void *unused) {
  (void)unused;
  inside.result = inside.function(inside.n);
  bench_post();
}

static int64_t run_inside(int64_t (*function)(int64_t n), int64_t n) {
  inside.function = function;
  inside.n = n;
  mlirAsyncRuntimeExecute(NULL, call);
  bench_wait();
  return inside.result;
}

static int64_t fan_out_inside(int64_t n) {
  return run_inside(fan_out_opaque, n);
}

static int64_t chain_inside(int64_t n) { return run_inside(chain_opaque, n); }

static int64_t tree_inside(int64_t n) { return run_inside(tree_opaque, n); }

const bench_work bench_works[] = {
    {"fib", fib, NULL},
    {"fib-func", fib_func, NULL},
    {"fan-out", fan_out, NULL},
    {"fan-out-opaque", fan_out_inside, NULL},
    {"chain-opaque", chain_inside, NULL},
    {"tree-opaque", tree_inside, NULL},
    {NULL, NULL, NULL},
};
