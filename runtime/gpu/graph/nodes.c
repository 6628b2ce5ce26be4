//===- nodes.c - Work that becomes a graph --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists keep their memory from round to round: once a part has met its
// size, recording it allocates nothing. Parameters of kernels lie behind each
// other, padding cleared, so that two of them compare as bytes.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/nodes.h"

#include "base/memory/memory.h"

#include <string.h>

/// As in enqueue.c, which records none with more.
#define MOST_PARAMS 1024

/// Memory for `needed` elements at least, with what was there.
static void *grow_now(void *data, size_t *capacity, size_t needed, size_t bytes,
                      size_t used) {
  size_t wanted = *capacity ? 2 * *capacity : 64;
  while (wanted < needed)
    wanted *= 2;
  void *grown = agpu__memory_alloc((int64_t)(wanted * bytes), 16, "a graph");
  if (used)
    memcpy(grown, data, used * bytes);
  agpu__memory_free(data);
  *capacity = wanted;
  return grown;
}

static inline void *grow(void *data, size_t *capacity, size_t needed,
                         size_t bytes, size_t used) {
  return needed <= *capacity ? data
                             : grow_now(data, capacity, needed, bytes, used);
}

agpu__node *agpu__node_add(agpu__node_list *list, agpu__node_kind kind,
                           uint32_t *dependencies, size_t count) {
  list->nodes = grow(list->nodes, &list->capacity, list->count + 1,
                     sizeof *list->nodes, list->count);
  list->dependencies = grow(list->dependencies, &list->dependency_capacity,
                            list->dependency_count + count,
                            sizeof *list->dependencies, list->dependency_count);
  // Few: insertion does.
  for (size_t i = 1; i < count; ++i)
    for (size_t k = i; k && dependencies[k] < dependencies[k - 1]; --k) {
      uint32_t moved = dependencies[k];
      dependencies[k] = dependencies[k - 1];
      dependencies[k - 1] = moved;
    }
  agpu__node *node = &list->nodes[list->count++];
  // The rest is its kind's.
  node->kind = kind;
  node->first_dependency = (uint32_t)list->dependency_count;
  node->origin = agpu__driver_get_origin();
  for (size_t i = 0; i < count; ++i)
    if (!i || dependencies[i] != dependencies[i - 1])
      list->dependencies[list->dependency_count++] = dependencies[i];
  node->dependency_count =
      (uint32_t)list->dependency_count - node->first_dependency;
  return node;
}

void agpu__node_set_values(agpu__node_list *list, agpu__node *node,
                           void *const *params) {
  const agpu__param_layout *layout = node->kernel.layout;
  list->values = grow(list->values, &list->value_capacity,
                      list->value_bytes + layout->bytes, 1, list->value_bytes);
  char *to = list->values + list->value_bytes;
  node->kernel.values = list->value_bytes;
  list->value_bytes += layout->bytes;
  for (size_t i = 0; i < layout->count; ++i)
    memcpy(to + layout->offsets[i], params[i],
           layout->offsets[i + 1] - layout->offsets[i]);
}

void agpu__node_get_params(const agpu__node_list *list, const agpu__node *node,
                           void **out_params) {
  const agpu__param_layout *layout = node->kernel.layout;
  for (size_t i = 0; i < layout->count; ++i)
    out_params[i] = list->values + node->kernel.values + layout->offsets[i];
}

void agpu__node_list_clear(agpu__node_list *list) {
  list->count = list->dependency_count = list->value_bytes = 0;
}

void agpu__node_list_free(agpu__node_list *list) {
  agpu__memory_free(list->nodes);
  agpu__memory_free(list->dependencies);
  agpu__memory_free(list->values);
  *list = (agpu__node_list){.nodes = NULL};
}

bool agpu__node_lists_match(const agpu__node_list *a,
                            const agpu__node_list *b) {
  if (a->count != b->count || a->dependency_count != b->dependency_count)
    return false;
  for (size_t i = 0; i < a->count; ++i)
    if (a->nodes[i].kind != b->nodes[i].kind ||
        a->nodes[i].dependency_count != b->nodes[i].dependency_count)
      return false;
  return !a->dependency_count ||
         memcmp(a->dependencies, b->dependencies,
                a->dependency_count * sizeof *a->dependencies) == 0;
}

bool agpu__nodes_are_equal(const agpu__node_list *a, const agpu__node_list *b,
                           size_t i) {
  const agpu__node *x = &a->nodes[i], *y = &b->nodes[i];
  switch (x->kind) {
  case AGPU__NODE_KERNEL:
    return x->kernel.function == y->kernel.function &&
           memcmp(x->kernel.grid, y->kernel.grid, sizeof x->kernel.grid) == 0 &&
           memcmp(x->kernel.block, y->kernel.block, sizeof x->kernel.block) ==
               0 &&
           x->kernel.shared_bytes == y->kernel.shared_bytes &&
           memcmp(a->values + x->kernel.values, b->values + y->kernel.values,
                  x->kernel.layout->bytes) == 0;
  case AGPU__NODE_COPY:
    return x->copy.target == y->copy.target &&
           x->copy.source == y->copy.source && x->copy.bytes == y->copy.bytes;
  case AGPU__NODE_FILL:
    return x->fill.dst == y->fill.dst && x->fill.pitch == y->fill.pitch &&
           x->fill.value == y->fill.value &&
           x->fill.elementSize == y->fill.elementSize &&
           x->fill.width == y->fill.width && x->fill.height == y->fill.height;
  }
  return false;
}

static CUresult replay_fill(const CUDA_MEMSET_NODE_PARAMS *of,
                            const agpu__driver *driver, CUstream stream) {
  if (of->height > 1)
    return driver->cuMemsetD2D32Async(of->dst, of->pitch, of->value, of->width,
                                      of->height, stream);
  switch (of->elementSize) {
  case 1:
    return driver->cuMemsetD8Async(of->dst, (unsigned char)of->value, of->width,
                                   stream);
  case 2:
    return driver->cuMemsetD16Async(of->dst, (unsigned short)of->value,
                                    of->width, stream);
  default:
    return driver->cuMemsetD32Async(of->dst, of->value, of->width, stream);
  }
}

CUresult agpu__node_list_replay(const agpu__node_list *list,
                                const agpu__driver *driver, CUstream stream,
                                const agpu__node **out_failed) {
  void *params[MOST_PARAMS];
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < list->count && !result; ++i) {
    const agpu__node *node = *out_failed = &list->nodes[i];
    agpu__driver_set_origin(&node->origin);
    switch (node->kind) {
    case AGPU__NODE_KERNEL:
      agpu__node_get_params(list, node, params);
      result = driver->cuLaunchKernel(
          node->kernel.function, node->kernel.grid[0], node->kernel.grid[1],
          node->kernel.grid[2], node->kernel.block[0], node->kernel.block[1],
          node->kernel.block[2], node->kernel.shared_bytes, stream, params,
          NULL);
      break;
    case AGPU__NODE_COPY:
      result = driver->cuMemcpyAsync(node->copy.target, node->copy.source,
                                     node->copy.bytes, stream);
      break;
    case AGPU__NODE_FILL:
      result = replay_fill(&node->fill, driver, stream);
      break;
    }
  }
  return result;
}
