//===- conditional.c - Loops and branches in graphs ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conditional node is one piece of its stream's work. The stream's thread
// asks for the condition, and calls the driver for the nodes of the body, whose
// work it does at once: one behind the other, in an order that is drawn.
//
//===----------------------------------------------------------------------===//

#include "driver/graph.h"
#include "machine/host.h"

#include <stdlib.h>

struct ptx_condition {
  struct ptx_condition *next; ///< of all there ever were
  CUgraph graph;
  CUcontext context;
  bool has_default, is_used;
  unsigned default_value;
  _Atomic(unsigned) value;
};

static ptx_condition *conditions; ///< under ptx_lock

/// NULL: no graph has that handle.
static ptx_condition *find(CUgraphConditionalHandle handle) {
  pthread_mutex_lock(&ptx_lock);
  ptx_condition *at = conditions;
  while (at && (uintptr_t)at != handle)
    at = at->next;
  pthread_mutex_unlock(&ptx_lock);
  if (!at)
    return NULL;
  CUgraph whole = at->graph;
  while (whole->owner)
    whole = whole->owner->graph;
  // What is executable, or enqueued, outlives its graph.
  return whole->is_alive || whole->execs || whole->pending ? at : NULL;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle,
                                        CUgraph graph, CUcontext context,
                                        unsigned int value,
                                        unsigned int flags) {
  CUresult result = ptx_enter_graph(graph);
  if (result)
    return result;
  if (!handle || context != graph->context ||
      flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)
    return CUDA_ERROR_INVALID_VALUE;
  ptx_condition *made = ptx_graph_allocate(sizeof *made);
  made->graph = graph;
  made->context = context;
  made->has_default = flags & CU_GRAPH_COND_ASSIGN_DEFAULT;
  made->default_value = value;
  pthread_mutex_lock(&ptx_lock);
  made->next = conditions;
  conditions = made;
  pthread_mutex_unlock(&ptx_lock);
  graph->has_conditions = true;
  *handle = (uintptr_t)made;
  return CUDA_SUCCESS;
}

bool ptx_conditions_are_used(CUgraph graph) {
  bool result = true;
  pthread_mutex_lock(&ptx_lock);
  for (const ptx_condition *at = conditions; at; at = at->next)
    result = result && (at->graph != graph || at->is_used);
  pthread_mutex_unlock(&ptx_lock);
  for (size_t i = 0; i < graph->count && result; ++i)
    result = !graph->nodes[i]->body ||
             ptx_conditions_are_used(graph->nodes[i]->body);
  return result;
}

/// "Applied at the beginning of each graph execution."
static void begin(CUgraph graph) {
  pthread_mutex_lock(&ptx_lock);
  for (ptx_condition *at = conditions; at; at = at->next)
    if (at->graph == graph && at->has_default)
      at->value = at->default_value;
  pthread_mutex_unlock(&ptx_lock);
}

bool ptx_condition_set(int device, uint64_t handle, uint32_t value) {
  ptx_condition *of = find(handle);
  if (!of || of->context->device != device)
    return false;
  of->value = value;
  return true;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether the handle is of that graph or of one around it.
static bool is_of(const ptx_condition *condition, CUgraph graph) {
  while (graph != condition->graph && graph->owner)
    graph = graph->owner->graph;
  return graph == condition->graph;
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                        const CUgraphNode *dependencies, size_t count,
                        CUgraphNodeParams *params) {
  CUresult result = ptx_check_dependencies(graph, dependencies, count);
  if (result)
    return result;
  if (!node || !params)
    return CUDA_ERROR_INVALID_VALUE;
  if (params->type != CU_GRAPH_NODE_TYPE_CONDITIONAL)
    return CUDA_ERROR_NOT_SUPPORTED; // others have functions of their own
  CUDA_CONDITIONAL_NODE_PARAMS *of = &params->conditional;
  ptx_condition *condition = find(of->handle);
  if (!condition || condition->is_used || !is_of(condition, graph) ||
      of->size != 1 || of->ctx != condition->context ||
      (of->type != CU_GRAPH_COND_TYPE_IF &&
       of->type != CU_GRAPH_COND_TYPE_WHILE))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraph body = ptx_graph_allocate(sizeof *body);
  *node = ptx_add_node(graph, dependencies, count, CONDITIONAL);
  body->is_alive = true;
  body->context = graph->context;
  body->owner = *node;
  (*node)->body = body;
  (*node)->condition = condition;
  (*node)->is_loop = of->type == CU_GRAPH_COND_TYPE_WHILE;
  condition->is_used = true;
  of->phGraph_out = &(*node)->body;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

typedef struct conditional_work {
  ptx_work work;
  CUgraph body, whole; ///< its own; of the launch
  ptx_condition *condition;
  bool is_loop;
  uint64_t random;
} conditional_work;

static void run_conditional(ptx_work *work) {
  conditional_work *own = (conditional_work *)work;
  CUcontext context = work->stream->context;
  CUstream before = ptx_perform_here(work->stream);
  CUresult result = cuCtxSetCurrent(context);
  bool is_over = false;
  while (!is_over && !result && !ptx_get_error(context) &&
         own->condition->value) {
    begin(own->body->original);
    result = ptx_run_graph(own->body, work->stream, &own->random);
    is_over = !own->is_loop;
  }
  ptx_perform_here(before);
  if (result)
    ptx_set_error(context, result, "a conditional node's body cannot run");
  --own->whole->pending;
}

CUresult ptx_enqueue_conditional(const struct CUgraphNode_st *node,
                                 CUstream stream, uint64_t *random) {
  conditional_work *work = ptx_new_work(sizeof *work, run_conditional);
  CUgraph whole = node->body->original;
  while (whole->owner)
    whole = whole->owner->graph;
  work->body = ptx_copy_graph(node->body);
  work->whole = whole;
  work->condition = node->condition;
  work->is_loop = node->is_loop;
  work->random = *random;
  ++whole->pending;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

typedef struct begin_work {
  ptx_work work;
  CUgraph graph;
} begin_work;

static void run_begin(ptx_work *work) { begin(((begin_work *)work)->graph); }

void ptx_enqueue_begin(CUgraph graph, CUstream stream) {
  if (!graph->has_conditions)
    return;
  begin_work *work = ptx_new_work(sizeof *work, run_begin);
  work->graph = graph;
  ptx_enqueue(stream, &work->work);
}
