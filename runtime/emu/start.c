//===- start.c - The beginning of the emulated driver ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated device is a CUDA driver on host threads: a stream is a queue
// with a thread, an event is a marker in queues, device memory is host memory
// with records, and a kernel is native code that runs one block per call. It
// knows nothing of the runtime but what that tells it of its own accord
// (client.h).
//
// There are one or more devices (ASYNC_GPU_EMU_DEVICES) with one context each.
// Copies reach the memory of all devices; a kernel that is given memory of
// another device fails unless access has been switched on (peers.c). What a
// context leaves goes with the last one.
//
// Here the settings are read, and the checks that they ask for listen: when a
// client starts the driver, and else with cuInit.
//
//===----------------------------------------------------------------------===//

#include "emu/start.h"

#include "base/sync/mutex.h"
#include "emu/base/calls.h"
#include "emu/base/client.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"
#include "emu/check/checks.h"
#include "emu/check/host_access.h"
#include "emu/check/host_races.h"
#include "emu/device/fault.h"
#include "emu/device/work_clock.h"
#include "emu/model/start.h"
#include "emu/simt/kernel_fault.h"

#include <stdio.h>

static struct {
  agpu__mutex lock;
  bool is_started AGPU__GUARDED_BY(lock);
  agpu__emu_extension extension;
  char place[512]; // of the last error
} driver = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_START),
            .extension = {.start_clock = agpu__emu_work_clock_start,
                          .check_host_access = agpu__emu_check_host_access,
                          .check_host_free = agpu__emu_host_races_free,
                          .become_unified = agpu__emu_become_unified}};

static agpu_status start(void) AGPU__REQUIRES(driver.lock) {
  agpu_status status = agpu__emu_settings_load();
  if (!status)
    status = agpu__emu_model_begin();
  if (status)
    return status;
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  agpu__emu_checks_install(settings);
  agpu__emu_model_install();
  agpu__emu_kernel_fault_watch();
  agpu__emu_faults_start();
  driver.extension.checks_memory = settings->check_memory;
  driver.extension.checks_races = settings->check_races;
  driver.extension.modelled = agpu__emu_model_describe();
  driver.extension.wants_unified = settings->wants_unified;
  driver.is_started = true;
  return AGPU_OK;
}

const agpu__emu_extension *agpu__emu_start(uint32_t version,
                                           const agpu__emu_client *client,
                                           char *message, size_t size,
                                           const char **out_place) {
  if (version != AGPU__EMU_EXTENSION_VERSION) {
    (void)snprintf(message, size,
                   "the emulated device is of another release than the "
                   "runtime: its extension is number %u, not %u",
                   AGPU__EMU_EXTENSION_VERSION, version);
    return NULL;
  }
  agpu__mutex_lock(&driver.lock);
  agpu__emu_client_now = client;
  agpu_status status = start();
  agpu__mutex_unlock(&driver.lock);
  if (!status)
    return &driver.extension;
  const char *location = agpu_status_get_location(status);
  (void)snprintf(driver.place, sizeof driver.place, "%s",
                 location ? location : "");
  *out_place = location ? driver.place : NULL;
  (void)snprintf(message, size, "%s", agpu_status_get_message(status));
  agpu_status_release(status);
  return NULL;
}

CUresult agpu__emu_cuInit(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__mutex_lock(&driver.lock);
  agpu_status status = driver.is_started ? AGPU_OK : start();
  agpu__mutex_unlock(&driver.lock);
  if (status) {
    agpu__emu_report_error(status);
    return CUDA_ERROR_INVALID_VALUE;
  }
  agpu__emu_initialize();
  return CUDA_SUCCESS;
}
