//===- picture_layout.c - Where the boxes of a large plan are -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout that takes linear time, nearly, where Graphviz's takes minutes: a
// box is one layer below the lowest of those that it waits for; within a layer
// boxes are in the order of where these are. Wide layers have several rows.
// Functions are below each other. Sizes of boxes are estimates, on the large
// side.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <math.h>
#include <stdlib.h>

// In points, for a font of 11 points.
static const double LETTER = 6, LINE = 20, MARGIN = 14, GAP = 24,
                    LAYER_GAP = 48;
static const double LEAST_WIDTH = 1600; // of a row, before another one begins

/// A node while its place is looked for.
typedef struct box {
  size_t node, layer;
  double wish; ///< where those are that it waits for
} box;

typedef struct layout {
  const agpu__picture *picture;
  agpu__picture_place *places;
  size_t *node_of; ///< by body; AGPU__NO_BODY: not in the picture
  size_t *layers;  ///< by node
  // The nodes that node i waits for: from before_end[i - 1] to before_end[i].
  size_t *before, *before_end;
} layout;

static void measure(const agpu__picture_node *node, agpu__picture_place *out) {
  // "region 1234: device, stream 567, a_file.mlir:1234", and room behind it
  size_t longest = 50, lines = 2;
  if (node->name && strlen(node->name) > longest)
    longest = strlen(node->name);
  for (size_t i = 0; i < node->item_count; ++i) {
    const agpu__picture_item *item = &node->items[i];
    if (agpu__picture_item_is_repeated(node, i))
      continue;
    size_t letters = 2 * (size_t)item->depth + strlen(item->text) + 20;
    letters += letters / 6;
    longest = letters > longest ? letters : longest;
    ++lines;
  }
  out->width = (double)longest * LETTER + MARGIN;
  out->height = (double)lines * LINE + MARGIN;
}

/// Lists for each node those of the same function that it waits for, which are
/// in front of it in the program.
static void list_before(layout *self, const bool *needed) {
  const agpu__picture *picture = self->picture;
  size_t count = 0;
  // Edges are in the order of `to`, as nodes are.
  size_t edge = 0;
  for (size_t i = 0; i < picture->node_count; ++i) {
    const agpu__picture_node *node = &picture->nodes[i];
    while (edge < picture->edge_count && picture->edges[edge].to < node->body)
      ++edge;
    for (; edge < picture->edge_count && picture->edges[edge].to == node->body;
         ++edge) {
      const agpu__picture_edge *at = &picture->edges[edge];
      size_t from = at->from == AGPU__NO_BODY ? at->maybe : at->from;
      if (!needed[edge] || from >= node->body || from == AGPU__NO_BODY)
        continue;
      size_t other = self->node_of[from];
      if (picture->nodes[other].function == node->function)
        self->before[count++] = other;
    }
    self->before_end[i] = count;
  }
}

static size_t first_before(const layout *self, size_t node) {
  return node ? self->before_end[node - 1] : 0;
}

static void find_layers(layout *self) {
  for (size_t i = 0; i < self->picture->node_count; ++i) {
    // A region is below what it stands in.
    size_t parent = self->picture->nodes[i].parent;
    size_t layer =
        parent == AGPU__NO_BODY ? 0 : self->layers[self->node_of[parent]] + 1;
    for (size_t b = first_before(self, i); b < self->before_end[i]; ++b)
      if (self->layers[self->before[b]] >= layer)
        layer = self->layers[self->before[b]] + 1;
    self->layers[i] = layer;
  }
}

static int compare_layers(const void *a, const void *b) {
  const box *left = a, *right = b;
  if (left->layer != right->layer)
    return left->layer < right->layer ? -1 : 1;
  return (left->node > right->node) - (left->node < right->node);
}

static int compare_wishes(const void *a, const void *b) {
  const box *left = a, *right = b;
  if (left->wish != right->wish)
    return left->wish < right->wish ? -1 : 1;
  return (left->node > right->node) - (left->node < right->node);
}

static double find_wish(const layout *self, size_t node) {
  size_t begin = first_before(self, node), count = 0;
  double sum = 0;
  for (size_t b = begin; b < self->before_end[node]; ++b, ++count)
    sum += self->places[self->before[b]].x;
  return count ? sum / (double)count : 0;
}

/// Gives the boxes of one layer their places; returns where the next may begin.
static double place_layer(layout *self, box *boxes, size_t count, double y,
                          double most_width) {
  for (size_t i = 0; i < count; ++i)
    boxes[i].wish = find_wish(self, boxes[i].node);
  qsort(boxes, count, sizeof(*boxes), compare_wishes);
  double x = 0, highest = 0;
  for (size_t i = 0; i < count; ++i) {
    agpu__picture_place *place = &self->places[boxes[i].node];
    double left = boxes[i].wish - place->width / 2;
    // Not so far to the right that those behind it have no room.
    left = fmin(left, x + 2 * place->width);
    left = left > x ? left : x;
    if (x > 0 && left + place->width > most_width) {
      y += highest + GAP;
      highest = left = 0;
    }
    place->x = left + place->width / 2;
    place->y = y;
    x = left + place->width + GAP;
    highest = fmax(highest, place->height);
  }
  return y + highest + LAYER_GAP;
}

/// Places nodes `begin` to `end`, of one function.
static double place_function(layout *self, box *boxes, size_t begin, size_t end,
                             double y) {
  double area = 0;
  for (size_t i = begin; i < end; ++i) {
    boxes[i] = (box){.node = i, .layer = self->layers[i]};
    area += (self->places[i].width + GAP) * (self->places[i].height + GAP);
  }
  double most_width = fmax(LEAST_WIDTH, 2 * sqrt(area));
  qsort(&boxes[begin], end - begin, sizeof(*boxes), compare_layers);
  for (size_t i = begin, next; i < end; i = next) {
    next = i;
    while (next < end && boxes[next].layer == boxes[i].layer)
      ++next;
    y = place_layer(self, &boxes[i], next - i, y, most_width);
  }
  return y + LAYER_GAP;
}

agpu__picture_place *agpu__picture_lay_out(const agpu__picture *picture,
                                           const bool *needed) {
  size_t nodes = picture->node_count, bodies = picture->plan->count;
  layout self = {.picture = picture,
                 .places = agpu__allocate(nodes, sizeof(*self.places)),
                 .node_of = agpu__allocate(bodies, sizeof(*self.node_of)),
                 .layers = agpu__allocate(nodes, sizeof(*self.layers)),
                 .before =
                     agpu__allocate(picture->edge_count, sizeof(*self.before)),
                 .before_end = agpu__allocate(nodes, sizeof(*self.before_end))};
  for (size_t i = 0; i < nodes; ++i) {
    self.node_of[picture->nodes[i].body] = i;
    measure(&picture->nodes[i], &self.places[i]);
  }
  list_before(&self, needed);
  find_layers(&self);
  AGPU__OWNED box *boxes = agpu__allocate(nodes, sizeof(*boxes));
  double y = 0;
  for (size_t i = 0, next; i < nodes; i = next) {
    next = i;
    while (next < nodes &&
           picture->nodes[next].function == picture->nodes[i].function)
      ++next;
    y = place_function(&self, boxes, i, next, y);
  }
  free(self.node_of);
  free(self.layers);
  free(self.before);
  free(self.before_end);
  return self.places;
}

//===----------------------------------------------------------------------===//
// Arrows beside a longer way
//
// The transitive reduction of a picture's edges. A body is two places, its
// begin and its end: what stands in it comes between them, so an edge to it
// from there goes to its end. Bodies are in program order, which edges follow
// but for those that a loop hands round; those stay.
//===----------------------------------------------------------------------===//

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
