//===- null_libcuda.c - A driver whose calls do nothing -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 whose work is done as soon as it is asked for, in no time:
// what is left of a program's cost is its own. No kernel runs.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `exported` is what this library offers.
static agpu__driver exported;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Handles that are not NULL.
static char handles[4096];

#define NOTHING(need, name, symbol, parameters, arguments)                     \
  static CUresult nothing_##name parameters { return CUDA_SUCCESS; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
AGPU__DRIVER_FUNCTIONS(NOTHING)
#pragma GCC diagnostic pop
#undef NOTHING

static void *make_handle(void) {
  static size_t next; // handles may be shared: nothing is behind them
  return &handles[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) %
                  sizeof handles];
}

static CUresult get_version(int *version) {
  *version = 12000;
  return CUDA_SUCCESS;
}

static CUresult get_error_name(CUresult error, const char **out) {
  *out = error ? "an error" : "CUDA_SUCCESS";
  return CUDA_SUCCESS;
}

static CUresult get_count(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

static CUresult get_device(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

static CUresult get_name(char *name, int length, CUdevice device) {
  (void)device;
  (void)snprintf(name, (size_t)length, "null device");
  return CUDA_SUCCESS;
}

static CUresult get_attribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                       : 1;
  return CUDA_SUCCESS;
}

static CUresult retain_context(CUcontext *context, CUdevice device) {
  (void)device;
  *context = (CUcontext)(void *)handles;
  return CUDA_SUCCESS;
}

static CUresult get_current(CUcontext *context) {
  return retain_context(context, 0);
}

static CUresult load_module(CUmodule *module, const void *image,
                            unsigned int option_count, CUjit_option *options,
                            void **option_values) {
  (void)image, (void)option_count, (void)options, (void)option_values;
  *module = make_handle();
  return CUDA_SUCCESS;
}

static CUresult get_function(CUfunction *function, CUmodule module,
                             const char *name) {
  (void)module, (void)name;
  *function = make_handle();
  return CUDA_SUCCESS;
}

/// Every kernel has two parameters of 8 bytes, as those of graphs.py.
static CUresult get_param_info(CUfunction function, size_t index,
                               size_t *offset, size_t *size) {
  (void)function;
  *offset = 8 * index;
  if (size)
    *size = 8;
  return index < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult create_graph(CUgraph *graph, unsigned int flags) {
  (void)flags;
  *graph = make_handle();
  return CUDA_SUCCESS;
}

static CUresult end_capture(CUstream stream, CUgraph *graph) {
  (void)stream;
  *graph = make_handle();
  return CUDA_SUCCESS;
}

/// A conditional one, whose body is nothing.
static CUresult add_node(CUgraphNode *node, CUgraph graph,
                         const CUgraphNode *dependencies, size_t count,
                         CUgraphNodeParams *params) {
  static CUgraph body;
  (void)graph, (void)dependencies, (void)count;
  *node = make_handle();
  body = (CUgraph)(void *)handles;
  params->conditional.phGraph_out = &body;
  return CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph,
                            unsigned long long flags) {
  (void)graph, (void)flags;
  *exec = make_handle();
  return CUDA_SUCCESS;
}

static CUresult launch_host_function(CUstream stream, CUhostFn function,
                                     void *user_data) {
  (void)stream;
  function(user_data);
  return CUDA_SUCCESS;
}

static CUresult create_stream(CUstream *stream, unsigned int flags) {
  (void)flags;
  *stream = make_handle();
  return CUDA_SUCCESS;
}

static CUresult create_event(CUevent *event, unsigned int flags) {
  (void)flags;
  *event = make_handle();
  return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *pointer, size_t bytes) {
  *pointer = (CUdeviceptr)(uintptr_t)malloc(bytes);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult get_memory_info(size_t *free_bytes, size_t *total_bytes) {
  *free_bytes = *total_bytes = (size_t)1 << 30;
  return CUDA_SUCCESS;
}

static CUresult release(CUdeviceptr pointer) {
  free((void *)(uintptr_t)pointer);
  return CUDA_SUCCESS;
}

static CUresult allocate_host(void **pointer, size_t bytes,
                              unsigned int flags) {
  (void)flags;
  *pointer = malloc(bytes);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult release_host(void *pointer) {
  free(pointer);
  return CUDA_SUCCESS;
}

static void load(void) {
#define TAKE(need, name, symbol, parameters, arguments)                        \
  exported.name = nothing_##name;
  AGPU__DRIVER_FUNCTIONS(TAKE)
#undef TAKE
  exported.cuDriverGetVersion = get_version;
  exported.cuGetErrorName = exported.cuGetErrorString = get_error_name;
  exported.cuDeviceGetCount = get_count;
  exported.cuDeviceGet = get_device;
  exported.cuDeviceGetName = get_name;
  exported.cuDeviceGetAttribute = get_attribute;
  exported.cuDevicePrimaryCtxRetain = retain_context;
  exported.cuCtxGetCurrent = get_current;
  exported.cuModuleLoadDataEx = load_module;
  exported.cuModuleGetFunction = get_function;
  exported.cuFuncGetParamInfo = get_param_info;
  exported.cuGraphCreate = create_graph;
  exported.cuGraphAddNode = add_node;
  exported.cuGraphInstantiate = instantiate;
  exported.cuStreamEndCapture = end_capture;
  exported.cuLaunchHostFunc = launch_host_function;
  exported.cuStreamCreate = create_stream;
  exported.cuEventCreate = create_event;
  exported.cuMemGetInfo = get_memory_info;
  exported.cuMemAlloc = allocate;
  exported.cuMemFree = release;
  exported.cuMemHostAlloc = allocate_host;
  exported.cuMemFreeHost = release_host;
}

// The table has parameters, but no names of arguments to pass them on with. An
// indirect function needs none: the symbol is resolved to what this returns.
#define EXPORT(need, name, symbol, parameters, arguments)                      \
  static CUresult(*resolve_##symbol(void)) parameters {                        \
    pthread_once(&once, load);                                                 \
    return exported.name;                                                      \
  }                                                                            \
  AGPU_EXPORT CUresult symbol parameters                                       \
      __attribute__((ifunc("resolve_" #symbol)));
AGPU__DRIVER_FUNCTIONS(EXPORT)
