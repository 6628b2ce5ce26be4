//===- event_nodes.c - Events that graphs record --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "Each launch of the graph will record event to capture execution of the
// node's dependencies." (cuGraphAddEventRecordNode) Of events that take times
// the driver says how far they are apart.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#define PAUSE_NS 2000000u
#define PAUSE_MS 1.9f

/// Two kernels, one behind the other, with a record behind each.
typedef struct chain {
  CUgraph graph;
  CUgraphNode records[2];
  CUdeviceptr cell;
} chain;

static chain make_chain(const bench *b, const CUevent events[2]) {
  NEED(cuGraphInstantiate);
  NEED(cuGraphAddEventRecordNode);
  NEED(cuGraphExecEventRecordNodeSetEvent);
  NEED(cuEventElapsedTime);
  chain made = {.cell = make_memory(b, 4)};
  uint64_t ns = PAUSE_NS;
  CUDA_KERNEL_NODE_PARAMS pause =
      kernel_node_of(get_kernel(b, load_kernels(b), "pause"), 1, 1,
                     (void *[]){&made.cell, &ns});
  CALL(cuGraphCreate(&made.graph, 0));
  for (int i = 0; i < 2; ++i) {
    CUgraphNode node;
    CALL(cuGraphAddKernelNode(&node, made.graph, made.records, i > 0, &pause));
    CALL(cuGraphAddEventRecordNode(&made.records[i], made.graph, &node, 1,
                                   events[i]));
  }
  return made;
}

static void end(const bench *b, const chain *of) {
  CALL(cuGraphDestroy(of->graph));
  CALL(cuMemFree(of->cell));
}

static float get_ms(const bench *b, CUevent from, CUevent to) {
  float ms;
  CALL(cuEventElapsedTime(&ms, from, to));
  return ms;
}

void test_graph_records_events(const bench *b) {
  CUevent before, events[4];
  CUstream stream = make_stream(b), other = make_stream(b);
  CALL(cuEventCreate(&before, 0));
  for (int i = 0; i < 4; ++i)
    CALL(cuEventCreate(&events[i], 0));
  chain of = make_chain(b, events);
  CUgraphExec exec;
  CALL(cuGraphInstantiate(&exec, of.graph, 0));
  float ms;
  EXPECT(CUDA_ERROR_INVALID_HANDLE, // it has not been launched
         cuEventElapsedTime(&ms, events[0], events[1]));
  gate g;
  gate_close(b, &g, stream);
  CALL(cuEventRecord(before, stream));
  CALL(cuGraphLaunch(exec, stream));
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(events[0]));
  CALL(cuStreamWaitEvent(other, events[0], 0));
  // "Already enqueued or running launches of hGraphExec are not affected by
  // this call."
  for (int i = 0; i < 2; ++i)
    CALL(
        cuGraphExecEventRecordNodeSetEvent(exec, of.records[i], events[2 + i]));
  CALL(cuGraphLaunch(exec, stream));
  gate_open(&g);
  CALL(cuStreamSynchronize(other));
  CALL(cuEventQuery(events[0])); // what waited for it is over
  CALL(cuStreamSynchronize(stream));
  CHECK(get_ms(b, before, events[0]) >= PAUSE_MS);
  for (int i = 0; i < 3; ++i)
    CHECK(get_ms(b, events[i], events[i + 1]) >= PAUSE_MS);
  // An event of the last launch is recorded anew by the next one.
  CALL(cuEventRecord(before, stream));
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuEventSynchronize(events[2]));
  CHECK(get_ms(b, before, events[2]) >= PAUSE_MS);
  CALL(cuStreamSynchronize(stream));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuEventDestroy(before));
  for (int i = 0; i < 4; ++i)
    CALL(cuEventDestroy(events[i]));
  end(b, &of);
  CALL(cuStreamDestroy(stream));
  CALL(cuStreamDestroy(other));
}

void test_event_nodes_arguments_are_checked(const bench *b) {
  CUevent events[2];
  for (int i = 0; i < 2; ++i)
    CALL(cuEventCreate(&events[i], 0));
  chain of = make_chain(b, events);
  CUgraphNode node, kernel;
  CUgraphExec exec;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddEventRecordNode(&node, NULL, NULL, 0, events[0]));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddEventRecordNode(&node, of.graph, NULL, 1, events[0]));
  CHECK(b->driver->cuGraphAddEventRecordNode(&node, of.graph, NULL, 0, NULL));
  // "dependencies may not have any duplicate entries."
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddEventRecordNode(
             &node, of.graph, (CUgraphNode[]){of.records[0], of.records[0]}, 2,
             events[0]));
  // "It is possible for numDependencies to be 0".
  CALL(cuGraphAddEventRecordNode(&node, of.graph, NULL, 0, events[0]));
  uint64_t ns = 0;
  CUDA_KERNEL_NODE_PARAMS pause = kernel_node_of(
      get_kernel(b, load_kernels(b), "pause"), 1, 1, (void *[]){&of.cell, &ns});
  CALL(cuGraphAddKernelNode(&kernel, of.graph, NULL, 0, &pause));
  CALL(cuGraphInstantiate(&exec, of.graph, 0));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecEventRecordNodeSetEvent(exec, kernel, events[0]));
  CHECK(
      b->driver->cuGraphExecEventRecordNodeSetEvent(exec, of.records[0], NULL));
  CALL(cuGraphExecDestroy(exec));
  end(b, &of);
  for (int i = 0; i < 2; ++i)
    CALL(cuEventDestroy(events[i]));
}

/// "These nodes may not be used in loops or conditionals."
void test_event_nodes_stand_in_no_body(const bench *b) {
  NEED(cuGraphAddEventRecordNode);
  NEED(cuGraphConditionalHandleCreate);
  NEED(cuGraphAddNode);
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CUevent event = make_event(b);
  CUgraph graph;
  CUgraphConditionalHandle handle;
  CUgraphNode node;
  CUgraphExec exec;
  CALL(cuGraphCreate(&graph, 0));
  CALL(cuGraphConditionalHandleCreate(&handle, graph, context, 1,
                                      CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
  params.conditional =
      (CUDA_CONDITIONAL_NODE_PARAMS){.handle = handle,
                                     .type = CU_GRAPH_COND_TYPE_IF,
                                     .size = 1,
                                     .ctx = context};
  CALL(cuGraphAddNode(&node, graph, NULL, 0, &params));
  CHECK(b->driver->cuGraphAddEventRecordNode(
            &node, params.conditional.phGraph_out[0], NULL, 0, event) ||
        b->driver->cuGraphInstantiate(&exec, graph, 0));
  CALL(cuGraphDestroy(graph));
  CALL(cuEventDestroy(event));
}
