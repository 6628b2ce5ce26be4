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
// is installed only where a trace is on, or may begin later, so that it costs
// nothing otherwise; then what handles stand for is followed all the time.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/driver.h"

#include "base/report/settings.h"
#include "base/trace/session.h"
#include "gpu/trace/traced.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

/// In the order of the setting.
enum { CLOCK_AUTO, CLOCK_EVENTS, CLOCK_NODES };

static struct {
  agpu__mutex lock; // held while a trace begins or ends
  int choice;       // the setting
  // Before the trace began.
  agpu__stream_track_losses losses;
  uint64_t lost;
  bool has_looked;    // for a clock
  char no_clock[160]; // why there is no better one, or ""
  _Atomic(CUcontext) contexts[AGPU__MAX_DEVICES];
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_DRIVER_TRACE)};

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

static CUcontext get_context(int device) {
  return atomic_load_explicit(&self.contexts[device], memory_order_relaxed);
}

/// The calling thread's context is this one.
static void note_current(CUcontext context) {
  if (!context || context == get_context(agpu__self.gpu.traced_device))
    return;
  for (int i = 0; i < AGPU__MAX_DEVICES; ++i)
    if (get_context(i) == context)
      agpu__self.gpu.traced_device = i;
}

CUresult agpu__traced_cuCtxSetCurrent(CUcontext context) {
  CUresult result = agpu__traced.inner->cuCtxSetCurrent(context);
  if (!result)
    note_current(context);
  return result;
}

// The runtime asks where other code may have made a context current.
CUresult agpu__traced_cuCtxGetCurrent(CUcontext *context) {
  CUresult result = agpu__traced.inner->cuCtxGetCurrent(context);
  if (!result)
    note_current(*context);
  return result;
}

/// How good the times are, as far as is known by now.
static void note_quality(void) {
  const agpu__work_clock *clock = agpu__traced_clock();
  agpu__work_clock_quality quality = agpu__work_clock_get_quality();
  agpu__trace_note("device clock", "%s", clock ? clock->source : "none");
  agpu__trace_note("device clock alignment", "%s",
                   clock ? clock->how : self.no_clock);
  agpu__trace_note("device clock error ns", "%" PRId64, quality.error_ns);
  if (clock && self.choice == CLOCK_NODES && !clock->take_nodes)
    agpu__trace_note("device clock nodes",
                     "the driver's graphs record no events: they are shown as "
                     "a whole");
  if (clock && self.no_clock[0])
    agpu__trace_note("device clock not CUPTI", "%s", self.no_clock);
  agpu__stream_track_losses losses = agpu__stream_track_lost();
  uint64_t untimed = losses.untimed - self.losses.untimed;
  uint64_t left_out = losses.left_out - self.losses.left_out;
  uint64_t lost = quality.lost - self.lost;
  if (untimed || lost || quality.why[0])
    agpu__trace_note("device times lost",
                     "%" PRIu64 " pieces of work, and %" PRIu64
                     " measurements%s%s",
                     untimed, lost, quality.why[0] ? ": " : "", quality.why);
  if (left_out)
    agpu__trace_note("device nodes left out",
                     "%" PRIu64 " runs in loops and branches of the device",
                     left_out);
}

/// Makes another context current for a moment: which was before is
/// `*out_before`.
static bool borrow_context(CUcontext context, CUcontext *out_before) {
  *out_before = NULL;
  if (agpu__traced.inner->cuCtxGetCurrent)
    (void)agpu__traced.inner->cuCtxGetCurrent(out_before);
  return agpu__traced.inner->cuCtxSetCurrent(context) == CUDA_SUCCESS;
}

CUresult agpu__traced_cuDevicePrimaryCtxRelease(CUdevice device) {
  if (device >= 0 && device < AGPU__MAX_DEVICES) {
    // All work is over, and who gives the device back has left its context.
    CUcontext before, context = atomic_load(&self.contexts[device]);
    const agpu__work_clock *clock = agpu__traced_clock();
    if (clock && clock->collect && borrow_context(context, &before)) {
      clock->collect(device, /*is_last=*/true);
      (void)agpu__traced.inner->cuCtxSetCurrent(before);
    }
    agpu__stream_track_flush(device);
    note_quality();
    atomic_store(&self.contexts[device], NULL);
  }
  return agpu__traced.inner->cuDevicePrimaryCtxRelease(device);
}

CUresult agpu__traced_cuStreamCreate(CUstream *stream, unsigned int flags) {
  CUresult result = agpu__traced.inner->cuStreamCreate(stream, flags);
  if (!result && agpu__trace_on())
    (void)agpu__traced_stream(*stream);
  return result;
}

CUresult agpu__traced_cuStreamCreateWithPriority(CUstream *stream,
                                                 unsigned int flags,
                                                 int priority) {
  CUresult result =
      agpu__traced.inner->cuStreamCreateWithPriority(stream, flags, priority);
  if (!result && agpu__trace_on())
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
// Beginning and ending
//===----------------------------------------------------------------------===//

/// The best clock that there is, or the one that is asked for. CUPTI costs
/// something from when it is there, so it is not before a trace begins.
static void start_clock(bool is_on) AGPU__REQUIRES(self.lock) {
  const agpu__driver *inner = agpu__traced.inner;
  const agpu__work_clock *clock = NULL;
  int version = 0;
  if (self.choice == CLOCK_AUTO)
    clock = agpu__emu_clock_start(inner, agpu__stream_track_ran);
  if (!clock && !is_on)
    return;
  if (self.choice != CLOCK_AUTO)
    (void)snprintf(self.no_clock, sizeof self.no_clock,
                   "ASYNC_GPU_TRACE_CLOCK asks for events");
  else if (!clock && !inner->cuDriverGetVersion(&version))
    clock = agpu__cupti_start(version, agpu__stream_track_ran, self.no_clock,
                              sizeof self.no_clock);
  if (!clock)
    clock = agpu__timed_events_start(inner, agpu__stream_track_ran,
                                     self.choice == CLOCK_NODES);
  self.has_looked = true;
  atomic_store_explicit(&agpu__traced.clock, clock, memory_order_release);
}

static void begin(void) {
  agpu__mutex_lock(&self.lock);
  if (!self.has_looked)
    start_clock(/*is_on=*/true);
  else if (agpu__traced_clock() && agpu__traced_clock()->set_on)
    agpu__traced_clock()->set_on(true);
  self.lost = agpu__work_clock_get_quality().lost;
  self.losses = agpu__stream_track_lost();
  note_quality();
  agpu__mutex_unlock(&self.lock);
}

static void end(void) {
  agpu__mutex_lock(&self.lock);
  const agpu__work_clock *clock = agpu__traced_clock();
  for (int i = 0; i < AGPU__MAX_DEVICES; ++i) {
    CUcontext before, context = atomic_load(&self.contexts[i]);
    if (!context)
      continue;
    if (clock && clock->collect && borrow_context(context, &before)) {
      clock->collect(i, /*is_last=*/false);
      (void)agpu__traced.inner->cuCtxSetCurrent(before);
    }
    agpu__stream_track_flush(i);
  }
  if (clock && clock->set_on)
    clock->set_on(false);
  note_quality();
  agpu__mutex_unlock(&self.lock);
  agpu__traced_forget_events();
}

//===----------------------------------------------------------------------===//
// Installing
//===----------------------------------------------------------------------===//

agpu_status agpu__driver_load_trace(agpu__driver *out_driver,
                                    const agpu__driver *inner) {
  static const agpu__trace_source source = {begin, end,
                                            agpu__stream_track_drop_all};
  agpu__mutex_lock(&self.lock);
  agpu__traced.inner = inner;
  // Another driver may have been tried before.
  agpu__traced.clock = NULL;
  self.no_clock[0] = '\0';
  self.has_looked = false;
  agpu_status status =
      agpu__setting_word(AGPU__SETTING_TRACE_CLOCK, &self.choice);
  if (!status)
    start_clock(agpu__trace_on());
  agpu__mutex_unlock(&self.lock);
  if (status)
    return status;
  agpu__traced_memory_begin();
  agpu__trace_set_source(&source);
  *out_driver = *inner;
  // A function that the driver lacks stays missing.
#define INSTALL(name)                                                          \
  if (inner->name)                                                             \
    out_driver->name = agpu__traced_##name;
  AGPU__TRACED_FUNCTIONS(INSTALL)
#undef INSTALL
  return AGPU_OK;
}

static void begin_without(void) {
  agpu__trace_note("device work", "not recorded: devices were in use before "
                                  "agpu_runtime_allow_traces was called");
}

static void end_without(void) {}

void agpu__driver_without_trace(void) {
  static const agpu__trace_source source = {begin_without, end_without,
                                            agpu__stream_track_drop_all};
  agpu__trace_set_source(&source);
}
