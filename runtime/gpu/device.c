//===- device.c - Choosing, starting and ending the device ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variables, read when the device starts:
//
//   ASYNC_GPU_DEVICE   auto (default): CUDA where a device answers, else the
//                      emulated device; cuda; emu. agpu_runtime_set_device
//                      overrides it.
//   ASYNC_GPU_LOG      with "driver": every driver call is logged; with
//                      "device": which device is used.
//
//===----------------------------------------------------------------------===//

#include "gpu/device.h"

#include "async/lifecycle.h"
#include "base/env.h"
#include "base/log.h"
#include "gpu/completion.h"
#include "gpu/event.h"
#include "gpu/memory.h"
#include "gpu/mgpu.h"
#include "gpu/module.h"
#include "gpu/stream_pool.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum start_state { NOT_STARTED, STARTED, FAILED } start_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static start_state state;
static agpu_status failure; // of the last start, when FAILED
static bool chosen;         // by agpu_runtime_set_device
static agpu_device_kind choice;
static agpu__driver plain_driver, logging_driver;
static agpu__device device;

// &device once it runs. Release and acquire: who sees it sees what is in it.
static _Atomic(const agpu__device *) running;

// The device whose context is current here. Only compared, never followed.
static _Thread_local const agpu__device *entered;

void agpu__device_enter(const agpu__device *of) {
  if (entered == of)
    return;
  if (of->driver->cuCtxSetCurrent(of->context) == CUDA_SUCCESS)
    entered = of;
}

static agpu_status get_attribute(CUdevice_attribute attribute, int *out_value) {
  CUresult result =
      device.driver->cuDeviceGetAttribute(out_value, attribute, device.handle);
  if (result)
    return agpu__driver_error(device.driver, result, NULL,
                              "reading attribute %d of the device",
                              (int)attribute);
  return AGPU_OK;
}

static agpu_status describe_device(void) {
  int pools = 0;
  agpu_status status =
      get_attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &pools);
  // Drivers from before memory pools do not know the attribute.
  agpu_status_release(status);
  device.memory_pools = !status && pools && device.driver->cuMemAllocAsync &&
                        device.driver->cuMemFreeAsync;
  device.chip = 0;
  if (device.driver->image_format != AGPU_IMAGE_PTX)
    return AGPU_OK;
  int major = 0, minor = 0;
  status = get_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
  if (!status)
    status =
        get_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor);
  device.chip = (uint32_t)(major * 10 + minor);
  return status;
}

/// From the table in `plain_driver` to a device with a context.
static agpu_status open_device(void) {
  const agpu__driver *driver = &plain_driver;
  if (agpu__log_enabled(AGPU__LOG_DRIVER)) {
    agpu__driver_load_log(&logging_driver, &plain_driver);
    driver = &logging_driver;
  }
  device.driver = driver;
  CUresult result = driver->cuInit(0);
  if (result)
    return agpu__driver_error(driver, result, NULL, "starting the %s driver",
                              driver->name);
  int count = 0;
  result = driver->cuDeviceGetCount(&count);
  if (result)
    return agpu__driver_error(driver, result, NULL, "counting the devices");
  if (count < 1)
    return agpu_status_create(AGPU_STATUS_NOT_FOUND, NULL,
                              "the %s driver has no device", driver->name);
  result = driver->cuDeviceGet(&device.handle, 0);
  if (result)
    return agpu__driver_error(driver, result, NULL, "opening device 0");
  agpu_status status = describe_device();
  if (status)
    return status;
  result = driver->cuDevicePrimaryCtxRetain(&device.context, device.handle);
  if (result)
    return agpu__driver_error(driver, result, NULL,
                              "retaining the primary context of device 0");
  return AGPU_OK;
}

static agpu_status open_kind(agpu_device_kind kind) {
  agpu_status status = kind == AGPU_DEVICE_CUDA
                           ? agpu__driver_load_cuda(&plain_driver)
                           : agpu__driver_load_emu(&plain_driver);
  if (status)
    return status;
  device.kind = kind;
  return open_device();
}

static agpu_status choose_and_open(void) {
  int kind = (int)choice;
  if (!chosen) {
    static const char *const names[] = {"auto", "cuda", "emu"};
    agpu_status status = agpu__env_get_choice("ASYNC_GPU_DEVICE", names, 3,
                                              AGPU_DEVICE_AUTO, &kind);
    if (status)
      return status;
  }
  if (kind != AGPU_DEVICE_AUTO)
    return open_kind((agpu_device_kind)kind);
  agpu_status status = open_kind(AGPU_DEVICE_CUDA);
  if (!status)
    return AGPU_OK;
  agpu__log(AGPU__LOG_DEVICE, "using the emulated device: %s",
            agpu_status_get_message(status));
  agpu_status_release(status);
  return open_kind(AGPU_DEVICE_EMU);
}

/// The first half of the end: all work done, all consumers told.
static void drain(void) {
  const agpu__device *of = atomic_load_explicit(&running, memory_order_acquire);
  if (!of)
    return;
  agpu__device_enter(of);
  agpu__stream_pool_drain(of);
  agpu__completion_drain();
}

/// The second: everything given back. Errors are not worth a word any more: a
/// context in error fails every call, and the process is about to end.
static void shut_down(void) {
  pthread_mutex_lock(&lock);
  if (state == STARTED) {
    agpu__device_enter(&device);
    agpu__completion_stop();
    agpu__memory_reset(&device);
    agpu__stream_pool_reset(&device);
    agpu__event_pool_reset(&device);
    agpu__module_reset(&device);
    agpu__mgpu_reset(&device);
    (void)device.driver->cuCtxSetCurrent(NULL);
    (void)device.driver->cuDevicePrimaryCtxRelease(device.handle);
    atomic_store_explicit(&running, NULL, memory_order_release);
    entered = NULL;
  }
  agpu_status_release(failure);
  failure = NULL;
  state = NOT_STARTED;
  pthread_mutex_unlock(&lock);
}

static void count(agpu_runtime_counters *counters) {
  counters->streams = agpu__stream_pool_count_lent();
  counters->events = agpu__event_pool_count_lent() - agpu__block_count_events();
}

/// Under the lock.
static agpu_status start(void) {
  agpu_status status = choose_and_open();
  if (status)
    return status;
  agpu__device_enter(&device);
  status = agpu__stream_pool_init();
  if (!status)
    status = agpu__completion_start(&device);
  if (status) {
    (void)device.driver->cuCtxSetCurrent(NULL);
    entered = NULL;
    (void)device.driver->cuDevicePrimaryCtxRelease(device.handle);
    return status;
  }
  agpu__log(AGPU__LOG_DEVICE, "using the %s device", device.driver->name);
  static const agpu__device_life life = {
      .drain = drain,
      .is_pending = agpu__completion_is_pending,
      .shutdown = shut_down,
      .count = count,
  };
  agpu__set_device_life(&life);
  return AGPU_OK;
}

const agpu__device *agpu__device_get_running(void) {
  return atomic_load_explicit(&running, memory_order_acquire);
}

agpu_status agpu__device_get(const agpu__device **out_device) {
  *out_device = atomic_load_explicit(&running, memory_order_acquire);
  if (*out_device)
    return AGPU_OK;
  pthread_mutex_lock(&lock);
  if (state == NOT_STARTED) {
    failure = start();
    state = failure ? FAILED : STARTED;
    if (!failure)
      atomic_store_explicit(&running, &device, memory_order_release);
  }
  agpu_status status = agpu_status_retain(failure);
  *out_device = status ? NULL : &device;
  pthread_mutex_unlock(&lock);
  return status;
}

agpu_status agpu_runtime_set_device(agpu_device_kind kind) {
  if (kind != AGPU_DEVICE_AUTO && kind != AGPU_DEVICE_CUDA &&
      kind != AGPU_DEVICE_EMU)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%d is not a kind of device", (int)kind);
  pthread_mutex_lock(&lock);
  agpu_status status = AGPU_OK;
  if (state == STARTED) {
    status = agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "the device cannot be changed: the %s device is in use",
        device.driver->name);
  } else {
    chosen = true;
    choice = kind;
    agpu_status_release(failure);
    failure = NULL;
    state = NOT_STARTED;
  }
  pthread_mutex_unlock(&lock);
  return status;
}

agpu_status agpu_runtime_get_device(agpu_device_kind *out_kind) {
  if (!out_kind)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "no place for the kind of device");
  const agpu__device *of;
  agpu_status status = agpu__device_get(&of);
  if (!status)
    *out_kind = of->kind;
  return status;
}
