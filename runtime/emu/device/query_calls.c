//===- query_calls.c - What programs ask for ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that say something of devices, streams, events, modules and kernels,
// and others in few lines, which async-gpu's runtime does not make.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"
#include "emu/device/module.h"
#include "emu/device/stream.h"
#include "emu/memory/capacity.h"

#include <stdio.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CUresult agpu__emu_cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = agpu__emu_capacity_total();
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDeviceComputeCapability(int *major, int *minor,
                                             CUdevice device) {
  CUresult result = agpu__emu_cuDeviceGetAttribute(
      major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return result
             ? result
             : agpu__emu_cuDeviceGetAttribute(
                   minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult agpu__emu_cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  *uuid = (CUuuid){"async-gpu emu"};
  uuid->bytes[15] = (char)device;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return agpu__emu_cuDeviceGetUuid(uuid, device);
}

CUresult agpu__emu_cuDeviceGetPCIBusId(char *name, int length,
                                       CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  // "large enough to store 13 characters including the NULL-terminator"
  if (!name || length < 13)
    return CUDA_ERROR_INVALID_VALUE;
  (void)snprintf(name, (size_t)length, "0000:00:%02x.0", (unsigned)device);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

CUresult agpu__emu_cuStreamGetPriority(CUstream stream, int *priority) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (!priority)
    return CUDA_ERROR_INVALID_VALUE;
  *priority = agpu__emu_stream_priority(stream);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuStreamGetFlags(CUstream stream, unsigned int *flags) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = agpu__emu_stream_is_blocking(stream) ? 0 : CU_STREAM_NON_BLOCKING;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuStreamGetCtx(CUstream stream, CUcontext *context) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  CUcontext found = agpu__emu_stream_context(stream);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = found;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuEventRecordWithFlags(CUevent event, CUstream stream,
                                          unsigned int flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE
               : agpu__emu_cuEventRecord(event, stream);
}

CUresult agpu__emu_cuEventElapsedTime_v2(float *milliseconds, CUevent start,
                                         CUevent end) {
  return agpu__emu_cuEventElapsedTime(milliseconds, start, end);
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

CUresult agpu__emu_cuModuleLoadData(CUmodule *module, const void *image) {
  return agpu__emu_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult agpu__emu_cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes,
                                        CUmodule module, const char *name) {
  (void)pointer;
  (void)bytes;
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  // Native images name kernels alone.
  return agpu__emu_is_module(module) ? CUDA_ERROR_NOT_FOUND
                                     : CUDA_ERROR_INVALID_HANDLE;
}

CUresult agpu__emu_cuModuleGetLoadingMode(int *mode) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  // CU_MODULE_LAZY_LOADING, CU_MODULE_EAGER_LOADING
  *mode = agpu__emu_get_settings()->lazy_loading ? 2 : 1;
  return CUDA_SUCCESS;
}

/// The function that a call is about.
static CUresult enter_function(CUfunction handle,
                               const agpu__emu_function **out) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  *out = agpu__emu_function_find(handle);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult agpu__emu_cuFuncSetCacheConfig(CUfunction handle, int config) {
  const agpu__emu_function *function;
  CUresult result = enter_function(handle, &function);
  // "This is only a preference."
  return result                     ? result
         : config < 0 || config > 3 ? CUDA_ERROR_INVALID_VALUE
                                    : CUDA_SUCCESS;
}

CUresult agpu__emu_cuFuncGetName(const char **name, CUfunction handle) {
  const agpu__emu_function *function;
  CUresult result = enter_function(handle, &function);
  if (result)
    return result;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = function->kernel->name;
  return CUDA_SUCCESS;
}

/// Whether a block is one that a launch takes.
static bool fits(const agpu__emu_function *function, int threads,
                 size_t shared_bytes) {
  size_t most = agpu__emu_function_most_dynamic(function);
  return threads > 0 && (unsigned)threads <= AGPU__EMU_MAX_THREADS_PER_BLOCK &&
         shared_bytes <= most;
}

CUresult agpu__emu_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction handle, int threads, size_t shared_bytes,
    unsigned int flags) {
  const agpu__emu_function *function;
  CUresult result = enter_function(handle, &function);
  if (result)
    return result;
  if (!blocks || threads <= 0 || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = fits(function, threads, shared_bytes); // one at a time
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, CUfunction function, int threads, size_t shared_bytes) {
  return agpu__emu_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, shared_bytes, 0);
}

CUresult agpu__emu_cuOccupancyMaxPotentialBlockSize(
    int *grid, int *block, CUfunction handle,
    CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes, int limit) {
  const agpu__emu_function *function;
  CUresult result = enter_function(handle, &function);
  if (result)
    return result;
  if (!grid || !block || limit < 0)
    return CUDA_ERROR_INVALID_VALUE;
  int most = AGPU__EMU_MAX_THREADS_PER_BLOCK;
  int size = limit && limit < most ? limit : most;
  while (size > 0 &&
         !fits(function, size,
               shared_bytes_of ? shared_bytes_of(size) : shared_bytes))
    size -= size > 32 ? (size - 1) % 32 + 1 : size;
  *block = size;
  *grid = size ? (int)agpu__emu_get_settings()->threads : 0;
  return CUDA_SUCCESS;
}
