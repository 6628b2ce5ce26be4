//===- idle.c - What is not used goes back to the driver ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test has ASYNC_GPU_IDLE_MS=20, ASYNC_GPU_KEEP_BYTES=4194304 and
// ASYNC_GPU_EMU_DEVICES=2. Nothing here depends on when something goes, only on
// that it does.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/device.h"
#include "support.h"

#include <time.h>

enum { REGIONS = 12 };

static int count_alive(const char *made, const char *gone) {
  return log_count(made) - log_count(gone);
}

static void wait_until_gone(const char *made, const char *gone) {
  for (int i = 0; i < 5000 && count_alive(made, gone); ++i)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  CHECK_EQ(count_alive(made, gone), 0);
}

/// Regions side by side on a device, with memory of both kinds.
static void work(int32_t device) {
  agpu_object *tokens[REGIONS];
  agpu_enter_device(device);
  for (int i = 0; i < REGIONS; ++i) {
    agpu_stream *stream = agpu_stream_acquire(NULL);
    int64_t *cell = agpu_alloc(stream, 8, i % 2, NULL);
    agpu_memset(stream, cell, 0, 8, 1, NULL);
    launch_increment(stream, cell);
    agpu_dealloc(stream, cell, NULL);
    tokens[i] = agpu_stream_record(stream);
    agpu_stream_release(stream);
  }
  for (int i = 0; i < REGIONS; ++i)
    await_and_drop(tokens[i]);
  agpu_enter_device(0);
}

/// Blocks that are freed and not asked for again do not pile up.
static void kept_memory_is_bounded(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  for (int64_t mib = 1; mib <= 40; ++mib) {
    void *shared = agpu_alloc(stream, mib << 20, true, NULL);
    CHECK(shared);
    agpu_dealloc(stream, shared, NULL);
    agpu_object *token = agpu_stream_record(stream);
    await_and_drop(token);
    // What was freed before this one fits into 4 MiB, or is one block.
    CHECK(count_alive("cuMemAllocManaged(", "cuMemFree(") <= 5);
  }
  agpu_stream_release(stream);
}

/// Memory in the order of a stream is the driver's pool's.
static void check_pools(void) {
  CHECK_EQ(log_count("cuMemPoolSetAttribute(attribute=4, bytes=4194304)"), 2);
  CHECK(log_count("cuMemPoolTrimTo(bytes=0)") > 0);
}

int main(void) {
  log_begin();
  for (int round = 0; round < 3; ++round) {
    work(0);
    work(1);
    wait_until_gone("cuStreamCreate(", "cuStreamDestroy(");
    wait_until_gone("cuEventCreate(", "cuEventDestroy(");
    wait_until_gone("cuMemAllocManaged(", "cuMemFree(");
  }
  kept_memory_is_bounded();
  for (int i = 0; i < 5000 && !log_count("cuMemPoolTrimTo("); ++i)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  check_pools();
  check_end();
  CHECK_EQ(log_count("cuMemPoolSetAttribute(attribute=4, bytes=0)"), 2);
  return 0;
}
