//===- work_clock.c - The emulated device's clock; how good clocks are ----===//
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

#include "gpu/trace/work_clock.h"

#include "base/os/self.h"
#include "base/sync/mutex.h"

#include <stdarg.h>
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

static struct {
  agpu__mutex lock;
  agpu__work_clock_quality quality AGPU__GUARDED_BY(lock);
  agpu__work_clock clock; // the emulated device's
} self = {
    .lock = AGPU__MUTEX_INIT(AGPU__RANK_WORK_CLOCK),
    .clock = {.source = "emulated device",
              .how = "the host's clock, read by the thread that runs the work",
              .before = before,
              .after = after,
              .tells_nodes = true}};

agpu__work_clock_quality agpu__work_clock_get_quality(void) {
  agpu__mutex_lock(&self.lock);
  agpu__work_clock_quality quality = self.quality;
  agpu__mutex_unlock(&self.lock);
  return quality;
}

void agpu__work_clock_is_off(int64_t error_ns) {
  agpu__mutex_lock(&self.lock);
  if (error_ns > self.quality.error_ns)
    self.quality.error_ns = error_ns;
  agpu__mutex_unlock(&self.lock);
}

void agpu__work_clock_lose(uint64_t count, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  agpu__mutex_lock(&self.lock);
  self.quality.lost += count;
  if (!self.quality.why[0])
    (void)vsnprintf(self.quality.why, sizeof self.quality.why, format,
                    arguments);
  agpu__mutex_unlock(&self.lock);
  va_end(arguments);
}

const agpu__work_clock *agpu__emu_clock_start(const agpu__driver *driver,
                                              agpu__work_ran *ran) {
  if (!driver->extension)
    return NULL;
  if (driver->extension->modelled)
    self.clock.how = driver->extension->modelled;
  driver->extension->start_clock(ran);
  return &self.clock;
}
