//===- errors.c - What becomes of errors ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "support.h"

static void check_has(const char *text, const char *part) {
  if (strstr(text, part))
    return;
  fprintf(stderr, "\"%s\" has no \"%s\"\n", text, part);
  exit(1);
}

/// The first error stays, and nothing behind it runs.
static void check_launch_error(void) {
  static int64_t result = 5;
  int64_t seven = 7;
  agpu_stream *stream = agpu_stream_acquire("e.mlir:1:1");
  void *cell = agpu_alloc(stream, 8, true, NULL);
  CHECK(cell);
  agpu_launch(stream, &test_increment, 3, 1, 1, 32, 64, 1, 0, (void *[]){&cell},
              "e.mlir:2:3");
  agpu_memcpy(stream, &result, &seven, 8, "e.mlir:3:3");
  CHECK(!agpu_alloc(stream, 8, false, "e.mlir:4:3"));
  const char *text = get_error_and_drop(agpu_stream_record(stream));
  check_has(text, "e.mlir:2:3: launch of kernel 'increment' with grid 3x1x1, "
                  "block 32x64x1");
  check_has(text, "CUDA_ERROR_INVALID_VALUE: invalid argument");
  CHECK_EQ(result, 5);

  // An object in error puts a stream that waits for it into the same error.
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(token, stream);
  agpu_stream *other = agpu_stream_acquire("e.mlir:5:1");
  agpu_stream_wait(other, token);
  agpu_memcpy(other, &result, &seven, 8, "e.mlir:6:3");
  check_has(get_error_and_drop(agpu_stream_record(other)), "e.mlir:2:3");
  check_has(get_error_and_drop(token), "e.mlir:2:3");
  CHECK_EQ(result, 5);
  agpu_stream_release(other);
  agpu_stream_release(stream);
}

static const char *launch_and_get_error(agpu_kernel_desc *kernel, int64_t grid,
                                        int64_t shared_bytes) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *cell = NULL;
  agpu_launch(stream, kernel, grid, 1, 1, 1, 1, 1, shared_bytes,
              (void *[]){&cell}, "k.mlir:1:2");
  const char *text = get_error_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  check_has(text, "k.mlir:1:2: ");
  return text;
}

static void check_module_errors(void) {
  static const char ptx[] = ".version 6.3";
  static const uint32_t junk = 7;
  static const agpu_image_desc ptx_images[] = {
      {AGPU_IMAGE_PTX, 75, 0, 0, ptx, sizeof ptx},
      {AGPU_IMAGE_PTX, 90, 0, 0, ptx, sizeof ptx}};
  static const agpu_image_desc bad_images[] = {
      {AGPU_IMAGE_NATIVE, 0, 0, 0, &junk, sizeof junk}};
  static agpu_module_desc only_ptx = {AGPU_MODULE_VERSION, 2, "only_ptx",
                                      ptx_images, NULL};
  static agpu_module_desc bad = {AGPU_MODULE_VERSION, 1, "bad", bad_images,
                                 NULL};
  static agpu_module_desc future = {99, 1, "future", bad_images, NULL};
  const char *text = launch_and_get_error(
      &(agpu_kernel_desc){.module = &only_ptx, .name = "k"}, 1, 0);
  check_has(text, "module 'only_ptx' has no image for the emu device");
  check_has(text, "PTX for sm_75, PTX for sm_90");
  text = launch_and_get_error(&(agpu_kernel_desc){.module = &bad, .name = "k"},
                              1, 0);
  check_has(text, "cannot load this): CUDA_ERROR_INVALID_IMAGE");
  text = launch_and_get_error(
      &(agpu_kernel_desc){.module = &future, .name = "k"}, 1, 0);
  check_has(text, "version 99");
  text = launch_and_get_error(
      &(agpu_kernel_desc){.module = &test_module, .name = "missing"}, 1, 0);
  check_has(text, "kernel 'missing' in module 'test': CUDA_ERROR_NOT_FOUND");
  check_has(launch_and_get_error(&test_increment, -1, 0), "out of range");
  check_has(launch_and_get_error(&test_increment, (int64_t)1 << 32, 0),
            "out of range");
  check_has(launch_and_get_error(&test_increment, 1, 1 << 20),
            "1048576 bytes of shared memory for kernel 'increment'");
}

static void check_memory_errors(void) {
  static int64_t host;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  CHECK(!agpu_alloc(stream, (int64_t)1 << 60, false, "m.mlir:1:1"));
  check_has(get_error_and_drop(agpu_stream_record(stream)),
            "m.mlir:1:1: allocation of 1152921504606846976 bytes of device "
            "memory: CUDA_ERROR_OUT_OF_MEMORY");
  agpu_stream_release(stream);

  stream = agpu_stream_acquire(NULL);
  void *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_memcpy(stream, &host, cell, 9, "m.mlir:2:1");
  check_has(get_error_and_drop(agpu_stream_record(stream)),
            "m.mlir:2:1: copy of 9 bytes");
  agpu_stream_release(stream);

  stream = agpu_stream_acquire(NULL);
  agpu_memset(stream, cell, 0, 3, 1, "m.mlir:3:1");
  check_has(get_error_and_drop(agpu_stream_record(stream)),
            "elements of 3 bytes");
  agpu_stream_release(stream);

  stream = agpu_stream_acquire(NULL);
  agpu_memcpy(stream, &host, cell, -1, "m.mlir:4:1");
  check_has(get_error_and_drop(agpu_stream_record(stream)), "negative size");
  agpu_stream_release(stream);

  stream = agpu_stream_acquire(NULL);
  agpu_host_unregister(stream, &host, "m.mlir:5:1");
  check_has(get_error_and_drop(agpu_stream_record(stream)),
            "which is not registered");
  agpu_stream_release(stream);

  stream = agpu_stream_acquire(NULL);
  agpu_object *pending = mlirAsyncRuntimeCreateToken();
  agpu_stream_wait(stream, pending);
  check_has(get_error_and_drop(agpu_stream_record(stream)),
            "no work behind it yet");
  mlirAsyncRuntimeEmplaceToken(pending);
  mlirAsyncRuntimeDropRef(pending, 1);
  agpu_dealloc(stream, cell, NULL); // does nothing: the stream is in error
  agpu_stream_release(stream);
}

int main(void) {
  check_launch_error();
  check_module_errors();
  check_memory_errors();
  check_end(); // every error was seen by someone

  return 0;
}
