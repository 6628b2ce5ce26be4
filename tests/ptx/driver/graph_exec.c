//===- graph_exec.c - Executable graphs -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable graph has copies of all nodes, which updates change. It is of
// the context in which it is made, and its nodes are of theirs: graph_launch.c
// runs them.
//
//===----------------------------------------------------------------------===//

#include "driver/graph.h"

#include <string.h>

/// Whether the graphs' nodes are of the same kinds, behind the same others.
static bool is_alike(CUgraph a, CUgraph b) {
  bool result = a->count == b->count;
  for (size_t i = 0; i < a->count && result; ++i) {
    const struct CUgraphNode_st *x = a->nodes[i], *y = b->nodes[i];
    result = x->kind == y->kind && x->context == y->context &&
             x->after_count == y->after_count &&
             !memcmp(x->after, y->after, x->after_count * sizeof *x->after) &&
             (x->kind != CHILD || is_alike(x->child, y->child));
  }
  return result;
}

/// Whether none has been unloaded.
static bool has_kernels(CUgraph graph) {
  bool result = true;
  for (size_t i = 0; i < graph->count && result; ++i) {
    const struct CUgraphNode_st *node = graph->nodes[i];
    result = node->kind == KERNEL        ? node->kernel.func->module->is_alive
             : node->kind == CONDITIONAL ? has_kernels(node->body)
                                         : true;
  }
  return result;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = ptx_enter_graph(graph);
  if (result)
    return result;
  if (!exec || graph->owner || !ptx_conditions_are_used(graph) ||
      flags &
          ~(unsigned long long)(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY) ||
      (graph->has_memory && graph->execs))
    return CUDA_ERROR_INVALID_VALUE;
  if (!ptx_graph_frees_behind(graph))
    return CUDA_ERROR_INVALID_VALUE;
  if (!has_kernels(graph))
    return CUDA_ERROR_INVALID_HANDLE;
  CUevent last;
  result = cuEventCreate(&last, CU_EVENT_DISABLE_TIMING);
  if (result)
    return result;
  *exec = ptx_graph_allocate(sizeof **exec);
  (*exec)->is_alive = true;
  (*exec)->frees_on_launch = flags != 0;
  (*exec)->context = context;
  (*exec)->graph = graph;
  (*exec)->own = ptx_copy_graph(graph);
  (*exec)->last = last;
  ++graph->execs;
  pthread_mutex_lock(&ptx_lock);
  ++context->execs;
  --context->events; // no program's
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

CUresult ptx_enter_exec(CUgraphExec exec) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  return exec && exec->is_alive && exec->context == context
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  CUresult result = ptx_enter_exec(exec);
  if (result)
    return result;
  exec->is_alive = false;
  --exec->graph->execs;
  pthread_mutex_lock(&ptx_lock);
  --exec->context->execs;
  ++exec->context->events;
  pthread_mutex_unlock(&ptx_lock);
  return cuEventDestroy_v2(exec->last);
}

/// The node of the copy, or of a body in it; NULL: it is in none.
static CUgraphNode find_own(CUgraph graph, CUgraph own, CUgraphNode node) {
  if (node->graph == graph)
    return own->nodes[node->index];
  CUgraphNode found = NULL;
  for (size_t i = 0; i < own->count && !found; ++i)
    if (own->nodes[i]->body)
      found = find_own(graph->nodes[i]->body, own->nodes[i]->body, node);
  return found;
}

/// The executable graph's own node for one of its graph's, from any context.
static CUresult find_node(CUgraphExec exec, CUgraphNode node, node_kind kind,
                          CUgraphNode *out) {
  CUcontext current;
  CUresult result = ptx_enter_context(&current);
  if (result)
    return result;
  if (!exec || !exec->is_alive || !node || !node->graph->is_alive ||
      node->kind != kind)
    return CUDA_ERROR_INVALID_VALUE;
  *out = find_own(exec->graph, exec->own, node);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
  CUgraphNode own;
  CUresult result = find_node(exec, node, KERNEL, &own);
  if (!result)
    result = ptx_check_kernel(params,
                              own->has_clusters ? &own->clusters.value : NULL);
  // "The function's owning context cannot change."
  if (!result && params->func->module->context != own->context)
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    own->kernel = ptx_copy_kernel(params);
  return result;
}

/// "The memory operands' mappings": device, or host and how it is known.
static bool is_same_mapping(CUdeviceptr a, CUdeviceptr b) {
  int device, other;
  ptx_memory_kind kind = ptx_graph_kind_at(a, &device),
                  of_b = ptx_graph_kind_at(b, &other);
  bool on_device = ptx_address_is_device(a);
  return on_device == ptx_address_is_device(b) &&
         (on_device ? device == other || device < 0 || other < 0
                    : kind == of_b);
}

bool ptx_is_one_row(const CUDA_MEMCPY3D *params) {
  return params->Height == 1 && params->Depth == 1;
}

/// "Both the instantiation-time memory operands and the memory operands in
/// copyParams must be 1-dimensional."
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params,
                                        CUcontext context) {
  CUgraphNode own;
  CUresult result = find_node(exec, node, COPY, &own);
  if (!result)
    result = ptx_check_copy(params);
  if (!result && (context != own->context || !ptx_is_one_row(params) ||
                  !ptx_is_one_row(&own->copy) ||
                  !is_same_mapping(params->dstDevice, own->copy.dstDevice) ||
                  !is_same_mapping(params->srcDevice, own->copy.srcDevice)))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    own->copy = *params;
  return result;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context) {
  CUgraphNode own;
  CUresult result = find_node(exec, node, FILL, &own);
  if (!result)
    result = ptx_check_fill(params);
  if (!result &&
      (context != own->context || params->height != 1 ||
       own->fill.height != 1 || params->elementSize != own->fill.elementSize ||
       !is_same_mapping(params->dst, own->fill.dst)))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    own->fill = *params;
  return result;
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                            CUevent event) {
  CUgraphNode own;
  CUresult result = find_node(exec, node, RECORD, &own);
  if (!result && (!event || !event->is_alive || event->context != own->context))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    own->event = event;
  return result;
}

/// "The topology of childGraph, as well as the node insertion order, must match
/// that of the graph contained in node."
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph child) {
  CUgraphNode own;
  CUresult result = find_node(exec, node, CHILD, &own);
  if (!result)
    result = ptx_enter_graph(child);
  if (!result && (!is_alike(child, own->child) || !has_kernels(child)))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    own->child = ptx_copy_graph(child);
  return result;
}
