//===- graphs.c - Graphs of work ------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Old drivers have no graphs, or not all of these functions.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#include "driver_api/memory_nodes.h"
#include "driver_api/values.h"

static void need_graphs(const bench *b) {
  if (!b->driver->cuGraphInstantiate)
    exit(SKIPPED);
}

static CUgraph make_graph(const bench *b) {
  CUgraph graph;
  CALL(cuGraphCreate(&graph, 0));
  return graph;
}

static CUgraphExec make_exec(const bench *b, CUgraph graph) {
  CUgraphExec exec;
  CALL(cuGraphInstantiate(&exec, graph, 0));
  return exec;
}

static CUcontext get_context(const bench *b) {
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  CALL(cuDevicePrimaryCtxRelease(b->device));
  return context;
}

/// A node behind `count` others.
static CUgraphNode add_kernel(const bench *b, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              CUfunction function, unsigned grid,
                              unsigned block, void **params) {
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS of = kernel_node_of(function, grid, block, params);
  CALL(cuGraphAddKernelNode(&node, graph, after, count, &of));
  return node;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr target, CUdeviceptr source,
                             size_t bytes) {
  return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = source,
                         .srcPitch = bytes,
                         .srcHeight = 1,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = target,
                         .dstPitch = bytes,
                         .dstHeight = 1,
                         .WidthInBytes = bytes,
                         .Height = 1,
                         .Depth = 1};
}

static CUDA_MEMSET_NODE_PARAMS fill_of(CUdeviceptr target, unsigned value,
                                       unsigned element, size_t count) {
  return (CUDA_MEMSET_NODE_PARAMS){.dst = target,
                                   .value = value,
                                   .elementSize = element,
                                   .width = count,
                                   .height = 1};
}

static CUDA_MEM_ALLOC_NODE_PARAMS allocation_of(const bench *b, size_t bytes) {
  return (CUDA_MEM_ALLOC_NODE_PARAMS){
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, b->device}},
      .bytesize = bytes};
}

static uint32_t read_cell(const bench *b, CUdeviceptr cell) {
  uint32_t value;
  download(b, &value, cell, 4);
  return value;
}

void test_graph_runs_nodes_in_order(const bench *b) {
  enum { WIDTH = 6 };
  need_graphs(b);
  CUmodule kernels = load_kernels(b);
  CUfunction store = get_kernel(b, kernels, "store");
  CUfunction pause = get_kernel(b, kernels, "pause");
  CUfunction increment = get_kernel(b, kernels, "increment");
  CUdeviceptr cells = make_memory(b, 4 * (WIDTH + 1));
  CUgraph graph = make_graph(b);
  // One that all others are behind, a chain for each cell, one behind all.
  uint32_t zero = 0;
  uint64_t ns = 200000;
  CUgraphNode ends[WIDTH];
  CUgraphNode first = add_kernel(b, graph, NULL, 0, store, 1, WIDTH + 1,
                                 (void *[]){&cells, &zero});
  for (unsigned i = 0; i < WIDTH; ++i) {
    CUdeviceptr cell = cells + 4 * i;
    ends[i] =
        add_kernel(b, graph, &first, 1, pause, 1, 1, (void *[]){&cell, &ns});
    ends[i] =
        add_kernel(b, graph, &ends[i], 1, increment, 1, 1, (void *[]){&cell});
  }
  CUdeviceptr last = cells + 4 * (WIDTH - 1), total = cells + 4 * WIDTH;
  CUgraphNode node;
  CUDA_MEMCPY3D copy = copy_of(total, last, 4);
  CALL(cuGraphAddMemcpyNode(&node, graph, ends, WIDTH, &copy, get_context(b)));
  CUgraphExec exec = make_exec(b, graph);
  CALL(cuGraphDestroy(graph)); // it is not needed any more
  CUstream stream = make_stream(b);
  for (int round = 0; round < 3; ++round) {
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < WIDTH; ++i)
      CHECK(read_cell(b, cells + 4 * i) == i + 2);
    CHECK(read_cell(b, total) == WIDTH + 1);
  }
  CALL(cuGraphExecDestroy(exec));
  CALL(cuStreamDestroy(stream));
  CALL(cuMemFree(cells));
}

void test_graph_is_work_of_its_stream(const bench *b) {
  need_graphs(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t *seen = make_pinned(b, 8);
  CUgraph graph = make_graph(b);
  add_kernel(b, graph, NULL, 0, increment, 1, 1, (void *[]){&cell});
  CUgraphExec exec = make_exec(b, graph);
  CUstream stream = make_stream(b), other = make_stream(b);
  CUevent event = make_event(b);
  gate g;
  gate_close(b, &g, stream);
  CALL(cuMemsetD32Async(cell, 40, 1, stream));
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)seen, cell, 4, stream));
  CALL(cuEventRecord(event, stream));
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  CALL(cuStreamWaitEvent(other, event, 0));
  CALL(cuGraphLaunch(exec, other));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)(seen + 1), cell, 4, other));
  gate_open(&g);
  CALL(cuStreamSynchronize(other));
  CHECK(seen[0] == 41 && seen[1] == 42);
  CALL(cuGraphDestroy(graph));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuStreamDestroy(stream));
  CALL(cuStreamDestroy(other));
  CALL(cuEventDestroy(event));
  CALL(cuMemFreeHost(seen));
  CALL(cuMemFree(cell));
}

/// A launch comes behind the one before it of the same executable graph.
void test_graph_launches_do_not_overlap(const bench *b) {
  enum { ROUNDS = 8 };
  need_graphs(b);
  CUmodule kernels = load_kernels(b);
  CUfunction pause = get_kernel(b, kernels, "pause");
  CUfunction increment = get_kernel(b, kernels, "increment");
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t zero = 0;
  uint64_t ns = 300000;
  upload(b, cell, &zero, 4);
  CUgraph graph = make_graph(b);
  CUgraphNode node =
      add_kernel(b, graph, NULL, 0, pause, 1, 1, (void *[]){&cell, &ns});
  add_kernel(b, graph, &node, 1, increment, 1, 1, (void *[]){&cell});
  CUgraphExec exec = make_exec(b, graph);
  CUstream streams[2] = {make_stream(b), make_stream(b)};
  for (int i = 0; i < ROUNDS; ++i)
    CALL(cuGraphLaunch(exec, streams[i % 2]));
  CALL(cuGraphExecDestroy(exec)); // what is enqueued runs
  CALL(cuGraphDestroy(graph));
  CALL(cuStreamSynchronize(streams[0]));
  CALL(cuStreamSynchronize(streams[1]));
  CHECK(read_cell(b, cell) == 2 * ROUNDS);
  CALL(cuStreamDestroy(streams[0]));
  CALL(cuStreamDestroy(streams[1]));
  CALL(cuMemFree(cell));
}

void test_graph_updates_are_for_later_launches(const bench *b) {
  need_graphs(b);
  CUmodule kernels = load_kernels(b);
  CUfunction store = get_kernel(b, kernels, "store");
  CUcontext context = get_context(b);
  CUdeviceptr cells = make_memory(b, 64), others = make_memory(b, 64);
  uint32_t value = 10;
  CUgraph graph = make_graph(b);
  CUgraphNode fill, kernel, copy;
  CUDA_MEMSET_NODE_PARAMS fill_params = fill_of(cells, 1, 4, 16);
  CALL(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params, context));
  kernel =
      add_kernel(b, graph, &fill, 1, store, 1, 2, (void *[]){&cells, &value});
  CUDA_MEMCPY3D copy_params = copy_of(others, cells, 16);
  CALL(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &copy_params, context));
  CUgraphExec exec = make_exec(b, graph);
  CUstream stream = make_stream(b);
  value = 0; // was read when the node was added
  gate g;
  gate_close(b, &g, stream);
  CALL(cuGraphLaunch(exec, stream));
  uint32_t *seen = make_pinned(b, 128);
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)seen, others, 16, stream));
  // Of all three: pointers, sizes, scalars, and the grid.
  value = 20;
  CUDA_KERNEL_NODE_PARAMS kernel_params =
      kernel_node_of(store, 3, 1, (void *[]){&cells, &value});
  CALL(cuGraphExecKernelNodeSetParams(exec, kernel, &kernel_params));
  fill_params = fill_of(cells, 7, 4, 8);
  CALL(cuGraphExecMemsetNodeSetParams(exec, fill, &fill_params, context));
  copy_params = copy_of(others + 16, cells, 32);
  CALL(cuGraphExecMemcpyNodeSetParams(exec, copy, &copy_params, context));
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)(seen + 8), others, 64, stream));
  gate_open(&g);
  CALL(cuStreamSynchronize(stream));
  CHECK(seen[0] == 10 && seen[1] == 11 && seen[2] == 1 && seen[3] == 1);
  CHECK(seen[8] == 10 && seen[11] == 1);
  CHECK(seen[12] == 20 && seen[13] == 21 && seen[14] == 22 && seen[15] == 7);
  CHECK(seen[16] == 7 && seen[19] == 7);
  // A node keeps to its kind of work.
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecKernelNodeSetParams(exec, fill, &kernel_params));
  CALL(cuGraphDestroy(graph));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuStreamDestroy(stream));
  CALL(cuMemFreeHost(seen));
  CALL(cuMemFree(cells));
  CALL(cuMemFree(others));
}

void test_graph_allocates_and_frees(const bench *b) {
  need_graphs(b);
  const memory_nodes m = find_memory_nodes(b);
  if (!has_memory_pools(b))
    exit(SKIPPED);
  CUmodule kernels = load_kernels(b);
  CUfunction store = get_kernel(b, kernels, "store");
  CUdeviceptr out = make_memory(b, 256);
  uint32_t value = 5;
  CUgraph graph = make_graph(b);
  CUgraphNode nodes[4];
  CUDA_MEM_ALLOC_NODE_PARAMS memory = allocation_of(b, 256);
  CHECK(!m.cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &memory));
  CUdeviceptr inner = memory.dptr;
  nodes[1] = add_kernel(b, graph, &nodes[0], 1, store, 1, 64,
                        (void *[]){&inner, &value});
  CUDA_MEMCPY3D copy = copy_of(out, inner, 256);
  CALL(cuGraphAddMemcpyNode(&nodes[2], graph, &nodes[1], 1, &copy,
                            get_context(b)));
  CHECK(!m.cuGraphAddMemFreeNode(&nodes[3], graph, &nodes[2], 1, inner));
  CHECK(m.cuGraphAddMemFreeNode(&nodes[3], graph, &nodes[2], 1, inner) ==
        CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = make_exec(b, graph), second;
  // Such a graph is executable once only.
  CHECK(b->driver->cuGraphInstantiate(&second, graph, 0));
  CUstream stream = make_stream(b);
  for (int i = 0; i < 5; ++i)
    CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(read_cell(b, out + 4 * 63) == 68);
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CHECK(!m.cuDeviceGraphMemTrim(b->device));
  CALL(cuStreamDestroy(stream));
  CALL(cuMemFree(out));
}

void test_graph_memory_outlives_a_launch(const bench *b) {
  need_graphs(b);
  const memory_nodes m = find_memory_nodes(b);
  if (!has_memory_pools(b))
    exit(SKIPPED);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  uint32_t value = 5;
  CUgraph graph = make_graph(b), freeing = make_graph(b);
  CUgraphNode nodes[2], last;
  CUDA_MEM_ALLOC_NODE_PARAMS memory = allocation_of(b, 256);
  CHECK(!m.cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &memory));
  CUdeviceptr inner = memory.dptr;
  nodes[1] = add_kernel(b, graph, &nodes[0], 1, store, 1, 64,
                        (void *[]){&inner, &value});
  CUgraphExec exec = make_exec(b, graph);
  CUstream stream = make_stream(b);
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(read_cell(b, inner) == 5);
  // It is there still: nothing may allocate it again.
  CHECK(b->driver->cuGraphLaunch(exec, stream));
  CALL(cuMemFreeAsync(inner, stream));
  CALL(cuGraphLaunch(exec, stream));
  // Another graph frees it.
  CHECK(!m.cuGraphAddMemFreeNode(&last, freeing, NULL, 0, inner));
  CUgraphExec free_exec = make_exec(b, freeing);
  CALL(cuGraphLaunch(free_exec, stream));
  for (int i = 0; i < 3; ++i) {
    CALL(cuGraphLaunch(exec, stream));
    CALL(cuGraphLaunch(free_exec, stream));
  }
  CALL(cuStreamSynchronize(stream));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphExecDestroy(free_exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuGraphDestroy(freeing));
  CALL(cuStreamDestroy(stream));
}

void test_graph_has_child_graphs(const bench *b) {
  need_graphs(b);
  NEED(cuGraphAddChildGraphNode);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUdeviceptr cell = make_memory(b, 4);
  CUgraph child = make_graph(b), graph = make_graph(b);
  CUgraph inner = make_graph(b), outer = make_graph(b);
  CUgraphNode node =
      add_kernel(b, child, NULL, 0, increment, 1, 1, (void *[]){&cell});
  node = add_kernel(b, child, &node, 1, increment, 1, 1, (void *[]){&cell});
  CUgraphNode before;
  CUDA_MEMSET_NODE_PARAMS fill = fill_of(cell, 100, 4, 1);
  // What is behind a graph without work is behind all that this is behind.
  CALL(cuGraphAddChildGraphNode(&node, outer, NULL, 0, inner));
  CALL(cuGraphAddChildGraphNode(&before, graph, NULL, 0, outer));
  CALL(cuGraphAddMemsetNode(&before, graph, &before, 1, &fill, get_context(b)));
  for (int i = 0; i < 10; ++i)
    CALL(cuGraphAddChildGraphNode(&before, graph, &before, 1, child));
  CALL(cuGraphDestroy(child)); // the node has a copy
  CALL(cuGraphAddChildGraphNode(&before, graph, &before, 1, outer));
  CALL(cuGraphDestroy(inner));
  CALL(cuGraphDestroy(outer));
  add_kernel(b, graph, &before, 1, increment, 1, 1, (void *[]){&cell});
  CUgraphExec exec = make_exec(b, graph);
  CUstream stream = make_stream(b);
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(read_cell(b, cell) == 121);
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuStreamDestroy(stream));
  CALL(cuMemFree(cell));
}

/// Whether a graph of one node, whose kernel is to be launched in clusters of
/// so many blocks, can be executable. `out_exec` is it then, and the caller's.
static bool make_clusters(const bench *b, CUfunction function, unsigned grid,
                          unsigned size, void **params, CUgraphNode *out_node,
                          CUgraphExec *out_exec) {
  CUgraph graph = make_graph(b);
  CUlaunchAttributeValue value = {0};
  value.clusterDim.x = size;
  value.clusterDim.y = value.clusterDim.z = 1;
  *out_node = add_kernel(b, graph, NULL, 0, function, grid, 4, params);
  CUresult result = b->driver->cuGraphKernelNodeSetAttribute(
      *out_node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value);
  // A driver may look at the grid later.
  if (!result)
    result = b->driver->cuGraphInstantiate(out_exec, graph, 0);
  return !result;
}

/// The manual: "Sets attribute attr of hNode", and of a launch, that the
/// cluster's size divides the grid's.
void test_graph_kernels_have_clusters(const bench *b) {
  enum { BLOCKS = 16, THREADS = BLOCKS * 4 };
  need_graphs(b);
  NEED(cuGraphKernelNodeSetAttribute);
  int major;
  CALL(cuDeviceGetAttribute(
      &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, b->device));
  if (major < 9 && !b->is_emulated)
    exit(SKIPPED);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  CUdeviceptr memory = make_memory(b, THREADS * 4);
  uint32_t value = 5, values[THREADS];
  void *params[] = {&memory, &value};
  CUgraphNode node;
  CUgraphExec exec, other;
  CHECK(make_clusters(b, store, BLOCKS, 4, params, &node, &exec));
  CHECK(!make_clusters(b, store, BLOCKS, 3, params, &node, &other));
  CHECK(!make_clusters(b, store, BLOCKS, 16, params, &node, &other));
  CHECK(make_clusters(b, store, BLOCKS, 8, params, &node, &exec));
  CUstream stream = make_stream(b);
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  download(b, values, memory, sizeof values);
  for (uint32_t i = 0; i < THREADS; ++i)
    CHECK(values[i] == i + 5);
  // A node of an executable graph keeps its clusters.
  CUDA_KERNEL_NODE_PARAMS of = kernel_node_of(store, 12, 4, params);
  CHECK(b->driver->cuGraphExecKernelNodeSetParams(exec, node, &of) ||
        b->driver->cuGraphLaunch(exec, stream));
  // Others than a kernel's have none.
  CUgraph graph = make_graph(b);
  CUDA_MEMSET_NODE_PARAMS fill = fill_of(memory, 0, 4, 1);
  CUlaunchAttributeValue single = {.clusterDim = {1, 1, 1}};
  CALL(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, get_context(b)));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphKernelNodeSetAttribute(
             node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &single));
  CALL(cuGraphDestroy(graph));
  CALL(cuStreamDestroy(stream));
}

/// "CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, which causes the graph to
/// use the priorities from the per-node attributes rather than the priority of
/// the launch stream during execution. Note that priorities are only available
/// on kernel nodes".
void test_graph_kernels_have_priorities(const bench *b) {
  need_graphs(b);
  NEED(cuGraphKernelNodeSetAttribute);
  NEED(cuLaunchKernelEx); // of nearly the same driver
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t value = 0;
  upload(b, cell, &value, sizeof value);
  CUgraph graph = make_graph(b);
  CUgraphNode first =
      add_kernel(b, graph, NULL, 0, increment, 1, 1, (void *[]){&cell});
  CUgraphNode node =
      add_kernel(b, graph, &first, 1, increment, 1, 1, (void *[]){&cell});
  const CUlaunchAttributeValue priority = {.priority = -1};
  CALL(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                     &priority));
  EXPECT(
      CUDA_ERROR_INVALID_VALUE,
      cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
  CUgraphExec exec;
  CALL(cuGraphInstantiate(&exec, graph,
                          CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
  CUstream stream = make_stream(b);
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  download(b, &value, cell, sizeof value);
  CHECK(value == 2);
  CUDA_MEMSET_NODE_PARAMS fill = fill_of(cell, 0, 4, 1);
  CALL(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, get_context(b)));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                       &priority));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuStreamDestroy(stream));
}

void test_graph_arguments_are_checked(const bench *b) {
  need_graphs(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUdeviceptr cell = make_memory(b, 4);
  CUgraph graph = make_graph(b), other = make_graph(b);
  CUgraphNode node =
      add_kernel(b, graph, NULL, 0, increment, 1, 1, (void *[]){&cell});
  CUgraphNode twice[2] = {node, node}, made;
  CUDA_KERNEL_NODE_PARAMS params =
      kernel_node_of(increment, 1, 1, (void *[]){&cell});
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddKernelNode(&made, graph, twice, 2, &params));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddKernelNode(&made, other, &node, 1, &params));
  params.blockDimX = 4096;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddKernelNode(&made, graph, NULL, 0, &params));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(&other, 1));
  CALL(cuGraphDestroy(graph));
  CALL(cuGraphDestroy(other));
  CALL(cuMemFree(cell));
}

void test_function_parameters_are_known(const bench *b) {
  if (!b->driver->cuFuncGetParamInfo)
    exit(SKIPPED);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  size_t offset, size;
  CALL(cuFuncGetParamInfo(store, 0, &offset, &size));
  CHECK(offset == 0 && size == 8);
  CALL(cuFuncGetParamInfo(store, 1, &offset, &size));
  CHECK(offset == 8 && size == 4);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuFuncGetParamInfo(store, 2, &offset, &size));
}

/// The manual: "changes to the memory operands' mappings".
void test_emu_graph_updates_keep_their_memory(const bench *b) {
  CUcontext context = get_context(b);
  CUdeviceptr cells = make_memory(b, 64);
  uint32_t *pinned = make_pinned(b, 64);
  CUdeviceptr host = (CUdeviceptr)(uintptr_t)pinned;
  CUgraph graph = make_graph(b);
  CUgraphNode fill, copy;
  CUDA_MEMSET_NODE_PARAMS fill_params = fill_of(cells, 1, 4, 16);
  CALL(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &fill_params, context));
  CUDA_MEMCPY3D copy_params = copy_of(host, cells, 64);
  CALL(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &copy_params, context));
  CUgraphExec exec = make_exec(b, graph);
  copy_params = copy_of(cells, host, 64);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecMemcpyNodeSetParams(exec, copy, &copy_params, context));
  fill_params = fill_of(cells, 1, 2, 16);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecMemsetNodeSetParams(exec, fill, &fill_params, context));
  CALL(cuGraphExecDestroy(exec));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecMemsetNodeSetParams(exec, fill, &fill_params, context));
  CALL(cuGraphDestroy(graph));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, graph, 0));
  CALL(cuMemFreeHost(pinned));
  CALL(cuMemFree(cells));
}

void test_emu_graph_of_unloaded_kernels_is_refused(const bench *b) {
  CUmodule module = load_kernels(b);
  CUdeviceptr cell = make_memory(b, 4);
  CUgraph graph = make_graph(b);
  add_kernel(b, graph, NULL, 0, get_kernel(b, module, "increment"), 1, 1,
             (void *[]){&cell});
  CUgraphExec exec = make_exec(b, graph), second;
  CUstream stream = make_stream(b);
  CALL(cuModuleUnload(module));
  EXPECT(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(exec, stream));
  EXPECT(CUDA_ERROR_INVALID_HANDLE, cuGraphInstantiate(&second, graph, 0));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(graph));
  CALL(cuStreamDestroy(stream));
  CALL(cuMemFree(cell));
}

/// Memory that a graph has freed is not there for what comes behind it.
void test_emu_graph_memory_is_gone_behind_its_free(const bench *b) {
  const memory_nodes m = find_memory_nodes(b);
  if (!has_memory_pools(b))
    exit(SKIPPED);
  CUgraph graph = make_graph(b);
  CUgraphNode nodes[2];
  CUDA_MEM_ALLOC_NODE_PARAMS memory = allocation_of(b, 256);
  CHECK(!m.cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &memory));
  // A free that is not behind its allocation.
  CHECK(!m.cuGraphAddMemFreeNode(&nodes[1], graph, NULL, 0, memory.dptr));
  CUgraphExec exec;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, graph, 0));
  CALL(cuGraphDestroy(graph));

  graph = make_graph(b);
  size_t before, held, after, total;
  CALL(cuMemGetInfo(&before, &total));
  memory = allocation_of(b, 1 << 20);
  CHECK(!m.cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &memory));
  CHECK(!m.cuGraphAddMemFreeNode(&nodes[1], graph, nodes, 1, memory.dptr));
  exec = make_exec(b, graph);
  CUstream stream = make_stream(b);
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  // The device keeps it for the next launch, until it is told not to.
  CALL(cuMemGetInfo(&held, &total));
  CHECK(!m.cuDeviceGraphMemTrim(b->device));
  CALL(cuMemGetInfo(&after, &total));
  CHECK(held <= before - (1 << 20) && after == before);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(memory.dptr, stream));
  CALL(cuMemsetD32Async(memory.dptr, 1, 1, stream));
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
}
