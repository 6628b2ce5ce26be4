//===- log.c - Every driver call, in words --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_LOG=driver: a table that calls another and writes one line per
// call, with small numbers for handles and threads in the order in which they
// turn up, and the threads' names:
//
//     driver: cuEventRecord(event=5, stream=2) = CUDA_SUCCESS [1 agpu-0]
//
// It is installed only when the log is on, so that it costs nothing otherwise.
//
//===----------------------------------------------------------------------===//

#include "base/report/log.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "gpu/driver/driver.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// The functions of the table have no place for a context pointer, so what they
// wrap is global: set once, before the table is used.
static const agpu__driver *wrapped;

typedef enum handle_kind {
  CONTEXT,
  STREAM,
  EVENT,
  MODULE,
  FUNCTION,
} handle_kind;

typedef struct numbered {
  const void *handle;
  handle_kind kind;
  unsigned number;
} numbered;

static pthread_mutex_t numbers_lock = PTHREAD_MUTEX_INITIALIZER;
static numbered *numbers;
static size_t numbers_count, numbers_capacity;
static unsigned last_number[FUNCTION + 1];

/// The number of `handle`, a new one when it is seen for the first time.
/// `forget` frees it, for calls that destroy: the driver may hand the same
/// address out again as soon as such a call has begun.
static unsigned number(handle_kind kind, const void *handle, bool forget) {
  if (!handle)
    return 0;
  pthread_mutex_lock(&numbers_lock);
  unsigned result = 0;
  size_t i = 0;
  while (i < numbers_count &&
         (numbers[i].handle != handle || numbers[i].kind != kind))
    ++i;
  if (i < numbers_count) {
    result = numbers[i].number;
    if (forget)
      numbers[i] = numbers[--numbers_count];
  } else {
    result = ++last_number[kind];
    if (numbers_count == numbers_capacity) {
      size_t capacity = numbers_capacity ? numbers_capacity * 2 : 64;
      numbered *grown = realloc(numbers, capacity * sizeof *grown);
      if (grown) {
        numbers = grown;
        numbers_capacity = capacity;
      }
    }
    // Without memory the handle gets a new number each time: the log suffers,
    // the program does not.
    if (!forget && numbers_count < numbers_capacity)
      numbers[numbers_count++] = (numbered){handle, kind, result};
  }
  pthread_mutex_unlock(&numbers_lock);
  return result;
}

#define CONTEXT_NUMBER(h) number(CONTEXT, (h), false)
#define STREAM_NUMBER(h) number(STREAM, (h), false)
#define EVENT_NUMBER(h) number(EVENT, (h), false)
#define MODULE_NUMBER(h) number(MODULE, (h), false)
#define FUNCTION_NUMBER(h) number(FUNCTION, (h), false)

static unsigned get_thread_number(void) {
  static atomic_uint threads;
  if (!agpu__self.gpu.number)
    agpu__self.gpu.number =
        1 + atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);
  return agpu__self.gpu.number;
}

static CUresult log_call(CUresult result, const char *function,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static CUresult log_call(CUresult result, const char *function,
                         const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *name = NULL;
  if (wrapped->cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "unknown result";
  char thread[32] = "";
  (void)pthread_getname_np(pthread_self(), thread, sizeof thread);
  agpu__log(AGPU__LOG_DRIVER, "%s(%s) = %s [%u %s]", function, text, name,
            get_thread_number(), agpu__thread_is_main() ? "main" : thread);
  return result;
}

// The arguments of the message stand behind the call, so that results can be
// among them.
#define LOGGED(name, parameters, arguments, ...)                               \
  static CUresult log_##name parameters {                                      \
    CUresult result = wrapped->name arguments;                                 \
    return log_call(result, #name, __VA_ARGS__);                               \
  }

/// What a call gave through `out`, or NULL where it failed.
#define GIVEN(out) (result == CUDA_SUCCESS ? *(out) : NULL)

LOGGED(cuInit, (unsigned int flags), (flags), "flags=%u", flags)
LOGGED(cuDriverGetVersion, (int *version), (version), "version=%d",
       result == CUDA_SUCCESS ? *version : 0)
LOGGED(cuDeviceGetCount, (int *count), (count), "count=%d",
       result == CUDA_SUCCESS ? *count : 0)
LOGGED(cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal),
       "ordinal=%d", ordinal)
LOGGED(cuDeviceGetName, (char *text, int length, CUdevice device),
       (text, length, device), "device=%d, name=%s", device,
       result == CUDA_SUCCESS ? text : "")
LOGGED(cuDeviceGetAttribute,
       (int *value, CUdevice_attribute attribute, CUdevice device),
       (value, attribute, device), "device=%d, attribute=%d, value=%d", device,
       (int)attribute, result == CUDA_SUCCESS ? *value : 0)
LOGGED(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),
       (context, device), "context=%u, device=%d",
       CONTEXT_NUMBER(GIVEN(context)), device)
LOGGED(cuDevicePrimaryCtxRelease, (CUdevice device), (device), "device=%d",
       device)
LOGGED(cuCtxSetCurrent, (CUcontext context), (context), "context=%u",
       CONTEXT_NUMBER(context))
LOGGED(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
       (can, device, peer), "device=%d, peer=%d, can=%d", device, peer,
       result == CUDA_SUCCESS ? *can : 0)
LOGGED(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags),
       (peer, flags), "context=%u, flags=%u", CONTEXT_NUMBER(peer), flags)
LOGGED(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
       (pool, device), "device=%d", device)
LOGGED(cuMemPoolSetAccess,
       (CUmemoryPool pool, const CUmemAccessDesc *accesses, size_t count),
       (pool, accesses, count), "count=%zu, device=%d, flags=%d", count,
       count ? accesses[0].location.id : 0, count ? (int)accesses[0].flags : 0)
LOGGED(cuPointerGetAttribute,
       (void *data, CUpointer_attribute attribute, CUdeviceptr pointer),
       (data, attribute, pointer), "attribute=%d, pointer=0x%llx",
       (int)attribute, pointer)
LOGGED(cuModuleLoadDataEx,
       (CUmodule * module, const void *image, unsigned int option_count,
        CUjit_option *options, void **option_values),
       (module, image, option_count, options, option_values), "module=%u",
       MODULE_NUMBER(GIVEN(module)))
LOGGED(cuModuleGetFunction,
       (CUfunction * function, CUmodule module, const char *name),
       (function, module, name), "function=%u, module=%u, name=%s",
       FUNCTION_NUMBER(GIVEN(function)), MODULE_NUMBER(module), name)
LOGGED(cuFuncSetAttribute,
       (CUfunction function, CUfunction_attribute attribute, int value),
       (function, attribute, value), "function=%u, attribute=%d, value=%d",
       FUNCTION_NUMBER(function), (int)attribute, value)
LOGGED(cuLaunchKernel,
       (CUfunction function, unsigned int grid_x, unsigned int grid_y,
        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
        void **params, void **extra),
       (function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
        shared_bytes, stream, params, extra),
       "function=%u, grid=%ux%ux%u, block=%ux%ux%u, shared=%u, stream=%u",
       FUNCTION_NUMBER(function), grid_x, grid_y, grid_z, block_x, block_y,
       block_z, shared_bytes, STREAM_NUMBER(stream))
LOGGED(cuLaunchKernelEx,
       (const CUlaunchConfig *config, CUfunction function, void **params,
        void **extra),
       (config, function, params, extra),
       "function=%u, grid=%ux%ux%u, block=%ux%ux%u, shared=%u, stream=%u, "
       "attributes=%u",
       FUNCTION_NUMBER(function), config->gridDimX, config->gridDimY,
       config->gridDimZ, config->blockDimX, config->blockDimY,
       config->blockDimZ, config->sharedMemBytes,
       STREAM_NUMBER(config->hStream), config->numAttrs)
LOGGED(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *user_data),
       (stream, function, user_data), "stream=%u", STREAM_NUMBER(stream))
LOGGED(cuStreamCreate, (CUstream * stream, unsigned int flags), (stream, flags),
       "stream=%u, flags=%u", STREAM_NUMBER(GIVEN(stream)), flags)
LOGGED(cuStreamQuery, (CUstream stream), (stream), "stream=%u",
       STREAM_NUMBER(stream))
LOGGED(cuStreamSynchronize, (CUstream stream), (stream), "stream=%u",
       STREAM_NUMBER(stream))
LOGGED(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
       (stream, event, flags), "stream=%u, event=%u, flags=%u",
       STREAM_NUMBER(stream), EVENT_NUMBER(event), flags)
LOGGED(cuStreamWriteValue32,
       (CUstream stream, CUdeviceptr target, uint32_t value,
        unsigned int flags),
       (stream, target, value, flags),
       "stream=%u, target=0x%llx, value=%u, flags=%u", STREAM_NUMBER(stream),
       target, value, flags)
LOGGED(cuEventCreate, (CUevent * event, unsigned int flags), (event, flags),
       "event=%u, flags=%u", EVENT_NUMBER(GIVEN(event)), flags)
LOGGED(cuEventRecord, (CUevent event, CUstream stream), (event, stream),
       "event=%u, stream=%u", EVENT_NUMBER(event), STREAM_NUMBER(stream))
LOGGED(cuEventQuery, (CUevent event), (event), "event=%u", EVENT_NUMBER(event))
LOGGED(cuEventSynchronize, (CUevent event), (event), "event=%u",
       EVENT_NUMBER(event))
LOGGED(cuMemGetInfo, (size_t *free_bytes, size_t *total_bytes),
       (free_bytes, total_bytes), "free=%zu, total=%zu",
       result == CUDA_SUCCESS ? *free_bytes : 0,
       result == CUDA_SUCCESS ? *total_bytes : 0)
LOGGED(cuMemAlloc, (CUdeviceptr * pointer, size_t bytes), (pointer, bytes),
       "pointer=0x%llx, bytes=%zu", result == CUDA_SUCCESS ? *pointer : 0,
       bytes)
LOGGED(cuMemFree, (CUdeviceptr pointer), (pointer), "pointer=0x%llx", pointer)
LOGGED(cuMemAllocManaged,
       (CUdeviceptr * pointer, size_t bytes, unsigned int flags),
       (pointer, bytes, flags), "pointer=0x%llx, bytes=%zu, flags=%u",
       result == CUDA_SUCCESS ? *pointer : 0, bytes, flags)
LOGGED(cuMemAllocAsync, (CUdeviceptr * pointer, size_t bytes, CUstream stream),
       (pointer, bytes, stream), "pointer=0x%llx, bytes=%zu, stream=%u",
       result == CUDA_SUCCESS ? *pointer : 0, bytes, STREAM_NUMBER(stream))
LOGGED(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream),
       (pointer, stream), "pointer=0x%llx, stream=%u", pointer,
       STREAM_NUMBER(stream))
LOGGED(cuMemcpyAsync,
       (CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream),
       (target, source, bytes, stream),
       "target=0x%llx, source=0x%llx, bytes=%zu, stream=%u", target, source,
       bytes, STREAM_NUMBER(stream))
LOGGED(cuMemsetD8Async,
       (CUdeviceptr target, unsigned char value, size_t count, CUstream stream),
       (target, value, count, stream),
       "target=0x%llx, value=0x%x, count=%zu, stream=%u", target,
       (unsigned)value, count, STREAM_NUMBER(stream))
LOGGED(cuMemsetD16Async,
       (CUdeviceptr target, unsigned short value, size_t count,
        CUstream stream),
       (target, value, count, stream),
       "target=0x%llx, value=0x%x, count=%zu, stream=%u", target,
       (unsigned)value, count, STREAM_NUMBER(stream))
LOGGED(cuMemsetD32Async,
       (CUdeviceptr target, unsigned int value, size_t count, CUstream stream),
       (target, value, count, stream),
       "target=0x%llx, value=0x%x, count=%zu, stream=%u", target, value, count,
       STREAM_NUMBER(stream))
LOGGED(cuMemsetD2D32Async,
       (CUdeviceptr target, size_t pitch, unsigned int value, size_t width,
        size_t height, CUstream stream),
       (target, pitch, value, width, height, stream),
       "target=0x%llx, pitch=%zu, value=0x%x, width=%zu, height=%zu, "
       "stream=%u",
       target, pitch, value, width, height, STREAM_NUMBER(stream))
LOGGED(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned int flags),
       (pointer, bytes, flags), "pointer=%p, bytes=%zu, flags=%u",
       result == CUDA_SUCCESS ? *pointer : NULL, bytes, flags)
LOGGED(cuMemFreeHost, (void *pointer), (pointer), "pointer=%p", pointer)
LOGGED(cuMemHostRegister, (void *pointer, size_t bytes, unsigned int flags),
       (pointer, bytes, flags), "pointer=%p, bytes=%zu, flags=%u", pointer,
       bytes, flags)
LOGGED(cuMemHostUnregister, (void *pointer), (pointer), "pointer=%p", pointer)

// Not worth a line: they are called to describe the results of others.
static CUresult log_cuGetErrorName(CUresult error, const char **out) {
  return wrapped->cuGetErrorName(error, out);
}

static CUresult log_cuGetErrorString(CUresult error, const char **out) {
  return wrapped->cuGetErrorString(error, out);
}

static CUresult log_cuStreamDestroy(CUstream stream) {
  unsigned stream_number = number(STREAM, stream, true);
  return log_call(wrapped->cuStreamDestroy(stream), "cuStreamDestroy",
                  "stream=%u", stream_number);
}

static CUresult log_cuEventDestroy(CUevent event) {
  unsigned event_number = number(EVENT, event, true);
  return log_call(wrapped->cuEventDestroy(event), "cuEventDestroy", "event=%u",
                  event_number);
}

static CUresult log_cuModuleUnload(CUmodule module) {
  unsigned module_number = number(MODULE, module, true);
  return log_call(wrapped->cuModuleUnload(module), "cuModuleUnload",
                  "module=%u", module_number);
}

void agpu__driver_load_log(agpu__driver *out_driver,
                           const agpu__driver *inner) {
  wrapped = inner;
  out_driver->name = inner->name;
  out_driver->image_format = inner->image_format;
  out_driver->checks_memory = inner->checks_memory;
  out_driver->checks_races = inner->checks_races;
  // A function that the driver lacks stays missing.
#define INSTALL(need, name, symbol, parameters, arguments)                     \
  out_driver->name = inner->name ? log_##name : NULL;
  AGPU__DRIVER_FUNCTIONS(INSTALL)
#undef INSTALL
}
