//===- picture_edges.c - What waits for what, to be looked at -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list of edges of a picture. Where a token comes out of a loop or a branch
// the edge has copies, one for each region that may have given it.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <stdlib.h>

const char *agpu__picture_how_name(agpu__picture_how how) {
  static const char *const names[] = {"same-stream", "event", "enqueue", "host",
                                      "implied"};
  return names[how];
}

void agpu__picture_add_edge(agpu__picture *picture, agpu__picture_edge edge) {
  picture->edges = agpu__grow(picture->edges, picture->edge_count,
                              &picture->edge_capacity, sizeof(*picture->edges));
  picture->edges[picture->edge_count++] = edge;
}

/// Tokens that loops and branches hand on are followed through so many.
enum { MAX_HANDS = 8 };

/// Appends an edge from each region that may give `value`.
static void add_maybe(agpu__picture *picture, MlirValue value,
                      agpu__picture_edge edge, int hands) {
  if (hands == MAX_HANDS)
    return;
  if (mlirValueIsABlockArgument(value)) {
    MlirBlock block = mlirBlockArgumentGetOwner(value);
    MlirOperation loop = mlirBlockGetParentOperation(block);
    intptr_t number = mlirBlockArgumentGetArgNumber(value) - 1;
    if (!agpu__op_is(loop, "scf.for") || number < 0)
      return;
    add_maybe(picture, mlirOperationGetOperand(loop, 3 + number), edge,
              hands + 1);
    add_maybe(picture,
              mlirOperationGetOperand(mlirBlockGetTerminator(block), number),
              edge, hands + 1);
    return;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  const agpu__body *body = agpu__plan_find(picture->plan, op);
  if (body) {
    edge.maybe = (size_t)(body - picture->plan->bodies);
    for (size_t i = picture->edge_count; i-- > 0;) {
      const agpu__picture_edge *other = &picture->edges[i];
      if (other->to != edge.to || other->operand != edge.operand ||
          !mlirOperationEqual(other->at, edge.at))
        break;
      if (other->maybe == edge.maybe)
        return; // a loop comes to it twice
    }
    edge.text = strdup(edge.text);
    if (!edge.text)
      agpu__out_of_memory();
    agpu__picture_add_edge(picture, edge);
    return;
  }
  if (!agpu__op_is(op, "scf.for") && !agpu__op_is(op, "scf.if"))
    return;
  intptr_t number = mlirOpResultGetResultNumber(value);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = agpu__region_entry(op, i);
    if (!mlirBlockIsNull(block))
      add_maybe(picture,
                mlirOperationGetOperand(mlirBlockGetTerminator(block), number),
                edge, hands + 1);
  }
}

void agpu__picture_add_sources(agpu__picture *picture, MlirValue value,
                               agpu__picture_edge edge) {
  agpu__picture_add_edge(picture, edge);
  if (edge.from == AGPU__NO_BODY)
    add_maybe(picture, value, edge, 0);
}
