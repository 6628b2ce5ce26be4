//===- record.c - A device that records -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round, and what a recorder is made of. A recorder is used by one thread at
// a time; its events may be asked for by any.
//
// The rounds of a loop are collected until there are enough for a graph. Where
// all do the same, what follows needs no more than to be counted. Rounds that
// are left when the loop ends are enqueued one by one: but where it has had as
// many rounds as the time before, they are shared out among its graphs evenly.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"

/// Captures that may be left of calls that no round has made since.
#define MOST_CAPTURES 64

/// What follows the round depends on its work on other devices, and on what its
/// lanes have waited for.
static void note_foreign(agpu__recorder *of) {
  uint64_t devices = of->own.device.foreign;
  const agpu__lane *lane;
  LIST_FOREACH (lane, &of->lanes, link) {
    if (!of->has_waited || lane->round != of->round)
      continue;
    // In no pool if the context of its device could not be entered.
    agpu__pool_stream *found = agpu__stream_pool_find(
        lane->side->device.streams, agpu__lane_get_handle(lane));
    devices |= found ? agpu__stream_get_foreign(found) : 0;
  }
  if (devices)
    agpu__stream_note_foreign(of->stream, devices);
}

static void launch(agpu__recorder *of, bool again) {
  agpu__device_enter(of->base);
  agpu__event_settle(of->stream);
  CUstream stream = of->stream->handle;
  agpu__node_list_finish(&of->list);
  CUresult result =
      again ? agpu__graph_launch_again(&of->built, &of->list, stream)
            : agpu__graph_launch(&of->built, &of->list, stream);
  if (result) {
    of->refusal = result;
    agpu__record_flush(of, "the driver refuses it");
  } else {
    atomic_fetch_add_explicit(&of->stream->position, 1, memory_order_release);
    agpu__record_tell_events(of, CUDA_SUCCESS);
  }
  note_foreign(of);
}

static void end_memory(agpu__recorder *of, bool is_over) {
  const char *location = NULL;
  CUresult result = agpu__kept_follow(of);
  if (!result)
    result = agpu__kept_end(of, is_over, &location);
  if (result && !of->error)
    of->error =
        agpu__driver_error(of->base->driver, result, location, "deallocation");
}

void agpu__recorder_begin(agpu__recorder *of, agpu__pool_stream *stream) {
  ++of->round;
  of->depth = 0;
  of->stream = stream;
  of->why = NULL;
  of->refusal = CUDA_SUCCESS;
  of->error = AGPU_OK;
  of->nodes = 0;
  of->all = 1;
  of->collected = of->skipped = 0;
  of->is_seen = of->has_joined = of->has_waited = of->is_offered = false;
  agpu__node_list_restart(&of->list);
  agpu__record_open(of);
}

/// What has been collected is enqueued, as a graph or one by one, at the end of
/// the part or before.
static void enqueue(agpu__recorder *of, bool as_graph, bool is_over) {
  if (of->list.at > of->nodes)
    of->nodes = of->list.at;
  if (!of->why && of->list.at && as_graph) {
    launch(of, false);
  } else {
    if (!of->why && of->list.at)
      agpu__record_replay(of, of->list.at);
    note_foreign(of);
  }
  agpu__record_tell_events(of, CUDA_SUCCESS);
  agpu__record_ask(of);
  end_memory(of, is_over);
  agpu__node_list_restart(&of->list);
  agpu__record_tell_waiters(of);
}

bool agpu__recorder_release_memory(agpu__recorder *of) {
  if (!agpu__kept_has_free(of))
    return false;
  agpu__record_flush(of, "the device's memory is out");
  end_memory(of, false);
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A round that did nothing.
static void skip(agpu__recorder *of) {
  if (++of->skipped < of->rounds)
    return;
  of->skipped = 0;
  of->list.at = of->list.count;
  launch(of, true);
  agpu__node_list_restart(&of->list);
  of->is_seen = !of->why;
}

bool agpu__recorder_next(agpu__recorder *of) {
  ++of->all;
  if (!of->is_seen) {
    if (of->why || ++of->collected < of->rounds)
      return true;
    // Without work the list is that of rounds before.
    bool has_work = of->list.at > 0;
    enqueue(of, true, false);
    ++of->round;
    of->collected = 0;
    of->is_seen = of->is_fixed && has_work && !of->why && !of->error &&
                  agpu__node_list_repeats(&of->list, of->rounds);
    if (!of->is_seen)
      return true;
  }
  skip(of);
  return false;
}

void agpu__recorder_catch_up(agpu__recorder *of) {
  if (of->skipped)
    agpu__record_replay(of, of->list.count / of->rounds * of->skipped);
  of->skipped = 0;
}

/// The loop is over.
static void share_out(agpu__recorder *of) {
  if (of->all == of->last_all && of->all % of->rounds) {
    uint64_t graphs = (of->all + of->most - 1) / of->most;
    of->rounds = (of->all + graphs - 1) / graphs;
  }
  of->last_all = of->all;
}

agpu_status agpu__recorder_end(agpu__recorder *of, size_t *out_nodes) {
  agpu__recorder_catch_up(of);
  enqueue(of, !of->most || of->collected + 1 == of->rounds, true);
  if (of->most)
    share_out(of);
  *out_nodes = of->nodes;
  agpu__record_close(of);
  return of->error;
}

//===----------------------------------------------------------------------===//
// Calls that are captured
//===----------------------------------------------------------------------===//

agpu__capture *agpu__capture_find(const agpu__recorder *of,
                                  const agpu__device *device,
                                  const agpu_graph_call *call) {
  agpu__capture *at;
  SLIST_FOREACH (at, &of->captures, link)
    if (at->call.function == call->function && at->call.mode == call->mode &&
        at->device == device && at->call.bytes == call->bytes &&
        !memcmp(at->arguments, call->arguments, (size_t)call->bytes))
      break;
  return at;
}

static void keep(const agpu__node_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    if (list->nodes[i].kind == AGPU__NODE_CALL)
      list->nodes[i].capture->is_kept = true;
}

/// Frees all, or those that no node has.
static void free_captures(agpu__recorder *of, bool all) {
  agpu__capture *at, *next;
  SLIST_FOREACH (at, &of->captures, link)
    at->is_kept = false;
  if (!all)
    keep(&of->list);
  for (size_t i = 0; !all && of->shapes.others && i < AGPU__MOST_OTHER_SHAPES;
       ++i)
    keep(&of->shapes.others[i].list);
  for (at = SLIST_FIRST(&of->captures); at; at = next) {
    next = SLIST_NEXT(at, link);
    if (at->is_kept)
      continue;
    if (at->exec)
      (void)of->base->driver->cuGraphExecDestroy(at->exec);
    (void)of->base->driver->cuGraphDestroy(at->graph);
    SLIST_REMOVE(&of->captures, at, agpu__capture, link);
    agpu__memory_free(at);
    --of->capture_count;
  }
}

agpu__capture *agpu__capture_add(agpu__recorder *of, const agpu__device *device,
                                 const agpu_graph_call *call, CUgraph graph) {
  if (of->capture_count >= MOST_CAPTURES)
    free_captures(of, false);
  agpu__capture *made = agpu__memory_alloc((int64_t)sizeof *made + call->bytes,
                                           _Alignof(agpu__capture), "a graph");
  *made = (agpu__capture){.call = *call, .device = device, .graph = graph};
  if (call->bytes)
    memcpy(made->arguments, call->arguments, (size_t)call->bytes);
  SLIST_INSERT_HEAD(&of->captures, made, link);
  ++of->capture_count;
  ++of->captured;
  return made;
}

static void end_captures(agpu__recorder *of, bool abandons) {
  free_captures(of, true);
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i) {
    const agpu__side *side = of->sides[i];
    if (!side || !side->capturing)
      continue;
    agpu__device_enter(side->base);
    if (abandons) {
      agpu__stream_pool_abandon(side->capturing->streams);
      agpu__event_pool_abandon(side->capturing->events);
    } else {
      agpu__stream_pool_destroy(side->capturing->streams);
      agpu__event_pool_destroy(side->capturing->events);
      agpu__memory_free(side->capturing);
    }
  }
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static void begin_side(agpu__recorder *of, agpu__side *side,
                       const agpu__device *base) {
  *side = (agpu__side){.device = *base, .base = base};
  side->device.driver = &of->driver;
  side->device.event_ops = &of->ops;
  side->device.streams = agpu__stream_pool_create(base->shared->stream_limit,
                                                  base->shared->stream_limit);
  of->sides[base->ordinal] = side;
}

agpu__recorder *agpu__recorder_create(const agpu__device *base, uint64_t most,
                                      bool is_fixed) {
  agpu__recorder *made =
      agpu__memory_alloc(sizeof *made, _Alignof(agpu__recorder), "a graph");
  *made = (agpu__recorder){
      .base = base,
      .most = most,
      .rounds = most,
      .is_fixed = is_fixed,
      .lock = AGPU__LOCK_INIT(AGPU__RANK_RECORDER),
  };
  agpu__record_fill_driver(&made->driver, base->driver);
  made->ops = *base->event_ops;
  made->ops.request = agpu__record_request;
  made->ops.wait = agpu__record_wait;
  made->ops.settle = agpu__record_settle;
  begin_side(made, &made->own, base);
  made->own.device.events = agpu__event_pool_create();
  made->built.driver = base->driver;
  made->built.device = base;
  made->shapes = (agpu__shapes){.built = &made->built};
  made->list.shapes = &made->shapes;
  return made;
}

agpu__side *agpu__recorder_get_side(agpu__recorder *of,
                                    const agpu__device *base) {
  if (agpu__recorder_has(of, base))
    return of->sides[base->ordinal];
  agpu__side *made =
      agpu__memory_alloc(sizeof *made, _Alignof(agpu__side), "a graph");
  begin_side(of, made, base);
  made->device.events = of->own.device.events;
  made->device.events_of = &of->own.device;
  uint64_t foreign = of->own.device.foreign | agpu__device_bit(base);
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i)
    if (of->sides[i])
      of->sides[i]->device.foreign = foreign;
  of->has_joined = true;
  return made;
}

const agpu__device *agpu__record_device(const agpu__device *of_loan,
                                        const agpu__device *device) {
  agpu__recorder *of = agpu__self.gpu.part;
  return of && of_loan->driver == &of->driver
             ? &agpu__recorder_get_side(of, device)->device
             : device;
}

bool agpu__recorder_is_in_use(const agpu__recorder *recorder) {
  bool result = agpu__event_pool_count_lent(recorder->own.device.events);
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i) {
    const agpu__side *side = recorder->sides[i];
    if (!side)
      continue;
    result |= agpu__stream_pool_count_lent(side->device.streams) ||
              (side->capturing &&
               agpu__event_pool_count_lent(side->capturing->events));
  }
  return result;
}

void agpu__recorder_drop(agpu__recorder *recorder) {
  agpu__shapes *of = &recorder->shapes;
  agpu__graph_drop(of->built);
  for (size_t i = 0; of->others && i < AGPU__MOST_OTHER_SHAPES; ++i) {
    agpu__graph_drop(&of->others[i].built);
    agpu__node_list_free(&of->others[i].list);
  }
  agpu__memory_free(of->others);
  of->others = NULL;
}

void agpu__recorder_abandon(agpu__recorder *of) {
  agpu__device_enter(of->base);
  agpu__recorder_drop(of);
  end_captures(of, true);
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i)
    if (of->sides[i])
      agpu__stream_pool_abandon(of->sides[i]->device.streams);
  agpu__device_enter(of->base);
  agpu__event_pool_abandon(of->own.device.events);
  (void)agpu__kept_release(of, AGPU__KEPT_DONE);
}

AGPU__UNCHECKED_LOCKS // it is the only thread
    void agpu__recorder_destroy(agpu__recorder *of, agpu__kept_work work) {
  agpu__device_enter(of->base);
  agpu__recorder_drop(of);
  end_captures(of, false);
  (void)agpu__kept_release(of, work); // enters it again
  agpu__memory_free(of->kept);
  struct agpu__event_pool *events = of->own.device.events;
  for (size_t i = 0; i < AGPU__MAX_DEVICES; ++i) {
    agpu__side *side = of->sides[i];
    if (side)
      agpu__stream_pool_destroy(side->device.streams);
    if (side != &of->own)
      agpu__memory_free(side);
  }
  agpu__event_pool_destroy(events);
  while (!LIST_EMPTY(&of->lanes))
    agpu__lane_free(LIST_FIRST(&of->lanes));
  while (of->layouts) {
    agpu__param_layout *next = of->layouts->next;
    agpu__memory_free(of->layouts);
    of->layouts = next;
  }
  agpu__node_list_free(&of->list);
  agpu__memory_free(of->scratch);
  agpu__memory_free(of->asked);
  agpu__trace_table_free(&of->notes);
  agpu__memory_free(of->noted);
  agpu__memory_free(of);
}
