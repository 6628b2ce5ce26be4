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

static agpu__node *append(agpu__node_list *list, agpu__node_kind kind,
                          const uint32_t *dependencies, size_t count) {
  list->is_new = true;
  list->nodes = agpu__memory_grow(list->nodes, &list->capacity, list->count + 1,
                                  sizeof *list->nodes, "a graph");
  list->dependencies = agpu__memory_grow(
      list->dependencies, &list->dependency_capacity,
      list->dependency_count + count, sizeof *list->dependencies, "a graph");
  agpu__node *node = &list->nodes[list->count++];
  *node = (agpu__node){.kind = kind,
                       .first_dependency = (uint32_t)list->dependency_count,
                       .dependency_count = (uint32_t)count};
  for (size_t i = 0; i < count; ++i)
    list->dependencies[list->dependency_count++] = dependencies[i];
  return node;
}

/// The round's next node: that of the last round, if it was of that kind and
/// after the same ones.
static inline agpu__node *next(agpu__node_list *list, agpu__node_kind kind,
                               const uint32_t *dependencies, size_t count) {
  agpu__node *node = NULL;
  if (list->at < list->count) {
    node = &list->nodes[list->at];
    if (node->kind != kind || node->body != list->body ||
        node->sets != list->sets || node->device != list->device ||
        node->dependency_count != count ||
        (count && memcmp(list->dependencies + node->first_dependency,
                         dependencies, count * sizeof *dependencies) != 0)) {
      cut(list);
      node = NULL;
    }
  }
  if (!node)
    node = append(list, kind, dependencies, count);
  ++list->at;
  node->origin = agpu__driver_get_origin();
  node->body = list->body;
  node->sets = list->sets;
  node->device = list->device;
  list->sets = 0;
  return node;
}

/// The node that was added last is not what it was.
static void note_change(agpu__node_list *list, agpu__node *node) {
  if (node->is_changed)
    return;
  node->is_changed = true;
  list->changed = agpu__memory_grow(list->changed, &list->changed_capacity,
                                    list->changed_count + 1,
                                    sizeof *list->changed, "a graph");
  list->changed[list->changed_count++] = (uint32_t)(list->at - 1);
}

/// Copies a parameter; whether it has been the same.
static inline bool take_param(char *to, const char *from, size_t bytes) {
  bool is_same = agpu__node_is_param(to, from, bytes);
  if (!is_same)
    memcpy(to, from, bytes);
  return is_same;
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
  agpu__node *node = next(list, AGPU__NODE_KERNEL, dependencies, count);
  const agpu__param_layout *layout = launch->layout;
  bool is_same = agpu__node_is_launch(&node->launch, launch);
  if (!is_same) {
    // Attributes of nodes stay what they are in an executable graph.
    list->is_new |= !agpu__node_has_clusters(&node->launch, launch->cluster);
    node->launch = *launch;
    make_room(list, node, layout->bytes);
  }
  for (size_t i = 0; i < layout->count; ++i)
    is_same &=
        take_param(list->values + node->values + layout->offsets[i], params[i],
                   layout->offsets[i + 1] - layout->offsets[i]);
  if (!is_same)
    note_change(list, node);
}

// Neither of these has bytes between its members.
#define IS_SAME(a, b) (memcmp((a), (b), sizeof *(a)) == 0)

void agpu__node_add_copy(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, const agpu__box *copy) {
  agpu__node *node = next(list, AGPU__NODE_COPY, dependencies, count);
  if (IS_SAME(&node->copy, copy))
    return;
  // Drivers let nothing but one row become another one.
  list->is_new |= !agpu__box_is_row(&node->copy) || !agpu__box_is_row(copy);
  node->copy = *copy;
  note_change(list, node);
}

void agpu__node_add_fill(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, const CUDA_MEMSET_NODE_PARAMS *fill) {
  agpu__node *node = next(list, AGPU__NODE_FILL, dependencies, count);
  if (IS_SAME(&node->fill, fill))
    return;
  // As above, of elements of one size.
  list->is_new |= node->fill.height != 1 || fill->height != 1 ||
                  node->fill.elementSize != fill->elementSize;
  node->fill = *fill;
  note_change(list, node);
}

void agpu__node_add_branch(agpu__node_list *list, const uint32_t *dependencies,
                           size_t count, uint32_t condition, bool is_loop) {
  agpu__node *node = next(list, AGPU__NODE_BRANCH, dependencies, count);
  int type = is_loop ? CU_GRAPH_COND_TYPE_WHILE : CU_GRAPH_COND_TYPE_IF;
  list->is_new |= node->branch.handle != condition || node->branch.type != type;
  node->branch.handle = list->body = condition;
  node->branch.type = type;
}

void agpu__node_add_call(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, agpu__capture *capture) {
  agpu__node *node = next(list, AGPU__NODE_CALL, dependencies, count);
  if (node->capture == capture)
    return;
  node->capture = capture;
  note_change(list, node);
}

void agpu__node_add_host(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, agpu__host_call call) {
  agpu__node *node = next(list, AGPU__NODE_HOST, dependencies, count);
  bool is_same =
      node->host.function == call.function && node->host.bytes == call.bytes;
  make_room(list, node, call.bytes);
  node->host.function = call.function;
  node->host.bytes = call.bytes;
  if (!take_param(list->values + node->values, call.arguments, call.bytes) ||
      !is_same)
    note_change(list, node);
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
    cut(list);
}

void agpu__node_list_clear_changes(agpu__node_list *list) {
  for (size_t i = 0; i < list->changed_count; ++i)
    list->nodes[list->changed[i]].is_changed = false;
  list->changed_count = 0;
}

static bool is_same_node(const agpu__node_list *list, const agpu__node *a,
                         const agpu__node *b) {
  if (a->kind != b->kind || a->device != b->device)
    return false;
  switch (a->kind) {
  case AGPU__NODE_KERNEL:
    return agpu__node_is_launch(&a->launch, &b->launch) &&
           memcmp(list->values + a->values, list->values + b->values,
                  a->launch.layout->bytes) == 0;
  case AGPU__NODE_COPY: return IS_SAME(&a->copy, &b->copy);
  case AGPU__NODE_FILL: return IS_SAME(&a->fill, &b->fill);
  case AGPU__NODE_CALL: return a->capture == b->capture;
  case AGPU__NODE_HOST:
    return a->host.function == b->host.function &&
           a->host.bytes == b->host.bytes &&
           !memcmp(list->values + a->values, list->values + b->values,
                   a->host.bytes);
  case AGPU__NODE_BRANCH: break;
  }
  return false;
}

bool agpu__node_list_repeats(const agpu__node_list *list, size_t times) {
  size_t step = list->count / times;
  for (size_t i = step; i < list->count; ++i)
    if (!is_same_node(list, &list->nodes[i], &list->nodes[i - step]))
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
// Without a graph
//===----------------------------------------------------------------------===//

static CUresult launch(const agpu__driver *driver, const agpu__node_launch *of,
                       CUstream stream, void **params) {
  if (!of->cluster[0])
    return driver->cuLaunchKernel(
        of->function, of->grid[0], of->grid[1], of->grid[2], of->block[0],
        of->block[1], of->block[2], of->shared_bytes, stream, params, NULL);
  CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                               .value = agpu__node_get_clusters(of)};
  const CUlaunchConfig config = {.gridDimX = of->grid[0],
                                 .gridDimY = of->grid[1],
                                 .gridDimZ = of->grid[2],
                                 .blockDimX = of->block[0],
                                 .blockDimY = of->block[1],
                                 .blockDimZ = of->block[2],
                                 .sharedMemBytes = of->shared_bytes,
                                 .hStream = stream,
                                 .attrs = &cluster,
                                 .numAttrs = 1};
  return driver->cuLaunchKernelEx(&config, of->function, params, NULL);
}

CUresult agpu__node_list_replay(const agpu__node_list *list, size_t *at,
                                size_t end, const agpu__driver *driver,
                                CUstream stream) {
  void *params[AGPU__NODE_MOST_PARAMS];
  CUresult result = CUDA_SUCCESS;
  const agpu__device *device = list->nodes[*at].device;
  for (; *at < end && list->nodes[*at].device == device; ++*at) {
    const agpu__node *node = &list->nodes[*at];
    agpu__driver_set_origin(&node->origin);
    switch (node->kind) {
    case AGPU__NODE_KERNEL:
      agpu__node_get_params(list, node, params);
      result = launch(driver, &node->launch, stream, params);
      break;
    case AGPU__NODE_COPY:
      result = agpu__box_copy(driver, &node->copy, stream);
      break;
    case AGPU__NODE_FILL:
      result = agpu__rows_fill(driver, &node->fill, stream);
      break;
    case AGPU__NODE_CALL:
      if (!node->capture->exec)
        result = driver->cuGraphInstantiate(&node->capture->exec,
                                            node->capture->graph, 0);
      if (!result)
        result = driver->cuGraphLaunch(node->capture->exec, stream);
      break;
    case AGPU__NODE_HOST:
      result = agpu__host_node_enqueue(driver, stream,
                                       agpu__node_get_host(list, node));
      break;
    case AGPU__NODE_BRANCH: break; // of loops on the device alone
    }
    if (result)
      break;
  }
  return result;
}
