//===- graph_exec.c - Executable graphs -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may be executable is checked when it becomes so: that what a graph frees
// depends on what allocates it, that kernels are loaded. Nodes keep to one kind
// of work and of memory when their parameters change.
//
//===----------------------------------------------------------------------===//

#include "emu/device/graph.h"

#include "base/os/self.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/origin.h"
#include "emu/base/result.h"
#include "emu/device/conditional.h"
#include "emu/device/event.h"
#include "emu/device/module.h"
#include "emu/device/stream.h"
#include "emu/memory/allocation.h"
#include "emu/memory/memory.h"

#include <stdlib.h>
#include <string.h>

typedef agpu__emu_exec exec;

static LIST_HEAD(, agpu__emu_exec) execs
    AGPU__GUARDED_BY(agpu__emu_graphs_lock);

agpu__emu_exec *agpu__emu_exec_find(CUgraphExec handle) {
  return agpu__emu_handle_find(AGPU__EMU_EXEC, handle);
}

//===----------------------------------------------------------------------===//
// Instantiation
//===----------------------------------------------------------------------===//

/// Places in an executable graph that something depends on.
typedef struct places {
  size_t *data;
  size_t count;
} places;

static bool add_place(places *to, size_t place) {
  for (size_t i = 0; i < to->count; ++i)
    if (to->data[i] == place)
      return true;
  size_t *grown = realloc(to->data, (to->count + 1) * sizeof *grown);
  if (!grown)
    return false;
  to->data = grown;
  to->data[to->count++] = place;
  return true;
}

static agpu__emu_list *make_list(agpu__emu_graph *graph, size_t *next);

/// Gives a conditional node what it runs. False: out of memory.
static bool take_body(agpu__emu_node *copy, agpu__emu_graph *body,
                      size_t *next) {
  copy->op->conditional.number = copy->number;
  copy->op->conditional.body = make_list(body, next);
  return copy->op->conditional.body;
}

/// Appends the nodes of `graph` after `before`, with numbers from `*next` on;
/// NULL: it is a child graph. `out_ends`: those that nothing in it depends on.
/// False: out of memory.
static bool flatten(agpu__emu_list *to, const agpu__emu_graph *graph,
                    const places *before, size_t *next, places *out_ends) {
  places *ends = calloc(graph->count + 1, sizeof *ends); // of each node
  bool *is_inner = calloc(graph->count + 1, sizeof *is_inner);
  bool fits = ends && is_inner;
  for (size_t i = 0; fits && i < graph->count; ++i) {
    const agpu__emu_node *node = graph->nodes[i];
    places behind = {0};
    for (size_t k = 0; k < node->dependency_count; ++k) {
      const places *of = &ends[node->dependencies[k]];
      is_inner[node->dependencies[k]] = true;
      for (size_t n = 0; n < of->count; ++n)
        fits = fits && add_place(&behind, of->data[n]);
    }
    if (!node->dependency_count)
      for (size_t n = 0; n < before->count; ++n)
        fits = fits && add_place(&behind, before->data[n]);
    size_t number = next ? (*next)++ : SIZE_MAX;
    if (next)
      to->places[i] = to->count;
    if (node->child) {
      size_t first = to->count;
      fits = fits && flatten(to, node->child, &behind, NULL, &ends[i]);
      bool is_empty = to->count == first;
      if (fits && next && !is_empty)
        to->nodes[to->count - 1]->number = number;
      // An empty one hands on its dependencies.
      for (size_t n = 0; is_empty && n < behind.count; ++n)
        fits = fits && add_place(&ends[i], behind.data[n]);
      free(behind.data);
      continue;
    }
    agpu__emu_node *copy = fits ? agpu__emu_node_copy(node) : NULL;
    if (copy)
      copy->number = graph->is_captured ? SIZE_MAX : number;
    if (copy && node->body && !take_body(copy, node->body, next)) {
      agpu__emu_node_free(copy);
      copy = NULL;
    }
    agpu__emu_node **grown =
        copy ? realloc(to->nodes, (to->count + 1) * sizeof *to->nodes) : NULL;
    if (grown) {
      to->nodes = grown;
      free(copy->dependencies);
      copy->dependencies = behind.data;
      copy->dependency_count = behind.count;
      fits = add_place(&ends[i], to->count);
      to->nodes[to->count++] = copy;
    } else {
      if (copy)
        agpu__emu_node_free(copy);
      free(behind.data);
      fits = false;
    }
  }
  for (size_t i = 0; ends && i < graph->count; ++i) {
    for (size_t n = 0; fits && !is_inner[i] && n < ends[i].count; ++n)
      fits = add_place(out_ends, ends[i].data[n]);
    free(ends[i].data);
  }
  free(ends);
  free(is_inner);
  return fits;
}

/// Fills an empty list with what `graph` does. False: out of memory.
static bool fill_list(agpu__emu_list *to, agpu__emu_graph *graph,
                      size_t *next) {
  places none = {0}, ends = {0};
  to->graph = graph;
  agpu__emu_graph_retain(graph);
  to->places = calloc(graph->count + 1, sizeof *to->places);
  bool fits = to->places && flatten(to, graph, &none, next, &ends);
  // A trace knows of a captured graph as a whole.
  if (fits && graph->is_captured && to->count)
    to->nodes[to->count - 1]->number = 0;
  free(ends.data);
  return fits;
}

static agpu__emu_list *make_list(agpu__emu_graph *graph, size_t *next) {
  agpu__emu_list *made = calloc(1, sizeof *made);
  if (!made || fill_list(made, graph, next))
    return made;
  agpu__emu_list_free(made);
  return NULL;
}

/// A new lane of the context, or where there are enough, one that it has.
static unsigned add_lane(exec *of, CUcontext context, size_t number) {
  for (unsigned i = 0;
       of->lane_count >= AGPU__EMU_MOST_CHAINS && i < of->lane_count; ++i) {
    unsigned lane = (unsigned)((number + i) % of->lane_count);
    if (of->contexts[lane] == context)
      return lane;
  }
  of->contexts[of->lane_count] = context;
  return of->lane_count++;
}

/// Gives each node a lane of its context: that of one that it depends on and
/// that ends there, or else a new one. The first is of the launch's stream.
static bool choose_lanes(exec *of) {
  size_t ends[AGPU__EMU_MOST_LANES]; // the last node on each, + 1
  of->lanes = calloc(of->list.count + 1, sizeof *of->lanes);
  of->is_awaited = calloc(of->list.count + 1, sizeof *of->is_awaited);
  if (!of->lanes || !of->is_awaited)
    return false;
  bool is_first_free = true;
  ends[add_lane(of, of->context, 0)] = 0;
  for (size_t i = 0; i < of->list.count; ++i) {
    const agpu__emu_node *node = of->list.nodes[i];
    CUcontext context = node->context ? node->context : of->context;
    unsigned lane = AGPU__EMU_MOST_LANES;
    for (size_t k = 0; k < node->dependency_count; ++k) {
      size_t before = node->dependencies[k];
      unsigned end = of->lanes[before];
      if (lane == AGPU__EMU_MOST_LANES && ends[end] == before + 1 &&
          of->contexts[end] == context)
        lane = end;
    }
    bool takes_first = is_first_free && context == of->context;
    if (lane == AGPU__EMU_MOST_LANES)
      lane = takes_first ? 0 : add_lane(of, context, i);
    is_first_free &= lane != 0;
    of->lanes[i] = lane;
    ends[lane] = i + 1;
    for (size_t k = 0; k < node->dependency_count; ++k)
      if (of->lanes[node->dependencies[k]] != lane)
        of->is_awaited[node->dependencies[k]] = true;
  }
  return true;
}

/// Whether node `to` depends on node `from`.
static bool is_behind(const exec *of, size_t to, size_t from) {
  bool *reached = calloc(of->list.count, sizeof *reached);
  bool result = false;
  if (!reached)
    return false;
  reached[from] = true;
  for (size_t i = from + 1; i <= to; ++i)
    for (size_t k = 0; k < of->list.nodes[i]->dependency_count; ++k)
      reached[i] = reached[i] || reached[of->list.nodes[i]->dependencies[k]];
  result = reached[to];
  free(reached);
  return result;
}

size_t agpu__emu_exec_find_memory(const agpu__emu_exec *of,
                                  agpu__emu_op_kind kind, CUdeviceptr pointer) {
  size_t i = 0;
  while (i < of->list.count && (of->list.nodes[i]->op->kind != kind ||
                                of->list.nodes[i]->op->pointer != pointer))
    ++i;
  return i;
}

/// What a graph frees that it has allocated itself, it frees after that.
static CUresult check_memory(const exec *of) {
  for (size_t i = 0; i < of->list.count; ++i) {
    const agpu__emu_op *op = of->list.nodes[i]->op;
    if (op->kind != AGPU__EMU_OP_FREE)
      continue;
    size_t made =
        agpu__emu_exec_find_memory(of, AGPU__EMU_OP_ALLOC, op->pointer);
    if (made < of->list.count && (made > i || !is_behind(of, i, made))) {
      agpu__emu_note("a graph frees memory that it does not allocate before");
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  return CUDA_SUCCESS;
}

static bool has_functions(const agpu__emu_list *list) {
  bool result = true;
  for (size_t i = 0; i < list->count && result; ++i) {
    const agpu__emu_node *node = list->nodes[i];
    if (node->op->kind == AGPU__EMU_OP_KERNEL)
      result = agpu__emu_function_find(node->function);
    else if (node->op->kind == AGPU__EMU_OP_CONDITIONAL)
      result = has_functions(node->op->conditional.body);
  }
  return result;
}

CUresult agpu__emu_exec_check_functions(const agpu__emu_exec *of) {
  if (has_functions(&of->list))
    return CUDA_SUCCESS;
  agpu__emu_note("a node's kernel has been unloaded");
  return CUDA_ERROR_INVALID_HANDLE;
}

static void free_exec(exec *old) AGPU__REQUIRES(agpu__emu_graphs_lock) {
  for (unsigned i = 1; i < AGPU__EMU_MOST_LANES; ++i)
    if (old->streams[i])
      (void)agpu__emu_stream_end(old->streams[i]);
  for (size_t i = 0; i < old->list.count; ++i)
    agpu__emu_node_free(old->list.nodes[i]);
  if (old->list.graph) {
    --old->list.graph->execs;
    agpu__emu_graph_release(old->list.graph);
  }
  agpu__mutex_lock(&old->lock);
  agpu__emu_marker_release(old->last);
  agpu__mutex_unlock(&old->lock);
  agpu__mutex_destroy(&old->lock);
  free(old->list.nodes);
  free(old->list.places);
  free(old->lanes);
  free(old->is_awaited);
  free(old);
}

static CUresult fill_in(exec *of, agpu__emu_graph *graph)
    AGPU__REQUIRES(agpu__emu_graphs_lock) {
  ++graph->execs;
  of->context = agpu__emu_get_context();
  size_t next = 0;
  if (!fill_list(&of->list, graph, &next) || !choose_lanes(of))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (!agpu__emu_conditions_are_used(graph))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = agpu__emu_exec_check_functions(of);
  return result ? result : check_memory(of);
}

CUresult agpu__emu_cuGraphInstantiate(CUgraphExec *out, CUgraph handle,
                                      unsigned long long flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_graph *graph = agpu__emu_graph_find(handle);
  if (!graph || graph->owner || !out ||
      (flags &
       ~(unsigned long long)(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                             CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)))
    return CUDA_ERROR_INVALID_VALUE;
  if (graph->execs && agpu__emu_graph_has_memory(graph)) {
    agpu__emu_note("a graph that allocates or frees is executable once only");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  exec *made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  agpu__mutex_init(&made->lock, AGPU__RANK_EMU_EXEC);
  made->frees_on_launch =
      flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  agpu__mutex_lock(&agpu__emu_graphs_lock);
  result = fill_in(made, graph);
  if (!result) {
    made->handle = agpu__emu_handle_create(AGPU__EMU_EXEC, made);
    result = made->handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result) {
    free_exec(made);
  } else {
    LIST_INSERT_HEAD(&execs, made, link);
    atomic_fetch_add(&agpu__emu_get_counts(made->context)->execs, 1);
    *out = made->handle;
  }
  agpu__mutex_unlock(&agpu__emu_graphs_lock);
  return result;
}

CUresult agpu__emu_cuGraphExecDestroy(CUgraphExec handle) {
  CUresult result = agpu__emu_enter();
  agpu__mutex_lock(&agpu__emu_graphs_lock);
  exec *old = agpu__emu_handle_take(AGPU__EMU_EXEC, handle);
  if (old) {
    LIST_REMOVE(old, link);
    atomic_fetch_sub(&agpu__emu_get_counts(old->context)->execs, 1);
    free_exec(old);
  }
  agpu__mutex_unlock(&agpu__emu_graphs_lock);
  return old ? result : CUDA_ERROR_INVALID_VALUE;
}

void agpu__emu_execs_end(CUcontext context) {
  agpu__mutex_lock(&agpu__emu_graphs_lock);
  for (exec *at = LIST_FIRST(&execs), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    for (unsigned i = 1; i < at->lane_count; ++i)
      if (at->contexts[i] == context)
        at->streams[i] = NULL; // it has ended with its context
    if (at->context != context)
      continue;
    LIST_REMOVE(at, link);
    (void)agpu__emu_handle_take(AGPU__EMU_EXEC, at->handle);
    free_exec(at);
  }
  agpu__mutex_unlock(&agpu__emu_graphs_lock);
}

CUresult agpu__emu_cuGraphAddHostNode(CUgraphNode *node, CUgraph handle,
                                      const CUgraphNode *dependencies,
                                      size_t count,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  agpu__emu_graph *graph;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (!result && (!params || !params->fn))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result)
    return result;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_HOST, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->host.function = params->fn;
  op->host.user_data = params->userData;
  return agpu__emu_graph_add(graph, dependencies, count,
                             (agpu__emu_node){.op = op}, node);
}

/// It runs in the context of its event.
CUresult agpu__emu_cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph handle,
                                             const CUgraphNode *dependencies,
                                             size_t count, CUevent event) {
  agpu__emu_graph *graph;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  CUcontext context = agpu__emu_event_context(event);
  if (!result && !context)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result)
    return result;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_RECORD, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return agpu__emu_graph_add(
      graph, dependencies, count,
      (agpu__emu_node){.op = op, .event = event, .context = context}, node);
}

CUresult agpu__emu_cuDeviceGraphMemTrim(CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  agpu__emu_memory_trim_graphs(device);
  return CUDA_SUCCESS;
}
