//===- picture.c - The plan as something to look at -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what a picture shows from the plan and the module that it is of, and
// leaves both as they are. Bodies without device work and regions, functions of
// the host mostly, are not in the picture.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <stdlib.h>

static agpu__picture_how how_of(const agpu__dependency *on) {
  switch (on->kind) {
  case AGPU__DEPENDENCY_HOST: return AGPU__HOW_HOST;
  case AGPU__DEPENDENCY_ENQUEUE: return AGPU__HOW_ENQUEUE;
  case AGPU__DEPENDENCY_EVENT: return AGPU__HOW_EVENT;
  case AGPU__DEPENDENCY_CONTINUE: return AGPU__HOW_STREAM;
  case AGPU__DEPENDENCY_IMPLIED: return AGPU__HOW_IMPLIED;
  }
  return AGPU__HOW_EVENT;
}

static void add_dependencies(agpu__picture *picture, size_t number) {
  const agpu__body *body = &picture->plan->bodies[number];
  for (size_t i = 0; i < body->dependency_count; ++i)
    agpu__picture_add_sources(
        picture, mlirOperationGetOperand(body->op, (intptr_t)i),
        (agpu__picture_edge){
            .from = body->dependencies[i].from,
            .maybe = AGPU__NO_BODY,
            .to = number,
            .operand = (int)i,
            .at = body->op,
            .how = how_of(&body->dependencies[i]),
            .text = agpu__plan_words_of_dependency(picture->plan, body, i)});
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The body around that of number `number`, or AGPU__NO_BODY.
static size_t parent_of(const agpu__plan *plan, size_t number) {
  const agpu__body *body =
      agpu__plan_find(plan, agpu__body_of(plan->bodies[number].op));
  return body ? (size_t)(body - plan->bodies) : AGPU__NO_BODY;
}

static char *name_of(const agpu__body *body) {
  MlirStringRef name = agpu__op_is(body->op, "async.execute")
                           ? agpu__name_of(mlirOperationGetLocation(body->op))
                           : agpu__get_string(body->op, "sym_name");
  return name.length ? agpu__format("%.*s", AGPU__STR(name)) : NULL;
}

void agpu__picture_create(const agpu__plan *plan, agpu__picture *out_picture) {
  *out_picture = (agpu__picture){.plan = plan};
  out_picture->nodes = calloc(plan->count + 1, sizeof(*out_picture->nodes));
  AGPU__OWNED size_t *node_of = calloc(plan->count + 1, sizeof(*node_of));
  if (!out_picture->nodes || !node_of)
    agpu__out_of_memory();
  for (size_t i = 0; i < plan->count; ++i) {
    if (!plan->bodies[i].is_shown)
      continue;
    node_of[i] = out_picture->node_count++;
    agpu__picture_node *node = &out_picture->nodes[node_of[i]];
    node->body = node->function = i;
    node->name = name_of(&plan->bodies[i]);
    node->parent = parent_of(plan, i);
    if (node->parent != AGPU__NO_BODY) {
      agpu__picture_node *parent = &out_picture->nodes[node_of[node->parent]];
      node->function = parent->function;
      parent->has_inner = true;
    }
    add_dependencies(out_picture, i);
    agpu__picture_items(out_picture, node);
  }
}

void agpu__picture_free(agpu__picture *picture) {
  for (size_t i = 0; i < picture->node_count; ++i) {
    for (size_t k = 0; k < picture->nodes[i].item_count; ++k)
      free(picture->nodes[i].items[k].text);
    free(picture->nodes[i].items);
    free(picture->nodes[i].name);
  }
  for (size_t i = 0; i < picture->edge_count; ++i)
    free(picture->edges[i].text);
  free(picture->nodes);
  free(picture->edges);
  memset(picture, 0, sizeof(*picture));
}
