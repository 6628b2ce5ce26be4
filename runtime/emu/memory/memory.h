//===- memory.h - Questions about device memory ----------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stream-ordered allocations are named (returned by the call) before they are
// reached (by the stream), and unnamed before they are freed. What may be named
// in a call is therefore not what work may touch.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_MEMORY_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_MEMORY_H

#include "base/sync/rwlock.h"
#include "driver_api/functions.h"
#include "emu/base/hooks.h"

/// Whether [pointer, pointer + bytes) may be named in a call now: no part of
/// it is device memory, or it lies in one allocation that is not freed.
bool agpu__emu_memory_is_nameable(CUdeviceptr pointer, size_t bytes);

/// Whether work that runs now may touch the range: as above, and the
/// allocation has been reached and the free has not, in stream order.
bool agpu__emu_memory_is_usable(CUdeviceptr pointer, size_t bytes);

/// Whether `pointer` is device memory that has been freed (or not yet reached),
/// or that is another device's and not open to that of the current context: for
/// parameters of a kernel that is about to run, or `has_run`. False for
/// everything that is not device memory.
bool agpu__emu_memory_is_out_of_reach(CUdeviceptr pointer, bool has_run);

/// Whether the host may touch what is there: all but device memory that is not
/// managed.
bool agpu__emu_memory_is_open_to_host(CUdeviceptr pointer);

/// Whether [from, from + bytes) has any device memory in it.
bool agpu__emu_memory_is_near(CUdeviceptr from, size_t bytes);

/// Whether [pointer, pointer + bytes) is memory of the host that no device
/// reaches: outside of device memory and not known to the driver.
bool agpu__emu_memory_is_pageable(CUdeviceptr pointer, size_t bytes);

/// Whether a stream may write a value there: device memory that may be named,
/// other than managed, or host memory that the device addresses.
bool agpu__emu_memory_takes_values(CUdeviceptr pointer);

/// Whether a graph allocates there.
bool agpu__emu_memory_is_of_graph(CUdeviceptr pointer);

/// The device of whatever device memory is or was at `pointer`; -1: none.
CUdevice agpu__emu_memory_slot_device(CUdeviceptr pointer);

/// The device of a named allocation that `pointer` lies in; -1: there is none.
CUdevice agpu__emu_memory_device(CUdeviceptr pointer);

/// An allocation that work may touch now.
typedef struct agpu__emu_range {
  CUdeviceptr from, to;
  ptrdiff_t distance; ///< from its addresses to where the memory is
  unsigned version;   ///< of agpu__emu_memory_version when it was found
  void *written;      ///< the record's
} agpu__emu_range;

/// Finds the allocation that `pointer` lies in. False: there is none that is
/// usable.
bool agpu__emu_memory_find(CUdeviceptr pointer, agpu__emu_range *out);

/// Changes when an allocation is freed: what was found before may be gone.
unsigned agpu__emu_memory_version(void);

/// Where the memory at `pointer` is, which may be device memory.
void *agpu__emu_memory_host(CUdeviceptr pointer);

/// The address of the device memory that is at `memory`, or in a gap around it;
/// 0: that is not where device memory is.
CUdeviceptr agpu__emu_memory_address_of(uintptr_t memory);

/// Writes "at byte N of the M allocated at LOCATION" or, where that is freed,
/// "..., freed at LOCATION"; "N bytes past the end of the M allocated at
/// LOCATION"; or "at ADDRESS" where nothing was allocated nearby.
void agpu__emu_memory_describe(CUdeviceptr pointer, char *out, size_t size);

/// For the files of this folder, and for what the next functions say. Readers
/// are checks, on every stream's thread; writers allocate and free. A reader
/// lock does not order readers, so that checks hide no race between streams
/// from the thread sanitizer.
extern agpu__rwlock agpu__emu_memory_lock;

/// Between these two, allocations neither come nor go. No other function that
/// is declared here, but the next one, may be called.
void agpu__emu_memory_hold(void) AGPU__ACQUIRE_SHARED(agpu__emu_memory_lock);
void agpu__emu_memory_let_go(void) AGPU__RELEASE_SHARED(agpu__emu_memory_lock);

/// An allocation, or what was one and is not used again yet.
typedef struct agpu__emu_allocation {
  CUdeviceptr base;
  size_t bytes;
  agpu__emu_record *record; ///< NULL: there is no allocation there
} agpu__emu_allocation;

/// The one that `pointer` lies in.
agpu__emu_allocation agpu__emu_memory_look(CUdeviceptr pointer)
    AGPU__REQUIRES_SHARED(agpu__emu_memory_lock);

/// The same, for those who have no use for the record.
agpu__emu_allocation agpu__emu_memory_bounds(CUdeviceptr pointer);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_MEMORY_H
