//===- context.c - The emulated device and its context --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/check/races.h"
#include "emu/emu.h"
#include "emu/simt/watch.h"

#include "base/report/log.h"

#include <stdio.h>

// What the emulated driver implements of the API, as CUDA 12.0 numbers it.
#define API_VERSION 12000

struct CUctx_st {
  unsigned references; // under `contexts_lock`
  atomic_bool alive;
  // A CUresult. Release and acquire for the note that says more.
  atomic_int error;
  agpu__emu_counts counts;
};

static atomic_bool initialized;
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st contexts[AGPU__EMU_MAX_DEVICES];

static _Thread_local CUcontext current;
static _Thread_local bool in_host_function;

CUresult agpu__emu_get_error(void) {
  return current ? (CUresult)atomic_load_explicit(&current->error,
                                                  memory_order_acquire)
                 : CUDA_SUCCESS;
}

CUresult agpu__emu_context_get_error(CUcontext context) {
  return (CUresult)atomic_load_explicit(&context->error, memory_order_acquire);
}

void agpu__emu_set_error(CUresult error) {
  // Streams may fail at once: the text that is kept is the error's own. The
  // text before the error: who sees one reads the other.
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (agpu__emu_get_error() == CUDA_SUCCESS) {
    agpu__emu_keep_note(error);
    atomic_store_explicit(&current->error, (int)error, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
}

CUcontext agpu__emu_get_context(void) { return current; }
void agpu__emu_set_context(CUcontext context) { current = context; }

void agpu__emu_set_in_host_function(bool inside) { in_host_function = inside; }

CUresult agpu__emu_enter(void) {
  agpu__emu_clear_note();
  if (in_host_function)
    return CUDA_ERROR_NOT_PERMITTED;
  if (!atomic_load_explicit(&initialized, memory_order_relaxed))
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!current)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!atomic_load_explicit(&current->alive, memory_order_relaxed))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return agpu__emu_get_error();
}

agpu__emu_counts *agpu__emu_get_counts(CUcontext context) {
  return &context->counts;
}

/// Says what the end of the context destroys that its program has not.
static void log_left(CUcontext context) {
  agpu__emu_counts *counts = &context->counts;
  int streams = atomic_exchange(&counts->streams, 0);
  int events = atomic_exchange(&counts->events, 0);
  int modules = atomic_exchange(&counts->modules, 0);
  if (streams || events || modules)
    agpu__log(AGPU__LOG_DEVICE,
              "emu: device %d is left with %d streams, %d events, %d modules",
              agpu__emu_context_device(context), streams, events, modules);
}

CUdevice agpu__emu_context_device(CUcontext context) {
  return (CUdevice)(context - contexts);
}

CUresult agpu__emu_enter_device(CUdevice device) {
  if (in_host_function)
    return CUDA_ERROR_NOT_PERMITTED;
  if (!atomic_load_explicit(&initialized, memory_order_relaxed))
    return CUDA_ERROR_NOT_INITIALIZED;
  return device >= 0 && (unsigned)device < agpu__emu_get_settings()->devices
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_DEVICE;
}

CUresult agpu__emu_init(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  atomic_store_explicit(&initialized, true, memory_order_relaxed);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_driver_get_version(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = API_VERSION;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_device_get_count(int *count) {
  CUresult result = agpu__emu_enter_device(0);
  if (result)
    return result;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = (int)agpu__emu_get_settings()->devices;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_device_get(CUdevice *device, int ordinal) {
  CUresult result = agpu__emu_enter_device(ordinal);
  if (result)
    return result;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_device_get_name(char *name, int length, CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  (void)snprintf(name, (size_t)length, "async-gpu emulated device");
  return CUDA_SUCCESS;
}

CUresult agpu__emu_device_get_attribute(int *value,
                                        CUdevice_attribute attribute,
                                        CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    *value = AGPU__EMU_MAX_THREADS_PER_BLOCK;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    *value = AGPU__EMU_MAX_BLOCK_Z;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    *value = AGPU__EMU_MAX_GRID_X;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    *value = AGPU__EMU_MAX_GRID_YZ;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    *value = AGPU__EMU_MAX_SHARED_BYTES;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = (int)agpu__emu_get_settings()->threads;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0; // runs no PTX of any
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: *value = 1; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: // any number of contexts
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:   // not known
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: *value = 0; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    *value = agpu__emu_get_settings()->memory_pools;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_primary_ctx_retain(CUcontext *context, CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext retained = &contexts[device];
  pthread_mutex_lock(&contexts_lock);
  if (retained->references++ == 0) {
    agpu__emu_forget_note(retained);
    atomic_store_explicit(&retained->error, CUDA_SUCCESS, memory_order_relaxed);
    atomic_store_explicit(&retained->alive, true, memory_order_relaxed);
  }
  pthread_mutex_unlock(&contexts_lock);
  *context = retained;
  return CUDA_SUCCESS;
}

/// Under the lock. As a driver does: work in flight ends, then all that is left
/// goes.
static void reset(void) {
  agpu__emu_streams_reset();
  agpu__emu_launch_reset();
  agpu__emu_watch_reset();
  agpu__emu_events_reset();
  agpu__emu_modules_reset();
  agpu__emu_leaks_list();
  agpu__emu_memory_reset();
  agpu__emu_host_memory_reset();
  agpu__emu_order_reset();
  agpu__emu_races_reset();
  agpu__emu_peers_reset();
}

CUresult agpu__emu_primary_ctx_release(CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  CUcontext released = &contexts[device];
  pthread_mutex_lock(&contexts_lock);
  if (released->references == 0) {
    result = CUDA_ERROR_INVALID_CONTEXT;
  } else if (--released->references == 0) {
    unsigned others = 0;
    for (int i = 0; i < AGPU__EMU_MAX_DEVICES; ++i)
      others += contexts[i].references;
    if (others == 0)
      reset();
    else
      agpu__emu_streams_wait();
    agpu__emu_print_end(released);
    log_left(released);
    atomic_store_explicit(&released->alive, false, memory_order_relaxed);
  }
  pthread_mutex_unlock(&contexts_lock);
  return result;
}

CUresult agpu__emu_ctx_set_current(CUcontext context) {
  if (in_host_function)
    return CUDA_ERROR_NOT_PERMITTED;
  if (!atomic_load_explicit(&initialized, memory_order_relaxed))
    return CUDA_ERROR_NOT_INITIALIZED;
  if (context &&
      (context < contexts || context >= contexts + AGPU__EMU_MAX_DEVICES))
    return CUDA_ERROR_INVALID_CONTEXT;
  current = context;
  return CUDA_SUCCESS;
}
