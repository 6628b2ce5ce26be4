//===- context.c - Contexts, and what every call checks first -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context for each device, all in one table, so that a handle is told from
// any other pointer. A thread knows the one that is current on it. The first
// error of a context's work is kept with its text: the text before the error,
// so that who sees one reads the other.
//
//===----------------------------------------------------------------------===//

#include "emu/base/context.h"

#include "base/os/self.h"
#include "base/sync/lock.h"
#include "base/sync/mutex.h"
#include "emu/base/calls.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"

#include <stdio.h>

static struct {
  atomic_bool initialized;
  agpu__mutex lock;
  agpu__lock error_lock;
} all = {.lock = AGPU__MUTEX_INIT};

struct CUctx_st {
  unsigned references AGPU__GUARDED_BY(all.lock);
  atomic_bool alive;
  // A CUresult. Release and acquire for the note that says more.
  atomic_int error;
  char error_text[1024] AGPU__GUARDED_BY(all.error_lock);
  agpu__emu_counts counts;
};

static struct CUctx_st contexts[AGPU__EMU_MAX_DEVICES];

CUcontext agpu__emu_get_context(void) { return agpu__self.emu.context; }
void agpu__emu_set_context(CUcontext context) {
  agpu__self.emu.context = context;
}

CUdevice agpu__emu_context_device(CUcontext context) {
  return (CUdevice)(context - contexts);
}

CUcontext agpu__emu_device_context(CUdevice device) {
  return &contexts[device];
}

CUdevice agpu__emu_current_device(void) {
  return agpu__emu_context_device(agpu__self.emu.context);
}

bool agpu__emu_is_context(CUcontext context) {
  uintptr_t offset = (uintptr_t)context - (uintptr_t)contexts;
  return offset < sizeof contexts && offset % sizeof *contexts == 0;
}

agpu__emu_counts *agpu__emu_get_counts(CUcontext context) {
  return &context->counts;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

CUresult agpu__emu_context_get_error(CUcontext context) {
  return (CUresult)atomic_load_explicit(&context->error, memory_order_acquire);
}

CUresult agpu__emu_get_error(void) {
  return agpu__self.emu.context
             ? agpu__emu_context_get_error(agpu__self.emu.context)
             : CUDA_SUCCESS;
}

void agpu__emu_set_work(void (*describe)(char *out, size_t size)) {
  agpu__self.emu.describe_work = describe;
}

void agpu__emu_set_error(CUresult error) {
  char where[512] = "";
  if (error == CUDA_ERROR_ILLEGAL_ADDRESS && agpu__self.emu.describe_work)
    agpu__self.emu.describe_work(where, sizeof where);
  CUcontext context = agpu__self.emu.context;
  // Streams may fail at once: the text that is kept is the error's
  // agpu__self.emu.
  agpu__lock_acquire(&all.error_lock);
  if (agpu__emu_get_error() == CUDA_SUCCESS) {
    (void)snprintf(context->error_text, sizeof context->error_text, "%s%s",
                   agpu__emu_get_note(), where);
    atomic_store_explicit(&context->error, (int)error, memory_order_release);
  }
  agpu__lock_release(&all.error_lock);
}

CUresult agpu__emu_cuGetErrorString(CUresult error, const char **out) {
  const char *note = agpu__emu_get_note();
  *out = agpu__emu_get_error_text(error);
  if (!*out)
    return CUDA_ERROR_INVALID_VALUE;
  if (error == CUDA_ERROR_INVALID_VALUE && *note) {
    *out = agpu__emu_join_note(*out, note);
  } else if (agpu__self.emu.context && (agpu__emu_error_is_sticky(error) ||
                                        error == CUDA_ERROR_NOT_SUPPORTED)) {
    agpu__lock_acquire(&all.error_lock);
    if (*agpu__self.emu.context->error_text)
      *out = agpu__emu_join_note(*out, agpu__self.emu.context->error_text);
    agpu__lock_release(&all.error_lock);
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What calls check
//===----------------------------------------------------------------------===//

void agpu__emu_set_in_host_function(bool inside) {
  agpu__self.emu.in_host_function = inside;
}

/// What every call needs.
static CUresult check_driver(void) {
  if (agpu__self.emu.in_host_function)
    return CUDA_ERROR_NOT_PERMITTED;
  return atomic_load_explicit(&all.initialized, memory_order_relaxed)
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult agpu__emu_enter(void) {
  agpu__emu_clear_note();
  CUresult result = check_driver();
  if (result)
    return result;
  if (!agpu__self.emu.context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!atomic_load_explicit(&agpu__self.emu.context->alive,
                            memory_order_relaxed))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return agpu__emu_get_error();
}

CUresult agpu__emu_enter_device(CUdevice device) {
  CUresult result = check_driver();
  if (result)
    return result;
  return device >= 0 && (unsigned)device < agpu__emu_get_settings()->devices
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_DEVICE;
}

void agpu__emu_initialize(void) {
  atomic_store_explicit(&all.initialized, true, memory_order_relaxed);
}

CUresult agpu__emu_cuCtxGetCurrent(CUcontext *context) {
  CUresult result = check_driver();
  if (result)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = agpu__self.emu.context;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxSetCurrent(CUcontext context) {
  CUresult result = check_driver();
  if (result)
    return result;
  if (context && !agpu__emu_is_context(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  agpu__self.emu.context = context;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Owners
//===----------------------------------------------------------------------===//

void agpu__emu_context_retain(CUcontext context) {
  agpu__mutex_lock(&all.lock);
  if (context->references++ == 0) {
    agpu__lock_acquire(&all.error_lock);
    *context->error_text = '\0';
    agpu__lock_release(&all.error_lock);
    atomic_store_explicit(&context->error, CUDA_SUCCESS, memory_order_relaxed);
    atomic_store_explicit(&context->alive, true, memory_order_relaxed);
  }
  agpu__mutex_unlock(&all.lock);
}

CUresult agpu__emu_context_release(CUcontext context,
                                   void (*end)(CUcontext context,
                                               bool is_last)) {
  CUresult result = CUDA_SUCCESS;
  agpu__mutex_lock(&all.lock);
  if (context->references == 0) {
    result = CUDA_ERROR_INVALID_CONTEXT;
  } else if (--context->references == 0) {
    unsigned others = 0;
    for (int i = 0; i < AGPU__EMU_MAX_DEVICES; ++i)
      others += contexts[i].references;
    end(context, others == 0);
    atomic_store_explicit(&context->alive, false, memory_order_relaxed);
  }
  agpu__mutex_unlock(&all.lock);
  return result;
}
