//===- module.c - Modules and functions on the device ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's descriptor caches what it is on each device, so that a launch
// finds it without a lock; a device's set has what was loaded there, under one.
// What a descriptor caches outlives a device, and goes with the module.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernel/module.h"

#include "base/memory/memory.h"
#include "base/sync/mutex.h"
#include "gpu/stream/pool.h"

#include <stdio.h>
#include <string.h>

typedef struct loaded_module {
  LIST_ENTRY(loaded_module) link;
  const agpu_module_desc *desc;
  CUmodule handle;
} loaded_module;

/// Being taken over.
#define CLAIMED UINT64_MAX

struct agpu__module_set {
  // For all loads on the device: they are rare, and drivers serialise them
  // anyway.
  agpu__mutex lock;
  LIST_HEAD(, loaded_module) modules AGPU__GUARDED_BY(lock);
  LIST_HEAD(, agpu__function) functions AGPU__GUARDED_BY(lock);
  // For the largest size of each function so far: a launch does not wait while
  // something else is loaded.
  agpu__mutex shared_bytes_lock;
};

/// The image for the device.
static agpu_status choose_image(const agpu__device *device,
                                const agpu_module_desc *module,
                                const char *location,
                                const agpu_image_desc **out_image) {
  *out_image = agpu__image_choose(
      module, (uint32_t)device->driver->image_format, device->chip);
  if (*out_image)
    return AGPU_OK;
  char images[256], wanted[64];
  agpu__image_list(module, images, sizeof images);
  if (device->driver->image_format == AGPU_IMAGE_PTX)
    (void)snprintf(wanted, sizeof wanted, "PTX for sm_%u or lower",
                   device->chip);
  else
    (void)snprintf(wanted, sizeof wanted, "native code");
  return agpu_status_create(
      AGPU_STATUS_UNSUPPORTED, location,
      "module '%s' has no image for the %s device: it needs %s, and there is "
      "%s",
      module->name, device->driver->name, wanted,
      *images ? images : "no image");
}

/// Kernels of `module` are given memory of the host as it is.
static agpu_status check_unified(const agpu__device *device,
                                 const agpu_module_desc *module,
                                 const char *location) {
  bool reaches = false;
  agpu_status status = agpu__device_reaches_host(device, &reaches);
  return status || reaches
             ? status
             : agpu_status_create(
                   AGPU_STATUS_UNSUPPORTED, location,
                   "module '%s' was compiled with memory=unified, for devices "
                   "that reach all memory of the host, and the %s device %d "
                   "does not: compile it with memory=discrete",
                   module->name, device->driver->name, (int)device->ordinal);
}

static agpu_status load_module(const agpu__device *device,
                               agpu_module_desc *module, const char *location,
                               loaded_module **out_module)
    AGPU__REQUIRES(device->modules->lock) {
  AGPU__ASSERT_HELD(&device->modules->lock);
  if (module->version != AGPU_MODULE_VERSION)
    return agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, location,
        "module '%s' was compiled for version %u of the module format, this "
        "runtime has version %u",
        module->name, module->version, AGPU_MODULE_VERSION);
  const agpu_image_desc *image;
  agpu_status status = choose_image(device, module, location, &image);
  if (status)
    return status;
  const char *data = agpu__image_data(image);
  if (image->format == AGPU_IMAGE_PTX &&
      (image->size == 0 || data[image->size - 1] != '\0'))
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, location,
                              "the PTX of module '%s' does not end in NUL",
                              module->name);

  if (image->flags & AGPU_IMAGE_UNIFIED)
    status = check_unified(device, module, location);
  if (status)
    return status;

  // The compiler in the driver says there what it did not like. Values of
  // options that are numbers travel in the pointers themselves.
  char errors[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {errors, (void *)(uintptr_t)(sizeof errors - 1)};
  CUmodule handle;
  CUresult result =
      device->driver->cuModuleLoadDataEx(&handle, data, 2, options, values);
  if (result) {
    size_t length = strlen(errors);
    while (length && (errors[length - 1] == '\n' || errors[length - 1] == ' '))
      errors[--length] = '\0';
    return agpu__driver_error(device->driver, result, location,
                              *errors ? "loading module '%s' (%s)"
                                      : "loading module '%s'%s",
                              module->name, errors);
  }
  loaded_module *loaded =
      agpu__memory_alloc(sizeof *loaded, _Alignof(loaded_module), "a module");
  *loaded = (loaded_module){.desc = module, .handle = handle};
  LIST_INSERT_HEAD(&device->modules->modules, loaded, link);
  if (image->flags & AGPU_IMAGE_WRITES)
    agpu__stream_pool_note_output(device->streams);
  *out_module = loaded;
  return AGPU_OK;
}

/// Puts `function` in front of what the descriptor caches. Other devices' locks
/// do not keep others from doing the same.
static void cache_function(agpu_kernel_desc *kernel, agpu__function *function) {
  void *first =
      atomic_load_explicit(agpu__function_cache(kernel), memory_order_relaxed);
  do
    function->next_device = first;
  while (!atomic_compare_exchange_weak_explicit(
      agpu__function_cache(kernel), &first, (void *)function,
      memory_order_release, memory_order_relaxed));
}

/// One that no device uses any more, or a new one, in the descriptor's cache.
static agpu__function *claim_function(agpu__shared *shared,
                                      agpu_kernel_desc *kernel) {
  agpu__function *found =
      atomic_load_explicit(agpu__function_cache(kernel), memory_order_acquire);
  for (; found; found = found->next_device) {
    uint64_t none = 0;
    if (atomic_compare_exchange_strong_explicit(&found->opening, &none, CLAIMED,
                                                memory_order_acquire,
                                                memory_order_relaxed))
      return found;
  }
  agpu__function *made =
      agpu__memory_alloc(sizeof *made, _Alignof(agpu__function), "a kernel");
  *made = (agpu__function){.module = kernel->module, .kernel = kernel};
  atomic_init(&made->opening, CLAIMED);
  atomic_init(&made->shared_bytes, 0);
  agpu__lock_acquire(&shared->functions_lock);
  made->next_of_all = shared->functions;
  shared->functions = made;
  agpu__lock_release(&shared->functions_lock);
  cache_function(kernel, made);
  return made;
}

/// What a driver that loads lazily has left to do for the function, which may
/// wait for all work of the context.
static CUresult preload(const agpu__driver *driver, CUfunction function) {
  int registers;
  if (driver->cuFuncLoad)
    return driver->cuFuncLoad(function);
  return driver->cuFuncGetAttribute
             ? driver->cuFuncGetAttribute(&registers,
                                          CU_FUNC_ATTRIBUTE_NUM_REGS, function)
             : CUDA_SUCCESS;
}

static agpu_status load_function(const agpu__device *device,
                                 agpu_kernel_desc *kernel, const char *location,
                                 agpu__function **out_function)
    AGPU__REQUIRES(device->modules->lock) {
  AGPU__ASSERT_HELD(&device->modules->lock);
  loaded_module *module;
  LIST_FOREACH (module, &device->modules->modules, link)
    if (module->desc == kernel->module)
      break;
  if (!module) {
    agpu_status status = load_module(device, kernel->module, location, &module);
    if (status)
      return status;
  }
  CUfunction handle;
  CUresult result = device->driver->cuModuleGetFunction(&handle, module->handle,
                                                        kernel->name);
  if (!result)
    result = preload(device->driver, handle);
  if (result)
    return agpu__driver_error(device->driver, result, location,
                              "loading kernel '%s' in module '%s'",
                              kernel->name, kernel->module->name);
  agpu__function *loaded = claim_function(device->shared, kernel);
  loaded->handle = handle;
  atomic_store_explicit(&loaded->shared_bytes, 0, memory_order_relaxed);
  atomic_store_explicit(&loaded->opening, device->opening,
                        memory_order_release);
  LIST_INSERT_HEAD(&device->modules->functions, loaded, link);
  *out_function = loaded;
  return AGPU_OK;
}

/// Asks for dynamic shared memory. What is there without asking is 48 KiB less
/// what the kernel has of a fixed size, which only the driver knows.
static agpu_status allow_shared_bytes(const agpu__device *device,
                                      agpu__function *function,
                                      const agpu_kernel_desc *kernel,
                                      unsigned bytes, const char *location) {
  agpu_status status = AGPU_OK;
  agpu__mutex_lock(&device->modules->shared_bytes_lock);
  if (bytes >
      atomic_load_explicit(&function->shared_bytes, memory_order_relaxed)) {
    CUresult result = device->driver->cuFuncSetAttribute(
        function->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        (int)bytes);
    if (result)
      status = agpu__driver_error(
          device->driver, result, location,
          "asking for %u bytes of shared memory for kernel '%s'", bytes,
          kernel->name);
    else
      atomic_store_explicit(&function->shared_bytes, bytes,
                            memory_order_release);
  }
  agpu__mutex_unlock(&device->modules->shared_bytes_lock);
  return status;
}

/// Loads all kernels of the program that `module` is of, before the first of
/// them is launched: later ones may wait for that launch. Those that have no
/// image for the device are left to their launches.
static agpu_status load_program(const agpu__device *device,
                                const agpu_module_desc *module,
                                const char *location)
    AGPU__REQUIRES(device->modules->lock) {
  AGPU__ASSERT_HELD(&device->modules->lock);
  const agpu_program_desc *program = module->program ? module->program() : NULL;
  agpu_status status = AGPU_OK;
  for (uint64_t i = 0; program && !status && i < program->kernel_count; ++i) {
    agpu_kernel_desc *kernel = program->kernels[i];
    agpu__function *function;
    if (agpu__image_choose(kernel->module,
                           (uint32_t)device->driver->image_format,
                           device->chip) &&
        !agpu__function_find(device, kernel))
      status = load_function(device, kernel, location, &function);
  }
  return status;
}

const agpu_kernel_desc *agpu__module_find_kernel(const agpu__device *device,
                                                 CUfunction function) {
  agpu__mutex_lock(&device->modules->lock);
  const agpu__function *found;
  LIST_FOREACH (found, &device->modules->functions, link)
    if (found->handle == function)
      break;
  const agpu_kernel_desc *kernel = found ? found->kernel : NULL;
  agpu__mutex_unlock(&device->modules->lock);
  return kernel;
}

agpu_status agpu__module_get_function(const agpu__device *device,
                                      agpu_kernel_desc *kernel,
                                      unsigned shared_bytes,
                                      const char *location,
                                      CUfunction *out_function) {
  agpu__function *function = agpu__function_find(device, kernel);
  agpu_status status = AGPU_OK;
  if (!function) {
    agpu__mutex_lock(&device->modules->lock);
    function = agpu__function_find(device, kernel);
    if (!function)
      status = load_function(device, kernel, location, &function);
    if (!status)
      status = load_program(device, kernel->module, location);
    agpu__mutex_unlock(&device->modules->lock);
  }
  if (!status && shared_bytes > atomic_load_explicit(&function->shared_bytes,
                                                     memory_order_acquire))
    status =
        allow_shared_bytes(device, function, kernel, shared_bytes, location);
  if (!status)
    *out_function = function->handle;
  return status;
}

void agpu__module_set_release(const agpu__device *device,
                              const agpu_module_desc *module) {
  agpu__module_set *set = device->modules;
  agpu__mutex_lock(&set->lock);
  for (agpu__function *of = LIST_FIRST(&set->functions), *next; of; of = next) {
    next = LIST_NEXT(of, link);
    if (of->module == module)
      LIST_REMOVE(of, link);
  }
  loaded_module *found;
  LIST_FOREACH (found, &set->modules, link)
    if (found->desc == module)
      break;
  // Until it is unloaded, too: who closes the gate unloads what is in the list.
  bool is_taken = found && agpu__driver_gate_enter();
  if (is_taken)
    LIST_REMOVE(found, link);
  agpu__mutex_unlock(&set->lock);
  if (!is_taken)
    return;
  // Without the lock, as it may wait for what the device does. There is no
  // caller left to report an error to.
  if (device->driver->cuModuleUnload(found->handle) ==
      CUDA_ERROR_DEINITIALIZED) {
    agpu__mutex_lock(&set->lock);
    LIST_INSERT_HEAD(&set->modules, found, link);
    agpu__mutex_unlock(&set->lock);
  } else {
    agpu__memory_free(found);
  }
  agpu__driver_gate_leave();
}

void agpu__module_forget(agpu__shared *shared, const agpu_module_desc *module) {
  agpu__lock_acquire(&shared->functions_lock);
  for (agpu__function **link = &shared->functions; *link;) {
    agpu__function *function = *link;
    if (function->module == module) {
      *link = function->next_of_all;
      agpu__memory_free(function);
    } else {
      link = &function->next_of_all;
    }
  }
  agpu__lock_release(&shared->functions_lock);
}

agpu__module_set *agpu__module_set_create(void) {
  agpu__module_set *set = agpu__memory_alloc(
      sizeof *set, _Alignof(agpu__module_set), "a set of modules");
  agpu__mutex_init(&set->lock, AGPU__RANK_MODULES);
  agpu__mutex_init(&set->shared_bytes_lock, AGPU__RANK_SHARED_BYTES);
  LIST_INIT(&set->modules);
  LIST_INIT(&set->functions);
  return set;
}

void agpu__module_set_abandon(agpu__module_set *set,
                              const agpu__device *device) {
  agpu__mutex_lock(&set->lock);
  const loaded_module *of;
  LIST_FOREACH (of, &set->modules, link)
    (void)device->driver->cuModuleUnload(of->handle);
  agpu__mutex_unlock(&set->lock);
}

AGPU__UNCHECKED_LOCKS // it is the only thread
    void agpu__module_set_destroy(agpu__module_set *set,
                                  const agpu__device *device) {
  agpu__module_set_abandon(set, device);
  // Another device may take one over at once.
  while (!LIST_EMPTY(&set->functions)) {
    agpu__function *function = LIST_FIRST(&set->functions);
    LIST_REMOVE(function, link);
    atomic_store_explicit(&function->opening, 0, memory_order_release);
  }
  while (!LIST_EMPTY(&set->modules)) {
    loaded_module *module = LIST_FIRST(&set->modules);
    LIST_REMOVE(module, link);
    agpu__memory_free(module);
  }
  agpu__mutex_destroy(&set->shared_bytes_lock);
  agpu__mutex_destroy(&set->lock);
  agpu__memory_free(set);
}
