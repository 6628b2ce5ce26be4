//===- give_back.c - Memory that goes back to a busy device ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver may wait for all of a device's work before it frees memory. The
// thread that has it do so holds up no other that frees memory meanwhile: here,
// the work that the driver waits for only ends once the other thread is done.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { BLOCKS = 50 };

static atomic_bool released;

static void nap(void) {
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void run_hold(void *const *params, const agpu_native_block *block) {
  (void)params;
  (void)block;
  while (!atomic_load(&released))
    nap();
}

static const agpu_native_kernel kernel = {.name = "hold", .run = run_hold};
static agpu_native_image image = {AGPU_NATIVE_MAGIC, 1, &kernel};
static const agpu_image_desc images[] = {
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &image, sizeof image}};
static agpu_module_desc module = {AGPU_MODULE_VERSION, 1, "hold", images, NULL};
static agpu_kernel_desc hold = {.module = &module, .name = "hold"};

static agpu_stream *freeing;
static void *blocks[BLOCKS];

static void *free_blocks(void *unused) {
  (void)unused;
  for (int i = 0; i < BLOCKS; ++i) {
    nap();
    agpu_dealloc(freeing, blocks[i], NULL);
  }
  atomic_store(&released, true);
  return NULL;
}

int main(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  freeing = agpu_stream_acquire(NULL);
  for (int i = 0; i < BLOCKS; ++i)
    blocks[i] = agpu_alloc(freeing, 4096, false, NULL);
  void *first = agpu_alloc(stream, 65536, false, NULL);
  agpu_dealloc(stream, first, NULL);
  await_and_drop(agpu_stream_record(stream));

  agpu_stream *busy = agpu_stream_acquire(NULL);
  agpu_launch(busy, &hold, 1, 1, 1, 1, 1, 1, 0, NULL, "hold.mlir:1:1");
  pthread_t other;
  CHECK(pthread_create(&other, NULL, free_blocks, NULL) == 0);
  // Nothing is kept: the first block goes back, for which the driver waits.
  void *second = agpu_alloc(stream, 1 << 20, false, NULL);
  CHECK(atomic_load(&released));
  agpu_dealloc(stream, second, NULL);
  pthread_join(other, NULL);
  await_and_drop(agpu_stream_record(busy));
  agpu_stream_release(busy);
  agpu_stream_release(freeing);
  agpu_stream_release(stream);
  check_end();
  return 0;
}
