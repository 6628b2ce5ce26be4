//===- host_nodes.c - Functions of the host in graphs ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the manual says of a function that cuLaunchHostFunc is given holds for
// one of a node. A gate is a host function, too, and a driver may call all of
// them on one thread: nothing here waits for two.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

/// What every test has.
typedef struct setting {
  CUcontext context;
  CUgraph graph;
  CUstream stream;
  uint32_t *cells; // 16 that host and device reach
} setting;

static setting begin(const bench *b) {
  NEED(cuGraphAddHostNode);
  NEED(cuGraphInstantiate);
  setting s = {.stream = make_stream(b), .cells = make_pinned(b, 64)};
  memset(s.cells, 0, 64);
  CALL(cuDevicePrimaryCtxRetain(&s.context, b->device));
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CALL(cuGraphCreate(&s.graph, 0));
  return s;
}

static void end(const bench *b, const setting *s) {
  CALL(cuGraphDestroy(s->graph));
  CALL(cuStreamDestroy(s->stream));
  CALL(cuMemFreeHost(s->cells));
}

static CUgraphNode add_host(const bench *b, CUgraph graph,
                            const CUgraphNode *after, CUhostFn function,
                            void *data) {
  CUgraphNode node;
  const CUDA_HOST_NODE_PARAMS params = {function, data};
  CALL(cuGraphAddHostNode(&node, graph, after, after != NULL, &params));
  return node;
}

static CUgraphExec make_exec(const bench *b, CUgraph graph) {
  CUgraphExec exec;
  CALL(cuGraphInstantiate(&exec, graph, 0));
  return exec;
}

static CUgraphNode add_copy(const bench *b, const setting *s,
                            const CUgraphNode *after, CUdeviceptr target,
                            CUdeviceptr source) {
  CUgraphNode node;
  const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                              .srcDevice = source,
                              .srcPitch = 4,
                              .srcHeight = 1,
                              .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                              .dstDevice = target,
                              .dstPitch = 4,
                              .dstHeight = 1,
                              .WidthInBytes = 4,
                              .Height = 1,
                              .Depth = 1};
  CALL(cuGraphAddMemcpyNode(&node, s->graph, after, after != NULL, &copy,
                            s->context));
  return node;
}

static void add_ten(void *data) { *(uint32_t *)data += 10; }

/// "When the graph is launched, the node will invoke the specified CPU
/// function", behind what it depends on and ahead of what depends on it.
void test_host_nodes_run_in_their_place(const bench *b) {
  setting s = begin(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUdeviceptr cell = make_memory(b, 4);
  CUdeviceptr shared = (CUdeviceptr)(uintptr_t)s.cells;
  const uint32_t zero = 0;
  upload(b, cell, &zero, 4);
  CUgraphNode node;
  const CUDA_KERNEL_NODE_PARAMS kernel =
      kernel_node_of(increment, 1, 1, (void *[]){&cell});
  CALL(cuGraphAddKernelNode(&node, s.graph, NULL, 0, &kernel));
  node = add_copy(b, &s, &node, shared, cell);
  node = add_host(b, s.graph, &node, add_ten, s.cells);
  (void)add_copy(b, &s, &node, cell, shared);
  CUgraphExec exec = make_exec(b, s.graph);
  for (int i = 0; i < 5; ++i)
    CALL(cuGraphLaunch(exec, s.stream));
  CALL(cuStreamSynchronize(s.stream));
  uint32_t value;
  download(b, &value, cell, 4);
  CHECK(value == 55);
  CALL(cuGraphExecDestroy(exec));
  CALL(cuMemFree(cell));
  end(b, &s);
}

typedef struct record {
  uint32_t runs, others; // of two nodes that are one behind the other
  bool is_wrong;
} record;

static void run_first(void *data) {
  record *of = data;
  of->is_wrong |= of->runs++ != of->others;
}

static void run_second(void *data) {
  record *of = data;
  of->is_wrong |= ++of->others != of->runs;
}

/// A launch comes behind the one before it, on whatever stream; "If the
/// executable graph is in-flight, it will not be terminated, but rather freed
/// asynchronously on completion" (cuGraphExecDestroy): so run number N is that
/// of launch number N, and comes.
void test_host_nodes_run_once_a_launch(const bench *b) {
  enum { LAUNCHES = 12 };
  setting s = begin(b);
  record of = {0};
  CUstream other = make_stream(b);
  CUgraphNode node = add_host(b, s.graph, NULL, run_first, &of);
  (void)add_host(b, s.graph, &node, run_second, &of);
  CUgraphExec exec = make_exec(b, s.graph);
  gate g;
  gate_close(b, &g, s.stream);
  for (int i = 0; i < LAUNCHES; ++i)
    CALL(cuGraphLaunch(exec, i % 2 ? other : s.stream));
  CALL(cuGraphExecDestroy(exec));
  gate_open(&g);
  CALL(cuStreamSynchronize(s.stream));
  CALL(cuStreamSynchronize(other));
  CHECK(of.runs == LAUNCHES && of.others == LAUNCHES && !of.is_wrong);
  CALL(cuStreamDestroy(other));
  end(b, &s);
}

void test_host_nodes_arguments_are_checked(const bench *b) {
  setting s = begin(b);
  CUgraphNode node;
  CUDA_HOST_NODE_PARAMS params = {NULL, NULL};
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddHostNode(&node, s.graph, NULL, 0, NULL));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddHostNode(&node, s.graph, NULL, 0, &params));
  params.fn = add_ten;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddHostNode(&node, s.graph, NULL, 1, &params));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddHostNode(&node, NULL, NULL, 0, &params));
  // "dependencies may not have any duplicate entries."
  node = add_host(b, s.graph, NULL, add_ten, s.cells);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddHostNode(&node, s.graph, (CUgraphNode[]){node, node}, 2,
                            &params));
  end(b, &s);
}

/// "the function will not be called in the event of an error in the CUDA
/// context" (cuLaunchHostFunc)
void test_host_nodes_of_a_failed_context_do_not_run(const bench *b) {
  setting s = begin(b);
  CUfunction fault = get_kernel(b, load_kernels(b), "fault");
  CUdeviceptr memory = make_memory(b, 64);
  (void)add_host(b, s.graph, NULL, add_ten, s.cells);
  CUgraphExec exec = make_exec(b, s.graph);
  gate g;
  gate_close(b, &g, s.stream);
  launch(b, fault, 1, 1, s.stream, (void *[]){&memory});
  CALL(cuGraphLaunch(exec, s.stream));
  gate_open(&g);
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(s.stream));
  CHECK(!s.cells[0]);
}

static CUresult from_node[2];

static void call_the_driver(void *data) {
  const bench *b = data;
  CUdeviceptr memory;
  from_node[0] = b->driver->cuMemAlloc(&memory, 16);
  from_node[1] = b->driver->cuStreamQuery(NULL);
}

/// "The host function must not make any CUDA API calls. Attempting to use a
/// CUDA API may result in CUDA_ERROR_NOT_PERMITTED, but this is not required."
/// (cuLaunchHostFunc)
void test_emu_driver_calls_in_host_nodes_are_refused(const bench *b) {
  setting s = begin(b);
  (void)add_host(b, s.graph, NULL, call_the_driver, (void *)(uintptr_t)b);
  CUgraphExec exec = make_exec(b, s.graph);
  CALL(cuGraphLaunch(exec, s.stream));
  CALL(cuStreamSynchronize(s.stream));
  for (int i = 0; i < 2; ++i)
    CHECK(from_node[i] == CUDA_ERROR_NOT_PERMITTED);
  CALL(cuGraphExecDestroy(exec));
  end(b, &s);
}

/// Of conditional nodes: "The body graph [...] may contain only kernel nodes,
/// empty nodes, memcpy and memset nodes, child graph nodes and conditional
/// nodes."
void test_host_nodes_stand_in_no_body(const bench *b) {
  setting s = begin(b);
  NEED(cuGraphConditionalHandleCreate);
  NEED(cuGraphAddNode);
  CUgraphConditionalHandle handle;
  CALL(cuGraphConditionalHandleCreate(&handle, s.graph, s.context, 1,
                                      CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNode node;
  CUgraphExec exec;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
  params.conditional =
      (CUDA_CONDITIONAL_NODE_PARAMS){.handle = handle,
                                     .type = CU_GRAPH_COND_TYPE_IF,
                                     .size = 1,
                                     .ctx = s.context};
  CALL(cuGraphAddNode(&node, s.graph, NULL, 0, &params));
  const CUDA_HOST_NODE_PARAMS host = {add_ten, s.cells};
  CHECK(b->driver->cuGraphAddHostNode(&node, params.conditional.phGraph_out[0],
                                      NULL, 0, &host) ||
        b->driver->cuGraphInstantiate(&exec, s.graph, 0));
  end(b, &s);
}
