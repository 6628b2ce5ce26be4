//===- graph.h - Graphs of work, to build and to launch ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_DRIVER_GRAPH_H
#define ASYNC_GPU_TESTS_PTX_DRIVER_GRAPH_H

#include "driver/state.h"

typedef enum node_kind {
  KERNEL,
  COPY,
  FILL,
  ALLOC,
  FREE,
  CHILD,
  HOST,
  RECORD,
  CONDITIONAL,
} node_kind;

/// What a conditional node asks for.
typedef struct ptx_condition ptx_condition;

struct CUgraphNode_st {
  node_kind kind;
  CUgraph graph;
  size_t index; ///< in the graph
  size_t *after, after_count;
  CUcontext context; ///< where it runs; NULL: where the graph is launched
  CUDA_KERNEL_NODE_PARAMS kernel; ///< with its own copy of the parameters
  CUlaunchAttribute clusters;     ///< of the kernel
  bool has_clusters;
  CUDA_MEMCPY3D copy;
  CUDA_MEMSET_NODE_PARAMS fill;
  CUdeviceptr pointer;
  uint64_t bytes; ///< of an allocation
  CUgraph child;
  CUDA_HOST_NODE_PARAMS host;
  CUevent event; ///< that it records
  // Of a conditional node; the body is its own.
  CUgraph body;
  ptx_condition *condition;
  bool is_loop;
};

struct CUgraph_st {
  _Atomic(bool) is_alive;
  bool has_memory, has_conditions;
  CUcontext context;
  CUgraph original;  ///< of a copy: what it was made of first
  CUgraphNode owner; ///< whose body it is, or NULL
  CUgraphNode *nodes;
  size_t count;
  _Atomic(unsigned) execs;
  _Atomic(unsigned) pending; ///< conditional nodes that have been launched
};

struct CUgraphExec_st {
  bool is_alive, frees_on_launch;
  CUcontext context;
  CUgraph graph; ///< whose nodes its own are copies of
  CUgraph own;
  CUevent last; ///< behind the last launch
};

/// Memory, zeroed, that stays for good.
void *ptx_graph_allocate(size_t bytes);

/// Whether calls may use it.
CUresult ptx_enter_graph(CUgraph graph);

/// The same, with nodes that a new one is to be behind.
CUresult ptx_check_dependencies(CUgraph graph, const CUgraphNode *after,
                                size_t count);
CUgraphNode ptx_add_node(CUgraph graph, const CUgraphNode *after, size_t count,
                         node_kind kind);

/// Whether a node of the graph may be one of that context: a body's nodes are
/// all of one.
CUresult ptx_check_context(CUgraph graph, CUcontext context);

/// Of CUDA_HOST_NODE_PARAMS; of a graph whose copy is to be a child.
CUresult ptx_add_host_node(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *after, size_t count,
                           const void *of);
CUresult ptx_add_child_node(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *after, size_t count,
                            const void *of);

/// Of a node with these clusters, or none; values are copied. The others:
/// "Zero-length operations are not supported."
CUresult ptx_check_kernel(const CUDA_KERNEL_NODE_PARAMS *params,
                          const CUlaunchAttributeValue *clusters);
CUDA_KERNEL_NODE_PARAMS ptx_copy_kernel(const CUDA_KERNEL_NODE_PARAMS *params);
CUresult ptx_check_copy(const CUDA_MEMCPY3D *params);
CUresult ptx_check_fill(const CUDA_MEMSET_NODE_PARAMS *params);

/// What is there, and of which device; -1: of none that is known.
ptx_memory_kind ptx_graph_kind_at(CUdeviceptr address, int *out_device);

/// As it is now.
CUgraph ptx_copy_graph(const struct CUgraph_st *graph);

/// Whether it frees what it allocates itself behind that.
bool ptx_graph_frees_behind(CUgraph graph);

/// Puts the work of its nodes on the stream, in an order that is drawn.
CUresult ptx_run_graph(CUgraph graph, CUstream stream, uint64_t *random);

/// Whether each condition of the graph, and of the bodies in it, has a node.
bool ptx_conditions_are_used(CUgraph graph);

/// Work of a stream: a launch of the graph begins, or a conditional node.
void ptx_enqueue_begin(CUgraph graph, CUstream stream);
CUresult ptx_enqueue_conditional(const struct CUgraphNode_st *node,
                                 CUstream stream, uint64_t *random);

/// Whether calls on the current context may use it.
CUresult ptx_enter_exec(CUgraphExec exec);

/// Whether a copy is of one row, as cuMemcpyAsync makes it.
bool ptx_is_one_row(const CUDA_MEMCPY3D *params);

#endif // ASYNC_GPU_TESTS_PTX_DRIVER_GRAPH_H
