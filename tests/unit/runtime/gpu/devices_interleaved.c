//===- devices_interleaved.c - Devices that open in all interleavings -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that use a device first, the same one and another, while one walks
// over those that are open: the driver starts once, each device is opened once
// and connected with the others, and who finds one finds all that it is.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"
#include "gpu/process/devices.c"

#include "check.h"
#include "own_self.h"

#include <stdarg.h>

#define DEVICES 2

// What devices.c needs of the runtime.

int64_t agpu__clock_now_ns(void) { return 0; }
void agpu__trace_settle(void) {}
bool agpu__lifecycle_is_exiting(void) { return false; }
void agpu__fatal_ignore_faults(void) {}
void agpu__sites_fork(void) {}
void agpu__sites_release_module(const agpu_module_desc *of) { (void)of; }
bool agpu__driver_gate_close(int64_t timeout_ns) { return timeout_ns < 0; }
void agpu_status_release(agpu_status status) { CHECK(!status); }
agpu_status agpu_status_retain(agpu_status status) { return status; }
agpu_status agpu_runtime_check_settings(void) { return NULL; }
void agpu__device_enter(const agpu__device *device) { (void)device; }
void agpu__device_switch_back(const agpu__device *device) { (void)device; }

void agpu__log(agpu__log_category category, const char *format, ...) {
  (void)category, (void)format;
}

agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code, (void)location, (void)format;
  CHECK(false);
  return NULL;
}

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *format, ...) {
  (void)driver, (void)result, (void)location, (void)format;
  CHECK(false);
  return NULL;
}

void agpu__fatal(agpu_status status, const char *location, int exit_status) {
  (void)status, (void)location;
  exit(exit_status);
}

agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  (void)setting;
  *out_value = 7;
  return NULL;
}

agpu_status agpu__setting_word(agpu__setting setting, int *out_index) {
  (void)setting;
  *out_index = AGPU_DEVICE_EMU;
  return NULL;
}

static const agpu__driver driver = {.name = "test"};
static int starts; ///< under the table's lock, as what follows

agpu_status agpu__driver_choose(agpu_device_kind kind,
                                agpu__chosen_driver *out_chosen) {
  ++starts;
  out_chosen->kind = kind;
  out_chosen->driver = &driver;
  out_chosen->count = DEVICES;
  return NULL;
}

static struct agpu__completion {
  int pending;
} completions;

agpu_status agpu__completion_create(agpu__shared *shared, agpu__trim *trims,
                                    bool is_emu) {
  CHECK(trims);
  (void)is_emu;
  completions.pending = 0;
  shared->completion = &completions;
  return NULL;
}

void agpu__completion_destroy(agpu__completion *of) { (void)of; }
void agpu__completion_drain(agpu__completion *of) { CHECK_EQ(of->pending, 0); }

bool agpu__completion_is_pending(agpu__completion *of) {
  return of->pending != 0;
}

agpu__host_memory *agpu__host_memory_create(void) { return NULL; }
void agpu__host_memory_destroy(agpu__host_memory *memory) { (void)memory; }
void agpu__host_memory_abandon(agpu__host_memory *memory) { (void)memory; }
agpu__pins *agpu__pins_create(void) { return NULL; }
void agpu__pins_destroy(agpu__pins *pins) { (void)pins; }

static const agpu__outside_life *registered;

void agpu__set_device_life(const agpu__outside_life *of) { registered = of; }

static agpu__device devices[DEVICES];
static int opened[DEVICES], connected;

agpu_status agpu__devices_count_multiprocessors(const agpu__driver *of,
                                                int count, int *out_fewest) {
  (void)of;
  *out_fewest = count;
  return AGPU_OK;
}

agpu_status agpu__devices_reach_host(const agpu__driver *of, int count,
                                     bool *out_reach) {
  (void)of;
  (void)count;
  *out_reach = false;
  return NULL;
}

agpu_status agpu__device_open(const agpu__driver *of, agpu_device_kind kind,
                              int32_t ordinal, agpu__shared *shared,
                              agpu__device **out_device) {
  ++opened[ordinal];
  devices[ordinal] = (agpu__device){.driver = of,
                                    .kind = kind,
                                    .ordinal = ordinal,
                                    .opening = (uint64_t)ordinal + 1,
                                    .shared = shared};
  *out_device = &devices[ordinal];
  return NULL;
}

void agpu__device_connect(const agpu__device *device,
                          const agpu__device *peer) {
  CHECK(device != peer);
  ++connected;
}

void agpu__device_close(agpu__device *device) { --opened[device->ordinal]; }
void agpu__device_free_blocks(agpu__device *device) { (void)device; }
void agpu__device_abandon(const agpu__device *device) { (void)device; }
bool agpu__device_trim(const agpu__device *device) { return !device; }

// No run gets there.
agpu__pool_stream *agpu__stream_pool_find(agpu__stream_pool *pool,
                                          CUstream handle) {
  (void)pool, (void)handle;
  return NULL;
}

bool agpu__event_give_handle(const agpu__device *device, CUevent handle) {
  return !device && !handle;
}

bool agpu__block_pool_has(agpu__block_pool *pool, CUdeviceptr pointer) {
  return !pool && !pointer;
}

bool agpu__raw_modules_have(agpu__raw_modules *modules, CUmodule handle) {
  return !modules && !handle;
}

void agpu__stream_pool_drain(const agpu__device *device) { (void)device; }
void agpu__stream_pool_keep_names(agpu__stream_pool *pool) { (void)pool; }

int64_t agpu__stream_pool_count_lent(agpu__stream_pool *pool) {
  (void)pool;
  return 0;
}

int64_t agpu__event_pool_count_held(agpu__event_pool *pool) {
  (void)pool;
  return 0;
}

bool agpu__stream_pool_is_busy(const agpu__device *device) { return !device; }

void agpu__module_forget(agpu__shared *shared, const agpu_module_desc *of) {
  (void)shared, (void)of;
}

void agpu__module_set_release(const agpu__device *device,
                              const agpu_module_desc *of) {
  (void)device, (void)of;
}

//===----------------------------------------------------------------------===//

AGPU__UNCHECKED_LOCKS static void begin(void) {
  table.state = NOT_STARTED;
  table.shared = (agpu__shared){.stream_limit = 0};
  atomic_init(&table.count, 0);
  atomic_init(&table.open, 0);
  starts = connected = 0;
  memset(opened, 0, sizeof(opened));
  memset(devices, 0, sizeof(devices));
}

static void check_device(const agpu__device *device) {
  CHECK(device->driver == &driver && device->kind == AGPU_DEVICE_EMU);
  CHECK_EQ(device->shared->stream_limit, 7);
}

static void get(int32_t ordinal) {
  const agpu__device *device;
  CHECK(!agpu__devices_get(ordinal, &device));
  CHECK_EQ(device->ordinal, ordinal);
  check_device(device);
}

static void use(int thread) {
  get(thread);
  if (thread == 1)
    get(0);
}

/// The last thread asks what is pending, or waits for that, before it walks;
/// the others want a device, the second one after the other.
static void drain_or_use(int thread) {
  if (thread < 2)
    use(thread);
  else
    drain();
}

static void walk_or_use(int thread) {
  if (thread < 2) {
    use(thread);
    return;
  }
  CHECK(!is_pending());
  bool are_several = agpu__devices_are_several();
  int found = 0;
  AGPU__DEVICES_FOREACH (device) {
    check_device(device);
    ++found;
  }
  CHECK(!are_several || found == DEVICES);
}

static void end(void) {
  CHECK_EQ(starts, 1);
  CHECK_EQ(connected, 1);
  CHECK(registered == &life);
  CHECK(agpu__devices_are_several());
  for (int i = 0; i < DEVICES; ++i)
    CHECK_EQ(opened[i], 1);
  registered->shutdown();
  for (int i = 0; i < DEVICES; ++i)
    CHECK_EQ(opened[i], 0);
}

int main(void) {
  void (*const works[])(int) = {walk_or_use, drain_or_use};
  for (int i = 0; i < 2; ++i) {
    long runs = interleave(&(interleaving){.threads = 3,
                                           .preemptions = 3,
                                           .begin = begin,
                                           .run = works[i],
                                           .end = end});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
