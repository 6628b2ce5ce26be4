//===- module.c - Upstream's GPU ABI: modules and launches ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules are known by the driver's handles; what is known of them is in
// kernel/raw_module.c.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernel/module.h"
#include "gpu/kernel/geometry.h"
#include "gpu/kernel/raw_module.h"
#include "gpu/process/devices.h"
#include "gpu/upstream/mgpu.h"

#include <string.h>

/// What an image is, for an error.
static const char *describe(const void *data) {
  if (memcmp(data, "\177ELF", 4) == 0)
    return "a cubin";
  if (memcmp(data, "\x50\xed\x55\xba", 4) == 0 ||
      memcmp(data, "\xb1\x43\x62\x46", 4) == 0)
    return "a fat binary";
  if (memcmp(data, "//", 2) == 0 || memcmp(data, ".ver", 4) == 0 ||
      *(const char *)data == '\n')
    return "PTX";
  return "of an unknown format";
}

static CUmodule load(const void *data, int opt_level) {
  const agpu__device *device = agpu__mgpu_enter();
  char errors[2048] = "";
  // Values of options that are numbers travel in the pointers themselves.
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_OPTIMIZATION_LEVEL};
  void *values[] = {errors, (void *)(uintptr_t)(sizeof errors - 1),
                    (void *)(intptr_t)opt_level};
  CUmodule handle = NULL;
  CUresult result = device->driver->cuModuleLoadDataEx(
      &handle, data, opt_level < 0 ? 2 : 3, options, values);
  if (result == CUDA_ERROR_INVALID_IMAGE &&
      device->driver->image_format == AGPU_IMAGE_NATIVE)
    agpu__mgpu_check_status(agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, NULL,
        "loading a module: its image is %s, and the emulated device runs "
        "native images only; lower the program with async-gpu-opt, or run it "
        "on a CUDA device",
        describe(data)));
  agpu__mgpu_check(device, result,
                   *errors ? "loading a module (%s)" : "loading a module%s",
                   errors);
  // Of other formats it cannot be told how much there is to look at.
  if (strcmp(describe(data), "PTX") == 0 && strstr(data, "vprintf"))
    agpu__stream_pool_note_output(device->streams);
  agpu__raw_modules_add(device->raw_modules, handle);
  agpu__device_leave(device);
  return handle;
}

CUmodule mgpuModuleLoad(void *data, size_t size) {
  (void)size;
  return load(data, -1);
}

// Upstream from 23 on passes the size as a third argument. It goes in a
// register, which this does not look at: PTX ends with a zero in both.
CUmodule mgpuModuleLoadJIT(void *data, int opt_level) {
  return load(data, opt_level < 0 ? 0 : opt_level > 4 ? 4 : opt_level);
}

void mgpuModuleUnload(CUmodule handle) {
  const agpu__device *device = agpu__devices_find_module(handle);
  // The runtime's end has unloaded it, or another thread was faster.
  if (!device || !agpu__raw_modules_remove(device->raw_modules, handle))
    return;
  agpu__device_enter(device);
  agpu__mgpu_check(device, device->driver->cuModuleUnload(handle),
                   "unloading a module");
  agpu__device_leave(device);
}

CUfunction mgpuModuleGetFunction(CUmodule handle, const char *name) {
  const agpu__device *device = agpu__devices_find_module(handle);
  if (device)
    agpu__device_enter(device);
  else
    device = agpu__mgpu_enter(); // a module that the caller has loaded
  CUfunction function = NULL;
  agpu__mgpu_check(
      device, agpu__raw_modules_get_function(device, handle, name, &function),
      "looking for kernel '%s'", name);
  agpu__device_leave(device);
  return function;
}

static void launch(CUfunction kernel, const agpu__geometry *geometry,
                   CUstream stream, void **params, void **extra) {
  bool possible = agpu__geometry_fits(geometry);
  if (possible && agpu__geometry_is_empty(geometry))
    return;
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  if (possible && geometry->shared_bytes)
    agpu__mgpu_check(on.device,
                     agpu__raw_modules_allow_shared_bytes(
                         on.device, kernel, (unsigned)geometry->shared_bytes),
                     "asking for %u bytes of shared memory",
                     (unsigned)geometry->shared_bytes);
  CUresult result =
      possible ? agpu__geometry_launch(geometry, on.device->driver, kernel,
                                       on.handle, params, extra)
               : CUDA_ERROR_INVALID_VALUE;
  if (result)
    agpu__mgpu_check(
        on.device, result, "launch of kernel '%s' with %s",
        agpu__raw_modules_print(on.device->raw_modules, kernel).text,
        agpu__geometry_print(geometry).text);
  agpu__mgpu_end(&on);
}

void mgpuLaunchKernel(CUfunction kernel, intptr_t grid_x, intptr_t grid_y,
                      intptr_t grid_z, intptr_t block_x, intptr_t block_y,
                      intptr_t block_z, int32_t shared_bytes, CUstream stream,
                      void **params, void **extra, size_t param_count) {
  (void)param_count; // of use to other vendors' drivers
  launch(kernel,
         &(agpu__geometry){.cluster = {1, 1, 1},
                           .grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .shared_bytes = shared_bytes},
         stream, params, extra);
}

void mgpuLaunchClusterKernel(CUfunction kernel, intptr_t cluster_x,
                             intptr_t cluster_y, intptr_t cluster_z,
                             intptr_t grid_x, intptr_t grid_y, intptr_t grid_z,
                             intptr_t block_x, intptr_t block_y,
                             intptr_t block_z, int32_t shared_bytes,
                             CUstream stream, void **params, void **extra,
                             size_t param_count) {
  (void)param_count;
  launch(kernel,
         &(agpu__geometry){.cluster = {cluster_x, cluster_y, cluster_z},
                           .grid = {grid_x, grid_y, grid_z},
                           .block = {block_x, block_y, block_z},
                           .shared_bytes = shared_bytes},
         stream, params, extra);
}
