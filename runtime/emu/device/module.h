//===- module.h - Modules and functions ------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_MODULE_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_MODULE_H

#include "async_gpu/compiled/kernel.h"
#include "driver_api/functions.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct agpu__emu_function {
  CUfunction handle;
  CUcontext context;
  const agpu_native_kernel *kernel;
  atomic_bool large_clusters; // asked for
  atomic_uint dynamic_bytes;  // of shared memory, asked for
  atomic_bool is_loaded;
} agpu__emu_function;

/// The function with that handle; NULL: there is none, or not any more.
agpu__emu_function *agpu__emu_function_find(CUfunction handle);

/// Whether it is a module that is loaded.
bool agpu__emu_is_module(CUmodule handle);

/// Bytes of shared memory that a launch may ask for, besides the kernel's own.
size_t agpu__emu_function_most_dynamic(const agpu__emu_function *function);

/// The function is about to be used: the first time waits for all that the
/// current context does.
void agpu__emu_function_load(agpu__emu_function *function);

/// Unloads the modules of the context that are left.
void agpu__emu_modules_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_MODULE_H
