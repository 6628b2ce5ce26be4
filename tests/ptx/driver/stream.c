//===- stream.c - Streams and host functions -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream has a thread that does its work in order. Settings hold it up before
// some of it, by a seed.
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include <stdlib.h>
#include <time.h>

#define GREATEST_PRIORITY (-5)

// async-gpu itself calls neither.
PTX_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority);
PTX_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);

static CUstream streams; ///< all there ever were
static _Thread_local CUstream performing;

bool ptx_performs(CUstream stream) { return stream == performing; }

CUstream ptx_perform_here(CUstream stream) {
  CUstream before = performing;
  performing = stream;
  return before;
}

CUresult ptx_enter_stream(CUcontext *current, CUstream *stream) {
  CUresult result = ptx_enter_context(current);
  if (result)
    return result;
  CUcontext context = *current;
  if (!*stream) {
    pthread_mutex_lock(&ptx_lock);
    CUstream null_stream = context->null_stream;
    pthread_mutex_unlock(&ptx_lock);
    if (!null_stream && cuStreamCreate(&null_stream, 0))
      return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&ptx_lock);
    context->null_stream = null_stream;
    pthread_mutex_unlock(&ptx_lock);
    *stream = null_stream;
  }
  pthread_mutex_lock(&ptx_lock);
  result = !(*stream)->is_alive && *stream != performing
               ? CUDA_ERROR_INVALID_HANDLE
               : (*stream)->context->error;
  pthread_mutex_unlock(&ptx_lock);
  return result;
}

void *ptx_new_work(size_t bytes, void (*perform)(ptx_work *work)) {
  ptx_work *work = calloc(1, bytes);
  if (!work)
    abort();
  work->perform = perform;
  return work;
}

/// Half of all work waits, for up to the time that is set.
static void hold_up(uint64_t *random) {
  unsigned most = ptx_get_settings()->delay_us;
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  if (!most || *random % 2)
    return;
  uint64_t us = *random / 2 % most;
  struct timespec pause = {.tv_sec = (time_t)(us / 1000000),
                           .tv_nsec = (long)(us % 1000000) * 1000};
  nanosleep(&pause, NULL);
}

static _Atomic(const ptx_observer *) observer;

PTX_EXPORT void ptx_device_observe(const ptx_observer *by) { observer = by; }

static void perform(ptx_work *work) {
  const ptx_observer *by = work->activity ? observer : NULL;
  if (by)
    by->begins(work->correlation);
  work->perform(work);
  if (by)
    by->ends(work->correlation);
}

static void *run_stream(void *argument) {
  static _Atomic(uint64_t) threads;
  CUstream stream = argument;
  uint64_t random = (ptx_get_settings()->seed + 1) * 0x9E3779B97F4A7C15ull +
                    ++threads * 0xBF58476D1CE4E5B9ull;
  pthread_mutex_lock(&ptx_lock);
  while (stream->first || stream->is_alive) {
    ptx_work *work = stream->first;
    if (!work) {
      pthread_cond_wait(&ptx_changed, &ptx_lock);
      continue;
    }
    stream->first = work->next;
    if (!stream->first)
      stream->last = &stream->first;
    pthread_mutex_unlock(&ptx_lock);
    hold_up(&random);
    perform(work);
    free(work);
    pthread_mutex_lock(&ptx_lock);
    --stream->pending;
    pthread_cond_broadcast(&ptx_changed);
  }
  pthread_mutex_unlock(&ptx_lock);
  return NULL;
}

static void start_thread(CUstream stream) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, run_stream, stream))
    abort();
  pthread_attr_destroy(&attributes);
  stream->has_thread = true;
}

void ptx_enqueue(CUstream stream, ptx_work *work) {
  work->stream = stream;
  if (stream == performing) {
    work->perform(work);
    free(work);
    return;
  }
  const ptx_observer *by = work->activity ? observer : NULL;
  if (by)
    work->correlation = by->enqueued(work->activity, work->bytes);
  pthread_mutex_lock(&ptx_lock);
  *stream->last = work;
  stream->last = &work->next;
  ++stream->pending;
  if (!stream->has_thread)
    start_thread(stream);
  pthread_cond_broadcast(&ptx_changed);
  pthread_mutex_unlock(&ptx_lock);
}

void ptx_drain_stream(CUstream stream) {
  pthread_mutex_lock(&ptx_lock);
  while (stream->pending)
    pthread_cond_wait(&ptx_changed, &ptx_lock);
  pthread_mutex_unlock(&ptx_lock);
  CUmemoryPool pool = ptx_pool_of(stream->context->device);
  ptx_pool_shrink(pool, pool->threshold);
  ptx_write_output(stream->context);
}

void ptx_drain_context(CUcontext context) {
  pthread_mutex_lock(&ptx_lock);
  for (CUstream stream = streams; stream; stream = stream->next)
    while (stream->context == context && stream->pending)
      pthread_cond_wait(&ptx_changed, &ptx_lock);
  pthread_mutex_unlock(&ptx_lock);
  ptx_write_output(context);
}

/// A priority is a hint, and all work runs alike: one outside of "the numerical
/// range" is clamped "to the lowest or the highest number in the range".
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags,
                                    int priority) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  CUstream made = calloc(1, sizeof *made);
  if (!made)
    abort();
  made->is_alive = true;
  made->priority = priority > 0                   ? 0
                   : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                                  : priority;
  made->is_blocking = !(flags & CU_STREAM_NON_BLOCKING);
  made->context = context;
  made->last = &made->first;
  pthread_mutex_lock(&ptx_lock);
  made->next = streams;
  streams = made;
  ++context->streams;
  pthread_mutex_unlock(&ptx_lock);
  *stream = made;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result && !priority)
    result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    *priority = stream->priority;
  return result;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result && least)
    *least = 0;
  if (!result && greatest)
    *greatest = GREATEST_PRIORITY;
  return result;
}

/// "In case the device is still doing work in the stream, the function returns
/// immediately and the resources are released once it is done."
CUresult cuStreamDestroy_v2(CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  ptx_capture_forget_stream(stream);
  pthread_mutex_lock(&ptx_lock);
  stream->is_alive = false;
  --stream->context->streams;
  pthread_cond_broadcast(&ptx_changed);
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = ptx_capture_await_stream(stream);
  if (result)
    return result;
  pthread_mutex_lock(&ptx_lock);
  result = stream->pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  pthread_mutex_unlock(&ptx_lock);
  return result;
}

CUresult cuStreamSynchronize(CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = ptx_capture_await_stream(stream);
  if (result)
    return result;
  ptx_drain_stream(stream);
  return ptx_get_error(stream->context);
}

typedef struct host_call {
  ptx_work work;
  CUhostFn function;
  void *argument;
} host_call;

/// "The function is not called if the context is in error."
static void call_host(ptx_work *work) {
  host_call *call = (host_call *)work;
  if (ptx_get_error(work->stream->context))
    return;
  ptx_set_in_host_function(true);
  call->function(call->argument);
  ptx_set_in_host_function(false);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user_data) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  const CUDA_HOST_NODE_PARAMS host = {function, user_data};
  if (ptx_capture(stream, ptx_add_host_node, &host, &result))
    return result;
  host_call *call = ptx_new_work(sizeof *call, call_host);
  call->function = function;
  call->argument = user_data;
  ptx_enqueue(stream, &call->work);
  return CUDA_SUCCESS;
}

typedef struct value_write {
  ptx_work work;
  CUdeviceptr target;
  uint32_t value;
} value_write;

static void write_value(ptx_work *work) {
  const value_write *write = (const value_write *)work;
  CUcontext context = work->stream->context;
  ptx_memory_kind kind;
  if (ptx_get_error(context))
    return;
  if (!ptx_range_is_valid(write->target, 4, &kind) || kind == PTX_PLAIN) {
    ptx_set_error(context, CUDA_ERROR_ILLEGAL_ADDRESS,
                  "a value is written to memory that is not the device's");
    return;
  }
  __atomic_store_n((uint32_t *)ptx_address_host(write->target), write->value,
                   __ATOMIC_SEQ_CST);
}

static CUresult refuse(CUgraphNode *node, CUgraph graph,
                       const CUgraphNode *after, size_t count, const void *of) {
  (void)node, (void)graph, (void)after, (void)count, (void)of;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr target,
                                 uint32_t value, unsigned int flags) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  if (flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER || target % 4)
    return CUDA_ERROR_INVALID_VALUE;
  if (ptx_capture(stream, refuse, NULL, &result))
    return result;
  value_write *write = ptx_new_work(sizeof *write, write_value);
  write->target = target;
  write->value = value;
  ptx_enqueue(stream, &write->work);
  return CUDA_SUCCESS;
}
