//===- choose.c - Choosing a driver ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the table of functions that the process uses, and stands the trace, the
// log and the gate in front of it. With ASYNC_GPU_LOG=driver every call is
// logged, with =device which driver it is.
//
//===----------------------------------------------------------------------===//

#include "gpu/process/open.h"

#include "base/os/thread.h"
#include "base/os/write.h"
#include "base/report/log.h"
#include "base/trace/trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS"

/// Streams share a device's connections, 8 where the environment does not say
/// so before cuInit: kernels on streams that share one do not run at the same
/// time, and those that wait for each other never end. No thread may read the
/// environment meanwhile, so a process with threads of its own keeps what it
/// has.
static void ask_for_connections(void) {
  if (secure_getenv(CONNECTIONS))
    return;
  if (agpu__thread_only_known())
    (void)setenv(CONNECTIONS, "32", 1);
  else
    agpu__log(AGPU__LOG_DEVICE,
              CONNECTIONS " is not set, and other threads run: streams may "
                          "share 8 connections");
}

static agpu_status load(agpu_device_kind kind, agpu__chosen_driver *chosen) {
  ask_for_connections();
  agpu_status status = agpu__driver_load(kind, &chosen->plain);
  if (status)
    return status;
  chosen->kind = kind;
  const agpu__driver *driver = &chosen->plain;
  if (agpu__trace_on() || agpu__trace_is_allowed()) {
    // Below the log, which shows what the program asks for.
    status = agpu__driver_load_trace(&chosen->tracing, driver);
    if (status)
      return status;
    driver = &chosen->tracing;
  } else {
    agpu__driver_without_trace();
  }
  if (agpu__log_enabled(AGPU__LOG_DRIVER)) {
    agpu__driver_load_log(&chosen->logging, driver);
    driver = &chosen->logging;
  }
  agpu__driver_load_gate(&chosen->gated, driver);
  driver = chosen->driver = &chosen->gated;
  CUresult result = driver->cuInit(0);
  if (result)
    return agpu__driver_start_error(driver, result);
  result = driver->cuDeviceGetCount(&chosen->count);
  if (result)
    return agpu__driver_error(driver, result, NULL, "counting the devices");
  if (chosen->count > AGPU__MAX_DEVICES)
    chosen->count = AGPU__MAX_DEVICES;
  if (chosen->count < 1)
    return agpu_status_create(
        AGPU_STATUS_NOT_FOUND, NULL,
        "the %s driver has no device: check that nvidia-smi lists the GPU and "
        "that CUDA_VISIBLE_DEVICES does not hide it",
        driver->name);
  return AGPU_OK;
}

/// Someone means to use the GPU that is there: what does not work is said,
/// once.
static void warn(const char *why) {
  static atomic_bool has_warned;
  char text[1024];
  if (atomic_exchange(&has_warned, true))
    return;
  (void)snprintf(text, sizeof text,
                 "the emulated device is used, and is slow: %s "
                 "(ASYNC_GPU_DEVICE=emu asks for it)",
                 why);
  agpu__write_line(NULL, "warning", text);
}

agpu_status agpu__driver_choose(agpu_device_kind kind,
                                agpu__chosen_driver *out_chosen) {
  if (kind != AGPU_DEVICE_AUTO)
    return load(kind, out_chosen);
  agpu_status status = load(AGPU_DEVICE_CUDA, out_chosen);
  if (!status)
    return AGPU_OK;
  if (agpu_status_get_code(status) == AGPU_STATUS_NOT_FOUND)
    agpu__log(AGPU__LOG_DEVICE, "using the emulated device: %s",
              agpu_status_get_message(status));
  else
    warn(agpu_status_get_message(status));
  agpu_status_release(status);
  return load(AGPU_DEVICE_EMU, out_chosen);
}
