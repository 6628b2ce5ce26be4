//===- pool.c - The driver's streams --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams are created up to the bound before any is used again, although some
// may be idle: a region's stream is given back as soon as its work is enqueued,
// and asking the driver whether that is done would cost a call and make the
// order of a program's work depend on timing.
//
// The driver creates and destroys streams without the pool's lock: it may wait
// for what the device does. The creating thread holds `creating`, so that no
// two create at once, and only threads that need a new one wait.
//
// A stream's queue has about 1,024 entries. The driver blocks a thread that
// fills it until the device goes on, which may wait for this thread. So a
// stream on which CROWDED positions may be pending is not lent if another has
// room; if none gets room in PATIENCE_NS, one more than the bound is created.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/pool.h"

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/report/assert.h"
#include "base/report/status_track.h"
#include "base/sync/mutex.h"
#include "gpu/stream/copy.h"
#include "gpu/stream/event.h"

struct agpu__stream_pool {
  agpu__mutex creating; // taken before `lock`
  agpu__lock lock;
  agpu__pool_stream **streams AGPU__GUARDED_BY(lock);
  size_t capacity AGPU__GUARDED_BY(lock);
  unsigned count AGPU__GUARDED_BY(lock); // without one of the driver's, too
  agpu__level levels[1 - AGPU__GREATEST_PRIORITY] AGPU__GUARDED_BY(lock);
  unsigned next_shared AGPU__GUARDED_BY(lock); // the index of a stream
  int64_t lent AGPU__GUARDED_BY(lock);
  // Loans since the beginning; at the last trimming.
  uint64_t loans AGPU__GUARDED_BY(lock), trimmed_at AGPU__GUARDED_BY(lock);
  unsigned drains AGPU__GUARDED_BY(lock); // going on
  // Relaxed. `output` is set before anything is launched, and work on the
  // device is between that and whoever asks.
  atomic_bool failure_told, output;
};

/// Each has four entries at most: a copy, an event, a host function after each.
#define CROWDED 200
#define PATIENCE_NS (10 * 1000 * 1000)

agpu__stream_pool *agpu__stream_pool_create(unsigned limit, unsigned most) {
  agpu__stream_pool *pool = agpu__memory_alloc(
      sizeof *pool, _Alignof(agpu__stream_pool), "a pool of streams");
  *pool = (agpu__stream_pool){.count = 0};
  agpu__mutex_init(&pool->creating, AGPU__RANK_STREAMS_CREATING);
  agpu__lock_init(&pool->lock, AGPU__RANK_STREAMS);
  for (int i = 0; i <= -AGPU__GREATEST_PRIORITY; ++i) {
    pool->levels[i] = (agpu__level){-i, 0, 0, limit, most, {0}};
    TAILQ_INIT(&pool->levels[i].free);
  }
  return pool;
}

/// A stream that has none of the driver's.
static agpu__pool_stream *get_shell(agpu__stream_pool *pool,
                                    const agpu__device *device)
    AGPU__REQUIRES(pool->lock) {
  for (unsigned i = 0; i < pool->count; ++i)
    if (!pool->streams[i]->handle && !pool->streams[i]->is_leaving)
      return pool->streams[i];
  pool->streams =
      agpu__memory_grow(pool->streams, &pool->capacity, pool->count + 1,
                        sizeof(agpu__pool_stream *), "streams");
  agpu__pool_stream *created = agpu__memory_alloc(
      sizeof *created, _Alignof(agpu__pool_stream), "a stream");
  *created = (agpu__pool_stream){
      .device = device,
      .lock = AGPU__LOCK_INIT(AGPU__RANK_STREAM),
      .staging = agpu__staging_create(),
      .number = atomic_fetch_add_explicit(&device->shared->stream_count, 1,
                                          memory_order_relaxed)};
  pool->streams[pool->count++] = created;
  return created;
}

/// Counts a loan, and gives it a number.
static uint64_t lend(agpu__stream_pool *pool, agpu__pool_stream *stream)
    AGPU__REQUIRES(pool->lock) {
  ++stream->loans;
  ++pool->lent;
  ++pool->loans;
  return ++stream->loan;
}

/// Another one each time, of that level or, where NULL, of any; or NULL.
static __attribute__((noinline)) agpu__pool_stream *
get_next_live(agpu__stream_pool *pool, const agpu__level *of)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  for (unsigned i = 0; i < 2 * pool->count; ++i) { // the index may wrap
    agpu__pool_stream *at = pool->streams[pool->next_shared++ % pool->count];
    if (at->handle && (!of || at->level == of))
      return at;
  }
  return NULL;
}

/// Whether another one may be created, and is before any is used again.
static bool may_grow(const agpu__level *of) {
  return of->live + of->leaving < of->limit || !of->live;
}

/// A stream that is there: the one that was given back longest ago, or one to
/// share.
static agpu__pool_stream *get_present(agpu__stream_pool *pool, agpu__level *of)
    AGPU__REQUIRES(pool->lock) {
  agpu__pool_stream *stream = TAILQ_FIRST(&of->free);
  if (stream)
    TAILQ_REMOVE(&of->free, stream, link);
  return stream ? stream : get_next_live(pool, of);
}

/// Whether its queue may be full, as far as one knows without asking.
static bool may_be_full(const agpu__pool_stream *stream) {
  return atomic_load_explicit(&stream->position, memory_order_relaxed) -
             stream->known_position >=
         CROWDED;
}

/// The same, where the driver is asked; its answer replaces `*out_result`.
/// The device has been entered.
static bool is_full(const agpu__level *of, agpu__pool_stream *stream,
                    CUresult *out_result) {
  if (!may_be_full(stream))
    return false;
  uint64_t position =
      atomic_load_explicit(&stream->position, memory_order_relaxed);
  stream->known_position =
      atomic_load_explicit(&stream->fine_position, memory_order_relaxed);
  if (of->most != of->limit)
    *out_result = stream->device->driver->cuStreamQuery(stream->handle);
  if (!*out_result)
    stream->known_position = position;
  return may_be_full(stream) && of->live + of->leaving < of->most;
}

/// One that is there and has room; NULL: none gets any in time, all go, or the
/// driver has an error.
static agpu__pool_stream *get_room(agpu__stream_pool *pool, agpu__level *of,
                                   CUresult *out_error)
    AGPU__REQUIRES(pool->lock) {
  int64_t until = agpu__clock_now_ns() + PATIENCE_NS;
  int64_t pause_ns = 10000;
  for (unsigned looked = 1; of->live; ++looked) {
    agpu__pool_stream *stream = get_present(pool, of);
    CUresult result = CUDA_SUCCESS;
    if (!is_full(of, stream, &result))
      return stream;
    if (!stream->loans) // next time another one
      TAILQ_INSERT_TAIL(&of->free, stream, link);
    *out_error = result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
    if (*out_error)
      return NULL;
    if (looked % of->live) // before all have been looked at
      continue;
    if (agpu__clock_now_ns() > until)
      return NULL;
    agpu__lock_release(&pool->lock);
    agpu__clock_pause(&pause_ns);
    agpu__lock_acquire(&pool->lock);
  }
  return NULL;
}

/// Lends a new stream; or one that is there, if it has room by now, or if the
/// driver has too little for another and one is free or may be shared.
static __attribute__((noinline)) agpu_status
lend_new(const agpu__device *device, int priority, const char *location,
         agpu__pool_stream **out_stream, uint64_t *out_loan) {
  agpu__stream_pool *pool = device->streams;
  agpu__level *of = &pool->levels[-priority];
  CUresult result = CUDA_SUCCESS;
  CUstream handle = NULL;
  agpu__device_enter(device);
  agpu__mutex_lock(&pool->creating);
  // Until the pool has it, too: who closes the gate destroys what it has.
  bool is_entered = agpu__driver_gate_enter();
  agpu__lock_acquire(&pool->lock);
  // What is present now may be gone once the lock has been open.
  agpu__pool_stream *present =
      may_grow(of) ? NULL : get_room(pool, of, &result);
  if (!present && !result) {
    agpu__lock_release(&pool->lock);
    result = is_entered ? agpu__stream_create(device->driver, priority, &handle)
                        : CUDA_ERROR_DEINITIALIZED;
    agpu__lock_acquire(&pool->lock);
  }
  if (result == CUDA_ERROR_OUT_OF_MEMORY &&
      (!TAILQ_EMPTY(&of->free) || !may_grow(of))) {
    result = CUDA_SUCCESS;
    of->limit = of->most = of->live;
  }
  if (handle) {
    *out_stream = get_shell(pool, device);
    (*out_stream)->handle = handle;
    (*out_stream)->level = of;
    ++of->live;
  } else if (!result) {
    *out_stream = present ? present : get_present(pool, of);
  }
  if (!result)
    *out_loan = lend(pool, *out_stream);
  agpu__lock_release(&pool->lock);
  if (is_entered)
    agpu__driver_gate_leave();
  agpu__mutex_unlock(&pool->creating);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && priority) // it is a hint
    return agpu__stream_pool_acquire(device, 0, location, out_stream, out_loan);
  return result ? agpu__driver_error(device->driver, result, location,
                                     "creating a stream")
                : AGPU_OK;
}

agpu_status agpu__stream_pool_acquire(const agpu__device *device, int priority,
                                      const char *location,
                                      agpu__pool_stream **out_stream,
                                      uint64_t *out_loan) {
  agpu__stream_pool *pool = device->streams;
  *out_stream = NULL;
  agpu__lock_acquire(&pool->lock);
  agpu__level *of = &pool->levels[-priority];
  if (!may_grow(of)) {
    agpu__pool_stream *stream = get_present(pool, of);
    if (!may_be_full(stream)) {
      *out_loan = lend(pool, stream);
      *out_stream = stream;
    } else if (!stream->loans) {
      TAILQ_INSERT_HEAD(&of->free, stream, link);
    }
  }
  agpu__lock_release(&pool->lock);
  agpu_status status =
      *out_stream ? AGPU_OK
                  : lend_new(device, priority, location, out_stream, out_loan);
  if (!status)
    agpu__event_settle(*out_stream);
  return status;
}

bool agpu__stream_pool_take_over(agpu__pool_stream *stream, uint64_t loan,
                                 int priority, uint64_t *out_loan) {
  agpu__stream_pool *pool = stream->device->streams;
  agpu__lock_acquire(&pool->lock);
  uint64_t ended = atomic_load_explicit(&stream->ended, memory_order_acquire);
  bool is_next = stream->handle && stream->level->priority == priority &&
                 stream->loan == loan && (!stream->loans || ended == loan);
  if (is_next) {
    if (!stream->loans)
      TAILQ_REMOVE(&stream->level->free, stream, link);
    *out_loan = lend(pool, stream);
  }
  agpu__lock_release(&pool->lock);
  return is_next;
}

agpu__pool_stream *agpu__stream_pool_find(agpu__stream_pool *pool,
                                          CUstream handle) {
  agpu__pool_stream *found = NULL;
  agpu__lock_acquire(&pool->lock);
  for (unsigned i = 0; i < pool->count && !found; ++i)
    if (handle && pool->streams[i]->handle == handle)
      found = pool->streams[i];
  agpu__lock_release(&pool->lock);
  return found;
}

void agpu__stream_pool_release(agpu__pool_stream *stream,
                               const agpu__op_name *last) {
  agpu__stream_pool *pool = stream->device->streams;
  agpu__lock_acquire(&pool->lock);
  if (last)
    stream->last = *last;
  AGPU__ASSERT(stream->loans > 0 && "a stream is given back twice");
  if (--stream->loans == 0)
    TAILQ_INSERT_TAIL(&stream->level->free, stream, link);
  --pool->lent;
  agpu__lock_release(&pool->lock);
}

void agpu__stream_pool_keep_names(agpu__stream_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  for (unsigned i = 0; i < pool->count; ++i) {
    agpu__op_name *last = &pool->streams[i]->last;
    // Code with kernels says when it goes; of other code nobody knows.
    last->location = last->kernel ? agpu__text_keep(last->location) : NULL;
    last->kernel = agpu__text_keep(last->kernel);
  }
  agpu__lock_release(&pool->lock);
}

agpu_status agpu__stream_pool_take_handle(const agpu__device *device,
                                          CUstream *out_handle) {
  agpu__pool_stream *stream;
  uint64_t id;
  agpu_status status = agpu__stream_pool_acquire(device, 0, NULL, &stream, &id);
  if (status)
    return status;
  agpu__lock_acquire(&device->streams->lock);
  ++stream->handles_lent;
  agpu__lock_release(&device->streams->lock);
  *out_handle = stream->handle;
  return AGPU_OK;
}

bool agpu__stream_pool_give_handle(agpu__pool_stream *stream, CUstream handle) {
  // Others may have the stream, too: their loans are theirs to give back.
  agpu__stream_pool *pool = stream->device->streams;
  agpu__lock_acquire(&pool->lock);
  bool is_lent = stream->handle == handle && stream->handles_lent > 0;
  stream->handles_lent -= is_lent;
  agpu__lock_release(&pool->lock);
  if (is_lent)
    agpu__stream_pool_release(stream, NULL);
  return is_lent;
}

/// Of a stream that no one has. Where the driver refuses, since the process
/// fails, that gives back what is there: this is inside the gate until the pool
/// says what has been done. Without the lock while the driver is at work.
static void destroy_handle(agpu__stream_pool *pool, agpu__pool_stream *stream)
    AGPU__REQUIRES(pool->lock) {
  AGPU__ASSERT_HELD(&pool->lock);
  CUstream handle = stream->handle;
  agpu__level *of = stream->level;
  if (!agpu__driver_gate_enter())
    return;
  TAILQ_REMOVE(&of->free, stream, link);
  stream->handle = NULL;
  stream->is_leaving = true;
  --of->live;
  ++of->leaving;
  agpu__lock_release(&pool->lock);
  bool is_refused = stream->device->driver->cuStreamDestroy(handle) ==
                    CUDA_ERROR_DEINITIALIZED;
  if (!is_refused)
    agpu__staging_trim(stream->staging, stream->device);
  agpu__event_give_spare(stream);
  agpu__lock_acquire(&pool->lock);
  if (is_refused) {
    stream->handle = handle;
    TAILQ_INSERT_HEAD(&of->free, stream, link);
    ++of->live;
  }
  stream->is_leaving = false;
  --of->leaving;
  agpu__driver_gate_leave();
}

/// Under the pool's lock: no one has the stream, nor an event on it, and it is
/// idle.
static bool is_unused(agpu__pool_stream *stream) {
  agpu__lock_acquire(&stream->lock);
  unsigned events = stream->events;
  agpu__lock_release(&stream->lock);
  return stream->handle && stream->loans == 0 && events == 0 &&
         stream->device->driver->cuStreamQuery(stream->handle) == CUDA_SUCCESS;
}

void agpu__stream_pool_tell_failure(agpu__stream_pool *pool) {
  atomic_store_explicit(&pool->failure_told, true, memory_order_relaxed);
}

CUresult agpu__stream_pool_get_error(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  // Without streams it was idle and fine when they went.
  const agpu__pool_stream *stream = get_next_live(pool, NULL);
  CUresult result =
      stream ? device->driver->cuStreamQuery(stream->handle) : CUDA_SUCCESS;
  agpu__lock_release(&pool->lock);
  return result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
}

void agpu__stream_pool_note_output(agpu__stream_pool *pool) {
  atomic_store_explicit(&pool->output, true, memory_order_relaxed);
}

bool agpu__stream_pool_has_output(const agpu__stream_pool *pool) {
  return atomic_load_explicit(&pool->output, memory_order_relaxed);
}

bool agpu__stream_pool_failure_is_told(const agpu__stream_pool *pool) {
  return atomic_load_explicit(&pool->failure_told, memory_order_relaxed);
}

bool agpu__stream_pool_trim(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  bool idle = pool->loans == pool->trimmed_at;
  pool->trimmed_at = pool->loans;
  for (unsigned i = 0; i <= pool->count; ++i) {
    // Others may come between two of them.
    idle &=
        pool->lent == 0 && pool->drains == 0 && pool->loans == pool->trimmed_at;
    if (idle && i < pool->count && is_unused(pool->streams[i]))
      destroy_handle(pool, pool->streams[i]);
  }
  agpu__lock_release(&pool->lock);
  return idle;
}

bool agpu__stream_pool_is_busy(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  bool busy = false;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  for (unsigned i = 0; i < pool->count && !busy; ++i) {
    CUstream of = pool->streams[i]->handle;
    busy = of && device->driver->cuStreamQuery(of) == CUDA_ERROR_NOT_READY;
  }
  agpu__lock_release(&pool->lock);
  return busy;
}

void agpu__stream_pool_drain(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  CUresult failed = CUDA_SUCCESS;
  agpu__op_name last = {.what = NULL};
  agpu__lock_acquire(&pool->lock);
  ++pool->drains; // streams stay
  for (unsigned i = 0; i < pool->count; ++i) {
    const agpu__pool_stream *stream = pool->streams[i];
    if (!stream->handle)
      continue;
    agpu__lock_release(&pool->lock);
    // Asked, not waited for in the driver: a program's log shows no
    // synchronize call, and the end of a process is no hot path.
    int64_t pause_ns = 10000;
    CUresult result;
    while ((result = device->driver->cuStreamQuery(stream->handle)) ==
           CUDA_ERROR_NOT_READY)
      agpu__clock_pause(&pause_ns);
    // It is over: then what kernels have printed comes out.
    if (agpu__stream_pool_has_output(pool)) {
      CUresult written = device->driver->cuStreamSynchronize(stream->handle);
      result = result ? result : written;
    }
    agpu__lock_acquire(&pool->lock);
    if (result && !failed) {
      failed = result;
      last = stream->last;
    }
  }
  --pool->drains;
  agpu__lock_release(&pool->lock);
  // The process may end in an order in which the driver goes first. Its work
  // was over by then, or is no one's any more.
  if (failed && failed != CUDA_ERROR_DEINITIALIZED &&
      !agpu__stream_pool_failure_is_told(pool))
    agpu__status_report(agpu__driver_work_error(device->driver, failed, &last));
}

void agpu__stream_pool_abandon(agpu__stream_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  // Other threads may still read the handles.
  for (unsigned i = 0; i < pool->count; ++i) {
    const agpu__pool_stream *stream = pool->streams[i];
    if (stream->handle)
      (void)stream->device->driver->cuStreamDestroy(stream->handle);
    agpu__staging_trim(stream->staging, stream->device);
  }
  agpu__lock_release(&pool->lock);
}

void agpu__stream_pool_destroy(agpu__stream_pool *pool) {
  agpu__stream_pool_abandon(pool);
  agpu__lock_acquire(&pool->lock);
  for (unsigned i = 0; i < pool->count; ++i) {
    agpu__staging_destroy(pool->streams[i]->staging);
    agpu__memory_free(pool->streams[i]);
  }
  agpu__memory_free(pool->streams);
  agpu__lock_release(&pool->lock);
  agpu__mutex_destroy(&pool->creating);
  agpu__memory_free(pool);
}

int64_t agpu__stream_pool_count_lent(agpu__stream_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  int64_t result = pool->lent;
  agpu__lock_release(&pool->lock);
  return result;
}
