//===- memory_check.c - Errors say where memory came from and went --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test has ASYNC_GPU_EMU_CHECK=memory. What is reported once for each place
// is reported again when the runtime has been shut down and started.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include "async_gpu/compiled/mgpu.h"
#include "async_gpu/compiled/native_thread.h"

#include <sys/mman.h>

static void expect(agpu_stream *stream, const char *part) {
  const char *text = get_error_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  if (strstr(text, part))
    return;
  fprintf(stderr, "\"%s\" has no \"%s\"\n", text, part);
  exit(1);
}

static void run_read(void *const *params, const agpu_native_block *block) {
  (void)block;
  (void)agpu_native_check(*(void *const *)params[0], 8, 8, AGPU_NATIVE_READS,
                          "k.mlir:1:1", 0, 0, 0);
}

static const uint32_t sizes[] = {8};
static const agpu_native_kernel read_kernel = {
    .name = "read", .run = run_read, .param_sizes = sizes, .param_count = 1};
static const agpu_native_image image = {AGPU_NATIVE_MAGIC, 1, &read_kernel};
static const agpu_image_desc images[] = {
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &image, sizeof image}};
static agpu_module_desc module = {AGPU_MODULE_VERSION, 1, "m", images, NULL};
static agpu_kernel_desc kernel = {.module = &module, .name = "read"};

/// Twice in each life of the runtime, whose end tells of one.
static void read_unwritten(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *memory = agpu_alloc(stream, 8, false, "m.mlir:1:1");
  for (int i = 0; i < 2; ++i)
    agpu_launch(stream, &kernel, 1, 1, 1, 1, 1, 1, 0, (void *[]){&memory},
                "m.mlir:2:2");
  agpu_dealloc(stream, memory, "m.mlir:3:3");
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  agpu_status status = agpu_runtime_shutdown();
  CHECK(strstr(agpu_status_get_message(status),
               "reads 8 bytes that nothing has written"));
  agpu_status_release(status);
}

/// What the driver is called for has no place of code that has been released.
static void call_after_release(void) {
  char *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(place != MAP_FAILED);
  strcpy(place, "r.mlir:1:1");
  agpu_stream *stream = agpu_stream_acquire(place);
  agpu_dealloc(stream, agpu_alloc(stream, 64, false, place), place);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  agpu_module_release(&module);
  CHECK(munmap(place, 4096) == 0);
  mgpuMemFree(mgpuMemAlloc(64, NULL, false), NULL);
  CHECK(!agpu_runtime_shutdown());
}

int main(void) {
  static char host[64];
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *memory = agpu_alloc(stream, 16, false, "m.mlir:1:1");
  agpu_memcpy(stream, memory + 8, host, 9, "m.mlir:2:2");
  expect(stream, "m.mlir:2:2: copy of 9 bytes from ");

  stream = agpu_stream_acquire(NULL);
  agpu_memset(stream, memory, 0, 4, 5, "m.mlir:3:3");
  expect(stream, "CUDA_ERROR_INVALID_VALUE: invalid argument: out of the "
                 "bounds of an allocation: 20 bytes at ");

  stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, memory, "m.mlir:4:4");
  await_and_drop(agpu_stream_record(stream)); // for the kernel below
  agpu_memset(stream, memory, 0, 4, 1, "m.mlir:5:5");
  expect(stream, "device memory that is freed: 4 bytes at ");
  stream = agpu_stream_acquire(NULL);
  agpu_memset(stream, memory, 0, 4, 1, "m.mlir:5:5");
  expect(stream, ", at byte 0 of the 16 allocated at m.mlir:1:1, freed at "
                 "m.mlir:4:4");

  stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, memory, "m.mlir:6:6");
  expect(stream, "device memory freed twice: 16 bytes at ");

  // A kernel that gets freed memory: found when it runs.
  stream = agpu_stream_acquire(NULL);
  launch_increment(stream, memory);
  expect(stream, "CUDA_ERROR_ILLEGAL_ADDRESS: work touched memory that is not "
                 "allocated: a kernel parameter points to freed device memory");
  agpu_status_release(agpu_runtime_shutdown());

  read_unwritten();
  read_unwritten();
  call_after_release();
  return 0;
}
