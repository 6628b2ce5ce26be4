//===- device.c - The device and its context ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#include <pthread.h>

void test_attributes_are_sane(const bench *b) {
  int count = 0, value = 0, version = 0;
  char name[64];
  CALL(cuDriverGetVersion(&version));
  CHECK(version >= 10000);
  CALL(cuDeviceGetCount(&count));
  CHECK(count >= 1);
  CALL(cuDeviceGetName(name, sizeof name, b->device));
  CHECK(*name);
  CALL(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                            b->device));
  CHECK(value >= 1);
  CALL(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                            b->device));
  CHECK(value == 1024);
  CUdevice device;
  EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1000));
}

void test_results_have_names(const bench *b) {
  const char *text = NULL;
  CALL(cuGetErrorName(CUDA_SUCCESS, &text));
  CHECK(strcmp(text, "CUDA_SUCCESS") == 0);
  CALL(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  CHECK(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
  CALL(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(*text);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)123456, &text));
  CHECK(!text);
}

static void *call_without_context(void *argument) {
  const bench *b = argument;
  CUstream stream;
  EXPECT(CUDA_ERROR_INVALID_CONTEXT,
         cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  CALL(cuCtxSetCurrent(context));
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamDestroy(stream));
  CALL(cuDevicePrimaryCtxRelease(b->device));
  return NULL;
}

void test_context_must_be_current(const bench *b) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, call_without_context, (void *)b) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

typedef struct thread_context {
  const bench *b;
  CUcontext context;
} thread_context;

static void *make_none_current(void *argument) {
  const thread_context *own = argument;
  const bench *b = own->b;
  CALL(cuCtxSetCurrent(own->context));
  CALL(cuStreamDestroy(make_stream(b)));
  CALL(cuCtxSetCurrent(NULL));
  CUevent event;
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuEventCreate(&event, 0));
  return NULL;
}

void test_context_is_each_threads_own(const bench *b) {
  thread_context own = {.b = b};
  CALL(cuDevicePrimaryCtxRetain(&own.context, b->device));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, make_none_current, &own) == 0);
  for (int i = 0; i < 4; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CALL(cuStreamDestroy(make_stream(b))); // here it still is
  }
  CALL(cuDevicePrimaryCtxRelease(b->device));
}

/// "Returns in *pctx the CUDA context bound to the calling CPU thread. If no
/// context is bound to the calling CPU thread then *pctx is set to NULL and
/// CUDA_SUCCESS is returned." (cuCtxGetCurrent)
void test_context_that_is_current_is_told(const bench *b) {
  CUcontext own, now = NULL;
  if (!b->driver->cuCtxGetCurrent)
    exit(SKIPPED);
  CALL(cuDevicePrimaryCtxRetain(&own, b->device));
  CALL(cuCtxGetCurrent(&now));
  CHECK(now == own);
  CALL(cuCtxSetCurrent(NULL));
  CALL(cuCtxGetCurrent(&now));
  CHECK(now == NULL);
  CALL(cuCtxSetCurrent(own));
  CALL(cuDevicePrimaryCtxRelease(b->device));
}

void test_context_is_counted(const bench *b) {
  CUcontext first, second;
  CALL(cuDevicePrimaryCtxRetain(&first, b->device));
  CALL(cuDevicePrimaryCtxRetain(&second, b->device));
  CHECK(first == second);
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CALL(cuStreamDestroy(make_stream(b))); // the test's own is left
}

void test_context_has_limits(const bench *b) {
  if (!b->driver->cuCtxSetLimit)
    exit(SKIPPED);
  static const struct {
    CUlimit limit;
    size_t by_default;
  } limits[] = {{CU_LIMIT_STACK_SIZE, 1 << 10},
                {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20},
                {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20}};
  size_t value = 0;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
    // A driver may round up.
    CALL(cuCtxGetLimit(&value, limits[i].limit));
    CHECK(b->is_emulated ? value == limits[i].by_default
                         : value >= limits[i].by_default);
    CALL(cuCtxSetLimit(limits[i].limit, 4 * limits[i].by_default));
    CALL(cuCtxGetLimit(&value, limits[i].limit));
    CHECK(value >= 4 * limits[i].by_default);
  }
  EXPECT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit((CUlimit)1000, 1));
  EXPECT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, (CUlimit)1000));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuCtxGetLimit(NULL, CU_LIMIT_MALLOC_HEAP_SIZE));
}

void test_arguments_are_checked(const bench *b) {
  CUstream stream = make_stream(b), bad;
  CUmodule module = load_kernels(b);
  CUfunction function;
  CUdeviceptr memory;
  CUevent event;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuStreamCreate(NULL, CU_STREAM_NON_BLOCKING));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&bad, 0x40));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuEventCreate(NULL, CU_EVENT_DISABLE_TIMING));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 0x40));
  // For other processes, and with times: not both.
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 0x4));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(NULL, 16));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&memory, 16, 0));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemAllocManaged(&memory, 0, CU_MEM_ATTACH_GLOBAL));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(stream, NULL, NULL));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuModuleGetFunction(&function, module, NULL));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(8)); // no allocation's
  EXPECT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease(1000));
  int value;
  EXPECT(CUDA_ERROR_INVALID_DEVICE,
         cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
  CALL(cuModuleUnload(module));
  CALL(cuStreamDestroy(stream));
}

static _Atomic(bool) host_function_ran;

static void note_host_function(void *argument) {
  (void)argument;
  host_function_ran = true;
}

void test_error_of_work_is_sticky(const bench *b) {
  CUstream stream = make_stream(b), other = make_stream(b);
  CUevent event = make_event(b);
  CUdeviceptr memory = make_memory(b, 64);
  CUmodule module = load_kernels(b);
  CUfunction fault = get_kernel(b, module, "fault");
  CUfunction increment = get_kernel(b, module, "increment");
  const CUresult sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  gate g;
  gate_close(b, &g, stream);
  launch(b, fault, 1, 1, stream, (void *[]){&memory});
  CALL(cuLaunchHostFunc(stream, note_host_function, NULL));
  CALL(cuEventRecord(event, stream));
  gate_open(&g);
  EXPECT(sticky, cuStreamSynchronize(stream));
  // Every call gets it from now on, about whatever.
  CUstream created;
  CUevent created_event;
  CUdeviceptr allocated;
  EXPECT(sticky, cuEventQuery(event));
  EXPECT(sticky, cuEventSynchronize(event));
  EXPECT(sticky, cuStreamQuery(other));
  EXPECT(sticky, cuStreamSynchronize(other));
  EXPECT(sticky, cuEventRecord(event, other));
  EXPECT(sticky, cuMemcpyAsync(memory, memory + 32, 8, other));
  EXPECT(sticky, cuMemsetD8Async(memory, 0, 8, other));
  EXPECT(sticky, cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, other,
                                (void *[]){&memory}, NULL));
  EXPECT(sticky, cuStreamCreate(&created, CU_STREAM_NON_BLOCKING));
  EXPECT(sticky, cuEventCreate(&created_event, CU_EVENT_DISABLE_TIMING));
  EXPECT(sticky, cuMemAlloc(&allocated, 16));
  // What asks for no work still answers.
  int count = 0;
  CALL(cuDeviceGetCount(&count));
  CHECK(count >= 1);
  // A host function is not called in a context in error.
  CHECK(!host_function_ran);
}

void test_error_of_a_call_is_not(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 64);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuLaunchKernel(increment, 0, 1, 1, 1, 1, 1, 0, stream,
                        (void *[]){&memory}, NULL));
  CUdeviceptr too_much;
  EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&too_much, (size_t)1 << 60));
  CUmodule module;
  CHECK(b->driver->cuModuleLoadDataEx(&module, "this is no module at all", 0,
                                      NULL, NULL) != CUDA_SUCCESS);
  CALL(cuMemsetD32Async(memory, 1, 16, stream));
  launch(b, increment, 1, 1, stream, (void *[]){&memory});
  uint32_t value = 0;
  CALL(cuStreamSynchronize(stream));
  download(b, &value, memory, 4);
  CHECK(value == 2);
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}
