//===- graph_memory.c - Nodes that allocate and free ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/graph.h"

#include "driver_api/memory_nodes.h"

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (result)
    return result;
  if (!ptx_get_settings()->has_pools || graph->owner)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!params || !params->bytesize ||
      params->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      params->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE ||
      params->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      params->poolProps.location.id != graph->context->device)
    return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr pointer = ptx_address_reserve(params->bytesize);
  if (!pointer)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *node = ptx_add_node(graph, dependencies, count, ALLOC);
  (*node)->pointer = params->dptr = pointer;
  (*node)->bytes = params->bytesize;
  graph->has_memory = true;
  return CUDA_SUCCESS;
}

/// The node of that kind on `pointer`, or NULL.
static CUgraphNode find_memory(CUgraph graph, node_kind kind,
                               CUdeviceptr pointer) {
  for (size_t i = 0; i < graph->count; ++i)
    if (graph->nodes[i]->kind == kind && graph->nodes[i]->pointer == pointer)
      return graph->nodes[i];
  return NULL;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr pointer) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (result)
    return result;
  if (graph->owner)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (find_memory(graph, FREE, pointer) || !ptx_address_is_device(pointer))
    return CUDA_ERROR_INVALID_VALUE;
  *node = ptx_add_node(graph, dependencies, count, FREE);
  (*node)->pointer = pointer;
  graph->has_memory = true;
  return CUDA_SUCCESS;
}

/// Whether node `to` is behind node `from`.
static bool is_behind(CUgraph graph, size_t to, size_t from) {
  const struct CUgraphNode_st *node = graph->nodes[to];
  for (size_t i = 0; i < node->after_count; ++i)
    if (node->after[i] == from || is_behind(graph, node->after[i], from))
      return true;
  return false;
}

bool ptx_graph_frees_behind(CUgraph graph) {
  bool result = true;
  for (size_t i = 0; i < graph->count && result; ++i) {
    const struct CUgraphNode_st *node = graph->nodes[i];
    const struct CUgraphNode_st *made =
        node->kind == FREE ? find_memory(graph, ALLOC, node->pointer) : NULL;
    result = !made || is_behind(graph, i, made->index);
  }
  return result;
}
