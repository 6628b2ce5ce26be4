//===- mgpu.c - Upstream's GPU ABI: streams, events, memory ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams and events are the pools', lent by their handles. What a handle is
// of, each call looks up: the program may have another device as its default by
// now.
//
//===----------------------------------------------------------------------===//

#include "gpu/upstream/mgpu.h"

#include "async_gpu/device.h"
#include "base/report/fatal.h"
#include "gpu/memory/memory.h"
#include "gpu/process/devices.h"
#include "gpu/stream/copy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static CUdeviceptr device_pointer(const void *pointer) {
  return (CUdeviceptr)(uintptr_t)pointer;
}

//===----------------------------------------------------------------------===//
// What the files share
//===----------------------------------------------------------------------===//

void agpu__mgpu_check_status(agpu_status status) {
  if (status)
    agpu__fatal(status, NULL, EXIT_FAILURE);
}

void agpu__mgpu_check(const agpu__device *device, CUresult result,
                      const char *what, ...) {
  if (result == CUDA_SUCCESS)
    return;
  char text[512];
  va_list arguments;
  va_start(arguments, what);
  (void)vsnprintf(text, sizeof text, what, arguments);
  va_end(arguments);
  agpu__mgpu_check_status(
      agpu__driver_error(device->driver, result, NULL, "%s", text));
}

const agpu__device *agpu__mgpu_enter(void) {
  const agpu__device *device;
  agpu__mgpu_check_status(agpu__devices_get_default(&device));
  agpu__device_enter(device);
  agpu__driver_set_origin(&(agpu__op_name){.what = NULL}); // nobody says
  return device;
}

agpu__mgpu_stream agpu__mgpu_begin(CUstream stream) {
  agpu__mgpu_stream result = {.is_null = stream == NULL};
  result.pool = stream ? agpu__devices_find_stream(stream) : NULL;
  if (result.pool) {
    result.device = result.pool->device;
    agpu__device_enter(result.device);
  } else {
    // The null stream, or one of the caller's own.
    result.device = agpu__mgpu_enter();
    uint64_t loan;
    if (result.is_null)
      agpu__mgpu_check_status(agpu__stream_pool_acquire(result.device, 0, NULL,
                                                        &result.pool, &loan));
  }
  agpu__driver_set_origin(&(agpu__op_name){.what = NULL}); // nobody says
  result.handle = result.pool ? result.pool->handle : stream;
  return result;
}

void agpu__mgpu_end(agpu__mgpu_stream *stream) {
  // As agpu__loan_enqueued has it.
  if (stream->pool)
    atomic_fetch_add_explicit(&stream->pool->position, 1, memory_order_release);
  if (stream->is_null) {
    agpu__mgpu_check(
        stream->device,
        stream->device->driver->cuStreamSynchronize(stream->handle),
        "waiting for work on the null stream");
    agpu__stream_pool_release(stream->pool, NULL);
  }
  agpu__device_leave(stream->device);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

CUstream mgpuStreamCreate(void) {
  const agpu__device *device = agpu__mgpu_enter();
  CUstream stream;
  agpu__mgpu_check_status(agpu__stream_pool_take_handle(device, &stream));
  agpu__device_leave(device);
  return stream;
}

void mgpuStreamDestroy(CUstream stream) {
  // After the runtime's end no stream has that handle.
  agpu__pool_stream *pool = agpu__devices_find_stream(stream);
  if (!(pool && agpu__stream_pool_give_handle(pool, stream)) &&
      agpu__devices_next(NULL))
    agpu__mgpu_check_status(agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "destruction of stream %p, which mgpuStreamCreate has not given or "
        "which is destroyed already",
        (void *)stream));
}

void mgpuStreamSynchronize(CUstream stream) {
  if (!stream)
    return; // its calls have waited
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  agpu__mgpu_check(on.device, on.device->driver->cuStreamSynchronize(stream),
                   "waiting for a stream");
  agpu__device_leave(on.device);
}

void mgpuStreamWaitEvent(CUstream stream, CUevent event) {
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  agpu__mgpu_check(on.device,
                   on.device->driver->cuStreamWaitEvent(on.handle, event, 0),
                   "making a stream wait for an event");
  agpu__mgpu_end(&on);
}

CUevent mgpuEventCreate(void) {
  const agpu__device *device = agpu__mgpu_enter();
  CUevent event;
  agpu__mgpu_check_status(
      agpu__event_take_handle(device, &(agpu__op_name){0}, &event));
  agpu__device_leave(device);
  return event;
}

void mgpuEventDestroy(CUevent event) {
  if (!agpu__devices_give_event(event) && agpu__devices_next(NULL))
    agpu__mgpu_check_status(agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "destruction of event %p, which mgpuEventCreate has not given or "
        "which is destroyed already",
        (void *)event));
}

void mgpuEventSynchronize(CUevent event) {
  const agpu__device *device = agpu__mgpu_enter();
  agpu__mgpu_check(device, device->driver->cuEventSynchronize(event),
                   "waiting for an event");
  agpu__device_leave(device);
}

void mgpuEventRecord(CUevent event, CUstream stream) {
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  agpu__mgpu_check(on.device,
                   on.device->driver->cuEventRecord(event, on.handle),
                   "recording an event");
  agpu__mgpu_end(&on);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *mgpuMemAlloc(uint64_t bytes, CUstream stream, bool host_shared) {
  (void)stream; // any may use it at once
  if (bytes == 0)
    return NULL;
  const agpu__device *device = agpu__mgpu_enter();
  CUdeviceptr pointer = 0;
  agpu__mgpu_check(
      device, agpu__block_alloc(device, NULL, bytes, host_shared, &pointer),
      "allocation of %llu bytes of %s memory", (unsigned long long)bytes,
      host_shared ? "host-shared" : "device");
  agpu__device_leave(device);
  return (void *)(uintptr_t)pointer;
}

void mgpuMemFree(void *pointer, CUstream stream) {
  if (!pointer || !agpu__devices_next(NULL))
    return;
  const agpu__device *owner = agpu__devices_find_block(device_pointer(pointer));
  if (!owner)
    agpu__mgpu_check_status(agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "deallocation of %p, which is not allocated", pointer));
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  agpu__event *event = NULL;
  if (on.pool) {
    // Libraries may have enqueued on the stream what its position does not
    // count; an event from before that must not do.
    atomic_fetch_add_explicit(&on.pool->position, 1, memory_order_release);
    agpu__mgpu_check_status(agpu__event_make(
        on.pool, 0, &(agpu__op_name){.what = "deallocation"}, &event));
    // What is enqueued on the stream next does not ask for events before it.
    agpu__mgpu_check_status(agpu__event_record(event));
  } else {
    agpu__mgpu_check(on.device,
                     on.device->driver->cuStreamSynchronize(on.handle),
                     "waiting for a stream");
  }
  agpu__block_free(owner, device_pointer(pointer), event);
  agpu__mgpu_end(&on);
}

void mgpuMemcpy(void *target, void *source, size_t bytes, CUstream stream) {
  if (bytes == 0)
    return;
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  CUdeviceptr to = device_pointer(target), from = device_pointer(source);
  const agpu__op_name op = {.what = NULL};
  const agpu__copy_side target_side = agpu__copy_side_of(to, bytes);
  const agpu__copy_side source_side = agpu__copy_side_of(from, bytes);
  agpu__copy copy;
  agpu__copy_begin(&copy, on.device, on.pool, on.handle, &target_side,
                   &source_side, bytes, 1, &op);
  agpu__mgpu_check(
      on.device, agpu__copy_end(&copy, agpu__copy_row(&copy, to, from, bytes)),
      "copy of %zu bytes from %p to %p", bytes, source, target);
  agpu__mgpu_end(&on);
}

void mgpuMemset16(void *target, unsigned short value, size_t count,
                  CUstream stream) {
  if (count == 0)
    return;
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  agpu__mgpu_check(on.device,
                   on.device->driver->cuMemsetD16Async(device_pointer(target),
                                                       value, count, on.handle),
                   "fill of %zu elements of 2 bytes at %p", count, target);
  agpu__mgpu_end(&on);
}

void mgpuMemset32(void *target, unsigned int value, size_t count,
                  CUstream stream) {
  if (count == 0)
    return;
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  agpu__mgpu_check(on.device,
                   on.device->driver->cuMemsetD32Async(device_pointer(target),
                                                       value, count, on.handle),
                   "fill of %zu elements of 4 bytes at %p", count, target);
  agpu__mgpu_end(&on);
}

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  if (bytes == 0)
    return;
  const agpu__device *device = agpu__mgpu_enter();
  agpu__mgpu_check_status(
      agpu__host_memory_register(device, pointer, (int64_t)bytes, NULL));
  agpu__device_leave(device);
}

void mgpuMemHostUnregister(void *pointer) {
  if (!agpu__devices_next(NULL))
    return;
  const agpu__device *device = agpu__mgpu_enter();
  agpu__mgpu_check(device, agpu__host_memory_unregister(device, pointer),
                   "unregistering host memory at %p", pointer);
  agpu__device_leave(device);
}

/// The memory of a memref, which must be dense.
static void *get_memory(int64_t rank, const void *descriptor,
                        int64_t element_bytes, int64_t *out_bytes) {
  char *pointer;
  if (!agpu__memref_is_dense(descriptor, rank, element_bytes, &pointer,
                             out_bytes))
    agpu__mgpu_check_status(agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "registering a memref whose elements are not contiguous"));
  return pointer;
}

void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                               int64_t element_bytes) {
  int64_t bytes;
  void *pointer = get_memory(rank, descriptor, element_bytes, &bytes);
  mgpuMemHostRegister(pointer, (uint64_t)bytes);
}

void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t element_bytes) {
  int64_t bytes;
  void *pointer = get_memory(rank, descriptor, element_bytes, &bytes);
  if (bytes)
    mgpuMemHostUnregister(pointer);
}

void mgpuSetDefaultDevice(int32_t ordinal) {
  const agpu__device *device;
  agpu__mgpu_check_status(agpu__devices_get(ordinal, &device));
  agpu__device_leave(device);
  agpu_enter_device(ordinal);
}
