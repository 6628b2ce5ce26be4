//===- schedule.c - Seeds draw schedules ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two independent streams note in which order their ops run. Equal seeds draw
// equal pauses; different seeds really give different orders; without a seed
// there are no pauses.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "emu/base/random.h"
#include "gpu/driver/driver.h"

#include <stdatomic.h>

enum { OPS = 6 };

static char order[2 * OPS + 1];
static _Atomic(int) noted;

static void note(void *argument) {
  order[atomic_fetch_add(&noted, 1)] = (char)(intptr_t)argument;
}

static void load(const char *seed, agpu__driver *driver) {
  if (seed)
    setenv("ASYNC_GPU_EMU_SEED", seed, 1);
  else
    unsetenv("ASYNC_GPU_EMU_SEED");
  CHECK(!agpu__driver_load(AGPU_DEVICE_EMU, driver));
  CHECK(!driver->cuInit(0));
}

/// The order of two streams' ops under `seed`.
static void run(const char *seed) {
  agpu__driver driver;
  CUcontext context;
  CUstream streams[2];
  load(seed, &driver);
  CHECK(!driver.cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(!driver.cuCtxSetCurrent(context));
  atomic_store(&noted, 0);
  for (int i = 0; i < 2; ++i)
    CHECK(!driver.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < OPS; ++i) {
    CHECK(!driver.cuLaunchHostFunc(streams[0], note, (void *)(intptr_t)'a'));
    CHECK(!driver.cuLaunchHostFunc(streams[1], note, (void *)(intptr_t)'b'));
  }
  for (int i = 0; i < 2; ++i)
    CHECK(!driver.cuStreamSynchronize(streams[i]));
  CHECK(!driver.cuDevicePrimaryCtxRelease(0));
  order[2 * OPS] = '\0';
}

static void check_equal_seeds_draw_equally(void) {
  agpu__driver driver;
  uint64_t draws[2][8];
  for (int round = 0; round < 2; ++round) {
    load("1234", &driver);
    agpu__emu_random random = agpu__emu_random_create(3);
    for (int i = 0; i < 8; ++i)
      draws[round][i] = agpu__emu_random_next(&random);
  }
  CHECK(memcmp(draws[0], draws[1], sizeof draws[0]) == 0);
  load("1235", &driver);
  agpu__emu_random random = agpu__emu_random_create(3);
  CHECK(agpu__emu_random_next(&random) != draws[0][0]);
}

/// Blocks come in another order than their numbers', each exactly once.
static int block_order[64];
static _Atomic(int) blocks_run;

static void run_block(void *const *params, const agpu_native_block *block) {
  (void)params;
  block_order[atomic_fetch_add(&blocks_run, 1)] = (int)block->block_id[0];
}

static void check_blocks_are_shuffled(void) {
  static const agpu_native_kernel kernel = {
      .name = "k", .run = run_block, .param_sizes = NULL, .param_count = 0};
  static const agpu_native_image image = {AGPU_NATIVE_MAGIC, 1, &kernel};
  agpu__driver driver;
  CUcontext context;
  CUstream stream;
  CUmodule module;
  CUfunction function;
  load("77", &driver);
  CHECK(!driver.cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(!driver.cuCtxSetCurrent(context));
  CHECK(!driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(!driver.cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  CHECK(!driver.cuModuleGetFunction(&function, module, "k"));
  CHECK(!driver.cuLaunchKernel(function, 64, 1, 1, 1, 1, 1, 0, stream, NULL,
                               NULL));
  CHECK(!driver.cuStreamSynchronize(stream));
  CHECK_EQ(atomic_load(&blocks_run), 64);
  bool seen[64] = {false};
  int in_order = 0;
  for (int i = 0; i < 64; ++i) {
    CHECK(!seen[block_order[i]]);
    seen[block_order[i]] = true;
    in_order += block_order[i] == i;
  }
  CHECK(in_order < 32);
  CHECK(!driver.cuDevicePrimaryCtxRelease(0));
}

int main(void) {
  check_equal_seeds_draw_equally();
  check_blocks_are_shuffled();
  enum { SEEDS = 40 };
  static char orders[SEEDS][2 * OPS + 1];
  int distinct = 0;
  for (int i = 0; i < SEEDS; ++i) {
    char seed[16];
    (void)snprintf(seed, sizeof seed, "%d", i);
    run(seed);
    memcpy(orders[i], order, sizeof order);
    bool is_new = true;
    for (int j = 0; j < i; ++j)
      is_new &= strcmp(orders[i], orders[j]) != 0;
    distinct += is_new;
  }
  printf("%d seeds, %d orders\n", SEEDS, distinct);
  CHECK(distinct >= SEEDS / 4);
  return 0;
}
