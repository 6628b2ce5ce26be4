//===- graph_calls.c - Graphs, recorded -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace shows the nodes of a graph as if each had been launched alone: a
// graph is a list of what its nodes are called, of which an executable one has
// a copy, and a launch is all of these on its stream. Where the clock has no
// times of nodes it is one piece of work.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "gpu/trace/traced.h"

#include <string.h>

/// Of a graph, or of an executable one.
typedef struct node_texts {
  struct node_texts *next;
  const void *handle;
  CUgraph graph; ///< itself, or the one that it was made from
  CUgraphNode *nodes;
  agpu__stream_item *items;
  const char **locations;
  size_t count, capacity;
} node_texts;

// The functions of the table have no place for a context pointer.
static struct {
  agpu__mutex lock;
  node_texts *graphs AGPU__GUARDED_BY(lock);
  node_texts *execs AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT};

static node_texts *find(node_texts *first, const void *handle) {
  while (first && first->handle != handle)
    first = first->next;
  return first;
}

static node_texts *create(node_texts **list, const void *handle) {
  node_texts *made =
      agpu__memory_alloc(sizeof *made, _Alignof(node_texts), "a trace");
  *made = (node_texts){.next = *list, .handle = handle};
  *list = made;
  return made;
}

static void destroy(node_texts **list, const void *handle) {
  while (*list && (*list)->handle != handle)
    list = &(*list)->next;
  node_texts *old = *list;
  if (!old)
    return;
  *list = old->next;
  agpu__memory_free(old->nodes);
  agpu__memory_free(old->items);
  agpu__memory_free(old->locations);
  agpu__memory_free(old);
}

/// Makes room for `capacity` nodes.
static void resize(node_texts *of, size_t capacity) {
  CUgraphNode *nodes =
      agpu__memory_alloc((int64_t)(capacity * sizeof *nodes), 16, "a trace");
  agpu__stream_item *items =
      agpu__memory_alloc((int64_t)(capacity * sizeof *items), 16, "a trace");
  const char **locations = agpu__memory_alloc(
      (int64_t)(capacity * sizeof *locations), 16, "a trace");
  if (of->count) {
    memcpy(nodes, of->nodes, of->count * sizeof *nodes);
    memcpy(items, of->items, of->count * sizeof *items);
    memcpy(locations, of->locations, of->count * sizeof *locations);
  }
  agpu__memory_free(of->nodes);
  agpu__memory_free(of->items);
  agpu__memory_free(of->locations);
  of->nodes = nodes;
  of->items = items;
  of->locations = locations;
  of->capacity = capacity;
}

static const char *get_location(void) {
  agpu__op_name origin = agpu__driver_get_origin();
  return origin.what ? origin.location : NULL;
}

static void add(CUgraph graph, CUgraphNode node, agpu__stream_item item) {
  agpu__mutex_lock(&self.lock);
  node_texts *of = find(self.graphs, graph);
  if (of) {
    if (of->count == of->capacity)
      resize(of, of->capacity ? 2 * of->capacity : 16);
    of->nodes[of->count] = node;
    of->items[of->count] = item;
    of->locations[of->count++] = get_location();
  }
  agpu__mutex_unlock(&self.lock);
}

static void change(CUgraphExec exec, CUgraphNode node, agpu__stream_item item) {
  agpu__mutex_lock(&self.lock);
  node_texts *of = find(self.execs, exec);
  for (size_t i = 0; of && i < of->count; ++i)
    if (of->nodes[i] == node) {
      of->items[i] = item;
      of->locations[i] = get_location();
    }
  agpu__mutex_unlock(&self.lock);
}

CUresult agpu__traced_cuGraphCreate(CUgraph *graph, unsigned int flags) {
  CUresult result = agpu__traced.inner->cuGraphCreate(graph, flags);
  if (!result) {
    agpu__mutex_lock(&self.lock);
    (void)create(&self.graphs, *graph);
    agpu__mutex_unlock(&self.lock);
  }
  return result;
}

CUresult agpu__traced_cuGraphDestroy(CUgraph graph) {
  // The driver may hand the address out again as soon as the call has begun.
  agpu__mutex_lock(&self.lock);
  destroy(&self.graphs, graph);
  agpu__mutex_unlock(&self.lock);
  return agpu__traced.inner->cuGraphDestroy(graph);
}

CUresult agpu__traced_cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                                         unsigned long long flags) {
  CUresult result = agpu__traced.inner->cuGraphInstantiate(exec, graph, flags);
  if (result)
    return result;
  agpu__mutex_lock(&self.lock);
  const node_texts *from = find(self.graphs, graph);
  node_texts *of = from ? create(&self.execs, *exec) : NULL;
  if (of && from->count) {
    resize(of, from->count);
    of->count = from->count;
    memcpy(of->nodes, from->nodes, of->count * sizeof *of->nodes);
    memcpy(of->items, from->items, of->count * sizeof *of->items);
    memcpy(of->locations, from->locations, of->count * sizeof *of->locations);
  }
  agpu__mutex_unlock(&self.lock);
  return result;
}

CUresult agpu__traced_cuGraphExecDestroy(CUgraphExec exec) {
  agpu__mutex_lock(&self.lock);
  destroy(&self.execs, exec);
  agpu__mutex_unlock(&self.lock);
  return agpu__traced.inner->cuGraphExecDestroy(exec);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static agpu__stream_item
describe_kernel(const CUDA_KERNEL_NODE_PARAMS *params) {
  return agpu__traced_describe_launch(
      params->func,
      (uint32_t[]){params->gridDimX, params->gridDimY, params->gridDimZ},
      (uint32_t[]){params->blockDimX, params->blockDimY, params->blockDimZ},
      params->sharedMemBytes);
}

static agpu__stream_item describe_copy(const CUDA_MEMCPY3D *params) {
  return (agpu__stream_item){
      .kind = AGPU__TRACE_COPY,
      .name = agpu__traced_describe_copy(params->dstDevice, params->srcDevice),
      .second = params->WidthInBytes};
}

static agpu__stream_item describe_fill(const CUDA_MEMSET_NODE_PARAMS *params) {
  return (agpu__stream_item){.kind = AGPU__TRACE_FILL,
                             .name = "fill",
                             .second = params->width * params->height *
                                       params->elementSize};
}

CUresult
agpu__traced_cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  const CUDA_KERNEL_NODE_PARAMS *params) {
  CUresult result = agpu__traced.inner->cuGraphAddKernelNode(
      node, graph, dependencies, count, params);
  if (!result)
    add(graph, *node, describe_kernel(params));
  return result;
}

CUresult agpu__traced_cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *dependencies,
                                           size_t count,
                                           const CUDA_MEMCPY3D *params,
                                           CUcontext context) {
  CUresult result = agpu__traced.inner->cuGraphAddMemcpyNode(
      node, graph, dependencies, count, params, context);
  if (!result)
    add(graph, *node, describe_copy(params));
  return result;
}

CUresult agpu__traced_cuGraphAddMemsetNode(
    CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
    size_t count, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context) {
  CUresult result = agpu__traced.inner->cuGraphAddMemsetNode(
      node, graph, dependencies, count, params, context);
  if (!result)
    add(graph, *node, describe_fill(params));
  return result;
}

CUresult agpu__traced_cuGraphExecKernelNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  CUresult result =
      agpu__traced.inner->cuGraphExecKernelNodeSetParams(exec, node, params);
  if (!result)
    change(exec, node, describe_kernel(params));
  return result;
}

CUresult
agpu__traced_cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_MEMCPY3D *params,
                                            CUcontext context) {
  CUresult result = agpu__traced.inner->cuGraphExecMemcpyNodeSetParams(
      exec, node, params, context);
  if (!result)
    change(exec, node, describe_copy(params));
  return result;
}

CUresult agpu__traced_cuGraphExecMemsetNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params,
    CUcontext context) {
  CUresult result = agpu__traced.inner->cuGraphExecMemsetNodeSetParams(
      exec, node, params, context);
  if (!result)
    change(exec, node, describe_fill(params));
  return result;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

CUresult agpu__traced_cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  static const agpu__stream_item whole = {.kind = AGPU__TRACE_KERNEL,
                                          .name = "graph"};
  static const char *const nowhere = NULL;
  if (!agpu__trace_on())
    return agpu__traced.inner->cuGraphLaunch(exec, stream);
  const agpu__work_clock *clock = agpu__traced_clock();
  agpu__stream_track *track = agpu__traced_stream(stream);
  int device = agpu__traced_device();
  bool has_nodes = clock && clock->tells_nodes;
  agpu__mutex_lock(&self.lock);
  const node_texts *of = has_nodes ? find(self.execs, exec) : NULL;
  const agpu__stream_item *items = of ? of->items : &whole;
  const char *const *locations = of ? of->locations : &nowhere;
  size_t count = of ? of->count : 1;
  uint64_t first = agpu__traced_take_works(count);
  for (size_t i = 0; i < count; ++i) {
    agpu__stream_item item = items[i];
    item.id = first + i;
    agpu__stream_track_add(track, &item);
  }
  int64_t begin = agpu__clock_now_ns();
  void *token = clock ? clock->before(first, device, stream) : NULL;
  CUresult result = agpu__traced.inner->cuGraphLaunch(exec, stream);
  if (clock)
    clock->after(token, device, stream, !result);
  for (size_t i = 0; i < count; ++i) {
    if (result) {
      agpu__stream_track_cancel(first + i);
      continue;
    }
    if (!clock)
      agpu__stream_track_ran(first + i, 0, 0);
    agpu__traced_call(AGPU__TRACE_ENQUEUE, begin, first + i,
                      agpu__traced_flow(first + i, true), items[i].name,
                      (uint64_t)(uintptr_t)locations[i],
                      agpu__stream_track_id(track));
    begin = agpu__clock_now_ns(); // the others take no time
  }
  agpu__mutex_unlock(&self.lock);
  return result;
}
