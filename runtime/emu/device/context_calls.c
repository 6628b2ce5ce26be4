//===- context_calls.c - Contexts that programs create --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the driver about contexts that async-gpu's runtime does not
// make, which has a device's primary one alone. What CU_CTX_* asks for is how a
// thread waits: it is kept, and means nothing here.
//
//===----------------------------------------------------------------------===//

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/context_stack.h"
#include "emu/device/capture.h"
#include "emu/device/context_end.h"
#include "emu/device/stream.h"
#include "emu/memory/peers.h"
#include "emu/simt/output.h"

#define SCHEDULE_MASK 0x7u
#define MAP_HOST 0x8u
#define KEEP_LOCAL_MEMORY 0x10u

/// At most one way of waiting, and what the driver has always done.
static bool are_flags(unsigned flags) {
  unsigned schedule = flags & SCHEDULE_MASK;
  return !(flags & ~(SCHEDULE_MASK | MAP_HOST | KEEP_LOCAL_MEMORY)) &&
         (schedule & (schedule - 1)) == 0;
}

CUresult agpu__emu_cuCtxCreate_v2(CUcontext *context, unsigned int flags,
                                  CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!context || !are_flags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext made;
  result = agpu__emu_context_create(device, flags, &made);
  if (result)
    return result;
  result = agpu__emu_context_push(made);
  if (result)
    (void)agpu__emu_context_destroy(made, agpu__emu_end_context);
  else
    *context = made;
  return result;
}

CUresult agpu__emu_cuCtxCreate_v3(CUcontext *context,
                                  CUexecAffinityParam *affinities, int count,
                                  unsigned int flags, CUdevice device) {
  return affinities || count ? CUDA_ERROR_NOT_SUPPORTED
                             : agpu__emu_cuCtxCreate_v2(context, flags, device);
}

CUresult agpu__emu_cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params,
                                  unsigned int flags, CUdevice device) {
  if (params && (params->cigParams || params->execAffinityParams ||
                 params->numExecAffinityParams))
    return CUDA_ERROR_NOT_SUPPORTED;
  return agpu__emu_cuCtxCreate_v2(context, flags, device);
}

CUresult agpu__emu_cuCtxDestroy_v2(CUcontext context) {
  CUresult result = agpu__emu_enter_driver();
  if (!result)
    result = agpu__emu_context_destroy(context, agpu__emu_end_context);
  // "If ctx is current to the calling thread then ctx will also be popped from
  // the current thread's context stack"; on other threads it stays.
  if (!result && agpu__emu_get_context() == context)
    agpu__emu_context_pop();
  return result;
}

CUresult agpu__emu_cuCtxGetDevice(CUdevice *device) {
  CUresult result = agpu__emu_enter_context();
  if (result)
    return result;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = agpu__emu_current_device();
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxGetFlags(unsigned int *flags) {
  CUresult result = agpu__emu_enter_context();
  if (result)
    return result;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = agpu__emu_context_get_flags(agpu__emu_get_context());
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxGetApiVersion(CUcontext context,
                                      unsigned int *version) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  // Of the current one where none is named.
  context = context ? context : agpu__emu_get_context();
  if (!context || !agpu__emu_is_context(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020; // what all contexts have that are made by cuCtxCreate_v2
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  CUresult result = agpu__emu_enter_context();
  if (!result && least)
    *least = 0;
  if (!result && greatest)
    *greatest = AGPU__EMU_GREATEST_PRIORITY;
  return result;
}

CUresult agpu__emu_cuCtxSynchronize(void) {
  CUresult result = agpu__emu_enter();
  if (!result)
    result = agpu__emu_capture_await_context();
  agpu__emu_print_flush(); // of a kernel that failed, too
  if (result)
    return result;
  agpu__emu_streams_wait_of(agpu__emu_get_context());
  agpu__emu_print_flush();
  agpu__emu_memory_synchronized();
  return agpu__emu_get_error();
}

CUresult agpu__emu_cuDevicePrimaryCtxReset_v2(CUdevice device) {
  CUresult result = agpu__emu_enter_device(device);
  if (!result)
    agpu__emu_context_reset(agpu__emu_device_context(device),
                            agpu__emu_end_context);
  return result;
}

CUresult agpu__emu_cuDevicePrimaryCtxSetFlags_v2(CUdevice device,
                                                 unsigned int flags) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!are_flags(flags))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_context_set_flags(agpu__emu_device_context(device), flags);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuDevicePrimaryCtxGetState(CUdevice device,
                                              unsigned int *flags,
                                              int *active) {
  CUresult result = agpu__emu_enter_device(device);
  if (result)
    return result;
  if (!flags || !active)
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext context = agpu__emu_device_context(device);
  *flags = agpu__emu_context_get_flags(context);
  *active = agpu__emu_context_is_alive(context);
  return CUDA_SUCCESS;
}
