//===- graph.c - Graphs of work ------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph and its nodes stay in memory for good, so that a handle that is used
// after its end is found. graph_exec.c makes them executable.
//
//===----------------------------------------------------------------------===//

#include "driver/graph.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// What graphs have had stays, for programs that use what they have destroyed;
/// all in one list, so that it is no leak.
struct kept {
  struct kept *next;
  _Alignas(max_align_t) unsigned char memory[];
};

void *ptx_graph_allocate(size_t bytes) {
  static struct kept *_Atomic all;
  struct kept *kept = calloc(1, sizeof *kept + bytes);
  if (!kept)
    abort();
  kept->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &kept->next, kept))
    continue;
  return kept->memory;
}

CUresult ptx_enter_graph(CUgraph graph) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  return graph && graph->is_alive ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!graph || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = ptx_graph_allocate(sizeof **graph);
  (*graph)->is_alive = true;
  (*graph)->context = context;
  pthread_mutex_lock(&ptx_lock);
  ++context->graphs;
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

/// With the bodies in it.
static void end_graph(CUgraph graph) {
  graph->is_alive = false;
  for (size_t i = 0; i < graph->count; ++i)
    if (graph->nodes[i]->body)
      end_graph(graph->nodes[i]->body);
}

CUresult cuGraphDestroy(CUgraph graph) {
  CUresult result = ptx_enter_graph(graph);
  if (!result && graph->owner)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result)
    return result;
  end_graph(graph);
  pthread_mutex_lock(&ptx_lock);
  --graph->context->graphs;
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static CUgraphNode append(CUgraph graph, node_kind kind) {
  CUgraphNode node = ptx_graph_allocate(sizeof *node);
  node->kind = kind;
  node->graph = graph;
  node->index = graph->count;
  graph->nodes =
      realloc(graph->nodes, (graph->count + 1) * sizeof *graph->nodes);
  if (!graph->nodes)
    abort();
  graph->nodes[graph->count++] = node;
  return node;
}

/// "dependencies may not have any duplicate entries", and are the graph's.
CUresult ptx_check_dependencies(CUgraph graph, const CUgraphNode *after,
                                size_t count) {
  CUresult result = ptx_enter_graph(graph);
  for (size_t i = 0; i < count && !result; ++i) {
    if (!after || !after[i] || after[i]->graph != graph)
      result = CUDA_ERROR_INVALID_VALUE;
    for (size_t k = 0; k < i && !result; ++k)
      if (after[k] == after[i])
        result = CUDA_ERROR_INVALID_VALUE;
  }
  return result;
}

CUgraphNode ptx_add_node(CUgraph graph, const CUgraphNode *after, size_t count,
                         node_kind kind) {
  CUgraphNode node = append(graph, kind);
  node->after = ptx_graph_allocate((count + 1) * sizeof *node->after);
  node->after_count = count;
  for (size_t i = 0; i < count; ++i)
    node->after[i] = after[i]->index;
  return node;
}

CUresult ptx_check_context(CUgraph graph, CUcontext context) {
  return context && (!graph->owner || context == graph->context)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

/// Of a node with these clusters, or none.
CUresult ptx_check_kernel(const CUDA_KERNEL_NODE_PARAMS *params,
                          const CUlaunchAttributeValue *clusters) {
  const unsigned cluster[] = {clusters ? clusters->clusterDim.x : 1,
                              clusters ? clusters->clusterDim.y : 1,
                              clusters ? clusters->clusterDim.z : 1};
  if (!params || params->extra)
    return CUDA_ERROR_INVALID_VALUE;
  return ptx_check_launch(params->func, cluster, &params->gridDimX,
                          &params->blockDimX, params->sharedMemBytes,
                          params->kernelParams);
}

/// The values are read now. Nothing is freed: a launch may be reading them.
CUDA_KERNEL_NODE_PARAMS
ptx_copy_kernel(const CUDA_KERNEL_NODE_PARAMS *params) {
  const ptx_function *of = params->func->function;
  CUDA_KERNEL_NODE_PARAMS copy = *params;
  copy.kernelParams =
      ptx_graph_allocate((of->parameter_count + 1) * sizeof(void *));
  for (size_t i = 0; i < of->parameter_count; ++i) {
    size_t bytes = of->parameters[i]->bytes;
    copy.kernelParams[i] = ptx_graph_allocate(bytes + 1);
    memcpy(copy.kernelParams[i], params->kernelParams[i], bytes);
  }
  return copy;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (!result)
    result = ptx_check_kernel(params, NULL);
  if (!result)
    result = ptx_check_context(graph, params->func->module->context);
  if (result)
    return result;
  *node = ptx_add_node(graph, dependencies, count, KERNEL);
  (*node)->context = params->func->module->context;
  (*node)->kernel = ptx_copy_kernel(params);
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID id,
                                       const CUlaunchAttributeValue *value) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!node || !node->graph->is_alive || node->kind != KERNEL || !value)
    return CUDA_ERROR_INVALID_VALUE;
  // An edge is an order, whatever a stream would do, and what is more urgent
  // need not come first.
  if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
      id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    return CUDA_SUCCESS;
  if (id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    return CUDA_ERROR_INVALID_VALUE;
  if (ptx_get_settings()->options.capability < 90)
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  result = ptx_check_kernel(&node->kernel, value);
  if (result)
    return result;
  node->has_clusters = true;
  node->clusters = (CUlaunchAttribute){.id = id, .value = *value};
  return CUDA_SUCCESS;
}

ptx_memory_kind ptx_graph_kind_at(CUdeviceptr address, int *out_device) {
  ptx_allocation allocation;
  bool found = ptx_allocation_find(address, &allocation);
  *out_device = found ? allocation.device : -1;
  // What graphs allocate is not there between two launches.
  return found                            ? allocation.kind
         : ptx_address_is_device(address) ? PTX_POOL_MEMORY
                                          : PTX_PLAIN;
}

static bool is_plain(CUdeviceptr address) {
  int device;
  return ptx_graph_kind_at(address, &device) == PTX_PLAIN;
}

/// "Zero-length operations are not supported."
CUresult ptx_check_copy(const CUDA_MEMCPY3D *params) {
  CUresult result = ptx_check_box(params);
  return !result && params->WidthInBytes && params->Height && params->Depth
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext context) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (!result)
    result = ptx_check_copy(params);
  if (!result)
    result = ptx_check_context(graph, context);
  // Of the host's memory a body reaches only what the device does.
  if (!result && graph->owner &&
      (is_plain(params->dstDevice) || is_plain(params->srcDevice)))
    result = CUDA_ERROR_NOT_SUPPORTED;
  if (result)
    return result;
  *node = ptx_add_node(graph, dependencies, count, COPY);
  (*node)->context = context;
  (*node)->copy = *params;
  return CUDA_SUCCESS;
}

CUresult ptx_check_fill(const CUDA_MEMSET_NODE_PARAMS *params) {
  if (!params || !params->width || !params->height ||
      (params->elementSize != 1 && params->elementSize != 2 &&
       params->elementSize != 4) ||
      params->dst % params->elementSize ||
      (params->height > 1 &&
       (params->pitch % params->elementSize ||
        params->pitch < params->width * params->elementSize)))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (!result)
    result = ptx_check_fill(params);
  if (!result)
    result = ptx_check_context(graph, context);
  if (result)
    return result;
  *node = ptx_add_node(graph, dependencies, count, FILL);
  (*node)->context = context;
  (*node)->fill = *params;
  return CUDA_SUCCESS;
}

CUgraph ptx_copy_graph(const struct CUgraph_st *graph) {
  CUgraph copy = ptx_graph_allocate(sizeof *copy);
  copy->context = graph->context;
  copy->original =
      graph->original ? graph->original : (CUgraph)(uintptr_t)graph;
  copy->has_memory = graph->has_memory;
  copy->has_conditions = graph->has_conditions;
  copy->nodes = ptx_graph_allocate((graph->count + 1) * sizeof(CUgraphNode));
  copy->count = graph->count;
  for (size_t i = 0; i < graph->count; ++i) {
    copy->nodes[i] = ptx_graph_allocate(sizeof **copy->nodes);
    *copy->nodes[i] = *graph->nodes[i];
    if (copy->nodes[i]->body)
      copy->nodes[i]->body = ptx_copy_graph(copy->nodes[i]->body);
  }
  return copy;
}

CUresult ptx_add_child_node(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *after, size_t count,
                            const void *of) {
  const struct CUgraph_st *child = of;
  if (child == graph || child->has_memory || child->has_conditions)
    return CUDA_ERROR_INVALID_VALUE;
  *node = ptx_add_node(graph, after, count, CHILD);
  (*node)->child = ptx_copy_graph(child);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUgraph child) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (!result)
    result = ptx_enter_graph(child);
  return result ? result
                : ptx_add_child_node(node, graph, dependencies, count, child);
}

CUresult ptx_add_host_node(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *after, size_t count,
                           const void *of) {
  *node = ptx_add_node(graph, after, count, HOST);
  (*node)->host = *(const CUDA_HOST_NODE_PARAMS *)of;
  return CUDA_SUCCESS;
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (!result && (!params || !params->fn || graph->owner))
    result = CUDA_ERROR_INVALID_VALUE;
  return result ? result
                : ptx_add_host_node(node, graph, dependencies, count, params);
}

/// "These nodes may not be used in loops or conditionals."
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies,
                                   size_t count, CUevent event) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (!result && (!event || !event->is_alive || graph->owner))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result)
    return result;
  *node = ptx_add_node(graph, dependencies, count, RECORD);
  (*node)->event = event;
  (*node)->context = event->context;
  return CUDA_SUCCESS;
}
