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

typedef enum node_kind { KERNEL, COPY, FILL, ALLOC, FREE, CHILD } node_kind;

struct CUgraphNode_st {
  node_kind kind;
  CUgraph graph;
  size_t index; ///< in the graph
  size_t *after, after_count;
  CUDA_KERNEL_NODE_PARAMS kernel; ///< with its own copy of the parameters
  CUlaunchAttribute clusters;     ///< of the kernel
  bool has_clusters;
  CUDA_MEMCPY3D copy;
  CUDA_MEMSET_NODE_PARAMS fill;
  CUdeviceptr pointer;
  uint64_t bytes; ///< of an allocation
  CUgraph child;
};

struct CUgraph_st {
  bool is_alive, has_memory;
  CUcontext context;
  CUgraphNode *nodes;
  size_t count;
  unsigned execs;
};

struct CUgraphExec_st {
  bool is_alive, frees_on_launch;
  CUcontext context;
  CUgraph graph; ///< whose nodes its own are copies of
  CUgraph own;
  CUevent last; ///< behind the last launch
};

/// Whether calls on the current context may use it.
CUresult ptx_enter_exec(CUgraphExec exec);

/// Whether a copy is of one row, as cuMemcpyAsync makes it.
bool ptx_is_one_row(const CUDA_MEMCPY3D *params);

#endif // ASYNC_GPU_TESTS_PTX_DRIVER_GRAPH_H
