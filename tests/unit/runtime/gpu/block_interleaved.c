//===- block_interleaved.c - Blocks that leave as the process fails -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread gives free blocks back to the driver while another closes the
// driver's gate and gives back what there is: each block goes back once.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/lock.c"

#include "interleave_fence.h"

#include <time.h>

#define nanosleep(pause, left) interleave_yield()

#include "gpu/driver/gate.c"
#include "gpu/memory/block.c"

#include "check.h"

#define THREADS 2
#define BLOCKS 2

#include "interleave_gate.h"

// What block.c needs of the runtime.
void agpu__event_end(agpu__event *event) { CHECK(!event); }
void agpu__device_enter(const agpu__device *device) { (void)device; }

bool agpu__event_is_over(agpu__event *event) { return !event; }
void agpu_status_release(agpu_status status) { CHECK(!status); }

agpu_status agpu__event_record(agpu__event *event) {
  CHECK(!event);
  return AGPU_OK;
}

// A block's address is its number, from 1 on.
static int allocated, freed[BLOCKS + 1];

static CUresult allocate_block(CUdeviceptr *pointer, size_t bytes) {
  (void)bytes;
  *pointer = (CUdeviceptr)++allocated;
  return CUDA_SUCCESS;
}

static CUresult free_block(CUdeviceptr pointer) {
  interleave_gap();
  ++freed[pointer];
  return CUDA_SUCCESS;
}

static agpu__driver inner = {.name = "test",
                             .cuMemAlloc = allocate_block,
                             .cuMemFree = free_block},
                    gated;
static agpu__device device = {.driver = &gated};

static void begin(void) {
  begin_blocks();
  atomic_init(&gate.closed, false);
  agpu__driver_load_gate(&gated, &inner);
  allocated = 0;
  memset(freed, 0, sizeof freed);
  device.blocks = agpu__block_pool_create(SIZE_MAX, false);
  CUdeviceptr pointers[BLOCKS];
  for (int i = 0; i < BLOCKS; ++i)
    CHECK(!agpu__block_alloc(&device, NULL, 8, false, &pointers[i]));
  for (int i = 0; i < BLOCKS; ++i)
    agpu__block_free(&device, pointers[i], NULL);
  CHECK(!agpu__block_pool_trim(&device)); // idle from now on
}

static void work(int thread) {
  if (thread == 0) {
    CHECK(agpu__driver_gate_close(1));
    agpu__block_pool_abandon(device.blocks, &device);
  } else {
    CHECK(agpu__block_pool_trim(&device));
  }
}

static void end(void) {
  for (int i = 1; i <= BLOCKS; ++i)
    CHECK_EQ(freed[i], 1);
  switch_to(0);
  agpu__block_pool_destroy(device.blocks, &device);
  for (int i = 0; i < THREADS; ++i) {
    switch_to(i);
    if (agpu__self.gpu.gate)
      free_slot();
  }
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = THREADS,
                                         .preemptions = 3,
                                         .begin = begin,
                                         .run = work,
                                         .end = end,
                                         .enter = switch_to});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
