//===- graph_calls.c - Graphs, recorded -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace shows the nodes of a graph as if each had been launched alone: a
// graph is a list of what its nodes are called, which the executable one that
// is made of it changes and keeps, and a launch is all of these on its stream.
// Nodes that may run at the same time are in lanes: a chain of nodes is on a
// track of its own, after what its nodes depend on. Where the clock has no
// times of nodes the graph is one piece of work.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "gpu/trace/traced.h"

#include <sys/queue.h>

/// Chains that have tracks of their own; others share these.
#define MOST_LANES 32u

typedef struct node_text {
  CUgraphNode handle;
  agpu__stream_item item;
  const char *location;
  unsigned lane;
  bool is_awaited;     ///< on another lane
  size_t first, count; ///< of `dependencies`
} node_text;

/// Of a graph, and of the executable one that was made of it last.
typedef struct node_texts {
  SLIST_ENTRY(node_texts) link;
  CUgraph graph;    ///< NULL: it is gone
  CUgraphExec exec; ///< NULL: there is none
  node_text *nodes;
  size_t count, capacity;
  size_t *dependencies; ///< places in `nodes`
  size_t dependency_count, dependency_capacity;
  unsigned lanes;
  size_t ends[MOST_LANES]; ///< the last node on each
} node_texts;

// The functions of the table have no place for a context pointer.
static struct {
  agpu__mutex lock;
  SLIST_HEAD(, node_texts) graphs AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACED_GRAPHS)};

/// That of one of these handles, of which the other is NULL.
static node_texts *find(CUgraph graph, CUgraphExec exec)
    AGPU__REQUIRES(self.lock) {
  node_texts *of;
  SLIST_FOREACH (of, &self.graphs, link)
    if (graph ? of->graph == graph : of->exec == exec)
      return of;
  return NULL;
}

/// The handle, which is one of these two, is gone.
static void forget(CUgraph graph, CUgraphExec exec) {
  agpu__mutex_lock(&self.lock);
  node_texts *of = find(graph, exec);
  if (of && graph)
    of->graph = NULL;
  else if (of)
    of->exec = NULL;
  if (of && !of->graph && !of->exec) {
    SLIST_REMOVE(&self.graphs, of, node_texts, link);
    agpu__memory_free(of->nodes);
    agpu__memory_free(of->dependencies);
    agpu__memory_free(of);
  }
  agpu__mutex_unlock(&self.lock);
}

/// Puts the last node where one ends that it depends on, or else on a new lane.
static void choose_lane(node_texts *of) {
  size_t place = of->count - 1;
  node_text *node = &of->nodes[place];
  unsigned lane = MOST_LANES;
  for (size_t i = 0; i < node->count && lane == MOST_LANES; ++i) {
    size_t before = of->dependencies[node->first + i];
    if (of->ends[of->nodes[before].lane] == before)
      lane = of->nodes[before].lane;
  }
  if (lane == MOST_LANES)
    lane =
        of->lanes < MOST_LANES ? of->lanes++ : (unsigned)(place % MOST_LANES);
  node->lane = lane;
  of->ends[lane] = place;
  for (size_t i = 0; i < node->count; ++i) {
    node_text *before = &of->nodes[of->dependencies[node->first + i]];
    before->is_awaited |= before->lane != lane;
  }
}

static const char *get_location(void) {
  agpu__op_name origin = agpu__driver_get_origin();
  return origin.what ? origin.location : NULL;
}

static void add(CUgraph graph, CUgraphNode node,
                const CUgraphNode *dependencies, size_t count,
                agpu__stream_item item) {
  agpu__mutex_lock(&self.lock);
  node_texts *of = find(graph, NULL);
  if (of) {
    of->nodes = agpu__memory_grow(of->nodes, &of->capacity, of->count + 1,
                                  sizeof *of->nodes, "a trace");
    of->dependencies = agpu__memory_grow(
        of->dependencies, &of->dependency_capacity,
        of->dependency_count + count, sizeof *of->dependencies, "a trace");
    node_text *made = &of->nodes[of->count];
    *made = (node_text){.handle = node,
                        .item = item,
                        .location = get_location(),
                        .first = of->dependency_count};
    // Mostly one of the last.
    for (size_t i = 0; i < count; ++i)
      for (size_t k = of->count; k-- > 0;)
        if (of->nodes[k].handle == dependencies[i]) {
          of->dependencies[of->dependency_count++] = k;
          break;
        }
    made->count = of->dependency_count - made->first;
    ++of->count;
    choose_lane(of);
  }
  agpu__mutex_unlock(&self.lock);
}

static void change(CUgraphExec exec, CUgraphNode node, agpu__stream_item item) {
  agpu__mutex_lock(&self.lock);
  node_texts *of = find(NULL, exec);
  for (size_t i = 0; of && i < of->count; ++i)
    if (of->nodes[i].handle == node) {
      of->nodes[i].item = item;
      of->nodes[i].location = get_location();
    }
  agpu__mutex_unlock(&self.lock);
}

CUresult agpu__traced_cuGraphCreate(CUgraph *graph, unsigned int flags) {
  CUresult result = agpu__traced.inner->cuGraphCreate(graph, flags);
  if (!result) {
    node_texts *made =
        agpu__memory_alloc(sizeof *made, _Alignof(node_texts), "a trace");
    *made = (node_texts){.graph = *graph};
    agpu__mutex_lock(&self.lock);
    SLIST_INSERT_HEAD(&self.graphs, made, link);
    agpu__mutex_unlock(&self.lock);
  }
  return result;
}

// The driver may hand an address out again as soon as the call has begun that
// destroys what has it.

CUresult agpu__traced_cuGraphDestroy(CUgraph graph) {
  forget(graph, NULL);
  return agpu__traced.inner->cuGraphDestroy(graph);
}

CUresult agpu__traced_cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                                         unsigned long long flags) {
  CUresult result = agpu__traced.inner->cuGraphInstantiate(exec, graph, flags);
  if (!result) {
    agpu__mutex_lock(&self.lock);
    node_texts *of = find(graph, NULL);
    if (of)
      of->exec = *exec;
    agpu__mutex_unlock(&self.lock);
  }
  return result;
}

CUresult agpu__traced_cuGraphExecDestroy(CUgraphExec exec) {
  forget(NULL, exec);
  return agpu__traced.inner->cuGraphExecDestroy(exec);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static agpu__stream_item
describe_kernel(const CUDA_KERNEL_NODE_PARAMS *params) {
  return agpu__traced_describe_launch(
      params->func,
      (uint32_t[]){params->gridDimX, params->gridDimY, params->gridDimZ},
      (uint32_t[]){params->blockDimX, params->blockDimY, params->blockDimZ},
      params->sharedMemBytes);
}

static agpu__stream_item describe_copy(const CUDA_MEMCPY3D *params) {
  return (agpu__stream_item){
      .kind = AGPU__TRACE_COPY,
      .name = agpu__traced_describe_copy(params->dstDevice, params->srcDevice),
      .second = params->WidthInBytes * params->Height * params->Depth};
}

static agpu__stream_item describe_fill(const CUDA_MEMSET_NODE_PARAMS *params) {
  return (agpu__stream_item){.kind = AGPU__TRACE_FILL,
                             .name = "fill",
                             .second = params->width * params->height *
                                       params->elementSize};
}

// What adds a node and what changes one; CONTEXT: the last parameter of some.
#define TRACE(kind, type, describe, CONTEXT, context)                          \
  CUresult agpu__traced_cuGraphAdd##kind##Node(                                \
      CUgraphNode *node, CUgraph graph, const CUgraphNode *after,              \
      size_t count, const type *params CONTEXT) {                              \
    CUresult result = agpu__traced.inner->cuGraphAdd##kind##Node(              \
        node, graph, after, count, params context);                            \
    if (!result)                                                               \
      add(graph, *node, after, count, describe(params));                       \
    return result;                                                             \
  }                                                                            \
  CUresult agpu__traced_cuGraphExec##kind##NodeSetParams(                      \
      CUgraphExec exec, CUgraphNode node, const type *params CONTEXT) {        \
    CUresult result = agpu__traced.inner->cuGraphExec##kind##NodeSetParams(    \
        exec, node, params context);                                           \
    if (!result)                                                               \
      change(exec, node, describe(params));                                    \
    return result;                                                             \
  }
#define IN_CONTEXT , CUcontext context
#define THE_CONTEXT , context
TRACE(Kernel, CUDA_KERNEL_NODE_PARAMS, describe_kernel, , )
TRACE(Memcpy, CUDA_MEMCPY3D, describe_copy, IN_CONTEXT, THE_CONTEXT)
TRACE(Memset, CUDA_MEMSET_NODE_PARAMS, describe_fill, IN_CONTEXT, THE_CONTEXT)

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void add_wait(agpu__stream_track *track, uint64_t record) {
  agpu__stream_track_add(
      track,
      &(agpu__stream_item){.kind = AGPU__TRACE_STREAM_WAIT, .id = record});
}

/// The nodes, numbered from `first` on, on tracks of the stream.
static void add_nodes(const node_texts *of, CUstream stream, uint64_t first) {
  agpu__stream_track *tracks[MOST_LANES];
  bool is_open[MOST_LANES] = {true};
  for (unsigned i = 0; i < of->lanes; ++i)
    tracks[i] = agpu__traced_lane(stream, i);
  uint64_t begin = of->lanes > 1 ? agpu__traced_add_record(tracks[0]) : 0;
  uint64_t *records = agpu__memory_alloc(
      (int64_t)((of->count + 1) * sizeof *records), 16, "a trace");
  for (size_t i = 0; i < of->count; ++i) {
    const node_text *node = &of->nodes[i];
    agpu__stream_item item = node->item;
    if (!is_open[node->lane])
      add_wait(tracks[node->lane], begin);
    is_open[node->lane] = true;
    for (size_t k = 0; k < node->count; ++k) {
      size_t before = of->dependencies[node->first + k];
      if (of->nodes[before].lane != node->lane)
        add_wait(tracks[node->lane], records[before]);
    }
    item.id = first + i;
    agpu__stream_track_add(tracks[node->lane], &item);
    if (node->is_awaited)
      records[i] = agpu__traced_add_record(tracks[node->lane]);
  }
  for (unsigned i = 1; i < of->lanes; ++i) {
    uint64_t end = agpu__traced_add_record(tracks[i]);
    add_wait(tracks[0], end);
    agpu__stream_track_forget(end);
  }
  for (size_t i = 0; i < of->count; ++i)
    if (of->nodes[i].is_awaited)
      agpu__stream_track_forget(records[i]);
  if (begin)
    agpu__stream_track_forget(begin);
  agpu__memory_free(records);
}

CUresult agpu__traced_cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  node_text whole_node = {
      .item = {.kind = AGPU__TRACE_KERNEL, .name = "graph"}};
  const node_texts whole = {.nodes = &whole_node, .count = 1, .lanes = 1};
  if (!agpu__trace_on())
    return agpu__traced.inner->cuGraphLaunch(exec, stream);
  const agpu__work_clock *clock = agpu__traced_clock();
  int device = agpu__traced_device();
  agpu__mutex_lock(&self.lock);
  const node_texts *of = clock && clock->tells_nodes ? find(NULL, exec) : NULL;
  if (!of)
    of = &whole;
  uint64_t first = agpu__traced_take_works(of->count);
  add_nodes(of, stream, first);
  int64_t begin = agpu__clock_now_ns();
  void *token = clock ? clock->before(first, device, stream) : NULL;
  CUresult result = agpu__traced.inner->cuGraphLaunch(exec, stream);
  if (clock)
    clock->after(token, device, stream, !result);
  for (size_t i = 0; i < of->count; ++i) {
    const node_text *node = &of->nodes[i];
    if (result) {
      agpu__stream_track_cancel(first + i);
      continue;
    }
    if (!clock)
      agpu__stream_track_ran(first + i, 0, 0);
    agpu__traced_call(
        AGPU__TRACE_ENQUEUE, begin, first + i,
        agpu__traced_flow(first + i, true), node->item.name,
        (uint64_t)(uintptr_t)node->location,
        agpu__stream_track_id(agpu__traced_lane(stream, node->lane)));
    begin = agpu__clock_now_ns(); // the others take no time
  }
  agpu__mutex_unlock(&self.lock);
  return result;
}
