//===- graph.c - The blocks of a kernel ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered by a walk without recursion: a kernel may have thousands.
// Postdominators are sets of bits, found by iteration to a fixed point; an end
// by a failed assertion is no way to a return and does not count.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Blocks and edges
//===----------------------------------------------------------------------===//

static bool is_known_terminator(MlirOperation op) {
  return agpu__op_is(op, "llvm.br") || agpu__op_is(op, "llvm.cond_br") ||
         agpu__op_is(op, "llvm.switch") || agpu__op_is(op, "llvm.return") ||
         agpu__op_is(op, "llvm.unreachable");
}

/// Puts the blocks in post-order into graph->blocks. A step of the walk is a
/// block and the successor that is next.
static void find_blocks(MlirBlock entry, agpu__simt_graph *graph,
                        size_t capacity) {
  MlirBlock *way = agpu__allocate(capacity, sizeof(*way));
  intptr_t *next = agpu__allocate(capacity, sizeof(*next));
  size_t depth = 1;
  way[0] = entry;
  agpu__map_set(&graph->numbers, entry.ptr, 0);
  while (depth) {
    MlirBlock block = way[depth - 1];
    MlirOperation end = mlirBlockGetTerminator(block);
    if (next[depth - 1] == mlirOperationGetNumSuccessors(end)) {
      graph->blocks[graph->count++] = block;
      --depth;
      continue;
    }
    MlirBlock to = mlirOperationGetSuccessor(end, next[depth - 1]++);
    if (agpu__map_get(&graph->numbers, to.ptr) != AGPU__MAP_NONE)
      continue;
    agpu__map_set(&graph->numbers, to.ptr, 0);
    way[depth] = to;
    next[depth++] = 0;
  }
  free(way);
  free(next);
}

static void find_edges(agpu__simt_graph *graph) {
  size_t n = graph->count, edges = 0;
  graph->succ_first = agpu__allocate(n + 1, sizeof(size_t));
  graph->pred_first = agpu__allocate(n + 2, sizeof(size_t));
  for (size_t b = 0; b < n; ++b) {
    graph->succ_first[b] = edges;
    edges += (size_t)mlirOperationGetNumSuccessors(
        mlirBlockGetTerminator(graph->blocks[b]));
  }
  graph->succ_first[n] = edges;
  graph->succs = agpu__allocate(edges, sizeof(size_t));
  graph->preds = agpu__allocate(edges, sizeof(size_t));
  for (size_t b = 0, e = 0; b < n; ++b)
    for (intptr_t s = 0; e < graph->succ_first[b + 1]; ++s, ++e) {
      MlirBlock to = mlirOperationGetSuccessor(
          mlirBlockGetTerminator(graph->blocks[b]), s);
      graph->succs[e] = agpu__map_get(&graph->numbers, to.ptr);
      ++graph->pred_first[graph->succs[e] + 2];
    }
  // pred_first[b + 1] is where the next predecessor of b goes, in the end the
  // first of b + 1.
  for (size_t b = 0; b < n; ++b)
    graph->pred_first[b + 2] += graph->pred_first[b + 1];
  for (size_t b = 0; b < n; ++b)
    for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e)
      graph->preds[graph->pred_first[graph->succs[e] + 1]++] = b;
}

bool agpu__simt_graph_create(MlirBlock entry, agpu__simt_graph *out_graph) {
  *out_graph = (agpu__simt_graph){0};
  size_t count = 0;
  for (MlirBlock block =
           mlirRegionGetFirstBlock(mlirBlockGetParentRegion(entry));
       !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block), ++count)
    if (!is_known_terminator(mlirBlockGetTerminator(block)))
      return false;
  out_graph->blocks = agpu__allocate(count, sizeof(MlirBlock));
  find_blocks(entry, out_graph, count);
  for (size_t b = 0; b < out_graph->count / 2; ++b) {
    MlirBlock *other = &out_graph->blocks[out_graph->count - 1 - b];
    MlirBlock block = out_graph->blocks[b];
    out_graph->blocks[b] = *other;
    *other = block;
  }
  for (size_t b = 0; b < out_graph->count; ++b)
    agpu__map_set(&out_graph->numbers, out_graph->blocks[b].ptr, b);
  find_edges(out_graph);
  // Callers have one block in front of `entry` at most.
  bool all = out_graph->count + 1 >= count;
  if (!all)
    agpu__simt_graph_free(out_graph);
  return all;
}

void agpu__simt_graph_free(agpu__simt_graph *graph) {
  free(graph->blocks);
  free(graph->succs);
  free(graph->succ_first);
  free(graph->preds);
  free(graph->pred_first);
  agpu__map_free(&graph->numbers);
}

size_t agpu__simt_block_of(const agpu__simt_graph *graph, MlirOperation op) {
  return agpu__map_get(&graph->numbers, mlirOperationGetBlock(op).ptr);
}

size_t agpu__simt_definition(const agpu__simt_graph *graph, MlirValue value) {
  return mlirValueIsABlockArgument(value)
             ? agpu__map_get(&graph->numbers,
                             mlirBlockArgumentGetOwner(value).ptr)
             : agpu__simt_block_of(graph, mlirOpResultGetOwner(value));
}

void agpu__simt_reach_from(const agpu__simt_graph *graph, size_t block,
                           size_t stop, bool *reached) {
  size_t *rest = agpu__allocate(graph->count + 1, sizeof(*rest)), count = 1;
  bool *seen = agpu__allocate(graph->count, sizeof(*seen));
  rest[0] = block;
  while (count) {
    size_t from = rest[--count];
    for (size_t e = graph->succ_first[from]; e < graph->succ_first[from + 1];
         ++e) {
      size_t to = graph->succs[e];
      reached[to] = true;
      if (seen[to] || to == stop)
        continue;
      seen[to] = true;
      rest[count++] = to;
    }
  }
  free(rest);
  free(seen);
}

//===----------------------------------------------------------------------===//
// Postdominators
//===----------------------------------------------------------------------===//

/// Blocks from which a return is reached.
static bool *find_returning(const agpu__simt_graph *graph) {
  bool *returning = agpu__allocate(graph->count, sizeof(*returning));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = graph->count; b-- > 0;) {
      bool now =
          agpu__op_is(mlirBlockGetTerminator(graph->blocks[b]), "llvm.return");
      for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e)
        now |= returning[graph->succs[e]];
      changed |= now && !returning[b];
      returning[b] |= now;
    }
  }
  return returning;
}

/// The intersection of the postdominators of b's successors, and b, into `set`;
/// true if that changed it. A way that ends the kernel by a failure does not
/// count.
static bool meet(const agpu__simt_graph *graph, size_t b, uint64_t *sets,
                 size_t words, const bool *returning, uint64_t *scratch) {
  memset(scratch, agpu__simt_successors(graph, b) ? 0xff : 0,
         words * sizeof(*scratch));
  for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e)
    for (size_t w = 0; w < words && returning[graph->succs[e]]; ++w)
      scratch[w] &= sets[graph->succs[e] * words + w];
  scratch[b / 64] |= (uint64_t)1 << b % 64;
  bool changed = memcmp(scratch, &sets[b * words], words * sizeof(*scratch));
  memcpy(&sets[b * words], scratch, words * sizeof(*scratch));
  return changed;
}

static size_t size_of_set(const uint64_t *set, size_t words) {
  size_t size = 0;
  for (size_t w = 0; w < words; ++w)
    size += (size_t)__builtin_popcountll(set[w]);
  return size;
}

size_t *agpu__simt_postdominators(const agpu__simt_graph *graph) {
  size_t words = graph->count / 64 + 1;
  uint64_t *sets = agpu__allocate(graph->count * words, sizeof(*sets));
  uint64_t *scratch = agpu__allocate(words, sizeof(*scratch));
  bool *returning = find_returning(graph);
  memset(sets, 0xff, graph->count * words * sizeof(*sets));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = graph->count; b-- > 0;)
      if (returning[b])
        changed |= meet(graph, b, sets, words, returning, scratch);
  }
  // The nearest one is postdominated by all others.
  size_t *nearest = agpu__allocate(graph->count, sizeof(*nearest));
  for (size_t b = 0; b < graph->count; ++b) {
    nearest[b] = AGPU__MAP_NONE;
    size_t size = returning[b] ? size_of_set(&sets[b * words], words) : 0;
    for (size_t p = 0; p < graph->count && size; ++p)
      if (p != b && sets[b * words + p / 64] >> p % 64 & 1 &&
          size_of_set(&sets[p * words], words) + 1 == size)
        nearest[b] = p;
  }
  free(sets);
  free(scratch);
  free(returning);
  return nearest;
}
