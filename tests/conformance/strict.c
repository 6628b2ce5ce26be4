//===- strict.c - What the emulated device reports ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that a real device may run, crash or spoil memory with: the emulated
// one says what is wrong.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

/// The context has failed: the work's error comes from every call, also when
/// the call itself is fine.
static void expect_sticky(const bench *b, CUresult error, CUstream stream) {
  EXPECT(error, cuStreamSynchronize(stream));
  CUdeviceptr memory;
  EXPECT(error, cuMemAlloc(&memory, 4));
  EXPECT(error, cuStreamQuery(stream));
  EXPECT(error, cuStreamDestroy(stream)); // and is destroyed
}

void test_emu_copy_out_of_bounds_is_refused(const bench *b) {
  static char host[256];
  CUdeviceptr there = (CUdeviceptr)(uintptr_t)host;
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 100);
  CALL(cuMemcpyAsync(memory, there, 100, stream));
  CALL(cuMemcpyAsync(memory + 99, there, 1, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(memory, there, 101, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemcpyAsync(there, memory + 99, 2, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemcpyAsync(there, memory + 100, 1, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(memory, 0, 101, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemsetD2D32Async(memory, 32, 0, 1, 5, stream));
  CALL(cuMemsetD2D32Async(memory, 32, 0, 1, 4, stream));
  CALL(cuStreamSynchronize(stream)); // refused calls are not sticky
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_emu_value_written_elsewhere_is_refused(const bench *b) {
  static uint32_t plain[2];
  CUstream stream = make_stream(b);
  CUdeviceptr there = (CUdeviceptr)(uintptr_t)plain, managed;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuStreamWriteValue32(stream, there, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  CALL(cuMemHostRegister(plain, sizeof plain, CU_MEMHOSTREGISTER_DEVICEMAP));
  CALL(cuStreamWriteValue32(stream, there + 4, 1,
                            CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuStreamWriteValue32(stream, there + 8, 1,
                              CU_STREAM_WRITE_VALUE_DEFAULT));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(stream, there, 1, 2));
  CALL(cuMemAllocManaged(&managed, 4, CU_MEM_ATTACH_GLOBAL));
  EXPECT(
      CUDA_ERROR_INVALID_VALUE,
      cuStreamWriteValue32(stream, managed, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  CALL(cuStreamSynchronize(stream));
  CHECK(plain[0] == 0 && plain[1] == 1);
  CALL(cuMemHostUnregister(plain));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuStreamWriteValue32(stream, there, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  CUdeviceptr memory = make_memory(b, 4);
  CALL(cuMemFree(memory));
  EXPECT(
      CUDA_ERROR_INVALID_VALUE,
      cuStreamWriteValue32(stream, memory, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  CALL(cuMemFree(managed));
  CALL(cuStreamDestroy(stream));
}

void test_emu_copy_of_freed_memory_is_refused(const bench *b) {
  static const size_t sizes[] = {64, (size_t)8 << 20};
  char byte = 0;
  CUstream stream = make_stream(b);
  for (int i = 0; i < 2; ++i) {
    CUdeviceptr memory = make_memory(b, sizes[i]);
    CALL(cuMemFree(memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuMemcpyAsync((CUdeviceptr)(uintptr_t)&byte, memory, 1, stream));
    // Freed in stream order: nothing may name it after the call.
    CALL(cuMemAllocAsync(&memory, sizes[i], stream));
    CALL(cuMemFreeAsync(memory, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(memory, 0, 1, stream));
  }
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamDestroy(stream));
}

void test_emu_use_after_free_on_another_stream_is_sticky(const bench *b) {
  CUstream user = make_stream(b), owner = make_stream(b);
  CUdeviceptr memory = make_memory(b, 64);
  gate g;
  gate_close(b, &g, user);
  CALL(cuMemsetD8Async(memory, 0, 64, user));
  CALL(cuMemFreeAsync(memory, owner)); // does not wait for `user`
  CALL(cuStreamSynchronize(owner));
  gate_open(&g);
  expect_sticky(b, CUDA_ERROR_ILLEGAL_ADDRESS, user);
}

void test_emu_use_before_allocation_is_sticky(const bench *b) {
  CUstream user = make_stream(b), owner = make_stream(b);
  CUdeviceptr memory;
  static gate g; // no call waits for `owner` any more
  gate_close(b, &g, owner);
  CALL(cuMemAllocAsync(&memory, 64, owner));
  CALL(cuMemsetD8Async(memory, 0, 64, user)); // does not wait for `owner`
  expect_sticky(b, CUDA_ERROR_ILLEGAL_ADDRESS, user);
  gate_open(&g);
}

void test_emu_kernel_with_freed_parameter_is_sticky(const bench *b) {
  CUstream user = make_stream(b), owner = make_stream(b);
  CUdeviceptr memory = make_memory(b, 64);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  gate g;
  gate_close(b, &g, user);
  launch(b, increment, 1, 1, user, (void *[]){&memory});
  CALL(cuMemFreeAsync(memory, owner));
  CALL(cuStreamSynchronize(owner));
  gate_open(&g);
  expect_sticky(b, CUDA_ERROR_ILLEGAL_ADDRESS, user);
}

void test_emu_double_free_is_refused(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 64);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory + 1));
  CALL(cuMemFreeAsync(memory, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(memory, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(memory));
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamDestroy(stream));
}

static CUresult from_host_function;

static void call_the_driver(void *argument) {
  const bench *b = argument;
  CUevent event;
  from_host_function = b->driver->cuEventCreate(&event, 0);
}

void test_emu_driver_calls_in_host_function_are_refused(const bench *b) {
  CUstream stream = make_stream(b);
  CALL(cuLaunchHostFunc(stream, call_the_driver, (void *)b));
  CALL(cuStreamSynchronize(stream));
  CHECK(from_host_function == CUDA_ERROR_NOT_PERMITTED);
  CALL(cuStreamDestroy(stream));
}

void test_emu_context_starts_afresh(const bench *b) {
  test_emu_use_after_free_on_another_stream_is_sticky(b);
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CUdeviceptr memory;
  EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&memory, 4));
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  CALL(cuCtxSetCurrent(context));
  CALL(cuMemAlloc(&memory, 4));
  CUstream stream = make_stream(b);
  CALL(cuMemsetD32Async(memory, 0, 1, stream));
  CALL(cuStreamSynchronize(stream));
}
