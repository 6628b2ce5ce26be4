//===- connections.c - Streams that do not hold each other up -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "CUDA_DEVICE_MAX_CONNECTIONS: 1 to 32 (default is 8). Sets the number of
// compute and copy engine concurrent connections (work queues)." (CUDA C++
// Programming Guide) Streams that share one wait for each other's waits. The
// runtime asks for 32: a kernel that waits for one on another stream gets it
// also where as many other streams have to wait.
//
// It asks for nothing where the process has a thread that it does not know, as
// that one may read the environment meanwhile. QEMU's user emulation always has
// one: there the program asks, and the device's side of it is tested.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { WAITING = 24, PATIENCE_MS = 30000 };

static atomic_bool released, held_up;

/// A kernel that is not released ends all the same, and the test fails.
static void run_hold(void *const *params, const agpu_native_block *block) {
  (void)params, (void)block;
  for (int i = 0; i < PATIENCE_MS && !atomic_load(&released); ++i)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  if (!atomic_load(&released))
    atomic_store(&held_up, true);
}

static void run_release(void *const *params, const agpu_native_block *block) {
  (void)params, (void)block;
  atomic_store(&released, true);
}

static const agpu_native_kernel kernels[] = {
    {.name = "hold", .run = run_hold}, {.name = "release", .run = run_release}};
static agpu_native_image image = {AGPU_NATIVE_MAGIC, 2, kernels};
static const agpu_image_desc images[] = {
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &image, sizeof image}};
static agpu_module_desc module = {AGPU_MODULE_VERSION, 1, "hold", images, NULL};
static agpu_kernel_desc hold = {.module = &module, .name = "hold"};
static agpu_kernel_desc release = {.module = &module, .name = "release"};

static void launch(agpu_stream *stream, agpu_kernel_desc *kernel) {
  agpu_launch(stream, kernel, 1, 1, 1, 1, 1, 1, 0, NULL, "c.mlir:1:1");
}

/// Whether the process has this thread only: each is a folder in this one.
static bool is_alone(void) {
  struct stat tasks;
  CHECK(stat("/proc/self/task", &tasks) == 0);
  return tasks.st_nlink == 3;
}

int main(void) {
  unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
  if (!is_alone())
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  agpu_stream *holding = agpu_stream_acquire(NULL), *waiting[WAITING];
  // The first use of a kernel waits for the context.
  launch(holding, &release);
  launch(holding, &hold);
  await_and_drop(agpu_stream_record(holding));
  atomic_store(&released, false);
  launch(holding, &hold);
  agpu_object *held = agpu_stream_record(holding);
  for (int i = 0; i < WAITING; ++i) {
    waiting[i] = agpu_stream_acquire(NULL);
    agpu_stream_wait(waiting[i], held);
    launch(waiting[i], &release);
  }
  agpu_stream *releasing = agpu_stream_acquire(NULL);
  launch(releasing, &release);
  await_and_drop(agpu_stream_record(releasing));
  await_and_drop(held);
  CHECK(!atomic_load(&held_up));
  for (int i = 0; i < WAITING; ++i) {
    await_and_drop(agpu_stream_record(waiting[i]));
    agpu_stream_release(waiting[i]);
  }
  agpu_stream_release(holding);
  agpu_stream_release(releasing);
  check_end();
  return 0;
}
