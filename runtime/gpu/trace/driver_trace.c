//===- driver_trace.c - The driver's calls, recorded ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table that calls another and records what is enqueued where, what the host
// learns and waits for, modules that are loaded and memory that is in use. It
// is installed only where a trace is on, so that it costs nothing otherwise.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/driver_trace.h"

#include "base/report/settings.h"
#include "gpu/trace/traced.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

/// In the order of the setting.
enum { CLOCK_AUTO, CLOCK_EVENTS };

static struct {
  char no_clock[160]; // why there is no better one, or ""
  _Atomic(CUcontext) contexts[AGPU__MAX_DEVICES];
} self;

//===----------------------------------------------------------------------===//
// Contexts and streams
//===----------------------------------------------------------------------===//

CUresult agpu__traced_cuDevicePrimaryCtxRetain(CUcontext *context,
                                               CUdevice device) {
  CUresult result =
      agpu__traced.inner->cuDevicePrimaryCtxRetain(context, device);
  if (!result && device >= 0 && device < AGPU__MAX_DEVICES)
    atomic_store(&self.contexts[device], *context);
  return result;
}

CUresult agpu__traced_cuCtxSetCurrent(CUcontext context) {
  CUresult result = agpu__traced.inner->cuCtxSetCurrent(context);
  for (int i = 0; context && !result && i < AGPU__MAX_DEVICES; ++i)
    if (atomic_load_explicit(&self.contexts[i], memory_order_relaxed) ==
        context)
      agpu__self.gpu.traced_device = i;
  return result;
}

/// How good the times are, as far as is known by now.
static void note_quality(void) {
  agpu__work_clock_quality quality = {.source = "none"};
  if (agpu__traced.clock)
    agpu__traced.clock->describe(&quality);
  agpu__trace_note("device clock", "%s", quality.source);
  agpu__trace_note("device clock alignment", "%s",
                   agpu__traced.clock ? quality.how : self.no_clock);
  agpu__trace_note("device clock error ns", "%" PRId64, quality.error_ns);
  if (agpu__traced.clock && self.no_clock[0])
    agpu__trace_note("device clock not CUPTI", "%s", self.no_clock);
  uint64_t untimed = agpu__stream_track_untimed();
  if (untimed || quality.lost || quality.why[0])
    agpu__trace_note(
        "device times lost",
        "%" PRIu64 " pieces of work, and %" PRIu64 " measurements%s%s", untimed,
        quality.lost, quality.why[0] ? ": " : "", quality.why);
}

CUresult agpu__traced_cuDevicePrimaryCtxRelease(CUdevice device) {
  if (device >= 0 && device < AGPU__MAX_DEVICES) {
    // All work is over, and who gives the device back has left its context.
    CUcontext context = atomic_load(&self.contexts[device]);
    if (agpu__traced.clock && !agpu__traced.inner->cuCtxSetCurrent(context)) {
      agpu__traced.clock->ending(device);
      (void)agpu__traced.inner->cuCtxSetCurrent(NULL);
    }
    agpu__stream_track_flush(device);
    note_quality();
    atomic_store(&self.contexts[device], NULL);
  }
  return agpu__traced.inner->cuDevicePrimaryCtxRelease(device);
}

CUresult agpu__traced_cuStreamCreate(CUstream *stream, unsigned int flags) {
  CUresult result = agpu__traced.inner->cuStreamCreate(stream, flags);
  if (!result)
    (void)agpu__traced_stream(*stream);
  return result;
}

CUresult agpu__traced_cuStreamDestroy(CUstream stream) {
  // The driver may hand the address out again as soon as the call has begun.
  agpu__mutex_lock(&agpu__traced.lock);
  agpu__trace_table_remove(&agpu__traced.streams, (uint64_t)(uintptr_t)stream);
  agpu__mutex_unlock(&agpu__traced.lock);
  return agpu__traced.inner->cuStreamDestroy(stream);
}

//===----------------------------------------------------------------------===//
// Installing
//===----------------------------------------------------------------------===//

/// The best clock that there is, or the one that is asked for.
static agpu_status start_clock(void) {
  int choice;
  agpu_status status = agpu__setting_word(AGPU__SETTING_TRACE_CLOCK, &choice);
  if (status)
    return status;
  const agpu__driver *inner = agpu__traced.inner;
  int version = 0;
  // Another driver may have been tried before.
  agpu__traced.clock = NULL;
  self.no_clock[0] = '\0';
  if (choice == CLOCK_AUTO && inner->start_clock)
    agpu__traced.clock = inner->start_clock(agpu__stream_track_ran);
  else if (choice == CLOCK_EVENTS)
    (void)snprintf(self.no_clock, sizeof self.no_clock,
                   "ASYNC_GPU_TRACE_CLOCK asks for events");
  else if (!inner->cuDriverGetVersion(&version))
    agpu__traced.clock = agpu__cupti_start(version, agpu__stream_track_ran,
                                           self.no_clock, sizeof self.no_clock);
  if (!agpu__traced.clock)
    agpu__traced.clock =
        agpu__timed_events_start(inner, agpu__stream_track_ran);
  return AGPU_OK;
}

agpu_status agpu__driver_load_trace(agpu__driver *out_driver,
                                    const agpu__driver *inner) {
  agpu__traced.inner = inner;
  agpu_status status = start_clock();
  if (status)
    return status;
  agpu__traced_memory_begin();
  note_quality();
  *out_driver = *inner;
  // A function that the driver lacks stays missing.
#define INSTALL(name)                                                          \
  if (inner->name)                                                             \
    out_driver->name = agpu__traced_##name;
  AGPU__TRACED_FUNCTIONS(INSTALL)
#undef INSTALL
  return AGPU_OK;
}
