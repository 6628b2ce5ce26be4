//===- host_memory.h - Memory of the host that devices address -- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_HOST_MEMORY_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_HOST_MEMORY_H

#include "driver_api/functions.h"

#include <stdbool.h>

/// Whether [from, from + bytes) has any memory in it that was allocated or
/// registered so.
bool agpu__emu_host_memory_is_near(CUdeviceptr from, size_t bytes);

/// Whether the range lies in memory that was allocated or registered so.
bool agpu__emu_host_memory_is_mapped(CUdeviceptr pointer, size_t bytes);

/// Whether any of it was registered for devices that only read it.
bool agpu__emu_host_memory_is_read_only(CUdeviceptr from, size_t bytes);

/// The range that was allocated or registered so and has `pointer` in it.
/// False: there is none.
bool agpu__emu_host_memory_bounds(CUdeviceptr pointer, CUdeviceptr *out_from,
                                  size_t *out_bytes);

/// Gives back and forgets what is left.
void agpu__emu_host_memory_reset(void);

/// What the calls of the driver do but for checking the caller. Frees wait for
/// nobody.
CUresult agpu__emu_host_memory_allocate(void **pointer, size_t bytes);
CUresult agpu__emu_host_memory_free(void *pointer);
CUresult agpu__emu_host_memory_register(void *pointer, size_t bytes,
                                        bool is_read_only);
CUresult agpu__emu_host_memory_unregister(void *pointer);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_HOST_MEMORY_H
