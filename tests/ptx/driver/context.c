//===- context.c - Contexts and their errors -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/state.h"

#include <stdlib.h>

pthread_mutex_t ptx_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ptx_changed = PTHREAD_COND_INITIALIZER;

static struct CUctx_st contexts[PTX_MAX_DEVICES];
static struct CUmemPoolHandle_st pools[PTX_MAX_DEVICES];
static _Atomic(bool) is_started;
static _Thread_local CUcontext current;
static _Thread_local bool is_in_host_function;

/// What kernels have printed and nobody has asked for is lost on a card.
static void look_at_end(void) {
  for (int i = 0; i < PTX_MAX_DEVICES; ++i)
    if (contexts[i].is_alive && contexts[i].output_bytes && !contexts[i].error)
      ptx_violation("%zu bytes that kernels have printed are lost: the process "
                    "ends before a synchronisation",
                    contexts[i].output_bytes);
}

CUresult cuInit(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&ptx_lock);
  if (!is_started) {
    (void)ptx_get_settings();
    ptx_report_start();
    atexit(look_at_end);
    ptx_address_start();
    for (int i = 0; i < PTX_MAX_DEVICES; ++i)
      contexts[i].device = pools[i].device = i;
    is_started = true;
  }
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

CUresult ptx_enter(void) {
  if (!is_started)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (is_in_host_function) {
    // The manual forbids it, since it may deadlock; a card need not notice.
    ptx_log("a host function of a stream calls the driver");
    return CUDA_ERROR_NOT_PERMITTED;
  }
  return CUDA_SUCCESS;
}

void ptx_set_in_host_function(bool is_in) { is_in_host_function = is_in; }

CUcontext ptx_context_of(int device) { return &contexts[device]; }
CUmemoryPool ptx_pool_of(int device) { return &pools[device]; }

void ptx_pool_grew(CUmemoryPool pool) {
  uint64_t used = ptx_pool_bytes(pool->device);
  pthread_mutex_lock(&ptx_lock);
  if (pool->reserved < used)
    pool->reserved = used;
  pthread_mutex_unlock(&ptx_lock);
}

void ptx_pool_shrink(CUmemoryPool pool, uint64_t keep) {
  uint64_t used = ptx_pool_bytes(pool->device);
  pthread_mutex_lock(&ptx_lock);
  uint64_t least = used > keep ? used : keep;
  if (pool->reserved > least)
    pool->reserved = least;
  pthread_mutex_unlock(&ptx_lock);
}

CUresult ptx_get_error(CUcontext context) {
  pthread_mutex_lock(&ptx_lock);
  CUresult error = context->error;
  pthread_mutex_unlock(&ptx_lock);
  return error;
}

void ptx_set_error(CUcontext context, CUresult error, const char *why) {
  pthread_mutex_lock(&ptx_lock);
  if (!context->error) {
    // Said before anybody can meet the error, and end the process with it.
    ptx_log("error %d on device %d: %s", (int)error, context->device, why);
    context->error = error;
  }
  pthread_cond_broadcast(&ptx_changed);
  pthread_mutex_unlock(&ptx_lock);
}

CUresult ptx_enter_context(CUcontext *out_context) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!current)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!current->is_alive)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *out_context = current;
  return ptx_get_error(current);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&ptx_lock);
  CUcontext own = &contexts[device];
  if (!own->references++) {
    own->is_alive = true;
    own->error = CUDA_SUCCESS;
    own->streams = own->events = own->modules = 0;
    own->graphs = own->execs = 0;
    own->null_stream = NULL;
    own->output_bytes = 0;
    own->has_printed = false;
    own->limits[CU_LIMIT_STACK_SIZE] = 1024;
    own->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = (size_t)1 << 20;
    own->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = (size_t)8 << 20;
    for (int i = 0; i < PTX_MAX_DEVICES; ++i)
      own->can_access[i] = pools[device].can_access[i] = false;
    pools[device].reserved = pools[device].threshold = 0;
  }
  pthread_mutex_unlock(&ptx_lock);
  *context = own;
  return CUDA_SUCCESS;
}

/// All of the context ends, whatever is left in it.
static void end_context(CUcontext context) {
  ptx_drain_context(context);
  uint64_t bytes;
  size_t left = ptx_allocations_end_all(context->device, &bytes);
  if (!context->error &&
      (left || context->streams || context->events || context->modules ||
       context->graphs || context->execs))
    ptx_log("left on device %d: %zu allocations of %llu bytes, %d streams, %d "
            "events, %d modules, %d graphs, %d executable graphs",
            context->device, left, (unsigned long long)bytes, context->streams,
            context->events, context->modules, context->graphs, context->execs);
  free(context->output);
  context->output = NULL;
  context->output_bytes = context->output_capacity = 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  CUcontext context = &contexts[device];
  pthread_mutex_lock(&ptx_lock);
  int references = context->references;
  if (references)
    --context->references;
  pthread_mutex_unlock(&ptx_lock);
  if (!references)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (references > 1)
    return CUDA_SUCCESS;
  end_context(context);
  pthread_mutex_lock(&ptx_lock);
  context->is_alive = false;
  context->error = CUDA_SUCCESS;
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = current;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (context && !context->is_alive)
    return CUDA_ERROR_INVALID_CONTEXT;
  current = context;
  return CUDA_SUCCESS;
}

static bool is_limit(CUlimit limit) { return (unsigned)limit < PTX_LIMITS; }

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!is_limit(limit))
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  pthread_mutex_lock(&ptx_lock);
  if (limit == CU_LIMIT_PRINTF_FIFO_SIZE && context->has_printed)
    result = CUDA_ERROR_INVALID_VALUE;
  else
    context->limits[limit] = value;
  pthread_mutex_unlock(&ptx_lock);
  return result;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!is_limit(limit))
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  pthread_mutex_lock(&ptx_lock);
  *value = context->limits[limit];
  pthread_mutex_unlock(&ptx_lock);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(device) || !ptx_is_device(peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer && ptx_get_settings()->has_peers;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!peer || !peer->is_alive || peer == context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!ptx_get_settings()->has_peers)
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (context->can_access[peer->device])
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  context->can_access[peer->device] = true;
  ptx_access_changed();
  return CUDA_SUCCESS;
}
