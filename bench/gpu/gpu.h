//===- gpu.h - What the measurements share ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One process takes one sample: it sets the device up, does the work a few
// times, prints what it measured and checks the results. Another one, main.c,
// starts them in turn and makes figures of what they print.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_BENCH_GPU_GPU_H
#define ASYNC_GPU_BENCH_GPU_GPU_H

#include "cuda_api.h"

#include <stdbool.h>
#include <stdint.h>

/// 32-bit words of device memory that the kernel `work` counts in.
#define BENCH_CELLS 4096
/// Elements of a chunk, which the kernel `scale` works on.
#define BENCH_CHUNK 262144
/// Kernels in a round of `steps`, whose rounds make up a chain.
#define BENCH_STEP 20
/// Chunks of the pipelines by hand that are on the device at a time.
#define BENCH_SLOTS 4
/// Threads in a block of `scale`.
#define BENCH_THREADS 256

/// How much of everything.
typedef struct bench_sizes {
  int64_t runs;             ///< of a workload in a sample; the median counts
  int64_t regions, kernels; ///< of fork-join, kernels in each region
  int64_t overlap_ns;       ///< how long one kernel of `overlap` takes
  int64_t chain;            ///< kernels one behind the other
  int64_t chunks;
  int64_t trips; ///< waits of the host for a kernel
  int64_t batches;
  int64_t idle_ns; ///< how long the kernel takes while CPU time is measured
} bench_sizes;

typedef struct bench {
  CUcontext context;
  CUmodule module;
  CUfunction empty, work, scale;
  CUdeviceptr cells; ///< BENCH_CELLS, zeroed before each run
  float *data;       ///< pinned: `chunks` chunks of floats, each at its index
  float *expected;   ///< of each element, after the last run
  const bench_sizes *sizes;
} bench;

/// What a sample measures, by whom.
typedef struct bench_case {
  const char *workload, *peer;
  /// ASYNC_GPU_COMPLETION for it, or NULL.
  const char *strategy;
  void (*run)(const bench *b);
} bench_case;

/// Ends with an entry without a name.
extern const bench_case bench_cases[];

//===----------------------------------------------------------------------===//
// sample.c
//===----------------------------------------------------------------------===//

/// Exit status of a sample that cannot be taken here.
#define BENCH_MISSING 77

/// Runs one case and prints its metrics, "NAME VALUE" a line. Returns the exit
/// status of the process.
int bench_sample(const bench_case *of, const bench_sizes *sizes);

/// Does `count` operations of a case of calls.c, for tools that count
/// instructions.
int bench_count(const char *workload, const char *peer, int64_t count);

void bench_report(const char *metric, double value);

/// Ends the sample: what it is about is not there, for this reason.
_Noreturn void bench_missing(const char *reason);

/// Ends the sample unless `condition` holds.
void bench_check(bool condition, const char *what);

int64_t bench_now_ns(void);
/// CPU time of the process so far.
int64_t bench_cpu_ns(void);
double bench_median(double *values, int64_t count);

/// Calls `work` a few times unmeasured and `runs` times measured, with cells
/// zeroed before and `check` called after each, and reports the median of the
/// wall time ("ns") and the CPU time of the process ("cpu_ns").
void bench_time(const bench *b, void (*work)(const bench *b),
                void (*check)(const bench *b));

/// Steps of the kernel `work` that take so long.
int32_t bench_rounds(const bench *b, int64_t nanoseconds);

/// The first `count` cells, of which each has to be `expected`.
void bench_check_cells(const bench *b, int64_t count, int32_t expected);

//===----------------------------------------------------------------------===//
// The cases
//===----------------------------------------------------------------------===//

// completion.c
void completion_async_gpu(const bench *b);
void completion_event(const bench *b);
void completion_blocking_event(const bench *b);

// calls.c
void calls_launch(const bench *b);
void calls_region(const bench *b);
void calls_count(const bench *b, const char *workload, const char *peer,
                 int64_t count);

// async_gpu.c, by_hand.c, graph.c and upstream.c: the same work by each.
#define BENCH_WORKLOADS(X) X(fork_join) X(overlap) X(chain) X(pipeline)
#define DECLARE(name)                                                          \
  void async_gpu_##name(const bench *b);                                       \
  void by_hand_##name(const bench *b);                                         \
  void graph_##name(const bench *b);                                           \
  void upstream_##name(const bench *b);
BENCH_WORKLOADS(DECLARE)
#undef DECLARE
void async_gpu_chain_of_regions(const bench *b);
void upstream_chain_of_regions(const bench *b);
void async_gpu_steps(const bench *b);
void async_gpu_steps_on_streams(const bench *b);
void graph_steps(const bench *b);

// graph_nodes.c
void graph_nodes_fork_join(const bench *b);
void graph_nodes_chain(const bench *b);
void graph_nodes_pipeline(const bench *b);
void graph_nodes_steps(const bench *b);

// Of by_hand.c, which graphs are captured from.
typedef struct by_hand by_hand;
by_hand *by_hand_create(int64_t streams);
/// With memory for chunks.
by_hand *by_hand_create_slots(void);
/// The enqueueing part of the workload, from `origin` on, whose end is behind
/// all of it. Where `origin` is NULL nothing comes before it and nothing joins.
void by_hand_enqueue_fork_join(const bench *b, by_hand *self, CUstream origin,
                               int32_t rounds);
void by_hand_enqueue_chain(const bench *b, CUstream stream, int64_t kernels);
void by_hand_enqueue_pipeline(const bench *b, by_hand *self, CUstream origin);
/// Waits for all that was enqueued without an origin.
void by_hand_wait(by_hand *self);
void by_hand_destroy(by_hand *self);

// How the workloads are checked, and their data set up.
void check_fork_join(const bench *b);
void check_chain(const bench *b);
void check_pipeline(const bench *b);

#endif // ASYNC_GPU_BENCH_GPU_GPU_H
