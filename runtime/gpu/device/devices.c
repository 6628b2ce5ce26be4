//===- devices.c - Choosing a driver, its devices, and their end ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variables, read when the driver starts:
//
//   ASYNC_GPU_DEVICE   auto (default): CUDA where a device answers, else the
//                      emulated device; cuda; emu. agpu_runtime_set_device
//                      overrides it.
//   ASYNC_GPU_STREAMS  streams that a device has at most, 1 to 1024. Default:
//                      32, as many as devices run independently.
//   ASYNC_GPU_KEEP_BYTES
//                      bytes that a device keeps in free blocks, 0 or more.
//                      Default: 256 MiB.
//   ASYNC_GPU_LOG      with "driver": every driver call is logged; with
//                      "device": which driver is used.
//
//===----------------------------------------------------------------------===//

#include "gpu/device/devices.h"

#include "async/lifecycle.h"
#include "async_gpu/device.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/report/fatal.h"
#include "base/report/log.h"
#include "base/report/settings.h"
#include "gpu/kernel/module.h"
#include "gpu/memory/memory.h"
#include "gpu/stream/completion.h"
#include "gpu/stream/event.h"
#include "gpu/stream/pool.h"

#include <pthread.h>
#include <stdatomic.h>
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

/// One device's place in the table.
typedef struct place {
  // Once it is open. Release and acquire: who sees it sees what is in it.
  _Atomic(agpu__device *) device;
  agpu_status failure; ///< of the attempt to open it
} place;

/// The one table. The lock guards what no comment says otherwise of.
static struct {
  pthread_mutex_t lock;
  start_state state;
  agpu_status failure; ///< of the last start, when FAILED
  bool chosen;         ///< by agpu_runtime_set_device
  bool forked;         ///< from a process in which it was STARTED
  agpu_device_kind choice;

  // Constant while STARTED.
  agpu_device_kind kind;
  agpu__driver plain_driver, logging_driver, gated_driver;
  const agpu__driver *driver;
  agpu__shared shared;
  place *places;
  // 0 while not STARTED. Release and acquire, as above.
  atomic_int count;
  atomic_int open;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static AGPU__HOT_THREAD_LOCAL int32_t default_device;

int32_t agpu__devices_default(void) { return default_device; }
void agpu__devices_set_default(int32_t ordinal) { default_device = ordinal; }

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

/// Starts the driver in `plain_driver` and counts its devices.
static agpu_status start_driver(int *out_count) {
  const agpu__driver *driver = &table.plain_driver;
  if (agpu__log_enabled(AGPU__LOG_DRIVER)) {
    agpu__driver_load_log(&table.logging_driver, &table.plain_driver);
    driver = &table.logging_driver;
  }
  agpu__driver_load_gate(&table.gated_driver, driver);
  driver = table.driver = &table.gated_driver;
  CUresult result = driver->cuInit(0);
  if (result)
    return agpu__driver_start_error(driver, result);
  result = driver->cuDeviceGetCount(out_count);
  if (result)
    return agpu__driver_error(driver, result, NULL, "counting the devices");
  if (*out_count > AGPU__MAX_DEVICES)
    *out_count = AGPU__MAX_DEVICES;
  if (*out_count < 1)
    return agpu_status_create(
        AGPU_STATUS_NOT_FOUND, NULL,
        "the %s driver has no device: see whether nvidia-smi lists the GPU and "
        "CUDA_VISIBLE_DEVICES does not hide it",
        driver->name);
  return AGPU_OK;
}

static agpu_status load_kind(agpu_device_kind kind, int *out_count) {
  agpu_status status = kind == AGPU_DEVICE_CUDA
                           ? agpu__driver_load_cuda(&table.plain_driver)
                           : agpu__driver_load_emu(&table.plain_driver);
  if (status)
    return status;
  table.kind = kind;
  return start_driver(out_count);
}

static agpu_status choose_and_load(int *out_count) {
  int kind = (int)table.choice;
  if (!table.chosen) {
    agpu_status status = agpu__setting_word(AGPU__SETTING_DEVICE, &kind);
    if (status)
      return status;
  }
  if (kind != AGPU_DEVICE_AUTO)
    return load_kind((agpu_device_kind)kind, out_count);
  agpu_status status = load_kind(AGPU_DEVICE_CUDA, out_count);
  if (!status)
    return AGPU_OK;
  agpu__log(AGPU__LOG_DEVICE, "using the emulated device: %s",
            agpu_status_get_message(status));
  agpu_status_release(status);
  return load_kind(AGPU_DEVICE_EMU, out_count);
}

/// The settings of what every device has.
static agpu_status read_settings(agpu__shared *shared) {
  int64_t streams, keep_bytes;
  agpu_status status = agpu__setting_integer(AGPU__SETTING_STREAMS, &streams);
  if (!status)
    status = agpu__setting_integer(AGPU__SETTING_KEEP_BYTES, &keep_bytes);
  if (status)
    return status;
  shared->stream_limit = (unsigned)streams;
  shared->keep_bytes = (size_t)keep_bytes;
  return AGPU_OK;
}

static const agpu__device_life life;

/// Under the lock.
static agpu_status start(void) {
  if (table.forked)
    return agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, NULL,
        "a device was in use when this process was forked; only a program that "
        "the child starts by exec can use one");
  int count = 0;
  agpu_status status = choose_and_load(&count);
  if (!status)
    status = read_settings(&table.shared);
  if (status)
    return status;
  status = agpu__completion_create(&table.shared.completion,
                                   &table.shared.event_flags);
  if (status)
    return status;
  table.shared.host_memory = agpu__host_memory_create();
  // Those of before a shutdown are gone, and low numbers are few.
  atomic_store_explicit(&table.shared.stream_count, 0, memory_order_relaxed);
  table.places = agpu__memory_alloc((int64_t)sizeof(place) * count,
                                    _Alignof(place), "devices");
  for (int i = 0; i < count; ++i) {
    atomic_init(&table.places[i].device, NULL);
    table.places[i].failure = AGPU_OK;
  }
  atomic_store_explicit(&table.count, count, memory_order_release);
  agpu__log(AGPU__LOG_DEVICE, "using the %s device", table.driver->name);
  agpu__set_device_life(&life);
  return AGPU_OK;
}

/// Starts the driver if it is not running. Under the lock; the status is a new
/// reference.
static agpu_status ensure_started(void) {
  if (table.state == NOT_STARTED) {
    table.failure = start();
    table.state = table.failure ? FAILED : STARTED;
  }
  return agpu_status_retain(table.failure);
}

/// Under the lock, of a driver that runs.
static agpu_status ensure_open(int32_t ordinal) {
  place *at = &table.places[ordinal];
  if (atomic_load_explicit(&at->device, memory_order_relaxed))
    return AGPU_OK;
  if (!at->failure) {
    agpu__device *device;
    at->failure = agpu__device_open(table.driver, table.kind, ordinal,
                                    &table.shared, &device);
    if (!at->failure) {
      for (const agpu__device *peer = agpu__devices_next(NULL); peer;
           peer = agpu__devices_next(peer))
        agpu__device_connect(device, peer);
      atomic_store_explicit(&at->device, device, memory_order_release);
      atomic_fetch_add_explicit(&table.open, 1, memory_order_release);
    }
  }
  return agpu_status_retain(at->failure);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

const agpu__device *agpu__devices_find(int32_t ordinal) {
  return ordinal >= 0 && ordinal < atomic_load_explicit(&table.count,
                                                        memory_order_acquire)
             ? atomic_load_explicit(&table.places[ordinal].device,
                                    memory_order_acquire)
             : NULL;
}

agpu_status agpu__devices_get(int32_t ordinal,
                              const agpu__device **out_device) {
  *out_device = agpu__devices_find(ordinal);
  if (*out_device)
    return AGPU_OK;
  pthread_mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  int count = atomic_load_explicit(&table.count, memory_order_relaxed);
  if (!status && (ordinal < 0 || ordinal >= count))
    status = agpu_status_create(
        AGPU_STATUS_NOT_FOUND, NULL,
        count == 1 ? "there is no device %d: the %s driver has %d device"
                   : "there is no device %d: the %s driver has %d devices",
        (int)ordinal, table.driver->name, count);
  if (!status)
    status = ensure_open(ordinal);
  if (!status)
    *out_device = atomic_load_explicit(&table.places[ordinal].device,
                                       memory_order_relaxed);
  pthread_mutex_unlock(&table.lock);
  return status;
}

agpu_status agpu__devices_get_default(const agpu__device **out_device) {
  return agpu__devices_get(default_device, out_device);
}

agpu_status agpu__devices_count(int32_t *out_count) {
  pthread_mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  *out_count = atomic_load_explicit(&table.count, memory_order_relaxed);
  pthread_mutex_unlock(&table.lock);
  return status;
}

const agpu__device *agpu__devices_next(const agpu__device *previous) {
  int count = atomic_load_explicit(&table.count, memory_order_acquire);
  for (int i = previous ? previous->ordinal + 1 : 0; i < count; ++i) {
    const agpu__device *device =
        atomic_load_explicit(&table.places[i].device, memory_order_acquire);
    if (device)
      return device;
  }
  return NULL;
}

bool agpu__devices_are_several(void) {
  return atomic_load_explicit(&table.open, memory_order_acquire) > 1;
}

bool agpu__devices_trim(void) {
  bool idle = true;
  for (const agpu__device *device = agpu__devices_next(NULL); device;
       device = agpu__devices_next(device)) {
    // Blocks hold events, and events streams.
    bool blocks = agpu__block_pool_trim(device);
    bool events = agpu__event_pool_trim(device);
    bool streams = agpu__stream_pool_trim(device);
    idle &= blocks && events && streams;
  }
  return idle;
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

/// The first half of the end: all work done, all consumers told.
static void drain(void) {
  for (const agpu__device *device = agpu__devices_next(NULL); device;
       device = agpu__devices_next(device)) {
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
  pthread_mutex_lock(&table.lock);
  if (table.state == STARTED) {
    agpu__completion_destroy(table.shared.completion);
    agpu__host_memory_destroy(table.shared.host_memory);
    int count = atomic_exchange(&table.count, 0);
    // Blocks may hold events of other devices.
    for (int i = 0; i < count; ++i) {
      agpu__device *device = atomic_load(&table.places[i].device);
      if (device)
        agpu__device_free_blocks(device);
    }
    for (int i = 0; i < count; ++i) {
      agpu__device *device = atomic_load(&table.places[i].device);
      if (device)
        agpu__device_close(device);
      agpu_status_release(table.places[i].failure);
    }
    agpu__memory_free(table.places);
    atomic_store(&table.open, 0);
  }
  if (table.state == STARTED)
    agpu__log(AGPU__LOG_DEVICE, "gave all devices back");
  agpu_status_release(table.failure);
  table.failure = NULL;
  table.state = NOT_STARTED;
  pthread_mutex_unlock(&table.lock);
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
/// on, which nobody hears of.
static void abandon(void) {
  int64_t until = agpu__clock_now_ns() + ABANDON_NS;
  if (!agpu__driver_gate_close(ABANDON_NS))
    return;
  pthread_mutex_lock(&table.lock);
  bool idle = table.state == STARTED;
  for (const agpu__device *device = agpu__devices_next(NULL); device && idle;
       device = agpu__devices_next(device))
    idle = is_idle_soon(device, until);
  if (idle) {
    // Host code may be in the middle of memory that it shares with a device.
    agpu__fatal_ignore_faults();
    agpu__host_memory_abandon(table.shared.host_memory);
    for (int i = 0; i < table.count; ++i) {
      agpu__device *device = atomic_load(&table.places[i].device);
      if (device)
        agpu__device_abandon(device);
    }
    agpu__log(AGPU__LOG_DEVICE, "gave all devices back");
    table.state = ABANDONED;
  }
  pthread_mutex_unlock(&table.lock);
}

/// In the child: the driver's threads and contexts are the parent's, whatever
/// of them its memory shows. Other threads may have held the lock.
static void forget(void) {
  pthread_mutex_init(&table.lock, NULL);
  table.forked = table.forked || table.state == STARTED;
  table.state = NOT_STARTED;
  table.failure = NULL;
  atomic_store_explicit(&table.count, 0, memory_order_relaxed);
  atomic_store_explicit(&table.open, 0, memory_order_relaxed);
}

static void count_lent(agpu_runtime_counters *counters) {
  for (const agpu__device *device = agpu__devices_next(NULL); device;
       device = agpu__devices_next(device)) {
    counters->streams += agpu__stream_pool_count_lent(device->streams);
    counters->events += agpu__event_pool_count_lent(device->events) -
                        agpu__block_pool_count_events(device->blocks);
  }
}

static const agpu__device_life life = {
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
  // No device is opened or closed meanwhile.
  pthread_mutex_lock(&table.lock);
  for (const agpu__device *device = agpu__devices_next(NULL); device;
       device = agpu__devices_next(device)) {
    agpu__device_enter(device);
    agpu__module_set_release(device, module);
  }
  agpu__module_forget(module);
  pthread_mutex_unlock(&table.lock);
}

agpu_status agpu_runtime_set_device(agpu_device_kind kind) {
  if (kind != AGPU_DEVICE_AUTO && kind != AGPU_DEVICE_CUDA &&
      kind != AGPU_DEVICE_EMU)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%d is not a kind of device", (int)kind);
  pthread_mutex_lock(&table.lock);
  agpu_status status = AGPU_OK;
  if (table.state == STARTED) {
    status = agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "the device cannot be changed: the %s device is in use",
        table.driver->name);
  } else {
    table.chosen = true;
    table.choice = kind;
    agpu_status_release(table.failure);
    table.failure = NULL;
    table.state = NOT_STARTED;
  }
  pthread_mutex_unlock(&table.lock);
  return status;
}

agpu_status agpu_runtime_get_device(agpu_device_kind *out_kind) {
  if (!out_kind)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "no place for the kind of device");
  pthread_mutex_lock(&table.lock);
  agpu_status status = ensure_started();
  if (!status)
    *out_kind = table.kind;
  pthread_mutex_unlock(&table.lock);
  return status;
}

int32_t agpu_device_count(void) {
  int32_t count;
  agpu_status status = agpu__devices_count(&count);
  if (status)
    agpu__fatal(status, NULL, EXIT_FAILURE);
  return count;
}

int32_t agpu_default_device(void) { return default_device; }

void agpu_enter_device(int32_t device) { default_device = device; }
