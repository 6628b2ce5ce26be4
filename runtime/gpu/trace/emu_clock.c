//===- emu_clock.c - The emulated device's own clock ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated device looks at the host's clock when work begins and ends. It
// asks for the number of the work while it is enqueued, which is kept for the
// calling thread from before the call until after it.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "gpu/trace/work_clock.h"

#include <stdio.h>

static void *before(uint64_t work, int device, CUstream stream) {
  (void)device, (void)stream;
  agpu__self.gpu.traced_work = work;
  return NULL;
}

static void after(void *token, int device, CUstream stream, bool enqueued) {
  (void)token, (void)device, (void)stream, (void)enqueued;
  agpu__self.gpu.traced_work = 0;
}

static void ending(int device) { (void)device; }

static void describe(agpu__work_clock_quality *out_quality) {
  *out_quality = (agpu__work_clock_quality){.source = "emulated device"};
  (void)snprintf(out_quality->how, sizeof out_quality->how,
                 "the host's clock, read by the thread that runs the work");
}

const agpu__work_clock *agpu__emu_clock_start(const agpu__driver *driver,
                                              agpu__work_ran *ran) {
  static const agpu__work_clock clock = {.before = before,
                                         .after = after,
                                         .ending = ending,
                                         .describe = describe,
                                         .tells_nodes = true};
  if (!driver->extension)
    return NULL;
  driver->extension->start_clock(ran);
  return &clock;
}
