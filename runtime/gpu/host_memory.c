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
// A program may register memory again while it is still to be unregistered.
// Then it stays registered.
//
// Registered memory is known to all devices, whichever stream it went through.
//
//===----------------------------------------------------------------------===//

#include "base/memory.h"
#include "base/status_track.h"
#include "gpu/completion.h"
#include "gpu/devices.h"
#include "gpu/loan.h"
#include "gpu/memory.h"

#include <pthread.h>

typedef struct registration {
  struct registration *next;
  const agpu__device *device;
  void *pointer;
  size_t bytes;         // 0: the driver knows nothing of it
  bool unregister;      // asked for, not done
  unsigned callbacks;   // of the completion thread to come
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

void agpu_host_register(agpu_stream *loan, void *pointer, int64_t bytes,
                        const char *location) {
  if (!agpu__loan_enter(loan))
    return;
  const agpu__driver *driver = loan->device->driver;
  if (bytes < 0) {
    agpu__loan_fail(loan,
                    agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, location,
                                       "registering %lld bytes of host memory",
                                       (long long)bytes));
    return;
  }
  agpu__host_memory *memory = loan->device->shared->host_memory;
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&memory->lock);
  registration *of = find(memory, pointer);
  if (of && of->unregister && (size_t)bytes == of->bytes) {
    of->unregister = false;
  } else {
    // With another size while the old one is in use: the driver's error.
    if (bytes)
      result = driver->cuMemHostRegister(pointer, (size_t)bytes,
                                         CU_MEMHOSTREGISTER_PORTABLE |
                                             CU_MEMHOSTREGISTER_DEVICEMAP);
    if (!result) {
      of = agpu__memory_alloc(sizeof *of, _Alignof(registration),
                              "a registration");
      *of = (registration){.next = memory->registrations,
                           .device = loan->device,
                           .pointer = pointer,
                           .bytes = (size_t)bytes};
      memory->registrations = of;
    }
  }
  pthread_mutex_unlock(&memory->lock);
  if (result)
    agpu__loan_fail(
        loan, agpu__driver_error(driver, result, location,
                                 "registering %lld bytes of host memory at %p",
                                 (long long)bytes, pointer));
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
  bool known = of && !of->unregister;
  if (known) {
    of->unregister = true;
    of->location = location;
    ++of->callbacks;
  }
  pthread_mutex_unlock(&memory->lock);
  if (known) {
    agpu__completion_defer(event, unregister_now, of);
    // A token from here on has an event of its own, which comes later.
    agpu__loan_enqueued(loan, &op);
  } else {
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
