//===- capacity.h - How much memory a device has ---------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_CAPACITY_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_CAPACITY_H

#include "driver_api/functions.h"

#include <stdbool.h>

/// Takes `bytes` of the device's memory; false: there are not so many left.
/// `is_ordered`: for an allocation in the order of a stream.
bool agpu__emu_capacity_take(CUdevice device, size_t bytes, bool is_ordered);
/// The free of what was taken is enqueued, or was and is not to be.
void agpu__emu_capacity_leave(CUdevice device, size_t bytes, bool is_leaving);
/// What was taken, and is not leaving any more, is free.
void agpu__emu_capacity_give(CUdevice device, size_t bytes);
/// The same for memory of the device's pool. What is given back to it stays the
/// pool's, for its own allocations alone, until it is trimmed.
bool agpu__emu_capacity_take_of_pool(CUdevice device, size_t bytes);
void agpu__emu_capacity_give_to_pool(CUdevice device, size_t bytes);

/// What a pool has, in bytes: in all, and of that in use; now, and at most
/// since that was set back.
typedef struct agpu__emu_pool_use {
  size_t reserved, used, most_reserved, most_used;
} agpu__emu_pool_use;
agpu__emu_pool_use agpu__emu_capacity_get_pool(CUdevice device);

/// Sets back what a pool has had at most.
void agpu__emu_capacity_forget_most(CUdevice device, bool of_reserved);

/// Of what a pool has and does not use, gives back what is more than `keep`
/// bytes of the pool in all.
void agpu__emu_capacity_trim(CUdevice device, size_t keep);

/// The same for managed memory.
bool agpu__emu_capacity_take_managed(size_t bytes);
void agpu__emu_capacity_give_managed(size_t bytes);
/// Nothing is taken.
void agpu__emu_capacity_reset(void);

/// The bytes of each device.
size_t agpu__emu_capacity_total(void);

/// Of the current device: its bytes, and those that are free.
void agpu__emu_capacity_get(size_t *out_free, size_t *out_total);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_CAPACITY_H
