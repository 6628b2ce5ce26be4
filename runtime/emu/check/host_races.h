//===- host_races.h - The host's accesses and the device's --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races: host code that touches memory which a copy, a
// fill or a kernel uses that the host does not know to be done (order.h). A
// copy counts from the call that enqueues it until the host learns of its end,
// wherever the stream is: so what is found does not depend on how fast the
// device is.
//
// What a kernel touches is known once it has run. Until then, what the host
// does to memory that the kernel's parameters point into is noted, and compared
// then; from then on the kernel is as a copy is.
//
// Host code says what it touches where it was compiled to
// (async_gpu/compiled/host_access.h). Copies that the runtime makes by host
// functions, since the driver knows nothing of the memory, say what those touch
// (agpu__emu_client).
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_RACES_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_RACES_H

#include "emu/device/op.h"

/// Notes what the op, which has been stamped, touches of the host's memory.
void agpu__emu_host_races_enqueue(const agpu__emu_op *op);

/// A kernel has run that was noted: thread_races.h knows what it has touched.
void agpu__emu_host_races_ran(const agpu__emu_op *op);

/// The host is about to access memory: reports what is not ordered with that.
/// `flags` of agpu_native_access.
void agpu__emu_host_races_access(uintptr_t from, uint64_t bytes, uint32_t flags,
                                 const char *location);

/// The host is about to free what `free` takes. Ends the program where an op
/// still uses it, which would break the heap.
void agpu__emu_host_races_free(void *memory, const char *location);

/// Forgets everything, with the context.
void agpu__emu_host_races_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_HOST_RACES_H
