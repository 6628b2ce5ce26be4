//===- blocks.c - Blocks run in parallel ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Long blocks are shared by threads, short ones are not; several launches at
// once share the same threads; every block runs once.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "gpu/driver/driver.h"

#include <stdatomic.h>
#include <time.h>

enum { BLOCKS = 64, STREAMS = 3 };

static _Atomic(int) running, most, counts[STREAMS][BLOCKS];

static void run_long(void *const *params, const agpu_native_block *block) {
  int now = atomic_fetch_add(&running, 1) + 1;
  int before = atomic_load(&most);
  while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
    ;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  int stream = *(const int *)params[0];
  atomic_fetch_add(&counts[stream][block->block_id[0]], 1);
  atomic_fetch_sub(&running, 1);
}

static void run_short(void *const *params, const agpu_native_block *block) {
  atomic_fetch_add(&counts[*(const int *)params[0]][block->block_id[0]], 1);
}

static const uint32_t size = 4;
static const agpu_native_kernel kernels[] = {
    {.name = "long", .run = run_long, .param_sizes = &size, .param_count = 1},
    {.name = "short",
     .run = run_short,
     .param_sizes = &size,
     .param_count = 1}};
static const agpu_native_image image = {AGPU_NATIVE_MAGIC, 2, kernels};

int main(void) {
  setenv("ASYNC_GPU_EMU_THREADS", "4", 1);
  agpu__driver driver;
  CUcontext context;
  CUstream streams[STREAMS];
  CUmodule module;
  CHECK(!agpu__driver_load(AGPU_DEVICE_EMU, &driver));
  CHECK(!driver.cuInit(0));
  CHECK(!driver.cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(!driver.cuCtxSetCurrent(context));
  CHECK(!driver.cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  for (int i = 0; i < STREAMS; ++i)
    CHECK(!driver.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  for (int k = 0; k < 2; ++k) {
    CUfunction function;
    CHECK(!driver.cuModuleGetFunction(&function, module, kernels[k].name));
    for (int i = 0; i < STREAMS; ++i)
      CHECK(!driver.cuLaunchKernel(function, BLOCKS, 1, 1, 1, 1, 1, 0,
                                   streams[i], (void *[]){&i}, NULL));
  }
  for (int i = 0; i < STREAMS; ++i) {
    CHECK(!driver.cuStreamSynchronize(streams[i]));
    for (int j = 0; j < BLOCKS; ++j)
      CHECK_EQ(atomic_load(&counts[i][j]), 2);
  }
  // Three streams' own threads, three of the pool, and the one that waits here.
  CHECK(atomic_load(&most) > STREAMS);
  CHECK(atomic_load(&most) <= STREAMS + 3 + 1);
  CHECK(!driver.cuDevicePrimaryCtxRelease(0));
  return 0;
}
