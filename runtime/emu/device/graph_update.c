//===- graph_update.c - Executable graphs that change ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes keep to one kind of work and of memory when their parameters change,
// and those of a child graph to their order and edges.
//
//===----------------------------------------------------------------------===//

#include "emu/device/graph.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/origin.h"
#include "emu/base/result.h"
#include "emu/device/event.h"
#include "emu/device/module.h"
#include "emu/memory/allocation.h"
#include "emu/memory/memory.h"

#include <string.h>

typedef agpu__emu_exec exec;

/// What the graph's node has become; NULL: it is none of its.
static agpu__emu_node *find_own(const exec *of,
                                const agpu__emu_node *original) {
  const agpu__emu_list *list = &of->list;
  if (original->graph != list->graph) {
    const agpu__emu_node *owner = original->graph->owner;
    const agpu__emu_node *own = owner ? find_own(of, owner) : NULL;
    list = own ? own->op->conditional.body : NULL;
  }
  return list ? list->nodes[list->places[original->index]] : NULL;
}

/// What an update begins with: the node of the executable graph that the
/// graph's node has become. INVALID_VALUE: it is none of its, or of another
/// kind.
static CUresult enter_node(CUgraphExec handle, CUgraphNode node,
                           agpu__emu_op_kind kind, exec **out_exec,
                           agpu__emu_node **out_own) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  exec *of = *out_exec = agpu__emu_exec_find(handle);
  const agpu__emu_node *original = agpu__emu_node_find(node);
  if (!of || !original || !original->op || original->op->kind != kind)
    return CUDA_ERROR_INVALID_VALUE;
  *out_own = find_own(of, original);
  return *out_own ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// Launches that are enqueued keep what they have.
static CUresult put_op(exec *of, agpu__emu_node *node, agpu__emu_op *op) {
  agpu__mutex_lock(&of->lock);
  agpu__emu_op_free(node->op);
  node->op = op;
  node->origin = agpu__emu_origin_now();
  agpu__mutex_unlock(&of->lock);
  return CUDA_SUCCESS;
}

/// A node stays in the context that it was added for: no driver says what
/// becomes of one that leaves it.
static CUresult check_context(const agpu__emu_node *own, CUcontext context) {
  if (own->context == context)
    return CUDA_SUCCESS;
  agpu__emu_note("an update of a node has another context");
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuGraphExecKernelNodeSetParams(
    CUgraphExec handle, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS *params) {
  exec *of;
  agpu__emu_node *own;
  agpu__emu_op *op;
  CUresult result = enter_node(handle, node, AGPU__EMU_OP_KERNEL, &of, &own);
  // "The owning context of the function cannot change."
  if (!result)
    result = check_context(own, agpu__emu_get_context());
  // Attributes stay what they were when the graph became executable.
  if (!result && params)
    result = agpu__emu_node_check_clusters(own->op, params);
  if (!result)
    result =
        agpu__emu_kernel_node_make(params, own->op->launch.cluster_dim, &op);
  if (result)
    return result;
  own->function = params->func;
  return put_op(of, own, op);
}

/// What a copy or a fill has at an address may not change into something else:
/// memory of a device, of the host that the driver knows, other memory.
static int classify(CUdeviceptr pointer) {
  if (agpu__emu_memory_is_near(pointer, 1))
    return agpu__emu_memory_slot_device(pointer);
  return agpu__emu_memory_is_pageable(pointer, 1) ? -1 : -2;
}

static bool is_one_row(const agpu__emu_rows *rows) {
  return rows->height == 1 && rows->depth == 1;
}

/// "Both the instantiation-time memory operands and the memory operands in
/// copyParams must be 1-dimensional."
static bool may_copy(const agpu__emu_op *before, const agpu__emu_op *now) {
  if (is_one_row(&now->copy.target) && is_one_row(&before->copy.target) &&
      classify(now->copy.target.at) == classify(before->copy.target.at) &&
      classify(now->copy.source.at) == classify(before->copy.source.at))
    return true;
  agpu__emu_note("an update of a copy has several rows or another kind of "
                 "memory");
  return false;
}

static bool may_fill(const agpu__emu_op *before, const agpu__emu_op *now) {
  if (is_one_row(&now->fill.target) && is_one_row(&before->fill.target) &&
      now->fill.element_bytes == before->fill.element_bytes &&
      classify(now->fill.target.at) == classify(before->fill.target.at))
    return true;
  agpu__emu_note("an update of a fill has several rows, another size of "
                 "elements or another kind of memory");
  return false;
}

CUresult agpu__emu_cuGraphExecMemcpyNodeSetParams(CUgraphExec handle,
                                                  CUgraphNode node,
                                                  const CUDA_MEMCPY3D *params,
                                                  CUcontext context) {
  exec *of;
  agpu__emu_node *own;
  agpu__emu_op *op;
  CUresult result = enter_node(handle, node, AGPU__EMU_OP_COPY, &of, &own);
  if (!result)
    result = check_context(own, context);
  if (!result)
    result = agpu__emu_copy_node_make(params, context, &op);
  if (result)
    return result;
  if (!may_copy(own->op, op)) {
    agpu__emu_op_free(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return put_op(of, own, op);
}

CUresult
agpu__emu_cuGraphExecMemsetNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                         const CUDA_MEMSET_NODE_PARAMS *params,
                                         CUcontext context) {
  exec *of;
  agpu__emu_node *own;
  agpu__emu_op *op;
  CUresult result = enter_node(handle, node, AGPU__EMU_OP_FILL, &of, &own);
  if (!result)
    result = check_context(own, context);
  if (!result)
    result = agpu__emu_fill_node_make(params, context, &op);
  if (result)
    return result;
  if (!may_fill(own->op, op)) {
    agpu__emu_op_free(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return put_op(of, own, op);
}

CUresult agpu__emu_cuGraphExecEventRecordNodeSetEvent(CUgraphExec handle,
                                                      CUgraphNode node,
                                                      CUevent event) {
  exec *of;
  agpu__emu_node *own;
  CUresult result = enter_node(handle, node, AGPU__EMU_OP_RECORD, &of, &own);
  CUcontext context = agpu__emu_event_context(event);
  if (!result && !context)
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    result = check_context(own, context);
  if (result)
    return result;
  agpu__mutex_lock(&of->lock);
  own->event = event;
  agpu__mutex_unlock(&of->lock);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Child graphs
//===----------------------------------------------------------------------===//

/// What is left as it is need not be of one row.
static bool is_same(const agpu__emu_op *a, const agpu__emu_op *b) {
  if (a->kind == AGPU__EMU_OP_COPY)
    return memcmp(&a->copy, &b->copy, sizeof a->copy) == 0;
  return a->kind == AGPU__EMU_OP_FILL &&
         memcmp(&a->fill, &b->fill, sizeof a->fill) == 0;
}

static bool may_become(const agpu__emu_op *before, const agpu__emu_op *now) {
  if (before->kind != now->kind)
    return false;
  if (is_same(before, now))
    return true;
  switch (now->kind) {
  case AGPU__EMU_OP_COPY: return may_copy(before, now);
  case AGPU__EMU_OP_FILL: return may_fill(before, now);
  case AGPU__EMU_OP_KERNEL:
  case AGPU__EMU_OP_HOST:
  case AGPU__EMU_OP_WRITE: return true;
  default: return false;
  }
}

/// Whether the nodes from `*place` on may do what `now` says, which has the
/// nodes of `before`, in the same order and with the same edges; with `puts`,
/// they do, as far as there is memory.
static CUresult become(exec *of, const agpu__emu_graph *before,
                       const agpu__emu_graph *now, size_t *place, bool puts) {
  CUresult result =
      before->count == now->count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < before->count && !result; ++i) {
    const agpu__emu_node *a = before->nodes[i], *b = now->nodes[i];
    if (!a->child != !b->child || a->dependency_count != b->dependency_count ||
        (a->dependency_count &&
         memcmp(a->dependencies, b->dependencies,
                a->dependency_count * sizeof *a->dependencies) != 0))
      return CUDA_ERROR_INVALID_VALUE;
    if (a->child) {
      result = become(of, a->child, b->child, place, puts);
      continue;
    }
    agpu__emu_node *own = of->list.nodes[(*place)++];
    if (own->context != b->context || !may_become(own->op, b->op))
      return CUDA_ERROR_INVALID_VALUE;
    agpu__emu_op *op = puts ? agpu__emu_op_copy(b->op) : NULL;
    if (puts && !op)
      return CUDA_ERROR_OUT_OF_MEMORY;
    if (puts) {
      own->function = b->function;
      (void)put_op(of, own, op);
      own->origin = b->origin;
    }
  }
  return result;
}

CUresult agpu__emu_cuGraphExecChildGraphNodeSetParams(CUgraphExec handle,
                                                      CUgraphNode node,
                                                      CUgraph child) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  exec *of = agpu__emu_exec_find(handle);
  const agpu__emu_node *original = agpu__emu_node_find(node);
  const agpu__emu_graph *now = agpu__emu_graph_find(child);
  if (!of || !original || !original->child || !now ||
      original->graph != of->list.graph)
    return CUDA_ERROR_INVALID_VALUE;
  // "The topology of childGraph, as well as the node insertion order, must
  // match that of the graph contained in hNode."
  size_t first = of->list.places[original->index], place = first;
  result = become(of, original->child, now, &place, false);
  if (result) {
    agpu__emu_note("an update of a child graph has other nodes or edges, or "
                   "one of its nodes cannot change so");
    return result;
  }
  return become(of, original->child, now, &first, true);
}
