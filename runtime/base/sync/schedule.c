//===- schedule.c - The library that draws schedules ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is opened once, beside the runtime, unless it is in the process already,
// and stays open: threads may be in it when the process ends.
//
//===----------------------------------------------------------------------===//

#include "base/sync/schedule.h"

#include "base/os/beside.h"
#include "base/os/clock.h"
#include "base/report/settings.h"
#include "base/report/status_track.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define LIBRARY "libasync_gpu_schedule.so"
#define MODEL "libasync_gpu_emu.so." AGPU_SOVERSION

/// The emulated device's, in a program that is linked with it; else NULL.
extern const agpu__schedule_calls agpu_schedule_calls __attribute__((weak));

/// Set before the hook is, and not again.
static _Atomic(const agpu__schedule_calls *) library;

static const agpu__schedule_calls *calls(void) {
  return agpu__hooks_has(AGPU__HOOK_SCHEDULE)
             ? atomic_load_explicit(&library, memory_order_relaxed)
             : NULL;
}

// Nothing without a library.
#define FORWARD(name, type, value)                                             \
  void agpu__schedule_##name(type value) {                                     \
    const agpu__schedule_calls *of = calls();                                  \
    if (of)                                                                    \
      of->name(value);                                                         \
  }
FORWARD(pass, agpu__point, point)
FORWARD(sleep, const void *, place)
FORWARD(wake, const void *, place)
FORWARD(fork, agpu__fork_step, step)
#undef FORWARD

bool agpu__schedule_draw(agpu__point point) {
  const agpu__schedule_calls *of = calls();
  return of && of->draw(point);
}

uint32_t agpu__schedule_random(void) {
  const agpu__schedule_calls *of = calls();
  return of ? of->random() : 1;
}

static agpu_status open_library(const char *setting, const char *name,
                                const agpu__schedule_calls *found) {
  char path[AGPU__BESIDE_PATH];
  void *opened = RTLD_DEFAULT;
  if (!found && !(found = dlsym(opened, AGPU__SCHEDULE_SYMBOL)) &&
      (opened = dlopen(agpu__find_beside(name, path), RTLD_NOW)))
    found = dlsym(opened, AGPU__SCHEDULE_SYMBOL);
  if (!found)
    return agpu_status_create(AGPU_STATUS_NOT_FOUND, NULL,
                              "%s needs %s beside the runtime's library or the "
                              "program, or in LD_PRELOAD: %s",
                              setting, name, dlerror());
  if (found->points != AGPU__POINTS)
    return agpu_status_create(AGPU_STATUS_UNSUPPORTED, NULL,
                              "%s is of another version of async-gpu", name);
  atomic_store(&library, found);
  agpu__clock_set(found->now);
  return AGPU_OK;
}

void agpu__schedule_read(void) {
  int64_t seed;
  bool is_modelled = agpu__setting_text(AGPU__SETTING_EMU_MODEL) != NULL;
  agpu_status status = agpu__setting_integer(AGPU__SETTING_SEED, &seed);
  bool is_wanted = !status && (seed >= 0 || is_modelled);
  if (is_wanted && !atomic_load(&library))
    status = is_modelled ? open_library("ASYNC_GPU_EMU_MODEL", MODEL,
                                        &agpu_schedule_calls)
                         : open_library("ASYNC_GPU_SEED", LIBRARY, NULL);
  if ((is_wanted = is_wanted && !status))
    atomic_load(&library)->begin(seed);
  agpu__status_report(status);
  agpu__hooks_set(AGPU__HOOK_SCHEDULE, is_wanted);
}

const agpu__network_calls *agpu__schedule_network(void) {
  if (!agpu__hooks_has(AGPU__HOOK_SCHEDULE) &&
      agpu__setting_text(AGPU__SETTING_EMU_MODEL))
    agpu__schedule_read();
  const agpu__schedule_calls *of = calls();
  return of ? of->network : NULL;
}
