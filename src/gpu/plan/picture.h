//===- picture.h - The plan as something to look at -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a picture of the plan shows: regions, the functions that they stand in,
// what each does in order, and what waits for what, and how. Made from the plan
// that the passes apply; two writers print it, as dot text and as JSON.
// docs/formats.md describes the JSON.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLAN_PICTURE_H
#define ASYNC_GPU_GPU_PLAN_PICTURE_H

#include "gpu/plan/plan.h"

typedef enum agpu__picture_item_kind {
  AGPU__ITEM_KERNEL,
  AGPU__ITEM_COPY,
  AGPU__ITEM_FILL,
  AGPU__ITEM_ALLOC,
  AGPU__ITEM_FREE,
  AGPU__ITEM_ENQUEUE, ///< any other work of the region's stream
  AGPU__ITEM_AWAIT,
  AGPU__ITEM_SPAWN,
  AGPU__ITEM_WAIT, ///< the host waits for the region's stream
  AGPU__ITEM_HOST, ///< ops of the host, as many as follow each other
  AGPU__ITEM_LOOP, ///< control flow around the items after it that are deeper
} agpu__picture_item_kind;

/// One thing that a region does.
typedef struct agpu__picture_item {
  agpu__picture_item_kind kind;
  int depth;        ///< how many items of control flow it stands in
  char *text;       ///< what it is, beside its kind
  MlirOperation op; ///< of several, the first
  size_t body;      ///< SPAWN: which; else AGPU__NO_BODY
} agpu__picture_item;

/// How a region waits for what it depends on.
typedef enum agpu__picture_how {
  AGPU__HOW_STREAM,  ///< on the same stream: nothing to do
  AGPU__HOW_EVENT,   ///< its stream waits for an event
  AGPU__HOW_ENQUEUE, ///< host work: enqueued when that is done
  AGPU__HOW_HOST,    ///< the host waits
  AGPU__HOW_IMPLIED, ///< nothing: another edge says it
} agpu__picture_how;

typedef struct agpu__picture_edge {
  size_t from; ///< a body; AGPU__NO_BODY: the run settles which
  /// Of the bodies that it may come from then (a loop hands it on), one for
  /// each edge, beside the one without any; else AGPU__NO_BODY.
  size_t maybe;
  size_t to;
  int operand;      ///< of `to`; -1: it is no dependency, but stands inside
  MlirOperation at; ///< where `to` waits
  agpu__picture_how how;
  char *text; ///< the same in words
} agpu__picture_edge;

typedef struct agpu__picture_node {
  size_t body;     ///< which of the plan's
  char *name;      ///< in the source: of the value that it gives, of a function
  size_t parent;   ///< the body that it stands in, or AGPU__NO_BODY
  size_t function; ///< the outermost of those, which may be itself
  bool has_inner;  ///< other nodes stand in it
  agpu__picture_item *items;
  size_t item_count, item_capacity;
} agpu__picture_node;

typedef struct agpu__picture {
  const agpu__plan *plan;
  agpu__picture_node *nodes; ///< in program order, outer ones first
  size_t node_count;
  agpu__picture_edge *edges; ///< in the order of `to`
  size_t edge_count, edge_capacity;
} agpu__picture;

/// Both live as long as `picture`. Free with agpu__picture_free.
void agpu__picture_create(const agpu__plan *plan, agpu__picture *out_picture);
void agpu__picture_free(agpu__picture *picture);

/// For picture.c: fills in what `node` does, and appends an edge for each wait
/// that stands in it.
void agpu__picture_items(agpu__picture *picture, agpu__picture_node *node);

/// For the files of pictures: appends an edge, whose text is then the
/// picture's.
void agpu__picture_add_edge(agpu__picture *picture, agpu__picture_edge edge);

/// Appends edges from the regions that may give `value`, where `edge.from` is
/// not known; else just `edge`.
void agpu__picture_add_sources(agpu__picture *picture, MlirValue value,
                               agpu__picture_edge edge);

/// Tells for each edge whether it is needed where there are too many to draw:
/// there is no longer way between its ends, and no earlier edge, and something
/// waits for it. The caller frees the array. Takes memory by the square of the
/// plan's bodies.
bool *agpu__picture_find_needed(const agpu__picture *picture);

/// Where the box of a node is, in points: the middle of its upper side, with
/// `y` downwards; its size is an estimate.
typedef struct agpu__picture_place {
  double x, y, width, height;
} agpu__picture_place;

/// A place for each node, with arrows as `needed` tells (above), in next to
/// linear time. The caller frees the array.
agpu__picture_place *agpu__picture_lay_out(const agpu__picture *picture,
                                           const bool *needed);

/// True if the item is not drawn: it says the same as the one before it, beside
/// which it is counted, or it starts a region that has a box of its own.
bool agpu__picture_item_is_repeated(const agpu__picture_node *node,
                                    size_t item);

/// "kernel", "copy", ...: the words of the JSON.
const char *agpu__picture_item_name(agpu__picture_item_kind kind);
/// "same-stream", "event", ...
const char *agpu__picture_how_name(agpu__picture_how how);

/// Append the picture in the language of Graphviz, and as JSON.
void agpu__picture_print_dot(const agpu__picture *picture, agpu__text *out);
void agpu__picture_print_json(const agpu__picture *picture, agpu__text *out);

//===----------------------------------------------------------------------===//
// Graphs in pictures of the plan
//===----------------------------------------------------------------------===//

/// A part of the program that may become graphs when it runs, as a pass after
/// the plan finds it.
typedef struct agpu__picture_part {
  size_t number;
  int64_t work;    ///< pieces of it a round
  int64_t rounds;  ///< a graph
  bool is_fixed;   ///< all rounds are the same
  bool is_certain; ///< a graph is asked for: the run does not decide
  agpu__place place;
  int64_t region; ///< the plan's number of what it stands in; -1: not known
} agpu__picture_part;

/// "2 pieces of work a round, always the same, 14 rounds a graph"; the caller
/// frees it.
char *agpu__picture_part_text(const agpu__picture_part *part);

/// Calls `found` for each part that passes of this thread find from now on;
/// NULL: nothing any more.
void agpu__picture_on_part(void (*found)(const agpu__picture_part *part,
                                         void *data),
                           void *data);
void agpu__picture_tell_part(const agpu__picture_part *part);

/// Append the part in the language of Graphviz, and as JSON.
void agpu__picture_print_part_dot(const agpu__picture_part *part,
                                  agpu__text *out);
void agpu__picture_print_part_json(const agpu__picture_part *part,
                                   agpu__text *out);

#endif // ASYNC_GPU_GPU_PLAN_PICTURE_H
