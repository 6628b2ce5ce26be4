//===- event.c - Events --------------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include <stdlib.h>
#include <time.h>

static CUevent events; ///< all there ever were

/// Under the lock.
static void release_record(ptx_record *record) {
  if (record && --record->references == 0)
    free(record);
}

static CUresult check_event(CUevent event) {
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_lock(&ptx_lock);
  CUresult result =
      event->is_alive ? event->context->error : CUDA_ERROR_INVALID_HANDLE;
  pthread_mutex_unlock(&ptx_lock);
  return result;
}

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  enum { INTERPROCESS = 4 };
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!event || flags > 7 ||
      (flags & INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  CUevent made = calloc(1, sizeof *made);
  if (!made)
    abort();
  made->is_alive = true;
  made->context = context;
  made->is_timed = !(flags & CU_EVENT_DISABLE_TIMING);
  pthread_mutex_lock(&ptx_lock);
  made->next = events;
  events = made;
  ++context->events;
  pthread_mutex_unlock(&ptx_lock);
  *event = made;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = check_event(event);
  if (result)
    return result;
  ptx_capture_forget_event(event);
  pthread_mutex_lock(&ptx_lock);
  event->is_alive = false;
  --event->context->events;
  release_record(event->last);
  event->last = NULL;
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

typedef struct record_work {
  ptx_work work;
  ptx_record *record;
} record_work;

static void reach(ptx_work *work) {
  ptx_record *record = ((record_work *)work)->record;
  pthread_mutex_lock(&ptx_lock);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  record->time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  record->is_done = true;
  release_record(record);
  pthread_cond_broadcast(&ptx_changed);
  pthread_mutex_unlock(&ptx_lock);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = check_event(event);
  if (result)
    return result;
  if (event->context != stream->context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (ptx_capture_record(event, stream, &result))
    return result;
  ptx_record *record = calloc(1, sizeof *record);
  if (!record)
    abort();
  record->references = 2; // the event's and the stream's
  record->context = stream->context;
  pthread_mutex_lock(&ptx_lock);
  release_record(event->last);
  event->last = record;
  pthread_mutex_unlock(&ptx_lock);
  record_work *work = ptx_new_work(sizeof *work, reach);
  work->record = record;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

/// Waits until a record is reached or cannot be any more, and lets go of it.
/// Under the lock.
static void await(ptx_record *record, CUcontext context) {
  while (!record->is_done && !context->error && !record->context->error)
    pthread_cond_wait(&ptx_changed, &ptx_lock);
  release_record(record);
}

static void wait_in_stream(ptx_work *work) {
  pthread_mutex_lock(&ptx_lock);
  await(((record_work *)work)->record, work->stream->context);
  pthread_mutex_unlock(&ptx_lock);
}

/// The record before the call counts, and none: nothing to wait for.
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = check_event(event);
  if (result)
    return result;
  if (flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  if (ptx_capture_wait(stream, event, &result))
    return result;
  pthread_mutex_lock(&ptx_lock);
  ptx_record *record = event->last;
  if (record)
    ++record->references;
  pthread_mutex_unlock(&ptx_lock);
  if (!record)
    return CUDA_SUCCESS;
  record_work *work = ptx_new_work(sizeof *work, wait_in_stream);
  work->record = record;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  CUresult result = ptx_enter();
  if (!result)
    result = check_event(event);
  if (!result)
    result = ptx_capture_await_event(event);
  if (result)
    return result;
  pthread_mutex_lock(&ptx_lock);
  bool is_done = !event->last || event->last->is_done;
  pthread_mutex_unlock(&ptx_lock);
  return is_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  CUresult result = ptx_enter();
  if (!result)
    result = check_event(event);
  if (!result)
    result = ptx_capture_await_event(event);
  if (result)
    return result;
  pthread_mutex_lock(&ptx_lock);
  if (event->last) {
    ++event->last->references;
    await(event->last, event->context);
  }
  pthread_mutex_unlock(&ptx_lock);
  ptx_write_output(event->context);
  return ptx_get_error(event->context);
}

/// Under the lock.
static CUresult check_timed(CUevent event) {
  if (!event->is_timed || !event->last)
    return CUDA_ERROR_INVALID_HANDLE;
  return event->last->is_done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  CUresult result = ptx_enter();
  if (!result)
    result = check_event(start);
  if (!result)
    result = check_event(end);
  if (result)
    return result;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&ptx_lock);
  CUresult first = check_timed(start), second = check_timed(end);
  result = start->context != end->context       ? CUDA_ERROR_INVALID_HANDLE
           : first == CUDA_ERROR_INVALID_HANDLE ? first
           : second                             ? second
                                                : first;
  // The manual promises half a microsecond.
  enum { RESOLUTION_NS = 500 };
  if (!result)
    *milliseconds = (float)((double)((end->last->time - start->last->time) /
                                     RESOLUTION_NS * RESOLUTION_NS) /
                            1e6);
  pthread_mutex_unlock(&ptx_lock);
  return result;
}
