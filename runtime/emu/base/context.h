//===- context.h - Contexts, and what every call checks first --- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context's first error that happens while work runs is sticky, as on
// hardware: work behind it is dropped, and every later call in it returns it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_H

#include "driver_api/functions.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/// cuInit is done.
void agpu__emu_initialize(void);

/// What a call needs: cuInit done, a live context current on this thread, not
/// inside a host function, and no sticky error. Any thread.
CUresult agpu__emu_enter(void);

/// What a call that is about a device needs: cuInit done, not inside a host
/// function, and a device of that number.
CUresult agpu__emu_enter_device(CUdevice device);

/// The calling thread's context, and its change for threads of this driver.
CUcontext agpu__emu_get_context(void);
void agpu__emu_set_context(CUcontext context);

/// The number of the device whose context this is, and the other way round.
CUdevice agpu__emu_context_device(CUcontext context);
CUcontext agpu__emu_device_context(CUdevice device);

/// The number of the device of the calling thread's context.
CUdevice agpu__emu_current_device(void);

/// Whether it is one of the driver's contexts.
bool agpu__emu_is_context(CUcontext context);

/// Makes `error` sticky in the thread's context unless one is already, with the
/// thread's note for its text. An illegal address is that of the work that the
/// thread runs, which is said, too.
void agpu__emu_set_error(CUresult error);

/// The sticky error of the thread's context, or CUDA_SUCCESS; of any context.
CUresult agpu__emu_get_error(void);
CUresult agpu__emu_context_get_error(CUcontext context);

/// Says what describes the work that the calling thread runs (", in the ...");
/// NULL: it runs none.
void agpu__emu_set_work(void (*describe)(char *out, size_t size));

/// Marks the calling thread as inside (or no longer inside) a host function,
/// where calls of the driver are refused.
void agpu__emu_set_in_host_function(bool inside);

/// What programs have created in the context and not destroyed. Files count
/// themselves; relaxed, since it is read when no other call is made.
typedef struct agpu__emu_counts {
  atomic_int streams, events, modules, graphs, execs;
} agpu__emu_counts;
agpu__emu_counts *agpu__emu_get_counts(CUcontext context);

/// A context has another owner; the first begins it.
void agpu__emu_context_retain(CUcontext context);

/// Releases one owner; INVALID_CONTEXT where there is none. Behind the last
/// one, `end` is called before the context is dead, with whether it is the last
/// of all contexts.
CUresult agpu__emu_context_release(CUcontext context,
                                   void (*end)(CUcontext context,
                                               bool is_last));

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_H
