//===- host_and_device.c - The runtime without MLIR -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A C program that uses the runtime by itself: a kernel doubles a buffer while
// a task of the host sums it, and both are awaited. With async-gpu installed:
//
//     cc host_and_device.c $(pkg-config --cflags --libs async-gpu-runtime)
//
// The kernel is there twice, as PTX for a CUDA device and as C for the emulated
// one; which of them runs is known when the program does.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/runtime.h"
#include "async_gpu/stream.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, BLOCK = 128 };

//===----------------------------------------------------------------------===//
// The kernel: data[i] *= 2 for i < count
//===----------------------------------------------------------------------===//

static const char ptx[] =
    ".version 6.3\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry twice(.param .u64 data, .param .u32 count) {\n"
    "  .reg .pred %p;\n"
    "  .reg .f32 %x;\n"
    "  .reg .u32 %i, %n, %block, %size, %thread;\n"
    "  .reg .u64 %base, %offset;\n"
    "  ld.param.u64 %base, [data];\n"
    "  ld.param.u32 %n, [count];\n"
    "  cvta.to.global.u64 %base, %base;\n"
    "  mov.u32 %block, %ctaid.x;\n"
    "  mov.u32 %size, %ntid.x;\n"
    "  mov.u32 %thread, %tid.x;\n"
    "  mad.lo.u32 %i, %block, %size, %thread;\n"
    "  setp.ge.u32 %p, %i, %n;\n"
    "  @%p bra done;\n"
    "  mul.wide.u32 %offset, %i, 4;\n"
    "  add.u64 %base, %base, %offset;\n"
    "  ld.global.f32 %x, [%base];\n"
    "  add.f32 %x, %x, %x;\n"
    "  st.global.f32 [%base], %x;\n"
    "done:\n"
    "  ret;\n"
    "}\n";

/// All threads of one block.
static void twice(void *const *params, const agpu_native_block *block) {
  float *data = *(float **)params[0];
  uint32_t count = *(uint32_t *)params[1];
  for (uint32_t thread = 0; thread < block->block_dim[0]; ++thread) {
    uint32_t i = block->block_id[0] * block->block_dim[0] + thread;
    if (i < count)
      data[i] += data[i];
  }
}

static const uint32_t param_sizes[] = {sizeof(float *), sizeof(uint32_t)};

static const agpu_native_kernel native_kernels[] = {
    {.name = "twice", .run = twice, .param_sizes = param_sizes, .param_count = 2},
};

static const agpu_native_image native = {
    .magic = AGPU_NATIVE_MAGIC, .kernel_count = 1, .kernels = native_kernels};

static const agpu_image_desc images[] = {
    {.format = AGPU_IMAGE_PTX, .chip = 50, .data = ptx, .size = sizeof(ptx)},
    {.format = AGPU_IMAGE_NATIVE, .data = &native, .size = sizeof(native)},
};

static agpu_module_desc module = {.version = AGPU_MODULE_VERSION,
                                  .image_count = 2,
                                  .name = "kernels",
                                  .images = images};

static agpu_kernel_desc kernel = {
    .module = &module, .name = "twice", .location = "host_and_device.c"};

//===----------------------------------------------------------------------===//
// A task of the host
//===----------------------------------------------------------------------===//

typedef struct sum_task {
  const float *data;
  float sum;
  agpu_object *done;
} sum_task;

static void run_sum(void *handle) {
  sum_task *task = handle;
  for (int i = 0; i < COUNT; ++i)
    task->sum += task->data[i];
  mlirAsyncRuntimeEmplaceToken(task->done);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

#define STRING(line) #line
#define LINE(line) STRING(line)
/// Where a call stands, for messages about what goes wrong.
#define HERE __FILE__ ":" LINE(__LINE__) ":1"

// CHECK: sum on the host: 499500
// CHECK: twice 321 on the device: 642
int main(void) {
  agpu_device_kind device;
  agpu_status status = agpu_runtime_get_device(&device);
  if (status) {
    fprintf(stderr, "%s\n", agpu_status_get_message(status));
    return EXIT_FAILURE;
  }
  // What the tests compare is on stdout.
  fprintf(stderr, "device: %s\n", device == AGPU_DEVICE_CUDA ? "CUDA" : "emulated");

  float input[COUNT], output[COUNT];
  for (int i = 0; i < COUNT; ++i)
    input[i] = (float)i;

  // The host's work.
  sum_task task = {.data = input, .done = mlirAsyncRuntimeCreateToken()};
  mlirAsyncRuntimeExecute(&task, run_sum);

  // The device's work: all of it is enqueued, nothing is waited for.
  agpu_stream *stream = agpu_stream_acquire(HERE);
  void *data = agpu_alloc(stream, sizeof(input), false, HERE);
  agpu_memcpy(stream, data, input, sizeof(input), HERE);
  uint32_t count = COUNT;
  void *params[] = {&data, &count};
  agpu_launch(stream, &kernel, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1,
              0, params, HERE);
  agpu_memcpy(stream, output, data, sizeof(output), HERE);
  agpu_dealloc(stream, data, HERE);
  agpu_object *copied = agpu_stream_record(stream);
  agpu_stream_release(stream);

  // Both. An error of either ends the program with a message.
  agpu_object_await(task.done, HERE);
  agpu_object_await(copied, HERE);
  mlirAsyncRuntimeDropRef(task.done, 1);
  mlirAsyncRuntimeDropRef(copied, 1);
  printf("sum on the host: %g\n", (double)task.sum);
  printf("twice 321 on the device: %g\n", (double)output[321]);

  status = agpu_runtime_shutdown();
  if (status) {
    fprintf(stderr, "%s\n", agpu_status_get_message(status));
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
