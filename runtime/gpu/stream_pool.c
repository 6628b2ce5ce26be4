//===- stream_pool.c - The driver's streams -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variable, read when the device starts:
//
//   ASYNC_GPU_STREAMS   streams that the pool creates at most, 1 to 1024.
//                       Default: 32, as many as devices run independently.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream_pool.h"

#include "base/env.h"
#include "base/memory.h"
#include "base/status_track.h"
#include "gpu/completion.h"
#include "gpu/event.h"

#include <time.h>

#define MAX_STREAMS 1024
#define DEFAULT_STREAMS 32

// Streams are created up to the bound before any is used again, although some
// may be idle: a region's stream is given back as soon as its work is enqueued,
// and asking the driver whether that is done would cost a call and make the
// order of a program's work depend on timing.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static agpu__pool_stream *streams[MAX_STREAMS];
static unsigned stream_count, stream_limit = DEFAULT_STREAMS;
static agpu__pool_stream *first_free, **last_free = &first_free;
static unsigned next_shared; // index of the stream to share next
static int64_t lent;

agpu_status agpu__stream_pool_init(void) {
  int64_t limit;
  agpu_status status = agpu__env_get_integer(
      "ASYNC_GPU_STREAMS", 1, MAX_STREAMS, DEFAULT_STREAMS, &limit);
  stream_limit = (unsigned)limit;
  return status;
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
  agpu__pool_stream *created = agpu__memory_alloc(
      sizeof *created, _Alignof(agpu__pool_stream), "a stream");
  *created = (agpu__pool_stream){
      .handle = handle, .index = stream_count, .number = stream_count};
  pthread_mutex_init(&created->lock, NULL);
  streams[stream_count++] = created;
  *out_stream = created;
  return AGPU_OK;
}

/// Under the lock: takes a free stream off the list.
static void take_off(agpu__pool_stream *stream) {
  agpu__pool_stream **link = &first_free;
  while (*link != stream)
    link = &(*link)->next;
  *link = stream->next;
  if (!*link)
    last_free = link;
}

/// Under the lock: counts a loan, and gives it a number.
static uint64_t lend(agpu__pool_stream *stream) {
  ++stream->loans;
  ++lent;
  return ++stream->loan;
}

agpu_status agpu__stream_pool_acquire(const agpu__device *device,
                                      const char *location,
                                      agpu__pool_stream **out_stream,
                                      uint64_t *out_loan) {
  agpu__device_enter(device);
  agpu_status status = AGPU_OK;
  agpu__pool_stream *stream = NULL;
  pthread_mutex_lock(&lock);
  if (stream_count < stream_limit) {
    status = create_stream(device, location, &stream);
    // With too few resources for another one, there may be one to reuse.
    if (status && first_free &&
        agpu_status_get_code(status) == AGPU_STATUS_OUT_OF_RESOURCES) {
      agpu_status_release(status);
      status = AGPU_OK;
      stream_limit = stream_count;
    }
  }
  if (!status && !stream && first_free) {
    stream = first_free;
    take_off(stream);
  } else if (!status && !stream) {
    stream = streams[next_shared++ % stream_count];
  }
  if (!status)
    *out_loan = lend(stream);
  pthread_mutex_unlock(&lock);
  if (!status)
    agpu__event_settle(stream);
  *out_stream = stream;
  return status;
}

bool agpu__stream_pool_take_over(agpu__pool_stream *stream, uint64_t loan,
                                 uint64_t *out_loan) {
  pthread_mutex_lock(&lock);
  bool is_next =
      stream->loan == loan &&
      (!stream->loans ||
       atomic_load_explicit(&stream->ended, memory_order_acquire) == loan);
  if (is_next) {
    if (!stream->loans)
      take_off(stream);
    *out_loan = lend(stream);
  }
  pthread_mutex_unlock(&lock);
  return is_next;
}

agpu__pool_stream *agpu__stream_pool_find(CUstream handle) {
  agpu__pool_stream *found = NULL;
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < stream_count && !found; ++i)
    if (streams[i]->handle == handle)
      found = streams[i];
  pthread_mutex_unlock(&lock);
  return found;
}

void agpu__stream_pool_release(agpu__pool_stream *stream,
                               const agpu__op_name *last) {
  pthread_mutex_lock(&lock);
  if (last)
    stream->last = *last;
  bool unused = --stream->loans == 0;
  if (unused) {
    stream->next = NULL;
    *last_free = stream;
    last_free = &stream->next;
  }
  --lent;
  pthread_mutex_unlock(&lock);
}

void agpu__stream_pool_drain(const agpu__device *device) {
  pthread_mutex_lock(&lock);
  unsigned total = stream_count;
  pthread_mutex_unlock(&lock);
  CUresult failed = CUDA_SUCCESS;
  agpu__op_name last = {.what = NULL};
  for (unsigned i = 0; i < total; ++i) {
    // Asked, not waited for in the driver: a program's log shows no
    // synchronize call, and the end of a process is no hot path.
    struct timespec pause = {.tv_nsec = 10000};
    CUresult result;
    while ((result = device->driver->cuStreamQuery(streams[i]->handle)) ==
           CUDA_ERROR_NOT_READY) {
      nanosleep(&pause, NULL);
      if (pause.tv_nsec < 1000000)
        pause.tv_nsec *= 2;
    }
    if (result && !failed) {
      failed = result;
      pthread_mutex_lock(&lock);
      last = streams[i]->last;
      pthread_mutex_unlock(&lock);
    }
  }
  // The process may end in an order in which the driver goes first. Its work
  // was over by then, or is no one's any more.
  if (failed && failed != CUDA_ERROR_DEINITIALIZED &&
      !agpu__completion_has_failed())
    agpu__status_report(agpu__driver_error(
        device->driver, failed, last.location,
        last.kernel ? "work on the device up to the %s '%s' failed"
        : last.what ? "work on the device up to the %s%s failed"
                    : "work on the device%s%s failed",
        last.what ? last.what : "", last.kernel ? last.kernel : ""));
}

void agpu__stream_pool_reset(const agpu__device *device) {
  for (unsigned i = 0; i < stream_count; ++i) {
    agpu__pool_stream *stream = streams[i];
    agpu__event_detach(stream);
    (void)device->driver->cuStreamDestroy(stream->handle);
    pthread_mutex_destroy(&stream->lock);
    agpu__memory_free(stream);
  }
  stream_count = next_shared = 0;
  first_free = NULL;
  last_free = &first_free;
}

int64_t agpu__stream_pool_count_lent(void) {
  pthread_mutex_lock(&lock);
  int64_t result = lent;
  pthread_mutex_unlock(&lock);
  return result;
}
