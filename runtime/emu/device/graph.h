//===- graph.h - Graphs of work --------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is a list of nodes, each after those that it depends on: the order
// in which they were added is one in which they may run. An executable graph
// has a copy of all, with child graphs taken apart.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_GRAPH_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_GRAPH_H

#include "base/sync/mutex.h"
#include "emu/base/context.h"
#include "emu/device/op.h"

#include <stdatomic.h>
#include <sys/queue.h>

typedef struct agpu__emu_graph agpu__emu_graph;
struct agpu__emu_condition;

typedef struct agpu__emu_node {
  CUgraphNode handle; ///< NULL: in a child graph or an executable one
  agpu__emu_graph *graph;
  size_t index;         ///< in the graph
  agpu__op_name origin; ///< of the call that added it
  size_t *dependencies; ///< indices, ascending
  size_t dependency_count;
  agpu__emu_op *op;       ///< what it does, in no stream; NULL: a child graph
  agpu__emu_graph *child; ///< its own copy
  agpu__emu_graph *body;  ///< of a conditional node: its own
  CUfunction function;    ///< of a kernel
  CUevent event;          ///< that it records, or NULL
  /// It runs there; NULL: where the graph is executable, as a host function is.
  CUcontext context;
  size_t bytes;  ///< of an allocation
  size_t number; ///< in an executable graph: what a trace calls it, or SIZE_MAX
} agpu__emu_node;

struct agpu__emu_graph {
  LIST_ENTRY(agpu__emu_graph) link;
  CUgraph handle; ///< NULL: a node's copy
  CUcontext context;
  const agpu__emu_node *owner; ///< whose body it is, or NULL
  SLIST_HEAD(, agpu__emu_condition) conditions;
  agpu__emu_node **nodes;
  size_t count, capacity;
  bool is_captured;
  unsigned execs;         ///< of it that there are
  atomic_uint references; ///< the program's, one for each of these, and ops'
};

/// Nodes in an order in which they may run, without child graphs.
typedef struct agpu__emu_list {
  agpu__emu_node **nodes;
  size_t count;
  size_t *places;         // of the graph's nodes in it; of a child graph: none
  agpu__emu_graph *graph; // whose they are: one reference
} agpu__emu_list;

/// For graphs, nodes and executable graphs: calls come from one thread at a
/// time, as the API asks for, but not those of different graphs.
extern agpu__mutex agpu__emu_graphs_lock;

/// The graph, or the node, with that handle; NULL: there is none.
agpu__emu_graph *agpu__emu_graph_find(CUgraph handle);
agpu__emu_node *agpu__emu_node_find(CUgraphNode handle);

/// Whether any of its nodes allocates or frees.
bool agpu__emu_graph_has_memory(const agpu__emu_graph *graph);

/// What every call that adds a node begins with, and the rest of it: the node
/// does what `of` says, whose op, child and body are taken over.
CUresult agpu__emu_graph_enter(CUgraph handle, const CUgraphNode *dependencies,
                               size_t count, const CUgraphNode *out,
                               agpu__emu_graph **out_graph);
CUresult agpu__emu_graph_add(agpu__emu_graph *graph,
                             const CUgraphNode *dependencies, size_t count,
                             agpu__emu_node of, CUgraphNode *out);

/// A graph for a conditional node, with a handle; NULL: out of memory. Undoes
/// that.
agpu__emu_graph *agpu__emu_graph_create_body(void);
void agpu__emu_body_drop(agpu__emu_graph *body);

void agpu__emu_graph_retain(agpu__emu_graph *graph);
void agpu__emu_graph_release(agpu__emu_graph *graph);

/// A copy of what a node does and waits for. NULL: out of memory.
agpu__emu_node *agpu__emu_node_copy(const agpu__emu_node *node);
void agpu__emu_node_free(agpu__emu_node *node);

/// The op that a node's parameters ask for.
CUresult agpu__emu_kernel_node_make(const CUDA_KERNEL_NODE_PARAMS *params,
                                    const unsigned *cluster,
                                    agpu__emu_op **out_op);
/// Whether the op of a kernel's node, whose clusters it keeps, may have them.
CUresult agpu__emu_node_check_clusters(const agpu__emu_op *op,
                                       const CUDA_KERNEL_NODE_PARAMS *params);
CUresult agpu__emu_copy_node_make(const CUDA_MEMCPY3D *params,
                                  CUcontext context, agpu__emu_op **out_op);
CUresult agpu__emu_fill_node_make(const CUDA_MEMSET_NODE_PARAMS *params,
                                  CUcontext context, agpu__emu_op **out_op);

/// Chains that run independently; others share the streams of their contexts,
/// each of which has one at least.
#define AGPU__EMU_MOST_CHAINS 32u
#define AGPU__EMU_MOST_LANES (AGPU__EMU_MOST_CHAINS + AGPU__EMU_MAX_CONTEXTS)

typedef struct agpu__emu_exec {
  LIST_ENTRY(agpu__emu_exec) link;
  CUgraphExec handle;
  CUcontext context;
  bool frees_on_launch;
  agpu__emu_list list;
  unsigned *lanes;  // of the nodes
  bool *is_awaited; // on another lane
  unsigned lane_count;
  CUcontext contexts[AGPU__EMU_MOST_LANES]; // of the lanes
  CUstream streams[AGPU__EMU_MOST_LANES];   // the first is that of the launch
  agpu__mutex lock;
  agpu__emu_marker *last AGPU__GUARDED_BY(lock); // the end of the last launch
} agpu__emu_exec;

/// The executable graph with that handle; NULL: there is none.
agpu__emu_exec *agpu__emu_exec_find(CUgraphExec handle);

/// The place of its op of that kind on `pointer`, or `count`.
size_t agpu__emu_exec_find_memory(const agpu__emu_exec *of,
                                  agpu__emu_op_kind kind, CUdeviceptr pointer);

/// INVALID_HANDLE, with a note, where a kernel has been unloaded.
CUresult agpu__emu_exec_check_functions(const agpu__emu_exec *of);

/// Destroys the graphs of the context that are left; no work is running.
/// Executable ones come first (agpu__emu_execs_end).
void agpu__emu_graphs_end(CUcontext context);

/// Destroys the executable graphs of the context that are left, before streams
/// are.
void agpu__emu_execs_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_GRAPH_H
