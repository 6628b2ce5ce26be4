//===- nodes.h - Work that becomes a graph ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of what a round of a part enqueues, in that order, which is one that
// the dependencies allow. It stays from round to round: the next one is
// compared with it as it comes, and writes over it what differs. One thread at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H

#include "gpu/driver/driver.h"

/// Kernels with more parameters stay out of graphs.
#define AGPU__NODE_MOST_PARAMS 1024

typedef enum agpu__node_kind {
  AGPU__NODE_KERNEL,
  AGPU__NODE_COPY,
  AGPU__NODE_FILL,
} agpu__node_kind;

/// Where a kernel's parameters lie among others, each behind the one before.
typedef struct agpu__param_layout {
  struct agpu__param_layout *next;
  CUfunction function;
  size_t count, bytes;
  size_t offsets[]; ///< of `count` parameters, and the end
} agpu__param_layout;

typedef struct agpu__node_launch {
  CUfunction function;
  unsigned grid[3], block[3], shared_bytes;
  const agpu__param_layout *layout;
} agpu__node_launch;

typedef struct agpu__node_copy {
  CUdeviceptr target, source;
  size_t bytes;
} agpu__node_copy;

typedef struct agpu__node {
  agpu__node_kind kind;
  bool is_changed; ///< it stands in the list's `changed`
  uint32_t first_dependency, dependency_count; ///< in the list's
  agpu__op_name origin;
  union {
    struct {
      agpu__node_launch launch;
      size_t values, room; ///< where the parameters' bytes begin, for how many
    } kernel;
    agpu__node_copy copy;
    CUDA_MEMSET_NODE_PARAMS fill;
  };
} agpu__node;

typedef struct agpu__node_list {
  agpu__node *nodes;
  size_t count, capacity;
  /// Nodes of this round so far. What is behind them is of the last one.
  size_t at;
  /// Kinds of work or dependencies are not what they were when this was last
  /// set to false: by who has built a graph of the list.
  bool is_new;
  /// Nodes whose parameters differ from what they were when the list was last
  /// cleared of changes.
  uint32_t *changed;
  size_t changed_count, changed_capacity;
  uint32_t *dependencies; ///< numbers of nodes, ascending for each
  size_t dependency_count, dependency_capacity;
  char *values;
  size_t value_bytes, value_capacity;
} agpu__node_list;

/// The next node of the round, behind those of `dependencies`, which are
/// ascending and different.
void agpu__node_add_kernel(agpu__node_list *list, const uint32_t *dependencies,
                           size_t count, const agpu__node_launch *launch,
                           void *const *params);
void agpu__node_add_copy(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, agpu__node_copy copy);
void agpu__node_add_fill(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, const CUDA_MEMSET_NODE_PARAMS *fill);

/// The layout of the parameters of the next node, if the last round had the
/// same kernel there; else NULL.
static inline const agpu__param_layout *
agpu__node_guess_layout(const agpu__node_list *list, CUfunction function) {
  if (list->at == list->count)
    return NULL;
  const agpu__node *node = &list->nodes[list->at];
  return node->kind == AGPU__NODE_KERNEL &&
                 node->kernel.launch.function == function
             ? node->kernel.launch.layout
             : NULL;
}

/// Fills `out_params` with the addresses of a kernel's parameters, as long as
/// the list does not change.
void agpu__node_get_params(const agpu__node_list *list, const agpu__node *node,
                           void **out_params);

/// A round begins.
static inline void agpu__node_list_restart(agpu__node_list *list) {
  list->at = 0;
}

/// The round is over: there are no nodes but its own.
void agpu__node_list_finish(agpu__node_list *list);

/// Nodes are from now on as they were when a graph was told of them.
void agpu__node_list_clear_changes(agpu__node_list *list);

/// Whether its nodes are `times` times the same work.
bool agpu__node_list_repeats(const agpu__node_list *list, size_t times);

void agpu__node_list_free(agpu__node_list *list);

/// Enqueues the first `count` nodes one behind the other on `stream`. An error
/// is that of the node that `out_failed` is then.
CUresult agpu__node_list_replay(const agpu__node_list *list, size_t count,
                                const agpu__driver *driver, CUstream stream,
                                const agpu__node **out_failed);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H
