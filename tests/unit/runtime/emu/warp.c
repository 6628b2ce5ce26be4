//===- warp.c - Lanes that meet -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of C plays the lanes of a warp that wait, and looks at who goes on.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/warp.h"
#include "async_gpu/compiled/native_thread.h"
#include "check.h"
#include "gpu/driver/driver.h"

enum { LANES = 32, LAUNCHES = 40 };

#define ALL UINT32_MAX

// Sites end with a text, here an empty one.
static const agpu_native_site active = {.wait = AGPU_NATIVE_ACTIVE_MASK};
static const agpu_native_site vote = {.wait = AGPU_NATIVE_VOTE, .mode = 2};

static unsigned parted; // groups that active masks were found in, less 1 each
static uint32_t ballots[LANES], released[2];

/// All lanes ask who is with them.
static void run_active(void *const *params, const agpu_native_block *block) {
  (void)params;
  agpu_native_thread *warp = agpu_native_begin_block(block);
  for (unsigned i = 0; i < LANES; ++i)
    warp[i] = (agpu_native_thread){.site = &active};
  for (uint32_t waiting = ALL, first = 1; waiting; first = 0) {
    uint32_t together = agpu__emu_warp_release(warp, ALL, waiting);
    CHECK(together && !(together & ~waiting));
    for (unsigned i = 0; i < LANES; ++i)
      if (together >> i & 1u)
        CHECK(!warp[i].site && warp[i].value == together);
    waiting &= ~together;
    parted += !first;
  }
}

/// Two halves vote at once, and the last lane of one is late.
static void run_votes(void *const *params, const agpu_native_block *block) {
  (void)params;
  agpu_native_thread *warp = agpu_native_begin_block(block);
  for (unsigned i = 0; i < LANES; ++i)
    warp[i] = (agpu_native_thread){.site = &vote,
                                   .mask = i % 2 ? 0xaaaaaaaau : 0x55555555u,
                                   .value = i < 4};
  released[0] = agpu__emu_warp_release(warp, ALL, ALL >> 1);
  released[1] = agpu__emu_warp_release(warp, ALL, ALL & ~released[0]);
  for (unsigned i = 0; i < LANES; ++i)
    ballots[i] = (uint32_t)warp[i].value;
}

static const agpu_native_kernel kernels[] = {
    {.name = "active", .run = run_active}, {.name = "votes", .run = run_votes}};
static const agpu_native_image image = {AGPU_NATIVE_MAGIC, 2, kernels};

static void run(const char *seed, const char *name, unsigned launches) {
  agpu__driver driver;
  CUcontext context;
  CUstream stream;
  CUmodule module;
  CUfunction function;
  if (seed)
    setenv("ASYNC_GPU_EMU_SEED", seed, 1);
  else
    unsetenv("ASYNC_GPU_EMU_SEED");
  CHECK(!agpu__driver_load(AGPU_DEVICE_EMU, &driver));
  CHECK(!driver.cuInit(0));
  CHECK(!driver.cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(!driver.cuCtxSetCurrent(context));
  CHECK(!driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(!driver.cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  CHECK(!driver.cuModuleGetFunction(&function, module, name));
  for (unsigned i = 0; i < launches; ++i)
    CHECK(!driver.cuLaunchKernel(function, 1, 1, 1, LANES, 1, 1, 0, stream,
                                 NULL, NULL));
  CHECK(!driver.cuStreamSynchronize(stream));
  CHECK(!driver.cuDevicePrimaryCtxRelease(0));
}

static void check_lanes_meet_without_a_seed(void) {
  parted = 0;
  run(NULL, "active", LAUNCHES);
  CHECK_EQ(parted, 0);
}

/// PTX promises no lane that another is with it.
static void check_lanes_part_under_a_seed(void) {
  parted = 0;
  run("3", "active", LAUNCHES);
  CHECK(parted > 0);
}

static void check_groups_vote_apart(void) {
  run(NULL, "votes", 1);
  CHECK_EQ(released[0], 0x55555555u);
  CHECK_EQ(released[1], 0xaaaaaaaau);
  for (unsigned i = 0; i < LANES; ++i)
    CHECK_EQ(ballots[i], i % 2 ? 0xau : 0x5u);
}

int main(void) {
  check_lanes_meet_without_a_seed();
  check_lanes_part_under_a_seed();
  check_groups_vote_apart();
  return 0;
}
