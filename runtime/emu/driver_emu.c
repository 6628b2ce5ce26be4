//===- driver_emu.c - The driver table of the emulated device -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/emu.h"

agpu_status agpu__driver_load_emu(agpu__driver *out_driver) {
  agpu_status status = agpu__emu_settings_load();
  if (status)
    return status;
  *out_driver = (agpu__driver){
      .name = "emu",
      .image_format = AGPU_IMAGE_NATIVE,
      .checks_memory = agpu__emu_get_settings()->check_memory,
      .checks_races = agpu__emu_get_settings()->check_races,
      .cuInit = agpu__emu_init,
      .cuDriverGetVersion = agpu__emu_driver_get_version,
      .cuGetErrorName = agpu__emu_get_error_name,
      .cuGetErrorString = agpu__emu_get_error_string,
      .cuDeviceGetCount = agpu__emu_device_get_count,
      .cuDeviceGet = agpu__emu_device_get,
      .cuDeviceGetName = agpu__emu_device_get_name,
      .cuDeviceGetAttribute = agpu__emu_device_get_attribute,
      .cuDevicePrimaryCtxRetain = agpu__emu_primary_ctx_retain,
      .cuDevicePrimaryCtxRelease = agpu__emu_primary_ctx_release,
      .cuCtxSetCurrent = agpu__emu_ctx_set_current,
      .cuDeviceCanAccessPeer = agpu__emu_device_can_access_peer,
      .cuCtxEnablePeerAccess = agpu__emu_ctx_enable_peer_access,
      .cuDeviceGetDefaultMemPool = agpu__emu_device_get_default_mem_pool,
      .cuMemPoolSetAccess = agpu__emu_mem_pool_set_access,
      .cuPointerGetAttribute = agpu__emu_pointer_get_attribute,
      .cuModuleLoadDataEx = agpu__emu_module_load,
      .cuModuleUnload = agpu__emu_module_unload,
      .cuModuleGetFunction = agpu__emu_module_get_function,
      .cuFuncSetAttribute = agpu__emu_func_set_attribute,
      .cuLaunchKernel = agpu__emu_launch_kernel,
      .cuLaunchKernelEx = agpu__emu_launch_kernel_ex,
      .cuLaunchHostFunc = agpu__emu_launch_host_func,
      .cuStreamCreate = agpu__emu_stream_create,
      .cuStreamDestroy = agpu__emu_stream_destroy,
      .cuStreamQuery = agpu__emu_stream_query,
      .cuStreamSynchronize = agpu__emu_stream_synchronize,
      .cuStreamWaitEvent = agpu__emu_stream_wait_event,
      .cuStreamWriteValue32 = agpu__emu_stream_write_value,
      .cuEventCreate = agpu__emu_event_create,
      .cuEventDestroy = agpu__emu_event_destroy,
      .cuEventRecord = agpu__emu_event_record,
      .cuEventQuery = agpu__emu_event_query,
      .cuEventSynchronize = agpu__emu_event_synchronize,
      .cuMemGetInfo = agpu__emu_mem_get_info,
      .cuMemAlloc = agpu__emu_mem_alloc,
      .cuMemFree = agpu__emu_mem_free,
      .cuMemAllocManaged = agpu__emu_mem_alloc_managed,
      .cuMemAllocAsync = agpu__emu_mem_alloc_async,
      .cuMemFreeAsync = agpu__emu_mem_free_async,
      .cuMemcpyAsync = agpu__emu_memcpy_async,
      .cuMemsetD8Async = agpu__emu_memset_d8,
      .cuMemsetD16Async = agpu__emu_memset_d16,
      .cuMemsetD32Async = agpu__emu_memset_d32,
      .cuMemsetD2D32Async = agpu__emu_memset_2d_d32,
      .cuMemHostAlloc = agpu__emu_mem_host_alloc,
      .cuMemFreeHost = agpu__emu_mem_free_host,
      .cuMemHostRegister = agpu__emu_mem_host_register,
      .cuMemHostUnregister = agpu__emu_mem_host_unregister,
  };
  if (agpu__emu_get_settings()->fault.call)
    agpu__emu_load_faults(out_driver);
  return AGPU_OK;
}
