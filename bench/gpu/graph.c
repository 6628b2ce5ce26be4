//===- graph.c - The workloads as graphs ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What by_hand.c enqueues is captured once, and launched as a graph.
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include <string.h>

static CUstream origin;
static CUgraphExec exec;

static void launch(const bench *b) {
  (void)b;
  CU(cuGraphLaunch(exec, origin));
  CU(cuStreamSynchronize(origin));
}

static void begin(void) {
  if (!cuda_api_has_capture())
    bench_missing("the driver has no graphs");
  CU(cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
}

/// Drivers load a kernel when it is launched first, which a capture does not
/// allow.
static void load_work(const bench *b) { (void)bench_rounds(b, 1); }

static void load_scale(const bench *b, by_hand *own) {
  by_hand_enqueue_pipeline(b, own, NULL);
  by_hand_wait(own);
  memset(b->data, 0, (size_t)b->sizes->chunks * BENCH_CHUNK * sizeof(float));
}

static void begin_capture(void) {
  CU(cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

static void end_capture(void) {
  CUgraph graph;
  CU(cuStreamEndCapture(origin, &graph));
  CU(cuGraphInstantiate(&exec, graph, 0));
  CU(cuGraphDestroy(graph));
}

static void end(void) {
  CU(cuGraphExecDestroy(exec));
  CU(cuStreamDestroy(origin));
}

static void fork_join(const bench *b, int32_t rounds) {
  by_hand *own = by_hand_create(b->sizes->regions);
  load_work(b);
  begin_capture();
  by_hand_enqueue_fork_join(b, own, origin, rounds);
  end_capture();
  bench_time(b, launch, check_fork_join);
  end();
  by_hand_destroy(own);
}

void graph_fork_join(const bench *b) {
  begin();
  fork_join(b, 0);
}

void graph_overlap(const bench *b) {
  begin();
  fork_join(b, bench_rounds(b, b->sizes->overlap_ns));
}

void graph_chain(const bench *b) {
  begin();
  load_work(b);
  begin_capture();
  by_hand_enqueue_chain(b, origin, b->sizes->chain);
  end_capture();
  bench_time(b, launch, check_chain);
  end();
}

static void launch_steps(const bench *b) {
  for (int64_t i = 0; i < b->sizes->chain / BENCH_STEP; ++i)
    CU(cuGraphLaunch(exec, origin));
  CU(cuStreamSynchronize(origin));
}

void graph_steps(const bench *b) {
  begin();
  load_work(b);
  begin_capture();
  by_hand_enqueue_chain(b, origin, BENCH_STEP);
  end_capture();
  bench_time(b, launch_steps, check_chain);
  end();
}

void graph_pipeline(const bench *b) {
  begin();
  by_hand *own = by_hand_create_slots();
  load_scale(b, own);
  begin_capture();
  by_hand_enqueue_pipeline(b, own, origin);
  end_capture();
  bench_time(b, launch, check_pipeline);
  end();
  by_hand_destroy(own);
}
