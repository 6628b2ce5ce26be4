//===- devices.c - Several devices ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skipped where there is one device.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#define SKIPPED 77

/// The context of device 0, which is current, and of device 1.
typedef struct pair {
  CUcontext first, second;
} pair;

static pair open_second(const bench *b) {
  int count = 0;
  CALL(cuDeviceGetCount(&count));
  if (count < 2)
    exit(SKIPPED);
  pair both;
  CUdevice second;
  CALL(cuDeviceGet(&second, 1));
  CALL(cuDevicePrimaryCtxRetain(&both.first, b->device));
  CALL(cuDevicePrimaryCtxRetain(&both.second, second));
  CHECK(both.first != both.second);
  return both;
}

static void close_second(const bench *b, const pair *both) {
  CALL(cuCtxSetCurrent(both->first));
  CALL(cuDevicePrimaryCtxRelease(1));
  CALL(cuDevicePrimaryCtxRelease(b->device));
}

void test_devices_have_contexts_of_their_own(const bench *b) {
  pair both = open_second(b);
  CUdeviceptr cells[2];
  CUstream streams[2];
  for (int i = 0; i < 2; ++i) {
    CALL(cuCtxSetCurrent(i ? both.second : both.first));
    cells[i] = make_memory(b, 4);
    streams[i] = make_stream(b);
    CUfunction increment = get_kernel(b, load_kernels(b), "increment");
    CALL(cuMemsetD32Async(cells[i], 10 * (unsigned)i, 1, streams[i]));
    launch(b, increment, 1, 1, streams[i], (void *[]){&cells[i]});
  }
  for (int i = 0; i < 2; ++i) {
    uint32_t seen = 99;
    CALL(cuCtxSetCurrent(i ? both.second : both.first));
    CALL(cuStreamSynchronize(streams[i]));
    download(b, &seen, cells[i], 4);
    CHECK(seen == 10u * (unsigned)i + 1);
    CALL(cuMemFree(cells[i]));
    CALL(cuStreamDestroy(streams[i]));
  }
  close_second(b, &both);
}

void test_devices_wait_for_each_others_events(const bench *b) {
  pair both = open_second(b);
  CUstream producer = make_stream(b);
  CUevent event = make_event(b);
  static uint32_t host;
  host = 0;
  CUdeviceptr cell = make_memory(b, 4);
  gate g;
  gate_close(b, &g, producer);
  CALL(cuMemsetD32Async(cell, 7, 1, producer));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&host, cell, 4, producer));
  CALL(cuEventRecord(event, producer));
  CALL(cuCtxSetCurrent(both.second));
  CUstream consumer = make_stream(b);
  CUdeviceptr copy = make_memory(b, 4);
  CALL(cuStreamWaitEvent(consumer, event, 0));
  CALL(cuMemcpyAsync(copy, (CUdeviceptr)(uintptr_t)&host, 4, consumer));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(consumer));
  gate_open(&g);
  CALL(cuStreamSynchronize(consumer));
  uint32_t seen = 0;
  download(b, &seen, copy, 4);
  CHECK(seen == 7);
  CALL(cuMemFree(copy));
  CALL(cuStreamDestroy(consumer));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuMemFree(cell));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(producer));
  close_second(b, &both);
}

void test_devices_copy_from_each_other(const bench *b) {
  pair both = open_second(b);
  uint32_t value = 42, seen = 0;
  CUdeviceptr here = make_memory(b, 4);
  upload(b, here, &value, 4);
  CALL(cuCtxSetCurrent(both.second));
  CUdeviceptr there = make_memory(b, 4);
  CUstream stream = make_stream(b);
  CALL(cuMemcpyAsync(there, here, 4, stream));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen, there, 4, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(seen == 42);
  CALL(cuStreamDestroy(stream));
  CALL(cuMemFree(there));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuMemFree(here));
  close_second(b, &both);
}

void test_emu_device_fails_alone(const bench *b) {
  pair both = open_second(b);
  CALL(cuCtxSetCurrent(both.second));
  test_emu_use_after_free_on_another_stream_is_sticky(b);
  CALL(cuCtxSetCurrent(both.first));
  CUdeviceptr memory = make_memory(b, 4);
  CUstream stream = make_stream(b);
  CALL(cuMemsetD32Async(memory, 1, 1, stream));
  CALL(cuStreamSynchronize(stream));
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
  close_second(b, &both);
}

void test_emu_handles_belong_to_their_context(const bench *b) {
  pair both = open_second(b);
  CUstream stream = make_stream(b);
  CUevent event = make_event(b);
  CUdeviceptr memory = make_memory(b, 4);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CALL(cuCtxSetCurrent(both.second));
  CUstream other = make_stream(b);
  EXPECT(CUDA_ERROR_INVALID_HANDLE, cuMemsetD32Async(memory, 0, 1, stream));
  EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, other));
  EXPECT(CUDA_ERROR_INVALID_HANDLE,
         cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, other,
                        (void *[]){&memory}, NULL));
  CALL(cuStreamDestroy(other));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuMemFree(memory));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
  close_second(b, &both);
}
