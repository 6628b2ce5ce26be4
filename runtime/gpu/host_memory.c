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
//===----------------------------------------------------------------------===//

#include "base/memory.h"
#include "base/status_track.h"
#include "gpu/completion.h"
#include "gpu/loan.h"
#include "gpu/memory.h"

typedef struct registration {
  struct registration *next;
  const agpu__device *device;
  void *pointer;
  size_t bytes;         // 0: the driver knows nothing of it
  bool unregister;      // asked for, not done
  unsigned callbacks;   // of the completion thread to come
  const char *location; // of the last unregistering
} registration;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static registration *registrations;

/// Under the lock.
static registration *find(const void *pointer) {
  registration *found = registrations;
  while (found && found->pointer != pointer)
    found = found->next;
  return found;
}

/// Under the lock.
static void forget(registration *of) {
  registration **link = &registrations;
  while (*link != of)
    link = &(*link)->next;
  *link = of->next;
  agpu__memory_free(of);
}

/// The work before an unregistering has completed or failed.
static void unregister_now(void *argument) {
  registration *of = argument;
  const agpu__device *device = of->device;
  pthread_mutex_lock(&lock);
  // Registered again since, or unregistered twice: a later callback's business.
  bool last = --of->callbacks == 0;
  if (last && of->unregister) {
    CUresult result = of->bytes
                          ? device->driver->cuMemHostUnregister(of->pointer)
                          : CUDA_SUCCESS;
    // After a failure of the device every call fails; that has been told.
    if (result && !agpu__completion_has_failed())
      agpu__status_report(
          agpu__driver_error(device->driver, result, of->location,
                             "unregistering host memory at %p", of->pointer));
    forget(of);
  }
  pthread_mutex_unlock(&lock);
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
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  registration *of = find(pointer);
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
      *of = (registration){.next = registrations,
                           .device = loan->device,
                           .pointer = pointer,
                           .bytes = (size_t)bytes};
      registrations = of;
    }
  }
  pthread_mutex_unlock(&lock);
  if (result)
    agpu__loan_fail(
        loan, agpu__driver_error(driver, result, location,
                                 "registering %lld bytes of host memory at %p",
                                 (long long)bytes, pointer));
}

void agpu_host_unregister(agpu_stream *loan, void *pointer,
                          const char *location) {
  agpu__event *event = agpu__loan_record(loan);
  if (!event)
    return;
  pthread_mutex_lock(&lock);
  registration *of = find(pointer);
  bool known = of && !of->unregister;
  if (known) {
    of->unregister = true;
    of->location = location;
    ++of->callbacks;
  }
  pthread_mutex_unlock(&lock);
  if (known)
    agpu__completion_defer(event, unregister_now, of);
  else
    agpu__loan_fail(loan, agpu_status_create(
                              AGPU_STATUS_INVALID_ARGUMENT, location,
                              "unregistering host memory at %p, which is not "
                              "registered",
                              pointer));
  agpu__event_release(event);
}

void agpu__host_memory_reset(void) {
  pthread_mutex_lock(&lock);
  while (registrations)
    forget(registrations);
  pthread_mutex_unlock(&lock);
}
