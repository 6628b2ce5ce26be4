//===- driver_gate.c - No more calls of the driver ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that fails ends while its threads run on. Before it gives streams,
// events and memory back, the driver must be left alone: a table that calls
// another, and refuses to once it is closed. What is refused unwinds as any
// failed call does.
//
// A caller says that it is inside, then looks whether the gate is closed; who
// closes it does so first and then looks who is inside. In the one order of
// sequentially consistent operations one of the two sees the other.
//
//===----------------------------------------------------------------------===//

#include "base/clock.h"
#include "base/platform.h"
#include "gpu/driver.h"

#include <stdatomic.h>
#include <time.h>

/// Threads count in one of these, so that they do not all write to one line.
#define SLOTS 64

typedef struct slot {
  _Alignas(64) atomic_uint inside;
} slot;

// The functions of the table have no place for a context pointer, so what they
// wrap is global: set once, before the table is used.
static const agpu__driver *guarded;
static slot slots[SLOTS];
static atomic_bool closed;
static atomic_uint threads;

static AGPU__HOT_THREAD_LOCAL slot *own_slot;
static _Thread_local bool has_closed;

static bool enter(void) {
  if (!own_slot)
    own_slot =
        &slots[atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) %
               SLOTS];
  atomic_fetch_add(&own_slot->inside, 1);
  if (!atomic_load(&closed) || has_closed)
    return true;
  atomic_fetch_sub(&own_slot->inside, 1);
  return false;
}

static void leave(void) {
  // Release, with the load in agpu__driver_gate_close: what the call did comes
  // before what is done behind the closed gate.
  atomic_fetch_sub_explicit(&own_slot->inside, 1, memory_order_release);
}

bool agpu__driver_gate_close(int64_t timeout_ns) {
  has_closed = true;
  atomic_store(&closed, true);
  int64_t until = agpu__clock_now_ns() + timeout_ns;
  for (int i = 0; i < SLOTS; ++i)
    while (atomic_load(&slots[i].inside)) {
      if (agpu__clock_now_ns() > until)
        return false;
      nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
  return true;
}

#define GATED(need, name, symbol, parameters, arguments)                       \
  static CUresult gated_##name parameters {                                    \
    if (!enter())                                                              \
      return CUDA_ERROR_DEINITIALIZED;                                         \
    CUresult result = guarded->name arguments;                                 \
    leave();                                                                   \
    return result;                                                             \
  }
AGPU__DRIVER_FUNCTIONS(GATED)
#undef GATED

void agpu__driver_load_gate(agpu__driver *out_driver,
                            const agpu__driver *inner) {
  guarded = inner;
  out_driver->name = inner->name;
  out_driver->image_format = inner->image_format;
  out_driver->checks_memory = inner->checks_memory;
  // A function that the driver lacks stays missing.
#define INSTALL(need, name, symbol, parameters, arguments)                     \
  out_driver->name = inner->name ? gated_##name : NULL;
  AGPU__DRIVER_FUNCTIONS(INSTALL)
#undef INSTALL
  // These describe results, also those of refused calls.
  out_driver->cuGetErrorName = inner->cuGetErrorName;
  out_driver->cuGetErrorString = inner->cuGetErrorString;
}
