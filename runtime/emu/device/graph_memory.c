//===- graph_memory.c - Nodes that allocate and free ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that add such nodes to graphs. What one allocates has its address
// from when it is added, and its memory from a launch on (graph_launch.c).
//
//===----------------------------------------------------------------------===//

#include "emu/device/graph.h"

#include "driver_api/memory_nodes.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/memory/allocation.h"

CUresult agpu__emu_cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph handle,
                                          const CUgraphNode *dependencies,
                                          size_t count,
                                          CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  agpu__emu_graph *graph;
  CUdeviceptr pointer;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (!result && !agpu__emu_get_settings()->memory_pools)
    result = CUDA_ERROR_NOT_SUPPORTED;
  if (!result &&
      (!params ||
       params->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
       params->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE ||
       params->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
       params->poolProps.location.id != agpu__emu_current_device() ||
       params->accessDescCount || graph->execs))
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    result = agpu__emu_memory_reserve(&pointer, params->bytesize);
  if (result)
    return result;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_ALLOC, 0);
  if (!op) {
    agpu__emu_memory_unreserve(pointer);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  op->pointer = pointer;
  result =
      agpu__emu_graph_add(graph, dependencies, count,
                          (agpu__emu_node){.op = op,
                                           .context = agpu__emu_get_context(),
                                           .bytes = params->bytesize},
                          node);
  if (!result)
    params->dptr = pointer;
  return result;
}

/// Whether it is what some graph allocates, and `graph` does not free yet.
static bool may_be_freed(const agpu__emu_graph *graph, CUdeviceptr pointer) {
  bool is_allocated = agpu__emu_memory_is_of_graph(pointer);
  for (size_t i = 0; i < graph->count; ++i) {
    const agpu__emu_op *op = graph->nodes[i]->op;
    if (op && op->kind == AGPU__EMU_OP_FREE && op->pointer == pointer)
      return false;
  }
  return is_allocated;
}

CUresult agpu__emu_cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph handle,
                                         const CUgraphNode *dependencies,
                                         size_t count, CUdeviceptr pointer) {
  agpu__emu_graph *graph;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (result)
    return result;
  if (!may_be_freed(graph, pointer)) {
    agpu__emu_note("a graph frees twice, or what no graph has allocated");
    return CUDA_ERROR_INVALID_VALUE;
  }
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_FREE, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->pointer = pointer;
  return agpu__emu_graph_add(graph, dependencies, count,
                             (agpu__emu_node){.op = op}, node);
}
