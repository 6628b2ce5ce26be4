//===- picture_items.c - What a region does, to be looked at -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of a body in program order as a person would list them: device work
// one by one, what the host computes in between as one item, loops and branches
// only where they hold something to show. Awaits and regions that start after
// the body's stream are edges too.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/picture.h"

#include <stdio.h>
#include <stdlib.h>

const char *agpu__picture_item_name(agpu__picture_item_kind kind) {
  static const char *const names[] = {"kernel", "copy",    "fill",  "alloc",
                                      "free",   "enqueue", "await", "spawn",
                                      "wait",   "host",    "loop"};
  return names[kind];
}

bool agpu__picture_item_is_repeated(const agpu__picture_node *node,
                                    size_t item) {
  const agpu__picture_item *at = &node->items[item];
  // Regions that are not spawned in a loop are in the picture anyway.
  if (at->kind == AGPU__ITEM_SPAWN && !at->depth)
    return true;
  while (item-- > 0) {
    const agpu__picture_item *before = &node->items[item];
    if (before->kind == AGPU__ITEM_SPAWN && !before->depth)
      continue;
    return before->kind == at->kind && before->depth == at->depth &&
           at->kind != AGPU__ITEM_LOOP && strcmp(before->text, at->text) == 0;
  }
  return false;
}

/// What has been shown of a body so far.
typedef struct writer {
  agpu__picture *picture;
  agpu__picture_node *node;
  const agpu__body *body;
  size_t waits, spawns; ///< of the body that have been met
  int depth;
  /// Of the last item, if it is of the host: what is in its text, by the
  /// addresses of names, and the text's length and room.
  agpu__map names;
  size_t length, capacity;
} writer;

/// Takes `text` over.
static agpu__picture_item *add(writer *w, agpu__picture_item_kind kind,
                               MlirOperation op, char *text) {
  agpu__picture_node *node = w->node;
  node->items = agpu__grow(node->items, node->item_count, &node->item_capacity,
                           sizeof(*node->items));
  agpu__picture_item *item = &node->items[node->item_count++];
  *item = (agpu__picture_item){.kind = kind,
                               .depth = w->depth,
                               .text = text,
                               .op = op,
                               .body = AGPU__NO_BODY};
  return item;
}

//===----------------------------------------------------------------------===//
// Device work
//===----------------------------------------------------------------------===//

/// Appends x, y and z of a launch, operands from number `first` on, without the
/// ones at the end: "4", "8x2", "?x4".
static void append_sizes(MlirOperation op, intptr_t first, agpu__text *out) {
  int64_t sizes[3];
  int count = 1;
  for (int i = 0; i < 3; ++i) {
    if (!agpu__known_number(mlirOperationGetOperand(op, first + i), &sizes[i]))
      sizes[i] = -1;
    if (sizes[i] != 1)
      count = i + 1;
  }
  for (int i = 0; i < count; ++i) {
    agpu__text_puts(out, i ? "x" : "");
    if (sizes[i] < 0)
      agpu__text_puts(out, "?");
    else
      agpu__text_printf(out, "%lld", (long long)sizes[i]);
  }
}

/// "squares, 4 blocks of 256"
static char *text_of_launch(MlirOperation op) {
  agpu__text text = {0};
  MlirStringRef name =
      mlirSymbolRefAttrGetLeafReference(agpu__attr(op, "kernel"));
  intptr_t sizes = agpu__async_dependency_count(op);
  agpu__text_printf(&text, "%.*s, ", AGPU__STR(name));
  append_sizes(op, sizes, &text);
  agpu__text_puts(&text, " blocks of ");
  append_sizes(op, sizes + 3, &text);
  return agpu__text_take(&text);
}

/// The type of the memory that an op is about, without what all have.
static char *text_of_memory(MlirValue memory) {
  char *type = agpu__type_text(mlirValueGetType(memory));
  size_t size = strlen(type);
  static const char prefix[] = "memref<";
  if (strncmp(type, prefix, strlen(prefix)) != 0 || type[size - 1] != '>')
    return type;
  memmove(type, type + strlen(prefix), size - strlen(prefix));
  type[size - strlen(prefix) - 1] = '\0';
  return type;
}

/// What an op of the device that is no launch does to memory.
static agpu__picture_item_kind kind_of(const agpu__op_row *row) {
  if (row->class == AGPU__OP_ALLOCATES)
    return AGPU__ITEM_ALLOC;
  if (row->class != AGPU__OP_ACCESSES || !(row->traits & AGPU__OP_COVERS))
    return AGPU__ITEM_ENQUEUE;
  if (row->traits & AGPU__OP_RELEASES)
    return AGPU__ITEM_FREE;
  return row->reads ? AGPU__ITEM_COPY : AGPU__ITEM_FILL;
}

static void add_gpu_op(writer *w, MlirOperation op) {
  const agpu__op_row *row = agpu__row_of(op);
  if (row->class == AGPU__OP_LAUNCH) {
    add(w, AGPU__ITEM_KERNEL, op, text_of_launch(op));
    return;
  }
  agpu__picture_item_kind kind = kind_of(row);
  if (kind != AGPU__ITEM_ENQUEUE) {
    MlirValue memory =
        kind == AGPU__ITEM_ALLOC
            ? agpu__result(op, 0)
            : mlirOperationGetOperand(op, agpu__async_dependency_count(op));
    add(w, kind, op, text_of_memory(memory));
    return;
  }
  MlirStringRef name =
      agpu__is_enqueue_call(op)
          ? mlirFlatSymbolRefAttrGetValue(agpu__attr(op, "callee"))
          : agpu__op_name(op);
  add(w, AGPU__ITEM_ENQUEUE, op, agpu__format("%.*s", AGPU__STR(name)));
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// Appends `text` to the item's.
static void append(writer *w, agpu__picture_item *item, MlirStringRef text,
                   const char *before) {
  size_t more = strlen(before) + text.length + 1;
  if (w->length + more > w->capacity) {
    w->capacity = 2 * (w->length + more);
    item->text = realloc(item->text, w->capacity);
    if (!item->text)
      agpu__out_of_memory();
  }
  w->length += (size_t)snprintf(item->text + w->length, more, "%s%.*s", before,
                                AGPU__STR(text));
}

/// Adds an op of the host to the item before it, if that is one too: each name
/// once.
static void add_host_op(writer *w, MlirOperation op) {
  bool is_call = agpu__op_is(op, "func.call");
  MlirAttribute callee =
      is_call ? agpu__attr(op, "callee") : (MlirAttribute){NULL};
  const void *key = is_call ? callee.ptr : mlirOperationGetName(op).ptr;
  MlirStringRef name =
      is_call ? mlirFlatSymbolRefAttrGetValue(callee) : agpu__op_name(op);
  agpu__picture_node *node = w->node;
  agpu__picture_item *last =
      node->item_count ? &node->items[node->item_count - 1] : NULL;
  bool is_new =
      !last || last->kind != AGPU__ITEM_HOST || last->depth != w->depth;
  if (is_new) {
    last = add(w, AGPU__ITEM_HOST, op, NULL);
    agpu__map_free(&w->names);
    w->names = (agpu__map){0};
    w->length = w->capacity = 0;
  } else if (agpu__map_get(&w->names, key) != AGPU__MAP_NONE) {
    return;
  }
  agpu__map_set(&w->names, key, 0);
  if (!is_new)
    append(w, last, agpu__str(", "), "");
  append(w, last, name, is_call ? "@" : "");
}

/// The bodies that give what `op` awaits become edges, and its name.
static void add_await(writer *w, MlirOperation op) {
  bool on_stream = w->body->stream >= 0 && agpu__op_is(op, "async.await");
  add(w, AGPU__ITEM_AWAIT, op,
      agpu__format("%s", on_stream ? "the stream waits" : "the host waits"));
  AGPU__SCOPED(values) awaited = {0};
  MlirValue operand = mlirOperationGetOperand(op, 0);
  if (agpu__op_is(op, "async.await")) {
    agpu__values_push(&awaited, operand);
  } else {
    AGPU__USES_FOREACH (use, operand)
      if (agpu__op_is(mlirOpOperandGetOwner(use), "async.add_to_group"))
        agpu__values_push(
            &awaited, mlirOperationGetOperand(mlirOpOperandGetOwner(use), 0));
  }
  const agpu__plan *plan = w->picture->plan;
  // Uses come in the order opposite to that of the program.
  for (size_t i = awaited.count; i-- > 0;) {
    MlirValue value = awaited.data[i];
    const agpu__body *from =
        mlirValueIsAOpResult(value)
            ? agpu__plan_find(plan, mlirOpResultGetOwner(value))
            : NULL;
    agpu__picture_add_sources(
        w->picture, value,
        (agpu__picture_edge){
            .from = from ? (size_t)(from - plan->bodies) : AGPU__NO_BODY,
            .maybe = AGPU__NO_BODY,
            .to = w->node->body,
            .operand = -1,
            .at = op,
            .how = on_stream ? AGPU__HOW_EVENT : AGPU__HOW_HOST,
            .text =
                agpu__format("%s", on_stream ? "event" : "the host waits")});
  }
}

/// A region that `w`'s body starts.
static void add_spawn(writer *w, MlirOperation op, bool depends) {
  const agpu__plan *plan = w->picture->plan;
  size_t number = (size_t)(agpu__plan_find(plan, op) - plan->bodies);
  MlirStringRef name = agpu__name_of(mlirOperationGetLocation(op));
  agpu__picture_item *item = add(
      w, AGPU__ITEM_SPAWN, op,
      name.length ? agpu__format("%.*s", AGPU__STR(name))
                  : agpu__format("region %zu", plan->bodies[number].number));
  item->body = number;
  if (depends)
    agpu__picture_add_edge(
        w->picture, (agpu__picture_edge){
                        .from = w->node->body,
                        .maybe = AGPU__NO_BODY,
                        .to = number,
                        .operand = -1,
                        .at = op,
                        .how = AGPU__HOW_EVENT,
                        .text = agpu__format("event, after the work so far")});
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static void visit_region(writer *w, MlirRegion region);

/// True if `op` is the next in the list, which it then takes off.
static bool take(const agpu__ops *ops, size_t *done, MlirOperation op) {
  if (*done == ops->count || !mlirOperationEqual(ops->data[*done], op))
    return false;
  ++*done;
  return true;
}

/// Ops that hold others: an item, if something inside is one.
static void visit_inner(writer *w, MlirOperation op) {
  MlirStringRef name = agpu__op_name(op);
  size_t count = w->node->item_count;
  add(w, AGPU__ITEM_LOOP, op, agpu__format("%.*s", AGPU__STR(name)));
  ++w->depth;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    visit_region(w, mlirOperationGetRegion(op, i));
  --w->depth;
  if (w->node->item_count == count + 1) {
    free(w->node->items[count].text);
    w->node->item_count = count;
  }
}

static void visit_op(writer *w, MlirOperation op) {
  if (take(&w->body->waits, &w->waits, op))
    add(w, AGPU__ITEM_WAIT, op, agpu__plan_words_of_wait(op));
  bool depends = take(&w->body->spawns, &w->spawns, op);
  switch (agpu__effect_in(&w->picture->plan->effects, op)) {
  case AGPU__EFFECT_SPAWNS: add_spawn(w, op, depends); return;
  case AGPU__EFFECT_ENQUEUES: add_gpu_op(w, op); return;
  case AGPU__EFFECT_AWAITS: add_await(w, op); return;
  case AGPU__EFFECT_OBSERVES: add_host_op(w, op); return;
  case AGPU__EFFECT_NONE:
    if (agpu__op_is(op, "async.await_all"))
      add_await(w, op);
    return;
  case AGPU__EFFECT_STRUCTURE:
    if (mlirOperationGetNumRegions(op))
      visit_inner(w, op);
    return;
  }
}

static void visit_region(writer *w, MlirRegion region) {
  AGPU__BLOCKS_FOREACH (block, region)
    AGPU__OPS_FOREACH (op, block)
      visit_op(w, op);
}

void agpu__picture_items(agpu__picture *picture, agpu__picture_node *node) {
  writer w = {.picture = picture,
              .node = node,
              .body = &picture->plan->bodies[node->body]};
  visit_region(&w, mlirOperationGetRegion(w.body->op, 0));
  agpu__map_free(&w.names);
}

//===----------------------------------------------------------------------===//
// What waits for what, to be looked at
//
// The list of edges of a picture. Where a token comes out of a loop or a branch
// the edge has copies, one for each region that may have given it.
//===----------------------------------------------------------------------===//

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
