//===- enqueue_library.c - A library that enqueues work of its own --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What enqueue_call.mlir calls: a copy and a kernel on the stream of the
// caller, through the public header alone. The kernel is here twice, as a
// device takes it: as PTX, and as a function for the emulated device.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/stream.h"

static const char ptx[] = ".version 6.3\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry doubled(.param .u64 data) {\n"
                          "  .reg .b32 %r<3>;\n"
                          "  .reg .b64 %rd<4>;\n"
                          "  ld.param.u64 %rd1, [data];\n"
                          "  cvta.to.global.u64 %rd1, %rd1;\n"
                          "  mov.u32 %r1, %ctaid.x;\n"
                          "  mul.wide.u32 %rd2, %r1, 4;\n"
                          "  add.s64 %rd3, %rd1, %rd2;\n"
                          "  ld.global.u32 %r2, [%rd3];\n"
                          "  add.u32 %r2, %r2, %r2;\n"
                          "  st.global.u32 [%rd3], %r2;\n"
                          "  ret;\n"
                          "}\n";

static void run_doubled(void *const *params, const agpu_native_block *block) {
  int32_t *data = *(int32_t *const *)params[0];
  data[block->block_id[0]] *= 2;
}

static const uint32_t param_sizes[] = {sizeof(void *)};
static const agpu_native_kernel native_kernel = {.name = "doubled",
                                                 .run = run_doubled,
                                                 .param_sizes = param_sizes,
                                                 .param_count = 1};
static const agpu_native_image native_image = {
    .magic = AGPU_NATIVE_MAGIC, .kernel_count = 1, .kernels = &native_kernel};
static const agpu_image_desc images[] = {
    {.format = AGPU_IMAGE_PTX, .chip = 75, .data = ptx, .size = sizeof ptx},
    {.format = AGPU_IMAGE_NATIVE,
     .data = &native_image,
     .size = sizeof native_image},
};
static agpu_module_desc module = {.version = AGPU_MODULE_VERSION,
                                  .image_count = 2,
                                  .name = "enqueue_library",
                                  .images = images};
static agpu_kernel_desc kernel = {.module = &module, .name = "doubled"};

// A memref<?xi32> comes as the parts of its descriptor.
#define MEMREF(name)                                                           \
  int32_t *name##_allocated, int32_t *name##_aligned, int64_t name##_offset,   \
      int64_t name##_size, int64_t name##_stride

AGPU_EXPORT void enqueue_doubled(MEMREF(host), MEMREF(device));

void enqueue_doubled(MEMREF(host), MEMREF(device)) {
  (void)host_allocated, (void)host_stride;
  (void)device_allocated, (void)device_size, (void)device_stride;
  agpu_stream *stream = agpu_stream_current();
  int32_t *device = device_aligned + device_offset;
  // A library of the driver's API takes the other one; NULL: enqueue nothing.
  if (!agpu_current_stream())
    return;
  agpu_memcpy(stream, device, host_aligned + host_offset,
              host_size * (int64_t)sizeof(int32_t), "enqueue_library.c:copy");
  void *params[] = {&device};
  agpu_launch(stream, &kernel, host_size, 1, 1, 1, 1, 1, 0, params,
              "enqueue_library.c:launch");
}
