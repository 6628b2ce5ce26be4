//===- gate_interleaved.c - The gate of the driver in all interleavings ---===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who closes the gate goes on once no call is inside, and none goes in behind
// it, whether callers make their own barrier or the kernel makes it for them. A
// thread that ends meanwhile takes what it has said of itself along.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"

#include "interleave_fence.h"

#include <time.h>

// Waits for callers do not end by themselves.
#define nanosleep(pause, left) interleave_yield()

#include "gpu/driver/gate.c"

#include "check.h"

#define THREADS 3

#include "interleave_gate.h"

static bool is_over; // the driver has been given back
static _Atomic(int) calls, refused;

static void count(_Atomic(int) *number, int more) {
  atomic_fetch_add_explicit(number, more, memory_order_relaxed);
}

/// Behind the gate once it is closed, none but who has closed it.
static void use_driver(void) {
  CHECK(!is_over);
  interleave_gap();
  CHECK(!is_over);
}

static CUresult call(unsigned int flags) {
  (void)flags;
  use_driver();
  count(&calls, 1);
  return CUDA_SUCCESS;
}

static agpu__driver inner = {.name = "test", .cuInit = call}, gated;

static void begin(void) {
  begin_blocks();
  is_over = false;
  calls = refused = 0;
  atomic_init(&gate.closed, false);
  agpu__driver_load_gate(&gated, &inner);
}

static void make_call(void) {
  CUresult result = gated.cuInit(0);
  CHECK(result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED);
  count(&refused, result != CUDA_SUCCESS);
}

/// Thread 0 closes the gate. One calls twice and ends, the other uses the
/// driver's memory, with a call inside of that and one behind it.
static void work(int thread) {
  if (thread == 0) {
    CHECK(agpu__driver_gate_close(1));
    CHECK(gated.cuInit(0) == CUDA_SUCCESS);
    is_over = true;
    interleave_gap();
  } else if (thread == 1) {
    make_call();
    make_call();
    free_slot();
  } else if (agpu__driver_gate_enter()) {
    use_driver();
    make_call();
    use_driver();
    agpu__driver_gate_leave();
    make_call();
  } else {
    count(&refused, 1);
  }
}

// No other thread runs by then.
AGPU__UNCHECKED_LOCKS static void end(void) {
  CHECK(calls >= 1 && calls + refused >= 4);
  for (int i = 0; i < THREADS; ++i) {
    switch_to(i);
    if (agpu__self.gpu.gate) {
      CHECK(atomic_load(&agpu__self.gpu.gate->inside) == 0);
      free_slot();
    }
  }
  CHECK(LIST_EMPTY(&gate.slots));
}

int main(void) {
  for (int kernel = 0; kernel < 2; ++kernel) {
    interleave_membarrier_works = kernel;
    long runs = interleave(&(interleaving){.threads = THREADS,
                                           .preemptions = 2,
                                           .stale = 1,
                                           .begin = begin,
                                           .run = work,
                                           .end = end,
                                           .enter = switch_to});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
