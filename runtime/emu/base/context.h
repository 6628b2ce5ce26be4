//===- context.h - Contexts, and what every call checks first --- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device has one primary context, and any that programs create. Each thread
// has a stack of contexts (context_stack.c), whose top is current.
//
// A context's first error that happens while work runs is sticky, as on
// hardware: later work is dropped, and every later call in it returns it.
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

/// Of live contexts, the devices' among them.
#define AGPU__EMU_MAX_CONTEXTS 64u

/// What a call needs: cuInit done, a live context current on this thread, not
/// inside a host function, and no sticky error. Any thread.
CUresult agpu__emu_enter(void);

/// The same without regard to errors; and without a context.
CUresult agpu__emu_enter_context(void);
CUresult agpu__emu_enter_driver(void);

/// What a call that is about a device needs: cuInit done, not inside a host
/// function, and a device of that number.
CUresult agpu__emu_enter_device(CUdevice device);

/// The calling thread's context, and its change for threads of this driver.
CUcontext agpu__emu_get_context(void);
void agpu__emu_set_context(CUcontext context);

/// The number of the device whose context this is; the device's primary one.
CUdevice agpu__emu_context_device(CUcontext context);
CUcontext agpu__emu_device_context(CUdevice device);

/// A number below AGPU__EMU_MAX_CONTEXTS that no other live context has; a
/// primary one's is its device's.
unsigned agpu__emu_context_number(CUcontext context);

/// The number of the device of the calling thread's context.
CUdevice agpu__emu_current_device(void);

/// Whether it is a primary context, or one that was created and is not
/// destroyed; whether it is a primary one.
bool agpu__emu_is_context(CUcontext context);
bool agpu__emu_is_primary(CUcontext context);

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

/// Calls a host function of the thread's context, where calls of the driver are
/// refused, once no other one of the context runs.
void agpu__emu_call_host_function(CUhostFn function, void *user_data);

/// Whether the calling thread is in one.
bool agpu__emu_is_in_host_function(void);

/// What programs have created in the context and not destroyed. Files count
/// themselves; relaxed, since it is read when no other call is made.
typedef struct agpu__emu_counts {
  atomic_int streams, events, modules, graphs, execs;
} agpu__emu_counts;
agpu__emu_counts *agpu__emu_get_counts(CUcontext context);

/// The handle of its default stream (device/stream.c); NULL: there is none yet.
_Atomic(CUstream) *agpu__emu_context_default(CUcontext context);

/// What ends with a context, before it is dead; whether it is the last of all
/// live ones.
typedef void agpu__emu_context_end(CUcontext context, bool is_last);

/// A primary context has another owner. It begins where it is not alive.
void agpu__emu_context_retain(CUcontext context);

/// Releases one owner; INVALID_CONTEXT where there is none. The last one ends
/// it.
CUresult agpu__emu_context_release(CUcontext context,
                                   agpu__emu_context_end *end);

/// Ends it, a primary one too.
void agpu__emu_context_reset(CUcontext context, agpu__emu_context_end *end);

/// Another context of the device; its end, INVALID_CONTEXT where it is no
/// created one.
CUresult agpu__emu_context_create(CUdevice device, unsigned flags,
                                  CUcontext *out);
CUresult agpu__emu_context_destroy(CUcontext context,
                                   agpu__emu_context_end *end);

bool agpu__emu_context_is_alive(CUcontext context);

/// CU_CTX_*, which are kept and mean nothing here.
unsigned agpu__emu_context_get_flags(CUcontext context);
void agpu__emu_context_set_flags(CUcontext context, unsigned flags);

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_CONTEXT_H
