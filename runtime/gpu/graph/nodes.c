//===- nodes.c - Work that becomes a graph --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists keep their memory from round to round: once a part has met its
// size, recording it allocates nothing, and a node that is what it was is only
// compared. Parameters of kernels lie after each other as bytes.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/nodes.h"

#include "base/memory/memory.h"

//===----------------------------------------------------------------------===//
// A round
//===----------------------------------------------------------------------===//

/// The nodes from `at` on are no part of the list any more.
static void cut(agpu__node_list *list) {
  list->is_new = true;
  list->dependency_count = list->nodes[list->at].first_dependency;
  list->count = list->at;
  list->value_bytes = 0;
  for (size_t i = 0; i < list->count; ++i) {
    const agpu__node *node = &list->nodes[i];
    size_t end = node->values + node->room;
    if (end > list->value_bytes)
      list->value_bytes = end;
  }
  size_t kept = 0;
  for (size_t i = 0; i < list->changed_count; ++i)
    if (list->changed[i] < list->count)
      list->changed[kept++] = list->changed[i];
  list->changed_count = kept;
}

/// What stays as it is of a node once its graph is built.
typedef struct node_place {
  agpu__node_kind kind;
  uint32_t body, sets;
  const agpu__device *device;
  const uint32_t *dependencies;
  size_t count;
  const void *work; ///< as the node's union has it
} node_place;

static agpu__node *append(agpu__node_list *list, const node_place *place) {
  const size_t count = place->count;
  list->is_new = true;
  list->nodes = agpu__memory_grow(list->nodes, &list->capacity, list->count + 1,
                                  sizeof *list->nodes, "a graph");
  list->dependencies = agpu__memory_grow(
      list->dependencies, &list->dependency_capacity,
      list->dependency_count + count, sizeof *list->dependencies, "a graph");
  agpu__node *node = &list->nodes[list->count++];
  *node = (agpu__node){.kind = place->kind,
                       .first_dependency = (uint32_t)list->dependency_count,
                       .dependency_count = (uint32_t)count};
  for (size_t i = 0; i < count; ++i)
    list->dependencies[list->dependency_count++] = place->dependencies[i];
  return node;
}

// Neither of these has bytes between its members.
#define IS_SAME(a, b) (memcmp((a), (b), sizeof *(a)) == 0)

/// Attributes of nodes stay what they are in an executable graph. Drivers let
/// nothing but one row become another one, of elements of one size.
static inline bool fits_work(const agpu__node *node, const void *work) {
  switch (node->kind) {
  case AGPU__NODE_KERNEL: return agpu__node_has_attributes(&node->launch, work);
  case AGPU__NODE_COPY:
    return (agpu__box_is_row(&node->copy) && agpu__box_is_row(work)) ||
           IS_SAME(&node->copy, (const agpu__box *)work);
  case AGPU__NODE_FILL: {
    const CUDA_MEMSET_NODE_PARAMS *fill = work;
    return (node->fill.height == 1 && fill->height == 1 &&
            node->fill.elementSize == fill->elementSize) ||
           IS_SAME(&node->fill, fill);
  }
  case AGPU__NODE_BRANCH:
    return IS_SAME(&node->branch, (const CUDA_CONDITIONAL_NODE_PARAMS *)work);
  case AGPU__NODE_CALL:
    return node->capture->shape == (*(agpu__capture *const *)work)->shape;
  case AGPU__NODE_HOST: break;
  }
  return true;
}

static inline __attribute__((always_inline)) bool
fits(const agpu__node_list *list, size_t at, const node_place *place) {
  const agpu__node *node = &list->nodes[at];
  const uint32_t *own = list->dependencies + node->first_dependency;
  bool result = node->kind == place->kind && node->body == place->body &&
                node->sets == place->sets && node->device == place->device &&
                node->dependency_count == place->count;
  for (size_t i = 0; result && i < place->count; ++i) // few: no memcmp
    result = own[i] == place->dependencies[i];
  return result && fits_work(node, place->work);
}

/// The round goes on with a node that the list does not have there, or where
/// that is NULL, ends: the list becomes another one, which does, or none.
static void turn(agpu__node_list *list, const node_place *next);

static inline agpu__node *put(agpu__node_list *list, const node_place *place,
                              const agpu__op_name *origin, const void *region) {
  agpu__node *node =
      list->at < list->count ? &list->nodes[list->at] : append(list, place);
  ++list->at;
  node->origin = *origin;
  node->region = region;
  node->body = place->body;
  node->sets = place->sets;
  node->device = place->device;
  return node;
}

/// The round's next node: that of the last round, or another, if it may be
/// told that it is this one.
static inline agpu__node *next(agpu__node_list *list, agpu__node_kind kind,
                               const uint32_t *dependencies, size_t count,
                               const void *work) {
  const node_place place = {kind,         list->body, list->sets, list->device,
                            dependencies, count,      work};
  const agpu__op_name origin = agpu__driver_get_origin();
  if (list->at < list->count ? !fits(list, list->at, &place)
                             : list->shapes->built->exec && !list->is_new)
    turn(list, &place);
  list->sets = 0;
  return put(list, &place, &origin, agpu__trace_get_region());
}

void agpu__node_note_change(agpu__node_list *list, agpu__node *node) {
  if (node->is_changed)
    return;
  node->is_changed = true;
  list->changed = agpu__memory_grow(list->changed, &list->changed_capacity,
                                    list->changed_count + 1,
                                    sizeof *list->changed, "a graph");
  list->changed[list->changed_count++] = (uint32_t)(list->at - 1);
}

/// Makes room for the arguments of the node that was added last.
static void make_room(agpu__node_list *list, agpu__node *node, size_t bytes) {
  if (node->room >= bytes)
    return;
  list->values = agpu__memory_grow(list->values, &list->value_capacity,
                                   list->value_bytes + bytes, 1, "a graph");
  node->values = list->value_bytes;
  node->room = bytes;
  list->value_bytes += bytes;
}

void agpu__node_add_kernel(agpu__node_list *list, const uint32_t *dependencies,
                           size_t count, const agpu__node_launch *launch,
                           void *const *params) {
  agpu__node *node = next(list, AGPU__NODE_KERNEL, dependencies, count, launch);
  const agpu__param_layout *layout = launch->layout;
  bool is_same = agpu__node_is_launch(&node->launch, launch);
  if (!is_same) {
    node->launch = *launch;
    make_room(list, node, layout->bytes);
  }
  if (!agpu__node_take_params(list->values + node->values, layout, params) ||
      !is_same)
    agpu__node_note_change(list, node);
}

void agpu__node_add(agpu__node_list *list, agpu__node_kind kind,
                    const uint32_t *dependencies, size_t count,
                    const void *work, size_t bytes) {
  agpu__node *node = next(list, kind, dependencies, count, work);
  if (memcmp(&node->launch, work, bytes) == 0)
    return;
  memcpy(&node->launch, work, bytes);
  agpu__node_note_change(list, node);
}

void agpu__node_add_branch(agpu__node_list *list, const uint32_t *dependencies,
                           size_t count, uint32_t condition, bool is_loop) {
  const CUDA_CONDITIONAL_NODE_PARAMS branch = {
      .handle = condition,
      .type = is_loop ? CU_GRAPH_COND_TYPE_WHILE : CU_GRAPH_COND_TYPE_IF};
  next(list, AGPU__NODE_BRANCH, dependencies, count, &branch)->branch = branch;
  list->body = condition;
}

void agpu__node_add_host(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, agpu__host_call call) {
  agpu__node *node = next(list, AGPU__NODE_HOST, dependencies, count, NULL);
  bool is_same =
      node->host.function == call.function && node->host.bytes == call.bytes;
  make_room(list, node, call.bytes);
  node->host.function = call.function;
  node->host.bytes = call.bytes;
  if (!agpu__node_take_param(list->values + node->values, call.arguments,
                             call.bytes) ||
      !is_same)
    agpu__node_note_change(list, node);
}

size_t agpu__node_end_branch(agpu__node_list *list, uint32_t outer) {
  size_t i = list->at - 1;
  while (list->nodes[i].kind != AGPU__NODE_BRANCH ||
         list->nodes[i].branch.handle != list->body)
    --i;
  list->body = outer;
  return i;
}

void agpu__node_get_params(const agpu__node_list *list, const agpu__node *node,
                           void **out_params) {
  const agpu__param_layout *layout = node->launch.layout;
  for (size_t i = 0; i < layout->count; ++i)
    out_params[i] = list->values + node->values + layout->offsets[i];
}

void agpu__node_list_finish(agpu__node_list *list) {
  if (list->at < list->count)
    turn(list, NULL);
}

void agpu__node_list_clear_changes(agpu__node_list *list) {
  for (size_t i = 0; i < list->changed_count; ++i)
    list->nodes[list->changed[i]].is_changed = false;
  list->changed_count = 0;
}

static bool is_same_node(const agpu__node_list *list, const agpu__node *a,
                         const agpu__node_list *of, const agpu__node *b) {
  if (a->kind != b->kind || a->device != b->device)
    return false;
  switch (a->kind) {
  case AGPU__NODE_KERNEL:
    return agpu__node_is_launch(&a->launch, &b->launch) &&
           memcmp(list->values + a->values, of->values + b->values,
                  a->launch.layout->bytes) == 0;
  case AGPU__NODE_COPY: return IS_SAME(&a->copy, &b->copy);
  case AGPU__NODE_FILL: return IS_SAME(&a->fill, &b->fill);
  case AGPU__NODE_CALL: return a->capture == b->capture;
  case AGPU__NODE_HOST:
    return a->host.function == b->host.function &&
           a->host.bytes == b->host.bytes &&
           !memcmp(list->values + a->values, of->values + b->values,
                   a->host.bytes);
  case AGPU__NODE_BRANCH: return IS_SAME(&a->branch, &b->branch);
  }
  return false;
}

bool agpu__node_list_repeats(const agpu__node_list *list, size_t times) {
  size_t step = list->count / times;
  for (size_t i = step; i < list->count; ++i)
    if (!is_same_node(list, &list->nodes[i], list, &list->nodes[i - step]))
      return false;
  return step && step * times == list->count;
}

void agpu__node_list_free(agpu__node_list *list) {
  agpu__memory_free(list->nodes);
  agpu__memory_free(list->changed);
  agpu__memory_free(list->dependencies);
  agpu__memory_free(list->values);
  *list = (agpu__node_list){.nodes = NULL};
}

//===----------------------------------------------------------------------===//
// Shapes that rounds have by turns
//
// A list that a round leaves stays with its graph, as nobody has told that of
// the round: what differs stays noted as changed. What the round has had by
// then comes again in the other list.
//===----------------------------------------------------------------------===//

static node_place get_place(const agpu__node_list *list, size_t at) {
  const agpu__node *node = &list->nodes[at];
  return (node_place){node->kind,
                      node->body,
                      node->sets,
                      node->device,
                      list->dependencies + node->first_dependency,
                      node->dependency_count,
                      &node->launch};
}

/// Whether `other` begins as the round does, and goes on with `next`.
static bool is_like(const agpu__node_list *other, const agpu__node_list *list,
                    const node_place *next) {
  bool result = next ? other->count > list->at && fits(other, list->at, next)
                     : other->count == list->at;
  for (size_t i = 0; result && i < list->at; ++i) {
    const node_place place = get_place(list, i);
    result = fits(other, i, &place);
  }
  return result;
}

/// One that is like the round, or else the one that was left longest ago, made
/// empty. NULL: the present one has no graph to keep.
static agpu__shape *choose(const agpu__node_list *list,
                           const node_place *next) {
  agpu__shapes *of = list->shapes;
  agpu__shape *oldest = of->others;
  for (size_t i = 0; of->others && i < AGPU__MOST_OTHER_SHAPES; ++i) {
    if (is_like(&of->others[i].list, list, next))
      return &of->others[i];
    if (of->others[i].left < oldest->left)
      oldest = &of->others[i];
  }
  if (!of->built->exec || list->is_new)
    return NULL;
  if (!oldest) {
    const size_t bytes = AGPU__MOST_OTHER_SHAPES * sizeof *oldest;
    oldest = of->others = agpu__memory_alloc((int64_t)bytes, 16, "a graph");
    memset(oldest, 0, bytes);
  }
  oldest->list.at = 0;
  if (oldest->list.count)
    cut(&oldest->list); // its graph goes when another is built
  return oldest;
}

static void repeat(agpu__node_list *list, const agpu__node_list *from) {
  for (size_t i = 0; i < from->at; ++i) {
    const agpu__node *node = &from->nodes[i];
    const node_place place = get_place(from, i);
    agpu__node *to = put(list, &place, &node->origin, node->region);
    if (is_same_node(list, to, from, node))
      continue;
    const size_t bytes = node->kind == AGPU__NODE_KERNEL
                             ? node->launch.layout->bytes
                         : node->kind == AGPU__NODE_HOST ? node->host.bytes
                                                         : 0;
    make_room(list, to, bytes);
    if (bytes)
      memcpy(list->values + to->values, from->values + node->values, bytes);
    memcpy(&to->launch, &node->launch,
           sizeof *to - offsetof(agpu__node, launch));
    agpu__node_note_change(list, to);
  }
}

static void turn(agpu__node_list *list, const node_place *next) {
  agpu__shapes *of = list->shapes;
  agpu__shape *to = choose(list, next);
  if (!to) {
    cut(list);
    return;
  }
  const agpu__shape left = {*list, *of->built, of->built->launches};
  *list = to->list;
  *of->built = to->built;
  *to = left;
  of->built->driver = left.built.driver;
  of->built->device = left.built.device;
  of->built->is_loop = left.built.is_loop;
  of->built->is_whole = left.built.is_whole;
  of->built->launches = left.built.launches;
  of->built->updates = left.built.updates;
  of->built->builds = left.built.builds;
  list->shapes = of;
  list->at = 0;
  repeat(list, &left.list);
  list->body = left.list.body;
  list->sets = left.list.sets;
  list->device = left.list.device;
}
