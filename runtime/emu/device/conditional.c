//===- conditional.c - Loops and branches on the device -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body is work of its node's stream: its nodes run there one after the other,
// in an order that a seed draws among those that the edges allow. To the checks
// they are pieces of one op: what comes after the node is behind all of them.
//
//===----------------------------------------------------------------------===//

#include "emu/device/conditional.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/hooks.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static agpu__emu_list *copy_list(const agpu__emu_list *list) {
  agpu__emu_list *copy = calloc(1, sizeof *copy);
  if (!copy)
    return NULL;
  copy->graph = list->graph;
  agpu__emu_graph_retain(copy->graph);
  copy->nodes = calloc(list->count + 1, sizeof(*copy->nodes));
  bool fits = copy->nodes;
  while (fits && copy->count < list->count) {
    agpu__emu_node *node = agpu__emu_node_copy(list->nodes[copy->count]);
    fits = node;
    if (node)
      copy->nodes[copy->count++] = node;
  }
  if (fits)
    return copy;
  agpu__emu_list_free(copy);
  return NULL;
}

void agpu__emu_list_free(agpu__emu_list *list) {
  if (!list)
    return;
  for (size_t i = 0; i < list->count; ++i)
    agpu__emu_node_free(list->nodes[i]);
  if (list->graph)
    agpu__emu_graph_release(list->graph);
  free(list->nodes);
  free(list->places);
  free(list);
}

/// Whether all that the node is behind is done.
static bool is_ready(const agpu__emu_node *node, const bool *is_done) {
  bool result = true;
  for (size_t k = 0; k < node->dependency_count; ++k)
    result &= is_done[node->dependencies[k]];
  return result;
}

/// One of the nodes that may come next: the first, or one that a seed draws.
static size_t choose_next(const agpu__emu_list *body, const bool *is_done,
                          agpu__emu_random *random) {
  size_t chosen = body->count, ready = 0;
  bool draws = agpu__emu_get_settings()->seeded;
  for (size_t i = 0; i < body->count; ++i)
    if (!is_done[i] && is_ready(body->nodes[i], is_done) &&
        (!ready++ || (draws && agpu__emu_random_next(random) % ready == 0)))
      chosen = i;
  return chosen;
}

/// A piece of `whole`. False: out of memory.
static bool run_node(const agpu__emu_node *node, const agpu__emu_op *whole,
                     uint64_t round, agpu__emu_random *random) {
  agpu__emu_op *op = agpu__emu_op_copy(node->op);
  if (!op)
    return false;
  op->is_part = true;
  op->origin = node->origin;
  op->round = round;
  if (whole->work && whole->conditional.number != SIZE_MAX &&
      node->number != SIZE_MAX)
    op->work = whole->work + node->number - whole->conditional.number;
  op->stamp = whole->stamp ? agpu__emu_stamp_retain(whole->stamp) : NULL;
  agpu__emu_op_enqueued(op);
  if (whole->timed)
    agpu__emu_hooks_table.part_begins(whole->timed, op);
  agpu__emu_op_run(op, random);
  return true;
}

static bool run_body(const agpu__emu_list *body, const agpu__emu_op *whole,
                     uint64_t round, bool *is_done, agpu__emu_random *random) {
  memset(is_done, 0, body->count);
  agpu__emu_conditions_begin(body->graph);
  bool fits = true;
  for (size_t i = 0; i < body->count && fits; ++i) {
    size_t next = choose_next(body, is_done, random);
    fits = run_node(body->nodes[next], whole, round, random);
    is_done[next] = true;
  }
  return fits;
}

/// Whether the body runs, or runs once more.
static bool ask(const agpu__emu_op *op) {
  if (agpu__emu_get_error() != CUDA_SUCCESS)
    return false;
  if (op->timed)
    agpu__emu_hooks_table.part_begins(op->timed, NULL);
  return atomic_load_explicit(&op->conditional.condition->value,
                              memory_order_relaxed);
}

static void run_conditional(const agpu__emu_op *op, agpu__emu_random *random) {
  const agpu__emu_list *body = op->conditional.body;
  bool *is_done = calloc(body->count + 1, sizeof *is_done);
  bool fits = is_done, is_over = false;
  if (op->timed)
    agpu__emu_hooks_table.op_runs();
  for (uint64_t round = 1; fits && !is_over && ask(op); ++round) {
    fits = run_body(body, op, round, is_done, random);
    is_over = !op->conditional.is_loop;
  }
  free(is_done);
  if (!fits)
    agpu__emu_set_error(CUDA_ERROR_OUT_OF_MEMORY);
  if (op->timed)
    agpu__emu_hooks_table.op_ran(op->timed);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A body of its own.
static bool copy_conditional(agpu__emu_op *copy) {
  const agpu__emu_list *body = copy->conditional.body;
  agpu__emu_condition_retain(copy->conditional.condition);
  copy->conditional.body = body ? copy_list(body) : NULL;
  return !body || copy->conditional.body;
}

static void free_conditional(const agpu__emu_op *op) {
  agpu__emu_condition_release(op->conditional.condition);
  agpu__emu_list_free(op->conditional.body);
}

static const agpu__emu_op_table conditional_table = {
    run_conditional, copy_conditional, free_conditional};

static void run_begin(const agpu__emu_op *op, agpu__emu_random *random) {
  (void)random;
  agpu__emu_conditions_begin(op->graph);
}

static bool copy_begin(agpu__emu_op *copy) {
  agpu__emu_graph_retain(copy->graph);
  return true;
}

static void free_begin(const agpu__emu_op *op) {
  agpu__emu_graph_release(op->graph);
}

agpu__emu_op *agpu__emu_begin_make(agpu__emu_graph *graph) {
  static const agpu__emu_op_table table = {run_begin, copy_begin, free_begin};
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_BEGIN, 0);
  if (!op)
    return NULL;
  op->table = &table;
  op->graph = graph;
  agpu__emu_graph_retain(graph);
  return op;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether the handle is one of that graph or of one around it.
static bool is_of(const agpu__emu_condition *condition,
                  const agpu__emu_graph *graph) {
  const agpu__emu_condition *at;
  for (; graph; graph = graph->owner ? graph->owner->graph : NULL)
    SLIST_FOREACH (at, &graph->conditions, link)
      if (at == condition)
        return true;
  return false;
}

/// The op of a node with that condition; its body comes when the graph becomes
/// executable.
static agpu__emu_op *make_op(agpu__emu_condition *condition, bool is_loop) {
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_CONDITIONAL, 0);
  if (!op)
    return NULL;
  op->table = &conditional_table;
  agpu__emu_condition_retain(condition);
  op->conditional.condition = condition;
  op->conditional.is_loop = is_loop;
  return op;
}

CUresult agpu__emu_cuGraphAddNode(CUgraphNode *node, CUgraph handle,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUgraphNodeParams *params) {
  agpu__emu_graph *graph;
  CUresult result =
      agpu__emu_graph_enter(handle, dependencies, count, node, &graph);
  if (!result && !params)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result)
    return result;
  if (params->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    agpu__emu_note("cuGraphAddNode adds conditional nodes here; for others "
                   "there are functions of their own");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  CUDA_CONDITIONAL_NODE_PARAMS *of = &params->conditional;
  agpu__emu_condition *condition = agpu__emu_condition_find(of->handle);
  if (!condition || condition->is_used || !is_of(condition, graph) ||
      of->size != 1 || of->ctx != condition->context ||
      (of->type != CU_GRAPH_COND_TYPE_IF &&
       of->type != CU_GRAPH_COND_TYPE_WHILE)) {
    agpu__emu_note("a conditional node has a handle that is used, of another "
                   "graph or context, or none, or another size than 1");
    return CUDA_ERROR_INVALID_VALUE;
  }
  agpu__emu_graph *body = agpu__emu_graph_create_body();
  agpu__emu_op *op =
      body ? make_op(condition, of->type == CU_GRAPH_COND_TYPE_WHILE) : NULL;
  if (!op) {
    if (body)
      agpu__emu_body_drop(body);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  result = agpu__emu_graph_add(
      graph, dependencies, count,
      (agpu__emu_node){.op = op, .context = of->ctx, .body = body}, node);
  if (result)
    return result;
  body->owner = agpu__emu_node_find(*node);
  body->context = of->ctx;
  condition->is_used = true;
  of->phGraph_out = &body->handle;
  return CUDA_SUCCESS;
}
