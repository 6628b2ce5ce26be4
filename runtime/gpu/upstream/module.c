//===- module.c - Upstream's GPU ABI: modules and launches ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's programs look a function up before each launch. The driver is
// asked once.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernel/module.h"
#include "base/memory/memory.h"
#include "gpu/device/devices.h"
#include "gpu/kernel/geometry.h"
#include "gpu/upstream/mgpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct function {
  struct function *next;
  CUfunction handle;
  unsigned shared_bytes; // allowed so far
  char name[];
} function;

typedef struct module {
  struct module *next;
  CUmodule handle;
  function *functions;
} module;

struct agpu__mgpu_modules {
  pthread_mutex_t lock; // guards what follows
  module *first;
};

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
    agpu__module_set_note_writes(device->modules);
  module *loaded =
      agpu__memory_alloc(sizeof *loaded, _Alignof(module), "a module");
  *loaded = (module){.handle = handle};
  agpu__mgpu_modules *modules = device->mgpu_modules;
  pthread_mutex_lock(&modules->lock);
  loaded->next = modules->first;
  modules->first = loaded;
  pthread_mutex_unlock(&modules->lock);
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

static void free_module(module *old) {
  while (old->functions) {
    function *next = old->functions->next;
    agpu__memory_free(old->functions);
    old->functions = next;
  }
  agpu__memory_free(old);
}

/// The open device that `handle` is a module of; NULL: there is none.
static const agpu__device *find_device(CUmodule handle) {
  const agpu__device *device = agpu__devices_next(NULL);
  for (; device; device = agpu__devices_next(device)) {
    agpu__mgpu_modules *modules = device->mgpu_modules;
    pthread_mutex_lock(&modules->lock);
    const module *found = modules->first;
    while (found && found->handle != handle)
      found = found->next;
    pthread_mutex_unlock(&modules->lock);
    if (found)
      break;
  }
  return device;
}

void mgpuModuleUnload(CUmodule handle) {
  const agpu__device *device = find_device(handle);
  if (!device)
    return; // the runtime's end has unloaded it
  agpu__mgpu_modules *modules = device->mgpu_modules;
  agpu__device_enter(device);
  pthread_mutex_lock(&modules->lock);
  module **link = &modules->first;
  while (*link && (*link)->handle != handle)
    link = &(*link)->next;
  module *found = *link;
  if (found)
    *link = found->next;
  pthread_mutex_unlock(&modules->lock);
  if (!found)
    return; // another thread was faster
  free_module(found);
  agpu__mgpu_check(device, device->driver->cuModuleUnload(handle),
                   "unloading a module");
}

agpu__mgpu_modules *agpu__mgpu_modules_create(void) {
  agpu__mgpu_modules *modules = agpu__memory_alloc(
      sizeof *modules, _Alignof(agpu__mgpu_modules), "a set of modules");
  *modules = (agpu__mgpu_modules){.first = NULL};
  pthread_mutex_init(&modules->lock, NULL);
  return modules;
}

void agpu__mgpu_modules_abandon(agpu__mgpu_modules *modules,
                                const agpu__device *device) {
  pthread_mutex_lock(&modules->lock);
  for (const module *of = modules->first; of; of = of->next)
    (void)device->driver->cuModuleUnload(of->handle);
  pthread_mutex_unlock(&modules->lock);
}

void agpu__mgpu_modules_destroy(agpu__mgpu_modules *modules,
                                const agpu__device *device) {
  agpu__mgpu_modules_abandon(modules, device);
  while (modules->first) {
    module *next = modules->first->next;
    free_module(modules->first);
    modules->first = next;
  }
  pthread_mutex_destroy(&modules->lock);
  agpu__memory_free(modules);
}

/// Under the lock: the function of that name, or NULL.
static function *find_by_name(module *in, const char *name) {
  function *found = in ? in->functions : NULL;
  while (found && strcmp(found->name, name) != 0)
    found = found->next;
  return found;
}

CUfunction mgpuModuleGetFunction(CUmodule handle, const char *name) {
  const agpu__device *device = find_device(handle);
  if (device)
    agpu__device_enter(device);
  else
    device = agpu__mgpu_enter(); // a module that the caller has loaded
  agpu__mgpu_modules *modules = device->mgpu_modules;
  CUfunction result = NULL;
  CUresult error = CUDA_SUCCESS;
  pthread_mutex_lock(&modules->lock);
  module *in = modules->first;
  while (in && in->handle != handle)
    in = in->next;
  const function *known = find_by_name(in, name);
  if (known) {
    result = known->handle;
  } else {
    error = device->driver->cuModuleGetFunction(&result, handle, name);
    if (!error && in) {
      size_t length = strlen(name) + 1;
      function *added = agpu__memory_alloc((int64_t)(sizeof *added + length),
                                           _Alignof(function), "a kernel");
      *added = (function){.next = in->functions,
                          .handle = result,
                          .shared_bytes = AGPU__DEFAULT_SHARED_BYTES};
      memcpy(added->name, name, length);
      in->functions = added;
    }
  }
  pthread_mutex_unlock(&modules->lock);
  agpu__mgpu_check(device, error, "looking for kernel '%s'", name);
  return result;
}

/// Under the lock: what is known of a function, or NULL.
static function *find_by_handle(agpu__mgpu_modules *modules,
                                CUfunction handle) {
  for (module *in = modules->first; in; in = in->next)
    for (function *of = in->functions; of; of = of->next)
      if (of->handle == handle)
        return of;
  return NULL;
}

/// Asks for more dynamic shared memory than is there by default.
static void allow_shared_bytes(const agpu__device *device, CUfunction handle,
                               unsigned bytes) {
  agpu__mgpu_modules *modules = device->mgpu_modules;
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&modules->lock);
  function *of = find_by_handle(modules, handle);
  if (!of || bytes > of->shared_bytes) {
    result = device->driver->cuFuncSetAttribute(
        handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (!result && of)
      of->shared_bytes = bytes;
  }
  pthread_mutex_unlock(&modules->lock);
  agpu__mgpu_check(device, result, "asking for %u bytes of shared memory",
                   bytes);
}

static void launch(CUfunction kernel, const agpu__geometry *geometry,
                   CUstream stream, void **params, void **extra) {
  bool possible = agpu__geometry_fits(geometry);
  if (possible && agpu__geometry_is_empty(geometry))
    return;
  agpu__mgpu_stream on = agpu__mgpu_begin(stream);
  if (possible && geometry->shared_bytes > AGPU__DEFAULT_SHARED_BYTES)
    allow_shared_bytes(on.device, kernel, (unsigned)geometry->shared_bytes);
  CUresult result =
      possible ? agpu__geometry_launch(geometry, on.device->driver, kernel,
                                       on.handle, params, extra)
               : CUDA_ERROR_INVALID_VALUE;
  if (result) {
    // The lock is not held where the process ends.
    agpu__mgpu_modules *modules = on.device->mgpu_modules;
    char name[256] = "?";
    pthread_mutex_lock(&modules->lock);
    const function *of = find_by_handle(modules, kernel);
    if (of)
      (void)snprintf(name, sizeof name, "%s", of->name);
    pthread_mutex_unlock(&modules->lock);
    agpu__mgpu_check(on.device, result, "launch of kernel '%s' with %s", name,
                     agpu__geometry_print(geometry).text);
  }
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
