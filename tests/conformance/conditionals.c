//===- conditionals.c - Loops and branches in graphs ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers before CUDA 12.3 have no conditional nodes.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#include "driver_api/memory_nodes.h"

#include <pthread.h>
#include <time.h>

/// What every test has.
typedef struct setting {
  CUfunction increment, store, count_down, set;
  CUcontext context;
  CUgraph graph;
  CUstream stream;
  CUdeviceptr cells; // 16 of 4 bytes, 0
} setting;

static setting begin(const bench *b) {
  NEED(cuGraphConditionalHandleCreate);
  NEED(cuGraphAddNode);
  CUmodule module = load_kernels(b), conditions;
  CALL(cuModuleLoadDataEx(&conditions,
                          b->driver->image_format == AGPU_IMAGE_PTX
                              ? (const void *)conditional_ptx
                              : (const void *)&conditional_native,
                          0, NULL, NULL));
  setting s = {.increment = get_kernel(b, module, "increment"),
               .store = get_kernel(b, module, "store"),
               .count_down = get_kernel(b, conditions, "count_down"),
               .set = get_kernel(b, conditions, "set"),
               .stream = make_stream(b),
               .cells = make_memory(b, 64)};
  CALL(cuDevicePrimaryCtxRetain(&s.context, b->device));
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CALL(cuGraphCreate(&s.graph, 0));
  CALL(cuMemsetD32Async(s.cells, 0, 16, s.stream));
  CALL(cuStreamSynchronize(s.stream));
  return s;
}

static void end(const bench *b, const setting *s) {
  CALL(cuGraphDestroy(s->graph));
  CALL(cuStreamDestroy(s->stream));
  CALL(cuMemFree(s->cells));
}

static CUdeviceptr cell(const setting *s, unsigned number) {
  return s->cells + 4 * (CUdeviceptr)number;
}

static void write_cell(const bench *b, const setting *s, unsigned number,
                       uint32_t value) {
  upload(b, cell(s, number), &value, 4);
}

static uint32_t read_cell(const bench *b, const setting *s, unsigned number) {
  uint32_t value;
  download(b, &value, cell(s, number), 4);
  return value;
}

static CUgraphConditionalHandle make_handle(const bench *b, const setting *s,
                                            CUgraph graph, unsigned value,
                                            unsigned flags) {
  CUgraphConditionalHandle handle;
  CALL(
      cuGraphConditionalHandleCreate(&handle, graph, s->context, value, flags));
  return handle;
}

static CUgraphNodeParams
conditional_of(const setting *s, CUgraphConditionalHandle handle, int type) {
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = 1;
  params.conditional.ctx = s->context;
  return params;
}

/// A conditional node behind `after` (NULL: none); returns its body.
static CUgraph add_conditional(const bench *b, const setting *s, CUgraph graph,
                               const CUgraphNode *after,
                               CUgraphConditionalHandle handle, int type,
                               CUgraphNode *out) {
  CUgraphNodeParams params = conditional_of(s, handle, type);
  CALL(cuGraphAddNode(out, graph, after, after != NULL, &params));
  return params.conditional.phGraph_out[0];
}

/// One thread behind `after` (NULL: none).
static CUgraphNode add_kernel(const bench *b, CUgraph graph,
                              const CUgraphNode *after, CUfunction function,
                              void **params) {
  CUgraphNode node;
  CUDA_KERNEL_NODE_PARAMS of = kernel_node_of(function, 1, 1, params);
  CALL(cuGraphAddKernelNode(&node, graph, after, after != NULL, &of));
  return node;
}

/// A loop that runs as often as cell `count` says, and at least once; its body
/// counts cell `total` up. Returns the node of that.
static CUgraphNode add_loop(const bench *b, const setting *s, CUgraph graph,
                            const CUgraphNode *after, unsigned count,
                            unsigned total, CUgraphNode *out_loop) {
  CUgraphConditionalHandle handle =
      make_handle(b, s, graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraph body = add_conditional(b, s, graph, after, handle,
                                 CU_GRAPH_COND_TYPE_WHILE, out_loop);
  CUdeviceptr counted = cell(s, total), left = cell(s, count);
  CUgraphNode node =
      add_kernel(b, body, NULL, s->increment, (void *[]){&counted});
  add_kernel(b, body, &node, s->count_down, (void *[]){&handle, &left});
  return node;
}

static CUgraphExec make_exec(const bench *b, CUgraph graph) {
  CUgraphExec exec;
  CALL(cuGraphInstantiate(&exec, graph, 0));
  return exec;
}

static void run(const bench *b, const setting *s, CUgraphExec exec) {
  CALL(cuGraphLaunch(exec, s->stream));
  CALL(cuStreamSynchronize(s->stream));
}

/// "the body graph is executed until the condition is zero"; the default is
/// "applied at the beginning of each graph execution".
void test_conditional_loops_end_with_their_condition(const bench *b) {
  setting s = begin(b);
  CUgraphNode loop;
  (void)add_loop(b, &s, s.graph, NULL, 0, 1, &loop);
  CUdeviceptr last = cell(&s, 2);
  add_kernel(b, s.graph, &loop, s.increment, (void *[]){&last});
  CUgraphExec exec = make_exec(b, s.graph);
  for (uint32_t i = 1; i < 4; ++i) {
    write_cell(b, &s, 0, 5 * i);
    write_cell(b, &s, 1, 0);
    run(b, &s, exec);
    CHECK(read_cell(b, &s, 0) == 0 && read_cell(b, &s, 1) == 5 * i);
    CHECK(read_cell(b, &s, 2) == i);
  }
  CALL(cuGraphExecDestroy(exec));
  end(b, &s);
}

/// "the body graph is executed once if the condition is non-zero"
void test_conditional_branches_run_once_or_not(const bench *b) {
  setting s = begin(b);
  for (unsigned value = 0; value < 3; ++value) {
    CUgraphNode node;
    CUgraph body = add_conditional(
        b, &s, s.graph, NULL,
        make_handle(b, &s, s.graph, value, CU_GRAPH_COND_ASSIGN_DEFAULT),
        CU_GRAPH_COND_TYPE_IF, &node);
    CUdeviceptr counted = cell(&s, value);
    add_kernel(b, body, NULL, s.increment, (void *[]){&counted});
  }
  CUgraphExec exec = make_exec(b, s.graph);
  run(b, &s, exec);
  run(b, &s, exec);
  for (unsigned value = 0; value < 3; ++value)
    CHECK(read_cell(b, &s, value) == (value ? 2 : 0));
  CALL(cuGraphExecDestroy(exec));
  end(b, &s);
}

/// A kernel in front of the node sets the condition, or has it as it was left.
void test_conditions_are_set_by_kernels(const bench *b) {
  setting s = begin(b);
  CUgraphConditionalHandle handle = make_handle(b, &s, s.graph, 0, 0);
  uint32_t value = 1;
  CUgraphNode node,
      set = add_kernel(b, s.graph, NULL, s.set, (void *[]){&handle, &value});
  CUgraph body = add_conditional(b, &s, s.graph, &set, handle,
                                 CU_GRAPH_COND_TYPE_IF, &node);
  CUdeviceptr counted = cell(&s, 0);
  add_kernel(b, body, NULL, s.increment, (void *[]){&counted});
  CUgraphExec exec = make_exec(b, s.graph);
  run(b, &s, exec);
  CHECK(read_cell(b, &s, 0) == 1);
  value = 0;
  CUDA_KERNEL_NODE_PARAMS params =
      kernel_node_of(s.set, 1, 1, (void *[]){&handle, &value});
  CALL(cuGraphExecKernelNodeSetParams(exec, set, &params));
  run(b, &s, exec);
  CHECK(read_cell(b, &s, 0) == 1);
  CALL(cuGraphExecDestroy(exec));
  end(b, &s);
}

/// "Allowed node types are kernel nodes, empty nodes, child graphs, memsets,
/// memcopies, and conditionals."
void test_conditional_bodies_nest(const bench *b) {
  setting s = begin(b);
  CUgraphConditionalHandle handle =
      make_handle(b, &s, s.graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraphNode loop, inner, fill, copy, set, branch, child_node;
  CUgraph body = add_conditional(b, &s, s.graph, NULL, handle,
                                 CU_GRAPH_COND_TYPE_WHILE, &loop);
  // Four rounds inside of each round, of which a branch is taken, and a child.
  CUgraphConditionalHandle of_inner = make_handle(b, &s, body, 0, 0);
  CUgraphConditionalHandle of_branch = make_handle(b, &s, body, 0, 0);
  CUDA_MEMSET_NODE_PARAMS four = {.dst = cell(&s, 4),
                                  .value = 4,
                                  .elementSize = 4,
                                  .width = 1,
                                  .height = 1};
  CALL(cuGraphAddMemsetNode(&fill, body, NULL, 0, &four, s.context));
  CUDA_MEMCPY3D to = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                      .srcDevice = cell(&s, 4),
                      .srcPitch = 4,
                      .srcHeight = 1,
                      .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                      .dstDevice = cell(&s, 1),
                      .dstPitch = 4,
                      .dstHeight = 1,
                      .WidthInBytes = 4,
                      .Height = 1,
                      .Depth = 1};
  CALL(cuGraphAddMemcpyNode(&copy, body, &fill, 1, &to, s.context));
  uint32_t one = 1;
  set = add_kernel(b, body, &copy, s.set, (void *[]){&of_inner, &one});
  CUgraph rounds = add_conditional(b, &s, body, &set, of_inner,
                                   CU_GRAPH_COND_TYPE_WHILE, &inner);
  CUdeviceptr total = cell(&s, 2), left = cell(&s, 1), outer = cell(&s, 0);
  CUgraphNode node =
      add_kernel(b, rounds, NULL, s.increment, (void *[]){&total});
  add_kernel(b, rounds, &node, s.count_down, (void *[]){&of_inner, &left});
  set = add_kernel(b, body, &inner, s.set, (void *[]){&of_branch, &one});
  CUgraph taken = add_conditional(b, &s, body, &set, of_branch,
                                  CU_GRAPH_COND_TYPE_IF, &branch);
  CUdeviceptr branches = cell(&s, 3);
  CUgraph child;
  CALL(cuGraphCreate(&child, 0));
  add_kernel(b, child, NULL, s.increment, (void *[]){&branches});
  CALL(cuGraphAddChildGraphNode(&child_node, taken, NULL, 0, child));
  CALL(cuGraphDestroy(child));
  add_kernel(b, body, &branch, s.count_down, (void *[]){&handle, &outer});
  CUgraphExec exec = make_exec(b, s.graph);
  for (uint32_t i = 1; i < 4; ++i) {
    write_cell(b, &s, 0, 3);
    run(b, &s, exec);
    CHECK(read_cell(b, &s, 2) == 12 * i && read_cell(b, &s, 3) == 3 * i);
  }
  CALL(cuGraphExecDestroy(exec));
  end(b, &s);
}

/// Launches of it are in the order of their stream, and keep what they were
/// launched with.
/// Opens a gate while the caller may wait for the driver.
static void *open_later(void *g) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  gate_open(g);
  return NULL;
}

/// A driver may have a call about a graph that runs wait for it.
void test_conditional_nodes_are_work_of_their_stream(const bench *b) {
  setting s = begin(b);
  CUgraphNode loop, counter = add_loop(b, &s, s.graph, NULL, 0, 1, &loop);
  CUgraphExec exec = make_exec(b, s.graph);
  gate g;
  gate_close(b, &g, s.stream);
  pthread_t opener;
  CHECK(pthread_create(&opener, NULL, open_later, &g) == 0);
  CALL(cuMemsetD32Async(cell(&s, 0), 7, 1, s.stream));
  CALL(cuGraphLaunch(exec, s.stream));
  CALL(cuMemsetD32Async(cell(&s, 0), 2, 1, s.stream));
  CUdeviceptr other = cell(&s, 2);
  CUDA_KERNEL_NODE_PARAMS params =
      kernel_node_of(s.increment, 1, 1, (void *[]){&other});
  CALL(cuGraphExecKernelNodeSetParams(exec, counter, &params));
  CALL(cuGraphLaunch(exec, s.stream));
  CALL(cuGraphExecDestroy(exec)); // what is enqueued runs
  CALL(cuStreamSynchronize(s.stream));
  CHECK(pthread_join(opener, NULL) == 0);
  CHECK(read_cell(b, &s, 1) == 7 && read_cell(b, &s, 2) == 2);
  end(b, &s);
}

/// A handle is of its graph, or of one in it, and has one node.
void test_conditional_handles_have_one_node(const bench *b) {
  setting s = begin(b);
  CUgraph other;
  CALL(cuGraphCreate(&other, 0));
  CUgraphConditionalHandle handle = make_handle(b, &s, s.graph, 0, 0);
  CUgraphNode node;
  CUgraphNodeParams params =
      conditional_of(&s, handle, CU_GRAPH_COND_TYPE_WHILE);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddNode(&node, other, NULL, 0, &params));
  CALL(cuGraphAddNode(&node, s.graph, NULL, 0, &params));
  params = conditional_of(&s, handle, CU_GRAPH_COND_TYPE_WHILE);
  CHECK(b->driver->cuGraphAddNode(&node, s.graph, NULL, 0, &params));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphConditionalHandleCreate(&handle, s.graph, s.context, 0, 2));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphConditionalHandleCreate(NULL, s.graph, s.context, 0, 0));
  // "If childGraph contains [...] conditional nodes, this call will return an
  // error."
  CHECK(b->driver->cuGraphAddChildGraphNode(&node, other, NULL, 0, s.graph));
  CALL(cuGraphDestroy(other));
  end(b, &s);
}

/// What may not stand in a body is refused there, or when the graph becomes
/// executable.
void test_conditional_bodies_allocate_nothing(const bench *b) {
  setting s = begin(b);
  const memory_nodes m = find_memory_nodes(b);
  if (!has_memory_pools(b))
    exit(SKIPPED);
  CUgraphNode node, loop;
  CUgraph body = add_conditional(
      b, &s, s.graph, NULL,
      make_handle(b, &s, s.graph, 0, CU_GRAPH_COND_ASSIGN_DEFAULT),
      CU_GRAPH_COND_TYPE_IF, &loop);
  CUDA_MEM_ALLOC_NODE_PARAMS memory = {
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {CU_MEM_LOCATION_TYPE_DEVICE, b->device}},
      .bytesize = 256};
  CUgraphExec exec;
  CHECK(m.cuGraphAddMemAllocNode(&node, body, NULL, 0, &memory) ||
        b->driver->cuGraphInstantiate(&exec, s.graph, 0));
  end(b, &s);
}

/// What the manual leaves open, or forbids without an error of its own.
void test_emu_conditional_nodes_are_strict(const bench *b) {
  setting s = begin(b);
  CUgraphExec exec;
  CUgraphNode node, loop;
  CUgraphConditionalHandle handle = make_handle(b, &s, s.graph, 0, 0);
  // "Handles not associated with a conditional node may cause graph
  // instantiation to fail."
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, s.graph, 0));
  CUgraph body = add_conditional(b, &s, s.graph, NULL, handle,
                                 CU_GRAPH_COND_TYPE_IF, &loop);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(body));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&exec, body, 0));
  // Of the host's memory only what the device reaches.
  static uint32_t pageable;
  CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .srcDevice = s.cells,
                       .srcPitch = 4,
                       .srcHeight = 1,
                       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                       .dstDevice = (CUdeviceptr)(uintptr_t)&pageable,
                       .dstPitch = 4,
                       .dstHeight = 1,
                       .WidthInBytes = 4,
                       .Height = 1,
                       .Depth = 1};
  EXPECT(CUDA_ERROR_NOT_SUPPORTED,
         cuGraphAddMemcpyNode(&node, body, NULL, 0, &out, s.context));
  CUgraphNodeParams params = conditional_of(&s, handle, 0);
  params.type = 0;
  EXPECT(CUDA_ERROR_NOT_SUPPORTED,
         cuGraphAddNode(&node, s.graph, NULL, 0, &params));
  // Handles end with their graph.
  CALL(cuGraphDestroy(s.graph));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphAddMemcpyNode(&node, body, NULL, 0, &out, s.context));
  uint32_t one = 1;
  launch(b, s.set, 1, 1, s.stream, (void *[]){&handle, &one});
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(s.stream));
}
