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

#include "async_gpu/compiled/native_thread.h"
#include "driver_api/values.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

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

/// A copy is of one allocation or registration, or of memory that the driver
/// knows nothing of; a fill, of what the device reaches.
void test_emu_copies_and_fills_take_one_piece(const bench *b) {
  enum { PAGE = 4096 };
  unsigned char *host = aligned_alloc(PAGE, 3 * PAGE);
  CHECK(host);
  CUdeviceptr there = (CUdeviceptr)(uintptr_t)host;
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 3 * PAGE);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(there, 0, 4, stream));
  CALL(cuMemHostRegister(host, PAGE, CU_MEMHOSTREGISTER_PORTABLE));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemcpyAsync(memory, there, PAGE + 1, stream));
  CALL(cuMemHostRegister(host + PAGE, PAGE, CU_MEMHOSTREGISTER_PORTABLE));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemcpyAsync(there, memory, PAGE + 1, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(there, 0, PAGE + 1, stream));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemsetD2D32Async(there, PAGE, 0, 1, 2, stream));
  CALL(cuMemcpyAsync(memory, there, PAGE, stream));
  CALL(cuMemcpyAsync(memory, there + PAGE, PAGE, stream));
  CALL(cuMemcpyAsync(memory, there + 2 * PAGE, PAGE, stream));
  CALL(cuMemsetD8Async(there, 0, PAGE, stream));
  CALL(cuStreamSynchronize(stream));
  CALL(cuMemHostUnregister(host));
  CALL(cuMemHostUnregister(host + PAGE));
  free(host);
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

void test_emu_use_after_free_without_waiting_is_sticky(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr memory;
  CALL(cuMemAllocAsync(&memory, 64, stream));
  gate g;
  gate_close(b, &g, stream);
  CALL(cuMemsetD8Async(memory, 0, 64, stream));
  CALL(cuMemFree(memory));
  gate_open(&g);
  expect_sticky(b, CUDA_ERROR_ILLEGAL_ADDRESS, stream);
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

static atomic_bool kernel_has_begun, kernel_may_end;

static void run_hold(void *const *params, const agpu_native_block *block) {
  (void)params, (void)block;
  atomic_store(&kernel_has_begun, true);
  while (!atomic_load(&kernel_may_end))
    sched_yield();
}

/// Memory is freed while a kernel that has been given it runs: in another
/// stream, or "without further synchronization".
static void free_under_kernel(const bench *b, bool in_stream) {
  static const uint32_t size = sizeof(CUdeviceptr);
  static const agpu_native_kernel kernel = {
      .name = "hold", .run = run_hold, .param_sizes = &size, .param_count = 1};
  static const agpu_native_image image = {
      .magic = AGPU_NATIVE_MAGIC, .kernel_count = 1, .kernels = &kernel};
  CUmodule module;
  CALL(cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  CUfunction hold = get_kernel(b, module, "hold");
  CUstream user = make_stream(b), owner = make_stream(b);
  CUdeviceptr memory;
  CALL(cuMemAllocAsync(&memory, 64, user));
  launch(b, hold, 1, 1, user, (void *[]){&memory});
  while (!atomic_load(&kernel_has_begun))
    sched_yield();
  if (in_stream) {
    CALL(cuMemFreeAsync(memory, owner));
    CALL(cuStreamSynchronize(owner));
  } else {
    CALL(cuMemFree(memory));
  }
  atomic_store(&kernel_may_end, true);
  expect_sticky(b, CUDA_ERROR_ILLEGAL_ADDRESS, user);
}

void test_emu_free_under_a_kernel_is_sticky(const bench *b) {
  free_under_kernel(b, false);
}

void test_emu_free_under_a_kernel_in_a_stream_is_sticky(const bench *b) {
  free_under_kernel(b, true);
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

static CUresult from_host_function[2];

static void call_the_driver(void *argument) {
  const bench *b = argument;
  CUevent event;
  CUcontext context;
  from_host_function[0] = b->driver->cuEventCreate(&event, 0);
  from_host_function[1] = b->driver->cuCtxGetCurrent(&context);
}

void test_emu_driver_calls_in_host_function_are_refused(const bench *b) {
  CUstream stream = make_stream(b);
  CALL(cuLaunchHostFunc(stream, call_the_driver, (void *)b));
  CALL(cuStreamSynchronize(stream));
  for (int i = 0; i < 2; ++i)
    CHECK(from_host_function[i] == CUDA_ERROR_NOT_PERMITTED);
  CALL(cuStreamDestroy(stream));
}

static void run_take(void *const *params, const agpu_native_block *block) {
  (void)block;
  uint32_t *taken = *(uint32_t *const *)params[0];
  uint64_t bytes = *(const uint64_t *)params[1];
  void *memory = agpu_native_malloc(bytes);
  *taken = memory != NULL;
  agpu_native_free(memory);
}

/// Whether a kernel gets so much of the heap.
static uint32_t take(const bench *b, CUfunction function, CUstream stream,
                     CUdeviceptr cell, uint64_t bytes) {
  uint32_t taken = 2;
  launch(b, function, 1, 1, stream, (void *[]){&cell, &bytes});
  CALL(cuStreamSynchronize(stream));
  download(b, &taken, cell, sizeof taken);
  return taken;
}

void test_emu_heap_is_fixed_once_used(const bench *b) {
  static const uint32_t sizes[] = {8, 8};
  static const agpu_native_kernel kernel = {
      .name = "take", .run = run_take, .param_sizes = sizes, .param_count = 2};
  static const agpu_native_image image = {
      .magic = AGPU_NATIVE_MAGIC, .kernel_count = 1, .kernels = &kernel};
  const uint64_t wanted = (uint64_t)20 << 20;
  const CUlimit heap = CU_LIMIT_MALLOC_HEAP_SIZE;
  CUmodule module;
  size_t value;
  // That it is loaded is no use yet.
  CALL(cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  CALL(cuCtxSetLimit(heap, wanted));
  CUfunction function = get_kernel(b, module, "take");
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, sizeof(uint32_t));
  CHECK(take(b, function, stream, cell, wanted) == 1);
  CHECK(take(b, function, stream, cell, wanted + 1) == 0);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(heap, 2 * wanted));
  CALL(cuCtxGetLimit(&value, heap));
  CHECK(value == wanted);
  // Kernels have printed nothing.
  CALL(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, (size_t)4 << 20));
  // The next context has a heap of its own.
  CALL(cuDevicePrimaryCtxRelease(b->device));
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  CALL(cuCtxSetCurrent(context));
  CALL(cuCtxGetLimit(&value, heap));
  CHECK(value == (size_t)8 << 20);
  CALL(cuCtxSetLimit(heap, wanted));
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

static void do_nothing(void *argument) { (void)argument; }

/// Every call that takes a stream refuses this one.
static void expect_no_stream(const bench *b, CUstream stream) {
  CUmodule module = load_kernels(b);
  CUfunction increment = get_kernel(b, module, "increment");
  CUdeviceptr memory = make_memory(b, 64), other = 0;
  CUevent event = make_event(b);
  void *params[] = {&memory};
#define REFUSED(call) EXPECT(CUDA_ERROR_INVALID_HANDLE, call)
  REFUSED(cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
  CUlaunchConfig config = {.gridDimX = 1,
                           .gridDimY = 1,
                           .gridDimZ = 1,
                           .blockDimX = 1,
                           .blockDimY = 1,
                           .blockDimZ = 1,
                           .hStream = stream};
  REFUSED(cuLaunchKernelEx(&config, increment, params, NULL));
  REFUSED(cuLaunchHostFunc(stream, do_nothing, NULL));
  REFUSED(cuMemcpyAsync(memory, memory + 32, 4, stream));
  REFUSED(cuMemcpyAsync(memory, memory + 32, 0, stream));
  REFUSED(cuMemsetD8Async(memory, 0, 4, stream));
  REFUSED(cuMemsetD16Async(memory, 0, 4, stream));
  REFUSED(cuMemsetD32Async(memory, 0, 4, stream));
  REFUSED(cuMemsetD2D32Async(memory, 8, 0, 1, 2, stream));
  REFUSED(
      cuStreamWriteValue32(stream, memory, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  REFUSED(cuMemAllocAsync(&other, 64, stream));
  REFUSED(cuMemFreeAsync(memory, stream));
  REFUSED(cuEventRecord(event, stream));
  REFUSED(cuStreamWaitEvent(stream, event, 0));
  REFUSED(cuStreamQuery(stream));
  REFUSED(cuStreamSynchronize(stream));
  REFUSED(cuStreamDestroy(stream));
  CALL(cuEventDestroy(event));
  CALL(cuMemFree(memory)); // what was refused has done nothing
  CALL(cuModuleUnload(module));
}

/// Every call that takes an event refuses this one.
static void expect_no_event(const bench *b, CUevent event) {
  CUstream stream = make_stream(b);
  REFUSED(cuEventRecord(event, stream));
  REFUSED(cuEventQuery(event));
  REFUSED(cuEventSynchronize(event));
  REFUSED(cuStreamWaitEvent(stream, event, 0));
  REFUSED(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
}

void test_emu_destroyed_streams_are_refused(const bench *b) {
  CUstream stream = make_stream(b);
  CALL(cuStreamDestroy(stream));
  expect_no_stream(b, stream);
  // Whatever comes in its place.
  CUstream others[4];
  for (int i = 0; i < 4; ++i)
    others[i] = make_stream(b);
  expect_no_stream(b, stream);
  for (int i = 0; i < 4; ++i)
    CALL(cuStreamDestroy(others[i]));
}

void test_emu_destroyed_events_are_refused(const bench *b) {
  CUevent event = make_event(b);
  CALL(cuEventDestroy(event));
  expect_no_event(b, event);
  CUevent other = make_event(b);
  expect_no_event(b, event);
  CALL(cuEventDestroy(other));
}

void test_emu_unloaded_modules_are_refused(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  CUmodule module = load_kernels(b);
  CUfunction increment = get_kernel(b, module, "increment"), found;
  CALL(cuModuleUnload(module));
  for (int round = 0; round < 2; ++round) {
    REFUSED(cuModuleUnload(module));
    REFUSED(cuModuleGetFunction(&found, module, "increment"));
    REFUSED(cuFuncSetAttribute(
        increment, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
    REFUSED(cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, stream,
                           (void *[]){&cell}, NULL));
    (void)load_kernels(b);
  }
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}

void test_emu_what_is_no_handle_is_refused(const bench *b) {
  static char memory[4096];
  CUstream stream = make_stream(b);
  CUevent event = make_event(b);
  expect_no_stream(b, (CUstream)(void *)memory);
  expect_no_stream(b, (CUstream)(void *)event);
  expect_no_stream(b, (CUstream)UINTPTR_MAX);
  expect_no_event(b, (CUevent)(void *)memory);
  expect_no_event(b, (CUevent)(void *)stream);
  expect_no_event(b, NULL);
  EXPECT(CUDA_ERROR_INVALID_CONTEXT,
         cuCtxSetCurrent((CUcontext)(void *)(memory + 8)));
  EXPECT(CUDA_ERROR_INVALID_CONTEXT,
         cuCtxEnablePeerAccess((CUcontext)(void *)memory, 0));
  CUmemAccessDesc access = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                            .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemPoolSetAccess((CUmemoryPool)(void *)memory, &access, 1));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
}

static void run_nothing(void *const *params, const agpu_native_block *block) {
  (void)params;
  (void)block;
}

void test_emu_parameters_that_do_not_fit_are_refused(const bench *b) {
  // 4 bytes are lost where the pointer is aligned.
  static const uint32_t fits[] = {4, 8, 32748}, large[] = {4, 8, 32749};
  static const agpu_native_kernel kernels[] = {{.name = "fits",
                                                .run = run_nothing,
                                                .param_sizes = fits,
                                                .param_count = 3},
                                               {.name = "large",
                                                .run = run_nothing,
                                                .param_sizes = large,
                                                .param_count = 3}};
  static const agpu_native_image image = {AGPU_NATIVE_MAGIC, 2, kernels};
  static char values[32768];
  void *params[] = {values, values, values};
  CUstream stream = make_stream(b);
  CUmodule module;
  CALL(cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  CALL(cuLaunchKernel(get_kernel(b, module, "fits"), 1, 1, 1, 1, 1, 1, 0,
                      stream, params, NULL));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuLaunchKernel(get_kernel(b, module, "large"), 1, 1, 1, 1, 1, 1, 0,
                        stream, params, NULL));
  CALL(cuStreamSynchronize(stream));
  CALL(cuModuleUnload(module));
  CALL(cuStreamDestroy(stream));
}
