//===- mlir.c - The workloads that are written in MLIR --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs/*.mlir, lowered by this project or by upstream.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

int64_t fib(int64_t n);
int64_t fib_func(int64_t n);
int64_t fan_out(int64_t n);
int64_t fan_out_opaque(int64_t n);
int64_t chain(int64_t n);
int64_t chain_opaque(int64_t n);
int64_t chain_gated(int64_t n);
int64_t tree(int64_t n);
int64_t tree_opaque(int64_t n);
int64_t round_trip(int64_t n);
int64_t round_trip_opaque(int64_t n);
int64_t round_trip_other(int64_t n);
int64_t cholesky(int64_t n);

/// memref<?xf32> as MLIR's C interface passes it.
typedef struct memref_f32 {
  float *allocated, *aligned;
  int64_t offset, size, stride;
} memref_f32;

void _mlir_ciface_saxpy(memref_f32 *x, memref_f32 *y);
void _mlir_ciface_iterate(memref_f32 *x, memref_f32 *y);
float _mlir_ciface_dot(memref_f32 *x, memref_f32 *y);

static memref_f32 describe(float *data, int64_t n) {
  return (memref_f32){
      .allocated = data, .aligned = data, .size = n, .stride = 1};
}

static void saxpy(float *x, float *y, int64_t n) {
  memref_f32 source = describe(x, n);
  memref_f32 target = describe(y, n);
  _mlir_ciface_saxpy(&source, &target);
}

static void iterate(float *x, float *y, int64_t n) {
  memref_f32 source = describe(x, n);
  memref_f32 target = describe(y, n);
  _mlir_ciface_iterate(&source, &target);
}

static void dot(float *x, float *y, int64_t n) {
  memref_f32 left = describe(x, n);
  memref_f32 right = describe(y, n);
  bench_keep_dot(y, _mlir_ciface_dot(&left, &right), n);
}

const bench_work bench_works[] = {
    {"fib", fib, NULL},
    {"fib-func", fib_func, NULL},
    {"fan-out", fan_out, NULL},
    {"fan-out-opaque", fan_out_opaque, NULL},
    {"chain", chain, NULL},
    {"chain-opaque", chain_opaque, NULL},
    {"chain-gated", chain_gated, NULL},
    {"saxpy", NULL, saxpy},
    {"iterate", NULL, iterate},
    {"dot", NULL, dot},
    {"tree", tree, NULL},
    {"tree-opaque", tree_opaque, NULL},
    {"round-trip", round_trip, NULL},
    {"round-trip-opaque", round_trip_opaque, NULL},
    {"round-trip-other", round_trip_other, NULL},
    {"cholesky", cholesky, NULL},
    {NULL, NULL, NULL},
};
