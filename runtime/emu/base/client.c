//===- client.c - Who uses the emulated device ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The client of a program that has said nothing, which every process begins
// with; and what is known of the calling thread's call before it is asked:
// where a graph is launched, the ops are those of its nodes.
//
//===----------------------------------------------------------------------===//

#include "emu/base/client.h"

#include "base/os/self.h"
#include "base/os/write.h"
#include "base/report/fatal.h"

#include <stdlib.h>

static agpu__op_name get_no_origin(void) {
  return (agpu__op_name){.what = NULL};
}

static uint64_t get_no_work(void) { return 0; }

static const agpu__host_range *get_nothing_touched(size_t *out_count) {
  *out_count = 0;
  return NULL;
}

static const char *get_no_call(void) { return NULL; }

static void write_error(agpu_status_code code, const char *location,
                        const char *message) {
  (void)code;
  agpu__write_line(location, "error", message);
}

__attribute__((noreturn)) static void end(const char *location,
                                          const char *message) {
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, location, "%s", message),
              NULL, EXIT_FAILURE);
}

static const agpu__emu_client nobody = {.get_origin = get_no_origin,
                                        .get_work = get_no_work,
                                        .get_touched = get_nothing_touched,
                                        .get_host_call = get_no_call,
                                        .report = write_error,
                                        .end = end,
                                        .is_ending = agpu__fatal_has_begun,
                                        .set_resolve_fault =
                                            agpu__fatal_set_resolve_fault};

const agpu__emu_client *agpu__emu_client_now = &nobody;

agpu__op_name agpu__emu_get_origin(void) {
  return agpu__self.emu.node_origin ? *agpu__self.emu.node_origin
                                    : agpu__emu_client_now->get_origin();
}

uint64_t agpu__emu_get_work(void) {
  return agpu__self.emu.node_origin ? agpu__self.emu.node_work
                                    : agpu__emu_client_now->get_work();
}

void agpu__emu_set_node(const agpu__op_name *origin, uint64_t work) {
  agpu__self.emu.node_origin = origin;
  agpu__self.emu.node_work = work;
}

void agpu__emu_report_error(agpu_status status) {
  agpu__emu_client_now->report(agpu_status_get_code(status),
                               agpu_status_get_location(status),
                               agpu_status_get_message(status));
  agpu_status_release(status);
}

void agpu__emu_end(agpu_status status) {
  agpu__emu_client_now->end(agpu_status_get_location(status),
                            agpu_status_get_message(status));
}
