//===- gate.c - No more calls of the driver -------------------------------===//
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
// closes it does so first and then looks who is inside. One of the two has to
// see the other, which takes a full barrier between the two steps on both
// sides. Calls are many and the gate closes once: so who closes it makes that
// barrier for all (base/sync/fence.h), and a call is two plain stores
// (gate.h). Where the kernel makes none, each call does here what that takes.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/gate.h"

#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/self.h"
#include "base/sync/fence.h"
#include "base/sync/lock.h"

#include <time.h>

typedef struct agpu__gate_slot slot;

// The functions of the table have no place for a context pointer, so there is
// one gate.
static struct {
  const agpu__driver *guarded; // set before the table is used
  atomic_bool closed;
  agpu__lock lock;
  // Of all threads that have called.
  LIST_HEAD(, agpu__gate_slot) slots AGPU__GUARDED_BY(lock);
} gate = {.lock = AGPU__LOCK_INIT(AGPU__RANK_DRIVER_GATE)};

atomic_bool agpu__gate_is_slow;

static void free_slot(void) {
  slot *freed = agpu__self.gpu.gate;
  agpu__self.gpu.gate = NULL; // what ends later on this thread may call, too
  agpu__lock_acquire(&gate.lock);
  LIST_REMOVE(freed, link);
  agpu__lock_release(&gate.lock);
  agpu__memory_free(freed);
}

static slot *create_slot(void) {
  slot *created =
      agpu__memory_alloc(sizeof *created, _Alignof(slot), "a thread's calls");
  atomic_init(&created->inside, 0);
  agpu__lock_acquire(&gate.lock);
  LIST_INSERT_HEAD(&gate.slots, created, link);
  agpu__lock_release(&gate.lock);
  // Where that is not done slots stay in the list, and do no harm.
  (void)agpu__self_at_end(AGPU__PART_DRIVER_GATE, free_slot);
  return agpu__self.gpu.gate = created;
}

/// NULL: the gate is closed.
static slot *enter_any(void) {
  slot *own = agpu__self.gpu.gate ? agpu__self.gpu.gate : create_slot();
  agpu__fence_store(&own->inside, own->inside + 1);
  if (!atomic_load(&gate.closed) || agpu__self.gpu.has_closed)
    return own;
  agpu__gate_leave(own);
  return NULL;
}

bool agpu__driver_gate_enter(void) { return enter_any() != NULL; }

void agpu__driver_gate_leave(void) { agpu__gate_leave(agpu__self.gpu.gate); }

static bool is_any_inside(void) {
  bool any = false;
  const slot *of;
  agpu__lock_acquire(&gate.lock);
  LIST_FOREACH (of, &gate.slots, link)
    any |= atomic_load(&of->inside) != 0;
  agpu__lock_release(&gate.lock);
  return any;
}

bool agpu__driver_gate_close(int64_t timeout_ns) {
  agpu__self.gpu.has_closed = true;
  // In this order: a thread that was refused once is never let in again.
  atomic_store(&agpu__gate_is_slow, true);
  atomic_store(&gate.closed, true);
  agpu__fence_others();
  int64_t until = agpu__clock_now_ns() + timeout_ns;
  while (is_any_inside()) {
    if (agpu__clock_now_ns() > until)
      return false;
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  return true;
}

// The first call of a thread, and those after the end, are functions of their
// own, so that the others need not save what these call.
#define GATED(need, name, symbol, parameters, arguments)                       \
  static __attribute__((noinline, cold)) CUresult rare_##name parameters {     \
    slot *own = enter_any();                                                   \
    if (!own)                                                                  \
      return CUDA_ERROR_DEINITIALIZED;                                         \
    CUresult result = gate.guarded->name arguments;                            \
    agpu__gate_leave(own);                                                     \
    return result;                                                             \
  }                                                                            \
  static CUresult gated_##name parameters {                                    \
    const agpu__thread_self *self = agpu__self_known;                          \
    slot *own = self ? self->gpu.gate : NULL;                                  \
    if (!own || !agpu__gate_enter(own))                                        \
      return rare_##name arguments;                                            \
    CUresult result = gate.guarded->name arguments;                            \
    agpu__gate_leave(own);                                                     \
    return result;                                                             \
  }
AGPU__DRIVER_FUNCTIONS(GATED)
#undef GATED

void agpu__driver_load_gate(agpu__driver *out_driver,
                            const agpu__driver *inner) {
  gate.guarded = inner;
  agpu__fence_register();
  atomic_store(&agpu__gate_is_slow,
               atomic_load(&gate.closed) || !agpu__fence_by_kernel);
  *out_driver = *inner;
  out_driver->guarded = inner;
  // A function that the driver lacks stays missing.
#define INSTALL(need, name, symbol, parameters, arguments)                     \
  if (inner->name)                                                             \
    out_driver->name = gated_##name;
  AGPU__DRIVER_FUNCTIONS(INSTALL)
#undef INSTALL
  // It says what the thread itself knows. The others describe results, also
  // those of refused calls.
  out_driver->cuCtxGetCurrent = inner->cuCtxGetCurrent;
  out_driver->cuGetErrorName = inner->cuGetErrorName;
  out_driver->cuGetErrorString = inner->cuGetErrorString;
}
