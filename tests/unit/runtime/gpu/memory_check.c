//===- memory_check.c - Errors say where memory came from and went --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test has ASYNC_GPU_EMU_CHECK=memory.
//
//===----------------------------------------------------------------------===//

#include "support.h"

static void expect(agpu_stream *stream, const char *part) {
  const char *text = get_error_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  if (strstr(text, part))
    return;
  fprintf(stderr, "\"%s\" has no \"%s\"\n", text, part);
  exit(1);
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
  expect(stream, "; allocated at m.mlir:1:1, freed at m.mlir:4:4");

  stream = agpu_stream_acquire(NULL);
  agpu_dealloc(stream, memory, "m.mlir:6:6");
  expect(stream, "device memory freed twice: 16 bytes at ");

  // A kernel that gets freed memory: found when it runs.
  stream = agpu_stream_acquire(NULL);
  launch_increment(stream, memory);
  expect(stream, "CUDA_ERROR_ILLEGAL_ADDRESS: work touched memory that is not "
                 "allocated: a kernel parameter points to freed device memory");
  agpu_status_release(agpu_runtime_shutdown());
  return 0;
}
