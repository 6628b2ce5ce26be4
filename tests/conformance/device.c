//===- device.c - The device and its context ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

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
