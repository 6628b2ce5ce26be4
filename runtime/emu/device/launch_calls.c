//===- launch_calls.c - Launches of kernels -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the driver that enqueue a launch: what the device does not take
// is refused here, and the parameters are copied, which belong to the caller.
//
//===----------------------------------------------------------------------===//

#include "emu/device/make.h"

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/device/capture.h"
#include "emu/device/module.h"
#include "emu/device/stream.h"
#include "emu/simt/output.h"

#include <stdlib.h>
#include <string.h>

static size_t align_up(size_t value) { return (value + 15) & ~(size_t)15; }

/// Where the parameter begins in a buffer of all, each aligned to its size as
/// far as that is known.
static size_t find_offset(const agpu_native_kernel *kernel, size_t index) {
  size_t at = 0;
  for (size_t i = 0;; ++i) {
    size_t bytes = kernel->param_sizes[i], alignment = bytes & -bytes;
    alignment = alignment > 16 ? 16 : alignment;
    if (alignment)
      at = (at + alignment - 1) / alignment * alignment;
    if (i == index)
      return at;
    at += bytes;
  }
}

/// Whether the parameters fit into what devices have for them, each aligned to
/// its size as far as that is known.
static bool parameters_fit(const agpu_native_kernel *kernel) {
  uint32_t last = kernel->param_count - 1;
  size_t bytes = kernel->param_count
                     ? find_offset(kernel, last) + kernel->param_sizes[last]
                     : 0;
  if (bytes > AGPU__EMU_MAX_PARAMETER_BYTES)
    agpu__emu_note("the parameters of kernel '%s' take %zu bytes, and a device "
                   "has %u for them",
                   kernel->name, bytes, AGPU__EMU_MAX_PARAMETER_BYTES);
  return bytes <= AGPU__EMU_MAX_PARAMETER_BYTES;
}

/// Notes the first of three sizes that is not in 1 to `most`.
static bool note_size(const char *what, const char *parts,
                      const unsigned *sizes, const unsigned *most) {
  for (int d = 0; d < 3; ++d)
    if (!sizes[d] || sizes[d] > most[d]) {
      agpu__emu_note("a %s has %u %s in dimension %c; it can have 1 to %u",
                     what, sizes[d], parts, "xyz"[d], most[d]);
      return true;
    }
  return false;
}

/// Notes why a launch is refused.
static void note_refused(const agpu_native_kernel *kernel, const unsigned *grid,
                         const unsigned *block, unsigned shared_bytes) {
  static const unsigned most_blocks[] = {
      AGPU__EMU_MAX_GRID_X, AGPU__EMU_MAX_GRID_YZ, AGPU__EMU_MAX_GRID_YZ};
  static const unsigned most_threads[] = {AGPU__EMU_MAX_THREADS_PER_BLOCK,
                                          AGPU__EMU_MAX_THREADS_PER_BLOCK,
                                          AGPU__EMU_MAX_BLOCK_Z};
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
  if (note_size("grid", "blocks", grid, most_blocks) ||
      note_size("block", "threads", block, most_threads))
    return;
  if (threads > AGPU__EMU_MAX_THREADS_PER_BLOCK)
    agpu__emu_note("a block has %llu threads; it can have 1 to %u",
                   (unsigned long long)threads,
                   AGPU__EMU_MAX_THREADS_PER_BLOCK);
  else if (shared_bytes)
    agpu__emu_note("a block asks for %u bytes of workgroup memory, and the "
                   "kernel has %llu of its own",
                   shared_bytes, (unsigned long long)kernel->shared_bytes);
}

/// The parameters that are in one buffer (CU_LAUNCH_PARAM_*); NULL: it does not
/// hold them, or memory is out.
static void **unpack(const agpu_native_kernel *kernel, void **extra) {
  char *buffer = NULL;
  size_t size = 0;
  for (; *extra != (void *)CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == (void *)CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == (void *)CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      size = *(const size_t *)extra[1];
    else
      return NULL;
  }
  size_t count = kernel->param_count;
  void **params = buffer || !count ? calloc(count + 1, sizeof *params) : NULL;
  for (size_t i = 0; params && i < count; ++i) {
    size_t offset = find_offset(kernel, i);
    if (offset > size || size - offset < kernel->param_sizes[i]) {
      agpu__emu_note("the parameters of kernel '%s' take more than the %zu "
                     "bytes of their buffer",
                     kernel->name, size);
      free(params);
      return NULL;
    }
    params[i] = buffer + offset;
  }
  return params;
}

CUresult agpu__emu_launch_make(CUfunction handle, const unsigned *cluster,
                               unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x,
                               unsigned int block_y, unsigned int block_z,
                               unsigned int shared_bytes, void **params,
                               void **extra, agpu__emu_op **out_op) {
  agpu__emu_function *function = agpu__emu_function_find(handle);
  if (!function || function->context != agpu__emu_get_context())
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_function_load(function);
  const agpu_native_kernel *kernel = function->kernel;
  if (extra && !params) {
    void **own = unpack(kernel, extra);
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    if (own)
      result = agpu__emu_launch_make(handle, cluster, grid_x, grid_y, grid_z,
                                     block_x, block_y, block_z, shared_bytes,
                                     own, NULL, out_op);
    free(own);
    return result;
  }
  if (!grid_x || !grid_y || !grid_z || grid_x > AGPU__EMU_MAX_GRID_X ||
      grid_y > AGPU__EMU_MAX_GRID_YZ || grid_z > AGPU__EMU_MAX_GRID_YZ ||
      !block_x || !block_y || !block_z ||
      block_x > AGPU__EMU_MAX_THREADS_PER_BLOCK ||
      block_y > AGPU__EMU_MAX_THREADS_PER_BLOCK ||
      block_z > AGPU__EMU_MAX_BLOCK_Z ||
      (uint64_t)block_x * block_y * block_z > AGPU__EMU_MAX_THREADS_PER_BLOCK ||
      (shared_bytes > atomic_load_explicit(&function->dynamic_bytes,
                                           memory_order_relaxed) &&
       (shared_bytes > AGPU__EMU_MAX_SHARED_BYTES ||
        kernel->shared_bytes > AGPU__EMU_MAX_SHARED_BYTES - shared_bytes)) ||
      extra || (kernel->param_count && !params)) {
    note_refused(kernel, (const unsigned[]){grid_x, grid_y, grid_z},
                 (const unsigned[]){block_x, block_y, block_z}, shared_bytes);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!parameters_fit(kernel))
    return CUDA_ERROR_INVALID_VALUE;

  size_t pointer_bytes = align_up(kernel->param_count * sizeof(void *));
  size_t hidden_bytes = align_up(kernel->pointer_count * sizeof(CUdeviceptr));
  // The op's end may not be aligned.
  size_t bytes = pointer_bytes + hidden_bytes + 16;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    if (!params[i])
      return CUDA_ERROR_INVALID_VALUE;
    bytes += align_up(kernel->param_sizes[i]);
  }
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_KERNEL, bytes);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->launch.kernel = kernel;
  op->launch.block = (agpu_native_block){
      .grid_dim = {grid_x, grid_y, grid_z},
      .block_dim = {block_x, block_y, block_z},
      .shared_bytes = kernel->shared_bytes + shared_bytes,
  };
  for (int d = 0; d < 3; ++d)
    op->launch.cluster_dim[d] = cluster[d];
  op->launch.number = agpu__emu_op_count_launch();
  // Behind the op: the pointers, what is hidden of them, then the values, each
  // aligned to 16.
  char *values = (char *)align_up((uintptr_t)(op + 1));
  op->launch.params = (void **)(void *)values;
  values += pointer_bytes;
  op->launch.hidden = (CUdeviceptr *)(void *)values;
  values += hidden_bytes;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    op->launch.params[i] = values;
    memcpy(values, params[i], kernel->param_sizes[i]);
    values += align_up(kernel->param_sizes[i]);
  }
  *out_op = op;
  return CUDA_SUCCESS;
}

/// A launch in clusters of so many blocks.
static CUresult launch(CUfunction handle, const unsigned *cluster,
                       unsigned int grid_x, unsigned int grid_y,
                       unsigned int grid_z, unsigned int block_x,
                       unsigned int block_y, unsigned int block_z,
                       unsigned int shared_bytes, CUstream stream,
                       void **params, void **extra) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  agpu__emu_print_flush();
  agpu__emu_op *op;
  result =
      agpu__emu_launch_make(handle, cluster, grid_x, grid_y, grid_z, block_x,
                            block_y, block_z, shared_bytes, params, extra, &op);
  if (result)
    return result;
  const agpu__emu_node node = {.op = op, .function = handle};
  return agpu__emu_capture(stream, node, &result)
             ? result
             : agpu__emu_stream_enqueue(stream, op);
}

CUresult agpu__emu_cuLaunchKernel(CUfunction function, unsigned int grid_x,
                                  unsigned int grid_y, unsigned int grid_z,
                                  unsigned int block_x, unsigned int block_y,
                                  unsigned int block_z,
                                  unsigned int shared_bytes, CUstream stream,
                                  void **params, void **extra) {
  static const unsigned single[] = {1, 1, 1};
  return launch(function, single, grid_x, grid_y, grid_z, block_x, block_y,
                block_z, shared_bytes, stream, params, extra);
}

/// A cluster says which blocks run at the same time. Kernels that the emulated
/// device takes can ask for its shape and for no more.
CUresult agpu__emu_clusters_check(CUfunction function, const unsigned *grid,
                                  const unsigned *cluster) {
  agpu__emu_function *found = agpu__emu_function_find(function);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  uint64_t most =
      atomic_load_explicit(&found->large_clusters, memory_order_relaxed)
          ? AGPU__EMU_MAX_LARGE_CLUSTER
          : AGPU__EMU_MAX_CLUSTER;
  uint64_t blocks = 1;
  for (int d = 0; d < 3; ++d) {
    if (!cluster[d] || grid[d] % cluster[d]) {
      agpu__emu_note("a grid has %u blocks in dimension %c, which is no "
                     "multiple of a cluster's %u",
                     grid[d], "xyz"[d], cluster[d]);
      return CUDA_ERROR_INVALID_VALUE;
    }
    blocks *= cluster[d];
    if (blocks > most)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuLaunchKernelEx(const CUlaunchConfig *config,
                                    CUfunction function, void **params,
                                    void **extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  const unsigned grid[] = {config->gridDimX, config->gridDimY,
                           config->gridDimZ};
  unsigned cluster[] = {1, 1, 1};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute *attribute = &config->attrs[i];
    // A grid that may begin before the one before it on the stream has ended
    // need not, nor one that is more urgent before others.
    if (attribute->id ==
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
        attribute->id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
      continue;
    if (attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      return CUDA_ERROR_NOT_SUPPORTED;
    cluster[0] = attribute->value.clusterDim.x;
    cluster[1] = attribute->value.clusterDim.y;
    cluster[2] = attribute->value.clusterDim.z;
    CUresult result = agpu__emu_clusters_check(function, grid, cluster);
    if (result)
      return result;
  }
  return launch(function, cluster, config->gridDimX, config->gridDimY,
                config->gridDimZ, config->blockDimX, config->blockDimY,
                config->blockDimZ, config->sharedMemBytes, config->hStream,
                params, extra);
}

CUresult agpu__emu_cuFuncGetParamInfo(CUfunction handle, size_t index,
                                      size_t *offset, size_t *size) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  const agpu__emu_function *function = agpu__emu_function_find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  const agpu_native_kernel *kernel = function->kernel;
  if (!offset || index >= kernel->param_count)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = find_offset(kernel, index);
  if (size)
    *size = kernel->param_sizes[index];
  return CUDA_SUCCESS;
}
