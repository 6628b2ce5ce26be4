//===- module.h - Modules and functions on the device -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All kernels of a program are loaded with the first launch of one of them on a
// device; a kernel's descriptor remembers its functions. Descriptors
// are known by their addresses, until the program releases them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_KERNEL_MODULE_H
#define ASYNC_GPU_RUNTIME_GPU_KERNEL_MODULE_H

#include "gpu/device/device.h"

#include <sys/queue.h>

typedef struct agpu__module_set agpu__module_set;

/// What a kernel's descriptor caches: the functions that it is on devices, one
/// after the other. They stay there when a device is closed, since the program
/// with the descriptor may be gone by then, and serve the next that is opened.
/// They go with the module.
typedef struct agpu__function {
  struct agpu__function *next_device;
  struct agpu__function *next_of_all; // in `shared`
  LIST_ENTRY(agpu__function) link;    // in the set; of those with a device
  const agpu_module_desc *module;
  const agpu_kernel_desc *kernel;
  // The device's `opening`; 0: of none. Release and acquire, with `handle`.
  _Atomic(uint64_t) opening;
  CUfunction handle;
  atomic_uint shared_bytes; // allowed so far
} agpu__function;

/// The program's field is plain C. Release and acquire make what it points to
/// visible to threads that did not load it.
static inline _Atomic(void *) *agpu__function_cache(agpu_kernel_desc *kernel) {
  return (_Atomic(void *) *)&kernel->cache;
}

/// The function that `kernel` is on the device; NULL: not loaded there. Any
/// thread.
static inline agpu__function *agpu__function_find(const agpu__device *device,
                                                  agpu_kernel_desc *kernel) {
  agpu__function *found =
      atomic_load_explicit(agpu__function_cache(kernel), memory_order_acquire);
  while (found && atomic_load_explicit(&found->opening, memory_order_acquire) !=
                      device->opening)
    found = found->next_device;
  return found;
}

/// The function of `kernel` on the device, loading its module when it is not
/// loaded. Its launches may use `shared_bytes` of dynamic shared memory. Any
/// thread; the device has been entered. Errors have `location`.
agpu_status agpu__module_get_function(const agpu__device *device,
                                      agpu_kernel_desc *kernel,
                                      unsigned shared_bytes,
                                      const char *location,
                                      CUfunction *out_function);

/// The same where it is loaded and launches may use so many bytes; else NULL.
static inline CUfunction agpu__module_find_function(const agpu__device *device,
                                                    agpu_kernel_desc *kernel,
                                                    uint64_t shared_bytes) {
  const agpu__function *function = agpu__function_find(device, kernel);
  return function &&
                 shared_bytes <= atomic_load_explicit(&function->shared_bytes,
                                                      memory_order_acquire)
             ? function->handle
             : NULL;
}

/// The kernel that `function` is on the device; NULL: it is none of a
/// descriptor's. Any thread; it is good while the program may launch it.
const agpu_kernel_desc *agpu__module_find_kernel(const agpu__device *device,
                                                 CUfunction function);

/// Unloads `module`, if the device has loaded it. The device has been entered.
void agpu__module_set_release(const agpu__device *device,
                              const agpu_module_desc *module);

/// Frees what the kernels of `module` remember of their functions, after
/// agpu__module_set_release on all devices. No other thread uses them.
void agpu__module_forget(agpu__shared *shared, const agpu_module_desc *module);

agpu__module_set *agpu__module_set_create(void);

/// Unloads all modules and leaves the memory. No other thread may call the
/// driver any more; the device has been entered.
void agpu__module_set_abandon(agpu__module_set *set,
                              const agpu__device *device);

/// The same, and frees the set. Descriptors are not touched: the program that
/// holds them may be gone. No other thread is in the set.
void agpu__module_set_destroy(agpu__module_set *set,
                              const agpu__device *device);

/// The image of `module` that a device runs best; NULL where none runs.
/// `format` is AGPU_IMAGE_NATIVE for the emulated device, else AGPU_IMAGE_PTX;
/// then `chip` is the device's compute capability, 75 for sm_75. A cubin for
/// the device is better than any PTX, which the driver has to compile.
const agpu_image_desc *agpu__image_choose(const agpu_module_desc *module,
                                          uint32_t format, uint32_t chip);

/// Where the image is. Calls code of the program, AGPU_IMAGE_BY_FUNCTION.
const void *agpu__image_data(const agpu_image_desc *image);

/// Writes what images `module` has, for an error, into `out` of `size` bytes.
void agpu__image_list(const agpu_module_desc *module, char *out, size_t size);

#endif // ASYNC_GPU_RUNTIME_GPU_KERNEL_MODULE_H
