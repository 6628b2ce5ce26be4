//===- context.c - Contexts, and what every call checks first -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A primary context for each device, in a table, and those that programs
// create, in a list: so a handle differs from any other pointer. A destroyed
// context stays in the list, since it may be current on any thread; its number
// is used again. The first error of a context's work is kept with its text: the
// text before the error, so that who sees one reads the other.
//
//===----------------------------------------------------------------------===//

#include "emu/base/context.h"

#include "base/os/self.h"
#include "base/sync/lock.h"
#include "base/sync/mutex.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
  atomic_bool initialized;
  agpu__mutex lock;
  agpu__lock error_lock;
  struct CUctx_st *created AGPU__GUARDED_BY(lock); // the newest
  uint64_t numbers AGPU__GUARDED_BY(lock); // a bit each: those of live contexts
} all = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_CONTEXTS),
         .error_lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_ERRORS)};

_Static_assert(AGPU__EMU_MAX_CONTEXTS == 64 &&
                   AGPU__EMU_MAX_DEVICES < AGPU__EMU_MAX_CONTEXTS,
               "a bit each, and those of the devices come first");

struct CUctx_st {
  // These four of a context that was created.
  struct CUctx_st *older;
  CUdevice device;
  unsigned number;
  unsigned references AGPU__GUARDED_BY(all.lock); // of a primary one
  unsigned flags AGPU__GUARDED_BY(all.lock);
  atomic_bool alive;
  // A CUresult. Release and acquire for the note that says more.
  atomic_int error;
  char error_text[1024] AGPU__GUARDED_BY(all.error_lock);
  agpu__mutex host_functions; // one at a time; of a live context
  agpu__emu_counts counts;
  _Atomic(CUstream) default_stream;
};

static struct CUctx_st contexts[AGPU__EMU_MAX_DEVICES]; // the primary ones

bool agpu__emu_is_primary(CUcontext context) {
  uintptr_t offset = (uintptr_t)context - (uintptr_t)contexts;
  return offset < sizeof contexts && offset % sizeof *contexts == 0;
}

CUcontext agpu__emu_get_context(void) { return agpu__self.emu.context; }
void agpu__emu_set_context(CUcontext context) {
  agpu__self.emu.context = context;
}

CUdevice agpu__emu_context_device(CUcontext context) {
  return agpu__emu_is_primary(context) ? (CUdevice)(context - contexts)
                                       : context->device;
}

unsigned agpu__emu_context_number(CUcontext context) {
  return agpu__emu_is_primary(context) ? (unsigned)(context - contexts)
                                       : context->number;
}

CUcontext agpu__emu_device_context(CUdevice device) {
  return &contexts[device];
}

CUdevice agpu__emu_current_device(void) {
  return agpu__emu_context_device(agpu__self.emu.context);
}

bool agpu__emu_is_context(CUcontext context) {
  if (agpu__emu_is_primary(context))
    return true;
  agpu__mutex_lock(&all.lock);
  const struct CUctx_st *at = all.created;
  while (at && at != context)
    at = at->older;
  bool found = at && atomic_load_explicit(&at->alive, memory_order_relaxed);
  agpu__mutex_unlock(&all.lock);
  return found;
}

_Atomic(CUstream) *agpu__emu_context_default(CUcontext context) {
  return &context->default_stream;
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
  } else if (agpu__self.emu.context &&
             (agpu__is_sticky(error) || error == CUDA_ERROR_NOT_SUPPORTED)) {
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

bool agpu__emu_is_in_host_function(void) {
  return agpu__self.emu.in_host_function;
}

// "Host functions without a mandated order (such as in independent streams)
// execute in undefined order and may be serialized." (cuLaunchHostFunc)
void agpu__emu_call_host_function(CUhostFn function, void *user_data) {
  CUcontext context = agpu__self.emu.context;
  agpu__mutex_lock(&context->host_functions);
  agpu__self.emu.in_host_function = true;
  function(user_data);
  agpu__self.emu.in_host_function = false;
  agpu__mutex_unlock(&context->host_functions);
}

/// What every call needs.
static CUresult check_driver(void) {
  if (agpu__self.emu.in_host_function)
    return CUDA_ERROR_NOT_PERMITTED;
  return atomic_load_explicit(&all.initialized, memory_order_relaxed)
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult agpu__emu_enter_context(void) {
  agpu__emu_clear_note();
  CUresult result = check_driver();
  if (result)
    return result;
  if (!agpu__self.emu.context)
    return CUDA_ERROR_INVALID_CONTEXT;
  return atomic_load_explicit(&agpu__self.emu.context->alive,
                              memory_order_relaxed)
             ? CUDA_SUCCESS
             : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult agpu__emu_enter(void) {
  CUresult result = agpu__emu_enter_context();
  return result ? result : agpu__emu_get_error();
}

CUresult agpu__emu_enter_driver(void) { return check_driver(); }

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

//===----------------------------------------------------------------------===//
// Owners
//===----------------------------------------------------------------------===//

/// It is as new. The number is its own.
static void begin(CUcontext context) AGPU__REQUIRES(all.lock) {
  agpu__lock_acquire(&all.error_lock);
  *context->error_text = '\0';
  agpu__lock_release(&all.error_lock);
  all.numbers |= UINT64_C(1) << agpu__emu_context_number(context);
  agpu__mutex_init(&context->host_functions, AGPU__RANK_EMU_HOST_FUNCTION);
  atomic_store_explicit(&context->default_stream, NULL, memory_order_relaxed);
  atomic_store_explicit(&context->error, CUDA_SUCCESS, memory_order_relaxed);
  atomic_store_explicit(&context->alive, true, memory_order_relaxed);
}

/// Its number is free from here on.
static void finish(CUcontext context, agpu__emu_context_end *end)
    AGPU__REQUIRES(all.lock) {
  all.numbers &= ~(UINT64_C(1) << agpu__emu_context_number(context));
  end(context, all.numbers == 0);
  atomic_store_explicit(&context->alive, false, memory_order_relaxed);
  agpu__mutex_destroy(&context->host_functions);
}

static bool is_alive(CUcontext context) {
  return atomic_load_explicit(&context->alive, memory_order_relaxed);
}

void agpu__emu_context_retain(CUcontext context) {
  agpu__mutex_lock(&all.lock);
  ++context->references;
  if (!is_alive(context))
    begin(context);
  agpu__mutex_unlock(&all.lock);
}

CUresult agpu__emu_context_release(CUcontext context,
                                   agpu__emu_context_end *end) {
  agpu__mutex_lock(&all.lock);
  CUresult result =
      context->references ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  if (!result && --context->references == 0 && is_alive(context))
    finish(context, end);
  agpu__mutex_unlock(&all.lock);
  return result;
}

void agpu__emu_context_reset(CUcontext context, agpu__emu_context_end *end) {
  agpu__mutex_lock(&all.lock);
  if (is_alive(context))
    finish(context, end);
  agpu__mutex_unlock(&all.lock);
}

CUresult agpu__emu_context_create(CUdevice device, unsigned flags,
                                  CUcontext *out) {
  struct CUctx_st *made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->device = device;
  agpu__mutex_lock(&all.lock);
  uint64_t taken = all.numbers | ((UINT64_C(1) << AGPU__EMU_MAX_DEVICES) - 1);
  if (~taken) {
    made->number = (unsigned)__builtin_ctzll(~taken);
    made->flags = flags;
    made->older = all.created;
    all.created = made;
    begin(made);
  }
  agpu__mutex_unlock(&all.lock);
  if (!~taken) {
    free(made);
    agpu__emu_note("a process has %u contexts at most",
                   AGPU__EMU_MAX_CONTEXTS - AGPU__EMU_MAX_DEVICES);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = made;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_context_destroy(CUcontext context,
                                   agpu__emu_context_end *end) {
  if (agpu__emu_is_primary(context) || !agpu__emu_is_context(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  agpu__mutex_lock(&all.lock);
  bool found = is_alive(context);
  if (found)
    finish(context, end);
  agpu__mutex_unlock(&all.lock);
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

bool agpu__emu_context_is_alive(CUcontext context) { return is_alive(context); }

unsigned agpu__emu_context_get_flags(CUcontext context) {
  agpu__mutex_lock(&all.lock);
  unsigned flags = context->flags;
  agpu__mutex_unlock(&all.lock);
  return flags;
}

void agpu__emu_context_set_flags(CUcontext context, unsigned flags) {
  agpu__mutex_lock(&all.lock);
  context->flags = flags;
  agpu__mutex_unlock(&all.lock);
}
