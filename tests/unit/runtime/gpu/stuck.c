//===- stuck.c - A process that fails while a kernel goes on and on -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "child.h"
#include "support.h"

/// Awaits an error while a kernel runs for an hour.
static void fail(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  launch_pause(stream, agpu_alloc(stream, 8, false, NULL), 3600 * 1000);
  agpu_stream *other = agpu_stream_acquire(NULL);
  agpu_stream_fail(other, "this is why", "stuck.mlir:1:1");
  agpu_object_await(agpu_stream_record(other), "stuck.mlir:2:2");
}

int main(void) {
  char text[256];
  CHECK_EQ(child_exit(fail, text, sizeof text), 1);
  CHECK_STR(text, "stuck.mlir:1:1: error: this is why\n");
  return 0;
}
