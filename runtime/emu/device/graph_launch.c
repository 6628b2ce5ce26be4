//===- graph_launch.c - Launches of executable graphs ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch puts the nodes' ops on streams of the executable graph's own, one
// for each chain of nodes, and waits between them for what nodes depend on: so
// a graph's work runs as that of streams does, in the orders that a seed draws,
// and the checks know of each of its edges and of no other order. What comes on
// the stream of the launch waits for all of it. A launch waits for the one
// before it of the same executable graph, on whatever stream.
//
//===----------------------------------------------------------------------===//

#include "emu/base/client.h"
#include "emu/device/graph.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/device/capture.h"
#include "emu/device/conditional.h"
#include "emu/device/event.h"
#include "emu/device/stream.h"
#include "emu/memory/allocation.h"
#include "emu/simt/output.h"

#include <stdlib.h>

typedef agpu__emu_exec exec;

/// What the graph allocates has to have been freed since the last launch.
static CUresult back_memory(exec *of, CUstream stream) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < of->list.count && !result; ++i) {
    const agpu__emu_op *op = of->list.nodes[i]->op;
    if (op->kind != AGPU__EMU_OP_ALLOC)
      continue;
    if (of->frees_on_launch && agpu__emu_memory_is_named(op->pointer))
      result = agpu__emu_cuMemFreeAsync(op->pointer, stream);
    if (!result)
      result = agpu__emu_memory_back(
          op->pointer,
          agpu__emu_exec_find_memory(of, AGPU__EMU_OP_FREE, op->pointer) ==
              of->list.count);
  }
  return result;
}

/// What another graph has allocated, and this one frees: it has no name from
/// now on.
static CUresult leave_memory(const exec *of) {
  for (size_t i = 0; i < of->list.count; ++i) {
    const agpu__emu_op *op = of->list.nodes[i]->op;
    if (op->kind == AGPU__EMU_OP_FREE &&
        agpu__emu_exec_find_memory(of, AGPU__EMU_OP_ALLOC, op->pointer) ==
            of->list.count &&
        !agpu__emu_memory_leave(op->pointer))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// What nodes record has to be there still.
static CUresult check_events(const exec *of) {
  for (size_t i = 0; i < of->list.count; ++i) {
    CUevent event = of->list.nodes[i]->event;
    if (!event || agpu__emu_event_context(event))
      continue;
    agpu__emu_note("an event that a node records has been destroyed");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return CUDA_SUCCESS;
}

/// A marker that `stream` reaches now, with one reference; NULL: there is none.
static agpu__emu_marker *mark(CUstream stream, bool is_last) {
  agpu__emu_marker *marker = agpu__emu_marker_create(false);
  agpu__emu_op *op =
      marker ? agpu__emu_op_create(AGPU__EMU_OP_RECORD, 0) : NULL;
  if (op) {
    agpu__emu_marker_retain(marker);
    op->marker = marker;
    op->is_part = !is_last;
    if (!agpu__emu_stream_append(stream, op))
      return marker;
  }
  agpu__emu_marker_release(marker);
  return NULL;
}

/// The same in the context of the lane, whose stream that is.
static agpu__emu_marker *mark_lane(const exec *of, unsigned lane,
                                   CUstream stream) {
  agpu__emu_set_context(of->contexts[lane]);
  agpu__emu_marker *marker = mark(stream, false);
  agpu__emu_set_context(of->context);
  return marker;
}

static CUresult enqueue(const exec *of, unsigned lane, CUstream stream,
                        agpu__emu_op *op) {
  agpu__emu_set_context(of->contexts[lane]);
  CUresult result = agpu__emu_stream_append(stream, op);
  agpu__emu_set_context(of->context);
  return result;
}

/// From any context.
static bool await(CUstream stream, agpu__emu_marker *marker) {
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_WAIT, 0);
  if (!op)
    return false;
  agpu__emu_marker_retain(marker);
  op->marker = marker;
  op->is_part = true;
  return !agpu__emu_stream_append(stream, op);
}

/// The graph's conditions are what each execution begins with.
static bool begin_conditions(const exec *of, CUstream stream) {
  if (!agpu__emu_graph_has_conditions(of->list.graph))
    return true;
  agpu__emu_op *op = agpu__emu_begin_make(of->list.graph);
  if (!op)
    return false;
  op->is_part = true;
  return !agpu__emu_stream_append(stream, op);
}

/// What the node does, once more.
static bool enqueue_node(const exec *of, const agpu__emu_node *node,
                         unsigned lane, CUstream stream) {
  agpu__emu_op *op = agpu__emu_op_copy(node->op);
  if (!op)
    return false;
  op->is_part = true;
  if (!node->event)
    return !enqueue(of, lane, stream, op);
  agpu__emu_marker *marker = agpu__emu_event_begin_record(node->event);
  if (!marker) {
    agpu__emu_op_free(op);
    return false;
  }
  agpu__emu_marker_retain(marker);
  op->marker = marker;
  bool good = !enqueue(of, lane, stream, op);
  if (good)
    agpu__emu_event_end_record(node->event, stream, marker);
  else
    agpu__emu_marker_release(marker);
  return good;
}

/// The nodes from the first to the last; those of other lanes wait for `begin`.
static bool enqueue_nodes(const exec *of, const CUstream *streams,
                          agpu__emu_marker *begin, agpu__emu_marker **markers) {
  bool is_open[AGPU__EMU_MOST_LANES] = {true};
  const uint64_t work = agpu__emu_get_work();
  bool good = true;
  for (size_t i = 0; i < of->list.count && good; ++i) {
    const agpu__emu_node *node = of->list.nodes[i];
    unsigned lane = of->lanes[i];
    if (!is_open[lane])
      good = await(streams[lane], begin);
    is_open[lane] = true;
    for (size_t k = 0; k < node->dependency_count && good; ++k)
      if (of->lanes[node->dependencies[k]] != lane)
        good = await(streams[lane], markers[node->dependencies[k]]);
    // A trace numbers the nodes in the order in which they were added; a child
    // graph is one, which its last node stands for.
    agpu__emu_set_node(&node->origin, work && node->number != SIZE_MAX
                                          ? work + node->number
                                          : 0);
    good = good && enqueue_node(of, node, lane, streams[lane]);
    if (good && of->is_awaited[i])
      good = (markers[i] = mark_lane(of, lane, streams[lane])) != NULL;
  }
  agpu__emu_set_node(NULL, 0);
  for (unsigned lane = 1; lane < of->lane_count; ++lane) {
    agpu__emu_marker *end =
        is_open[lane] ? mark_lane(of, lane, streams[lane]) : NULL;
    good = good && end && await(streams[0], end);
    agpu__emu_marker_release(end);
  }
  return good;
}

static CUresult launch(exec *of, CUstream stream) AGPU__REQUIRES(of->lock) {
  AGPU__ASSERT_HELD(&of->lock);
  CUstream streams[AGPU__EMU_MOST_LANES] = {stream};
  for (unsigned i = 1; i < of->lane_count; ++i)
    if (!agpu__emu_is_context(of->contexts[i]))
      return CUDA_ERROR_INVALID_CONTEXT;
  for (unsigned i = 1; i < of->lane_count; ++i) {
    agpu__emu_set_context(of->contexts[i]);
    bool is_there =
        of->streams[i] || !agpu__emu_stream_begin(&of->streams[i], false, 0);
    agpu__emu_set_context(of->context);
    if (!is_there)
      return CUDA_ERROR_OUT_OF_MEMORY;
    streams[i] = of->streams[i];
  }
  CUresult result = agpu__emu_exec_check_functions(of);
  if (!result)
    result = check_events(of);
  if (!result)
    result = back_memory(of, stream);
  if (!result)
    result = leave_memory(of);
  if (result)
    return result;
  agpu__emu_marker **markers = calloc(of->list.count + 1, sizeof(*markers));
  bool good = markers && (!of->last || await(stream, of->last));
  good = good && begin_conditions(of, stream);
  agpu__emu_marker *begin = good ? mark(stream, false) : NULL;
  good = begin && enqueue_nodes(of, streams, begin, markers);
  agpu__emu_marker *last = good ? mark(stream, true) : NULL;
  if (last) {
    agpu__emu_marker_release(of->last);
    of->last = last;
  }
  agpu__emu_marker_release(begin);
  for (size_t i = 0; markers && i < of->list.count; ++i)
    agpu__emu_marker_release(markers[i]);
  free(markers);
  return last ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult agpu__emu_cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  exec *of = agpu__emu_exec_find(handle);
  if (!of || of->context != agpu__emu_get_context())
    return CUDA_ERROR_INVALID_VALUE;
  if (agpu__emu_capture_launch(stream, of, &result))
    return result;
  agpu__emu_print_flush();
  agpu__mutex_lock(&of->lock);
  result = launch(of, stream);
  agpu__mutex_unlock(&of->lock);
  return result;
}
