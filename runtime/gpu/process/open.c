//===- open.c - The parts of a device -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes what a device owns when it is opened, and gives it back when it is
// closed, in an order in which nothing is used by what comes later: blocks hold
// events, and events are on streams.
//
//===----------------------------------------------------------------------===//

#include "gpu/process/open.h"

#include "base/memory/memory.h"
#include "gpu/graph/record.h"
#include "gpu/kernel/module.h"
#include "gpu/kernel/raw_module.h"
#include "gpu/memory/memory.h"

agpu_status agpu__device_open(const agpu__driver *driver, agpu_device_kind kind,
                              int32_t ordinal, agpu__shared *shared,
                              agpu__device **out_device) {
  agpu__device *device =
      agpu__memory_alloc(sizeof *device, _Alignof(agpu__device), "a device");
  agpu_status status =
      agpu__device_retain(driver, kind, ordinal, shared, device);
  if (status) {
    agpu__memory_free(device);
    return status;
  }
  device->event_ops = shared->event_ops;
  device->streams =
      agpu__stream_pool_create(shared->stream_limit, AGPU__MAX_STREAMS);
  device->blocks = agpu__block_pool_create(shared->keep_bytes,
                                           agpu__driver_checks_memory(driver));
  device->events = agpu__event_pool_create();
  device->modules = agpu__module_set_create();
  device->raw_modules = agpu__raw_modules_create();
  agpu__ordered_open(device);
  *out_device = device;
  return AGPU_OK;
}

bool agpu__device_trim(const agpu__device *device) {
  bool graphs = agpu__sites_trim(device);
  bool blocks = agpu__block_pool_trim(device);
  bool streams = agpu__stream_pool_trim(device);
  bool events = agpu__event_pool_trim(device);
  bool idle = graphs && blocks && events && streams;
  // Nobody allocates without a stream.
  if (idle) {
    agpu__device_enter(device);
    agpu__ordered_trim(device);
  }
  return idle;
}

void agpu__device_free_blocks(agpu__device *device) {
  agpu__device_enter(device);
  agpu__block_pool_destroy(device->blocks, device);
}

void agpu__device_abandon(const agpu__device *device) {
  agpu__device_enter(device);
  agpu__block_pool_abandon(device->blocks, device);
  agpu__stream_pool_abandon(device->streams);
  agpu__event_pool_abandon(device->events);
  agpu__module_set_abandon(device->modules, device);
  agpu__raw_modules_abandon(device->raw_modules, device);
  agpu__device_release(device);
}

void agpu__device_close(agpu__device *device) {
  agpu__device_enter(device);
  agpu__sites_close(device);
  agpu__stream_pool_destroy(device->streams);
  agpu__ordered_close(device);
  agpu__event_pool_destroy(device->events);
  agpu__module_set_destroy(device->modules, device);
  agpu__raw_modules_destroy(device->raw_modules, device);
  agpu__device_release(device);
  agpu__memory_free(device);
}
