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

typedef struct agpu__module_set agpu__module_set;

/// The function of `kernel` on the device, loading its module when it is not
/// loaded. Its launches may use `shared_bytes` of dynamic shared memory. Any
/// thread; the device has been entered. Errors have `location`.
agpu_status agpu__module_get_function(const agpu__device *device,
                                      agpu_kernel_desc *kernel,
                                      unsigned shared_bytes,
                                      const char *location,
                                      CUfunction *out_function);

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

#endif // ASYNC_GPU_RUNTIME_GPU_KERNEL_MODULE_H
