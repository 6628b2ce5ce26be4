//===- graph_call.c - Calls of functions that enqueue, in rounds ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What such a call enqueues in a round is captured on a stream of the round's
// own, and becomes a node. A call with the arguments of a captured one is that
// node, and is not made. One that cannot be captured ends the recording, and is
// made again with the stream that the round would have been launched on.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"

#include "base/memory/memory.h"
#include "base/os/self.h"
#include "base/report/log.h"
#include "gpu/calls/loan.h"
#include "gpu/graph/record.h"

/// Streams that a call gets which is captured.
#define MOST_STREAMS 8

/// What agpu_graph_call.state holds.
typedef struct call_state {
  agpu_stream *outer;
  // Of a call that is made in a round, else NULL; and the loan's own stream.
  agpu__recorder *round;
  agpu__side *side;
  agpu__pool_stream *lane;
  uint64_t number;
  bool captures;
} call_state;

_Static_assert(sizeof(call_state) <= sizeof((agpu_graph_call){0}.state),
               "it has room there");

/// The callee is to find that stream as the loan's.
static void put(agpu_stream *loan, const agpu__device *device,
                agpu__pool_stream *stream, uint64_t number) {
  if (loan->end)
    agpu__event_release(loan->end);
  loan->end = NULL;
  loan->device = device;
  loan->stream = stream;
  loan->number = number;
}

/// The call is not captured, and neither is the rest of the round: it is made
/// with the stream that the round would have been launched on. False: it is not
/// to be made, as work before it is lost, and the loan has the error.
static bool make_plain(agpu_stream *loan, const call_state *of,
                       const agpu_graph_call *call, CUresult result) {
  const agpu__op_name op = {.location = call->location};
  agpu__recorder *round = of->round;
  agpu__pool_stream *stream;
  if (!round->why)
    round->refusal = result;
  agpu__record_flush(round, "a call in it cannot be captured");
  result = agpu__lane_join(agpu__lane_from(of->lane->handle));
  if (!result && !round->error)
    result = agpu__lane_cross(round->stream, of->side->base, &stream);
  if (result || round->error)
    agpu__loan_fail_call(loan, result, &op, "call of a function");
  else
    put(loan, of->side->base, stream,
        stream == round->stream ? round->number : 0);
  return !loan->error;
}

/// Has what the callee enqueues captured. An error: it is not.
static CUresult begin_capture(agpu_stream *loan, call_state *of,
                              const agpu_graph_call *call) {
  agpu__side *side = of->side;
  const agpu__driver *driver = side->base->driver;
  if (!driver->cuStreamBeginCapture || !driver->cuStreamEndCapture ||
      !driver->cuGraphAddChildGraphNode)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!side->capturing) {
    side->capturing = agpu__memory_alloc(sizeof(agpu__device),
                                         _Alignof(agpu__device), "a graph");
    *side->capturing = *side->base;
    side->capturing->streams =
        agpu__stream_pool_create(MOST_STREAMS, MOST_STREAMS);
    side->capturing->events = agpu__event_pool_create();
  }
  const agpu__device *device = side->capturing;
  agpu__pool_stream *stream;
  uint64_t number;
  CUresult result = agpu__driver_take_result(
      agpu__stream_pool_acquire(device, 0, call->location, &stream, &number));
  if (result)
    return result;
  result = driver->cuStreamBeginCapture(stream->handle, (int)call->mode);
  if (result) {
    agpu__stream_pool_release(stream, NULL);
    return result;
  }
  // No wait of an earlier sequence stands for one in this one.
  atomic_fetch_add_explicit(&stream->position, 1, memory_order_release);
  put(loan, device, stream, number);
  of->captures = true;
  agpu__self.gpu.capturing = device;
  agpu__self.gpu.part = NULL; // what the callee runs is no part of the round
  return CUDA_SUCCESS;
}

/// The node of what has been captured. An error: the call is to be made again.
static CUresult end_capture(agpu_stream *loan, call_state *of,
                            const agpu_graph_call *call) {
  agpu__recorder *round = of->round;
  agpu__pool_stream *stream = loan->stream;
  CUgraph graph = NULL;
  agpu__device_enter(of->side->base);
  CUresult result =
      round->base->driver->cuStreamEndCapture(stream->handle, &graph);
  if (result) // whatever the driver has done: the stream is captured no more
    (void)round->base->driver->cuStreamEndCapture(stream->handle, &graph);
  // Who has a token of the callee's would wait for nothing, and a callee that
  // has waited has had other tasks run here.
  if (!result && (!agpu__self.gpu.capturing ||
                  agpu__event_pool_count_lent(of->side->capturing->events)))
    result = CUDA_ERROR_NOT_PERMITTED;
  of->captures = false;
  agpu__self.gpu.capturing = NULL;
  agpu__self.gpu.part = round;
  put(loan, &of->side->device, of->lane, of->number);
  agpu__stream_pool_release(stream, NULL);
  if (!result && !loan->error)
    return agpu__record_call(
        agpu__lane_from(of->lane->handle),
        agpu__capture_add(round, of->side->base, call, graph));
  if (graph)
    (void)round->base->driver->cuGraphDestroy(graph);
  // What the callee says may be due to the capture; else it says it again.
  agpu_status_release(loan->error);
  loan->error = AGPU_OK;
  loan->error_is_handed_on = false;
  return result ? result : CUDA_ERROR_NOT_PERMITTED;
}

bool agpu_graph_call_begin(agpu_stream *loan, agpu_graph_call *call) {
  call_state *of = (call_state *)(void *)call->state;
  const agpu__op_name op = {.what = "call of a function",
                            .location = call->location};
  agpu__recorder *round = agpu__self.gpu.part;
  *of = (call_state){.outer = agpu_stream_enter(loan)};
  if (!round || loan->device->driver != &round->driver ||
      !agpu__loan_begin(loan, &op))
    return true;
  of->side = round->sides[loan->device->ordinal];
  of->lane = loan->stream;
  of->number = loan->number;
  agpu__lane *lane = agpu__lane_from(of->lane->handle);
  agpu__capture *known = agpu__lane_records(lane)
                             ? agpu__capture_find(round, of->side->base, call)
                             : NULL;
  if (known && !agpu__record_call(lane, known)) {
    agpu__loan_enqueued(loan, &op);
    agpu__hot.choices.stream = of->outer;
    return false;
  }
  of->round = round;
  CUresult result = agpu__lane_records(lane) ? begin_capture(loan, of, call)
                                             : CUDA_ERROR_NOT_SUPPORTED;
  if (!result || make_plain(loan, of, call, result))
    return true;
  agpu__hot.choices.stream = of->outer;
  return false;
}

bool agpu_graph_call_end(agpu_stream *loan, agpu_graph_call *call) {
  call_state *of = (call_state *)(void *)call->state;
  CUresult result = of->captures ? end_capture(loan, of, call) : CUDA_SUCCESS;
  if (result) {
    const char *name = NULL;
    (void)of->round->base->driver->cuGetErrorName(result, &name);
    agpu__log(AGPU__LOG_DEVICE, "call at %s: it cannot be captured: %s",
              call->location ? call->location : "?", name ? name : "?");
    if (make_plain(loan, of, call, result))
      return true;
  }
  agpu_stream_leave(loan, of->outer, call->location);
  result = CUDA_SUCCESS;
  if (of->round && loan->device == of->side->base &&
      loan->stream != of->round->stream)
    result = agpu__lane_return(of->round->stream, loan->stream, CUDA_SUCCESS);
  if (of->round)
    put(loan, &of->side->device, of->lane, of->number);
  if (result && !loan->error)
    agpu__loan_fail_call(
        loan, result,
        &(agpu__op_name){.what = "call of a function",
                         .location = call->location},
        "waiting for a called function's work on another device");
  return false;
}
