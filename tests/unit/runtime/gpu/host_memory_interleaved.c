//===- host_memory_interleaved.c - Registrations in all interleavings -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads register host memory and unregister it. One whose registration takes
// long holds up only who wants the same memory, and the driver is told once,
// also where the process fails meanwhile and gives back what is registered.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"

#include "interleave_fence.h"

#include <time.h>

#define nanosleep(pause, left) interleave_yield()
#define pthread_cond_wait(condition, lock) interleave_wait(condition, lock)
#define pthread_cond_broadcast(condition) interleave_broadcast(condition)

#include "gpu/device/pins.c"
#include "gpu/driver/gate.c"
#include "gpu/memory/host_memory.c"

#include "check.h"

#define THREADS 3

#include "interleave_gate.h"

// What host_memory.c needs of the runtime.
const char *agpu__text_keep(const char *text) { return text; }
void agpu__condition_init(agpu__condition *condition) { (void)condition; }
void agpu__device_enter(const agpu__device *device) { (void)device; }
void agpu__status_report(agpu_status status) { (void)status; }
void agpu_status_release(agpu_status status) { (void)status; }

bool agpu__stream_pool_failure_is_told(const agpu__stream_pool *pool) {
  return pool != NULL;
}

agpu_status agpu_status_create(agpu_status_code code, const char *location,
                               const char *format, ...) {
  (void)code, (void)location, (void)format;
  CHECK(false);
  return NULL;
}

static bool is_failing; // the process
static int refusals;    // to come
static char refused;

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...) {
  (void)driver, (void)location, (void)what;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return (agpu_status)(void *)&refused;
  CHECK(is_failing && result == CUDA_ERROR_DEINITIALIZED);
  return NULL;
}

static agpu__deferred *deferred;
static void *deferred_argument;

void agpu__completion_defer(agpu__event *event, agpu__deferred *function,
                            void *argument) {
  (void)event;
  deferred = function;
  deferred_argument = argument;
}

// The driver. `slow` is registered while `quick` is unregistered, each on a
// page of its own. `slow` and `LATE` are on the same one.
#define PAGE 4096
static _Alignas(PAGE) char slow[PAGE], quick[PAGE];
enum { BYTES = 8 };
#define LATE (slow + 64)
static int slow_calls, quick_calls;
static bool slow_is_registered, quick_is_registered, waits;

static bool quick_has_gone(const void *unused) {
  (void)unused;
  return !quick_is_registered;
}

static bool *find_state(const void *pointer) {
  ++*(pointer == slow ? &slow_calls : &quick_calls);
  return pointer == slow ? &slow_is_registered : &quick_is_registered;
}

static CUresult register_memory(void *pointer, size_t bytes,
                                unsigned int flags) {
  (void)flags;
  CHECK_EQ(bytes, PAGE);
  interleave_gap();
  if (pointer == slow && refusals > 0) {
    --refusals;
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (waits && pointer == slow)
    interleave_block(quick_has_gone, NULL);
  bool *state = find_state(pointer);
  CHECK(!*state);
  *state = true;
  return CUDA_SUCCESS;
}

static CUresult unregister_memory(void *pointer) {
  interleave_gap();
  bool *state = find_state(pointer);
  CHECK(*state);
  *state = false;
  return CUDA_SUCCESS;
}

static agpu__driver inner = {.name = "test",
                             .cuMemHostRegister = register_memory,
                             .cuMemHostUnregister = unregister_memory},
                    gated;
static agpu__shared shared;
static agpu__device device = {
    .driver = &gated, .shared = &shared, .host_addresses = true};
static agpu__event event = {.device = &device};

static void set_up(bool failing) {
  begin_blocks();
  atomic_init(&gate.closed, false);
  agpu__driver_load_gate(&gated, &inner);
  is_failing = failing;
  waits = slow_is_registered = quick_is_registered = false;
  slow_calls = quick_calls = 0;
  shared.host_memory = agpu__host_memory_create();
  shared.pins = agpu__pins_create();
  shared.pins->page = PAGE;
  CHECK(!agpu__host_memory_register(&device, quick, BYTES, NULL));
  bool last;
  CHECK(!agpu__host_memory_unregister_behind(&event, quick, NULL, &last));
  CHECK(last);
  waits = !failing;
}

static void begin(void) { set_up(false); }
static void begin_failing(void) { set_up(true); }
static void begin_refusing(void) {
  set_up(false);
  waits = false;
  refusals = 1;
}

/// The completion thread, and two that register the same.
static void work(int thread) {
  if (thread == 0) {
    deferred(deferred_argument, AGPU_OK);
    return;
  }
  CHECK(!agpu__host_memory_register(&device, slow, BYTES, NULL));
  if (thread == 1)
    CHECK(!agpu__host_memory_unregister(&device, slow));
}

/// The completion thread, and two that register memory on one page: it is
/// registered as long as one of them has it.
static void share(int thread) {
  if (thread == 0) {
    deferred(deferred_argument, AGPU_OK);
    return;
  }
  char *own = thread == 1 ? slow : LATE;
  CHECK(!agpu__host_memory_register(&device, own, BYTES, NULL));
  CHECK(slow_is_registered);
  if (thread == 1)
    CHECK(!agpu__host_memory_unregister(&device, own));
  else
    CHECK(slow_is_registered);
}

/// The completion thread, and two that register memory on one page, which the
/// driver refuses once: that leaves alone what the other has registered.
static void refuse(int thread) {
  if (thread == 0)
    deferred(deferred_argument, AGPU_OK);
  else if (!agpu__host_memory_register(&device, thread == 1 ? slow : LATE,
                                       BYTES, NULL))
    CHECK(slow_is_registered);
}

/// The process fails meanwhile.
static void fail(int thread) {
  if (thread == 0) {
    CHECK(agpu__driver_gate_close(1));
    agpu__host_memory_abandon(shared.host_memory);
    CHECK(!slow_is_registered && !quick_is_registered);
  } else if (thread == 1) {
    deferred(deferred_argument, AGPU_OK);
  } else {
    (void)agpu__host_memory_register(&device, slow, BYTES, NULL);
    (void)agpu__host_memory_unregister(&device, slow);
  }
}

// No other thread runs by then.
AGPU__UNCHECKED_LOCKS static void end(void) {
  CHECK(!quick_is_registered);
  CHECK_EQ(quick_calls, 2);
  switch_to(0);
  if (is_failing) {
    CHECK(!slow_is_registered);
    while (!LIST_EMPTY(&shared.host_memory->all))
      forget(LIST_FIRST(&shared.host_memory->all));
  } else {
    // Once, or the one thread was done before the other began.
    CHECK(slow_is_registered);
    CHECK(slow_calls == 1 || slow_calls == 3);
  }
  agpu__host_memory_destroy(shared.host_memory);
  agpu__pins_destroy(shared.pins);
  CHECK(!slow_is_registered);
  for (int i = 0; i < THREADS; ++i) {
    switch_to(i);
    if (agpu__self.gpu.gate)
      free_slot();
  }
}

int main(void) {
  static const struct {
    void (*begin)(void);
    void (*run)(int thread);
  } all[] = {{begin, work},
             {begin, share},
             {begin_refusing, refuse},
             {begin_failing, fail}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    long runs = interleave(&(interleaving){.threads = THREADS,
                                           .preemptions = 2,
                                           .begin = all[i].begin,
                                           .run = all[i].run,
                                           .end = end,
                                           .enter = switch_to});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
