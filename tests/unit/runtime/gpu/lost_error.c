//===- lost_error.c - An error that goes nowhere is told at the end -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support.h"

int main(void) {
  int64_t host = 0;
  agpu_stream *stream = agpu_stream_acquire("l.mlir:1:1");
  agpu_memcpy(stream, &host, &host, -1, "l.mlir:2:1");
  agpu_stream_release(stream);
  agpu_status status = agpu_runtime_shutdown();
  CHECK(status);
  CHECK_STR(agpu_status_get_location(status), "l.mlir:2:1");
  agpu_status_release(status);
  return 0;
}
