//===- failed_work.c - Work that fails on the device ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated device finds memory that is freed on one stream and used on
// another. Whoever awaits the work gets the error, also when others do.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <time.h>

int main(int argc, char **argv) {
  (void)argv;
  bool observe = argc == 1;
  int64_t host = 0;
  agpu_stream *user = agpu_stream_acquire(NULL);
  agpu_stream *owner = agpu_stream_acquire(NULL);
  void *shared = agpu_alloc(user, 8, true, NULL);
  void *cell = agpu_alloc(owner, 8, false, NULL);
  await_and_drop(agpu_stream_record(owner));
  launch_pause(user, shared, 100);
  agpu_memcpy(user, cell, &host, 8, "f.mlir:7:7");
  agpu_dealloc(owner, cell, "f.mlir:8:8");
  agpu_object *token = agpu_stream_record(user);
  if (observe) {
    const char *text = get_error_and_drop(token);
    CHECK(strstr(text, "f.mlir:7:7: work on the device up to the copy failed: "
                       "CUDA_ERROR_ILLEGAL_ADDRESS"));
    // The device is of no use any more, and says so.
    CHECK(!agpu_alloc(owner, 8, false, "f.mlir:9:9"));
    text = get_error_and_drop(agpu_stream_record(owner));
    CHECK(strstr(text, "f.mlir:8:8: work on the device up to the deallocation "
                       "failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
    // What fails is not what was asked for: it says so.
    agpu_stream *next = agpu_stream_acquire("f.mlir:10:1");
    agpu_memcpy(next, shared, &host, 8, "f.mlir:11:1");
    text = get_error_and_drop(agpu_stream_record(next));
    CHECK(strstr(text, "work on the device") && strstr(text, "failed: CUDA_"));
    CHECK(!strstr(text, "f.mlir:11:1"));
    agpu_stream_release(next);
  } else {
    mlirAsyncRuntimeDropRef(token, 1);
  }
  agpu_stream_release(user);
  agpu_stream_release(owner);
  agpu_status status = agpu_runtime_shutdown();
  if (observe) {
    CHECK(!status);
    return 0;
  }
  // No one awaited it: the end of the process tells.
  CHECK(status);
  CHECK(strstr(agpu_status_get_message(status), "CUDA_ERROR_ILLEGAL_ADDRESS"));
  agpu_status_release(status);
  return 0;
}
