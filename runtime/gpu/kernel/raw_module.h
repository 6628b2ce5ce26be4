//===- raw_module.h - Modules known by their handles --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's programs load: they unload it themselves, and look a function
// up by its name before each launch. The driver is asked once.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_KERNEL_RAW_MODULE_H
#define ASYNC_GPU_RUNTIME_GPU_KERNEL_RAW_MODULE_H

#include "gpu/device/device.h"

typedef struct agpu__raw_modules agpu__raw_modules;

agpu__raw_modules *agpu__raw_modules_create(void);

/// Unloads all modules and leaves the memory. No other thread may call the
/// driver any more; the device has been entered.
void agpu__raw_modules_abandon(agpu__raw_modules *modules,
                               const agpu__device *device);

/// The same, and frees what is known of them.
void agpu__raw_modules_destroy(agpu__raw_modules *modules,
                               const agpu__device *device);

// Any thread, from here on. Where a call of the driver is made, the device has
// been entered.

/// A module that has been loaded on the device.
void agpu__raw_modules_add(agpu__raw_modules *modules, CUmodule handle);

/// Whether it is one of them; the second function forgets it, too.
bool agpu__raw_modules_have(agpu__raw_modules *modules, CUmodule handle);
bool agpu__raw_modules_remove(agpu__raw_modules *modules, CUmodule handle);

/// The function of that name in a module, one of these or another.
CUresult agpu__raw_modules_get_function(const agpu__device *device,
                                        CUmodule handle, const char *name,
                                        CUfunction *out_function);

/// Asks for so much dynamic shared memory, which is more than is there by
/// default, for a function of any module.
CUresult agpu__raw_modules_allow_shared_bytes(const agpu__device *device,
                                              CUfunction function,
                                              unsigned bytes);

/// Where a tensor map with this content lies on the device; 0: nowhere.
CUdeviceptr agpu__raw_modules_find_map(agpu__raw_modules *modules,
                                       const CUtensorMap *content);

/// It lies at `place`, device memory that goes with the modules.
void agpu__raw_modules_add_map(agpu__raw_modules *modules,
                               const CUtensorMap *content, CUdeviceptr place);

/// Text for a message.
typedef struct agpu__function_name {
  char text[256];
} agpu__function_name;

/// What a function is called; "?" where it is of none of these modules.
agpu__function_name agpu__raw_modules_print(agpu__raw_modules *modules,
                                            CUfunction function);

#endif // ASYNC_GPU_RUNTIME_GPU_KERNEL_RAW_MODULE_H
