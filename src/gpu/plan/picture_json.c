//===- picture_json.c - The plan as JSON -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One object: regions in program order, and edges. docs/formats.md says what
// each field means; a change of one changes the version and that page.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

static void print_text(const char *key, const char *text, agpu__text *out) {
  agpu__text_printf(out, "\"%s\": ", key);
  if (text)
    agpu__text_json(out, text, strlen(text));
  else
    agpu__text_puts(out, "null");
}

/// `"key": 3`, the number of that body, or null for AGPU__NO_BODY.
static void print_body(const agpu__plan *plan, const char *key, size_t body,
                       agpu__text *out) {
  if (body == AGPU__NO_BODY)
    agpu__text_printf(out, "\"%s\": null", key);
  else
    agpu__text_printf(out, "\"%s\": %zu", key, plan->bodies[body].number);
}

static void print_place(MlirOperation op, agpu__text *out) {
  agpu__place place = agpu__place_of(mlirOperationGetLocation(op));
  if (!place.file.data) {
    agpu__text_puts(out, "\"place\": null");
    return;
  }
  agpu__text_puts(out, "\"place\": {\"file\": ");
  agpu__text_json(out, place.file.data, place.file.length);
  agpu__text_printf(out, ", \"line\": %d, \"column\": %d}", place.line,
                    place.column);
}

static void print_item(const agpu__plan *plan, const agpu__picture_item *item,
                       agpu__text *out) {
  agpu__text_printf(out, "{\"kind\": \"%s\", \"depth\": %d, ",
                    agpu__picture_item_name(item->kind), item->depth);
  print_text("text", item->text, out);
  if (item->body != AGPU__NO_BODY)
    agpu__text_printf(out, ", \"region\": %zu",
                      plan->bodies[item->body].number);
  if (item->kind == AGPU__ITEM_KERNEL) {
    MlirStringRef kernel =
        mlirSymbolRefAttrGetLeafReference(agpu__attr(item->op, "kernel"));
    agpu__text_puts(out, ", \"kernel\": ");
    agpu__text_json(out, kernel.data, kernel.length);
  }
  agpu__text_puts(out, ", ");
  print_place(item->op, out);
  agpu__text_puts(out, "}");
}

static void print_node(const agpu__plan *plan, const agpu__picture_node *node,
                       agpu__text *out) {
  const agpu__body *body = &plan->bodies[node->body];
  MlirStringRef op = agpu__op_name(body->op);
  agpu__text_printf(out, "    {\"id\": %zu, ", body->number);
  print_text("name", node->name, out);
  agpu__text_printf(out, ", \"op\": \"%.*s\", \"kind\": \"%s\", ",
                    AGPU__STR(op), agpu__body_kind_name(body->kind));
  if (body->stream < 0)
    agpu__text_puts(out, "\"stream\": null, ");
  else
    agpu__text_printf(out, "\"stream\": %d, ", body->stream);
  const agpu__dependency *unknown = agpu__plan_unknown_stream(body);
  if (unknown)
    agpu__text_printf(out, "\"or_stream_of_operand\": %td, ",
                      unknown - body->dependencies);
  if (agpu__priority_of(body->op))
    agpu__text_printf(out, "\"priority\": %d, ", agpu__priority_of(body->op));
  print_body(plan, "parent", node->parent, out);
  agpu__text_puts(out, ", ");
  print_body(plan, "function", node->function, out);
  agpu__text_puts(out, ",\n     ");
  print_place(body->op, out);
  agpu__text_puts(out, ",\n     \"items\": [");
  for (size_t i = 0; i < node->item_count; ++i) {
    agpu__text_puts(out, i ? ",\n       " : "\n       ");
    print_item(plan, &node->items[i], out);
  }
  agpu__text_puts(out, "]}");
}

static void print_edge(const agpu__plan *plan, const agpu__picture_edge *edge,
                       agpu__text *out) {
  agpu__text_puts(out, "    {");
  print_body(plan, "from", edge->from, out);
  if (edge->maybe != AGPU__NO_BODY) {
    agpu__text_puts(out, ", ");
    print_body(plan, "maybe", edge->maybe, out);
  }
  agpu__text_printf(out, ", \"to\": %zu, ", plan->bodies[edge->to].number);
  if (edge->operand < 0)
    agpu__text_puts(out, "\"operand\": null, ");
  else
    agpu__text_printf(out, "\"operand\": %d, ", edge->operand);
  agpu__text_printf(out, "\"how\": \"%s\", ",
                    agpu__picture_how_name(edge->how));
  print_text("text", edge->text, out);
  agpu__text_puts(out, ", ");
  print_place(edge->at, out);
  agpu__text_puts(out, "}");
}

void agpu__picture_print_json(const agpu__picture *picture, agpu__text *out) {
  agpu__text_printf(out,
                    "{\n  \"format\": \"async-gpu-plan\",\n  \"version\": 1,\n"
                    "  \"streams\": %d,\n  \"regions\": [",
                    picture->plan->stream_count);
  for (size_t i = 0; i < picture->node_count; ++i) {
    agpu__text_puts(out, i ? ",\n" : "\n");
    print_node(picture->plan, &picture->nodes[i], out);
  }
  agpu__text_puts(out, "],\n  \"edges\": [");
  for (size_t i = 0; i < picture->edge_count; ++i) {
    agpu__text_puts(out, i ? ",\n" : "\n");
    print_edge(picture->plan, &picture->edges[i], out);
  }
  agpu__text_puts(out, "]\n}\n");
}
