//===- graph.h - The blocks of a kernel, what is known ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control-flow graph of a kernel in the LLVM dialect, for the passes that
// turn it into loops over threads. Blocks are called by their numbers, in
// reverse post-order: each before those that it dominates. uniform.h says which
// values are the same in all threads, and parts.h where loops begin and end.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_GRAPH_H
#define ASYNC_GPU_GPU_SIMT_GRAPH_H

#include "lower/ir/ir.h"
#include "lower/ir/map.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct agpu__simt_graph {
  MlirBlock *blocks;
  size_t count;
  /// Of block b: succs[succ_first[b]] to before succs[succ_first[b + 1]], in
  /// the order of the terminator; likewise its predecessors.
  size_t *succs, *succ_first;
  size_t *preds, *pred_first;
  agpu__map numbers; ///< of the blocks
} agpu__simt_graph;

/// Takes down the blocks that are reached from `entry`. False (and nothing to
/// be freed) where the part holds others, or a terminator that is none of
/// llvm.br, cond_br, switch, return, unreachable.
bool agpu__simt_graph_create(MlirBlock entry, agpu__simt_graph *out_graph);
void agpu__simt_graph_free(agpu__simt_graph *graph);

static inline size_t agpu__simt_successors(const agpu__simt_graph *graph,
                                           size_t block) {
  return graph->succ_first[block + 1] - graph->succ_first[block];
}

/// The block that `op` is in.
size_t agpu__simt_block_of(const agpu__simt_graph *graph, MlirOperation op);
/// The block that defines `value`, AGPU__MAP_NONE for one of no block of the
/// graph.
size_t agpu__simt_definition(const agpu__simt_graph *graph, MlirValue value);

/// Marks, in `reached`, the blocks that can run after `block`, but for what
/// comes after `stop`, which is marked itself.
void agpu__simt_reach_from(const agpu__simt_graph *graph, size_t block,
                           size_t stop, bool *reached);

/// For each block the first one that all ways from it to a return lead through,
/// AGPU__MAP_NONE where there is none. The caller frees the array.
size_t *agpu__simt_postdominators(const agpu__simt_graph *graph);

#endif // ASYNC_GPU_GPU_SIMT_GRAPH_H
