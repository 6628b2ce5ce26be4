//===- parts.c - Where loops over threads begin and end -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part begins where threads meet: after a barrier or what warps do together,
// after a branch that all of them take alike, and where two parts lead to the
// same block. From there each thread may go its own way, but all ways have to
// lead to one exit: a barrier, such a branch, the beginning of another part, or
// the end.
//
// Where they lead to several, the branch that decides is made an exit, too,
// which is right if it is uniform. Then code after it is a part of its own.
// Repeated until nothing changes.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

/// Exits as numbers. A block's own: the beginning of the part at block b, or
/// the terminator of b.
#define NOWHERE SIZE_MAX ///< no way out: a failure, or a loop without end
#define MANY (SIZE_MAX - 1)
#define END (SIZE_MAX - 2)
#define BEGINNING(block) (2 * (block))
#define TERMINATOR(block) (2 * (block) + 1)

typedef struct analysis {
  const agpu__simt_graph *graph;
  const agpu__simt_uniform *uniform;
  bool *first;  ///< [block] begins a part
  bool *cut;    ///< [block] its terminator is an exit
  size_t *part; ///< [block]
  size_t *exit; ///< [block] where ways from its start lead
} analysis;

static MlirOperation terminator(const analysis *self, size_t block) {
  return mlirBlockGetTerminator(self->graph->blocks[block]);
}

static bool decides(const analysis *self, size_t block) {
  return agpu__simt_successors(self->graph, block) > 1;
}

static bool is_uniform_branch(const analysis *self, size_t block) {
  return agpu__simt_is_uniform(
      self->uniform, mlirOperationGetOperand(terminator(self, block), 0));
}

static void make_exit(analysis *self, size_t block) {
  const agpu__simt_graph *graph = self->graph;
  self->cut[block] = true;
  for (size_t e = graph->succ_first[block]; e < graph->succ_first[block + 1];
       ++e)
    self->first[graph->succs[e]] = true;
}

//===----------------------------------------------------------------------===//
// Exits to begin with
//===----------------------------------------------------------------------===//

static void cut_at_barriers(analysis *self) {
  for (size_t b = 0; b < self->graph->count; ++b) {
    AGPU__OPS_FOREACH (last, self->graph->blocks[b])
      if (agpu__simt_is_wait(last) && !agpu__simt_only_synchronizes(last))
        make_exit(self, b);
  }
}

/// Branches out of loops that all threads run equally often: the loop over the
/// threads goes inside, where LLVM can vectorise it.
static void cut_at_loops(analysis *self) {
  const agpu__simt_graph *graph = self->graph;
  AGPU__OWNED size_t *cycles = agpu__simt_cycles(graph);
  for (size_t b = 0; b < graph->count; ++b) {
    if (cycles[b] == AGPU__MAP_NONE || !decides(self, b) ||
        self->uniform->divergent[b] || !is_uniform_branch(self, b))
      continue;
    bool leaves = false;
    for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e)
      leaves |= cycles[graph->succs[e]] != cycles[b];
    if (leaves)
      make_exit(self, b);
  }
}

//===----------------------------------------------------------------------===//
// Parts and their exits
//===----------------------------------------------------------------------===//

/// Finds the part of each block. A block that is in two begins one: then it
/// returns true, and all is to be done again.
static bool find_parts(analysis *self) {
  const agpu__simt_graph *graph = self->graph;
  for (size_t b = 0; b < graph->count; ++b)
    self->part[b] = self->first[b] ? b : AGPU__MAP_NONE;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < graph->count; ++b) {
      for (size_t e = graph->pred_first[b];
           e < graph->pred_first[b + 1] && !self->first[b]; ++e) {
        size_t from = self->part[graph->preds[e]];
        if (from == AGPU__MAP_NONE || from == self->part[b])
          continue;
        if (self->part[b] != AGPU__MAP_NONE) {
          self->first[b] = true;
          return true;
        }
        self->part[b] = from;
        changed = true;
      }
    }
  }
  return false;
}

static size_t join(size_t a, size_t b) {
  return a == NOWHERE || a == b ? b : b == NOWHERE ? a : MANY;
}

/// Where the edge to block `to` leads.
static size_t exit_behind(const analysis *self, size_t to) {
  return self->first[to] ? BEGINNING(to) : self->exit[to];
}

static void find_exits(analysis *self) {
  const agpu__simt_graph *graph = self->graph;
  for (size_t b = 0; b < graph->count; ++b)
    self->exit[b] = NOWHERE;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = graph->count; b-- > 0;) {
      size_t now = NOWHERE;
      if (self->cut[b])
        now = TERMINATOR(b);
      else if (agpu__op_is(terminator(self, b), "llvm.return"))
        now = END;
      else
        for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e)
          now = join(now, exit_behind(self, graph->succs[e]));
      changed |= now != self->exit[b];
      self->exit[b] = now;
    }
  }
}

/// True if ways part at the end of `b` but not after it.
static bool parts_last(const analysis *self, size_t b) {
  const agpu__simt_graph *graph = self->graph;
  for (size_t e = graph->succ_first[b]; e < graph->succ_first[b + 1]; ++e)
    if (exit_behind(self, graph->succs[e]) == MANY)
      return false;
  return true;
}

/// Makes branches exits where ways part. True if there was one.
static bool cut_where_ways_part(analysis *self) {
  bool found = false;
  // In a loop each may stand after the other: then all of them.
  for (int all = 0; all < 2 && !found; ++all)
    for (size_t b = 0; b < self->graph->count; ++b) {
      if (self->exit[b] != MANY || !decides(self, b) ||
          !(all || parts_last(self, b)))
        continue;
      make_exit(self, b);
      found = true;
    }
  return found;
}

static bool all_exits_are_uniform(const analysis *self) {
  for (size_t b = 0; b < self->graph->count; ++b)
    if (self->cut[b] && decides(self, b) && !is_uniform_branch(self, b))
      return false;
  return true;
}

bool agpu__simt_division_create(const agpu__simt_graph *graph,
                                const agpu__simt_uniform *uniform, bool loops,
                                agpu__simt_division *out_division) {
  size_t count = graph->count + 1;
  analysis self = {.graph = graph,
                   .uniform = uniform,
                   .first = agpu__allocate(count, sizeof(*self.first)),
                   .cut = agpu__allocate(count, sizeof(*self.cut)),
                   .part = agpu__allocate(count, sizeof(*self.part)),
                   .exit = agpu__allocate(count, sizeof(*self.exit))};
  self.first[0] = true;
  cut_at_barriers(&self);
  if (loops)
    cut_at_loops(&self);
  do {
    while (find_parts(&self)) {
    }
    find_exits(&self);
  } while (all_exits_are_uniform(&self) && cut_where_ways_part(&self));
  bool right = all_exits_are_uniform(&self);
  free(self.first);
  free(self.exit);
  *out_division = (agpu__simt_division){self.part, self.cut};
  if (!right)
    agpu__simt_division_free(out_division);
  return right;
}

void agpu__simt_division_free(agpu__simt_division *division) {
  free(division->part);
  free(division->cut);
  *division = (agpu__simt_division){0};
}
