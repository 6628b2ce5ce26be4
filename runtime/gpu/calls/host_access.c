//===- host_access.c - Checked accesses of host code ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that were compiled with check-accesses=true say what they do with
// memory; the emulated device's checks know what that means. Divisions are
// checked whatever the device is.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/host_access.h"

#include "base/os/self.h"
#include "base/report/fatal.h"
#include "gpu/driver/driver.h"

#include <stdlib.h>

void agpu_check_host_access(const void *address, uint64_t size, uint32_t flags,
                            const char *location) {
  const agpu__emu_extension *device = agpu__driver_get_extension();
  if (device && size)
    device->check_host_access(address, size, flags, location);
}

void agpu_check_host_free(void *memory, const char *location) {
  const agpu__emu_extension *device = agpu__driver_get_extension();
  if (device)
    device->check_host_free(memory, location);
}

void agpu_check_host_division(uint32_t fault, const char *location) {
  if (fault)
    agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, location,
                                   "the host divides %s",
                                   agpu__division_fault(fault)),
                NULL, EXIT_FAILURE);
}

void agpu_note_host_call(const char *location) {
  agpu__self.gpu.host_call = location;
}
