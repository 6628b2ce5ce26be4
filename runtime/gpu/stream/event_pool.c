//===- event_pool.c - The events of a device ------------------------------===//
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
// The driver's handles are made before they are in the pool, and destroyed when
// they are no longer, without the lock. The thread that does so is inside the
// gate until the pool says so: a process that fails gives back what is in it.
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
  int64_t lent AGPU__GUARDED_BY(lock);  // and those that streams spare
  // Of `lent`, since the last review, and before.
  int64_t peak AGPU__GUARDED_BY(lock), last_peak AGPU__GUARDED_BY(lock);
  unsigned loans AGPU__GUARDED_BY(lock); // since the last review
  // Loans since the beginning; at the last trimming.
  uint64_t all_loans AGPU__GUARDED_BY(lock), trimmed_at AGPU__GUARDED_BY(lock);
};

void agpu__event_pool_give(agpu__event *event, unsigned loans) {
  agpu__event_pool *pool = event->device->events;
  agpu__lock_acquire(&pool->lock);
  SLIST_INSERT_HEAD(&pool->free, event, link);
  --pool->lent;
  pool->loans += loans;
  pool->all_loans += loans;
  agpu__lock_release(&pool->lock);
}

static void create_event(agpu__event_pool *pool, const agpu__device *device,
                         CUevent handle) {
  agpu__event *event =
      agpu__memory_alloc(sizeof *event, _Alignof(agpu__event), "an event");
  event->work.ops = device->event_ops;
  event->device = device;
  event->handle = handle;
  event->stream = NULL;
  agpu__lock_init(&event->recording, AGPU__RANK_EVENT_RECORDING);
  atomic_init(&event->references, 0);
  atomic_init(&event->kept, 0);
  agpu__lock_acquire(&pool->lock);
  SLIST_INSERT_HEAD(&pool->free, event, link);
  LIST_INSERT_HEAD(&pool->all, event, of_all);
  ++pool->total;
  agpu__lock_release(&pool->lock);
}

static agpu__event *unlink_free(agpu__event_pool *pool, int64_t keep) {
  agpu__lock_acquire(&pool->lock);
  agpu__event *event = pool->total > keep ? SLIST_FIRST(&pool->free) : NULL;
  if (event) {
    SLIST_REMOVE_HEAD(&pool->free, link);
    LIST_REMOVE(event, of_all);
    --pool->total;
  }
  agpu__lock_release(&pool->lock);
  return event;
}

static void link_free(agpu__event_pool *pool, agpu__event *event) {
  agpu__lock_acquire(&pool->lock);
  SLIST_INSERT_HEAD(&pool->free, event, link);
  LIST_INSERT_HEAD(&pool->all, event, of_all);
  ++pool->total;
  agpu__lock_release(&pool->lock);
}

/// Destroys free events until there are no more than `keep` of all. The device
/// has been entered.
static void shrink(agpu__event_pool *pool, int64_t keep) {
  agpu__event *event;
  if (!agpu__driver_gate_enter())
    return;
  while ((event = unlink_free(pool, keep))) {
    // Refused where the process fails: it gives back what is there.
    if (event->device->driver->cuEventDestroy(event->handle) ==
        CUDA_ERROR_DEINITIALIZED) {
      link_free(pool, event);
      break;
    }
    agpu__memory_free(event);
  }
  agpu__driver_gate_leave();
}

/// Adds free events; the error is that of the first.
static CUresult grow(agpu__event_pool *pool, const agpu__device *device) {
  agpu__lock_acquire(&pool->lock);
  int64_t total = pool->total;
  agpu__lock_release(&pool->lock);
  int64_t count = total < 2 ? 1 : total < GROWTH ? GROWTH : total;
  CUresult result = CUDA_ERROR_DEINITIALIZED;
  if (!agpu__driver_gate_enter())
    return result;
  for (int64_t i = 0; i < count; ++i) {
    CUevent handle;
    result =
        device->driver->cuEventCreate(&handle, device->shared->event_flags);
    if (result) {
      result = i ? CUDA_SUCCESS : result;
      break;
    }
    create_event(pool, device, handle);
  }
  agpu__driver_gate_leave();
  return result;
}

/// Counts a loan. Now and then finds that not as many events were needed for
/// long: `*out_enough` is how many are, else INT64_MAX.
static void review(agpu__event_pool *pool, int64_t *out_enough)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  *out_enough = INT64_MAX;
  ++pool->all_loans;
  if (pool->lent > pool->peak)
    pool->peak = pool->lent;
  if (++pool->loans < LOANS_PER_REVIEW)
    return;
  int64_t needed = pool->peak > pool->last_peak ? pool->peak : pool->last_peak;
  *out_enough = 2 * (needed + GROWTH);
  pool->last_peak = pool->peak;
  pool->peak = pool->lent;
  pool->loans = 0;
}

/// `*out_enough` is INT64_MAX, or as `review` has it.
static agpu__event *take_free(agpu__event_pool *pool, int64_t *out_enough) {
  agpu__lock_acquire(&pool->lock);
  agpu__event *event = SLIST_FIRST(&pool->free);
  if (event) {
    SLIST_REMOVE_HEAD(&pool->free, link);
    ++pool->lent;
    review(pool, out_enough);
  }
  agpu__lock_release(&pool->lock);
  return event;
}

agpu_status agpu__event_pool_take(const agpu__device *device,
                                  const agpu__op_name *last,
                                  agpu__event **out_event) {
  int64_t enough = INT64_MAX;
  while (!(*out_event = take_free(device->events, &enough))) {
    agpu__device_enter(device);
    CUresult result = grow(device->events, device);
    if (result)
      return agpu__driver_event_error(device->driver, result, last,
                                      "creating an event");
  }
  if (enough != INT64_MAX) {
    agpu__device_enter(device);
    shrink(device->events, enough);
  }
  return AGPU_OK;
}

agpu_status agpu__event_take_handle(const agpu__device *device,
                                    const agpu__op_name *last,
                                    CUevent *out_handle) {
  agpu__event_pool *pool = device->events;
  agpu__event *event;
  agpu_status status = agpu__event_pool_take(device, last, &event);
  if (status)
    return status;
  atomic_store_explicit(&event->is_recorded, true, memory_order_relaxed);
  atomic_store_explicit(&event->references, 1, memory_order_relaxed);
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
    agpu__event_pool_give(found, 0);
  }
  return found != NULL;
}

agpu__event_pool *agpu__event_pool_create(void) {
  agpu__event_pool *pool = agpu__memory_alloc(
      sizeof *pool, _Alignof(agpu__event_pool), "a pool of events");
  *pool = (agpu__event_pool){.lock = AGPU__LOCK_INIT(AGPU__RANK_EVENTS)};
  return pool;
}

bool agpu__event_pool_trim(const agpu__device *device) {
  agpu__event_pool *pool = device->events;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  bool idle = pool->all_loans == pool->trimmed_at;
  pool->trimmed_at = pool->all_loans;
  agpu__lock_release(&pool->lock);
  if (idle)
    shrink(pool, 0);
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
  agpu__lock_acquire(&pool->lock);
  size_t count = 0, most = (size_t)pool->lent;
  agpu__lock_release(&pool->lock);
  if (!most)
    return;
  agpu__event **held = agpu__memory_alloc((int64_t)(most * sizeof *held),
                                          _Alignof(agpu__event *), "events");
  agpu__event *event;
  agpu__lock_acquire(&pool->lock);
  LIST_FOREACH (event, &pool->all, of_all)
    if (count < most && agpu__event_try_retain(event))
      held[count++] = event;
  agpu__lock_release(&pool->lock);
  for (size_t i = 0; i < count; ++i)
    visit(held[i], argument);
  agpu__memory_free(held);
}

/// Events with more references than those that count as none.
static int64_t count(agpu__event_pool *pool, bool without_kept) {
  int64_t result = 0;
  const agpu__event *event;
  agpu__lock_acquire(&pool->lock);
  LIST_FOREACH (event, &pool->all, of_all)
    result +=
        atomic_load_explicit(&event->references, memory_order_relaxed) >
        (without_kept ? atomic_load_explicit(&event->kept, memory_order_relaxed)
                      : 0);
  agpu__lock_release(&pool->lock);
  return result;
}

int64_t agpu__event_pool_count_lent(agpu__event_pool *pool) {
  return count(pool, false);
}

int64_t agpu__event_pool_count_held(agpu__event_pool *pool) {
  return count(pool, true);
}
