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

/// An executable graph of a list. One thread at a time.
typedef struct agpu__built_graph {
  const agpu__driver *driver;
  CUcontext context;
  CUgraph graph; ///< NULL: none has been built
  CUgraphExec exec;
  CUgraphNode *nodes; ///< of the list
  // Since it was made.
  uint64_t launches, updates, builds;
} agpu__built_graph;

/// Whether the driver has all that is needed.
bool agpu__graph_is_supported(const agpu__driver *driver);

/// Launches the work of `list`, whose round is over, as a graph, which is built
/// of it, or told of its changes: no other list has become this graph. The
/// origin is that of the calls. On an error nothing has been enqueued, and
/// there is no graph.
CUresult agpu__graph_launch(agpu__built_graph *graph, agpu__node_list *list,
                            CUstream stream);

/// The same for a list that nothing has been done to since.
CUresult agpu__graph_launch_again(agpu__built_graph *graph,
                                  const agpu__node_list *list, CUstream stream);

/// Destroys what the driver has of it.
void agpu__graph_drop(agpu__built_graph *graph);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_BUILD_H
