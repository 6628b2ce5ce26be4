//===- graph.c - The blocks of a kernel ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered by a walk without recursion: a kernel may have thousands.
// An end by a failed assertion is no path to a return and does not count.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Blocks and edges
//===----------------------------------------------------------------------===//

static bool is_known_terminator(MlirOperation op) {
  return agpu__op_is_any(
      op, "llvm.br llvm.cond_br llvm.switch llvm.return llvm.unreachable");
}

/// Puts the blocks in post-order into graph->blocks. A step of the walk is a
/// block and the successor that is next.
static void find_blocks(MlirBlock entry, agpu__simt_graph *graph,
                        size_t capacity) {
  AGPU__OWNED MlirBlock *way = agpu__allocate(capacity, sizeof(*way));
  AGPU__OWNED intptr_t *next = agpu__allocate(capacity, sizeof(*next));
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

agpu__simt_set agpu__simt_set_create(const agpu__simt_graph *graph) {
  return (agpu__simt_set){.has = agpu__allocate(graph->count, sizeof(bool)),
                          .list = agpu__allocate(graph->count, sizeof(size_t))};
}

void agpu__simt_set_free(agpu__simt_set *set) {
  free(set->has);
  free(set->list);
}

void agpu__simt_set_add(agpu__simt_set *set, size_t block) {
  if (set->has[block])
    return;
  set->has[block] = true;
  set->list[set->count++] = block;
}

void agpu__simt_set_clear(agpu__simt_set *set) {
  while (set->count)
    set->has[set->list[--set->count]] = false;
}

static void add_successors(const agpu__simt_graph *graph, size_t block,
                           agpu__simt_set *set) {
  for (size_t e = graph->succ_first[block]; e < graph->succ_first[block + 1];
       ++e)
    agpu__simt_set_add(set, graph->succs[e]);
}

void agpu__simt_reach_from(const agpu__simt_graph *graph, size_t block,
                           size_t stop, agpu__simt_set *set) {
  agpu__simt_set_clear(set);
  add_successors(graph, block, set);
  for (size_t i = 0; i < set->count; ++i)
    if (set->list[i] != stop)
      add_successors(graph, set->list[i], set);
}

// By Kosaraju: blocks are in reverse post-order, so that what reaches the first
// one that is in no component yet, and is in none either, is its component.
size_t *agpu__simt_cycles(const agpu__simt_graph *graph) {
  size_t *of = agpu__allocate(graph->count + 1, sizeof(*of));
  AGPU__OWNED bool *is_placed =
      agpu__allocate(graph->count + 1, sizeof(*is_placed));
  AGPU__OWNED size_t *rest = agpu__allocate(graph->count + 1, sizeof(*rest));
  for (size_t first = 0; first < graph->count; ++first) {
    if (is_placed[first])
      continue;
    bool is_cycle = false;
    size_t count = 1;
    rest[0] = first;
    is_placed[first] = true;
    for (size_t i = 0; i < count; ++i)
      for (size_t e = graph->pred_first[rest[i]];
           e < graph->pred_first[rest[i] + 1]; ++e) {
        size_t from = graph->preds[e];
        is_cycle |= from == first;
        if (is_placed[from])
          continue;
        is_placed[from] = true;
        rest[count++] = from;
      }
    for (size_t i = 0; i < count; ++i)
      of[rest[i]] = is_cycle ? first : AGPU__MAP_NONE;
  }
  return of;
}

//===----------------------------------------------------------------------===//
// Postdominators
//===----------------------------------------------------------------------===//
//
// By Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the
// graph whose edges are turned around and whose root, number `count`, all
// returns lead to.

/// The tree of postdominators, as far as it is known.
typedef struct tree {
  const agpu__simt_graph *graph;
  size_t *order;  ///< blocks from which a return is reached, by DFS from the
                  ///< root, in postorder
  size_t reached; ///< of them
  size_t *number; ///< [block]: its place in that; AGPU__MAP_NONE: in none
  size_t *parent; ///< [block]; AGPU__MAP_NONE: not known
} tree;

static bool returns(const tree *self, size_t block) {
  return agpu__op_is(mlirBlockGetTerminator(self->graph->blocks[block]),
                     "llvm.return");
}

static void find_order(tree *self) {
  const agpu__simt_graph *graph = self->graph;
  size_t *stack = agpu__allocate(graph->count, sizeof(*stack)), depth = 0;
  AGPU__OWNED size_t *next =
      agpu__allocate(graph->count, sizeof(*next)); // predecessor
  AGPU__OWNED bool *seen = agpu__allocate(graph->count, sizeof(*seen));
  for (size_t root = 0; root < graph->count; ++root) {
    if (seen[root] || !returns(self, root))
      continue;
    seen[root] = true;
    stack[depth++] = root;
    while (depth) {
      size_t block = stack[depth - 1];
      size_t edge = graph->pred_first[block] + next[block]++;
      if (edge == graph->pred_first[block + 1]) {
        self->number[block] = self->reached;
        self->order[self->reached++] = block;
        --depth;
      } else if (!seen[graph->preds[edge]]) {
        seen[graph->preds[edge]] = true;
        stack[depth++] = graph->preds[edge];
      }
    }
  }
  self->number[graph->count] = self->reached; // the root
  free(stack);
}

/// The nearest that postdominates both, or is one of them.
static size_t intersect(const tree *self, size_t a, size_t b) {
  while (a != b) {
    while (self->number[a] < self->number[b])
      a = self->parent[a];
    while (self->number[b] < self->number[a])
      b = self->parent[b];
  }
  return a;
}

/// The parent of a block by what is known of those that it leads to.
static size_t find_parent(const tree *self, size_t block) {
  const agpu__simt_graph *graph = self->graph;
  size_t found = returns(self, block) ? graph->count : AGPU__MAP_NONE;
  for (size_t e = graph->succ_first[block]; e < graph->succ_first[block + 1];
       ++e) {
    size_t to = graph->succs[e];
    if (self->parent[to] != AGPU__MAP_NONE)
      found = found == AGPU__MAP_NONE ? to : intersect(self, found, to);
  }
  return found;
}

size_t *agpu__simt_postdominators(const agpu__simt_graph *graph) {
  size_t count = graph->count;
  tree self = {.graph = graph,
               .order = agpu__allocate(count + 1, sizeof(size_t)),
               .number = agpu__allocate(count + 1, sizeof(size_t)),
               .parent = agpu__allocate(count + 1, sizeof(size_t))};
  for (size_t b = 0; b < count; ++b)
    self.number[b] = self.parent[b] = AGPU__MAP_NONE;
  self.parent[count] = count;
  find_order(&self);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = self.reached; i-- > 0;) {
      size_t block = self.order[i], parent = find_parent(&self, block);
      changed |= parent != self.parent[block];
      self.parent[block] = parent;
    }
  }
  for (size_t b = 0; b < count; ++b)
    if (self.parent[b] == count)
      self.parent[b] = AGPU__MAP_NONE;
  free(self.order);
  free(self.number);
  return self.parent;
}
