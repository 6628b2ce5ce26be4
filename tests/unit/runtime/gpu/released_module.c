//===- released_module.c - Descriptors at addresses that were used before -===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that is released leaves its addresses to what is loaded next. A module
// whose descriptor lies where that of another lay runs its own kernels, on
// every device, before and behind a shutdown.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/device.h"
#include "support.h"

#include <string.h>

static void store_1(void *const *params, const agpu_native_block *block) {
  (void)block;
  **(int64_t *const *)params[0] = 1;
}

static void store_2(void *const *params, const agpu_native_block *block) {
  (void)block;
  **(int64_t *const *)params[0] = 2;
}

// Two programs; the second has a kernel more.
static const uint32_t sizes[] = {8};
static const agpu_native_kernel kernels_1[] = {
    {.name = "k", .run = store_1, .param_sizes = sizes, .param_count = 1}};
static const agpu_native_kernel kernels_2[] = {
    {.name = "other", .run = store_1, .param_sizes = sizes, .param_count = 1},
    {.name = "k", .run = store_2, .param_sizes = sizes, .param_count = 1}};
static const agpu_native_image natives[] = {{AGPU_NATIVE_MAGIC, 1, kernels_1},
                                            {AGPU_NATIVE_MAGIC, 2, kernels_2}};
static const agpu_image_desc images[] = {
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &natives[0], sizeof natives[0]},
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &natives[1], sizeof natives[1]}};

// Where their descriptors lie, one after the other.
static agpu_module_desc module;
static agpu_kernel_desc kernel;

/// The program has come to be there.
static void load(int program) {
  module =
      (agpu_module_desc){AGPU_MODULE_VERSION, 1, "m", &images[program], NULL};
  kernel = (agpu_kernel_desc){.module = &module, .name = "k"};
}

static void check_stores(int64_t expected) {
  for (int32_t device = 0; device < agpu_device_count(); ++device) {
    agpu_enter_device(device);
    agpu_stream *stream = agpu_stream_acquire(NULL);
    int64_t *cell = agpu_alloc(stream, 8, /*host_shared=*/true, NULL);
    agpu_launch(stream, &kernel, 1, 1, 1, 1, 1, 1, 0, (void *[]){&cell}, NULL);
    await_and_drop(agpu_stream_record(stream));
    CHECK_EQ(*cell, expected);
    agpu_dealloc(stream, cell, NULL);
    agpu_stream_release(stream);
  }
  agpu_enter_device(0);
}

int main(void) {
  for (int life = 0; life < 3; ++life) {
    for (int program = 0; program < 2; ++program) {
      load(program);
      check_stores(program + 1);
      // Behind a shutdown there is no device to give anything back.
      if (life == 1)
        check_end();
      agpu_module_release(&module);
    }
    // One that no device has loaded.
    load(0);
    agpu_module_release(&module);
  }
  check_end();
  return 0;
}
