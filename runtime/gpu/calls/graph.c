//===- graph.c - Parts that become graphs ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a round is recorded the function's loan is one of the recorder's
// device, and gets its own stream back at the end, after the graph. Without a
// function's loan there is one for the graph alone.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "async_gpu/compiled/mlir_async_runtime.h"

#include "base/os/self.h"
#include "base/report/status_track.h"
#include "gpu/calls/loan.h"
#include "gpu/graph/record.h"
#include "gpu/process/devices.h"

/// The round's own stream: the one that it had before, if no one else has got
/// it since. False where there is none.
static bool take_stream(agpu__recorder *recorder, const char *location) {
  const agpu__device *base = recorder->base;
  if (recorder->last_stream &&
      agpu__stream_pool_take_over(recorder->last_stream, recorder->number, 0,
                                  &recorder->number))
    return true;
  agpu__device_enter(base);
  agpu_status status = agpu__stream_pool_acquire(
      base, 0, location, &recorder->last_stream, &recorder->number);
  if (status) {
    recorder->last_stream = NULL;
    agpu__status_report(status); // regions may have better luck
  }
  return !status;
}

/// Puts the loan on a lane of its device's side.
static void lend_lane(agpu__recorder *recorder, agpu_stream *loan) {
  loan->device = &agpu__recorder_get_side(recorder, loan->device)->device;
  agpu_status status = agpu__stream_pool_acquire(
      loan->device, 0, loan->last.location, &loan->stream, &loan->number);
  agpu__lane *lane = status ? NULL : agpu__lane_from(loan->stream->handle);
  if (status) {
    agpu__loan_fail(loan, status);
  } else if (lane->round != recorder->round) { // else it may be shared
    lane->failure = CUDA_SUCCESS;
    // What the round's stream has had meanwhile comes in front: no event of
    // before is at the lane's end any more.
    atomic_fetch_add_explicit(&loan->stream->position, 1, memory_order_release);
  }
  if (lane)
    lane->priority = loan->priority;
}

/// A round begins, as one that is recorded, if it is time for that.
static void begin(agpu_graph_site *site, agpu_stream *stream) {
  const agpu__device *device = stream ? stream->device : NULL;
  if (stream && (stream->error || !device))
    return;
  if (!stream) {
    agpu_status status = agpu__devices_get_default(&device);
    agpu_status_release(status); // regions will be told of it
    if (status)
      return;
  }
  if (!agpu__site_is_due(site, device))
    return;
  const agpu__op_name op = stream ? stream->last : (agpu__op_name){0};
  if (stream && !agpu__loan_begin(stream, &op))
    return;
  agpu__recorder *recorder =
      agpu__site_take(site, device, stream ? stream->stream : NULL);
  if (!recorder)
    return;
  recorder->part = site;
  recorder->built.is_loop = site->flags & AGPU_GRAPH_LOOP;
  recorder->built.is_whole = site->flags & AGPU_GRAPH_WHOLE;
  recorder->loan = stream;
  if (stream) {
    recorder->last_stream = stream->stream;
    recorder->number = stream->number;
  } else if (!take_stream(recorder, site->location)) {
    agpu__site_give(site, recorder, SIZE_MAX);
    return;
  }
  agpu__recorder_begin(recorder, recorder->last_stream);
  if (!stream)
    return;
  lend_lane(recorder, stream);
  // That lane is the round's stream, whatever it has been before.
  CUresult result =
      stream->error ? CUDA_SUCCESS
                    : agpu__lane_join(agpu__lane_from(stream->stream->handle));
  if (result)
    agpu__loan_fail_call(stream, result, &op, "%s",
                         "wait for a graph's stream");
}

/// False where its recording has ended before.
static bool end(agpu_graph_site *site, agpu__recorder *recorder) {
  size_t nodes;
  agpu_stream *loan = recorder->loan;
  agpu_status status = agpu__recorder_end(recorder, &nodes);
  if (loan) {
    if (loan->stream && loan->device == &recorder->own.device)
      agpu__stream_pool_release(loan->stream, &loan->last);
    loan->device = recorder->base;
    loan->stream = recorder->last_stream;
    loan->number = recorder->number;
    if (loan->end)
      agpu__event_release(loan->end);
    loan->end = NULL;
    if (status && !loan->error)
      agpu__loan_fail(loan, status);
    else
      agpu_status_release(status);
  } else {
    atomic_store_explicit(&recorder->last_stream->ended, recorder->number,
                          memory_order_release);
    const agpu__op_name op = {.what = "graph", .location = site->location};
    agpu__stream_pool_release(recorder->last_stream, &op);
    if (status)
      agpu__status_report(status);
  }
  bool is_whole = !recorder->why;
  agpu__site_give(site, recorder, nodes);
  return is_whole;
}

void agpu_graph_begin(agpu_graph_site *site, agpu_stream *stream) {
  if (agpu__self.gpu.part)
    ++agpu__self.gpu.part->depth;
  else if (!site->rounds)
    begin(site, stream);
}

void agpu_graph_end(agpu_graph_site *site, agpu_stream *stream) {
  agpu__recorder *recorder = agpu__self.gpu.part;
  (void)stream;
  if (!recorder)
    return;
  if (recorder->depth)
    --recorder->depth;
  else
    (void)end(site, recorder);
}

/// The recorder of the loop, if it is what is being recorded.
static agpu__recorder *find_loop(const agpu_graph_site *site) {
  agpu__recorder *recorder = agpu__self.gpu.part;
  return recorder && recorder->part == site && !recorder->depth ? recorder
                                                                : NULL;
}

bool agpu_graph_round(agpu_graph_site *site, agpu_stream *stream) {
  if (!agpu__self.gpu.part) {
    begin(site, stream);
    return true;
  }
  agpu__recorder *recorder = find_loop(site);
  if (!recorder)
    return true;
  bool is_next = site->flags & AGPU_GRAPH_INDEPENDENT && !recorder->why &&
                 recorder->collected + 1 == recorder->rounds;
  if (!recorder->why && !is_next)
    return agpu__recorder_next(recorder);
  (void)end(site, recorder);
  if (is_next)
    begin(site, stream);
  return true;
}

bool agpu_graph_loop_begin(agpu_graph_site *site, agpu_stream *stream) {
  if (agpu__self.gpu.part)
    return false;
  begin(site, stream);
  return agpu__self.gpu.part;
}

bool agpu_graph_loop_end(agpu_graph_site *site, agpu_stream *stream) {
  agpu__recorder *recorder = agpu__self.gpu.part;
  if (stream->error && !recorder->why)
    recorder->why = "its work has an error";
  return end(site, recorder);
}

void agpu_graph_branch(agpu_graph_site *site, agpu_stream *stream,
                       int64_t what) {
  const agpu__recorder *recorder = agpu__self.gpu.part;
  (void)site;
  if (recorder && !recorder->why && !stream->error && stream->stream->handle)
    agpu__record_branch(agpu__lane_from(stream->stream->handle), what);
}

agpu_object *agpu_graph_token(agpu_graph_site *site, agpu_object *token) {
  agpu__recorder *recorder = find_loop(site);
  if (!recorder || (!recorder->is_seen && !recorder->error) ||
      agpu_object_is_error(token)) {
    mlirAsyncRuntimeAddRef(token, 1);
    return token;
  }
  agpu__recorder_catch_up(recorder);
  const agpu__op_name op = {.what = "graph", .location = site->location};
  agpu__event *event;
  agpu_status status =
      recorder->error
          ? agpu_status_retain(recorder->error)
          : agpu__event_make(recorder->stream, recorder->number, &op, &event);
  return status ? agpu__token_create_error(status)
                : agpu__token_create_enqueued(&event->work);
}

void agpu_host_call(agpu_stream *loan, agpu_host_function *function,
                    const void *arguments, int64_t bytes,
                    const char *location) {
  const agpu__op_name op = {.what = "host code", .location = location};
  const agpu__host_call call = {function, arguments, (size_t)bytes};
  if (!agpu__loan_begin(loan, &op))
    return;
  CUstream stream = loan->stream->handle;
  CUresult result;
  if (!agpu__is_lane(stream) || !agpu__record_host(stream, call, &result))
    result = agpu__host_node_enqueue(loan->device->driver, stream, call);
  if (result)
    agpu__loan_fail_call(loan, result, &op, "host code");
  else
    agpu__loan_enqueued(loan, &op);
}

agpu_stream *agpu_graph_stream_acquire(const char *location) {
  agpu_stream *loan = agpu_stream_acquire(location);
  agpu__recorder *recorder = agpu__self.gpu.part;
  if (recorder && loan->device)
    lend_lane(recorder, loan); // at once: it may be used after the round
  return loan;
}

int64_t agpu_graph_group_add(agpu_object *group, agpu_object *member) {
  agpu__recorder *recorder = agpu__self.gpu.part;
  if (recorder)
    recorder->asks_later = true;
  int64_t rank = agpu_group_add(group, member);
  if (recorder)
    recorder->asks_later = false;
  return rank;
}
