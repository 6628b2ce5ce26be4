//===- notes.c - Events of a round ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the recording driver that tell events, and the end of a
// recording that comes early. What an event depends on is noted by its handle:
// nodes of the round, or none where it depends on what was there before.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "base/memory/memory.h"
#include "base/os/self.h"
#include "base/trace/trace.h"
#include "gpu/kernel/geometry.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// For a round of another thread, before this thread's own is offered: what
/// that thread may wait for.
#define SETTLE_NS 1000000

// The functions of the table have no place for a context pointer, and who asks
// of an event does not know whose it is.
static struct {
  agpu__lock lock;
  LIST_HEAD(, agpu__recorder) recorders AGPU__GUARDED_BY(lock);
  // Of the process's one driver; relaxed.
  _Atomic(const agpu__driver *) driver;
} open_rounds = {.lock = AGPU__LOCK_INIT(AGPU__RANK_RECORDERS)};

void agpu__record_open(agpu__recorder *of) {
  agpu__self.gpu.part = of;
  agpu__trace_enter(agpu__trace_get_region()); // until the round ends
  atomic_store_explicit(&of->thread, &agpu__self, memory_order_relaxed);
  atomic_fetch_add_explicit(&of->told, 1, memory_order_release);
  atomic_store_explicit(&open_rounds.driver, of->base->driver,
                        memory_order_relaxed);
  agpu__lock_acquire(&open_rounds.lock);
  LIST_INSERT_HEAD(&open_rounds.recorders, of, open);
  agpu__lock_release(&open_rounds.lock);
}

static void count_told(agpu__recorder *of, uint32_t added) {
  // In one order with what waiters do: count themselves, and look.
  atomic_fetch_add(&of->told, added);
  if (atomic_load(&of->waiters))
    (void)syscall(SYS_futex, &of->told, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL,
                  NULL, 0);
}

void agpu__record_tell_waiters(agpu__recorder *of) {
  agpu__lane *lane;
  LIST_FOREACH (lane, &of->lanes, link)
    if (lane->round == of->round)
      atomic_store_explicit(&lane->real, of->stream, memory_order_relaxed);
  count_told(of, 2);
}

void agpu__record_close(agpu__recorder *of) {
  agpu__lock_acquire(&open_rounds.lock);
  LIST_REMOVE(of, open);
  agpu__lock_release(&open_rounds.lock);
  count_told(of, 1);
  --agpu__self.trace.depth;
  agpu__self.gpu.part = NULL;
}

void agpu__record_fork(void) {
  agpu__lock_init(&open_rounds.lock, AGPU__RANK_RECORDERS);
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// What an event of the round depends on, some of `noted`: the first, and how
/// many, below; NULL: it is none of the round's.
static const uint64_t *find_note(agpu__recorder *of, CUevent event)
    AGPU__REQUIRES(of->lock) {
  AGPU__ASSERT_HELD(&of->lock);
  return of->notes.count
             ? agpu__trace_table_find(&of->notes, (uint64_t)(uintptr_t)event)
             : NULL;
}

static bool is_noted(agpu__recorder *of, CUevent event) {
  agpu__lock_acquire(&of->lock);
  bool result = find_note(of, event) != NULL;
  agpu__lock_release(&of->lock);
  return result;
}

static void clear_notes(agpu__recorder *of) {
  agpu__lock_acquire(&of->lock);
  if (of->notes.count)
    memset(of->notes.entries, 0,
           of->notes.capacity * sizeof *of->notes.entries);
  of->notes.count = of->noted_count = 0;
  agpu__lock_release(&of->lock);
}

/// `event` is at the present end of the lane. False: memory is out.
static bool note(agpu__recorder *of, CUevent event, const agpu__lane *lane) {
  bool is_in = lane->round == of->round;
  size_t count = is_in ? lane->pending_count + (lane->tail >= 0) : 0;
  agpu__lock_acquire(&of->lock);
  of->noted =
      agpu__memory_grow(of->noted, &of->noted_capacity, of->noted_count + count,
                        sizeof *of->noted, "a graph");
  uint64_t *place =
      agpu__trace_table_add(&of->notes, (uint64_t)(uintptr_t)event);
  if (place)
    *place = (uint64_t)of->noted_count << 32 | count;
  if (place && count)
    of->noted_count += agpu__lane_get_ends(lane, of->noted + of->noted_count);
  agpu__lock_release(&of->lock);
  return place;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

const agpu__driver *agpu__record_leave(void) {
  agpu__recorder *of = agpu__self.gpu.part;
  if (of)
    agpu__record_flush(of, "it uses a stream of the program's own");
  return atomic_load_explicit(&open_rounds.driver, memory_order_relaxed);
}

CUresult agpu__record_cuEventRecord(CUevent event, CUstream stream) {
  if (!agpu__is_lane(stream))
    return agpu__record_leave()->cuEventRecord(event, stream);
  agpu__lane *lane = agpu__lane_from(stream);
  agpu__recorder *of = lane->of;
  if (lane->failure)
    return lane->failure;
  if (agpu__lane_records(lane)) {
    const agpu__pool_stream *real =
        atomic_load_explicit(&lane->real, memory_order_relaxed);
    if (lane->round == of->round || !real || real == of->stream)
      return note(of, event, lane) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  agpu__device_enter_again(of->base);
  CUresult result = of->base->driver->cuEventRecord(
      event, agpu__lane_get_stream(lane)->handle);
  agpu__device_enter_again(lane->side->base);
  return result;
}

CUresult agpu__record_cuStreamWaitEvent(CUstream stream, CUevent event,
                                        unsigned int flags) {
  if (!agpu__is_lane(stream))
    return agpu__record_leave()->cuStreamWaitEvent(stream, event, flags);
  agpu__lane *lane = agpu__lane_from(stream);
  bool records = agpu__lane_records(lane);
  CUresult result = agpu__lane_join(lane);
  // Work that follows has the failure, with its name.
  if (result && (records || !lane->failure))
    return result;
  if (records) {
    agpu__recorder *of = lane->of;
    agpu__lock_acquire(&of->lock);
    const uint64_t *found = find_note(of, event);
    for (uint32_t i = 0; found && i < (uint32_t)*found; ++i)
      agpu__lane_add_pending(lane, of->noted[(*found >> 32) + i]);
    agpu__lock_release(&of->lock);
    if (found)
      return CUDA_SUCCESS;
  }
  // What comes in is waited for by the graph as a whole.
  agpu__pool_stream *real = agpu__lane_get_stream(lane);
  if (agpu__self.gpu.part == lane->of)
    lane->of->has_waited = true;
  agpu__event_settle(real);
  agpu__device_enter_again(real->device);
  result = agpu__lane_return(
      real, real,
      real->device->driver->cuStreamWaitEvent(real->handle, event, flags));
  agpu__device_enter_again(lane->side->base);
  return result;
}

CUresult agpu__record_cuEventQuery(CUevent event) {
  bool is_open = false;
  agpu__recorder *of;
  agpu__lock_acquire(&open_rounds.lock);
  LIST_FOREACH (of, &open_rounds.recorders, open)
    is_open |= is_noted(of, event);
  agpu__lock_release(&open_rounds.lock);
  if (is_open)
    return CUDA_ERROR_NOT_READY;
  return atomic_load_explicit(&open_rounds.driver, memory_order_relaxed)
      ->cuEventQuery(event);
}

/// What the visitor below is for.
typedef struct teller {
  agpu__recorder *of;
  CUresult error; ///< instead of a record
  bool records;   ///< what was not asked for, too
} teller;

/// Tells the driver of an event of the round that someone refers to. One that
/// has not been asked for yet gets the lane's failure.
static void tell(agpu__event *event, void *argument) {
  const teller *by = argument;
  agpu__recorder *of = by->of;
  bool is_own = is_noted(of, event->handle);
  CUresult result = by->error;
  // It was made before the round used that device.
  if (event->stream->handle &&
      agpu__lane_from(event->stream->handle)->round == of->round)
    atomic_fetch_or_explicit(&event->foreign, of->own.device.foreign,
                             memory_order_relaxed);
  if (is_own && !result)
    result = of->base->driver->cuEventRecord(event->handle, of->stream->handle);
  // The completion thread may be asking about the event.
  if (is_own)
    atomic_store_explicit(&event->result, result, memory_order_relaxed);
  else if (!atomic_load_explicit(&event->is_recorded, memory_order_acquire) &&
           event->stream->handle &&
           (by->records ||
            (result && agpu__lane_from(event->stream->handle)->failure)))
    agpu_status_release(agpu__event_record(event)); // the event has it
  agpu__event_release(event);
}

void agpu__record_tell_events(agpu__recorder *of, CUresult error) {
  teller by = {.of = of, .error = error};
  agpu__lock_acquire(&of->lock);
  bool any = of->notes.count != 0;
  agpu__lock_release(&of->lock);
  if (!any && !error && !of->has_joined)
    return;
  agpu__device_enter_again(of->base);
  agpu__event_pool_visit(of->own.device.events, tell, &by);
  clear_notes(of);
}

//===----------------------------------------------------------------------===//
// The end of a recording
//===----------------------------------------------------------------------===//

static CUresult launch(const agpu__driver *driver, const agpu__node_launch *of,
                       CUstream stream, void **params) {
  agpu__geometry geometry = {.shared_bytes = of->shared_bytes};
  for (int i = 0; i < 3; ++i) {
    geometry.cluster[i] = of->cluster[0] ? of->cluster[i] : 1;
    geometry.grid[i] = of->grid[i];
    geometry.block[i] = of->block[i];
  }
  return agpu__geometry_launch(&geometry, driver, of->function, stream, params,
                               NULL);
}

/// Enqueues the nodes from `*at` on, up to number `end` or one of another
/// device, one after the other on `stream`. An error is that of the node that
/// `*at` is then.
static CUresult replay(const agpu__node_list *list, size_t *at, size_t end,
                       const agpu__driver *driver, CUstream stream) {
  void *params[AGPU__NODE_MOST_PARAMS];
  CUresult result = CUDA_SUCCESS;
  const agpu__device *device = list->nodes[*at].device;
  for (; *at < end && list->nodes[*at].device == device; ++*at) {
    const agpu__node *node = &list->nodes[*at];
    agpu__driver_set_origin(&node->origin);
    agpu__self.trace.replayed = &node->region;
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
  agpu__self.trace.replayed = NULL;
  return result;
}

void agpu__record_replay(agpu__recorder *of, size_t count) {
  const agpu__device *base = of->base;
  const agpu__op_name origin = agpu__driver_get_origin();
  CUresult result = CUDA_SUCCESS;
  agpu__device_enter(base);
  size_t at = 0;
  while (at < count && !result) {
    agpu__pool_stream *stream;
    result = agpu__lane_cross(of->stream, of->list.nodes[at].device, &stream);
    if (!result)
      result = agpu__lane_return(
          of->stream, stream,
          replay(&of->list, &at, count, base->driver, stream->handle));
  }
  if (result && !of->error) {
    const agpu__op_name *failed =
        &of->list.nodes[at < count ? at : at - 1].origin;
    of->error = agpu__driver_error(
        base->driver, result, failed->location, "%s%s%s%s", failed->what,
        failed->kernel ? " '" : "", failed->kernel ? failed->kernel : "",
        failed->kernel ? "'" : "");
  }
  agpu__lane *lane;
  LIST_FOREACH (lane, &of->lanes, link)
    if (result && lane->round == of->round)
      lane->failure = result;
  agpu__record_tell_events(of, result);
  agpu__driver_set_origin(&origin);
}

void agpu__record_flush(agpu__recorder *of, const char *why) {
  if (of->why)
    return;
  of->why = why;
  if (of->built.is_whole)
    return;
  agpu__record_replay(of, of->list.at);
  agpu__record_tell_waiters(of);
}

//===----------------------------------------------------------------------===//
// Completions
//===----------------------------------------------------------------------===//

struct agpu__asked {
  agpu__work *work;
  agpu_object *object;
};

/// False where it cannot wait.
static bool put_off(agpu__recorder *of, agpu__event *event,
                    agpu_object *object) {
  agpu_status status =
      of->asks_later && !of->why ? agpu__event_record(event) : AGPU_OK;
  agpu_status_release(status); // the event has it
  if (!of->asks_later || of->why || status)
    return false;
  of->asked =
      agpu__memory_grow(of->asked, &of->asked_capacity, of->asked_count + 1,
                        sizeof *of->asked, "a graph");
  of->asked[of->asked_count++] = (agpu__asked){&event->work, object};
  return true;
}

void agpu__record_ask(agpu__recorder *of) {
  // The references that keep events and objects are the requests' own.
  of->is_asking = true;
  for (size_t i = 0; i < of->asked_count; ++i)
    of->base->event_ops->request(of->asked[i].work, of->asked[i].object);
  of->asked_count = 0;
  of->is_asking = false;
}

/// The device is the recorder's first member.
static agpu__recorder *get_recorder(const agpu__event *event) {
  return (agpu__recorder *)(uintptr_t)event->device;
}

/// Enqueues the round of this thread, and records all that others may wait for.
static void offer(agpu__recorder *of) {
  of->offers += !of->why;
  of->is_offered |= !of->why;
  agpu__record_flush(of, "it waits for a round of another thread");
  teller by = {.of = of, .records = true};
  agpu__device_enter_again(of->base);
  agpu__event_pool_visit(of->own.device.events, tell, &by);
  count_told(of, 2);
}

void agpu__record_settle(agpu__work *work) {
  const agpu__event *event = agpu__event_from_work(work);
  agpu__recorder *of = get_recorder(event), *own = agpu__self.gpu.part;
  uint32_t begun = atomic_load_explicit(&of->told, memory_order_acquire);
  if (begun % 2 == 0 ||
      atomic_load_explicit(&of->thread, memory_order_relaxed) == &agpu__self)
    return;
  const struct timespec most = {.tv_nsec = SETTLE_NS};
  atomic_fetch_add(&of->waiters, 1);
  // That one may wait for this thread's: of rounds that wait for each other one
  // sees it here, and what else its thread waits for takes longer than most.
  bool is_late = own && atomic_load(&own->waiters);
  while (atomic_load(&of->told) == begun &&
         (!atomic_load_explicit(&event->is_recorded, memory_order_acquire) ||
          is_noted(of, event->handle))) {
    if (own && is_late) {
      offer(own);
      own = NULL;
    }
    is_late = syscall(SYS_futex, &of->told, FUTEX_WAIT_PRIVATE, begun, &most,
                      NULL, 0) &&
              errno == ETIMEDOUT;
  }
  atomic_fetch_sub(&of->waiters, 1);
}

bool agpu__record_wait(agpu__work *work) {
  agpu__event *event = agpu__event_from_work(work);
  agpu__recorder *of = get_recorder(event);
  if (agpu__self.gpu.part == of)
    return false;
  agpu_status_release(agpu__event_record(event)); // the event has it
  // Another thread's round tells the driver at its end.
  return !is_noted(of, event->handle) && of->base->event_ops->wait(work);
}

void agpu__record_request(agpu__work *work, agpu_object *object) {
  agpu__event *event = agpu__event_from_work(work);
  agpu__recorder *of = get_recorder(event);
  if (agpu__self.gpu.part == of) {
    if (put_off(of, event, object))
      return;
    agpu__record_flush(of, "the host waits inside of it");
  }
  of->base->event_ops->request(work, object);
}
