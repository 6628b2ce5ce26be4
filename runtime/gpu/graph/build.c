//===- build.c - Executable graphs from lists of work ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is built with the driver's functions for nodes, one call for each
// node. In later rounds only nodes whose parameters have changed are told, and
// where kinds of work or dependencies have, or the driver refuses a change, it
// is built anew. A node of another device is added, and told of, while that
// one's context is current; the graph is one of the device that launches it.
// For a trace that is to know when nodes ran, an event is recorded behind each
// that is in no body, ahead of what depends on it. Where that fails, there is
// none.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/nodes.h"

#include "base/memory/memory.h"
#include "gpu/trace/node_events.h"

bool agpu__graph_is_supported(const agpu__driver *driver, int64_t flags) {
  return (!(flags & AGPU_GRAPH_WHOLE) ||
          (driver->cuGraphAddNode && driver->cuGraphConditionalHandleCreate)) &&
         driver->cuGraphCreate && driver->cuGraphAddKernelNode &&
         driver->cuGraphAddMemcpyNode && driver->cuGraphAddMemsetNode &&
         driver->cuGraphAddHostNode && driver->cuGraphInstantiate &&
         driver->cuGraphExecKernelNodeSetParams &&
         driver->cuGraphExecMemcpyNodeSetParams &&
         driver->cuGraphExecMemsetNodeSetParams && driver->cuGraphLaunch &&
         driver->cuGraphExecDestroy && driver->cuGraphDestroy;
}

void agpu__graph_drop(agpu__built_graph *graph) {
  if (graph->exec)
    (void)graph->driver->cuGraphExecDestroy(graph->exec);
  if (graph->graph)
    (void)graph->driver->cuGraphDestroy(graph->graph);
  for (size_t i = 0; graph->nodes && i < graph->count; ++i)
    if (graph->nodes[i].host)
      agpu__host_node_end(graph->nodes[i].host, graph->runs);
  graph->exec = NULL;
  graph->graph = NULL;
  agpu__memory_free(graph->nodes);
  graph->nodes = NULL;
  agpu__node_events_free(graph->events);
  graph->events = NULL;
  graph->is_timed = false;
}

static CUDA_KERNEL_NODE_PARAMS describe_kernel(agpu__built_graph *graph,
                                               const agpu__node_list *list,
                                               const agpu__node *node,
                                               void **params) {
  const agpu__node_launch *launch = &node->launch;
  agpu__node_get_params(list, node, params);
  if (node->sets || (graph->is_loop && node == &list->nodes[list->count - 1]))
    params[0] = &graph->conditions[node->sets];
  return (CUDA_KERNEL_NODE_PARAMS){.func = launch->function,
                                   .gridDimX = launch->grid[0],
                                   .gridDimY = launch->grid[1],
                                   .gridDimZ = launch->grid[2],
                                   .blockDimX = launch->block[0],
                                   .blockDimY = launch->block[1],
                                   .blockDimZ = launch->block[2],
                                   .sharedMemBytes = launch->shared_bytes,
                                   .kernelParams = params};
}

/// Makes the condition's handle, with a value that each launch begins with.
static CUresult add_condition(agpu__built_graph *graph, uint64_t number,
                              unsigned flags) {
  return graph->driver->cuGraphConditionalHandleCreate(
      &graph->conditions[number], graph->graph, graph->device->context, 1,
      flags);
}

/// Adds the node of the condition; its body is one of the graph's from then on.
static CUresult add_branch(agpu__built_graph *graph, CUgraphNode *out,
                           CUgraph to, const CUgraphNode *after, size_t count,
                           const CUDA_CONDITIONAL_NODE_PARAMS *of) {
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
  params.conditional =
      (CUDA_CONDITIONAL_NODE_PARAMS){.handle = graph->conditions[of->handle],
                                     .type = of->type,
                                     .size = 1,
                                     .ctx = graph->device->context};
  CUresult result =
      graph->driver->cuGraphAddNode(out, to, after, count, &params);
  if (!result)
    graph->bodies[of->handle] = params.conditional.phGraph_out[0];
  return result;
}

/// The conditions, and the loop itself, where it is one.
static CUresult add_conditions(agpu__built_graph *graph,
                               const agpu__node_list *list) {
  const CUDA_CONDITIONAL_NODE_PARAMS loop = {.type = CU_GRAPH_COND_TYPE_WHILE};
  CUgraphNode node;
  CUresult result = CUDA_SUCCESS;
  if (graph->is_loop)
    result = add_condition(graph, 0, CU_GRAPH_COND_ASSIGN_DEFAULT);
  for (size_t i = 0; i < list->count && !result; ++i)
    if (list->nodes[i].kind == AGPU__NODE_BRANCH)
      result = add_condition(graph, list->nodes[i].branch.handle, 0);
  if (graph->is_loop && !result)
    result = add_branch(graph, &node, graph->graph, NULL, 0, &loop);
  return result;
}

static CUresult add_kernel(agpu__built_graph *graph, CUgraphNode *out,
                           CUgraph to, const CUgraphNode *after, size_t count,
                           const agpu__node_launch *launch,
                           const CUDA_KERNEL_NODE_PARAMS *params) {
  const agpu__driver *driver = graph->driver;
  const CUlaunchAttributeValue clusters = {.clusterDim = {launch->cluster[0],
                                                          launch->cluster[1],
                                                          launch->cluster[2]}};
  const CUlaunchAttributeValue priority = {.priority = launch->priority};
  CUresult result = driver->cuGraphAddKernelNode(out, to, after, count, params);
  if (!result && launch->cluster[0])
    result = driver->cuGraphKernelNodeSetAttribute(
        *out, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &clusters);
  if (result || !launch->priority)
    return result;
  // Without the flag, all nodes have the priority of the launching stream.
  graph->flags = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  return driver->cuGraphKernelNodeSetAttribute(
      *out, CU_LAUNCH_ATTRIBUTE_PRIORITY, &priority);
}

/// Of tell, of a host node: the driver need not know of a change.
static CUresult tell_host(agpu__built_graph *graph, const agpu__node_list *list,
                          size_t number, CUgraph to, const CUgraphNode *after) {
  const agpu__node *node = &list->nodes[number];
  const agpu__host_call call = agpu__node_get_host(list, node);
  if (!after) {
    agpu__host_node_change(graph->nodes[number].host, call, graph->runs);
    return CUDA_SUCCESS;
  }
  graph->nodes[number].host = agpu__host_node_create(call, graph->runs);
  return graph->driver->cuGraphAddHostNode(
      &graph->nodes[number].handle, to, after, node->dependency_count,
      &(CUDA_HOST_NODE_PARAMS){agpu__host_node_run, graph->nodes[number].host});
}

/// Adds the node behind those, or where these are NULL, tells the executable
/// graph what it is now.
static CUresult tell(agpu__built_graph *graph, const agpu__node_list *list,
                     size_t number, CUgraphNode *after) {
  const agpu__driver *driver = graph->driver;
  const agpu__node *node = &list->nodes[number];
  const uint32_t *dependencies = list->dependencies + node->first_dependency;
  size_t count = node->dependency_count;
  CUgraphNode *out = &graph->nodes[number].handle;
  CUgraph to = graph->bodies[node->body];
  CUcontext context = node->device->context;
  void *params[AGPU__NODE_MOST_PARAMS];
  for (size_t i = 0; after && i < count; ++i) {
    CUgraphNode record = graph->nodes[dependencies[i]].record;
    after[i] = record ? record : graph->nodes[dependencies[i]].handle;
  }
  agpu__driver_set_origin(&node->origin);
  agpu__device_enter_again(node->device);
  switch (node->kind) {
  case AGPU__NODE_KERNEL: {
    CUDA_KERNEL_NODE_PARAMS kernel = describe_kernel(graph, list, node, params);
    return after ? add_kernel(graph, out, to, after, count, &node->launch,
                              &kernel)
                 : driver->cuGraphExecKernelNodeSetParams(graph->exec, *out,
                                                          &kernel);
  }
  case AGPU__NODE_COPY: {
    CUDA_MEMCPY3D copy = agpu__box_describe(&node->copy);
    return after ? driver->cuGraphAddMemcpyNode(out, to, after, count, &copy,
                                                context)
                 : driver->cuGraphExecMemcpyNodeSetParams(graph->exec, *out,
                                                          &copy, context);
  }
  case AGPU__NODE_FILL:
    return after ? driver->cuGraphAddMemsetNode(out, to, after, count,
                                                &node->fill, context)
                 : driver->cuGraphExecMemsetNodeSetParams(graph->exec, *out,
                                                          &node->fill, context);
  case AGPU__NODE_CALL:
    if (after)
      return driver->cuGraphAddChildGraphNode(out, to, after, count,
                                              node->capture->graph);
    return driver->cuGraphExecChildGraphNodeSetParams
               ? driver->cuGraphExecChildGraphNodeSetParams(
                     graph->exec, *out, node->capture->graph)
               : CUDA_ERROR_NOT_SUPPORTED;
  case AGPU__NODE_HOST: return tell_host(graph, list, number, to, after);
  case AGPU__NODE_BRANCH:
    return add_branch(graph, out, to, after, count, &node->branch);
  }
  return CUDA_ERROR_UNKNOWN;
}

//===----------------------------------------------------------------------===//
// Events behind nodes
//===----------------------------------------------------------------------===//

static bool is_to_be_timed(const agpu__built_graph *graph) {
  return !graph->is_loop && !graph->has_no_events &&
         agpu__node_events_are_wanted();
}

/// Adds the record behind the node; or where there is one, gives it the event
/// of the next launch.
static CUresult time_node(agpu__built_graph *graph, size_t number) {
  const agpu__driver *driver = graph->driver;
  CUgraphNode *record = &graph->nodes[number].record;
  CUevent event;
  CUresult result = agpu__node_events_add(graph->events, number, &event);
  if (result)
    return result;
  return *record
             ? driver->cuGraphExecEventRecordNodeSetEvent(graph->exec, *record,
                                                          event)
             : driver->cuGraphAddEventRecordNode(record, graph->graph,
                                                 &graph->nodes[number].handle,
                                                 1, event);
}

/// The events of the next launch: those of the last one are the clock's.
static CUresult time_again(agpu__built_graph *graph) {
  CUresult result = CUDA_SUCCESS;
  if (!graph->is_timed || graph->events)
    return result;
  graph->events = agpu__node_events_create(graph->count);
  for (size_t i = 0; i < graph->count && !result; ++i)
    if (graph->nodes[i].record)
      result = time_node(graph, i);
  return result;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static CUresult add_nodes(agpu__built_graph *graph, const agpu__node_list *list,
                          CUgraphNode *after) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < list->count && !result; ++i) {
    result = tell(graph, list, i, after);
    if (result || !graph->is_timed || list->nodes[i].body)
      continue;
    agpu__device_enter_again(graph->device);
    result = time_node(graph, i);
  }
  return result;
}

static CUresult build_once(agpu__built_graph *graph,
                           const agpu__node_list *list) {
  agpu__device_enter_again(graph->device); // an update may have left it
  agpu__graph_drop(graph);
  CUresult result = graph->driver->cuGraphCreate(&graph->graph, 0);
  if (result) {
    graph->graph = NULL;
    return result;
  }
  graph->count = list->count;
  graph->flags = 0;
  size_t bytes = list->count * sizeof *graph->nodes;
  graph->nodes = agpu__memory_alloc((int64_t)bytes, 16, "a graph");
  memset(graph->nodes, 0, bytes);
  CUgraphNode *after = agpu__memory_alloc(
      (int64_t)((list->count + 1) * sizeof *after), 16, "a graph");
  graph->bodies[0] = graph->graph;
  graph->is_timed = is_to_be_timed(graph);
  if (graph->is_timed)
    graph->events = agpu__node_events_create(list->count);
  if (graph->is_whole)
    result = add_conditions(graph, list);
  if (!result)
    result = add_nodes(graph, list, after);
  agpu__memory_free(after);
  agpu__device_enter_again(graph->device);
  if (!result)
    result = graph->driver->cuGraphInstantiate(&graph->exec, graph->graph,
                                               graph->flags);
  if (result)
    graph->exec = NULL;
  else
    ++graph->builds;
  return result;
}

/// Without events, for good, where it cannot be built with them.
static CUresult build(agpu__built_graph *graph, const agpu__node_list *list) {
  CUresult result = build_once(graph, list);
  if (result && graph->is_timed) {
    agpu__work_clock_lose(0, "a graph records no events: error %d",
                          (int)result);
    graph->has_no_events = true;
    result = build_once(graph, list);
  }
  if (result)
    agpu__graph_drop(graph);
  return result;
}

/// False where it has to be built anew.
static bool update(agpu__built_graph *graph, const agpu__node_list *list) {
  if (!graph->exec || list->is_new)
    return false;
  for (size_t i = 0; i < list->changed_count; ++i) {
    const agpu__node *node = &list->nodes[list->changed[i]];
    if (tell(graph, list, list->changed[i], NULL)) {
      if (node->kind == AGPU__NODE_CALL) // which has other nodes
        node->capture->shape = node->capture;
      return false;
    }
    ++graph->updates;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static agpu__stream_item describe(const agpu__node *node) {
  const agpu__node_launch *launch = &node->launch;
  const agpu__box *copy = &node->copy;
  const CUDA_MEMSET_NODE_PARAMS *fill = &node->fill;
  agpu__stream_item item = {.kind = AGPU__TRACE_KERNEL};
  switch (node->kind) {
  case AGPU__NODE_KERNEL:
    return agpu__traced_describe_launch(launch->function, launch->grid,
                                        launch->block, launch->shared_bytes);
  case AGPU__NODE_COPY:
    item.kind = AGPU__TRACE_COPY;
    item.name = agpu__traced_describe_copy(copy->target, copy->source);
    item.second = copy->width * copy->height * copy->depth;
    break;
  case AGPU__NODE_FILL:
    item.kind = AGPU__TRACE_FILL;
    item.name = "fill";
    item.second = fill->width * fill->height * fill->elementSize;
    break;
  case AGPU__NODE_CALL: item.name = "call"; break;
  case AGPU__NODE_HOST: item.name = "host code"; break;
  case AGPU__NODE_BRANCH:
    item.kind = AGPU__TRACE_CONDITIONAL;
    item.name =
        node->branch.type == CU_GRAPH_COND_TYPE_WHILE ? "loop" : "branch";
    break;
  }
  return item;
}

/// In the order in which they were added: those of a body follow its node.
static CUresult launch_traced(agpu__built_graph *graph,
                              const agpu__node_list *list, CUstream stream) {
  agpu__traced_node *nodes = agpu__memory_alloc(
      (int64_t)((list->count + 1) * sizeof *nodes), 16, "a trace");
  // Of each condition: its node, and the condition around that.
  size_t around[AGPU_GRAPH_MOST_CONDITIONS];
  uint32_t outer[AGPU_GRAPH_MOST_CONDITIONS];
  size_t count = 0;
  if (graph->is_loop) {
    nodes[count++] = (agpu__traced_node){
        .item = {.kind = AGPU__TRACE_CONDITIONAL, .name = "loop"},
        .location = list->nodes[0].origin.location};
  }
  for (size_t i = 0; i < list->count; ++i) {
    const agpu__node *node = &list->nodes[i];
    for (uint32_t at = node->body; at; at = outer[at])
      ++nodes[around[at]].inside;
    if (graph->is_loop)
      ++nodes[0].inside;
    if (node->kind == AGPU__NODE_BRANCH) {
      around[node->branch.handle] = count;
      outer[node->branch.handle] = node->body;
    }
    nodes[count++] =
        (agpu__traced_node){describe(node),
                            node->origin.what ? node->origin.location : NULL,
                            node->region,
                            list->dependencies + node->first_dependency,
                            node->dependency_count,
                            0};
  }
  CUresult result = agpu__traced_launch_graph(
      graph->driver, graph->exec, stream, nodes, count, graph->events);
  graph->events = NULL;
  agpu__memory_free(nodes);
  return result;
}

CUresult agpu__graph_launch_again(agpu__built_graph *graph,
                                  const agpu__node_list *list,
                                  CUstream stream) {
  CUresult result = CUDA_SUCCESS;
  if (graph->is_timed != is_to_be_timed(graph) || time_again(graph))
    result = build(graph, list);
  if (result)
    return result;
  // What it launches last is what messages name.
  agpu__driver_set_origin(&list->nodes[list->count - 1].origin);
  result = agpu__traced_shows_graphs()
               ? launch_traced(graph, list, stream)
               : graph->driver->cuGraphLaunch(graph->exec, stream);
  if (result)
    agpu__graph_drop(graph);
  else
    ++graph->launches, ++graph->runs;
  return result;
}

CUresult agpu__graph_launch(agpu__built_graph *graph, agpu__node_list *list,
                            CUstream stream) {
  CUresult result = update(graph, list) ? CUDA_SUCCESS : build(graph, list);
  if (result)
    return result;
  list->is_new = false;
  agpu__node_list_clear_changes(list);
  agpu__device_enter_again(graph->device);
  return agpu__graph_launch_again(graph, list, stream);
}
