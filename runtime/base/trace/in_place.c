//===- in_place.c - Regions that run in place -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs call that were lowered for a trace: each call is an event, or
// is remembered for the one that follows.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/trace.h"

#include "base/os/self.h"
#include "base/trace/trace.h"

void agpu_trace_begin(const agpu_trace_name *name) {
  agpu__trace_enter(name);
  if (agpu__trace_on())
    agpu__trace_record(AGPU__TRACE_IN_PLACE, 0, 0, NULL, (uintptr_t)name, 0, 0);
}

void agpu_trace_end(void) {
  --agpu__self.trace.depth;
  if (agpu__trace_on())
    agpu__trace_record(AGPU__TRACE_IN_PLACE_END, 0, 0, NULL, 0, 0, 0);
}

void agpu_trace_here(const agpu_trace_name *name) {
  agpu__self.trace.here = name;
}
