//===- loop_blocks.c - Which blocks are in a loop -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kosaraju's algorithm: blocks in the reverse of the order in which a search
// along the edges leaves them; what a search against the edges finds from each,
// and no earlier one has found, is a component (M. Sharir, "A strong-
// connectivity algorithm and its applications in data flow analysis", 1981).
// Functions may be long, so the searches have stacks of their own.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/native.h"

#include <stdlib.h>

typedef struct visit {
  MlirBlock block;
  intptr_t next; ///< the edge to follow next
} visit;

/// The blocks that have not been seen yet and can be reached from `start`, each
/// behind those that can be reached from it. Returns their number.
static size_t search(MlirBlock start, bool backwards, agpu__map *seen,
                     visit *stack, MlirBlock *out) {
  size_t depth = 0, count = 0;
  if (agpu__map_get(seen, start.ptr) != AGPU__MAP_NONE)
    return 0;
  agpu__map_set(seen, start.ptr, 0);
  stack[depth++] = (visit){start, 0};
  while (depth) {
    visit *at = &stack[depth - 1];
    intptr_t edges = backwards ? mlirBlockGetNumPredecessors(at->block)
                               : mlirBlockGetNumSuccessors(at->block);
    if (at->next == edges) {
      out[count++] = at->block;
      --depth;
      continue;
    }
    MlirBlock next = backwards ? mlirBlockGetPredecessor(at->block, at->next)
                               : mlirBlockGetSuccessor(at->block, at->next);
    ++at->next;
    if (agpu__map_get(seen, next.ptr) != AGPU__MAP_NONE)
      continue;
    agpu__map_set(seen, next.ptr, 0);
    stack[depth++] = (visit){next, 0};
  }
  return count;
}

static bool is_own_successor(MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumSuccessors(block); ++i)
    if (mlirBlockEqual(mlirBlockGetSuccessor(block, i), block))
      return true;
  return false;
}

agpu__map agpu__find_loop_blocks(MlirRegion body) {
  size_t count = 0;
  AGPU__BLOCKS_FOREACH (block, body)
    ++count;
  AGPU__OWNED visit *stack = agpu__allocate(count, sizeof *stack);
  AGPU__OWNED MlirBlock *order = agpu__allocate(count, sizeof *order);
  AGPU__OWNED MlirBlock *found = agpu__allocate(count, sizeof *found);
  agpu__map left = {0}, taken = {0}, loops = {0};
  size_t ordered = 0;
  AGPU__BLOCKS_FOREACH (block, body)
    ordered += search(block, false, &left, stack, order + ordered);
  while (ordered) {
    size_t size = search(order[--ordered], true, &taken, stack, found);
    if (size == 1 && !is_own_successor(found[0]))
      continue;
    for (size_t i = 0; i < size; ++i)
      agpu__map_set(&loops, found[i].ptr, ordered);
  }
  agpu__map_free(&left);
  agpu__map_free(&taken);
  return loops;
}
