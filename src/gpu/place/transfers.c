//===- transfers.c - Where an object is copied to and fro -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events are gone through as they run. A branch is gone through on both
// sides, and a loop for each state that its rounds could begin with; the one
// that costs least is taken, where a copy in a loop costs many times one in
// front of it. What a loop or a branch costs in a state is found once.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"
#include "lower/ir/map.h"
#include "lower/ir/memory.h"

#include <stdlib.h>
#include <string.h>

/// What a copy in a loop costs, of one in front of it, and beyond what no more
/// is counted.
#define LOOP_FACTOR 64
#define MOST ((size_t)1 << 40)

typedef struct range {
  const agpu__event *data;
  size_t count;
} range;

typedef struct outcome {
  unsigned state;
  size_t cost;
} outcome;

/// What becomes of the states that a loop or a branch begins in.
typedef struct outcomes {
  bool is_known[AGPU__ON_BOTH + 1];
  outcome of[AGPU__ON_BOTH + 1];
} outcomes;

typedef struct memo {
  agpu__map numbers; ///< of entries, by the address of the op
  outcomes *entries;
  size_t count, capacity;
} memo;

typedef struct walk {
  agpu__transfers *out; ///< NULL: only the cost is asked for
  memo *known;
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
  out->data =
      agpu__grow(out->data, out->count, &out->capacity, sizeof(*out->data));
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

static outcome go_through(walk *self, MlirBlock block, range events,
                          unsigned state);

/// The events in region `number` of `op`, of those in `op`.
static range in_region(MlirOperation op, intptr_t number, range events) {
  range result = {events.data, 0};
  if (number >= mlirOperationGetNumRegions(op))
    return result;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, number));
  for (size_t i = 0; i < events.count && !mlirBlockIsNull(block); ++i)
    if (!mlirOperationIsNull(agpu__find_in_block(events.data[i].op, block))) {
      if (!result.count)
        result.data = &events.data[i];
      ++result.count;
    }
  return result;
}

static MlirBlock block_of(MlirOperation op, intptr_t number) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, number));
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static outcome go_through_branch(walk *self, MlirOperation op, intptr_t number,
                                 range events, unsigned state) {
  range own = in_region(op, number, events);
  return own.count ? go_through(self, block_of(op, number), own, state)
                   : (outcome){state, 0};
}

static outcome go_through_if(walk *self, MlirOperation op, range events,
                             unsigned state) {
  walk dry = {.known = self->known};
  outcome yes = go_through_branch(&dry, op, 0, events, state);
  outcome no = go_through_branch(&dry, op, 1, events, state);
  self->fails |= dry.fails;
  outcome result = {state, 0};
  // Where the sides would part, both are made valid first.
  if (!(yes.state & no.state) && state != AGPU__ON_BOTH)
    need(self, &result, AGPU__ON_BOTH ^ state, op);
  yes = go_through_branch(self, op, 0, events, result.state);
  no = go_through_branch(self, op, 1, events, result.state);
  add_cost(&result, yes.cost + no.cost, 1);
  if (!(yes.state & no.state)) {
    bool first = yes.state == AGPU__ON_DEVICE;
    outcome *device = first ? &yes : &no;
    device->cost = 0;
    need(self, device, AGPU__ON_HOST,
         mlirBlockGetTerminator(block_of(op, first ? 0 : 1)));
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
static outcome go_around(walk *self, MlirOperation op, range events,
                         unsigned head, unsigned *out_exit) {
  bool is_while = agpu__op_is(op, "scf.while");
  outcome round = go_through_branch(self, op, 0, events, head);
  *out_exit = round.state;
  intptr_t last = 0;
  if (is_while) {
    outcome after = go_through_branch(self, op, 1, events, round.state);
    add_cost(&after, round.cost, 1);
    round = after;
    last = 1;
  }
  unsigned missing = head & ~round.state;
  if (missing)
    need(self, &round, missing, mlirBlockGetTerminator(block_of(op, last)));
  if (!is_while)
    *out_exit = round.state;
  return round;
}

static outcome go_through_loop(walk *self, MlirOperation op, range events,
                               unsigned state) {
  unsigned best_entry = state, best_head = state;
  size_t best = SIZE_MAX;
  for (int full = 0; full < 2; ++full)
    for (unsigned head = AGPU__ON_BOTH; head; --head) {
      unsigned entry = full ? AGPU__ON_BOTH : state, exit;
      if (head & ~entry || (full && state == AGPU__ON_BOTH))
        continue;
      walk dry = {.known = self->known};
      outcome round = go_around(&dry, op, events, head, &exit);
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
  outcome round = go_around(self, op, events, best_head, &exit);
  --self->depth;
  add_cost(&result, round.cost, LOOP_FACTOR);
  // A loop of no rounds leaves things as they were.
  result.state = agpu__op_is(op, "scf.while") ? exit : exit & result.state;
  return result;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static outcomes *entry_of(memo *self, MlirOperation op) {
  size_t number = agpu__map_get(&self->numbers, op.ptr);
  if (number != AGPU__MAP_NONE)
    return &self->entries[number];
  self->entries = agpu__grow(self->entries, self->count, &self->capacity,
                             sizeof(*self->entries));
  agpu__map_set(&self->numbers, op.ptr, self->count);
  self->entries[self->count] = (outcomes){0};
  return &self->entries[self->count++];
}

/// Goes through a loop or a branch. Where only the cost is asked for and the op
/// was gone through in this state before, that is known; so is whether it
/// fails, as the walk has been told then.
static outcome go_into(walk *self, MlirOperation op, range inside,
                       unsigned state) {
  const outcomes *known = entry_of(self->known, op);
  if (!self->out && known->is_known[state])
    return known->of[state];
  outcome of = {state, 0};
  if (agpu__op_is(op, "scf.if"))
    of = go_through_if(self, op, inside, state);
  else if (agpu__op_is(op, "scf.for") || agpu__op_is(op, "scf.while"))
    of = go_through_loop(self, op, inside, state);
  else
    self->fails = true;
  // Entries may have moved.
  outcomes *found = entry_of(self->known, op);
  found->is_known[state] = true;
  found->of[state] = of;
  return of;
}

static outcome go_through(walk *self, MlirBlock block, range events,
                          unsigned state) {
  outcome at = {state, 0};
  for (size_t i = 0; i < events.count;) {
    const agpu__event *event = &events.data[i];
    MlirOperation op = agpu__find_in_block(event->op, block);
    if (mlirOperationIsNull(op)) {
      self->fails = true;
      return at;
    }
    if (mlirOperationEqual(op, event->op)) {
      unsigned side = event->on_device ? AGPU__ON_DEVICE : AGPU__ON_HOST;
      if (event->reads)
        need(self, &at, side, op);
      if (event->writes)
        at.state = side;
      ++i;
      continue;
    }
    range inside = {event, 0};
    while (
        i < events.count &&
        mlirOperationEqual(agpu__find_in_block(events.data[i].op, block), op)) {
      ++inside.count;
      ++i;
    }
    outcome of = go_into(self, op, inside, at.state);
    at.state = of.state;
    add_cost(&at, of.cost, 1);
  }
  return at;
}

void agpu__transfers_find(MlirBlock block, const agpu__events *events,
                          unsigned begin, unsigned end,
                          agpu__transfers *out_transfers) {
  memset(out_transfers, 0, sizeof(*out_transfers));
  memo known = {0};
  walk self = {.out = out_transfers, .known = &known};
  for (MlirOperation op = mlirBlockGetParentOperation(block);
       !mlirOperationIsNull(op) && agpu__op_in_dialect(op, "scf");
       op = mlirOperationGetParentOperation(op))
    self.depth += agpu__op_is(op, "scf.for") || agpu__op_is(op, "scf.while");
  MlirRegion region = mlirBlockGetParentRegion(block);
  self.fails = !mlirBlockIsNull(
      mlirBlockGetNextInRegion(mlirRegionGetFirstBlock(region)));
  if (!self.fails) {
    outcome at =
        go_through(&self, block, (range){events->data, events->count}, begin);
    if (end)
      need(&self, &at, end, mlirBlockGetTerminator(block));
  }
  out_transfers->fails = self.fails;
  agpu__map_free(&known.numbers);
  free(known.entries);
}

void agpu__transfers_free(agpu__transfers *transfers) {
  free(transfers->data);
  memset(transfers, 0, sizeof(*transfers));
}
