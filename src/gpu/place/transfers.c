//===- transfers.c - Where an object is copied to and fro -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events are made a tree of the ops around them, which is gone through as
// they run. A branch is gone through on both sides, and a loop for each state
// that its rounds could begin with; the one that costs least is taken, where a
// copy in a loop costs many times one in front of it. What a loop or a branch
// costs in a state is found once.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

#include <stdlib.h>

/// What a copy in a loop costs, of one in front of it, and beyond what no more
/// is counted.
#define LOOP_FACTOR 64
#define MOST ((size_t)1 << 40)

typedef struct outcome {
  unsigned state;
  size_t cost;
} outcome;

/// An event, or an op that holds some.
typedef struct node {
  MlirOperation op;
  const agpu__event *event; ///< NULL: it holds some
  intptr_t region;          ///< of the op around it that it stands in
  size_t first, last, next; ///< children, and the next one of its own parent
  // What becomes of each state that a loop or a branch begins in.
  bool is_known[AGPU__ON_BOTH + 1];
  outcome of[AGPU__ON_BOTH + 1];
} node;

/// Node 0 is the block, and 0 as a number of another one says that there is
/// none.
typedef struct tree {
  node *nodes;
  size_t count, capacity;
} tree;

typedef struct walk {
  agpu__transfers *out; ///< NULL: only the cost is asked for
  node *nodes;
  size_t depth; ///< of loops
  bool fails;
} walk;

static void add_cost(outcome *self, size_t cost, size_t times) {
  self->cost += cost * times;
  if (self->cost > MOST)
    self->cost = MOST;
}

static void transfer(walk *self, MlirOperation before, bool to_device) {
  agpu__transfers *out = self->out;
  if (!out)
    return;
  AGPU__GROW(out->data, out->count, out->capacity);
  out->in_loops += self->depth > 0;
  out->data[out->count++] = (agpu__transfer){before, to_device};
}

/// Sees to it that the contents are valid on `side` in front of `before`.
static void need(walk *self, outcome *at, unsigned side, MlirOperation before) {
  if (at->state & side || !at->state)
    return;
  transfer(self, before, side == AGPU__ON_DEVICE);
  at->state = AGPU__ON_BOTH;
  add_cost(at, 1, 1);
}

static outcome go_through(walk *self, size_t parent, intptr_t region,
                          unsigned state);

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static outcome go_through_if(walk *self, size_t at, unsigned state) {
  MlirOperation op = self->nodes[at].op;
  walk dry = {.nodes = self->nodes};
  outcome yes = go_through(&dry, at, 0, state);
  outcome no = go_through(&dry, at, 1, state);
  self->fails |= dry.fails;
  outcome result = {state, 0};
  // Where the sides would part, both are made valid first.
  if (!(yes.state & no.state) && state != AGPU__ON_BOTH)
    need(self, &result, AGPU__ON_BOTH ^ state, op);
  yes = go_through(self, at, 0, result.state);
  no = go_through(self, at, 1, result.state);
  add_cost(&result, yes.cost + no.cost, 1);
  if (!(yes.state & no.state)) {
    bool first = yes.state == AGPU__ON_DEVICE;
    outcome *device = first ? &yes : &no;
    device->cost = 0;
    need(self, device, AGPU__ON_HOST,
         mlirBlockGetTerminator(agpu__region_entry(op, first ? 0 : 1)));
    add_cost(&result, device->cost, 1);
  }
  result.state = yes.state & no.state;
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// One round from `head` on, at whose end the contents are valid there again.
/// `*out_exit`: where they are when the loop ends.
static outcome go_around(walk *self, size_t at, unsigned head,
                         unsigned *out_exit) {
  MlirOperation op = self->nodes[at].op;
  bool is_while = agpu__op_is(op, "scf.while");
  outcome round = go_through(self, at, 0, head);
  *out_exit = round.state;
  intptr_t last = 0;
  if (is_while) {
    outcome after = go_through(self, at, 1, round.state);
    add_cost(&after, round.cost, 1);
    round = after;
    last = 1;
  }
  unsigned missing = head & ~round.state;
  if (missing)
    need(self, &round, missing,
         mlirBlockGetTerminator(agpu__region_entry(op, last)));
  if (!is_while)
    *out_exit = round.state;
  return round;
}

static outcome go_through_loop(walk *self, size_t at, unsigned state) {
  MlirOperation op = self->nodes[at].op;
  unsigned best_entry = state, best_head = state;
  size_t best = SIZE_MAX;
  for (int full = 0; full < 2; ++full)
    for (unsigned head = AGPU__ON_BOTH; head; --head) {
      unsigned entry = full ? AGPU__ON_BOTH : state, exit;
      if (head & ~entry || (full && state == AGPU__ON_BOTH))
        continue;
      walk dry = {.nodes = self->nodes};
      outcome round = go_around(&dry, at, head, &exit);
      self->fails |= dry.fails;
      size_t cost = (size_t)full + LOOP_FACTOR * round.cost;
      if (cost < best) {
        best = cost;
        best_entry = entry;
        best_head = head;
      }
    }
  outcome result = {state, 0};
  if (best_entry != state)
    need(self, &result, AGPU__ON_BOTH ^ state, op);
  unsigned exit;
  ++self->depth;
  outcome round = go_around(self, at, best_head, &exit);
  --self->depth;
  add_cost(&result, round.cost, LOOP_FACTOR);
  // A loop of no rounds leaves things as they were.
  result.state = agpu__op_is(op, "scf.while") ? exit : exit & result.state;
  return result;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Goes through a loop or a branch. Where only the cost is asked for and the op
/// was gone through in this state before, that is known; so is whether it
/// fails, as the walk has been told then.
static outcome go_into(walk *self, size_t number, unsigned state) {
  node *at = &self->nodes[number];
  if (!self->out && at->is_known[state])
    return at->of[state];
  outcome of = {state, 0};
  if (agpu__op_is(at->op, "scf.if"))
    of = go_through_if(self, number, state);
  else if (agpu__op_is(at->op, "scf.for") || agpu__op_is(at->op, "scf.while"))
    of = go_through_loop(self, number, state);
  else
    self->fails = true;
  at->is_known[state] = true;
  at->of[state] = of;
  return of;
}

/// Goes through what stands in a region of `parent`.
static outcome go_through(walk *self, size_t parent, intptr_t region,
                          unsigned state) {
  outcome at = {state, 0};
  for (size_t i = self->nodes[parent].first; i; i = self->nodes[i].next) {
    const node *it = &self->nodes[i];
    if (it->region != region)
      continue;
    if (it->event) {
      unsigned side = it->event->on_device ? AGPU__ON_DEVICE : AGPU__ON_HOST;
      if (it->event->reads)
        need(self, &at, side, it->op);
      if (it->event->writes)
        at.state = side;
      continue;
    }
    outcome of = go_into(self, i, at.state);
    at.state = of.state;
    add_cost(&at, of.cost, 1);
  }
  return at;
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

static size_t add_node(tree *self, size_t parent, node new) {
  AGPU__GROW(self->nodes, self->count, self->capacity);
  size_t number = self->count++;
  self->nodes[number] = new;
  if (number) {
    node *around = &self->nodes[parent];
    *(around->last ? &self->nodes[around->last].next : &around->first) = number;
    around->last = number;
  }
  return number;
}

static intptr_t region_of(MlirOperation op, MlirOperation around) {
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  intptr_t number = 0;
  while (!mlirRegionEqual(mlirOperationGetRegion(around, number), region))
    ++number;
  return number;
}

/// Adds the event, and the ops around it up to `block` that have no node yet;
/// false if it is not in there.
static bool add_event(tree *self, const agpu__event *event, MlirBlock block,
                      agpu__ops *path) {
  path->count = 0;
  MlirOperation op = event->op;
  for (; !mlirOperationIsNull(op) &&
         !mlirBlockEqual(mlirOperationGetBlock(op), block);
       op = mlirOperationGetParentOperation(op))
    agpu__ops_push(path, op);
  if (mlirOperationIsNull(op))
    return false;
  agpu__ops_push(path, op);
  size_t at = 0;
  intptr_t region = 0;
  for (size_t i = path->count; i-- > 1;) {
    size_t last = self->nodes[at].last;
    bool is_there = last && !self->nodes[last].event &&
                    self->nodes[last].region == region &&
                    mlirOperationEqual(self->nodes[last].op, path->data[i]);
    at = is_there ? last
                  : add_node(self, at,
                             (node){.op = path->data[i], .region = region});
    region = region_of(path->data[i - 1], path->data[i]);
  }
  (void)add_node(self, at,
                 (node){.op = event->op, .event = event, .region = region});
  return true;
}

void agpu__transfers_find(MlirBlock block, const agpu__events *events,
                          unsigned begin, unsigned end,
                          agpu__transfers *out_transfers) {
  memset(out_transfers, 0, sizeof(*out_transfers));
  walk self = {.out = out_transfers};
  for (MlirOperation op = mlirBlockGetParentOperation(block);
       !mlirOperationIsNull(op) && agpu__op_in_dialect(op, "scf");
       op = mlirOperationGetParentOperation(op))
    self.depth += agpu__op_is(op, "scf.for") || agpu__op_is(op, "scf.while");
  MlirRegion region = mlirBlockGetParentRegion(block);
  self.fails = !mlirBlockIsNull(
      mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(region)));
  tree all = {0};
  AGPU__SCOPED(ops) path = {0};
  (void)add_node(&all, 0, (node){0});
  for (size_t i = 0; i < events->count && !self.fails; ++i)
    self.fails = !add_event(&all, &events->data[i], block, &path);
  if (!self.fails) {
    self.nodes = all.nodes;
    outcome at = go_through(&self, 0, 0, begin);
    if (end)
      need(&self, &at, end, mlirBlockGetTerminator(block));
  }
  out_transfers->fails = self.fails;
  free(all.nodes);
}

void agpu__transfers_free(agpu__transfers *transfers) {
  free(transfers->data);
  memset(transfers, 0, sizeof(*transfers));
}
