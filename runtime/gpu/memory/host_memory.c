//===- host_memory.c - Host memory known to the device --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is registered at once, and unregistered once the work before that has
// completed: by the completion thread, before it completes any object whose
// work comes later. So a program that awaits what follows the unregistering
// can free the memory.
//
// A range that is registered again is counted, and unregistered as often. A
// program may register it again while it is still to be unregistered: then it
// stays registered. Ranges that overlap otherwise are an error.
//
// Registered memory is known to all devices, whichever stream it went through.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "base/report/status_track.h"
#include "gpu/device/devices.h"
#include "gpu/memory/memory.h"
#include "gpu/stream/completion.h"
#include "gpu/stream/loan.h"

#include <pthread.h>

typedef struct registration {
  struct registration *next;
  const agpu__device *device;
  void *pointer;
  size_t bytes;         // 0: the driver knows nothing of it
  unsigned count;       // how often, the unregistering that is asked for aside
  bool unregister;      // asked for, not done
  unsigned callbacks;   // of the completion thread to come
  const char *made;     // where it was registered first
  const char *location; // of the last unregistering
} registration;

struct agpu__host_memory {
  pthread_mutex_t lock; // guards what follows
  registration *registrations;
};

/// Under the lock.
static registration *find(agpu__host_memory *memory, const void *pointer) {
  registration *found = memory->registrations;
  while (found && found->pointer != pointer)
    found = found->next;
  return found;
}

/// Under the lock.
static void forget(agpu__host_memory *memory, registration *of) {
  registration **link = &memory->registrations;
  while (*link != of)
    link = &(*link)->next;
  *link = of->next;
  agpu__memory_free(of);
}

/// Under the lock: true once the driver knows nothing of the memory any more.
static bool unregister_at_driver(const registration *of) {
  const agpu__device *device = of->device;
  CUresult result = of->bytes ? device->driver->cuMemHostUnregister(of->pointer)
                              : CUDA_SUCCESS;
  // The process fails, and will do it itself.
  if (result == CUDA_ERROR_DEINITIALIZED)
    return false;
  // After a failure of the device every call fails; that has been told.
  if (result && !agpu__stream_pool_failure_is_told(device->streams))
    agpu__status_report(agpu__driver_error(device->driver, result, of->location,
                                           "unregistering host memory at %p",
                                           of->pointer));
  return true;
}

/// The work before an unregistering has completed or failed.
static void unregister_now(void *argument, agpu_status status) {
  registration *of = argument;
  const agpu__device *device = of->device;
  agpu__host_memory *memory = device->shared->host_memory;
  agpu__device_enter(device);
  // There may be no one else who hears of it.
  if (status && !agpu__stream_pool_failure_is_told(device->streams))
    agpu__status_report(status);
  else
    agpu_status_release(status);
  pthread_mutex_lock(&memory->lock);
  // Registered again since, or unregistered twice: a later callback's business.
  bool last = --of->callbacks == 0;
  if (last && of->unregister && unregister_at_driver(of))
    forget(memory, of);
  pthread_mutex_unlock(&memory->lock);
}

/// Under the lock: the registration that has a byte of the range, or NULL.
static const registration *find_overlap(const agpu__host_memory *memory,
                                        const void *pointer, size_t bytes) {
  uintptr_t from = (uintptr_t)pointer;
  const registration *of = memory->registrations;
  while (of &&
         (!bytes || !of->bytes || from >= (uintptr_t)of->pointer + of->bytes ||
          (uintptr_t)of->pointer >= from + bytes))
    of = of->next;
  return of;
}

/// Under the lock: a range that is not registered.
static agpu_status add(const agpu__device *device, void *pointer, size_t bytes,
                       const char *location) {
  agpu__host_memory *memory = device->shared->host_memory;
  const registration *other = find_overlap(memory, pointer, bytes);
  if (other)
    return agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, location,
        "registering %zu bytes of host memory at %p, which overlap the %zu at "
        "%p that %s%s%s",
        bytes, pointer, other->bytes, other->pointer,
        other->unregister ? "are still in use by the device" : "are registered",
        other->made ? ", registered at " : "", other->made ? other->made : "");
  CUresult result = CUDA_SUCCESS;
  if (bytes)
    result = device->driver->cuMemHostRegister(
        pointer, bytes,
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  if (result)
    return agpu__driver_error(device->driver, result, location,
                              "registering %zu bytes of host memory at %p",
                              bytes, pointer);
  registration *added = agpu__memory_alloc(
      sizeof *added, _Alignof(registration), "a registration");
  *added = (registration){.next = memory->registrations,
                          .device = device,
                          .pointer = pointer,
                          .bytes = bytes,
                          .count = 1,
                          .made = location};
  memory->registrations = added;
  return AGPU_OK;
}

agpu_status agpu__host_memory_register(const agpu__device *device,
                                       void *pointer, int64_t bytes,
                                       const char *location) {
  if (bytes < 0)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, location,
                              "registering %lld bytes of host memory",
                              (long long)bytes);
  agpu__host_memory *memory = device->shared->host_memory;
  agpu_status status = AGPU_OK;
  pthread_mutex_lock(&memory->lock);
  registration *of = find(memory, pointer);
  if (of && (size_t)bytes == of->bytes) {
    of->unregister = false;
    ++of->count;
  } else {
    status = add(device, pointer, (size_t)bytes, location);
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

CUresult agpu__host_memory_unregister(const agpu__device *device,
                                      void *pointer) {
  agpu__host_memory *memory = device->shared->host_memory;
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&memory->lock);
  registration *of = find(memory, pointer);
  if (of && of->count > 1) {
    --of->count;
  } else {
    result = device->driver->cuMemHostUnregister(pointer);
    // What a callback is still to look at stays until then.
    if (!result && of && !of->callbacks)
      forget(memory, of);
  }
  pthread_mutex_unlock(&memory->lock);
  return result;
}

void agpu_host_register(agpu_stream *loan, void *pointer, int64_t bytes,
                        const char *location) {
  if (!agpu__loan_enter(loan))
    return;
  agpu_status status =
      agpu__host_memory_register(loan->device, pointer, bytes, location);
  if (status)
    agpu__loan_fail(loan, status);
}

void agpu_host_unregister(agpu_stream *loan, void *pointer,
                          const char *location) {
  const agpu__op_name op = {.what = "unregistering of host memory",
                            .location = location};
  agpu__event *event =
      agpu__loan_begin(loan, &op) ? agpu__loan_record(loan) : NULL;
  if (!event)
    return;
  agpu__host_memory *memory = loan->device->shared->host_memory;
  pthread_mutex_lock(&memory->lock);
  registration *of = find(memory, pointer);
  bool known = of && of->count;
  bool last = known && --of->count == 0;
  if (last) {
    of->unregister = true;
    of->location = location;
    ++of->callbacks;
  }
  pthread_mutex_unlock(&memory->lock);
  if (last) {
    agpu__completion_defer(event, unregister_now, of);
    // A token from here on has an event of its own, which comes later.
    agpu__loan_enqueued(loan, &op);
  } else if (!known) {
    agpu__loan_fail(loan, agpu_status_create(
                              AGPU_STATUS_INVALID_ARGUMENT, location,
                              "unregistering host memory at %p, which is not "
                              "registered",
                              pointer));
  }
  agpu__event_release(event);
}

agpu__host_memory *agpu__host_memory_create(void) {
  agpu__host_memory *memory = agpu__memory_alloc(
      sizeof *memory, _Alignof(agpu__host_memory), "registered memory");
  *memory = (agpu__host_memory){.registrations = NULL};
  pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

void agpu__host_memory_abandon(agpu__host_memory *memory) {
  pthread_mutex_lock(&memory->lock);
  for (const registration *of = memory->registrations; of; of = of->next) {
    agpu__device_enter(of->device);
    if (of->bytes)
      (void)of->device->driver->cuMemHostUnregister(of->pointer);
  }
  pthread_mutex_unlock(&memory->lock);
}

void agpu__host_memory_destroy(agpu__host_memory *memory) {
  agpu__host_memory_abandon(memory);
  while (memory->registrations)
    forget(memory, memory->registrations);
  pthread_mutex_destroy(&memory->lock);
  agpu__memory_free(memory);
}
