//===- client.c - What the emulated device asks the runtime for -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the calls of the driver's API have no parameter for is kept for the
// thread that calls; what the emulated device finds wrong becomes an error of
// the process, or ends it.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "base/report/fatal.h"
#include "base/report/status_track.h"
#include "gpu/driver/driver.h"

#include <stdlib.h>

void agpu__driver_set_touched(const agpu__host_range *ranges, size_t count) {
  agpu__self.gpu.touched = ranges;
  agpu__self.gpu.touched_count = count;
}

static const agpu__host_range *get_touched(size_t *out_count) {
  *out_count = agpu__self.gpu.touched_count;
  return agpu__self.gpu.touched;
}

static uint64_t get_work(void) { return agpu__self.gpu.traced_work; }

static const char *get_host_call(void) { return agpu__self.gpu.host_call; }

static void report(agpu_status_code code, const char *location,
                   const char *message) {
  agpu__status_report(agpu_status_create(code, location, "%s", message));
}

__attribute__((noreturn)) static void end(const char *location,
                                          const char *message) {
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, location, "%s", message),
              NULL, EXIT_FAILURE);
}

const agpu__emu_client agpu__driver_client = {
    .get_origin = agpu__driver_get_origin,
    .get_work = get_work,
    .get_touched = get_touched,
    .get_host_call = get_host_call,
    .report = report,
    .end = end,
    .is_ending = agpu__fatal_has_begun,
    .set_resolve_fault = agpu__fatal_set_resolve_fault};
