//===- stream_calls.c - The driver's calls about streams ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what the caller gives, keeps the context's count of streams, and has
// stream.c do the rest.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/device/capture.h"
#include "emu/device/stream.h"
#include "emu/memory/guard.h"

CUresult agpu__emu_enter_stream(CUstream handle) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  CUcontext found = agpu__emu_stream_context(handle);
  return found && found == agpu__emu_get_context() ? CUDA_SUCCESS
                                                   : CUDA_ERROR_INVALID_HANDLE;
}

CUresult agpu__emu_cuStreamCreate(CUstream *out, unsigned int flags) {
  return agpu__emu_cuStreamCreateWithPriority(out, flags, 0);
}

/// "If the specified priority is outside the numerical range", it is "clamped
/// to the lowest or the highest number in the range".
CUresult agpu__emu_cuStreamCreateWithPriority(CUstream *out, unsigned int flags,
                                              int priority) {
  const int greatest = AGPU__EMU_GREATEST_PRIORITY;
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!out || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  result = agpu__emu_stream_begin(out, !(flags & CU_STREAM_NON_BLOCKING),
                                  priority > 0          ? 0
                                  : priority < greatest ? greatest
                                                        : priority);
  if (result)
    return result;
  atomic_fetch_add(&agpu__emu_get_counts(agpu__emu_get_context())->streams, 1);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuStreamDestroy(CUstream handle) {
  // Destroys in an errored context, too: so that programs can clean up.
  CUresult result = agpu__emu_enter();
  CUcontext context = agpu__emu_handle_find(AGPU__EMU_STREAM, handle)
                          ? agpu__emu_stream_context(handle)
                          : NULL;
  agpu__emu_capture_forget_stream(handle);
  if (!result)
    agpu__emu_stream_leave(handle);
  CUresult ended = agpu__emu_stream_end(handle);
  if (ended)
    return ended;
  atomic_fetch_sub(&agpu__emu_get_counts(context)->streams, 1);
  return result;
}

CUresult agpu__emu_cuStreamQuery(CUstream handle) {
  bool idle = false;
  CUresult result = agpu__emu_enter();
  if (!result && agpu__emu_stream_context(handle))
    result = agpu__emu_capture_await_stream(handle);
  if (!result)
    result = agpu__emu_stream_is_idle(handle, &idle);
  if (result)
    return result;
  if (!idle)
    return CUDA_ERROR_NOT_READY;
  agpu__emu_guard_synchronized();
  return agpu__emu_get_error();
}
