//===- graph_devices.c - Graphs of several devices ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skipped where there is one device, or are no graphs. A kernel's node is in
// the context of its function, others in the one that they are added with.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

/// What a test has of each of two devices. The first one's is current.
typedef struct part {
  CUcontext context;
  CUfunction increment;
  CUdeviceptr cell;
  CUstream stream;
} part;

static void begin(const bench *b, part parts[2]) {
  int count = 0;
  CALL(cuDeviceGetCount(&count));
  if (count < 2 || !b->driver->cuGraphInstantiate)
    exit(SKIPPED);
  for (int i = 2; i-- > 0;) {
    part *of = &parts[i];
    CALL(cuDevicePrimaryCtxRetain(&of->context, i));
    CALL(cuCtxSetCurrent(of->context));
    of->increment = get_kernel(b, load_kernels(b), "increment");
    of->cell = make_memory(b, 4);
    of->stream = make_stream(b);
    CALL(cuMemsetD32Async(of->cell, 0, 1, of->stream));
    CALL(cuStreamSynchronize(of->stream));
  }
}

static void end(const bench *b, const part parts[2]) {
  for (int i = 2; i-- > 0;) {
    CALL(cuCtxSetCurrent(parts[i].context));
    CALL(cuMemFree(parts[i].cell));
    CALL(cuStreamDestroy(parts[i].stream));
  }
  for (int i = 0; i < 2; ++i)
    CALL(cuDevicePrimaryCtxRelease(i));
}

static CUgraphNode add_increment(const bench *b, CUgraph graph,
                                 const CUgraphNode *after, const part *of) {
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS params = kernel_node_of(
      of->increment, 1, 1, (void *[]){(void *)(uintptr_t)&of->cell});
  CALL(cuCtxSetCurrent(of->context));
  CALL(cuGraphAddKernelNode(&node, graph, after, after != NULL, &params));
  return node;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr target, CUdeviceptr source) {
  return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
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
}

static CUgraphNode add_copy(const bench *b, CUgraph graph, CUgraphNode after,
                            const part *to, const part *from) {
  CUgraphNode node;
  CUDA_MEMCPY3D params = copy_of(to->cell, from->cell);
  CALL(cuGraphAddMemcpyNode(&node, graph, &after, 1, &params, to->context));
  return node;
}

/// A kernel here, a copy to there, a kernel there, and back: what is behind the
/// launch on a stream of either device is behind all of that.
void test_graph_has_nodes_on_two_devices(const bench *b) {
  part parts[2];
  begin(b, parts);
  CUgraph graph;
  CALL(cuGraphCreate(&graph, 0));
  CUgraphNode node = add_increment(b, graph, NULL, &parts[0]);
  node = add_copy(b, graph, node, &parts[1], &parts[0]);
  node = add_increment(b, graph, &node, &parts[1]);
  node = add_copy(b, graph, node, &parts[0], &parts[1]);
  CUgraphExec exec;
  CUevent event;
  CALL(cuCtxSetCurrent(parts[0].context));
  CALL(cuGraphInstantiate(&exec, graph, 0));
  CALL(cuGraphDestroy(graph));
  event = make_event(b);
  for (uint32_t round = 1; round < 4; ++round) {
    uint32_t here = 0, there = 0;
    CALL(cuGraphLaunch(exec, parts[0].stream));
    CALL(cuEventRecord(event, parts[0].stream));
    // What the other device does next waits for the launch's event.
    CALL(cuCtxSetCurrent(parts[1].context));
    CALL(cuStreamWaitEvent(parts[1].stream, event, 0));
    CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&there, parts[1].cell, 4,
                       parts[1].stream));
    CALL(cuStreamSynchronize(parts[1].stream));
    CALL(cuCtxSetCurrent(parts[0].context));
    CALL(cuStreamSynchronize(parts[0].stream));
    download(b, &here, parts[0].cell, 4);
    CHECK(here == 2 * round);
    CHECK(there == 2 * round);
  }
  CALL(cuEventDestroy(event));
  CALL(cuGraphExecDestroy(exec));
  end(b, parts);
}

/// "The owning context of the function cannot change", and memory is to be
/// "from the same contexts as the original".
void test_graph_nodes_stay_on_their_devices(const bench *b) {
  part parts[2];
  begin(b, parts);
  CUgraph graph;
  CALL(cuGraphCreate(&graph, 0));
  CUgraphNode kernel = add_increment(b, graph, NULL, &parts[1]);
  CUgraphNode copy = add_copy(b, graph, kernel, &parts[0], &parts[1]);
  CUgraphExec exec;
  CALL(cuCtxSetCurrent(parts[0].context));
  CALL(cuGraphInstantiate(&exec, graph, 0));
  CUDA_KERNEL_NODE_PARAMS params =
      kernel_node_of(parts[0].increment, 1, 1, (void *[]){&parts[0].cell});
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecKernelNodeSetParams(exec, kernel, &params));
  CUDA_MEMCPY3D back = copy_of(parts[1].cell, parts[0].cell);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecMemcpyNodeSetParams(exec, copy, &back, parts[0].context));
  // What stays there may change.
  CALL(cuCtxSetCurrent(parts[1].context));
  CUdeviceptr other = make_memory(b, 4);
  uint32_t seven = 7, seen = 0;
  upload(b, other, &seven, 4);
  params = kernel_node_of(parts[1].increment, 1, 1, (void *[]){&other});
  CALL(cuGraphExecKernelNodeSetParams(exec, kernel, &params));
  CUDA_MEMCPY3D from_other = copy_of(parts[0].cell, other);
  CALL(cuGraphExecMemcpyNodeSetParams(exec, copy, &from_other,
                                      parts[0].context));
  CALL(cuCtxSetCurrent(parts[0].context));
  CALL(cuGraphLaunch(exec, parts[0].stream));
  CALL(cuStreamSynchronize(parts[0].stream));
  download(b, &seen, parts[0].cell, 4);
  CHECK(seen == 8);
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuCtxSetCurrent(parts[1].context));
  CALL(cuMemFree(other));
  end(b, parts);
}

/// "All nodes within the body must be on the same device", and of one context.
void test_graph_bodies_are_of_one_device(const bench *b) {
  part parts[2];
  NEED(cuGraphConditionalHandleCreate);
  NEED(cuGraphAddNode);
  begin(b, parts);
  CUgraph graph;
  CUgraphNode node;
  CALL(cuGraphCreate(&graph, 0));
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  params.conditional.ctx = parts[0].context;
  CALL(cuGraphConditionalHandleCreate(&params.conditional.handle, graph,
                                      parts[0].context, 1, 0));
  CALL(cuGraphAddNode(&node, graph, NULL, 0, &params));
  CUgraph body = params.conditional.phGraph_out[0];
  CUDA_MEMSET_NODE_PARAMS fill = {
      .dst = parts[1].cell, .elementSize = 4, .width = 1, .height = 1};
  CUresult result = b->driver->cuGraphAddMemsetNode(&node, body, NULL, 0, &fill,
                                                    parts[1].context);
  // A driver may find that when the graph becomes executable.
  CUgraphExec exec;
  if (!result)
    result = b->driver->cuGraphInstantiate(&exec, graph, 0);
  CHECK(result != CUDA_SUCCESS);
  CALL(cuGraphDestroy(graph));
  end(b, parts);
}

/// A device that fails takes nothing of the other's nodes along.
void test_emu_graph_fails_on_one_device(const bench *b) {
  part parts[2];
  begin(b, parts);
  CUgraph graph;
  CALL(cuGraphCreate(&graph, 0));
  CUdeviceptr cell = parts[1].cell;
  parts[1].cell = 8; // memory of the host that no device knows
  CUgraphNode node = add_increment(b, graph, NULL, &parts[1]);
  parts[1].cell = cell;
  add_increment(b, graph, &node, &parts[0]);
  CUgraphExec exec;
  CALL(cuCtxSetCurrent(parts[0].context));
  CALL(cuGraphInstantiate(&exec, graph, 0));
  CALL(cuGraphLaunch(exec, parts[0].stream));
  CALL(cuStreamSynchronize(parts[0].stream));
  uint32_t seen = 0;
  download(b, &seen, parts[0].cell, 4);
  CHECK(seen == 1);
  CALL(cuCtxSetCurrent(parts[1].context));
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(parts[1].stream));
}
