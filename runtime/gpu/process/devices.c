//===- devices.c - The devices of the process, and their end ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver starts, and settings are read, with the first use of a device. One
// lock guards who starts and who ends; what has started is read without it.
//
//===----------------------------------------------------------------------===//

#include "gpu/process/devices.h"
#include "gpu/device/pins.h"

#include "async/lifecycle.h"
#include "async_gpu/device.h"
#include "base/os/clock.h"
#include "base/report/fatal.h"
#include "base/report/log.h"
#include "base/report/settings.h"
#include "base/sync/mutex.h"
#include "base/trace/trace.h"
#include "gpu/graph/record.h"
#include "gpu/kernel/module.h"
#include "gpu/kernel/raw_module.h"
#include "gpu/memory/memory.h"
#include "gpu/process/open.h"
#include "gpu/stream/completion.h"

#include <stdlib.h>
#include <time.h>

/// How long the end of a process that fails waits for work on devices.
#define ABANDON_NS ((int64_t)4 * AGPU__NS_PER_SECOND)

typedef enum start_state {
  NOT_STARTED,
  STARTED,
  FAILED,
  ABANDONED, ///< the process is about to end
} start_state;

/// The one table.
static struct {
  /// Held while devices are closed, and by those who need them open for long:
  /// a driver's call may block meanwhile. Taken before `lock`.
  agpu__mutex closing;
  agpu__mutex lock;
  start_state state AGPU__GUARDED_BY(lock);
  agpu_status failure AGPU__GUARDED_BY(lock); ///< of the last start
  bool chosen AGPU__GUARDED_BY(lock);         ///< by agpu_runtime_set_device
  bool forked AGPU__GUARDED_BY(lock); ///< from a process where it was STARTED
  agpu_device_kind choice AGPU__GUARDED_BY(lock);
  /// Of the attempts to open devices.
  agpu_status failures[AGPU__MAX_DEVICES] AGPU__GUARDED_BY(lock);

  // Constant while STARTED, but for what says otherwise.
  agpu__chosen_driver driver;
  agpu__shared shared;
  /// Modulo their number, the default device of who has chosen none.
  atomic_int first;
  // 0 while not STARTED. Release and acquire: who sees it sees what is above.
  atomic_int count;
  atomic_int open;
} table = {.closing = AGPU__MUTEX_INIT(AGPU__RANK_DEVICES_CLOSING),
           .lock = AGPU__MUTEX_INIT(AGPU__RANK_DEVICES),
           .shared = {.functions_lock = AGPU__LOCK_INIT(AGPU__RANK_FUNCTIONS)}};

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

/// The settings of what every device has.
static agpu_status read_settings(agpu__shared *shared) {
  int64_t streams, keep_bytes, heap;
  agpu_status status = agpu__setting_integer(AGPU__SETTING_STREAMS, &streams);
  if (!status)
    status = agpu__setting_integer(AGPU__SETTING_KEEP_BYTES, &keep_bytes);
  if (!status)
    status = agpu__setting_integer(AGPU__SETTING_HEAP_BYTES, &heap);
  if (!status)
    status = agpu__setting_word(AGPU__SETTING_GRAPHS, &shared->graphs);
  if (status)
    return status;
  shared->heap_bytes = heap == AGPU__SETTING_UNSET ? 0 : (size_t)heap;
  shared->stream_limit = (unsigned)streams;
  shared->keep_bytes = (size_t)keep_bytes;
  return AGPU_OK;
}

static const agpu__outside_life life;

static bool trim(void) {
  bool idle = true;
  AGPU__DEVICES_FOREACH (device)
    idle &= agpu__device_trim(device);
  return idle;
}

static agpu_status start(void) AGPU__REQUIRES(table.lock) {
  if (table.forked)
    return agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, NULL,
        "a device was in use when this process was forked; only a program that "
        "the child starts by exec can use one");
  int kind = (int)table.choice;
  agpu_status status = agpu_runtime_check_settings();
  if (!status && !table.chosen)
    status = agpu__setting_word(AGPU__SETTING_DEVICE, &kind);
  if (!status)
    status = agpu__driver_choose((agpu_device_kind)kind, &table.driver);
  if (!status)
    status = read_settings(&table.shared);
  if (!status)
    status = agpu__completion_create(&table.shared, trim,
                                     table.driver.kind == AGPU_DEVICE_EMU);
  if (status)
    return status;
  table.shared.host_memory = agpu__host_memory_create();
  table.shared.pins = agpu__pins_create();
  // Those of before a shutdown are gone, and low numbers are few.
  atomic_store_explicit(&table.shared.stream_count, 0, memory_order_relaxed);
  atomic_store_explicit(&table.count, table.driver.count, memory_order_release);
  agpu__log(AGPU__LOG_DEVICE, "using the %s device", table.driver.driver->name);
  agpu__set_device_life(&life);
  return AGPU_OK;
}

/// Starts the driver if it is not running. The status is a new reference.
static agpu_status ensure_started(void) AGPU__REQUIRES(table.lock) {
  if (table.state == NOT_STARTED) {
    table.failure = start();
    table.state = table.failure ? FAILED : STARTED;
  }
  return agpu_status_retain(table.failure);
}

/// Of a driver that runs.
static agpu_status ensure_open(int32_t ordinal) AGPU__REQUIRES(table.lock) {
  if (agpu__devices_find(ordinal))
    return AGPU_OK;
  agpu_status *failure = &table.failures[ordinal];
  agpu__device *device;
  if (!*failure)
    *failure = agpu__device_open(table.driver.driver, table.driver.kind,
                                 ordinal, &table.shared, &device);
  if (*failure)
    return agpu_status_retain(*failure);
  AGPU__DEVICES_FOREACH (peer)
    agpu__device_connect(device, peer);
  atomic_store_explicit(&table.shared.open[ordinal], device,
                        memory_order_release);
  atomic_fetch_add_explicit(&table.open, 1, memory_order_release);
  return AGPU_OK;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

const agpu__device *agpu__devices_find(int32_t ordinal) {
  return ordinal >= 0 && ordinal < AGPU__MAX_DEVICES
             ? atomic_load_explicit(&table.shared.open[ordinal],
                                    memory_order_acquire)
             : NULL;
}

static __attribute__((noinline, cold)) agpu_status
open_device(int32_t ordinal, const agpu__device **out_device) {
  agpu__mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  int count = atomic_load_explicit(&table.count, memory_order_relaxed);
  if (!status && (ordinal < 0 || ordinal >= count))
    status = agpu_status_create(
        AGPU_STATUS_NOT_FOUND, NULL,
        count == 1 ? "there is no device %d: the %s driver has %d device"
                   : "there is no device %d: the %s driver has %d devices",
        (int)ordinal, table.driver.driver->name, count);
  if (!status)
    status = ensure_open(ordinal);
  if (!status)
    *out_device = agpu__devices_find(ordinal);
  agpu__mutex_unlock(&table.lock);
  return status;
}

agpu_status agpu__devices_get(int32_t ordinal,
                              const agpu__device **out_device) {
  *out_device = agpu__devices_find(ordinal);
  return *out_device ? AGPU_OK : open_device(ordinal, out_device);
}

static __attribute__((noinline)) int32_t get_default(void) {
  int32_t chosen = agpu__hot.choices.default_device;
  if (chosen)
    return chosen > 0 ? chosen - 1 : chosen;
  int first = atomic_load_explicit(&table.first, memory_order_relaxed);
  return first ? first % agpu_device_count() : 0;
}

agpu_status agpu__devices_get_default(const agpu__device **out_device) {
  // Nearly always the first device.
  bool is_first = !agpu__hot.choices.default_device &&
                  !atomic_load_explicit(&table.first, memory_order_relaxed);
  *out_device = is_first ? agpu__devices_find(0) : NULL;
  return *out_device ? AGPU_OK : agpu__devices_get(get_default(), out_device);
}

const agpu__device *agpu__devices_next(const agpu__device *previous) {
  int count = atomic_load_explicit(&table.count, memory_order_acquire);
  const agpu__device *device = NULL;
  for (int i = previous ? previous->ordinal + 1 : 0; i < count && !device; ++i)
    device = agpu__devices_find(i);
  return device;
}

bool agpu__devices_are_open(void) {
  return atomic_load_explicit(&table.open, memory_order_acquire) > 0;
}

bool agpu__devices_are_several(void) {
  return atomic_load_explicit(&table.open, memory_order_acquire) > 1;
}

//===----------------------------------------------------------------------===//
// What a handle is of
//===----------------------------------------------------------------------===//

agpu__pool_stream *agpu__devices_find_stream(CUstream handle) {
  agpu__pool_stream *found = NULL;
  AGPU__DEVICES_FOREACH (device)
    if (!found)
      found = agpu__stream_pool_find(device->streams, handle);
  return found;
}

bool agpu__devices_give_event(CUevent handle) {
  AGPU__DEVICES_FOREACH (device)
    if (agpu__event_give_handle(device, handle))
      return true;
  return false;
}

const agpu__device *agpu__devices_find_block(CUdeviceptr pointer) {
  AGPU__DEVICES_FOREACH (device)
    if (agpu__block_pool_has(device->blocks, pointer))
      return device;
  return NULL;
}

agpu_status agpu__devices_have(const void *memory, const char *location,
                               bool *out_answer) {
  *out_answer = false;
  const agpu__device *device = agpu__devices_next(NULL);
  if (!device)
    return AGPU_OK;
  agpu__device_enter(device);
  unsigned type = 0;
  CUresult result = device->driver->cuPointerGetAttribute(
      &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)memory);
  if (result == CUDA_ERROR_INVALID_VALUE) // the driver knows nothing of it
    return AGPU_OK;
  if (result)
    return agpu__driver_error(device->driver, result, location,
                              "asking where memory is");
  *out_answer = type == CU_MEMORYTYPE_DEVICE;
  return AGPU_OK;
}

const agpu__device *agpu__devices_find_module(CUmodule handle) {
  AGPU__DEVICES_FOREACH (device)
    if (agpu__raw_modules_have(device->raw_modules, handle))
      return device;
  return NULL;
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

/// The first half of the end: all work done, all consumers told.
static void drain(void) {
  AGPU__DEVICES_FOREACH (device) {
    agpu__device_enter(device);
    agpu__stream_pool_drain(device);
  }
  if (atomic_load_explicit(&table.count, memory_order_acquire))
    agpu__completion_drain(table.shared.completion);
}

static bool is_pending(void) {
  return atomic_load_explicit(&table.count, memory_order_acquire) &&
         agpu__completion_is_pending(table.shared.completion);
}

/// The second: everything given back.
static void shut_down(void) {
  agpu__driver_set_origin(&(agpu__op_name){.what = NULL});
  agpu__mutex_lock(&table.closing);
  agpu__mutex_lock(&table.lock);
  if (table.state == STARTED) {
    agpu__completion_destroy(table.shared.completion);
    agpu__host_memory_destroy(table.shared.host_memory);
    agpu__pins_destroy(table.shared.pins);
    agpu__device *devices[AGPU__MAX_DEVICES];
    int count = atomic_exchange(&table.count, 0);
    for (int i = 0; i < count; ++i) {
      devices[i] = atomic_exchange(&table.shared.open[i], NULL);
      if (devices[i])
        agpu__device_free_blocks(devices[i]);
      agpu_status_release(table.failures[i]);
      table.failures[i] = NULL;
    }
    for (int i = 0; i < count; ++i)
      if (devices[i])
        agpu__device_close(devices[i]);
    atomic_store(&table.open, 0);
    agpu__log(AGPU__LOG_DEVICE, "released all devices");
  }
  agpu_status_release(table.failure);
  table.failure = NULL;
  table.state = NOT_STARTED;
  agpu__mutex_unlock(&table.lock);
  agpu__mutex_unlock(&table.closing);
}

/// False where work is not over in time: a kernel may never end.
static bool is_idle_soon(const agpu__device *device, int64_t until) {
  while (agpu__stream_pool_is_busy(device)) {
    if (agpu__clock_now_ns() > until)
      return false;
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
  return true;
}

/// The end of a process that fails. Threads that still run get errors from now
/// on, which are not reported.
static void abandon(void) {
  int64_t until = agpu__clock_now_ns() + ABANDON_NS;
  if (!agpu__driver_gate_close(ABANDON_NS))
    return;
  agpu__mutex_lock(&table.closing);
  agpu__mutex_lock(&table.lock);
  bool idle = table.state == STARTED;
  AGPU__DEVICES_FOREACH (device)
    idle = idle && is_idle_soon(device, until);
  if (idle) {
    // Host code may be in the middle of memory that it shares with a device.
    agpu__fatal_ignore_faults();
    agpu__host_memory_abandon(table.shared.host_memory);
    agpu__sites_abandon();
    AGPU__DEVICES_FOREACH (device)
      agpu__device_abandon(device);
    agpu__log(AGPU__LOG_DEVICE, "released all devices");
    table.state = ABANDONED;
  }
  agpu__mutex_unlock(&table.lock);
  agpu__mutex_unlock(&table.closing);
}

/// In the child: the driver's threads and contexts are the parent's, whatever
/// of them its memory shows. Other threads may have held the locks.
static void forget(void) {
  agpu__mutex_init(&table.closing, AGPU__RANK_DEVICES_CLOSING);
  agpu__mutex_init(&table.lock, AGPU__RANK_DEVICES);
  agpu__lock_init(&table.shared.functions_lock, AGPU__RANK_FUNCTIONS);
  agpu__sites_fork();
  table.forked = table.forked || table.state == STARTED;
  table.state = NOT_STARTED;
  table.failure = NULL;
  for (int i = 0; i < AGPU__MAX_DEVICES; ++i) {
    atomic_store_explicit(&table.shared.open[i], NULL, memory_order_relaxed);
    table.failures[i] = NULL;
  }
  atomic_store_explicit(&table.count, 0, memory_order_relaxed);
  atomic_store_explicit(&table.open, 0, memory_order_relaxed);
  atomic_store_explicit(&table.shared.deferred, 0, memory_order_relaxed);
}

static void count_lent(agpu_runtime_counters *counters) {
  AGPU__DEVICES_FOREACH (device) {
    counters->streams += agpu__stream_pool_count_lent(device->streams);
    counters->events += agpu__event_pool_count_held(device->events);
  }
}

static const agpu__outside_life life = {
    .drain = drain,
    .is_pending = is_pending,
    .shutdown = shut_down,
    .abandon = abandon,
    .forget = forget,
    .count = count_lent,
};

//===----------------------------------------------------------------------===//
// Public functions
//===----------------------------------------------------------------------===//

void agpu_module_release(const agpu_module_desc *module) {
  // Nothing will lie there, and other threads may still be in the driver.
  if (agpu__lifecycle_is_exiting())
    return;
  agpu__trace_settle(); // which refers to places in the module's code
  // One that is opened meanwhile has nothing of the module.
  agpu__mutex_lock(&table.closing);
  agpu__sites_release_module(module);
  AGPU__DEVICES_FOREACH (device) {
    agpu__device_enter(device);
    agpu__module_set_release(device, module);
    agpu__stream_pool_keep_names(device->streams);
    agpu__device_leave(device);
  }
  agpu__module_forget(&table.shared, module);
  agpu__mutex_unlock(&table.closing);
}

agpu_status agpu_runtime_set_device(agpu_device_kind kind) {
  if (kind != AGPU_DEVICE_AUTO && kind != AGPU_DEVICE_CUDA &&
      kind != AGPU_DEVICE_EMU)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%d is not a kind of device", (int)kind);
  agpu__mutex_lock(&table.lock);
  agpu_status status = AGPU_OK;
  if (table.state == STARTED) {
    status = agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "the device cannot be changed: the %s device is in use",
        table.driver.driver->name);
  } else {
    table.chosen = true;
    table.choice = kind;
    agpu_status_release(table.failure);
    table.failure = NULL;
    table.state = NOT_STARTED;
  }
  agpu__mutex_unlock(&table.lock);
  return status;
}

agpu_status agpu_runtime_get_device(agpu_device_kind *out_kind) {
  if (!out_kind)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the pointer for the kind of device is NULL");
  agpu__mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  if (!status)
    *out_kind = table.driver.kind;
  agpu__mutex_unlock(&table.lock);
  return status;
}

agpu_status agpu_runtime_get_unified_memory(bool *out_unified) {
  if (!out_unified)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the pointer for the kind of memory is NULL");
  agpu__mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  if (!status)
    status = agpu__devices_reach_host(table.driver.driver, table.driver.count,
                                      out_unified);
  agpu__mutex_unlock(&table.lock);
  return status;
}

agpu_status agpu_runtime_get_multiprocessors(int *out_count) {
  if (!out_count)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "the pointer for the count is NULL");
  agpu__mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  if (!status)
    status = agpu__devices_count_multiprocessors(table.driver.driver,
                                                 table.driver.count, out_count);
  agpu__mutex_unlock(&table.lock);
  return status;
}

int32_t agpu_device_count(void) {
  agpu__mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  agpu__mutex_unlock(&table.lock);
  if (status)
    agpu__fatal(status, NULL, EXIT_FAILURE);
  return atomic_load_explicit(&table.count, memory_order_relaxed);
}

void agpu__devices_set_first(int number) {
  atomic_store_explicit(&table.first, number, memory_order_relaxed);
}

int32_t agpu_default_device(void) { return get_default(); }

void agpu_enter_device(int32_t device) {
  // A negative number is none, which who uses it is told.
  agpu__hot.choices.default_device = device < 0 ? device : device + 1;
}
