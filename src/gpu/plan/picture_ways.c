//===- picture_ways.c - Arrows beside a longer way -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transitive reduction of a picture's edges. A body is two places, its
// begin and its end: what stands in it comes between them, so an edge to it
// from there goes to its end. Bodies are in program order, which edges follow
// but for those that a loop hands round; those stay.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <stdlib.h>

enum { WORD_BITS = 64 };

/// An edge between places: bodies' begins, and after those their ends.
typedef struct step {
  size_t from, to, edge;
} step;

static int compare_steps(const void *a, const void *b) {
  const step *left = a, *right = b;
  if (left->from != right->from)
    return left->from < right->from ? -1 : 1;
  if (left->to != right->to)
    return left->to < right->to ? -1 : 1;
  return (left->edge > right->edge) - (left->edge < right->edge);
}

/// True if `body` stands in `outer`.
static bool stands_in(const size_t *parents, size_t body, size_t outer) {
  while (body != AGPU__NO_BODY && body != outer)
    body = parents[body];
  return body == outer;
}

/// The edges that order matters for, sorted. Marks the others in `needed`,
/// except those that wait for nothing.
static size_t list_steps(const agpu__picture *picture, bool *needed,
                         step *steps) {
  size_t bodies = picture->plan->count, count = 0;
  AGPU__OWNED size_t *parents = agpu__allocate(bodies, sizeof(*parents));
  for (size_t i = 0; i < picture->node_count; ++i)
    parents[picture->nodes[i].body] = picture->nodes[i].parent;
  for (size_t i = 0; i < picture->edge_count; ++i) {
    const agpu__picture_edge *edge = &picture->edges[i];
    size_t from = edge->from == AGPU__NO_BODY ? edge->maybe : edge->from;
    if (from == AGPU__NO_BODY || edge->how == AGPU__HOW_IMPLIED)
      continue;
    if (from < edge->to)
      steps[count++] = (step){from, edge->to, i};
    else if (from != edge->to && stands_in(parents, from, edge->to))
      steps[count++] = (step){from, bodies + edge->to, i};
    else
      needed[i] = true;
  }
  qsort(steps, count, sizeof(*steps), compare_steps);
  return count;
}

bool *agpu__picture_find_needed(const agpu__picture *picture) {
  size_t bodies = picture->plan->count;
  size_t words = 2 * bodies / WORD_BITS + 1;
  bool *needed = agpu__allocate(picture->edge_count, sizeof(*needed));
  AGPU__OWNED step *steps = agpu__allocate(picture->edge_count, sizeof(*steps));
  AGPU__OWNED uint64_t *reached =
      agpu__allocate(bodies * words, sizeof(*reached));
  size_t count = list_steps(picture, needed, steps);
  // From the last body: what is reached from those after is known then, and
  // what is nearer comes before what is farther.
  for (size_t end = count; end;) {
    size_t from = steps[end - 1].from, begin = end;
    while (begin && steps[begin - 1].from == from)
      --begin;
    uint64_t *row = &reached[from * words];
    for (size_t i = begin; i < end; ++i) {
      size_t to = steps[i].to;
      uint64_t bit = (uint64_t)1 << to % WORD_BITS;
      if (row[to / WORD_BITS] & bit)
        continue;
      needed[steps[i].edge] = true;
      row[to / WORD_BITS] |= bit;
      for (size_t w = 0; to < bodies && w < words; ++w)
        row[w] |= reached[to * words + w];
    }
    end = begin;
  }
  return needed;
}
