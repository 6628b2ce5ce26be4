//===- nodes.h - Work that becomes a graph ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of what a round of a part enqueues, in that order, which is one that
// the dependencies allow. One thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H

#include "gpu/driver/driver.h"

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

typedef struct agpu__node {
  agpu__node_kind kind;
  uint32_t first_dependency, dependency_count; ///< in the list's
  agpu__op_name origin;
  union {
    struct {
      CUfunction function;
      unsigned grid[3], block[3], shared_bytes;
      const agpu__param_layout *layout;
      size_t values; ///< where the parameters' bytes begin
    } kernel;
    struct {
      CUdeviceptr target, source;
      size_t bytes;
    } copy;
    CUDA_MEMSET_NODE_PARAMS fill;
  };
} agpu__node;

typedef struct agpu__node_list {
  agpu__node *nodes;
  size_t count, capacity;
  uint32_t *dependencies; ///< numbers of nodes, ascending for each
  size_t dependency_count, dependency_capacity;
  char *values;
  size_t value_bytes, value_capacity;
} agpu__node_list;

/// A node behind those of `dependencies`, which are sorted here and may name
/// one twice. Its parameters are the caller's to set.
agpu__node *agpu__node_add(agpu__node_list *list, agpu__node_kind kind,
                           uint32_t *dependencies, size_t count);

/// Room for the parameters of `node`, whose layout is set.
void agpu__node_set_values(agpu__node_list *list, agpu__node *node,
                           void *const *params);

/// Fills `out_params` with the addresses of a kernel's parameters, as long as
/// the list does not change.
void agpu__node_get_params(const agpu__node_list *list, const agpu__node *node,
                           void **out_params);

/// Empties it, and keeps the memory; frees the memory.
void agpu__node_list_clear(agpu__node_list *list);
void agpu__node_list_free(agpu__node_list *list);

/// Whether both have the same kinds of work behind the same dependencies.
bool agpu__node_lists_match(const agpu__node_list *a, const agpu__node_list *b);

/// Whether node `i` of two lists that match is the same work.
bool agpu__nodes_are_equal(const agpu__node_list *a, const agpu__node_list *b,
                           size_t i);

/// Enqueues the nodes one behind the other on `stream`. An error is that of
/// the node that `out_failed` is then.
CUresult agpu__node_list_replay(const agpu__node_list *list,
                                const agpu__driver *driver, CUstream stream,
                                const agpu__node **out_failed);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H
