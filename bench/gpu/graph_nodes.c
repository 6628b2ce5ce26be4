//===- graph_nodes.c - The workloads as graphs of node functions ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same graphs as those of graph.c, built node by node with their
// dependencies instead of captured.
//
//===----------------------------------------------------------------------===//

#include "gpu.h"

#include <string.h>

static CUstream origin;
static CUgraphExec exec;
static int64_t launches; // in a run

static void launch(const bench *b) {
  (void)b;
  for (int64_t i = 0; i < launches; ++i)
    CU(cuGraphLaunch(exec, origin));
  CU(cuStreamSynchronize(origin));
}

static CUgraph begin(void) {
  CUgraph graph;
  if (!cuGraphAddKernelNode || !cuGraphInstantiate)
    bench_missing("the driver has no graphs");
  CU(cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
  CU(cuGraphCreate(&graph, 0));
  return graph;
}

/// Times `count` launches of the graph, and ends it.
static void run(const bench *b, CUgraph graph, int64_t count,
                void (*check)(const bench *b)) {
  CU(cuGraphInstantiate(&exec, graph, 0));
  CU(cuGraphDestroy(graph));
  launches = count;
  bench_time(b, launch, check);
  CU(cuGraphExecDestroy(exec));
  CU(cuStreamDestroy(origin));
}

/// A node behind `*last`, which it is then; NULL there: behind none.
static void add_kernel(CUgraph graph, CUgraphNode *last, CUfunction function,
                       unsigned grid, unsigned block, void **params) {
  const CUDA_KERNEL_NODE_PARAMS kernel = {.func = function,
                                          .gridDimX = grid,
                                          .gridDimY = 1,
                                          .gridDimZ = 1,
                                          .blockDimX = block,
                                          .blockDimY = 1,
                                          .blockDimZ = 1,
                                          .kernelParams = params};
  CUgraphNode before = *last;
  CU(cuGraphAddKernelNode(last, graph, &before, before != NULL, &kernel));
}

static void add_work(const bench *b, CUgraph graph, CUgraphNode *last,
                     int64_t index) {
  int32_t rounds = 0;
  void *params[] = {(void *)&b->cells, &index, &rounds};
  add_kernel(graph, last, b->work, 1, 1, params);
}

static void add_copy(const bench *b, CUgraph graph, CUgraphNode *last,
                     CUdeviceptr target, CUdeviceptr source) {
  const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                              .srcDevice = source,
                              .srcPitch = BENCH_CHUNK * sizeof(float),
                              .srcHeight = 1,
                              .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                              .dstDevice = target,
                              .dstPitch = BENCH_CHUNK * sizeof(float),
                              .dstHeight = 1,
                              .WidthInBytes = BENCH_CHUNK * sizeof(float),
                              .Height = 1,
                              .Depth = 1};
  CUgraphNode before = *last;
  CU(cuGraphAddMemcpyNode(last, graph, &before, before != NULL, &copy,
                          b->context));
}

void graph_nodes_fork_join(const bench *b) {
  CUgraph graph = begin();
  for (int64_t region = 0; region < b->sizes->regions; ++region) {
    CUgraphNode last = NULL;
    for (int64_t i = 0; i < b->sizes->kernels; ++i)
      add_work(b, graph, &last, region);
  }
  run(b, graph, 1, check_fork_join);
}

static void run_chain(const bench *b, int64_t kernels) {
  CUgraph graph = begin();
  CUgraphNode last = NULL;
  for (int64_t i = 0; i < kernels; ++i)
    add_work(b, graph, &last, 0);
  run(b, graph, b->sizes->chain / kernels, check_chain);
}

void graph_nodes_chain(const bench *b) { run_chain(b, b->sizes->chain); }

void graph_nodes_steps(const bench *b) { run_chain(b, BENCH_STEP); }

void graph_nodes_pipeline(const bench *b) {
  CUgraph graph = begin();
  CUdeviceptr slots[BENCH_SLOTS];
  CUgraphNode last[BENCH_SLOTS] = {NULL};
  memset(b->data, 0, (size_t)b->sizes->chunks * BENCH_CHUNK * sizeof(float));
  for (int i = 0; i < BENCH_SLOTS; ++i)
    CU(cuMemAlloc(&slots[i], BENCH_CHUNK * sizeof(float)));
  for (int64_t i = 0; i < b->sizes->chunks; ++i) {
    CUdeviceptr slot = slots[i % BENCH_SLOTS];
    CUdeviceptr host = (CUdeviceptr)(uintptr_t)&b->data[i * BENCH_CHUNK];
    void *params[] = {&slot};
    add_copy(b, graph, &last[i % BENCH_SLOTS], slot, host);
    add_kernel(graph, &last[i % BENCH_SLOTS], b->scale,
               BENCH_CHUNK / BENCH_THREADS, BENCH_THREADS, params);
    add_copy(b, graph, &last[i % BENCH_SLOTS], host, slot);
  }
  run(b, graph, 1, check_pipeline);
  for (int i = 0; i < BENCH_SLOTS; ++i)
    CU(cuMemFree(slots[i]));
}
