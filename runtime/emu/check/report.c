//===- report.c - What kernels do wrong and survive -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The message of such an error, with the thread; and those errors that take no
// more than that: divisions, and lanes that are not there.
//
//===----------------------------------------------------------------------===//

#include "emu/check/report.h"

#include "base/memory/memory.h"
#include "base/report/log.h"
#include "base/sync/lock.h"
#include "emu/base/client.h"
#include "emu/base/settings.h"
#include "emu/simt/block.h"

#include <stdarg.h>
#include <stdio.h>

#define MOST_PLACES 64u

static struct {
  agpu__lock lock;
  struct {
    const char *places[MOST_PLACES];
    unsigned count;
  } of[AGPU__EMU_REPORT_KINDS] AGPU__GUARDED_BY(lock);
} reported = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_REPORTS)};

bool agpu__emu_report_is_new(agpu__emu_report_kind kind, const char *location) {
  // Code may be released, and other text lie there then.
  const char *place = agpu__text_keep(location);
  agpu__lock_acquire(&reported.lock);
  unsigned i = 0, count = reported.of[kind].count;
  while (i < count && reported.of[kind].places[i] != place)
    ++i;
  bool is_new = i == count && i < MOST_PLACES;
  if (is_new)
    reported.of[kind].places[reported.of[kind].count++] = place;
  agpu__lock_release(&reported.lock);
  return is_new;
}

void agpu__emu_report_reset(void) {
  agpu__lock_acquire(&reported.lock);
  for (int kind = 0; kind < AGPU__EMU_REPORT_KINDS; ++kind)
    reported.of[kind].count = 0;
  agpu__lock_release(&reported.lock);
}

void agpu__emu_report(const char *location, uint32_t x, uint32_t y, uint32_t z,
                      const char *format, ...) {
  const agpu__emu_runner *runner = agpu__emu_runner_current();
  const uint32_t *id = runner->block.block_id;
  char text[640];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  agpu_status status = agpu_status_create(
      AGPU_STATUS_PROGRAM, location,
      "kernel '%s', block %u,%u,%u: thread %u,%u,%u %s",
      runner->launch->kernel->name, id[0], id[1], id[2], x, y, z, text);
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", agpu_status_get_message(status));
  agpu__emu_report_error(status);
}

void agpu_native_check_division(uint32_t fault, const char *location,
                                uint32_t x, uint32_t y, uint32_t z) {
  if (fault && agpu__emu_get_settings()->check_arithmetic &&
      agpu__emu_report_is_new(AGPU__EMU_DIVISION, location))
    agpu__emu_report(location, x, y, z, "divides %s",
                     agpu__division_fault(fault));
}

void agpu__emu_report_absent_lane(const agpu_native_thread *warp, uint32_t lane,
                                  uint32_t source) {
  const char *location = warp[lane].site->location;
  if (!agpu__emu_report_is_new(AGPU__EMU_ABSENT_LANE, location))
    return;
  uint32_t id[3];
  agpu__emu_thread_id(&warp[lane], id);
  agpu__emu_report(location, id[0], id[1], id[2],
                   "reads lane %u in a shuffle of lanes 0x%08x, which has "
                   "ended, does not exist, or is not one of them",
                   source, warp[lane].mask);
}
