//===- calls.c - What small programs of the driver's API do ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "program.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1000 };

static void need_copies(void) {
  need("cuMemcpyHtoD_v2");
  need("cuMemcpyDtoH_v2");
  need("cuMemcpyDtoD_v2");
  need("cuMemsetD32_v2");
}

/// The shape of most samples: no stream, copies that wait.
void test_program_adds_vectors(void) {
  need_copies();
  make_context(0);
  uint32_t values[COUNT], out[COUNT];
  CUdeviceptr memory = make_memory(sizeof values), copy;
  copy = make_memory(sizeof values);
  CUfunction store = make_kernel(0, "store");
  uint32_t first = 5;
  CALL(cuLaunchKernel(store, COUNT / 100, 1, 1, 100, 1, 1, 0, NULL,
                      (void *[]){&memory, &first}, NULL));
  CALL(cuMemcpyDtoD(copy, memory, sizeof values));
  CALL(cuMemcpyDtoH(out, copy, sizeof out));
  for (uint32_t i = 0; i < COUNT; ++i) {
    CHECK(out[i] == first + i);
    values[i] = i * i;
  }
  CALL(cuMemcpyHtoD(memory, values, sizeof values));
  memset(values, 0, sizeof values); // it has been taken
  CALL(cuMemsetD32(memory, 77, 2));
  CALL(cuMemcpyDtoH(out, memory, sizeof out));
  CHECK(out[0] == 77 && out[1] == 77 && out[2] == 4 && out[999] == 999 * 999);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(out, 8, sizeof out));
  CALL(cuMemFree(memory));
  CALL(cuMemFree(copy));
}

void test_parameters_may_be_in_one_buffer(void) {
  need_copies();
  make_context(0);
  CUfunction store = make_kernel(0, "store");
  struct {
    CUdeviceptr out;
    uint32_t value;
  } params = {make_memory(16), 9};
  size_t size = sizeof params.out + sizeof params.value;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CALL(cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, NULL, NULL, extra));
  uint32_t out[4] = {0};
  CALL(cuMemcpyDtoH(out, params.out, sizeof out));
  CHECK(out[0] == 9 && out[3] == 12);
  // "kernelParams and extra must not both be non-NULL".
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, NULL,
                        (void *[]){&params.out, &params.value}, extra));
}

/// "When an action is taken in the legacy stream such as a kernel launch or
/// cudaStreamWaitEvent(), the legacy stream first waits on all blocking
/// streams, the action is queued in the legacy stream, and then all blocking
/// streams wait on the legacy stream." (stream synchronization behavior)
void test_default_stream_waits_for_blocking_streams(void) {
  need_copies();
  make_context(0);
  CUfunction pause = make_kernel(0, "pause");
  CUfunction increment = make_kernel(0, "increment");
  CUdeviceptr cells = make_memory(16), last = cells + 12;
  CUstream first, second, third;
  uint64_t ns = 20000000;
  unsigned flags = 1;
  CALL(cuStreamCreate(&first, 0));
  CALL(cuStreamCreate(&second, 0));
  CALL(cuStreamCreate(&third, 0));
  CALL(cuStreamGetFlags(first, &flags));
  CHECK(flags == 0);
  for (int i = 0; i < 3; ++i) {
    CALL(cuMemsetD32(cells, 0, 4));
    // Each adds 1 to what it waits for.
    CALL(cuLaunchKernel(pause, 1, 1, 1, 1, 1, 1, 0, first,
                        (void *[]){&cells, &ns}, NULL));
    if (i == 1) { // whose work goes on
      CALL(cuStreamDestroy(first));
      CALL(cuStreamCreate(&first, 0));
    }
    CALL(cuMemcpyDtoD(cells + 4, cells, 4));
    CUdeviceptr cell = cells + 4;
    CALL(cuLaunchKernel(pause, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY,
                        (void *[]){&cell, &ns}, NULL));
    CALL(cuMemcpyDtoDAsync(cells + 8, cells + 4, 4, second));
    cell = cells + 8;
    CALL(cuLaunchKernel(pause, 1, 1, 1, 1, 1, 1, 0, second,
                        (void *[]){&cell, &ns}, NULL));
    // Not ordered behind `second` but by the default stream.
    CALL(cuMemcpyDtoD(last, cells + 8, 4));
    CALL(cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, third,
                        (void *[]){&last}, NULL));
    if (i == 2)
      CALL(cuStreamSynchronize(NULL)); // an action in it, too
    else
      CALL(cuStreamSynchronize(third));
    uint32_t value = 0;
    CALL(cuMemcpyDtoH(&value, last, sizeof value));
    CHECK(value == 4);
  }
}

static int make_priority(int priority) {
  CUstream stream;
  int is = 1;
  CALL(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, priority));
  CALL(cuStreamGetPriority(stream, &is));
  CALL(cuStreamDestroy(stream));
  return is;
}

/// "lower numbers represent higher priorities. '0' represents default priority
/// ... If the specified priority is outside the numerical range returned by
/// cuCtxGetStreamPriorityRange, it will automatically be clamped to the lowest
/// or the highest number in the range."
void test_streams_have_priorities(void) {
  int least = 1, greatest = 1, is = 1;
  EXPECT(CUDA_ERROR_INVALID_CONTEXT,
         cuCtxGetStreamPriorityRange(&least, &greatest));
  make_context(0);
  CALL(cuCtxGetStreamPriorityRange(&least, &greatest));
  // "Meaningful stream priorities are given by [*greatestPriority,
  // *leastPriority]"
  CHECK(greatest <= 0 && 0 <= least);
  for (int i = greatest; i <= least; ++i)
    CHECK(make_priority(i) == i);
  CHECK(make_priority(least + 1) == least);
  CHECK(make_priority(INT_MAX) == least);
  CHECK(make_priority(greatest - 1) == greatest);
  CHECK(make_priority(INT_MIN) == greatest);
  // "A NULL may be passed in for leastPriority or greatestPriority if the value
  // is not desired."
  is = 1;
  CALL(cuCtxGetStreamPriorityRange(NULL, &is));
  CHECK(is == greatest);
  CALL(cuCtxGetStreamPriorityRange(&is, NULL));
  CHECK(is == least);
  // A stream that is created without one has the default.
  CUstream stream;
  CALL(cuStreamCreate(&stream, 0));
  is = 1;
  CALL(cuStreamGetPriority(stream, &is));
  CHECK(is == 0);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamGetPriority(stream, NULL));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuStreamCreateWithPriority(NULL, CU_STREAM_NON_BLOCKING, 0));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamCreateWithPriority(&stream, 64, 0));
}

static sem_t opened;

static void CUDA_CB await_opened(void *unused) {
  (void)unused;
  while (sem_wait(&opened))
    ;
}

/// "... except for non-blocking streams": CU_STREAM_NON_BLOCKING.
void test_default_stream_leaves_others_alone(void) {
  need_copies();
  make_context(0);
  CHECK(sem_init(&opened, 0, 0) == 0);
  CUstream stream;
  unsigned flags = 0;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamGetFlags(stream, &flags));
  CHECK(flags == CU_STREAM_NON_BLOCKING);
  CALL(cuLaunchHostFunc(stream, await_opened, NULL));
  CUdeviceptr cell = make_memory(4);
  CALL(cuMemsetD32(cell, 3, 1));
  uint32_t value = 0;
  CALL(cuMemcpyDtoH(&value, cell, sizeof value));
  CHECK(value == 3);
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  sem_post(&opened);
  CALL(cuCtxSynchronize());
  CALL(cuStreamQuery(stream));
  CALL(cuStreamQuery(NULL));
}

/// An order between streams holds whether or not work is done by then: also for
/// ASYNC_GPU_EMU_CHECK=races.
void test_default_stream_comes_behind_what_is_done(void) {
  need_copies();
  make_context(0);
  CHECK(sem_init(&opened, 0, 0) == 0);
  CUdeviceptr cells = make_memory(8);
  CUstream stream;
  CALL(cuStreamCreate(&stream, 0));
  CALL(cuMemsetD32Async(cells, 3, 1, stream));
  usleep(20000); // which tells the host nothing
  CALL(cuMemcpyDtoD(cells + 4, cells, 4));
  usleep(20000);
  CALL(cuMemsetD32Async(cells + 4, 5, 1, stream));
  CALL(cuLaunchHostFunc(stream, await_opened, NULL));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
  sem_post(&opened);
  while (cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY)
    ;
  CUstream other; // what follows is behind what the host knows
  CALL(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  CHECK(read_word(cells, other) == 3 && read_word(cells + 4, other) == 5);
}

enum { ROUNDS = 300, STREAMS = 32 };

static void *use_default_stream(void *context) {
  CALL(cuCtxSetCurrent(context));
  CUdeviceptr cell = make_memory(4);
  for (unsigned i = 0; i < ROUNDS; ++i)
    CALL(cuMemsetD32(cell, i, 1));
  uint32_t value = 0;
  CALL(cuMemcpyDtoH(&value, cell, sizeof value));
  CHECK(value == ROUNDS - 1);
  return NULL;
}

/// What one thread destroys is not the business of another, which has never
/// named it.
void test_default_stream_while_others_are_destroyed(void) {
  need_copies();
  CUcontext context = make_context(0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, use_default_stream, context) == 0);
  CUdeviceptr cell = make_memory(4);
  CUstream streams[STREAMS] = {NULL}; // of which the oldest goes
  for (unsigned i = 0; i < ROUNDS; ++i) {
    CUstream *at = &streams[i % STREAMS];
    if (*at)
      CALL(cuStreamDestroy(*at));
    CALL(cuStreamCreate(at, 0));
    CALL(cuMemsetD32Async(cell, i, 1, *at));
  }
  CHECK(pthread_join(thread, NULL) == 0);
  CALL(cuCtxSynchronize()); // the streams know nothing of each other
  CALL(cuMemsetD32Async(cell, ROUNDS, 1, streams[0]));
  uint32_t value = 0;
  CALL(cuMemcpyDtoH(&value, cell, sizeof value));
  CHECK(value == ROUNDS);
}

void test_memory_has_rows(void) {
  need("cuMemAllocPitch_v2");
  need("cuMemcpy2D_v2");
  need("cuMemsetD2D8_v2");
  make_context(0);
  enum { WIDTH = 37, HEIGHT = 5 };
  CUdeviceptr memory;
  size_t pitch = 0;
  CALL(cuMemAllocPitch(&memory, &pitch, WIDTH, HEIGHT, 4));
  CHECK(pitch >= WIDTH && pitch % 4 == 0);
  CUdeviceptr none; // a call that fails may write to it
  size_t no_pitch;
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemAllocPitch(&none, &no_pitch, WIDTH, HEIGHT, 5));
  CALL(cuMemsetD2D8(memory, pitch, 1, WIDTH, HEIGHT));
  char from[HEIGHT - 2][10], to[HEIGHT][WIDTH];
  memset(from, 2, sizeof from);
  memset(to, 9, sizeof to);
  CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = from,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = memory,
                        .dstPitch = pitch,
                        .dstXInBytes = 3,
                        .dstY = 1,
                        .srcPitch = sizeof *from,
                        .WidthInBytes = sizeof *from,
                        .Height = HEIGHT - 2};
  CALL(cuMemcpy2D(&copy));
  copy = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = memory,
                         .srcPitch = pitch,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = to,
                         .dstPitch = WIDTH,
                         .WidthInBytes = WIDTH,
                         .Height = HEIGHT};
  CALL(cuMemcpy2D(&copy));
  for (int y = 0; y < HEIGHT; ++y)
    for (int x = 0; x < WIDTH; ++x) {
      bool inside = y >= 1 && y < HEIGHT - 1 && x >= 3 && x < 13;
      CHECK(to[y][x] == (inside ? 2 : 1));
    }
  CALL(cuMemFree(memory));
}

void test_memory_of_the_host_is_mapped(void) {
  need("cuMemAllocHost_v2");
  need("cuMemHostGetDevicePointer_v2");
  make_context(0);
  uint32_t *memory;
  void *allocated;
  CALL(cuMemAllocHost(&allocated, 64));
  memory = allocated;
  CUdeviceptr mapped = 0;
  CALL(cuMemHostGetDevicePointer(&mapped, memory, 0));
  uint32_t value = 3;
  CALL(cuLaunchKernel(make_kernel(0, "store"), 1, 1, 1, 16, 1, 1, 0, NULL,
                      (void *[]){&mapped, &value}, NULL));
  CALL(cuCtxSynchronize());
  CHECK(memory[0] == 3 && memory[15] == 18);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemHostGetDevicePointer(&mapped, &value, 0));
  CALL(cuMemFreeHost(memory));
}

void test_memory_has_bounds(void) {
  need("cuMemGetAddressRange_v2");
  make_context(0);
  CUdeviceptr memory = make_memory(5000), base = 0;
  size_t bytes = 0;
  CALL(cuMemGetAddressRange(&base, &bytes, memory + 4321));
  CHECK(base == memory && bytes == 5000);
  CALL(cuMemGetAddressRange(NULL, &bytes, memory));
  CALL(cuMemFree(memory));
  EXPECT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &bytes, memory));
}

void test_events_tell_times(void) {
#if CUDA_VERSION >= 13000
  need("cuEventElapsedTime_v2");
#endif
  make_context(0);
  CHECK(sem_init(&opened, 0, 0) == 0);
  CUevent begin, end;
  CALL(cuEventCreate(&begin, 0));
  CALL(cuEventCreate(&end, 0));
  CUdeviceptr cell = make_memory(4);
  uint64_t ns = 20000000;
  CUfunction pause = make_kernel(0, "pause");
  CALL(cuEventRecord(begin, NULL));
  CALL(cuLaunchKernel(pause, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&cell, &ns},
                      NULL));
  CALL(cuLaunchHostFunc(NULL, await_opened, NULL));
  CALL(cuEventRecord(end, NULL));
  float milliseconds = 0;
  EXPECT(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, begin, end));
  sem_post(&opened);
  CALL(cuEventSynchronize(end));
  CALL(cuEventElapsedTime(&milliseconds, begin, end));
  CHECK(milliseconds >= 19);
}

void test_devices_say_what_they_have(void) {
  need("cuDeviceTotalMem_v2");
  need("cuDeviceGetUuid_v2");
  size_t bytes = 0, free_bytes, total;
  int major = -1, minor = -1, value = -1, version = 0;
  char name[64] = "";
  CUuuid uuid;
  CALL(cuDriverGetVersion(&version));
  CALL(cuDeviceGetName(name, sizeof name, 0));
  CALL(cuDeviceTotalMem(&bytes, 0));
  CALL(cuDeviceComputeCapability(&major, &minor, 0));
  CALL(cuDeviceGetUuid(&uuid, 0));
  CHECK(version >= 11000 && *name && bytes && major >= 0 && minor >= 0);
  CALL(cuDeviceGetPCIBusId(name, sizeof name, 0));
  CHECK(strlen(name) == 12 && name[4] == ':' && name[10] == '.');
  CALL(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 0));
  CHECK(value == 1);
  CALL(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
                            0));
  CHECK(value >= 0);
  make_context(0);
  CALL(cuMemGetInfo(&free_bytes, &total));
  CHECK(free_bytes <= total && total <= bytes);
}

void test_kernels_say_what_they_need(void) {
  need("cuOccupancyMaxPotentialBlockSize");
  make_context(0);
  CUfunction reverse = make_kernel(0, "reverse");
  int threads = 0, blocks = -1, grid = 0, block = 0;
  CALL(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                          reverse));
  CHECK(threads >= 32 && threads <= 1024);
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 64, 1024));
  CHECK(blocks >= 1);
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 64,
                                                   1 << 30));
  CHECK(blocks == 0);
  CALL(cuOccupancyMaxPotentialBlockSize(&grid, &block, reverse, NULL, 0, 96));
  CHECK(grid >= 1 && block >= 1 && block <= 96);
}

/// PTX that no driver takes: the emulated device takes none.
void test_modules_that_do_not_load_say_why(void) {
  make_context(0);
  CUmodule module;
  char log[200] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  static const char ptx[] = ".version 6.0\n.target sm_60\nthis is none\n";
  CHECK(cuModuleLoadDataEx(&module, ptx, 2, options, values) != CUDA_SUCCESS);
  CHECK(*log && memchr(log, 0, sizeof log));
  // No more is written than there is room for.
  memset(log, 'x', sizeof log);
  values[1] = (void *)(uintptr_t)8;
  CHECK(cuModuleLoadDataEx(&module, ptx, 2, options, values) != CUDA_SUCCESS);
  CHECK(log[8] == 'x' && memchr(log, 0, 8));
  CHECK(cuModuleLoadData(&module, ptx) != CUDA_SUCCESS);
  CALL(cuMemFree(make_memory(16))); // the context is well
}

/// "Returns lazy loading mode. Module loading mode is controlled by
/// CUDA_MODULE_LOADING env variable" (cuModuleGetLoadingMode).
void test_modules_are_loaded_as_the_driver_says(void) {
  need("cuModuleGetLoadingMode");
  const char *setting = getenv("CUDA_MODULE_LOADING");
  CUmoduleLoadingMode mode = 0;
  CALL(cuModuleGetLoadingMode(&mode));
  CHECK(mode == CU_MODULE_EAGER_LOADING || mode == CU_MODULE_LAZY_LOADING);
  if (setting && strcmp(setting, "EAGER") == 0)
    CHECK(mode == CU_MODULE_EAGER_LOADING);
  if (setting && strcmp(setting, "LAZY") == 0)
    CHECK(mode == CU_MODULE_LAZY_LOADING);
}

void test_functions_are_found_by_name(void) {
  need("cuGetProcAddress_v2");
  make_context(0);
  void *found = NULL;
  CUdriverProcAddressQueryResult status = 7;
  CALL(cuGetProcAddress("cuMemAlloc", &found, 11000,
                        CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(status == CU_GET_PROC_ADDRESS_SUCCESS && found);
  CUresult (*allocate)(CUdeviceptr *pointer, size_t bytes);
  memcpy(&allocate, &found, sizeof found);
  CUdeviceptr memory;
  CALL(allocate(&memory, 16));
  CALL(cuMemFree(memory));
  CALL(cuGetProcAddress("cuCtxCreate", &found, 11000,
                        CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  CHECK(found && found == dlsym(RTLD_DEFAULT, "cuCtxCreate_v2"));
  CALL(cuGetProcAddress("cuCtxCreate", &found, 11040,
                        CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  CHECK(found && found == dlsym(RTLD_DEFAULT, "cuCtxCreate_v3"));
  CALL(cuGetProcAddress("cuInit", &found, 2000, CU_GET_PROC_ADDRESS_DEFAULT,
                        NULL));
  CHECK(found == dlsym(RTLD_DEFAULT, "cuInit"));
  CALL(cuGetProcAddress("cuEventElapsedTime", &found, 12000,
                        CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(found && status == CU_GET_PROC_ADDRESS_SUCCESS);
  CALL(cuGetProcAddress("cuNothingOfThatName", &found, 11000,
                        CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(!found && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  CALL(cuGetProcAddress("cuStreamGetCtx", &found, 9000,
                        CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CHECK(!found && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}
