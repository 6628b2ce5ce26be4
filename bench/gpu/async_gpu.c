//===- async_gpu.c - The workloads as programs.mlir has them --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

// A memref is five words: the allocation, the memory, offset, size, stride.
#define MEMREF(type)                                                           \
  type *allocated, type *aligned, int64_t offset, int64_t size, int64_t stride
void bench_fork_join(MEMREF(void), int64_t regions, int64_t kernels,
                     int32_t rounds);
void bench_chain(MEMREF(void), int64_t kernels);
void bench_chain_of_regions(MEMREF(void), int64_t regions);
void bench_steps(MEMREF(void), int64_t rounds);
void bench_steps_on_streams(MEMREF(void), int64_t rounds);
void bench_pipeline(MEMREF(float), int64_t chunks);

static void *get_cells(const bench *b) { return (void *)(uintptr_t)b->cells; }

static int32_t rounds;

static void fork_join(const bench *b) {
  void *cells = get_cells(b);
  bench_fork_join(cells, cells, 0, BENCH_CELLS, 1, b->sizes->regions,
                  b->sizes->kernels, rounds);
}

void async_gpu_fork_join(const bench *b) {
  rounds = 0;
  bench_time(b, fork_join, check_fork_join);
}

void async_gpu_overlap(const bench *b) {
  rounds = bench_rounds(b, b->sizes->overlap_ns);
  bench_time(b, fork_join, check_fork_join);
}

static void chain(const bench *b) {
  void *cells = get_cells(b);
  bench_chain(cells, cells, 0, BENCH_CELLS, 1, b->sizes->chain);
}

void async_gpu_chain(const bench *b) { bench_time(b, chain, check_chain); }

static void chain_of_regions(const bench *b) {
  void *cells = get_cells(b);
  bench_chain_of_regions(cells, cells, 0, BENCH_CELLS, 1, b->sizes->chain);
}

void async_gpu_chain_of_regions(const bench *b) {
  bench_time(b, chain_of_regions, check_chain);
}

static void steps(const bench *b) {
  void *cells = get_cells(b);
  bench_steps(cells, cells, 0, BENCH_CELLS, 1, b->sizes->chain / BENCH_STEP);
}

void async_gpu_steps(const bench *b) { bench_time(b, steps, check_chain); }

static void steps_on_streams(const bench *b) {
  void *cells = get_cells(b);
  bench_steps_on_streams(cells, cells, 0, BENCH_CELLS, 1,
                         b->sizes->chain / BENCH_STEP);
}

void async_gpu_steps_on_streams(const bench *b) {
  bench_time(b, steps_on_streams, check_chain);
}

static void pipeline(const bench *b) {
  bench_pipeline(b->data, b->data, 0, b->sizes->chunks * BENCH_CHUNK, 1,
                 b->sizes->chunks);
}

void async_gpu_pipeline(const bench *b) {
  bench_time(b, pipeline, check_pipeline);
}
