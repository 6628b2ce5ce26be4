//===- graph.c - Graphs of work and their nodes ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that make graphs. A node's parameters are checked and copied when
// it is added, as those of a call that enqueues the same would be. What nodes
// refer to is checked again when the graph becomes executable, and when it is
// launched (graph_exec.c).
//
//===----------------------------------------------------------------------===//

#include "emu/device/graph.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/origin.h"
#include "emu/base/result.h"
#include "emu/device/capture.h"
#include "emu/device/conditional.h"
#include "emu/device/make.h"
#include "emu/device/module.h"
#include "emu/memory/allocation.h"

#include <stdlib.h>
#include <string.h>

agpu__mutex agpu__emu_graphs_lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_GRAPHS);

static LIST_HEAD(, agpu__emu_graph) graphs AGPU__GUARDED_BY(
    agpu__emu_graphs_lock); // created by the program, not freed

agpu__emu_graph *agpu__emu_graph_find(CUgraph handle) {
  return agpu__emu_handle_find(AGPU__EMU_GRAPH, handle);
}

agpu__emu_node *agpu__emu_node_find(CUgraphNode handle) {
  return agpu__emu_handle_find(AGPU__EMU_NODE, handle);
}

bool agpu__emu_graph_has_memory(const agpu__emu_graph *graph) {
  for (size_t i = 0; i < graph->count; ++i) {
    const agpu__emu_op *op = graph->nodes[i]->op;
    if (op && (op->kind == AGPU__EMU_OP_ALLOC || op->kind == AGPU__EMU_OP_FREE))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void agpu__emu_node_free(agpu__emu_node *node) {
  if (node->op)
    agpu__emu_op_free(node->op);
  if (node->child)
    agpu__emu_graph_release(node->child);
  if (node->body)
    agpu__emu_graph_release(node->body);
  free(node->dependencies);
  free(node);
}

void agpu__emu_graph_retain(agpu__emu_graph *graph) {
  atomic_fetch_add_explicit(&graph->references, 1, memory_order_relaxed);
}

void agpu__emu_graph_release(agpu__emu_graph *graph) {
  if (atomic_fetch_sub_explicit(&graph->references, 1, memory_order_acq_rel) !=
      1)
    return;
  for (size_t i = 0; i < graph->count; ++i) {
    agpu__emu_node *node = graph->nodes[i];
    if (node->handle)
      (void)agpu__emu_handle_take(AGPU__EMU_NODE, node->handle);
    if (node->op && node->op->kind == AGPU__EMU_OP_ALLOC)
      agpu__emu_memory_unreserve(node->op->pointer);
    agpu__emu_node_free(node);
  }
  while (!SLIST_EMPTY(&graph->conditions)) {
    agpu__emu_condition *first = SLIST_FIRST(&graph->conditions);
    SLIST_REMOVE_HEAD(&graph->conditions, link);
    agpu__emu_condition_release(first);
  }
  free(graph->nodes);
  free(graph);
}

/// One that has no handle, and one reference. NULL: out of memory.
static agpu__emu_graph *create_graph(void) {
  agpu__emu_graph *graph = calloc(1, sizeof *graph);
  if (graph) {
    graph->context = agpu__emu_get_context();
    atomic_init(&graph->references, 1);
  }
  return graph;
}

agpu__emu_graph *agpu__emu_graph_create_body(void) {
  agpu__emu_graph *graph = create_graph();
  if (graph)
    graph->handle = agpu__emu_handle_create(AGPU__EMU_GRAPH, graph);
  if (!graph || graph->handle)
    return graph;
  agpu__emu_graph_release(graph);
  return NULL;
}

void agpu__emu_body_drop(agpu__emu_graph *body) {
  (void)agpu__emu_handle_take(AGPU__EMU_GRAPH, body->handle);
  agpu__emu_graph_release(body);
}

CUresult agpu__emu_cuGraphCreate(CUgraph *out, unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!out || flags)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_graph *graph = create_graph();
  CUgraph handle =
      graph ? agpu__emu_handle_create(AGPU__EMU_GRAPH, graph) : NULL;
  if (!handle) {
    free(graph);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  graph->handle = handle;
  agpu__mutex_lock(&agpu__emu_graphs_lock);
  LIST_INSERT_HEAD(&graphs, graph, link);
  agpu__mutex_unlock(&agpu__emu_graphs_lock);
  atomic_fetch_add(&agpu__emu_get_counts(graph->context)->graphs, 1);
  *out = handle;
  return CUDA_SUCCESS;
}

/// The program's graph ends: its handle and those of its nodes.
static void end_graph(agpu__emu_graph *graph)
    AGPU__REQUIRES(agpu__emu_graphs_lock) {
  LIST_REMOVE(graph, link);
  for (size_t i = 0; i < graph->count; ++i) {
    (void)agpu__emu_handle_take(AGPU__EMU_NODE, graph->nodes[i]->handle);
    graph->nodes[i]->handle = NULL;
    agpu__emu_body_end(graph->nodes[i]);
  }
  agpu__emu_graph_release(graph);
}

CUresult agpu__emu_cuGraphDestroy(CUgraph handle) {
  // Destroys in an errored context, too: so that programs can clean up.
  CUresult result = agpu__emu_enter();
  agpu__mutex_lock(&agpu__emu_graphs_lock);
  agpu__emu_graph *graph = agpu__emu_graph_find(handle);
  if (graph && graph->owner) {
    agpu__emu_note("a body is its conditional node's");
    graph = NULL;
  }
  if (graph)
    graph = agpu__emu_handle_take(AGPU__EMU_GRAPH, handle);
  if (graph) {
    atomic_fetch_sub(&agpu__emu_get_counts(graph->context)->graphs, 1);
    end_graph(graph);
  }
  agpu__mutex_unlock(&agpu__emu_graphs_lock);
  return graph ? result : CUDA_ERROR_INVALID_VALUE;
}

void agpu__emu_graphs_end(CUcontext context) {
  agpu__mutex_lock(&agpu__emu_graphs_lock);
  for (agpu__emu_graph *at = LIST_FIRST(&graphs), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->context != context)
      continue;
    (void)agpu__emu_handle_take(AGPU__EMU_GRAPH, at->handle);
    end_graph(at);
  }
  agpu__mutex_unlock(&agpu__emu_graphs_lock);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

agpu__emu_node *agpu__emu_node_copy(const agpu__emu_node *node) {
  agpu__emu_node *copy = malloc(sizeof *copy);
  if (!copy)
    return NULL;
  *copy = *node;
  copy->handle = NULL;
  copy->body = NULL; // what the op has is a list
  size_t bytes = node->dependency_count * sizeof *node->dependencies;
  copy->dependencies = malloc(bytes + 1);
  copy->op = node->op ? agpu__emu_op_copy(node->op) : NULL;
  if (copy->child)
    agpu__emu_graph_retain(copy->child);
  if (!copy->dependencies || (node->op && !copy->op)) {
    agpu__emu_node_free(copy);
    return NULL;
  }
  if (bytes)
    memcpy(copy->dependencies, node->dependencies, bytes);
  return copy;
}

/// Appends it; false: out of memory.
static bool append(agpu__emu_graph *graph, agpu__emu_node *node) {
  if (graph->count == graph->capacity) {
    size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
    agpu__emu_node **grown =
        realloc(graph->nodes, capacity * sizeof *graph->nodes);
    if (!grown)
      return false;
    graph->nodes = grown;
    graph->capacity = capacity;
  }
  node->graph = graph;
  node->index = graph->count;
  graph->nodes[graph->count++] = node;
  return true;
}

static int compare(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/// The nodes' indices in `graph`: different nodes of it. NULL: they are not.
static size_t *take_dependencies(const agpu__emu_graph *graph,
                                 const CUgraphNode *nodes, size_t count) {
  size_t *indices = malloc(count * sizeof *indices + 1);
  for (size_t i = 0; indices && i < count; ++i) {
    const agpu__emu_node *node = agpu__emu_node_find(nodes[i]);
    if (!node || node->graph != graph) {
      agpu__emu_note("a node depends on what is no node of its graph");
      free(indices);
      return NULL;
    }
    indices[i] = node->index;
  }
  if (!indices)
    return NULL;
  qsort(indices, count, sizeof *indices, compare);
  for (size_t i = 1; i < count; ++i)
    if (indices[i] == indices[i - 1]) {
      agpu__emu_note("a node depends twice on the same node");
      free(indices);
      return NULL;
    }
  return indices;
}

CUresult agpu__emu_graph_enter(CUgraph handle, const CUgraphNode *dependencies,
                               size_t count, const CUgraphNode *out,
                               agpu__emu_graph **out_graph) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  *out_graph = agpu__emu_graph_find(handle);
  if (!*out_graph || !out || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  if (!(*out_graph)->owner || (*out_graph)->context == agpu__emu_get_context())
    return CUDA_SUCCESS;
  agpu__emu_note("a conditional node's body is of its context");
  return CUDA_ERROR_INVALID_VALUE;
}

/// "All nodes within the body must be on the same device", and of one context.
static bool is_in_context(const agpu__emu_node *node, CUcontext context) {
  bool result = !node->context || node->context == context;
  for (size_t i = 0; node->child && i < node->child->count; ++i)
    result &= is_in_context(node->child->nodes[i], context);
  if (!result)
    agpu__emu_note("what a conditional node runs is of its context");
  return result;
}

CUresult agpu__emu_graph_add(agpu__emu_graph *graph,
                             const CUgraphNode *dependencies, size_t count,
                             agpu__emu_node of, CUgraphNode *out) {
  agpu__emu_node *node = malloc(sizeof *node);
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  bool may_stand = !graph->owner || agpu__emu_may_stand_in_body(&of);
  if (!may_stand)
    result = CUDA_ERROR_NOT_SUPPORTED;
  else if (graph->owner && !is_in_context(&of, graph->context))
    may_stand = false;
  of.dependencies =
      may_stand ? take_dependencies(graph, dependencies, count) : NULL;
  of.dependency_count = count;
  of.origin = agpu__emu_origin_now();
  if (node && of.dependencies) {
    *node = of;
    result = CUDA_ERROR_OUT_OF_MEMORY;
    node->handle = agpu__emu_handle_create(AGPU__EMU_NODE, node);
    if (node->handle && append(graph, node)) {
      *out = node->handle;
      return CUDA_SUCCESS;
    }
    if (node->handle)
      (void)agpu__emu_handle_take(AGPU__EMU_NODE, node->handle);
  }
  free(of.dependencies);
  free(node);
  if (of.op && of.op->kind == AGPU__EMU_OP_ALLOC)
    agpu__emu_memory_unreserve(of.op->pointer);
  if (of.op)
    agpu__emu_op_free(of.op);
  if (of.child)
    agpu__emu_graph_release(of.child);
  if (of.body)
    agpu__emu_body_drop(of.body);
  return result;
}

CUresult agpu__emu_kernel_node_make(const CUDA_KERNEL_NODE_PARAMS *params,
                                    const unsigned *cluster,
                                    agpu__emu_op **out_op) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return agpu__emu_launch_make(
      params->func, cluster, params->gridDimX, params->gridDimY,
      params->gridDimZ, params->blockDimX, params->blockDimY, params->blockDimZ,
      params->sharedMemBytes, params->kernelParams, params->extra, out_op);
}

CUresult agpu__emu_cuGraphAddKernelNode(CUgraphNode *node, CUgraph handle,
                                        const CUgraphNode *dependencies,
                                        size_t count,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
  static const unsigned single[] = {1, 1, 1};
  agpu__emu_graph *graph;
  agpu__emu_op *op;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (!result)
    result = agpu__emu_kernel_node_make(params, single, &op);
  return result ? result
                : agpu__emu_graph_add(
                      graph, dependencies, count,
                      (agpu__emu_node){.op = op,
                                       .function = params->func,
                                       .context = agpu__emu_get_context()},
                      node);
}

/// "Zero-length operations are not supported."
CUresult agpu__emu_copy_node_make(const CUDA_MEMCPY3D *params,
                                  CUcontext context, agpu__emu_op **out_op) {
  if (!params || !agpu__emu_is_context(context) || !params->WidthInBytes ||
      !params->Height || !params->Depth)
    return CUDA_ERROR_INVALID_VALUE;
  return agpu__emu_copy_make(params, out_op);
}

CUresult agpu__emu_cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph handle,
                                        const CUgraphNode *dependencies,
                                        size_t count,
                                        const CUDA_MEMCPY3D *params,
                                        CUcontext context) {
  agpu__emu_graph *graph;
  agpu__emu_op *op;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (!result)
    result = agpu__emu_copy_node_make(params, context, &op);
  return result ? result
                : agpu__emu_graph_add(
                      graph, dependencies, count,
                      (agpu__emu_node){.op = op, .context = context}, node);
}

CUresult agpu__emu_fill_node_make(const CUDA_MEMSET_NODE_PARAMS *params,
                                  CUcontext context, agpu__emu_op **out_op) {
  if (!params || !agpu__emu_is_context(context) || !params->width ||
      !params->height ||
      (params->elementSize != 1 && params->elementSize != 2 &&
       params->elementSize != 4))
    return CUDA_ERROR_INVALID_VALUE;
  return agpu__emu_fill_make(
      params->dst, params->height > 1 ? params->pitch : 0, params->value,
      params->elementSize, params->width, params->height, out_op);
}

CUresult agpu__emu_cuGraphAddMemsetNode(CUgraphNode *node, CUgraph handle,
                                        const CUgraphNode *dependencies,
                                        size_t count,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context) {
  agpu__emu_graph *graph;
  agpu__emu_op *op;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (!result)
    result = agpu__emu_fill_node_make(params, context, &op);
  return result ? result
                : agpu__emu_graph_add(
                      graph, dependencies, count,
                      (agpu__emu_node){.op = op, .context = context}, node);
}

/// One that has copies of the nodes. NULL: out of memory.
static agpu__emu_graph *copy_nodes(agpu__emu_node *const *nodes, size_t count) {
  agpu__emu_graph *copy = create_graph();
  for (size_t i = 0; copy && i < count; ++i) {
    agpu__emu_node *node = agpu__emu_node_copy(nodes[i]);
    if (!node || !append(copy, node)) {
      if (node)
        agpu__emu_node_free(node);
      agpu__emu_graph_release(copy);
      return NULL;
    }
  }
  return copy;
}

agpu__emu_graph *agpu__emu_graph_of_exec(const agpu__emu_exec *of) {
  return copy_nodes(of->list.nodes, of->list.count);
}

CUresult agpu__emu_cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph handle,
                                            const CUgraphNode *dependencies,
                                            size_t count, CUgraph child) {
  agpu__emu_graph *graph;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (result)
    return result;
  const agpu__emu_graph *inner = agpu__emu_graph_find(child);
  if (!inner || inner == graph)
    return CUDA_ERROR_INVALID_VALUE;
  // "If childGraph contains allocation nodes, free nodes, or conditional nodes,
  // this call will return an error."
  if (agpu__emu_graph_has_memory(inner) ||
      agpu__emu_graph_has_conditions(inner)) {
    agpu__emu_note("a child graph allocates, frees or has conditions");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  agpu__emu_graph *copy = copy_nodes(inner->nodes, inner->count);
  if (!copy)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return agpu__emu_graph_add(graph, dependencies, count,
                             (agpu__emu_node){.child = copy}, node);
}
