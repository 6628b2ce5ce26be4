//===- calls.c - Which driver calls the runtime makes ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include "async_gpu/compiled/mgpu.h"

/// Memory that is registered again before it was unregistered stays registered
/// until the work before the second unregistering is done.
static void check_registration(agpu_stream *stream) {
  static int64_t host[512];
  agpu_host_register(stream, host, sizeof(host), "a.mlir:6:1");
  launch_pause(stream, host, 50); // all below is called before this is done
  agpu_host_unregister(stream, host, "a.mlir:7:1");
  agpu_host_register(stream, host, sizeof(host), "a.mlir:8:1");
  agpu_object *between = agpu_stream_record(stream);
  launch_pause(stream, host, 100);
  agpu_host_unregister(stream, host, "a.mlir:9:1");
  agpu_object *done = agpu_stream_record(stream);
  await_and_drop(between);
  int registered = log_count("cuMemHostRegister(");
  int unregistered = log_count("cuMemHostUnregister(");
  CHECK(!agpu_object_is_ready(done));
  CHECK_EQ(registered, unregistered + 1);
  await_and_drop(done);
  CHECK_EQ(host[0], 2);
  CHECK_EQ(log_count("cuMemHostUnregister("), registered);
}

/// Memory that is unregistered at once, while an unregistering behind work from
/// before it was registered again is to come, is not registered any more.
static void check_unregistered_at_once(agpu_stream *stream) {
  static int64_t host[512];
  agpu_host_register(stream, host, sizeof(host), "a.mlir:10:1");
  launch_pause(stream, host, 50); // all below is called before this is done
  agpu_host_unregister(stream, host, "a.mlir:11:1");
  agpu_object *done = agpu_stream_record(stream);
  agpu_host_register(stream, host, sizeof(host), "a.mlir:12:1"); // stays
  int registered = log_count("cuMemHostRegister(");
  mgpuMemHostUnregister(host);
  agpu_host_register(stream, host, sizeof(host), "a.mlir:13:1");
  CHECK_EQ(log_count("cuMemHostRegister("), registered + 1);
  mgpuMemHostUnregister(host);
  // Of another size, too.
  mgpuMemHostRegister(host, 8);
  await_and_drop(done);
  mgpuMemHostUnregister(host);
  CHECK_EQ(log_count("cuMemHostUnregister("), registered + 2);
}

int main(void) {
  log_begin();
  agpu_stream *one = agpu_stream_acquire("a.mlir:1:1");
  agpu_stream *two = agpu_stream_acquire("a.mlir:2:1");
  // A stream is created when something comes that belongs on it.
  CHECK_EQ(log_count("cuStreamCreate("), 0);
  int64_t host = 20, result = 0;
  void *cell = agpu_alloc(one, 8, false, "a.mlir:3:1");
  CHECK(cell);
  agpu_memcpy(one, cell, &host, 8, "a.mlir:4:1");
  launch_increment(one, cell);

  // One event per position, however many tokens, and no record yet.
  agpu_object *tokens[3];
  for (int i = 0; i < 3; ++i)
    tokens[i] = agpu_stream_record(one);
  CHECK(agpu_object_is_enqueued(tokens[0]));
  CHECK_EQ(log_count("cuEventRecord("), 0);
  CHECK_EQ(log_count("cuEventCreate("), 1);

  // The same stream waits for nothing, another once per event, which is what
  // the event is recorded for.
  agpu_stream_wait(one, tokens[0]);
  CHECK_EQ(log_count("cuStreamWaitEvent("), 0);
  agpu_stream_wait(two, tokens[0]);
  agpu_stream_wait(two, tokens[1]);
  launch_increment(two, cell);
  CHECK_EQ(log_count("cuEventRecord("), 1);
  CHECK_EQ(log_count("cuStreamCreate("), 2);
  CHECK_EQ(log_count("cuStreamWaitEvent(stream=2, event=1, flags=0) = "), 1);
  agpu_memcpy(two, &result, cell, 8, "a.mlir:5:1");
  agpu_object *done = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(done, two);
  mlirAsyncRuntimeAwaitToken(done);
  CHECK_EQ(result, 22);

  // What is known to be complete needs no wait.
  agpu_stream_wait(one, done);
  CHECK_EQ(log_count("cuStreamWaitEvent("), 1);
  mlirAsyncRuntimeDropRef(done, 1);
  for (int i = 0; i < 3; ++i)
    await_and_drop(tokens[i]);

  // The module was loaded once, its function looked up once.
  CHECK_EQ(log_count("cuModuleLoadDataEx("), 1);
  CHECK_EQ(log_count("cuModuleGetFunction("), 1);
  CHECK_EQ(log_count("cuLaunchKernel("), 2);

  // Nothing to do is no call.
  agpu_memcpy(one, cell, &host, 0, NULL);
  agpu_memset(one, cell, 0, 4, 0, NULL);
  agpu_dealloc(one, NULL, NULL);
  agpu_launch(one, &test_increment, 0, 1, 1, 1, 1, 1, 0, (void *[]){&cell},
              NULL);
  CHECK_EQ(log_count("cuLaunchKernel("), 2);
  CHECK_EQ(log_count("cuMemset"), 0);
  CHECK_EQ(log_count("cuMemcpyAsync("), 2);

  check_registration(one);
  check_unregistered_at_once(one);
  agpu_dealloc(one, cell, "a.mlir:10:1");
  CHECK_EQ(log_count("cuMemFreeAsync("), 1);
  agpu_stream_release(one);
  agpu_stream_release(two);
  check_end();
  // The host waits for events alone.
  CHECK_EQ(log_count("Synchronize("), log_count("cuEventSynchronize("));
  CHECK_EQ(log_count("cuStreamDestroy("), 2);
  CHECK_EQ(log_count("cuEventCreate("), log_count("cuEventDestroy("));
  CHECK_EQ(log_count("cuModuleUnload("), 1);
  // Once on each thread that calls: here, where completions run, and where
  // memory is unregistered behind work.
  CHECK_EQ(log_count("cuCtxSetCurrent(context=1)"), 3);
  CHECK_EQ(log_count("cuDevicePrimaryCtxRelease("), 1);
  return 0;
}
