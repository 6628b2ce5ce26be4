//===- pool.c - The driver's streams --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/pool.h"

#include "base/memory/memory.h"
#include "base/report/status_track.h"
#include "gpu/device/devices.h"
#include "gpu/kernel/module.h"
#include "gpu/memory/copy.h"
#include "gpu/stream/event.h"

#include <time.h>

// Streams are created up to the bound before any is used again, although some
// may be idle: a region's stream is given back as soon as its work is enqueued,
// and asking the driver whether that is done would cost a call and make the
// order of a program's work depend on timing.
struct agpu__stream_pool {
  agpu__lock lock; // guards what follows
  agpu__pool_stream *streams[AGPU__MAX_STREAMS];
  unsigned count; // streams, those without one of the driver's included
  unsigned live;  // streams that have one
  unsigned limit;
  agpu__pool_stream *first_free, **last_free;
  unsigned next_shared; // index of the stream to share next
  int64_t lent;
  uint64_t loans, trimmed_at; // since the beginning; at the last trimming
  unsigned drains;            // going on
  atomic_bool failure_told;   // relaxed: not under the lock
};

agpu__stream_pool *agpu__stream_pool_create(unsigned limit) {
  agpu__stream_pool *pool = agpu__memory_alloc(
      sizeof *pool, _Alignof(agpu__stream_pool), "a pool of streams");
  *pool = (agpu__stream_pool){.limit = limit};
  pool->last_free = &pool->first_free;
  return pool;
}

/// Under the lock: a stream that has none of the driver's.
static agpu__pool_stream *get_shell(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  if (pool->live < pool->count)
    for (unsigned i = 0;; ++i)
      if (!pool->streams[i]->handle)
        return pool->streams[i];
  agpu__pool_stream *created = agpu__memory_alloc(
      sizeof *created, _Alignof(agpu__pool_stream), "a stream");
  *created = (agpu__pool_stream){
      .device = device,
      .staging = agpu__staging_create(),
      .number = atomic_fetch_add(&device->shared->stream_count, 1)};
  pool->streams[pool->count++] = created;
  return created;
}

/// Under the lock.
static agpu_status create_stream(const agpu__device *device,
                                 const char *location,
                                 agpu__pool_stream **out_stream) {
  CUstream handle;
  CUresult result =
      device->driver->cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING);
  if (result)
    return agpu__driver_error(device->driver, result, location,
                              "creating a stream");
  *out_stream = get_shell(device);
  (*out_stream)->handle = handle;
  ++device->streams->live;
  return AGPU_OK;
}

/// Under the lock: takes a free stream off the list.
static void take_off(agpu__stream_pool *pool, agpu__pool_stream *stream) {
  agpu__pool_stream **link = &pool->first_free;
  while (*link != stream)
    link = &(*link)->next;
  *link = stream->next;
  if (!*link)
    pool->last_free = link;
}

/// Under the lock: counts a loan, and gives it a number.
static uint64_t lend(agpu__stream_pool *pool, agpu__pool_stream *stream) {
  ++stream->loans;
  ++pool->lent;
  ++pool->loans;
  return ++stream->loan;
}

/// Under the lock: another one each time. There is one.
static agpu__pool_stream *get_next_live(agpu__stream_pool *pool) {
  for (;;) {
    agpu__pool_stream *stream =
        pool->streams[pool->next_shared++ % pool->count];
    if (stream->handle)
      return stream;
  }
}

agpu_status agpu__stream_pool_acquire(const agpu__device *device,
                                      const char *location,
                                      agpu__pool_stream **out_stream,
                                      uint64_t *out_loan) {
  agpu__stream_pool *pool = device->streams;
  agpu__device_enter(device);
  agpu_status status = AGPU_OK;
  agpu__pool_stream *stream = NULL;
  agpu__lock_acquire(&pool->lock);
  if (pool->live < pool->limit) {
    status = create_stream(device, location, &stream);
    // With too few resources for another one, there may be one to reuse.
    if (status && pool->first_free &&
        agpu_status_get_code(status) == AGPU_STATUS_OUT_OF_RESOURCES) {
      agpu_status_release(status);
      status = AGPU_OK;
      pool->limit = pool->live;
    }
  }
  if (!status && !stream && pool->first_free) {
    stream = pool->first_free;
    take_off(pool, stream);
  } else if (!status && !stream) {
    stream = get_next_live(pool); // all are lent
  }
  if (!status)
    *out_loan = lend(pool, stream);
  agpu__lock_release(&pool->lock);
  if (!status)
    agpu__event_settle(stream);
  *out_stream = stream;
  return status;
}

bool agpu__stream_pool_take_over(agpu__pool_stream *stream, uint64_t loan,
                                 uint64_t *out_loan) {
  agpu__stream_pool *pool = stream->device->streams;
  agpu__lock_acquire(&pool->lock);
  bool is_next =
      stream->handle && stream->loan == loan &&
      (!stream->loans ||
       atomic_load_explicit(&stream->ended, memory_order_acquire) == loan);
  if (is_next) {
    if (!stream->loans)
      take_off(pool, stream);
    *out_loan = lend(pool, stream);
  }
  agpu__lock_release(&pool->lock);
  return is_next;
}

static agpu__pool_stream *find_in(agpu__stream_pool *pool, CUstream handle) {
  agpu__pool_stream *found = NULL;
  agpu__lock_acquire(&pool->lock);
  for (unsigned i = 0; i < pool->count && !found; ++i)
    if (handle && pool->streams[i]->handle == handle)
      found = pool->streams[i];
  agpu__lock_release(&pool->lock);
  return found;
}

agpu__pool_stream *agpu__stream_pool_find(CUstream handle) {
  agpu__pool_stream *found = NULL;
  for (const agpu__device *device = agpu__devices_next(NULL); device && !found;
       device = agpu__devices_next(device))
    found = find_in(device->streams, handle);
  return found;
}

void agpu__stream_pool_release(agpu__pool_stream *stream,
                               const agpu__op_name *last) {
  agpu__stream_pool *pool = stream->device->streams;
  agpu__lock_acquire(&pool->lock);
  if (last)
    stream->last = *last;
  bool unused = --stream->loans == 0;
  if (unused) {
    stream->next = NULL;
    *pool->last_free = stream;
    pool->last_free = &stream->next;
  }
  --pool->lent;
  agpu__lock_release(&pool->lock);
}

agpu_status agpu__stream_pool_take_handle(const agpu__device *device,
                                          CUstream *out_handle) {
  agpu__pool_stream *stream;
  uint64_t loan;
  agpu_status status = agpu__stream_pool_acquire(device, NULL, &stream, &loan);
  if (status)
    return status;
  agpu__lock_acquire(&device->streams->lock);
  ++stream->handles_lent;
  agpu__lock_release(&device->streams->lock);
  *out_handle = stream->handle;
  return AGPU_OK;
}

bool agpu__stream_pool_give_handle(CUstream handle) {
  agpu__pool_stream *stream = agpu__stream_pool_find(handle);
  if (!stream)
    return false;
  // Others may have the stream, too: their loans are theirs to give back.
  agpu__lock *lock = &stream->device->streams->lock;
  agpu__lock_acquire(lock);
  bool is_lent = stream->handle == handle && stream->handles_lent > 0;
  stream->handles_lent -= is_lent;
  agpu__lock_release(lock);
  if (is_lent)
    agpu__stream_pool_release(stream, NULL);
  return is_lent;
}

/// Under the lock: of a stream that no one has. Where the driver refuses, since
/// the process fails, that gives back what is there.
static void destroy_handle(agpu__pool_stream *stream) {
  agpu__stream_pool *pool = stream->device->streams;
  if (stream->device->driver->cuStreamDestroy(stream->handle) ==
      CUDA_ERROR_DEINITIALIZED)
    return;
  agpu__staging_trim(stream->staging, stream->device);
  take_off(pool, stream);
  stream->handle = NULL;
  --pool->live;
}

/// Under the lock: no one has the stream, nor an event on it, and it is idle.
static bool is_unused(const agpu__pool_stream *stream) {
  // Acquire, with the release where an event is given back: its last holder is
  // done with the stream.
  return stream->handle && stream->loans == 0 &&
         atomic_load_explicit(&stream->events, memory_order_acquire) == 0 &&
         stream->device->driver->cuStreamQuery(stream->handle) == CUDA_SUCCESS;
}

void agpu__stream_pool_tell_failure(agpu__stream_pool *pool) {
  atomic_store_explicit(&pool->failure_told, true, memory_order_relaxed);
}

CUresult agpu__stream_pool_get_error(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  CUresult result = CUDA_SUCCESS;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  // Without streams it was idle and fine when they went.
  if (pool->live)
    result = device->driver->cuStreamQuery(get_next_live(pool)->handle);
  agpu__lock_release(&pool->lock);
  return result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result;
}

bool agpu__stream_pool_failure_is_told(const agpu__stream_pool *pool) {
  return atomic_load_explicit(&pool->failure_told, memory_order_relaxed);
}

bool agpu__stream_pool_trim(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  bool idle =
      pool->lent == 0 && pool->drains == 0 && pool->loans == pool->trimmed_at;
  pool->trimmed_at = pool->loans;
  for (unsigned i = 0; idle && i < pool->count; ++i) {
    agpu__pool_stream *stream = pool->streams[i];
    if (is_unused(stream))
      destroy_handle(stream);
  }
  agpu__lock_release(&pool->lock);
  return idle;
}

bool agpu__stream_pool_is_busy(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  bool busy = false;
  agpu__device_enter(device);
  agpu__lock_acquire(&pool->lock);
  for (unsigned i = 0; i < pool->count && !busy; ++i)
    busy = pool->streams[i]->handle &&
           device->driver->cuStreamQuery(pool->streams[i]->handle) ==
               CUDA_ERROR_NOT_READY;
  agpu__lock_release(&pool->lock);
  return busy;
}

void agpu__stream_pool_drain(const agpu__device *device) {
  agpu__stream_pool *pool = device->streams;
  CUresult failed = CUDA_SUCCESS;
  agpu__op_name last = {.what = NULL};
  agpu__lock_acquire(&pool->lock);
  ++pool->drains; // streams stay
  unsigned total = pool->count;
  agpu__lock_release(&pool->lock);
  for (unsigned i = 0; i < total; ++i) {
    const agpu__pool_stream *stream = pool->streams[i];
    if (!stream->handle)
      continue;
    // Asked, not waited for in the driver: a program's log shows no
    // synchronize call, and the end of a process is no hot path.
    struct timespec pause = {.tv_nsec = 10000};
    CUresult result;
    while ((result = device->driver->cuStreamQuery(stream->handle)) ==
           CUDA_ERROR_NOT_READY) {
      nanosleep(&pause, NULL);
      if (pause.tv_nsec < 1000000)
        pause.tv_nsec *= 2;
    }
    // It is over: then what kernels have printed comes out.
    if (agpu__module_set_writes(device->modules)) {
      CUresult written = device->driver->cuStreamSynchronize(stream->handle);
      result = result ? result : written;
    }
    if (result && !failed) {
      failed = result;
      agpu__lock_acquire(&pool->lock);
      last = stream->last;
      agpu__lock_release(&pool->lock);
    }
  }
  agpu__lock_acquire(&pool->lock);
  --pool->drains;
  agpu__lock_release(&pool->lock);
  // The process may end in an order in which the driver goes first. Its work
  // was over by then, or is no one's any more.
  if (failed && failed != CUDA_ERROR_DEINITIALIZED &&
      !agpu__stream_pool_failure_is_told(pool))
    agpu__status_report(agpu__driver_error(
        device->driver, failed, last.location,
        last.kernel ? "work on the device up to the %s '%s' failed"
        : last.what ? "work on the device up to the %s%s failed"
                    : "work on the device%s%s failed",
        last.what ? last.what : "", last.kernel ? last.kernel : ""));
}

void agpu__stream_pool_abandon(agpu__stream_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  // Other threads may still read the handles.
  for (unsigned i = 0; i < pool->count; ++i)
    if (pool->streams[i]->handle)
      (void)pool->streams[i]->device->driver->cuStreamDestroy(
          pool->streams[i]->handle);
  for (unsigned i = 0; i < pool->count; ++i)
    agpu__staging_trim(pool->streams[i]->staging, pool->streams[i]->device);
  agpu__lock_release(&pool->lock);
}

void agpu__stream_pool_destroy(agpu__stream_pool *pool) {
  agpu__stream_pool_abandon(pool);
  for (unsigned i = 0; i < pool->count; ++i) {
    agpu__staging_destroy(pool->streams[i]->staging);
    agpu__memory_free(pool->streams[i]);
  }
  agpu__memory_free(pool);
}

int64_t agpu__stream_pool_count_lent(agpu__stream_pool *pool) {
  agpu__lock_acquire(&pool->lock);
  int64_t result = pool->lent;
  agpu__lock_release(&pool->lock);
  return result;
}
