//===- picture_dot.c - The plan for Graphviz -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node for each region, with what it does as rows of a table, in a frame for
// each function or region that holds others; an edge for each wait. Streams
// have colours, which repeat after eight; kinds differ in their frame, so that
// nothing is told by colour alone. Graphviz finds places for them, except in
// large plans. Nodes and edges have ids, `region-N` and `edge-N`, by which a
// page with the drawing finds them.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <math.h>
#include <stdlib.h>

/// A picture of more nodes has no edges beside longer ways, and words of edges
/// when they are pointed at. Graphviz takes minutes for hundreds of nodes
/// else: a label is a layer of its own, and an edge a node in each that it
/// passes. One of still more nodes has its places from here.
enum { MOST_WITH_WORDS = 32, MOST_BY_GRAPHVIZ = 150, MOST_REDUCED = 10000 };

/// Letters of the second line of a box, as a rule.
enum { SECOND_LINE = 42 };

/// Of streams; told apart with any kind of colour vision, dark enough for white
/// letters on them.
static const char *const colours[] = {"#0072b2", "#b34700", "#00755a",
                                      "#8f3f71", "#5a5a00", "#3d5a80",
                                      "#9c2f2f", "#4a3f8f"};
static const char host_colour[] = "#5c6370";

static const char *colour_of(const agpu__body *body) {
  return body->stream < 0
             ? host_colour
             : colours[(size_t)body->stream % (AGPU__COUNT(colours))];
}

/// Text in HTML.
static void print_html(const char *text, size_t size, agpu__text *out) {
  for (size_t i = 0; i < size; ++i)
    switch (text[i]) {
    case '&': agpu__text_puts(out, "&amp;"); break;
    case '<': agpu__text_puts(out, "&lt;"); break;
    case '>': agpu__text_puts(out, "&gt;"); break;
    case '"': agpu__text_puts(out, "&quot;"); break;
    default: agpu__text_append(out, &text[i], 1);
    }
}

/// "file.mlir:12", without the folder.
static void print_place(MlirOperation op, agpu__text *out) {
  agpu__place place = agpu__place_of(mlirOperationGetLocation(op));
  if (!place.file.data)
    return;
  const char *slash = memrchr(place.file.data, '/', place.file.length);
  const char *name = slash ? slash + 1 : place.file.data;
  print_html(name, place.file.length - (size_t)(name - place.file.data), out);
  agpu__text_printf(out, ":%d", place.line);
}

static void print_title(const agpu__body *body, const agpu__picture_node *node,
                        agpu__text *out) {
  if (!agpu__op_is(body->op, "async.execute"))
    agpu__text_puts(out, "@");
  if (node->name)
    print_html(node->name, strlen(node->name), out);
  else
    agpu__text_printf(out, "region %zu", body->number);
}

/// Room at the end of a text of so many letters: who looks at the picture may
/// have another font than Graphviz measured, up to a sixth wider.
static void print_room(size_t letters, agpu__text *out) {
  for (size_t i = 0; i < letters; i += 6)
    agpu__text_puts(out, "&#160;");
}

static void print_row(const agpu__picture_item *item, size_t times,
                      agpu__text *out) {
  agpu__text_puts(out, "<TR><TD ALIGN=\"LEFT\">");
  for (int i = 0; i < item->depth; ++i)
    agpu__text_puts(out, "&#160;&#160;");
  const char *name = item->kind == AGPU__ITEM_WAIT    ? "the host waits: "
                     : item->kind == AGPU__ITEM_AWAIT ? "await: "
                     : item->kind == AGPU__ITEM_LOOP
                         ? ""
                         : agpu__picture_item_name(item->kind);
  bool is_wait =
      item->kind == AGPU__ITEM_WAIT || item->kind == AGPU__ITEM_AWAIT;
  if (is_wait)
    agpu__text_printf(out, "<I>%s", name);
  else if (*name)
    agpu__text_printf(out, "<B>%s</B>&#160;", name);
  print_html(item->text, strlen(item->text), out);
  if (times > 1)
    agpu__text_printf(out, " (%zu times)", times);
  if (is_wait)
    agpu__text_puts(out, "</I>");
  print_room(strlen(item->text) + strlen(name), out);
  agpu__text_puts(out, "</TD></TR>");
}

static void print_node(const agpu__picture *picture,
                       const agpu__picture_node *node,
                       const agpu__picture_place *place, agpu__text *out) {
  const agpu__body *body = &picture->plan->bodies[node->body];
  const char *colour = colour_of(body);
  const char *kind = agpu__body_kind_name(body->kind);
  agpu__text_printf(
      out,
      "  r%zu [id=\"region-%zu\" class=\"%s\" tooltip=\"region %zu\" label=<"
      "<TABLE BORDER=\"%d\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
      "CELLPADDING=\"3\" COLOR=\"%s\" BGCOLOR=\"white\"%s>"
      "<TR><TD BGCOLOR=\"%s\"><FONT COLOR=\"white\"><B>",
      body->number, body->number, kind, body->number,
      body->kind == AGPU__BODY_MIXED ? 3 : 1, colour,
      body->kind == AGPU__BODY_HOST ? " STYLE=\"ROUNDED\"" : "", colour);
  print_title(body, node, out);
  // It is in the middle: half as much on each side would be enough.
  print_room(node->name ? strlen(node->name) : 0, out);
  agpu__text_printf(out, "</B></FONT></TD></TR><TR><TD>region %zu: %s",
                    body->number, kind);
  const agpu__dependency *unknown = agpu__plan_unknown_stream(body);
  if (unknown)
    agpu__text_printf(out, ", stream of operand %td or %d",
                      unknown - body->dependencies, body->stream);
  else if (body->stream >= 0)
    agpu__text_printf(out, ", stream %d", body->stream);
  if (agpu__priority_of(body->op))
    agpu__text_printf(out, ", priority %d", agpu__priority_of(body->op));
  agpu__text_puts(out, ", ");
  print_place(body->op, out);
  print_room(SECOND_LINE, out);
  agpu__text_puts(out, "</TD></TR>");
  for (size_t i = 0; i < node->item_count; ++i) {
    const agpu__picture_item *item = &node->items[i];
    if (agpu__picture_item_is_repeated(node, i))
      continue;
    size_t times = 1;
    for (size_t k = i + 1;
         k < node->item_count && agpu__picture_item_is_repeated(node, k); ++k)
      times += node->items[k].kind == item->kind &&
               node->items[k].depth == item->depth;
    print_row(item, times, out);
  }
  agpu__text_puts(out, "</TABLE>>");
  if (place)
    agpu__text_printf(out, " pos=\"%.0f,%.0f\"", place->x,
                      -place->y - place->height / 2);
  agpu__text_puts(out, "];\n");
}

/// A node, and a frame around it and those that stand in it. Returns the number
/// of nodes after them.
static size_t print_tree(const agpu__picture *picture, size_t index,
                         agpu__text *out) {
  const agpu__picture_node *node = &picture->nodes[index];
  if (!node->has_inner) {
    print_node(picture, node, NULL, out);
    return index + 1;
  }
  agpu__text_printf(out,
                    "  subgraph cluster_%zu { style=\"rounded,dashed\"; "
                    "color=\"#9aa0a6\"; fontcolor=\"#5c6370\"; label=<in ",
                    node->body);
  print_title(&picture->plan->bodies[node->body], node, out);
  agpu__text_puts(out, ">;\n");
  print_node(picture, node, NULL, out);
  size_t next = index + 1;
  while (next < picture->node_count &&
         picture->nodes[next].parent == node->body)
    next = print_tree(picture, next, out);
  agpu__text_puts(out, "  }\n");
  return next;
}

static void print_edge(const agpu__plan *plan, const agpu__picture_edge *edge,
                       size_t number, bool is_large, agpu__text *out) {
  static const char *const styles[] = {
      [AGPU__HOW_STREAM] = "penwidth=2",
      [AGPU__HOW_EVENT] = "",
      [AGPU__HOW_ENQUEUE] = "style=dashed arrowhead=empty",
      [AGPU__HOW_HOST] = "style=dashed",
      [AGPU__HOW_IMPLIED] = ("style=dotted arrowhead=none constraint=false "
                             "color=\"#9aa0a6\" fontcolor=\"#5c6370\"")};
  size_t from = edge->from == AGPU__NO_BODY ? edge->maybe : edge->from;
  if (from == AGPU__NO_BODY)
    return; // of an argument: from elsewhere
  agpu__text_printf(out, "  r%zu -> r%zu [id=\"edge-%zu\" %s=\"%s%s\" %s];\n",
                    plan->bodies[from].number, plan->bodies[edge->to].number,
                    number, is_large ? "tooltip" : "label",
                    edge->from == AGPU__NO_BODY ? "perhaps: " : "", edge->text,
                    styles[edge->how]);
}

/// The nodes at places of our own, and a frame, which is drawn first, around
/// each function that has several.
static void print_places(const agpu__picture *picture, const bool *needed,
                         agpu__text *out) {
  const double margin = 20, title = 20;
  AGPU__OWNED agpu__picture_place *places =
      agpu__picture_lay_out(picture, needed);
  agpu__text_printf(
      out,
      "  graph [layout=nop outputorder=edgesfirst labelloc=t labeljust=l "
      "fontsize=28 label=\"%zu boxes, in a simple layout. Left out: arrows "
      "beside a longer way, and to the box that a region stands in. Point at "
      "an arrow for what it is.\"];\n",
      picture->node_count);
  for (size_t i = 0, next; i < picture->node_count; i = next) {
    double left = 0, right = 0, bottom = places[i].y, top = places[i].y;
    for (next = i; next < picture->node_count &&
                   picture->nodes[next].function == picture->nodes[i].function;
         ++next) {
      const agpu__picture_place *at = &places[next];
      left = fmin(left, at->x - at->width / 2);
      right = fmax(right, at->x + at->width / 2);
      bottom = fmax(bottom, at->y + at->height);
    }
    if (next == i + 1)
      continue;
    left -= margin, right += margin, bottom += margin, top -= margin + title;
    agpu__text_printf(
        out,
        "  f%zu [shape=box fixedsize=true style=\"rounded,dashed\" "
        "color=\"#9aa0a6\" fontcolor=\"#5c6370\" labelloc=t "
        "width=%.2f height=%.2f pos=\"%.0f,%.0f\" label=<in ",
        picture->nodes[i].body, (right - left) / 72, (bottom - top) / 72,
        (left + right) / 2, -(top + bottom) / 2);
    print_title(&picture->plan->bodies[picture->nodes[i].body],
                &picture->nodes[i], out);
    agpu__text_puts(out, ">];\n");
  }
  for (size_t i = 0; i < picture->node_count; ++i)
    print_node(picture, &picture->nodes[i], &places[i], out);
}

/// True if the edge is of a region that is awaited by what it stands in.
static bool is_of_outer(const agpu__picture *picture,
                        const agpu__picture_edge *edge) {
  size_t from = edge->from == AGPU__NO_BODY ? edge->maybe : edge->from;
  if (from == AGPU__NO_BODY || from <= edge->to)
    return false;
  const agpu__body *outer = agpu__plan_find(
      picture->plan, agpu__body_of(picture->plan->bodies[from].op));
  return outer == &picture->plan->bodies[edge->to];
}

void agpu__picture_print_dot(const agpu__picture *picture, agpu__text *out) {
  agpu__text_puts(out,
                  "digraph plan {\n"
                  "  graph [rankdir=TB fontname=\"Helvetica,Arial,sans-serif\" "
                  "fontsize=11 nodesep=0.4 ranksep=0.5];\n"
                  "  node [shape=plain fontname=\"Helvetica,Arial,sans-serif\" "
                  "fontsize=11];\n"
                  "  edge [fontname=\"Helvetica,Arial,sans-serif\" fontsize=10 "
                  "color=\"#3c4043\"];\n");
  bool is_large = picture->node_count > MOST_WITH_WORDS;
  if (is_large) // rounds of Graphviz's that make it only a little tidier
    agpu__text_puts(out, "  graph [splines=line nslimit=1 nslimit1=1 "
                         "mclimit=0.2];\n");
  AGPU__OWNED bool *needed = is_large && picture->plan->count <= MOST_REDUCED
                                 ? agpu__picture_find_needed(picture)
                                 : NULL;
  bool is_placed = needed && picture->node_count > MOST_BY_GRAPHVIZ;
  if (is_placed)
    print_places(picture, needed, out);
  else
    for (size_t i = 0; i < picture->node_count;)
      i = print_tree(picture, i, out);
  for (size_t i = 0; i < picture->edge_count; ++i)
    if ((!needed || needed[i]) &&
        (!is_placed || !is_of_outer(picture, &picture->edges[i])))
      print_edge(picture->plan, &picture->edges[i], i, is_large, out);
  agpu__text_puts(out, "}\n");
}
