//===- preload.c - Kernels are loaded before the first launch -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first launch of a program loads all of its modules and kernels, so that
// no later one makes the driver load while a kernel runs that waits for it.
// What has no image for the device is left out.
//
//===----------------------------------------------------------------------===//

#include "support.h"

static void run_store(void *const *params, const agpu_native_block *block) {
  (void)block;
  **(int64_t *const *)params[0] = 7;
}

static const uint32_t sizes[] = {8};
static const agpu_native_kernel kernels[] = {
    {.name = "store", .run = run_store, .param_sizes = sizes, .param_count = 1},
    {.name = "other", .run = run_store, .param_sizes = sizes, .param_count = 1},
};
static const agpu_native_image native = {AGPU_NATIVE_MAGIC, 2, kernels};
static const agpu_image_desc native_image = {
    AGPU_IMAGE_NATIVE, 0, 0, 0, &native, sizeof native};
static const agpu_image_desc ptx_image = {AGPU_IMAGE_PTX,        75, 0, 0,
                                          "not for this device", 20};

static const agpu_program_desc *get_program(void);
static agpu_module_desc first = {AGPU_MODULE_VERSION, 1, "first", &native_image,
                                 get_program};
static agpu_module_desc second = {AGPU_MODULE_VERSION, 1, "second",
                                  &native_image, get_program};
static agpu_module_desc foreign = {AGPU_MODULE_VERSION, 1, "foreign",
                                   &ptx_image, get_program};
static agpu_kernel_desc first_store = {.module = &first, .name = "store"};
static agpu_kernel_desc first_other = {.module = &first, .name = "other"};
static agpu_kernel_desc second_store = {.module = &second, .name = "store"};
static agpu_kernel_desc foreign_store = {.module = &foreign, .name = "store"};
static agpu_kernel_desc *const all[] = {&foreign_store, &first_store,
                                        &first_other, &second_store};
static const agpu_program_desc program = {4, all};

static const agpu_program_desc *get_program(void) { return &program; }

static void check_launch(agpu_stream *stream, agpu_kernel_desc *kernel) {
  int64_t *cell = agpu_alloc(stream, 8, /*host_shared=*/true, NULL);
  agpu_launch(stream, kernel, 1, 1, 1, 1, 1, 1, 0, (void *[]){&cell}, NULL);
  // All that there is to load has been loaded with the first.
  CHECK_EQ(log_count("cuModuleLoadDataEx("), 2);
  CHECK_EQ(log_count("cuModuleGetFunction("), 3);
  CHECK_EQ(log_count("cuFuncLoad("), 3);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(*cell, 7);
  agpu_dealloc(stream, cell, NULL);
}

int main(void) {
  log_begin();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  check_launch(stream, &second_store);
  check_launch(stream, &first_other);
  check_launch(stream, &first_store);
  agpu_stream_release(stream);
  check_end();
  return 0;
}
