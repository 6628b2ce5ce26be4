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
#include "base/report/settings.h"
#include "base/report/status_track.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define LIBRARY "libasync_gpu_schedule.so"

/// Set before the hook is, and not again.
static _Atomic(const agpu__schedule_calls *) library;

/// NULL where there is no seed.
static const agpu__schedule_calls *calls(void) {
  return agpu__hooks_has(AGPU__HOOK_SCHEDULE)
             ? atomic_load_explicit(&library, memory_order_relaxed)
             : NULL;
}

void agpu__schedule_pass(agpu__point point) {
  const agpu__schedule_calls *of = calls();
  if (of)
    of->pass(point);
}

bool agpu__schedule_draw(agpu__point point) {
  const agpu__schedule_calls *of = calls();
  return of && of->draw(point);
}

uint32_t agpu__schedule_random(void) {
  const agpu__schedule_calls *of = calls();
  return of ? of->random() : 1;
}

void agpu__schedule_sleep(const void *place) {
  const agpu__schedule_calls *of = calls();
  if (of)
    of->sleep(place);
}

void agpu__schedule_wake(const void *place) {
  const agpu__schedule_calls *of = calls();
  if (of)
    of->wake(place);
}

void agpu__schedule_fork(agpu__fork_step step) {
  const agpu__schedule_calls *of = calls();
  if (of)
    of->fork(step);
}

static agpu_status open_library(void) {
  const agpu__schedule_calls *found =
      dlsym(RTLD_DEFAULT, AGPU__SCHEDULE_SYMBOL);
  if (!found) {
    char path[AGPU__BESIDE_PATH];
    void *opened = dlopen(agpu__find_beside(LIBRARY, path), RTLD_NOW);
    found = opened ? dlsym(opened, AGPU__SCHEDULE_SYMBOL) : NULL;
  }
  if (!found)
    return agpu_status_create(AGPU_STATUS_NOT_FOUND, NULL,
                              "ASYNC_GPU_SEED needs " LIBRARY
                              " beside the runtime's library or the program, "
                              "or in LD_PRELOAD: %s",
                              dlerror());
  if (found->points != AGPU__POINTS)
    return agpu_status_create(AGPU_STATUS_UNSUPPORTED, NULL,
                              LIBRARY " is of another version of async-gpu");
  atomic_store(&library, found);
  return AGPU_OK;
}

void agpu__schedule_read(void) {
  int64_t seed;
  agpu_status status = agpu__setting_integer(AGPU__SETTING_SEED, &seed);
  if (!status && seed >= 0 && !atomic_load(&library))
    status = open_library();
  bool has_seed = !status && seed >= 0;
  agpu__status_report(status);
  if (has_seed)
    atomic_load(&library)->begin(seed);
  agpu__hooks_set(AGPU__HOOK_SCHEDULE, has_seed);
}
