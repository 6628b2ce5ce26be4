//===- driver_emu.c - The driver table of the emulated device -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the settings, has the checks that they ask for listen, and puts the
// calls of the emulated driver into the table.
//
// The emulated device implements the driver table (gpu/driver/driver.h) on host
// threads: a stream is a queue with a thread, an event is a marker in queues,
// device memory is host memory with records, and a kernel is native code that
// runs one block per call. It knows nothing of the runtime above the table.
//
// There are one or more devices (ASYNC_GPU_EMU_DEVICES) with one context each.
// Copies reach the memory of all devices; a kernel that is given memory of
// another device fails unless access has been switched on (peers.c). What a
// context leaves behind goes with the last one.
//
//===----------------------------------------------------------------------===//

#include "emu/base/calls.h"
#include "emu/base/settings.h"
#include "emu/check/checks.h"
#include "emu/device/fault.h"
#include "emu/device/work_clock.h"
#include "emu/simt/kernel_fault.h"

agpu_status agpu__driver_load_emu(agpu__driver *out_driver) {
  agpu_status status = agpu__emu_settings_load();
  if (status)
    return status;
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  agpu__emu_checks_install(settings);
  agpu__emu_kernel_fault_watch();
  *out_driver = (agpu__driver){.name = "emu",
                               .image_format = AGPU_IMAGE_NATIVE,
                               .start_clock = agpu__emu_work_clock_start,
                               .checks_memory = settings->check_memory,
                               .checks_races = settings->check_races};
#define INSTALL(need, name, symbol, parameters, arguments)                     \
  out_driver->name = agpu__emu_##name;
  AGPU__DRIVER_FUNCTIONS(INSTALL)
#undef INSTALL
  if (settings->fault.call)
    agpu__emu_load_faults(out_driver);
  return AGPU_OK;
}
