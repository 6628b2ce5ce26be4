//===- launches.c - Modules and launches ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

void test_module_load_failures(const bench *b) {
  CUmodule module;
  static const char junk[64] = "this is no module";
  CUresult result = b->driver->cuModuleLoadDataEx(&module, junk, 0, NULL, NULL);
  CHECK(result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_INVALID_PTX);
  // With a place for the compiler's messages, as the runtime calls it.
  static char errors[512];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {errors, (void *)(uintptr_t)sizeof errors};
  result = b->driver->cuModuleLoadDataEx(&module, junk, 2, options, values);
  CHECK(result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_INVALID_PTX);
  // A failed load leaves the context alone.
  CALL(cuModuleUnload(load_kernels(b)));
}

void test_module_functions_by_name(const bench *b) {
  CUmodule module = load_kernels(b);
  CUfunction function, none; // a call that fails may write to it
  CALL(cuModuleGetFunction(&function, module, "store"));
  EXPECT(CUDA_ERROR_NOT_FOUND,
         cuModuleGetFunction(&none, module, "nothing_of_that_name"));
  if (b->driver->cuFuncLoad)
    CALL(cuFuncLoad(function));
  CALL(cuModuleUnload(module));
}

void test_launch_covers_the_grid(const bench *b) {
  static const unsigned shapes[][6] = {
      {1, 1, 1, 1, 1, 1},   {7, 1, 1, 33, 1, 1},   {3, 5, 2, 4, 2, 3},
      {1, 1, 64, 1, 1, 64}, {1000, 1, 1, 1, 1, 1}, {2, 2, 2, 1024, 1, 1}};
  CUstream stream = make_stream(b);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    const unsigned *n = shapes[s];
    size_t threads = (size_t)n[0] * n[1] * n[2] * n[3] * n[4] * n[5];
    uint32_t *values = calloc(threads, sizeof *values);
    CHECK(values);
    CUdeviceptr memory = make_memory(b, threads * 4);
    uint32_t value = 17;
    CALL(cuLaunchKernel(store, n[0], n[1], n[2], n[3], n[4], n[5], 0, stream,
                        (void *[]){&memory, &value}, NULL));
    CALL(cuStreamSynchronize(stream));
    download(b, values, memory, threads * 4);
    for (uint32_t i = 0; i < threads; ++i)
      CHECK(values[i] == i + 17);
    CALL(cuMemFree(memory));
    free(values);
  }
  CALL(cuStreamDestroy(stream));
}

void test_launch_reads_parameters_at_the_call(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 4);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  uint32_t value = 1, seen = 0;
  CUdeviceptr target = memory;
  void *params[] = {&target, &value};
  gate g;
  gate_close(b, &g, stream);
  launch(b, store, 1, 1, stream, params);
  value = 2;
  target = 0;
  params[0] = params[1] = NULL;
  gate_open(&g);
  CALL(cuStreamSynchronize(stream));
  download(b, &seen, memory, 4);
  CHECK(seen == 1);
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_launch_limits(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, 4096);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  uint32_t value = 0;
  void *params[] = {&memory, &value};
  static const unsigned bad[][7] = {{0, 1, 1, 1, 1, 1, 0},
                                    {1, 0, 1, 1, 1, 1, 0},
                                    {1, 1, 0, 1, 1, 1, 0},
                                    {1, 1, 1, 0, 1, 1, 0},
                                    {1, 1, 1, 1, 0, 1, 0},
                                    {1, 1, 1, 1, 1, 0, 0},
                                    {1, 1, 1, 1025, 1, 1, 0},
                                    {1, 1, 1, 32, 33, 1, 0},
                                    {1, 1, 1, 1, 1, 65, 0},
                                    {0x80000000u, 1, 1, 1, 1, 1, 0},
                                    {1, 65536, 1, 1, 1, 1, 0},
                                    {1, 1, 65536, 1, 1, 1, 0},
                                    {-1u, 1, 1, 1, 1, 1, 0},
                                    {1, -1u, 1, 1, 1, 1, 0},
                                    {1, 1, 1, -1u, 1, 1, 0},
                                    {1, 1, 1, 1, 1, -1u, 0},
                                    {1, 1, 1, 1, 1, 1, 48u << 10 | 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    const unsigned *n = bad[i];
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuLaunchKernel(store, n[0], n[1], n[2], n[3], n[4], n[5], n[6],
                          stream, params, NULL));
  }
  // More than any device has to give.
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuFuncSetAttribute(
             store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  // None of them did any harm.
  CALL(cuLaunchKernel(store, 1, 1, 1, 1024, 1, 1, 48u << 10, stream, params,
                      NULL));
  CALL(cuStreamSynchronize(stream));
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_function_attributes(const bench *b) {
  CUmodule module = load_kernels(b);
  CUfunction function = get_kernel(b, module, "increment");
  int value = -1;
  CALL(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  CHECK(value >= 0 && value <= 255);
  CALL(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                          function));
  CHECK(value == 0);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuFuncGetAttribute(&value, (CUfunction_attribute)1000, function));
  CALL(cuModuleUnload(module));
}

void test_launch_with_dynamic_shared_memory(const bench *b) {
  enum { THREADS = 256 };
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, THREADS * 4);
  CUfunction reverse = get_kernel(b, load_kernels(b), "reverse");
  CALL(cuLaunchKernel(reverse, 1, 1, 1, THREADS, 1, 1, THREADS * 4, stream,
                      (void *[]){&memory}, NULL));
  CALL(cuStreamSynchronize(stream));
  static uint32_t seen[THREADS];
  download(b, seen, memory, sizeof seen);
  for (uint32_t i = 0; i < THREADS; ++i)
    CHECK(seen[i] == THREADS - 1 - i);
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_launch_with_much_shared_memory(const bench *b) {
  enum { THREADS = 256, MUCH = 56 << 10 };
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, THREADS * 4);
  CUfunction reverse = get_kernel(b, load_kernels(b), "reverse");
  void *params[] = {&memory};
  // What is more than 48 KiB wants asking, and no device has a GiB.
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuLaunchKernel(reverse, 1, 1, 1, THREADS, 1, 1, MUCH, stream, params,
                        NULL));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuFuncSetAttribute(reverse,
                            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            1 << 30));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuFuncSetAttribute(
             reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
  CALL(cuFuncSetAttribute(
      reverse, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, MUCH));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuLaunchKernel(reverse, 1, 1, 1, THREADS, 1, 1, MUCH + 16, stream,
                        params, NULL));
  // It reads the last bytes, which it has not written.
  CALL(cuLaunchKernel(reverse, 1, 1, 1, THREADS, 1, 1, MUCH, stream, params,
                      NULL));
  CALL(cuStreamSynchronize(stream));
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

/// A launch of the kernel `store`, in blocks of 4 threads, with one attribute.
static CUresult launch_with(const bench *b, CUfunction function,
                            const unsigned grid[3], CUlaunchAttribute attribute,
                            CUstream stream, void **params) {
  const CUlaunchConfig config = {.gridDimX = grid[0],
                                 .gridDimY = grid[1],
                                 .gridDimZ = grid[2],
                                 .blockDimX = 4,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .hStream = stream,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  return b->driver->cuLaunchKernelEx(&config, function, params, NULL);
}

static CUresult launch_clusters(const bench *b, CUfunction function,
                                const unsigned grid[3],
                                const unsigned cluster[3], CUstream stream,
                                void **params) {
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  attribute.value.clusterDim.x = cluster[0];
  attribute.value.clusterDim.y = cluster[1];
  attribute.value.clusterDim.z = cluster[2];
  return launch_with(b, function, grid, attribute, stream, params);
}

static void skip_without_clusters(const bench *b) {
  int major;
  CALL(cuDeviceGetAttribute(
      &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, b->device));
  if (!b->driver->cuLaunchKernelEx || (major < 9 && !b->is_emulated))
    exit(SKIPPED);
}

void test_launch_in_clusters(const bench *b) {
  enum { BLOCKS = 16, THREADS = BLOCKS * 4 };
  skip_without_clusters(b);
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, THREADS * 4);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  uint32_t value = 5, values[THREADS];
  void *params[] = {&memory, &value};
  const unsigned grid[] = {BLOCKS, 1, 1};
#define LAUNCH(...)                                                            \
  launch_clusters(b, store, grid, (const unsigned[]){__VA_ARGS__}, stream,     \
                  params)
  CHECK(LAUNCH(4, 1, 1) == CUDA_SUCCESS);
  CALL(cuStreamSynchronize(stream));
  download(b, values, memory, sizeof values);
  for (uint32_t i = 0; i < THREADS; ++i)
    CHECK(values[i] == i + 5);
  // The grid must be whole clusters; more than 8 blocks want asking, and more
  // than 16 no device has.
  CHECK(LAUNCH(3, 1, 1) != CUDA_SUCCESS);
  CHECK(LAUNCH(1, 2, 1) != CUDA_SUCCESS);
  CHECK(LAUNCH(0, 1, 1) != CUDA_SUCCESS);
  CHECK(LAUNCH(16, 1, 1) != CUDA_SUCCESS);
  CALL(cuFuncSetAttribute(
      store, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  CHECK(LAUNCH(16, 1, 1) == CUDA_SUCCESS);
  CHECK(launch_clusters(b, store, (const unsigned[]){32, 1, 1},
                        (const unsigned[]){32, 1, 1}, stream,
                        params) != CUDA_SUCCESS);
#undef LAUNCH
  CALL(cuStreamSynchronize(stream));
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_launch_in_clusters_of_all_shapes(const bench *b) {
  enum { THREADS = 4 * 4 * 4 * 4 };
  skip_without_clusters(b);
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, THREADS * 4);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  const unsigned grid[] = {4, 4, 4};
  for (unsigned shape = 0; shape < 27; ++shape) {
    unsigned cluster[] = {1u << shape % 3, 1u << shape / 3 % 3,
                          1u << shape / 9};
    uint32_t value = shape, values[THREADS];
    bool fits = cluster[0] * cluster[1] * cluster[2] <= 8;
    CUresult result = launch_clusters(b, store, grid, cluster, stream,
                                      (void *[]){&memory, &value});
    CHECK((result == CUDA_SUCCESS) == fits);
    CALL(cuStreamSynchronize(stream));
    download(b, values, memory, sizeof values);
    for (uint32_t i = 0; fits && i < THREADS; ++i)
      CHECK(values[i] == i + shape);
  }
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_launch_that_may_begin_early(const bench *b) {
  enum { THREADS = 16 };
  skip_without_clusters(b);
  CUstream stream = make_stream(b);
  CUdeviceptr first = make_memory(b, THREADS * 4);
  CUdeviceptr second = make_memory(b, THREADS * 4);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  const unsigned grid[] = {THREADS / 4, 1, 1};
  uint32_t value = 7, values[THREADS];
  CUlaunchAttribute attribute = {
      .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
  attribute.value.programmaticStreamSerializationAllowed = 1;
  for (int i = 0; i < 3; ++i) {
    CHECK(launch_with(b, store, grid, attribute, stream,
                      (void *[]){i % 2 ? &second : &first, &value}) ==
          CUDA_SUCCESS);
    ++value;
  }
  // What the stream has behind them waits for all.
  CALL(cuStreamSynchronize(stream));
  download(b, values, first, sizeof values);
  for (uint32_t i = 0; i < THREADS; ++i)
    CHECK(values[i] == i + 7 || values[i] == i + 9);
  download(b, values, second, sizeof values);
  for (uint32_t i = 0; i < THREADS; ++i)
    CHECK(values[i] == i + 8);
  // There is no such attribute.
  attribute.id = (CUlaunchAttributeID)1000;
  CHECK(launch_with(b, store, grid, attribute, stream,
                    (void *[]){&first, &value}) != CUDA_SUCCESS);
  CALL(cuMemFree(first));
  CALL(cuMemFree(second));
  CALL(cuStreamDestroy(stream));
}

/// The manual: a priority is "valid for graph nodes, launches", and changes
/// when work runs, not what it does.
void test_launch_with_a_priority(const bench *b) {
  enum { THREADS = 16 };
  skip_without_clusters(b);
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, THREADS * 4);
  CUfunction store = get_kernel(b, load_kernels(b), "store");
  const unsigned grid[] = {THREADS / 4, 1, 1};
  uint32_t value = 7, values[THREADS];
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                 .value = {.priority = -1}};
  CHECK(launch_with(b, store, grid, attribute, stream,
                    (void *[]){&memory, &value}) == CUDA_SUCCESS);
  CALL(cuStreamSynchronize(stream));
  download(b, values, memory, sizeof values);
  for (uint32_t i = 0; i < THREADS; ++i)
    CHECK(values[i] == i + 7);
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_modules_are_loaded_apart(const bench *b) {
  // The same image twice is two modules, and one goes without the other.
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  CUmodule first = load_kernels(b), second = load_kernels(b);
  CHECK(first != second);
  CUfunction one = get_kernel(b, first, "increment");
  CUfunction other = get_kernel(b, second, "increment");
  CHECK(one != other);
  CHECK(one == get_kernel(b, first, "increment"));
  CALL(cuMemsetD32Async(cell, 0, 1, stream));
  launch(b, one, 1, 1, stream, (void *[]){&cell});
  CALL(cuStreamSynchronize(stream));
  CALL(cuModuleUnload(first));
  launch(b, other, 1, 1, stream, (void *[]){&cell});
  CALL(cuStreamSynchronize(stream));
  uint32_t value = 0;
  download(b, &value, cell, 4);
  CHECK(value == 2);
  CALL(cuModuleUnload(second));
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}
