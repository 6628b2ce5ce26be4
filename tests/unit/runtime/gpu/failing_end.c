//===- failing_end.c - A process that fails while others use its memory ---===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host task reads memory that it shares with the device, and the completion
// thread waits for a kernel, when something fails and the device's memory is
// given back. The process ends as any that fails.
//
//===----------------------------------------------------------------------===//

#include "child.h"
#include "support.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_bool reads;

static void read_forever(void *memory) {
  for (;;) {
    (void)*(volatile int64_t *)memory;
    atomic_store_explicit(&reads, true, memory_order_relaxed);
  }
}

static void do_nothing(void *unused) { (void)unused; }

static void fail(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *shared = agpu_alloc(stream, 1 << 24, true, NULL);
  launch_pause(stream, agpu_alloc(stream, 8, false, NULL), 100);
  mlirAsyncRuntimeAwaitTokenAndExecute(agpu_stream_record(stream), NULL,
                                       do_nothing);
  mlirAsyncRuntimeExecute(shared, read_forever);
  while (!atomic_load(&reads))
    usleep(100);
  agpu_stream *other = agpu_stream_acquire(NULL);
  agpu_stream_fail(other, "this is why", "end.mlir:1:1");
  agpu_object_await(agpu_stream_record(other), "end.mlir:2:2");
}

int main(void) {
  char text[256];
  CHECK_EQ(child_exit(fail, text, sizeof text), 1);
  CHECK_STR(text, "end.mlir:1:1: error: this is why\n");
  return 0;
}
