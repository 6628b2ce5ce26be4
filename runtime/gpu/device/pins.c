//===- pins.c - Pages of the host that devices know -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver may take its time. Meanwhile the lock is open, and who wants a
// page of what the driver is at waits.
//
//===----------------------------------------------------------------------===//

#include "gpu/device/pins.h"

#include "base/memory/memory.h"
#include "base/sync/mutex.h"

#include <sys/queue.h>
#include <unistd.h>

/// Pages that one call has registered.
typedef struct pin {
  LIST_ENTRY(pin) link;
  uintptr_t from, to;
  unsigned users; // ranges
  bool busy;      // the driver is at it, for one thread
  bool registered;
} pin;

struct agpu__pins {
  uintptr_t page;
  agpu__mutex lock;
  agpu__condition settled; // a pin is not busy any more
  LIST_HEAD(, pin) all AGPU__GUARDED_BY(lock);
  // Since the beginning. Relaxed: who copies a range has registered it.
  atomic_bool any;
};

agpu__pins *agpu__pins_create(void) {
  agpu__pins *pins = agpu__memory_alloc(sizeof *pins, _Alignof(agpu__pins),
                                        "registered pages");
  *pins = (agpu__pins){.page = (uintptr_t)sysconf(_SC_PAGESIZE)};
  agpu__mutex_init(&pins->lock, AGPU__RANK_PINS);
  agpu__condition_init(&pins->settled);
  LIST_INIT(&pins->all);
  return pins;
}

typedef struct range {
  uintptr_t from, to;
} range;

static range find_pages(const agpu__pins *pins, const void *pointer,
                        size_t bytes) {
  uintptr_t mask = pins->page - 1, first = (uintptr_t)pointer;
  range pages = {first & ~mask, 0};
  // Where the last page is that of the address space, there is no end.
  if (__builtin_add_overflow(first, bytes, &pages.to) ||
      __builtin_add_overflow(pages.to, mask, &pages.to))
    pages.to = UINTPTR_MAX;
  pages.to &= ~mask;
  return pages;
}

static bool has_page(const pin *of, range pages) {
  return of->from < pages.to && pages.from < of->to;
}

/// Holds the lock once the driver is at none of the pages.
static void lock_quiet(agpu__pins *pins, range pages)
    AGPU__ACQUIRE(pins->lock) {
  agpu__mutex_lock(&pins->lock);
  const pin *of = LIST_FIRST(&pins->all);
  while (of) {
    if (of->busy && has_page(of, pages)) {
      agpu__condition_wait(&pins->settled, &pins->lock);
      of = LIST_FIRST(&pins->all); // any may have gone
    } else {
      of = LIST_NEXT(of, link);
    }
  }
}

/// The first pin that ends after `at`; NULL: there is none.
static pin *find_next(agpu__pins *pins, uintptr_t at)
    AGPU__REQUIRES(pins->lock) {
  AGPU__ASSERT_HELD(&pins->lock);
  pin *next = NULL, *of;
  LIST_FOREACH (of, &pins->all, link)
    if (of->to > at && (!next || of->from < next->from))
      next = of;
  return next;
}

/// Counts the range's pins, those that it lacks among them, which are busy.
/// Returns how many these are.
static size_t claim(agpu__pins *pins, range pages) AGPU__REQUIRES(pins->lock) {
  AGPU__ASSERT_HELD(&pins->lock);
  size_t made = 0;
  for (uintptr_t at = pages.from; at < pages.to;) {
    pin *of = find_next(pins, at);
    if (!of || of->from > at) {
      pin *added =
          agpu__memory_alloc(sizeof *added, _Alignof(pin), "registered pages");
      *added = (pin){.from = at,
                     .to = of && of->from < pages.to ? of->from : pages.to,
                     .busy = true};
      LIST_INSERT_HEAD(&pins->all, added, link);
      of = added;
      ++made;
    }
    ++of->users;
    at = of->to;
  }
  atomic_store_explicit(&pins->any, true, memory_order_relaxed);
  return made;
}

static CUresult register_pages(const agpu__driver *driver, const pin *of) {
  const unsigned flags =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  void *pages = (void *)of->from;
  CUresult result = driver->cuMemHostRegister(pages, of->to - of->from, flags);
  // A driver that does not know the flag refuses it in the same way.
  if (result == CUDA_ERROR_INVALID_VALUE)
    result = driver->cuMemHostRegister(pages, of->to - of->from,
                                       flags | CU_MEMHOSTREGISTER_READ_ONLY);
  return result;
}

/// The pages' next busy pin, which the caller has claimed; with `registered`,
/// of those that are. No other thread's is among them, or takes one out.
static pin *find_busy(agpu__pins *pins, range pages, bool registered)
    AGPU__EXCLUDES(pins->lock) {
  agpu__mutex_lock(&pins->lock);
  pin *of;
  LIST_FOREACH (of, &pins->all, link)
    if (of->busy && has_page(of, pages) && of->registered == registered)
      break;
  agpu__mutex_unlock(&pins->lock);
  return of;
}

static void set_registered(agpu__pins *pins, pin *of, bool registered) {
  agpu__mutex_lock(&pins->lock);
  of->registered = registered;
  agpu__mutex_unlock(&pins->lock);
}

/// The driver is done with what the caller has claimed of the pages; what is
/// not registered goes.
static void settle(agpu__pins *pins, range pages) {
  agpu__mutex_lock(&pins->lock);
  for (pin *of = LIST_FIRST(&pins->all), *next; of; of = next) {
    next = LIST_NEXT(of, link);
    if (!of->busy || !has_page(of, pages))
      continue;
    of->busy = false;
    if (!of->registered) {
      LIST_REMOVE(of, link);
      agpu__memory_free(of);
    }
  }
  agpu__condition_broadcast(&pins->settled);
  agpu__mutex_unlock(&pins->lock);
}

/// Counts the range's pins down. Those that no other range has are busy then.
static void let_go(agpu__pins *pins, range pages) AGPU__REQUIRES(pins->lock) {
  AGPU__ASSERT_HELD(&pins->lock);
  pin *of;
  LIST_FOREACH (of, &pins->all, link)
    if (has_page(of, pages) && --of->users == 0)
      of->busy = true;
}

/// Unregisters the pages' busy pins, which the caller has let go.
static CUresult unregister_pages(const agpu__device *device, range pages) {
  agpu__pins *pins = device->shared->pins;
  CUresult result = CUDA_SUCCESS;
  for (pin *of; result != CUDA_ERROR_DEINITIALIZED &&
                (of = find_busy(pins, pages, true));) {
    CUresult told = device->driver->cuMemHostUnregister((void *)of->from);
    if (told != CUDA_ERROR_DEINITIALIZED)
      set_registered(pins, of, false);
    result = result ? result : told;
  }
  settle(pins, pages);
  return result;
}

CUresult agpu__pins_add(const agpu__device *device, const void *pointer,
                        size_t bytes) {
  agpu__pins *pins = device->shared->pins;
  const range pages = find_pages(pins, pointer, bytes);
  lock_quiet(pins, pages);
  size_t made = claim(pins, pages);
  agpu__mutex_unlock(&pins->lock);
  if (!made)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (pin *of; !result && (of = find_busy(pins, pages, false));) {
    result = register_pages(device->driver, of);
    if (!result)
      set_registered(pins, of, true);
  }
  if (!result) {
    settle(pins, pages);
    return CUDA_SUCCESS;
  }
  // Those of the caller are still busy, so that no other range can have come to
  // use pages that are counted down here.
  agpu__mutex_lock(&pins->lock);
  let_go(pins, pages);
  agpu__mutex_unlock(&pins->lock);
  (void)unregister_pages(device, pages);
  return result;
}

CUresult agpu__pins_remove(const agpu__device *device, const void *pointer,
                           size_t bytes) {
  agpu__pins *pins = device->shared->pins;
  const range pages = find_pages(pins, pointer, bytes);
  lock_quiet(pins, pages);
  let_go(pins, pages);
  agpu__mutex_unlock(&pins->lock);
  return unregister_pages(device, pages);
}

size_t agpu__pins_get_part(agpu__pins *pins, CUdeviceptr pointer,
                           size_t bytes) {
  if (!atomic_load_explicit(&pins->any, memory_order_relaxed))
    return bytes;
  agpu__mutex_lock(&pins->lock);
  const pin *of;
  LIST_FOREACH (of, &pins->all, link) {
    uintptr_t border = of->from > pointer ? of->from : of->to;
    if (border > pointer && border - pointer < bytes)
      bytes = border - pointer;
  }
  agpu__mutex_unlock(&pins->lock);
  return bytes;
}

void agpu__pins_abandon(agpu__pins *pins, const agpu__driver *driver) {
  agpu__mutex_lock(&pins->lock);
  pin *of;
  LIST_FOREACH (of, &pins->all, link) {
    if (of->registered)
      (void)driver->cuMemHostUnregister((void *)of->from);
    of->registered = false;
  }
  agpu__mutex_unlock(&pins->lock);
}

void agpu__pins_destroy(agpu__pins *pins) {
  agpu__mutex_lock(&pins->lock);
  while (!LIST_EMPTY(&pins->all)) {
    pin *first = LIST_FIRST(&pins->all);
    LIST_REMOVE(first, link);
    agpu__memory_free(first);
  }
  agpu__mutex_unlock(&pins->lock);
  agpu__condition_destroy(&pins->settled);
  agpu__mutex_destroy(&pins->lock);
  agpu__memory_free(pins);
}
