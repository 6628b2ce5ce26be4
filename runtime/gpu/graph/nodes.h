//===- nodes.h - Work of a round, and its graph -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of what a round of a part enqueues, in that order, which is one that
// the dependencies allow. It stays from round to round: the next one is
// compared with it as it comes, and writes over it what differs. One thread at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H

#include "async_gpu/compiled/graph.h"
#include "base/trace/trace.h"
#include "gpu/device/device.h"
#include "gpu/driver/rows.h"

#include <stddef.h>
#include <string.h>
#include <sys/queue.h>

/// Kernels with more parameters stay out of graphs.
#define AGPU__NODE_MOST_PARAMS 1024

/// What a host function calls; who is given this copies the arguments.
typedef struct agpu__host_call {
  agpu_host_function *function;
  const void *arguments;
  size_t bytes;
} agpu__host_call;

/// The data of a host function: the calls that its runs make, which come one
/// after the other, of one node of one executable graph, or a single one. Runs
/// from number `first` on make `call`.
typedef struct agpu__host_node agpu__host_node;
agpu__host_node *agpu__host_node_create(agpu__host_call call, uint64_t first);

/// The same from a run on that cannot have begun, while others may be going on.
/// One thread at a time.
void agpu__host_node_change(agpu__host_node *of, agpu__host_call call,
                            uint64_t first);

/// No run of number `end` or more will come: it is freed after the last.
void agpu__host_node_end(agpu__host_node *of, uint64_t end);

/// A CUhostFn: the next run.
void agpu__host_node_run(void *of);

/// Enqueues a single run of `call` on the stream. The error is the driver's.
CUresult agpu__host_node_enqueue(const agpu__driver *driver, CUstream stream,
                                 agpu__host_call call);

typedef enum agpu__node_kind {
  AGPU__NODE_KERNEL,
  AGPU__NODE_COPY,
  AGPU__NODE_FILL,
  AGPU__NODE_BRANCH, ///< runs a body, if or as long as its condition is set
  AGPU__NODE_CALL,   ///< what a function of the program's has enqueued
  AGPU__NODE_HOST,   ///< code of the host
} agpu__node_kind;

/// Where a kernel's parameters lie among others, each after the one before.
typedef struct agpu__param_layout {
  struct agpu__param_layout *next;
  CUfunction function;
  size_t count, bytes;
  size_t offsets[]; ///< of `count` parameters, and the end
} agpu__param_layout;

typedef struct agpu__node_launch {
  CUfunction function;
  unsigned cluster[3]; ///< 0: the driver launches it without
  int priority;
  unsigned grid[3], block[3], shared_bytes;
  const agpu__param_layout *layout;
} agpu__node_launch;

/// What a call has been captured as. No two are of the same call.
typedef struct agpu__capture {
  SLIST_ENTRY(agpu__capture) link;
  agpu_graph_call call; ///< its arguments are the capture's own
  bool is_kept;         ///< while those are looked for that no node has
  /// NULL, or itself: a graph that has another one there is built anew for it.
  const void *shape;
  const agpu__device *device; ///< that it was made for
  CUgraph graph;
  CUgraphExec exec; ///< of it alone; NULL: none yet
  char arguments[];
} agpu__capture;

typedef struct agpu__node {
  agpu__node_kind kind;
  bool is_changed; ///< it stands in the list's `changed`
  uint32_t first_dependency, dependency_count; ///< in the list's
  uint32_t body, sets; ///< conditions: whose body it is in; that it sets, or 0
  const agpu__device *device; ///< in whose context it runs
  agpu__op_name origin;
  const void *region;  ///< an agpu_trace_name, or NULL
  size_t values, room; ///< where its arguments' bytes begin, for how many
  union {
    agpu__node_launch launch;
    struct {
      agpu_host_function *function;
      size_t bytes;
    } host;
    agpu__box copy;
    CUDA_MEMSET_NODE_PARAMS fill;
    CUDA_CONDITIONAL_NODE_PARAMS branch; ///< `handle` is the condition's number
    agpu__capture *capture;
  };
} agpu__node;

typedef struct agpu__node_list {
  agpu__node *nodes;
  size_t count, capacity;
  /// Nodes of this round so far. Later places are of the last one.
  size_t at;
  uint32_t body, sets;        ///< of the next node
  const agpu__device *device; ///< likewise
  /// Kinds of work or dependencies are not what they were when this was last
  /// set to false: by who has built a graph of the list.
  bool is_new;
  /// Nodes whose parameters differ from what they were when the list was last
  /// cleared of changes.
  uint32_t *changed;
  size_t changed_count, changed_capacity;
  uint32_t *dependencies; ///< numbers of nodes, ascending for each
  size_t dependency_count, dependency_capacity;
  char *values;
  size_t value_bytes, value_capacity;
  struct agpu__shapes *shapes; ///< that it is the present one of
} agpu__node_list;

/// The next node of the round, after those of `dependencies`, which are
/// ascending and different.
void agpu__node_add_kernel(agpu__node_list *list, const uint32_t *dependencies,
                           size_t count, const agpu__node_launch *launch,
                           void *const *params);

/// A copy, a fill or a call: what a node has of that, of so many bytes.
void agpu__node_add(agpu__node_list *list, agpu__node_kind kind,
                    const uint32_t *dependencies, size_t count,
                    const void *work, size_t bytes);

/// The list keeps a copy of the arguments.
void agpu__node_add_host(agpu__node_list *list, const uint32_t *dependencies,
                         size_t count, agpu__host_call call);
static inline agpu__host_call agpu__node_get_host(const agpu__node_list *list,
                                                  const agpu__node *node) {
  return (agpu__host_call){node->host.function, list->values + node->values,
                           node->host.bytes};
}

/// What follows is in the body of that condition's node, until the body ends,
/// which stands in that of `outer`; returns the node then.
void agpu__node_add_branch(agpu__node_list *list, const uint32_t *dependencies,
                           size_t count, uint32_t condition, bool is_loop);
size_t agpu__node_end_branch(agpu__node_list *list, uint32_t outer);

static inline bool agpu__node_has_attributes(const agpu__node_launch *a,
                                             const agpu__node_launch *of) {
  return a->priority == of->priority &&
         memcmp(a->cluster, of->cluster, sizeof a->cluster) == 0;
}

/// All but the layout, which lies behind the rest and what may be between.
static inline bool agpu__node_is_launch(const agpu__node_launch *a,
                                        const agpu__node_launch *b) {
  return memcmp(a, b,
                offsetof(agpu__node_launch, shared_bytes) +
                    sizeof a->shared_bytes) == 0;
}

/// Copies a parameter; whether it has been the same.
static inline bool agpu__node_take_param(char *to, const void *from,
                                         size_t bytes) {
  uint64_t before, now;
  if (bytes != sizeof now) {
    bool is_same = memcmp(to, from, bytes) == 0;
    if (!is_same)
      memcpy(to, from, bytes);
    return is_same;
  }
  memcpy(&before, to, sizeof before); // most of them
  memcpy(&now, from, sizeof now);
  memcpy(to, &now, sizeof now);
  return before == now;
}

/// All of a kernel, for which there is room.
static inline bool agpu__node_take_params(char *to,
                                          const agpu__param_layout *layout,
                                          void *const *params) {
  bool is_same = true;
  for (size_t i = 0; i < layout->count; ++i)
    is_same &=
        agpu__node_take_param(to + layout->offsets[i], params[i],
                              layout->offsets[i + 1] - layout->offsets[i]);
  return is_same;
}

/// The node that was added last is not what it was.
void agpu__node_note_change(agpu__node_list *list, agpu__node *node);

/// The same as agpu__node_add_kernel, after node `last` alone or, where that
/// is negative, none. False, and nothing done, where the last round had
/// anything but a launch like this there, whose parameters may differ. The
/// launch needs no layout. A function is of one device.
static inline bool agpu__node_repeat_kernel(agpu__node_list *list, int64_t last,
                                            const agpu__node_launch *launch,
                                            void *const *params) {
  if (list->at == list->count)
    return false;
  agpu__node *node = &list->nodes[list->at];
  if (node->kind != AGPU__NODE_KERNEL || node->body != list->body ||
      node->sets != list->sets || node->dependency_count != (last >= 0) ||
      (last >= 0 && list->dependencies[node->first_dependency] != last) ||
      !agpu__node_is_launch(&node->launch, launch))
    return false;
  node->origin = agpu__driver_get_origin();
  node->region = agpu__trace_get_region();
  ++list->at;
  list->sets = 0;
  if (!agpu__node_take_params(list->values + node->values, node->launch.layout,
                              params))
    agpu__node_note_change(list, node);
  return true;
}

/// Fills `out_params` with the addresses of a kernel's parameters, as long as
/// the list does not change.
void agpu__node_get_params(const agpu__node_list *list, const agpu__node *node,
                           void **out_params);

/// A round begins.
static inline void agpu__node_list_restart(agpu__node_list *list) {
  list->at = list->body = list->sets = 0;
}

/// The round is over: there are no nodes but its own.
void agpu__node_list_finish(agpu__node_list *list);

/// Nodes are from now on as they were when a graph was told of them.
void agpu__node_list_clear_changes(agpu__node_list *list);

/// Whether its nodes are `times` times the same work.
bool agpu__node_list_repeats(const agpu__node_list *list, size_t times);

void agpu__node_list_free(agpu__node_list *list);

//===----------------------------------------------------------------------===//
// Executable graphs from lists of work
//===----------------------------------------------------------------------===//

/// An executable graph of a list. One thread at a time.
typedef struct agpu__built_graph {
  const agpu__driver *driver;
  const agpu__device *device; ///< that launches it
  /// The list is a loop's round; its last node sets the condition, whose handle
  /// is that kernel's first parameter.
  bool is_loop;
  bool is_whole; ///< it is a graph, or else nothing at all is enqueued
  CUgraphConditionalHandle conditions[AGPU_GRAPH_MOST_CONDITIONS];
  CUgraph bodies[AGPU_GRAPH_MOST_CONDITIONS]; ///< of these
  CUgraph graph;                              ///< NULL: none has been built
  CUgraphExec exec;
  unsigned flags; ///< that it is instantiated with
  struct {
    CUgraphNode handle;
    CUgraphNode record;    ///< behind it, or NULL
    agpu__host_node *host; ///< NULL: it is none
  } *nodes;                ///< of the list
  size_t count;
  // Nodes have events behind them, which are those of the next launch, or NULL;
  // that has been refused.
  bool is_timed, has_no_events;
  struct agpu__node_events *events;
  uint64_t runs; ///< of this graph
  // Since the first of its shapes was made.
  uint64_t launches, updates, builds;
} agpu__built_graph;

/// Whether the driver has all that is needed, by parts with these flags.
bool agpu__graph_is_supported(const agpu__driver *driver, int64_t flags);

/// Launches the work of `list`, whose round is over, as a graph, which is built
/// of it, or told of its changes: no other list has become this graph. The
/// origin is that of the calls. On an error nothing has been enqueued, and
/// there is no graph.
CUresult agpu__graph_launch(agpu__built_graph *graph, agpu__node_list *list,
                            CUstream stream);

/// The same for a list that nothing has been done to since.
CUresult agpu__graph_launch_again(agpu__built_graph *graph,
                                  const agpu__node_list *list, CUstream stream);

/// Destroys what the driver has of it.
void agpu__graph_drop(agpu__built_graph *graph);

//===----------------------------------------------------------------------===//
// Shapes that rounds have by turns
//===----------------------------------------------------------------------===//

/// Beside the present one.
#define AGPU__MOST_OTHER_SHAPES 3

typedef struct agpu__shape {
  agpu__node_list list;
  agpu__built_graph built; ///< of the list
  uint64_t left;           ///< after how many launches; 0: never
} agpu__shape;

/// Of rounds of one part: the present list with its graph, and those that a
/// round returns to which begins as they do.
typedef struct agpu__shapes {
  agpu__built_graph *built;
  agpu__shape *others; ///< NULL: none yet
} agpu__shapes;

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_NODES_H
