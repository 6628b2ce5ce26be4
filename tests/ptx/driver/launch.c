//===- launch.c - Launches of kernels ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAX_THREADS = 1024,
  SHARED_BYTES = 49152,
  MOST_SHARED_BYTES = 232448,
  CLUSTER = 8,
  LARGE_CLUSTER = 16,
  REGISTERS = 24,
};

typedef struct launch_work {
  ptx_work work;
  ptx_launch launch;
} launch_work;

static void run_launch(ptx_work *work) {
  launch_work *own = (launch_work *)work;
  CUcontext context = work->stream->context;
  char message[1500] = "";
  if (!ptx_get_error(context)) {
    int result = ptx_launch_run(&own->launch, message, sizeof message);
    if (result)
      ptx_set_error(context, (CUresult)result, message);
  }
  free(own->launch.parameters);
}

static CUresult check_function(CUfunction function) {
  return function && function->module->is_alive ? CUDA_SUCCESS
                                                : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuFuncLoad(CUfunction function) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  return result ? result : check_function(function);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = check_function(function);
  if (result)
    return result;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (value < 0 ||
        (uint64_t)value + function->function->shared_bytes > MOST_SHARED_BYTES)
      return CUDA_ERROR_INVALID_VALUE;
    function->dynamic_limit = (uint64_t)value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    function->allows_large_clusters = value != 0;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = check_function(function);
  if (result)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)function->function->shared_bytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = REGISTERS; // nothing allocates any
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = (int)function->dynamic_limit;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = function->allows_large_clusters;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE; // what the runtime does not ask for
  }
}

static uint64_t volume(const uint32_t *sizes) {
  return (uint64_t)sizes[0] * sizes[1] * sizes[2];
}

static CUresult check_sizes(CUfunction f, const ptx_launch *launch) {
  const uint32_t *grid = launch->grid, *block = launch->block;
  const uint32_t *cluster = launch->cluster;
  const ptx_function *function = f->function;
  for (int i = 0; i < 3; ++i)
    if (!grid[i] || !block[i])
      return CUDA_ERROR_INVALID_VALUE;
  if (block[0] > MAX_THREADS || block[1] > MAX_THREADS || block[2] > 64 ||
      volume(block) > MAX_THREADS || grid[0] > INT32_MAX || grid[1] > 65535 ||
      grid[2] > 65535)
    return CUDA_ERROR_INVALID_VALUE;
  if (function->required_threads[0] &&
      memcmp(function->required_threads, block, 3 * sizeof *block))
    return CUDA_ERROR_INVALID_VALUE;
  if (function->max_threads[0] && volume(block) > volume(function->max_threads))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t limit = function->shared_bytes + f->dynamic_limit;
  if (function->shared_bytes + launch->dynamic_bytes >
      (limit > SHARED_BYTES ? limit : SHARED_BYTES))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t most = f->allows_large_clusters ? LARGE_CLUSTER : CLUSTER;
  for (int i = 0; i < 3; ++i)
    if (!cluster[i] || grid[i] % cluster[i])
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  return volume(cluster) > most ? CUDA_ERROR_INVALID_CLUSTER_SIZE
                                : CUDA_SUCCESS;
}

/// A card lays parameters out as the kernel declares them; so many are read.
static CUresult take_parameters(ptx_launch *launch, void **params) {
  const ptx_function *f = launch->function;
  if (f->parameter_count && !params)
    return CUDA_ERROR_INVALID_VALUE;
  launch->parameters = malloc(f->launch_bytes + 1);
  if (!launch->parameters)
    abort();
  memset(launch->parameters, PTX_POISON_BYTE, f->launch_bytes);
  for (size_t i = 0; i < f->parameter_count; ++i)
    memcpy(launch->parameters + f->parameters[i]->offset, params[i],
           f->parameters[i]->bytes);
  return CUDA_SUCCESS;
}

CUresult ptx_check_launch(CUfunction function, const unsigned *cluster,
                          const unsigned *grid, const unsigned *block,
                          unsigned shared_bytes, void **params) {
  CUresult result = check_function(function);
  if (result)
    return result;
  ptx_launch launch = {.grid = {grid[0], grid[1], grid[2]},
                       .block = {block[0], block[1], block[2]},
                       .cluster = {cluster[0], cluster[1], cluster[2]},
                       .dynamic_bytes = shared_bytes};
  return function->function->parameter_count && !params
             ? CUDA_ERROR_INVALID_VALUE
             : check_sizes(function, &launch);
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *size) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = check_function(function);
  if (result)
    return result;
  const ptx_function *f = function->function;
  if (!offset || index >= f->parameter_count)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = f->parameters[index]->offset;
  if (size)
    *size = f->parameters[index]->bytes;
  return CUDA_SUCCESS;
}

/// A launch as a call makes it.
typedef struct call_of_launch {
  CUfunction function;
  const ptx_launch *launch;
  void **params;
} call_of_launch;

static CUresult add_launch(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *after, size_t count,
                           const void *of) {
  const call_of_launch *call = of;
  const ptx_launch *launch = call->launch;
  CUDA_KERNEL_NODE_PARAMS params = {.func = call->function,
                                    .gridDimX = launch->grid[0],
                                    .gridDimY = launch->grid[1],
                                    .gridDimZ = launch->grid[2],
                                    .blockDimX = launch->block[0],
                                    .blockDimY = launch->block[1],
                                    .blockDimZ = launch->block[2],
                                    .sharedMemBytes =
                                        (unsigned)launch->dynamic_bytes,
                                    .kernelParams = call->params};
  CUlaunchAttributeValue clusters = {0};
  clusters.clusterDim.x = launch->cluster[0];
  clusters.clusterDim.y = launch->cluster[1];
  clusters.clusterDim.z = launch->cluster[2];
  CUresult result = cuGraphAddKernelNode(node, graph, after, count, &params);
  return result || volume(launch->cluster) == 1
             ? result
             : cuGraphKernelNodeSetAttribute(
                   *node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &clusters);
}

static CUresult start(CUfunction function, ptx_launch launch, CUstream stream,
                      void **params, void **extra) {
  static _Atomic(uint64_t) launches;
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = check_function(function);
  if (result)
    return result;
  if (function->module->context != stream->context)
    return CUDA_ERROR_INVALID_HANDLE;
  if (extra)
    return CUDA_ERROR_NOT_SUPPORTED;
  launch.function = function->function;
  launch.device = stream->context->device;
  launch.options = &ptx_get_settings()->options;
  launch.number = ++launches;
  result = check_sizes(function, &launch);
  const call_of_launch call = {function, &launch, params};
  if (!result && ptx_capture(stream, add_launch, &call, &result))
    return result;
  if (!result)
    result = take_parameters(&launch, params);
  if (result)
    return result;
  if (!ptx_performs(stream))
    ptx_write_output(stream->context);
  launch_work *work = ptx_new_work(sizeof *work, run_launch);
  work->launch = launch;
  work->work.activity = PTX_KERNEL;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x,
                        unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **params, void **extra) {
  return start(function,
               (ptx_launch){.grid = {grid_x, grid_y, grid_z},
                            .block = {block_x, block_y, block_z},
                            .cluster = {1, 1, 1},
                            .dynamic_bytes = shared_bytes},
               stream, params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra) {
  ptx_launch launch = {
      .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
      .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
      .cluster = {1, 1, 1},
      .dynamic_bytes = config->sharedMemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute *attribute = &config->attrs[i];
    // It may begin before the one before it has ended, and does not, or before
    // what is less urgent.
    if (attribute->id ==
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
        attribute->id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
      continue;
    if (attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      return CUDA_ERROR_INVALID_VALUE;
    if (ptx_get_settings()->options.capability < 90)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    launch.cluster[0] = attribute->value.clusterDim.x;
    launch.cluster[1] = attribute->value.clusterDim.y;
    launch.cluster[2] = attribute->value.clusterDim.z;
  }
  return start(function, launch, config->hStream, params, extra);
}
