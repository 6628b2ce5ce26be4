//===- build.h - Executable graphs from lists of work -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_BUILD_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_BUILD_H

#include "gpu/graph/nodes.h"

/// An executable graph, and what it does. One thread at a time.
typedef struct agpu__built_graph {
  const agpu__driver *driver;
  CUcontext context;
  CUgraph graph; ///< NULL: none has been built
  CUgraphExec exec;
  CUgraphNode *nodes; ///< of `list`
  agpu__node_list list;
  // Since it was made.
  uint64_t launches, updates, builds;
} agpu__built_graph;

/// Whether the driver has all that is needed.
bool agpu__graph_is_supported(const agpu__driver *driver);

/// Launches the work of `list` as a graph, which is built, or brought up to
/// date: it has changed places with what the graph was. The origin is that of
/// the calls. On an error nothing has been enqueued, and there is no graph.
CUresult agpu__graph_launch(agpu__built_graph *graph, agpu__node_list *list,
                            CUstream stream);

/// Destroys what the driver has of it.
void agpu__graph_drop(agpu__built_graph *graph);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_BUILD_H
