//===- allocation.h - The life of device memory ----------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation is named, reached by its stream, unnamed, and released by its
// stream (memory.h). What is not ordered by a stream is reached at once, and
// released by the call that unnames it. Any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_ALLOCATION_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_ALLOCATION_H

#include "emu/memory/chunk.h"

/// Allocates for the current context's device.
CUresult agpu__emu_memory_allocate(CUdeviceptr *pointer, size_t bytes,
                                   agpu__emu_memory_kind kind);

/// The allocation that starts at `pointer` has no name any more. False, with a
/// note: there is none. `*out_is_ordered`: it is memory of a pool.
bool agpu__emu_memory_unname(CUdeviceptr pointer, bool *out_is_ordered);

/// The same where its free is in a stream of the current context from now on;
/// false for other devices' memory, too.
bool agpu__emu_memory_leave(CUdeviceptr pointer);

/// It is not, after all: the allocation has its name again.
void agpu__emu_memory_stay(CUdeviceptr pointer);

/// An address for what a graph allocates, of the current context's device. Its
/// memory is there from one launch of the graph (_back) to its free in the same
/// graph or in a stream. OUT_OF_MEMORY: there is none.
CUresult agpu__emu_memory_reserve(CUdeviceptr *pointer, size_t bytes);

/// A launch that allocates it is about to be enqueued. `is_named`: the graph
/// does not free it. INVALID_VALUE: it is allocated, and its free has not been
/// asked for.
CUresult agpu__emu_memory_back(CUdeviceptr pointer, bool is_named);

/// Whether its free has yet to be asked for.
bool agpu__emu_memory_is_named(CUdeviceptr pointer);

/// The graph is gone: the address is free, once the memory is.
void agpu__emu_memory_unreserve(CUdeviceptr pointer);

/// Gives back what graphs' allocations on a device keep that are not there now.
/// No work is running.
void agpu__emu_memory_trim_graphs(CUdevice device);

/// The stream reaches a stream-ordered allocation, or a free.
void agpu__emu_memory_reach_alloc(CUdeviceptr pointer);
void agpu__emu_memory_reach_free(CUdeviceptr pointer);

/// Calls `visit` for each allocation of the context that the program has not
/// freed, with where it was made. No call of this folder may be made meanwhile.
void agpu__emu_memory_each(CUcontext context,
                           void (*visit)(const char *location, size_t bytes,
                                         void *argument),
                           void *argument);

/// Frees what is left of the context's. It has no work any more.
void agpu__emu_memory_end(CUcontext context);

/// Gives the system what only waits to be allocated again.
void agpu__emu_memory_trim(void);

/// Gives everything back. No work may be running.
void agpu__emu_memory_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_ALLOCATION_H
