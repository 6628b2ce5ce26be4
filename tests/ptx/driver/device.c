//===- device.c - Devices and what they are ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/state.h"

#include <stdio.h>

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = ptx_get_settings()->driver_version;
  return CUDA_SUCCESS;
}

bool ptx_is_device(int device) {
  return device >= 0 && device < ptx_get_settings()->devices;
}

CUresult cuDeviceGetCount(int *count) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = ptx_get_settings()->devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, (size_t)length, "PTX interpreter");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  enum { MAX_SHARED_OPTIN = 97 };
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  const ptx_settings *settings = ptx_get_settings();
  const struct {
    int attribute, value;
  } values[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, PTX_WARP_SIZE},
      {CU_DEVICE_ATTRIBUTE_MAX_PITCH, PTX_MAX_PITCH},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
       (int)settings->options.multiprocessors},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device + 1},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
       (int)settings->options.capability / 10},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
       (int)settings->options.capability % 10},
      {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
      {MAX_SHARED_OPTIN, 232448},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, settings->has_pools},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    if (values[i].attribute == (int)attribute) {
      *value = values[i].value;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
