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
#include "driver_api/values.h"

#include <pthread.h>

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
  uint32_t *host = make_pinned(b, 4);
  CUdeviceptr cell = make_memory(b, 4);
  gate g;
  gate_close(b, &g, producer);
  CALL(cuMemsetD32Async(cell, 7, 1, producer));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)host, cell, 4, producer));
  CALL(cuEventRecord(event, producer));
  CALL(cuCtxSetCurrent(both.second));
  CUstream consumer = make_stream(b);
  CUdeviceptr copy = make_memory(b, 4);
  CALL(cuStreamWaitEvent(consumer, event, 0));
  CALL(cuMemcpyAsync(copy, (CUdeviceptr)(uintptr_t)host, 4, consumer));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(consumer));
  gate_open(&g);
  CALL(cuStreamSynchronize(consumer));
  uint32_t seen = 0;
  download(b, &seen, copy, 4);
  CHECK(seen == 7);
  CALL(cuMemFree(copy));
  CALL(cuStreamDestroy(consumer));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuMemFreeHost(host));
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

void test_devices_reach_memory_that_is_open(const bench *b) {
  pair both = open_second(b);
  int can = 0;
  CALL(cuDeviceCanAccessPeer(&can, 1, b->device));
  if (!can)
    exit(SKIPPED);
  CUdeviceptr here = make_memory(b, 4);
  CALL(cuCtxSetCurrent(both.second));
  CALL(cuCtxEnablePeerAccess(both.first, 0));
  EXPECT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
         cuCtxEnablePeerAccess(both.first, 0));
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUstream stream = make_stream(b);
  CALL(cuMemsetD32Async(here, 6, 1, stream));
  launch(b, increment, 1, 1, stream, (void *[]){&here});
  CALL(cuStreamSynchronize(stream));
  uint32_t seen = 0;
  download(b, &seen, here, 4);
  CHECK(seen == 7);
  int ordinal = -1;
  CALL(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                             here));
  CHECK(ordinal == b->device);
  CALL(cuStreamDestroy(stream));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuMemFree(here));
  close_second(b, &both);
}

void test_devices_open_their_pools(const bench *b) {
  pair both = open_second(b);
  int can = 0;
  CALL(cuDeviceCanAccessPeer(&can, 1, b->device));
  if (!can || !has_memory_pools(b))
    exit(SKIPPED);
  CUmemoryPool pool;
  CALL(cuDeviceGetDefaultMemPool(&pool, b->device));
  const CUmemAccessDesc access = {
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1},
      .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CALL(cuMemPoolSetAccess(pool, &access, 1));
  CUstream owner = make_stream(b);
  CUevent event = make_event(b);
  CUdeviceptr cell;
  CALL(cuMemAllocAsync(&cell, 4, owner));
  CALL(cuMemsetD32Async(cell, 1, 1, owner));
  CALL(cuEventRecord(event, owner));
  int ordinal = -1;
  CALL(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                             cell));
  CHECK(ordinal == b->device);
  // To the other device and back, each behind the other's event.
  CALL(cuCtxSetCurrent(both.second));
  CUstream user = make_stream(b);
  CUevent back = make_event(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CALL(cuStreamWaitEvent(user, event, 0));
  launch(b, increment, 1, 1, user, (void *[]){&cell});
  CALL(cuEventRecord(back, user));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuStreamWaitEvent(owner, back, 0));
  uint32_t seen = 0;
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen, cell, 4, owner));
  CALL(cuMemFreeAsync(cell, owner));
  CALL(cuStreamSynchronize(owner));
  CHECK(seen == 2);
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(owner));
  CALL(cuCtxSetCurrent(both.second));
  CALL(cuEventDestroy(back));
  CALL(cuStreamDestroy(user));
  close_second(b, &both);
}

/// What each of many threads does on the device that it has made current.
typedef struct job {
  const bench *b;
  CUcontext context;
  unsigned number;
} job;

static void *work_in_context(void *argument) {
  const job *of = argument;
  const bench *b = of->b;
  CALL(cuCtxSetCurrent(of->context));
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  CUmodule module = load_kernels(b);
  CUfunction increment = get_kernel(b, module, "increment");
  CALL(cuMemsetD32Async(cell, of->number, 1, stream));
  for (int i = 0; i < 20; ++i)
    launch(b, increment, 1, 1, stream, (void *[]){&cell});
  uint32_t seen = 0;
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen, cell, 4, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(seen == of->number + 20);
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
  CALL(cuModuleUnload(module));
  return NULL;
}

void test_devices_are_used_by_many_threads(const bench *b) {
  enum { THREADS = 8 };
  pair both = open_second(b);
  pthread_t threads[THREADS];
  job jobs[THREADS];
  for (unsigned i = 0; i < THREADS; ++i) {
    jobs[i] = (job){b, i % 2 ? both.second : both.first, 100 * i};
    CHECK(pthread_create(&threads[i], NULL, work_in_context, &jobs[i]) == 0);
  }
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  close_second(b, &both);
}

void test_emu_memory_of_another_device_is_closed(const bench *b) {
  pair both = open_second(b);
  CUdeviceptr here = make_memory(b, 4);
  CALL(cuCtxSetCurrent(both.second));
  CUstream stream = make_stream(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CALL(cuMemsetD32Async(here, 1, 1, stream)); // the driver's own ops may
  launch(b, increment, 1, 1, stream, (void *[]){&here});
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
  const char *text = NULL;
  CALL(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  CHECK(strstr(text, "points to memory of device 0, which is not open to it"));
  CUdeviceptr there;
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&there, 4)); // sticky
  close_second(b, &both);
}

void test_emu_free_that_fails_can_be_made_again(const bench *b) {
  pair both = open_second(b);
  CUstream owner = make_stream(b);
  CUdeviceptr cell;
  size_t before, left, total;
  CALL(cuMemGetInfo(&before, &total));
  CALL(cuMemAllocAsync(&cell, 4096, owner));
  CALL(cuCtxSetCurrent(both.second));
  CUstream other = make_stream(b);
  CALL(cuCtxSetCurrent(both.first));
  EXPECT(CUDA_ERROR_INVALID_HANDLE, cuMemFreeAsync(cell, other));
  CALL(cuMemsetD8Async(cell, 1, 4096, owner)); // it is there still
  CALL(cuMemGetInfo(&left, &total));
  CHECK(left == before - 4096);
  CALL(cuMemFreeAsync(cell, owner));
  CALL(cuStreamSynchronize(owner));
  CALL(cuMemGetInfo(&left, &total));
  CHECK(left == before);
  CALL(cuStreamDestroy(owner));
  CALL(cuCtxSetCurrent(both.second));
  CALL(cuStreamDestroy(other));
  close_second(b, &both);
}

/// The text of the sticky error of the current context.
static const char *get_sticky_text(const bench *b) {
  const char *text = NULL;
  CALL(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  return text;
}

/// Spoils the current context: a fill of memory that is freed meanwhile.
static void fail_fill(const bench *b, size_t bytes) {
  CUstream user = make_stream(b), owner = make_stream(b);
  CUdeviceptr memory = make_memory(b, bytes);
  gate g;
  gate_close(b, &g, user);
  CALL(cuMemsetD8Async(memory, 0, bytes, user));
  CALL(cuMemFreeAsync(memory, owner));
  CALL(cuStreamSynchronize(owner));
  gate_open(&g);
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(user));
}

void test_emu_error_texts_belong_to_contexts(const bench *b) {
  pair both = open_second(b);
  fail_fill(b, 1001);
  CHECK(strstr(get_sticky_text(b), "1001 bytes"));
  CALL(cuCtxSetCurrent(both.second));
  CHECK(!strstr(get_sticky_text(b), "bytes at")); // this one is well
  fail_fill(b, 2002);
  CHECK(strstr(get_sticky_text(b), "2002 bytes"));
  CALL(cuCtxSetCurrent(both.first));
  CHECK(strstr(get_sticky_text(b), "1001 bytes"));
  // A context that starts afresh has failed at nothing.
  for (int i = 0; i < 2; ++i)
    CALL(cuDevicePrimaryCtxRelease(b->device));
  CUcontext again;
  for (int i = 0; i < 2; ++i)
    CALL(cuDevicePrimaryCtxRetain(&again, b->device));
  CALL(cuCtxSetCurrent(again));
  CHECK(!strstr(get_sticky_text(b), "bytes at"));
  close_second(b, &both);
}

void test_emu_free_on_another_device_is_refused(const bench *b) {
  pair both = open_second(b);
  CUstream owner = make_stream(b);
  CUdeviceptr cell;
  CALL(cuMemAllocAsync(&cell, 4, owner));
  CALL(cuCtxSetCurrent(both.second));
  CUstream other = make_stream(b);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(cell, other));
  CALL(cuStreamDestroy(other));
  CALL(cuCtxSetCurrent(both.first));
  CALL(cuMemFreeAsync(cell, owner)); // still there
  CALL(cuStreamSynchronize(owner));
  CALL(cuStreamDestroy(owner));
  int ordinal;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                               cell));
  close_second(b, &both);
}
