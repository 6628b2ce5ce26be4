//===- fault.c - Calls that fail on request -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the driver in host functions, and ASYNC_GPU_EMU_FAULT: counts the
// calls of the driver, and lets one of them fail. What fails has done nothing,
// as the API has it, but for calls that give something back: these do, and
// report what "previous, asynchronous launches" have come to. An error of the
// kind that work on a device ends with stays in the context.
//
//===----------------------------------------------------------------------===//

#include "emu/device/fault.h"

#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/hooks.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"

#include <stdatomic.h>
#include <string.h>

bool agpu__emu_looks_at_calls;

// Relaxed: neither orders anything.
static struct {
  _Atomic(uint64_t) calls;
  atomic_bool is_reported; // that a host function has called the driver
} counted;

void agpu__emu_faults_start(void) {
  // Anew, where the driver was shut down before.
  atomic_store_explicit(&counted.calls, 0, memory_order_relaxed);
  agpu__emu_looks_at_calls =
      agpu__emu_get_settings()->fault.call != 0 || agpu__emu_hooks_table.called;
}

/// Counts the call. CUDA_SUCCESS, or what it is to return.
static CUresult count_call(const char *name) {
  const agpu__emu_fault *fault = &agpu__emu_get_settings()->fault;
  if (fault->function && strcmp(fault->function, name) != 0)
    return CUDA_SUCCESS;
  if (1 + atomic_fetch_add_explicit(&counted.calls, 1, memory_order_relaxed) !=
      fault->call)
    return CUDA_SUCCESS;
  agpu__emu_clear_note();
  if (agpu__is_sticky(fault->result) && agpu__emu_get_context())
    agpu__emu_set_error(fault->result);
  return fault->result;
}

static bool gives_back(const char *name) {
  static const char *const names[] = {
      "cuStreamDestroy",     "cuEventDestroy",
      "cuModuleUnload",      "cuMemFree",
      "cuMemFreeAsync",      "cuMemFreeHost",
      "cuMemHostUnregister", "cuDevicePrimaryCtxRelease",
      "cuGraphDestroy",      "cuGraphExecDestroy"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

/// "The host function must not make any CUDA API calls. Attempting to use a
/// CUDA API may result in CUDA_ERROR_NOT_PERMITTED, but this is not required."
/// (cuLaunchHostFunc) On a GPU it may as well hang, so the first is an error
/// of the program, whatever that makes of the result.
static CUresult refuse(const char *name) {
  if (!atomic_exchange_explicit(&counted.is_reported, true,
                                memory_order_relaxed))
    agpu__emu_report_error(agpu_status_create(
        AGPU_STATUS_PROGRAM, NULL,
        "a host function that a stream or a graph has called "
        "(cuLaunchHostFunc, cuGraphAddHostNode) calls %s: no function of the "
        "driver may be called there",
        name));
  return CUDA_ERROR_NOT_PERMITTED;
}

CUresult agpu__emu_fault_of(const char *name, bool *out_is_done) {
  *out_is_done = false;
  if (agpu__emu_is_in_host_function())
    return refuse(name);
  AGPU__EMU_TELL(called, (name));
  if (!agpu__emu_get_settings()->fault.call)
    return CUDA_SUCCESS;
  *out_is_done = gives_back(name);
  return count_call(name);
}
