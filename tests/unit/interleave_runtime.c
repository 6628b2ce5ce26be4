//===- interleave_runtime.c - What sources under test may call ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of the runtime that listen to others, or have them stray: no one
// listens in these tests, and all orders are tried anyway.
//
//===----------------------------------------------------------------------===//

#include "interleave_parts.h"

#include "base/sync/schedule.h"
#include "base/trace/names.h"
#include "base/trace/trace.h"

uint8_t agpu__hooks;

void agpu__schedule_pass(agpu__point point) {
  (void)point;
  interleave_point();
}

bool agpu__schedule_draw(agpu__point point) {
  (void)point;
  return false;
}

void agpu__schedule_sleep(const void *place) { (void)place; }

void agpu__trace_record(agpu__trace_kind kind, uint64_t id, uint64_t flow,
                        const void *name, uint64_t first, uint64_t second,
                        uint64_t third) {
  (void)kind, (void)id, (void)flow, (void)name;
  (void)first, (void)second, (void)third;
}

void agpu__trace_claim_last(void) {}

void agpu_trace_names_add(agpu_trace_names *table) { (void)table; }

const void *agpu__trace_code(void *handle, void (*resume)(void *handle)) {
  (void)handle, (void)resume;
  return NULL;
}

void agpu__schedule_wake(const void *place) { (void)place; }
