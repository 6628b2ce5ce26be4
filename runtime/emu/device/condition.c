//===- condition.c - Conditions of graphs ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that kernels set and conditional nodes ask for, and what a graph has
// to know of these nodes: whose handles end with it, and what may stand in
// their bodies.
//
//===----------------------------------------------------------------------===//

#include "emu/device/conditional.h"

#include "async_gpu/compiled/native_thread.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/result.h"
#include "emu/memory/memory.h"

#include <stdlib.h>

/// No condition goes while this is held: kernels set conditions without the
/// lock of graphs.
static agpu__mutex lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_CONDITIONS);

agpu__emu_condition *agpu__emu_condition_find(CUgraphConditionalHandle handle) {
  return agpu__emu_handle_find(AGPU__EMU_CONDITION,
                               (const void *)(uintptr_t)handle);
}

void agpu__emu_condition_retain(agpu__emu_condition *condition) {
  atomic_fetch_add_explicit(&condition->references, 1, memory_order_relaxed);
}

void agpu__emu_condition_release(agpu__emu_condition *condition) {
  if (atomic_fetch_sub_explicit(&condition->references, 1,
                                memory_order_acq_rel) != 1)
    return;
  agpu__mutex_lock(&lock);
  (void)agpu__emu_handle_take(AGPU__EMU_CONDITION,
                              (const void *)(uintptr_t)condition->handle);
  free(condition);
  agpu__mutex_unlock(&lock);
}

CUresult agpu__emu_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out,
                                                  CUgraph handle,
                                                  CUcontext context,
                                                  unsigned int value,
                                                  unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_graph *graph = agpu__emu_handle_find(AGPU__EMU_GRAPH, handle);
  if (!out || !graph || !agpu__emu_is_context(context) ||
      (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_condition *made = calloc(1, sizeof *made);
  void *number =
      made ? agpu__emu_handle_create(AGPU__EMU_CONDITION, made) : NULL;
  if (!number) {
    free(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  made->handle = (CUgraphConditionalHandle)(uintptr_t)number;
  made->context = context;
  made->default_value = value;
  made->has_default = flags & CU_GRAPH_COND_ASSIGN_DEFAULT;
  atomic_init(&made->references, 1);
  SLIST_INSERT_HEAD(&graph->conditions, made, link);
  *out = made->handle;
  return CUDA_SUCCESS;
}

bool agpu__emu_conditions_are_used(const agpu__emu_graph *graph) {
  const agpu__emu_condition *at;
  bool good = true;
  SLIST_FOREACH (at, &graph->conditions, link)
    good = good && at->is_used;
  if (!good)
    agpu__emu_note("a conditional handle has no node");
  for (size_t i = 0; i < graph->count && good; ++i)
    if (graph->nodes[i]->body)
      good = agpu__emu_conditions_are_used(graph->nodes[i]->body);
  return good;
}

bool agpu__emu_graph_has_conditions(const agpu__emu_graph *graph) {
  return !SLIST_EMPTY(&graph->conditions);
}

void agpu__emu_conditions_begin(const agpu__emu_graph *graph) {
  agpu__emu_condition *at;
  SLIST_FOREACH (at, &graph->conditions, link)
    if (at->has_default)
      atomic_store_explicit(&at->value, at->default_value,
                            memory_order_relaxed);
}

void agpu_native_set_condition(uint64_t handle, uint32_t value) {
  CUcontext own = agpu__emu_get_context();
  // A kernel that is checked runs with a lock behind which that of graphs,
  // which enqueue, must not be taken.
  agpu__mutex_lock(&lock);
  agpu__emu_condition *of = agpu__emu_condition_find(handle);
  bool is_known = of && of->context == own;
  if (is_known)
    atomic_store_explicit(&of->value, value, memory_order_relaxed);
  agpu__mutex_unlock(&lock);
  if (is_known)
    return;
  agpu__emu_note("a kernel sets a condition that is none of its context");
  agpu__emu_set_error(CUDA_ERROR_ILLEGAL_ADDRESS);
}

bool agpu__emu_may_stand_in_body(const agpu__emu_node *node) {
  const agpu__emu_op *op = node->op;
  if (!op)
    return true; // a child graph, which has been looked at
  switch (op->kind) {
  case AGPU__EMU_OP_KERNEL:
  case AGPU__EMU_OP_FILL:
  case AGPU__EMU_OP_CONDITIONAL: return true;
  case AGPU__EMU_OP_COPY:
    if (!agpu__emu_memory_is_pageable(op->copy.target.at, 1) &&
        !agpu__emu_memory_is_pageable(op->copy.source.at, 1))
      return true;
    agpu__emu_note("a conditional node's body copies pageable memory");
    return false;
  default:
    agpu__emu_note("a conditional node's body may have kernels, copies, "
                   "fills, child graphs and conditional nodes only");
    return false;
  }
}

void agpu__emu_body_end(agpu__emu_node *node) {
  if (!node->body)
    return;
  (void)agpu__emu_handle_take(AGPU__EMU_GRAPH, node->body->handle);
  for (size_t i = 0; i < node->body->count; ++i) {
    agpu__emu_node *inner = node->body->nodes[i];
    (void)agpu__emu_handle_take(AGPU__EMU_NODE, inner->handle);
    inner->handle = NULL;
    agpu__emu_body_end(inner);
  }
}
