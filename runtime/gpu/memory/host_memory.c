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
// The driver may take its time, as it pins each page or waits for what the
// device does. Meanwhile the lock is open, and only who wants a byte of the
// same range waits.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "base/report/status_track.h"
#include "base/sync/mutex.h"
#include "gpu/device/pins.h"
#include "gpu/memory/memory.h"
#include "gpu/stream/completion.h"

#include <sys/queue.h>

typedef struct registration {
  LIST_ENTRY(registration) link;
  const agpu__device *device;
  void *pointer;
  size_t bytes;         // 0: the driver is never told of it
  bool busy;            // the driver is at it, and no one else
  unsigned count;       // how often, the unregistering that is asked for aside
  bool unregister;      // asked for, not done
  unsigned callbacks;   // of the completion thread to come
  bool gone;            // not in the list: the last callback frees it
  const char *made;     // where it was registered first
  const char *location; // of the last unregistering
} registration;

struct agpu__host_memory {
  agpu__mutex lock;
  agpu__condition settled; // a registration is not busy any more
  LIST_HEAD(, registration) all AGPU__GUARDED_BY(lock);
};

static registration *find(agpu__host_memory *memory, const void *pointer)
    AGPU__REQUIRES(memory->lock) {
  AGPU__ASSERT_HELD(&memory->lock);
  registration *of;
  LIST_FOREACH (of, &memory->all, link)
    if (of->pointer == pointer)
      break;
  return of;
}

/// Takes the registration out of the list, and frees it unless a callback is
/// still to look at it.
static void forget(registration *of) {
  LIST_REMOVE(of, link);
  of->gone = true;
  if (!of->callbacks)
    agpu__memory_free(of);
}

static bool overlaps(const registration *of, const void *pointer,
                     size_t bytes) {
  uintptr_t from = (uintptr_t)pointer;
  return bytes && of->bytes && from < (uintptr_t)of->pointer + of->bytes &&
         (uintptr_t)of->pointer < from + bytes;
}

/// The registration that has a byte of the range, or NULL.
static const registration *find_overlap(agpu__host_memory *memory,
                                        const void *pointer, size_t bytes)
    AGPU__REQUIRES(memory->lock) {
  AGPU__ASSERT_HELD(&memory->lock);
  const registration *of;
  LIST_FOREACH (of, &memory->all, link)
    if (overlaps(of, pointer, bytes))
      break;
  return of;
}

/// Holds the lock once the driver is at nothing of the range.
static void lock_settled(agpu__host_memory *memory, const void *pointer,
                         size_t bytes) AGPU__ACQUIRE(memory->lock) {
  agpu__mutex_lock(&memory->lock);
  const registration *of = LIST_FIRST(&memory->all);
  while (of) {
    if (of->busy && (of->pointer == pointer || overlaps(of, pointer, bytes))) {
      agpu__condition_wait(&memory->settled, &memory->lock);
      of = LIST_FIRST(&memory->all); // any may have gone
    } else {
      of = LIST_NEXT(of, link);
    }
  }
}

/// Has the driver know of the memory, or not any more, without the lock. A
/// process that fails gives back what is registered: so this is inside the
/// gate until it is noted what has been done.
static CUresult tell_driver(agpu__host_memory *memory,
                            const agpu__device *device, registration *of,
                            bool registered) AGPU__REQUIRES(memory->lock) {
  AGPU__ASSERT_HELD(&memory->lock);
  if (!of->bytes)
    return CUDA_SUCCESS;
  of->busy = true;
  agpu__mutex_unlock(&memory->lock);

  bool entered = agpu__driver_gate_enter();
  CUresult result = CUDA_ERROR_DEINITIALIZED;
  if (entered && registered)
    result = agpu__pins_add(device, of->pointer, of->bytes);
  else if (entered)
    result = agpu__pins_remove(device, of->pointer, of->bytes);

  agpu__mutex_lock(&memory->lock);
  of->busy = false;
  agpu__condition_broadcast(&memory->settled);
  if (entered)
    agpu__driver_gate_leave();
  return result;
}

/// True once the driver knows nothing of the memory any more.
static bool unregister_at_driver(agpu__host_memory *memory, registration *of)
    AGPU__REQUIRES(memory->lock) {
  AGPU__ASSERT_HELD(&memory->lock);
  const agpu__device *device = of->device;
  CUresult result = tell_driver(memory, device, of, false);
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
  lock_settled(memory, of->pointer, 0);
  // Registered again since, or unregistered twice: a later callback's business.
  bool last = --of->callbacks == 0;
  if (last && of->gone)
    agpu__memory_free(of);
  else if (last && of->unregister && unregister_at_driver(memory, of))
    forget(of);
  agpu__mutex_unlock(&memory->lock);
}

/// A range that is not registered.
static agpu_status add(agpu__host_memory *memory, const agpu__device *device,
                       void *pointer, size_t bytes, const char *location)
    AGPU__REQUIRES(memory->lock) {
  AGPU__ASSERT_HELD(&memory->lock);
  const registration *other = find_overlap(memory, pointer, bytes);
  if (other)
    return agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, location,
        "registering %zu bytes of host memory at %p, which overlap the %zu at "
        "%p that %s%s%s",
        bytes, pointer, other->bytes, other->pointer,
        other->unregister ? "are still in use by the device" : "are registered",
        other->made ? ", registered at " : "", other->made ? other->made : "");
  if (!device->host_addresses)
    return agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, location,
        "registering host memory: device %d has other addresses for it than "
        "the host; allocate it by gpu.alloc host_shared",
        (int)device->ordinal);
  registration *added = agpu__memory_alloc(
      sizeof *added, _Alignof(registration), "a registration");
  *added = (registration){.device = device,
                          .pointer = pointer,
                          .bytes = bytes,
                          .count = 1,
                          .made = agpu__text_keep(location)};
  LIST_INSERT_HEAD(&memory->all, added, link);
  CUresult result = tell_driver(memory, device, added, true);
  if (!result)
    return AGPU_OK;
  forget(added);
  return agpu__driver_error(device->driver, result, location,
                            "registering %zu bytes of host memory at %p", bytes,
                            pointer);
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
  lock_settled(memory, pointer, (size_t)bytes);
  registration *of = find(memory, pointer);
  if (of && (size_t)bytes == of->bytes) {
    of->unregister = false;
    ++of->count;
  } else {
    status = add(memory, device, pointer, (size_t)bytes, location);
  }
  agpu__mutex_unlock(&memory->lock);
  return status;
}

CUresult agpu__host_memory_unregister(const agpu__device *device,
                                      void *pointer) {
  agpu__host_memory *memory = device->shared->host_memory;
  CUresult result = CUDA_SUCCESS;
  lock_settled(memory, pointer, 0);
  registration *of = find(memory, pointer);
  if (of && of->count > 1) {
    --of->count;
  } else if (of && of->count == 0) {
    result = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED; // unregistered already
  } else if (of) {
    result = tell_driver(memory, device, of, false);
    if (!result)
      forget(of);
  }
  agpu__mutex_unlock(&memory->lock);
  // The program's own registration, or its error.
  return of ? result : device->driver->cuMemHostUnregister(pointer);
}

agpu_status agpu__host_memory_unregister_behind(agpu__event *event,
                                                void *pointer,
                                                const char *location,
                                                bool *out_last) {
  agpu__host_memory *memory = event->device->shared->host_memory;
  lock_settled(memory, pointer, 0);
  registration *of = find(memory, pointer);
  bool known = of && of->count;
  *out_last = known && --of->count == 0;
  if (*out_last) {
    of->unregister = true;
    of->location = agpu__text_keep(location);
    ++of->callbacks;
  }
  agpu__mutex_unlock(&memory->lock);
  if (*out_last)
    agpu__completion_defer(event, unregister_now, of);
  return known ? AGPU_OK
               : agpu_status_create(
                     AGPU_STATUS_INVALID_ARGUMENT, location,
                     "unregistering host memory at %p, which is not registered",
                     pointer);
}

agpu__host_memory *agpu__host_memory_create(void) {
  agpu__host_memory *memory = agpu__memory_alloc(
      sizeof *memory, _Alignof(agpu__host_memory), "registered memory");
  agpu__mutex_init(&memory->lock, AGPU__RANK_HOST_MEMORY);
  agpu__condition_init(&memory->settled);
  LIST_INIT(&memory->all);
  return memory;
}

void agpu__host_memory_abandon(agpu__host_memory *memory) {
  agpu__mutex_lock(&memory->lock);
  // One device's context is enough: pages are registered with all.
  const registration *any = LIST_FIRST(&memory->all);
  if (any) {
    agpu__device_enter(any->device);
    agpu__pins_abandon(any->device->shared->pins, any->device->driver);
  }
  agpu__mutex_unlock(&memory->lock);
}

void agpu__host_memory_destroy(agpu__host_memory *memory) {
  agpu__host_memory_abandon(memory);
  agpu__mutex_lock(&memory->lock);
  while (!LIST_EMPTY(&memory->all))
    forget(LIST_FIRST(&memory->all));
  agpu__mutex_unlock(&memory->lock);
  agpu__condition_destroy(&memory->settled);
  agpu__mutex_destroy(&memory->lock);
  agpu__memory_free(memory);
}
