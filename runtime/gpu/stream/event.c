//===- event.c - Events: positions in streams -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that goes on asks for as many events as before, give or take what
// chance holds up for a moment. So the pool grows by a few at a time, and one
// that has met its peak creates nothing more. It shrinks when, over many loans,
// a fraction of it would have done.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/event.h"

#include "base/memory/memory.h"

/// Loans after which the size of the pool is looked at.
#define LOANS_PER_REVIEW 4096
/// Events that the pool grows by at least, once a program needs several.
#define GROWTH 8

struct agpu__event_pool {
  agpu__lock lock;
  LIST_HEAD(, agpu__event) all AGPU__GUARDED_BY(lock);
  SLIST_HEAD(event_list, agpu__event) free AGPU__GUARDED_BY(lock);
  // By agpu__event_take_handle.
  struct event_list taken AGPU__GUARDED_BY(lock);
  int64_t total AGPU__GUARDED_BY(lock); // created and not destroyed
  int64_t lent AGPU__GUARDED_BY(lock);
  // Of `lent`, since the last review, and before.
  int64_t peak AGPU__GUARDED_BY(lock), last_peak AGPU__GUARDED_BY(lock);
  unsigned loans AGPU__GUARDED_BY(lock); // since the last review
  // Loans since the beginning; at the last trimming.
  uint64_t all_loans AGPU__GUARDED_BY(lock), trimmed_at AGPU__GUARDED_BY(lock);
};

agpu__event *agpu__event_retain(agpu__event *event) {
  atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
  return event;
}

/// Puts an event that no one refers to into the pool.
static void give_back(agpu__event *event) {
  agpu__event_pool *pool = event->device->events;
  agpu__lock_acquire(&pool->lock);
  SLIST_INSERT_HEAD(&pool->free, event, link);
  --pool->lent;
  agpu__lock_release(&pool->lock);
}

static void set_latest(agpu__pool_stream *stream, agpu__event *event)
    AGPU__REQUIRES(stream->lock) {
  if (stream->latest)
    atomic_store_explicit(&stream->latest->is_latest, false,
                          memory_order_relaxed);
  stream->latest = event;
  if (event)
    atomic_store_explicit(&event->is_latest, true, memory_order_relaxed);
  atomic_store_explicit(&stream->is_unsettled, event && !event->is_recorded,
                        memory_order_relaxed);
}

void agpu__event_release(agpu__event *event) {
  // Release and acquire: what other holders did comes before the next use.
  if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) !=
      1)
    return;
  if (atomic_load_explicit(&event->is_latest, memory_order_relaxed)) {
    agpu__lock_acquire(&event->stream->lock);
    if (event->stream->latest == event)
      set_latest(event->stream, NULL);
    agpu__lock_release(&event->stream->lock);
  }
  // Release: nobody looks at the stream through this event after this.
  atomic_fetch_sub_explicit(&event->stream->events, 1, memory_order_release);
  // It may be recorded again although it has not completed: whoever waits for
  // it on a stream waits for what was recorded before the wait.
  give_back(event);
}

static void create_event(agpu__event_pool *pool, const agpu__device *device,
                         CUevent handle) AGPU__REQUIRES(pool->lock) {
  agpu__event *event =
      agpu__memory_alloc(sizeof *event, _Alignof(agpu__event), "an event");
  event->work.ops = device->event_ops;
  event->device = device;
  event->handle = handle;
  event->stream = NULL;
  atomic_init(&event->references, 0);
  atomic_init(&event->kept, 0);
  SLIST_INSERT_HEAD(&pool->free, event, link);
  LIST_INSERT_HEAD(&pool->all, event, of_all);
  ++pool->total;
}

/// Destroys the first free event. False where the driver refuses, since the
/// process fails: it gives back what is there.
static bool destroy_free(agpu__event_pool *pool) AGPU__REQUIRES(pool->lock) {
  agpu__event *event = SLIST_FIRST(&pool->free);
  if (event->device->driver->cuEventDestroy(event->handle) ==
      CUDA_ERROR_DEINITIALIZED)
    return false;
  SLIST_REMOVE_HEAD(&pool->free, link);
  LIST_REMOVE(event, of_all);
  --pool->total;
  agpu__memory_free(event);
  return true;
}

/// Adds free events; the error is that of the first.
static CUresult grow(agpu__event_pool *pool, const agpu__device *device)
    AGPU__REQUIRES(pool->lock) {
  int64_t total = pool->total;
  int64_t count = total < 2 ? 1 : total < GROWTH ? GROWTH : total;
  for (int64_t i = 0; i < count; ++i) {
    CUevent handle;
    CUresult result = device->driver->cuEventCreate(
        &handle, CU_EVENT_DISABLE_TIMING | device->shared->event_flags);
    if (result)
      return i ? CUDA_SUCCESS : result;
    create_event(pool, device, handle);
  }
  return CUDA_SUCCESS;
}

/// Now and then destroys the events that were not needed for long.
static void review(agpu__event_pool *pool) AGPU__REQUIRES(pool->lock) {
  if (pool->lent > pool->peak)
    pool->peak = pool->lent;
  if (++pool->loans < LOANS_PER_REVIEW)
    return;
  int64_t needed = pool->peak > pool->last_peak ? pool->peak : pool->last_peak;
  while (!SLIST_EMPTY(&pool->free) && pool->total > 2 * (needed + GROWTH) &&
         destroy_free(pool))
    ;
  pool->last_peak = pool->peak;
  pool->peak = pool->lent;
  pool->loans = 0;
}

static agpu_status take_event(const agpu__device *device, const char *location,
                              agpu__event **out_event) {
  agpu__event_pool *pool = device->events;
  CUresult result = CUDA_SUCCESS;
  agpu__lock_acquire(&pool->lock);
  if (SLIST_EMPTY(&pool->free))
    result = grow(pool, device);
  agpu__event *event = SLIST_FIRST(&pool->free);
  if (event) {
    SLIST_REMOVE_HEAD(&pool->free, link);
    ++pool->lent;
    ++pool->all_loans;
    review(pool);
  }
  agpu__lock_release(&pool->lock);
  if (!event)
    return agpu__driver_error(device->driver, result, location,
                              "creating an event");
  atomic_init(&event->references, 1);
  atomic_init(&event->is_latest, false);
  atomic_init(&event->complete, false);
  atomic_init(&event->armed, false);
  event->foreign = 0;
  *out_event = event;
  return AGPU_OK;
}

//===----------------------------------------------------------------------===//
// The end of a stream
//===----------------------------------------------------------------------===//

/// A reference where someone else has one. Under the lock of the event's
/// stream, by which the caller has seen what the event is.
static bool try_retain(agpu__event *event) {
  unsigned references =
      atomic_load_explicit(&event->references, memory_order_relaxed);
  do {
    if (!references)
      return false; // on its way back to the pool
  } while (!atomic_compare_exchange_weak_explicit(
      &event->references, &references, references + 1, memory_order_relaxed,
      memory_order_relaxed));
  return true;
}

static void record(agpu__pool_stream *stream, agpu__event *event)
    AGPU__REQUIRES(stream->lock) {
  if (event->is_recorded)
    return;
  agpu__device_enter(event->device);
  agpu__event_take_clock(event);
  atomic_store_explicit(
      &event->result,
      event->device->driver->cuEventRecord(event->handle, stream->handle),
      memory_order_relaxed);
  event->is_recorded = true;
  if (stream->latest == event)
    atomic_store_explicit(&stream->is_unsettled, false, memory_order_relaxed);
}

uint64_t agpu__event_get_foreign(const agpu__pool_stream *stream) {
  // Relaxed: too old a position only means to look at more devices.
  return stream->foreign_position > atomic_load_explicit(&stream->fine_position,
                                                         memory_order_relaxed)
             ? stream->foreign
             : 0;
}

agpu_status agpu__event_make(agpu__pool_stream *stream, uint64_t loan,
                             const agpu__op_name *last,
                             agpu__event **out_event) {
  const agpu__device *device = stream->device;
  agpu_status status = AGPU_OK;
  agpu__device_enter(device);
  // Under the lock so that a later event has a position at least as high.
  // Position is read before the record: the event is behind everything that
  // the position counts, and at most behind more.
  agpu__lock_acquire(&stream->lock);
  uint64_t position =
      atomic_load_explicit(&stream->position, memory_order_acquire);
  agpu__event *event = stream->latest;
  if (!event || event->position != position || !try_retain(event)) {
    status = take_event(device, last->location, &event);
    if (!status) {
      event->stream = stream;
      atomic_fetch_add_explicit(&stream->events, 1, memory_order_relaxed);
      event->position = position;
      event->foreign = agpu__event_get_foreign(stream);
      event->loan = loan;
      event->last = *last;
      event->is_recorded = false;
      atomic_store_explicit(&event->result, CUDA_SUCCESS, memory_order_relaxed);
      set_latest(stream, event);
    }
  }
  agpu__lock_release(&stream->lock);
  *out_event = status ? NULL : event;
  return status;
}

agpu_status agpu__event_record(agpu__event *event) {
  agpu__pool_stream *stream = event->stream;
  agpu__lock_acquire(&stream->lock);
  record(stream, event);
  agpu__lock_release(&stream->lock);
  CUresult result = agpu__event_get_result(event);
  if (!result)
    return AGPU_OK;
  // Another thread may have recorded it; the error's text is the device's own.
  agpu__device_enter(event->device);
  return agpu__driver_error(event->device->driver, result, event->last.location,
                            "recording an event behind the %s",
                            event->last.what);
}

void agpu__event_settle(agpu__pool_stream *stream) {
  // Relaxed: who enqueues has made the event itself, or was lent the stream
  // behind whoever made it. Where loans share a stream, it may come late.
  if (!atomic_load_explicit(&stream->is_unsettled, memory_order_relaxed))
    return;
  agpu__lock_acquire(&stream->lock);
  agpu__event *event = stream->latest;
  bool is_needed = event && !event->is_recorded && try_retain(event);
  if (is_needed)
    record(stream, event);
  else
    atomic_store_explicit(&stream->is_unsettled, false, memory_order_relaxed);
  agpu__lock_release(&stream->lock);
  if (is_needed)
    agpu__event_release(event);
}

void agpu__event_forgo(agpu__event *event, unsigned holders) {
  agpu__pool_stream *stream = event->stream;
  agpu__lock_acquire(&stream->lock);
  if (atomic_load_explicit(&event->references, memory_order_relaxed) > holders)
    record(stream, event);
  else if (stream->latest == event)
    set_latest(stream, NULL);
  agpu__lock_release(&stream->lock);
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

agpu_status agpu__event_take_handle(const agpu__device *device,
                                    const char *location, CUevent *out_handle) {
  agpu__event *event;
  agpu_status status = take_event(device, location, &event);
  if (status)
    return status;
  agpu__event_pool *pool = device->events;
  agpu__lock_acquire(&pool->lock);
  SLIST_INSERT_HEAD(&pool->taken, event, link);
  agpu__lock_release(&pool->lock);
  *out_handle = event->handle;
  return AGPU_OK;
}

bool agpu__event_give_handle(const agpu__device *device, CUevent handle) {
  agpu__event_pool *pool = device->events;
  agpu__event *found;
  agpu__lock_acquire(&pool->lock);
  SLIST_FOREACH (found, &pool->taken, link)
    if (found->handle == handle)
      break;
  if (found)
    SLIST_REMOVE(&pool->taken, found, agpu__event, link);
  agpu__lock_release(&pool->lock);
  if (found) {
    atomic_store_explicit(&found->references, 0, memory_order_relaxed);
    give_back(found);
  }
  return found != NULL;
}

agpu__event_pool *agpu__event_pool_create(void) {
  agpu__event_pool *pool = agpu__memory_alloc(
      sizeof *pool, _Alignof(agpu__event_pool), "a pool of events");
  *pool = (agpu__event_pool){.lock = {0}};
  return pool;
}

bool agpu__event_pool_trim(const agpu__device *device) {
  agpu__event_pool *pool = device->events;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  bool idle = pool->all_loans == pool->trimmed_at;
  pool->trimmed_at = pool->all_loans;
  while (idle && !SLIST_EMPTY(&pool->free) && destroy_free(pool))
    ;
  agpu__lock_release(&pool->lock);
  return idle;
}

void agpu__event_pool_abandon(agpu__event_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  const agpu__event *event;
  LIST_FOREACH (event, &pool->all, of_all)
    (void)event->device->driver->cuEventDestroy(event->handle);
  agpu__lock_release(&pool->lock);
}

void agpu__event_pool_destroy(agpu__event_pool *pool) {
  agpu__event_pool_abandon(pool);
  agpu__lock_acquire(&pool->lock);
  while (!LIST_EMPTY(&pool->all)) {
    agpu__event *event = LIST_FIRST(&pool->all);
    LIST_REMOVE(event, of_all);
    agpu__memory_free(event);
  }
  agpu__lock_release(&pool->lock);
  agpu__memory_free(pool);
}

void agpu__event_pool_visit(agpu__event_pool *pool,
                            void (*visit)(agpu__event *event, void *argument),
                            void *argument) {
  agpu__event *event;
  agpu__lock_acquire(&pool->lock);
  if (pool->lent)
    LIST_FOREACH (event, &pool->all, of_all)
      if (atomic_load_explicit(&event->references, memory_order_acquire))
        visit(event, argument);
  agpu__lock_release(&pool->lock);
}

int64_t agpu__event_pool_count_lent(agpu__event_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  int64_t result = pool->lent;
  agpu__lock_release(&pool->lock);
  return result;
}

int64_t agpu__event_pool_count_held(agpu__event_pool *pool) {
  int64_t result = 0;
  const agpu__event *event;
  agpu__lock_acquire(&pool->lock);
  LIST_FOREACH (event, &pool->all, of_all)
    result += atomic_load_explicit(&event->references, memory_order_relaxed) >
              atomic_load_explicit(&event->kept, memory_order_relaxed);
  agpu__lock_release(&pool->lock);
  return result;
}
