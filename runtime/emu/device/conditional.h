//===- conditional.h - Loops and branches on the device --------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A conditional node runs its body, a graph, once (IF) or again and again
// (WHILE) as long as its condition is not 0, which kernels set. The condition
// is known to kernels by a handle.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_CONDITIONAL_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_CONDITIONAL_H

#include "emu/base/random.h"
#include "emu/device/graph.h"

typedef struct agpu__emu_condition {
  SLIST_ENTRY(agpu__emu_condition) link; ///< of its graph
  atomic_uint references;                ///< of the graph, and of ops
  CUgraphConditionalHandle handle;
  CUcontext context;
  unsigned default_value;
  bool has_default;  ///< each execution of the graph begins with that
  bool is_used;      ///< by a node
  atomic_uint value; // relaxed: edges of the graph order who sets and who asks
} agpu__emu_condition;

/// NULL: there is no such handle.
agpu__emu_condition *agpu__emu_condition_find(CUgraphConditionalHandle handle);

void agpu__emu_condition_retain(agpu__emu_condition *condition);
void agpu__emu_condition_release(agpu__emu_condition *condition);

/// Whether each condition of the graph and of the bodies in it has a node; says
/// so if not.
bool agpu__emu_conditions_are_used(const agpu__emu_graph *graph);

/// Whether the graph or a body in it has any.
bool agpu__emu_graph_has_conditions(const agpu__emu_graph *graph);

/// Whether a node that does what `node` says may stand in a body; says so if
/// not.
bool agpu__emu_may_stand_in_body(const agpu__emu_node *node);

/// The graph is destroyed: no handle of what is in the node's body is one any
/// more.
void agpu__emu_body_end(agpu__emu_node *node);

/// Frees what a body does (NULL: nothing).
void agpu__emu_list_free(agpu__emu_list *list);

/// An execution of the graph begins.
void agpu__emu_conditions_begin(const agpu__emu_graph *graph);

/// An op that begins one; NULL: out of memory.
agpu__emu_op *agpu__emu_begin_make(agpu__emu_graph *graph);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_CONDITIONAL_H
