//===- device.c - Devices, and the beginning and end of their contexts ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device says of itself. With a context all goes that programs have left
// in it, with the last one what is no context's.
//
//===----------------------------------------------------------------------===//

#include "base/report/log.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/hooks.h"
#include "emu/base/settings.h"
#include "emu/device/capture.h"
#include "emu/device/context_end.h"
#include "emu/device/event.h"
#include "emu/device/graph.h"
#include "emu/device/limits.h"
#include "emu/device/module.h"
#include "emu/device/stream.h"
#include "emu/memory/allocation.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/peers.h"
#include "emu/simt/launch.h"
#include "emu/simt/output.h"
#include "emu/simt/watch.h"

#include <stdio.h>

// What the emulated driver implements of the API, as CUDA 12.0 numbers it.
#define API_VERSION 12000

CUresult agpu__emu_cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = API_VERSION;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDeviceGetCount(int *count) {
  CUresult result = agpu__emu_enter_device(0);
  if (result)
    return result;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = (int)agpu__emu_get_settings()->devices;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDeviceGet(CUdevice *device, int ordinal) {
  CUresult result = agpu__emu_enter_device(ordinal);
  if (result)
    return result;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDeviceGetName(char *name, int length, CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  (void)snprintf(name, (size_t)length, "async-gpu emulated device");
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDeviceGetAttribute(int *value,
                                        CUdevice_attribute attribute,
                                        CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch ((int)attribute) {
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
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
    *value = AGPU__EMU_MAX_PITCH;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = agpu__emu_hooks_table.multiprocessors
                 ? agpu__emu_hooks_table.multiprocessors
                 : (int)agpu__emu_get_settings()->threads;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0; // runs no PTX of any
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    *value = AGPU__EMU_MAX_THREADS_PER_BLOCK; // a block at a time
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: *value = 512; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: *value = device; return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
  case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
  case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: *value = 1; return CUDA_SUCCESS;
  // Its memory is the host's: "device is integrated with host memory". Memory
  // that the host may only read has to be registered as such all the same, so
  // that it does not say that it uses the host's page tables.
  case CU_DEVICE_ATTRIBUTE_INTEGRATED:
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    *value = agpu__emu_is_unified();
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    *value = !agpu__emu_get_settings()->exclusive_managed;
    return CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    *value = agpu__emu_get_settings()->memory_pools;
    return CUDA_SUCCESS;
  default: // what it does not have, or is not known
    *value = 0;
    return attribute >= CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
                   attribute <= CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult agpu__emu_cuDevicePrimaryCtxRetain(CUcontext *context,
                                            CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = agpu__emu_device_context(device);
  agpu__emu_context_retain(*context);
  return CUDA_SUCCESS;
}

/// Says what the end of the context destroys that its program has not.
static void log_left(CUcontext context) {
  agpu__emu_counts *counts = agpu__emu_get_counts(context);
  int streams = atomic_exchange(&counts->streams, 0);
  int events = atomic_exchange(&counts->events, 0);
  int modules = atomic_exchange(&counts->modules, 0);
  int graphs = atomic_exchange(&counts->graphs, 0);
  int execs = atomic_exchange(&counts->execs, 0);
  if (streams || events || modules || graphs || execs)
    agpu__log(AGPU__LOG_DEVICE,
              "emu: device %d is left with %d streams, %d events, %d modules, "
              "%d graphs, %d executable graphs",
              agpu__emu_context_device(context), streams, events, modules,
              graphs, execs);
}

/// As a driver does: work in flight ends, then all that is left goes.
void agpu__emu_end_context(CUcontext context, bool is_last) {
  agpu__emu_captures_end(context);
  agpu__emu_execs_end(context);
  agpu__emu_streams_end(context, is_last);
  if (is_last) {
    agpu__emu_launch_reset();
    agpu__emu_watch_reset();
  }
  agpu__emu_events_end(context);
  agpu__emu_graphs_end(context);
  agpu__emu_modules_end(context);
  AGPU__EMU_TELL(ending, (context));
  agpu__emu_memory_end(context);
  if (is_last) {
    agpu__emu_memory_reset();
    agpu__emu_host_memory_reset();
  }
  agpu__emu_peers_end(context, is_last);
  if (is_last)
    AGPU__EMU_TELL(ended, ());
  agpu__emu_print_end(context);
  agpu__emu_limits_end(context);
  log_left(context);
}

CUresult agpu__emu_cuDevicePrimaryCtxRelease(CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  return result ? result
                : agpu__emu_context_release(agpu__emu_device_context(device),
                                            agpu__emu_end_context);
}
