//===- graph_launch.c - Launches of graphs --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch does the work of its nodes on the stream, one behind the other, in
// an order that the edges allow and that is drawn anew each time: an edge that
// is missing shows.
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include <stdlib.h>
#include <string.h>

typedef struct memory_work {
  ptx_work work;
  CUdeviceptr pointer;
} memory_work;

static void end_memory(ptx_work *work) {
  const memory_work *own = (const memory_work *)work;
  if (!ptx_allocation_end(own->pointer, 1u << PTX_POOL_MEMORY))
    ptx_violation("a graph frees 0x%llx, which is not allocated",
                  (unsigned long long)own->pointer);
}

static CUresult enqueue_free(CUdeviceptr pointer, CUstream stream) {
  memory_work *work = ptx_new_work(sizeof *work, end_memory);
  work->pointer = pointer;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

static CUresult fill(const CUDA_MEMSET_NODE_PARAMS *of, CUstream stream) {
  switch (of->elementSize) {
  case 1:
    return cuMemsetD2D8Async(of->dst, of->pitch, (unsigned char)of->value,
                             of->width, of->height, stream);
  case 2:
    return cuMemsetD2D16Async(of->dst, of->pitch, (unsigned short)of->value,
                              of->width, of->height, stream);
  default:
    return cuMemsetD2D32Async(of->dst, of->pitch, of->value, of->width,
                              of->height, stream);
  }
}

static CUresult run_node(const struct CUgraphNode_st *node, CUstream stream,
                         uint64_t *random) {
  const CUDA_KERNEL_NODE_PARAMS *kernel = &node->kernel;
  switch (node->kind) {
  case KERNEL: {
    CUlaunchAttribute clusters = node->clusters;
    const CUlaunchConfig config = {.gridDimX = kernel->gridDimX,
                                   .gridDimY = kernel->gridDimY,
                                   .gridDimZ = kernel->gridDimZ,
                                   .blockDimX = kernel->blockDimX,
                                   .blockDimY = kernel->blockDimY,
                                   .blockDimZ = kernel->blockDimZ,
                                   .sharedMemBytes = kernel->sharedMemBytes,
                                   .hStream = stream,
                                   .attrs = &clusters,
                                   .numAttrs = node->has_clusters};
    return cuLaunchKernelEx(&config, kernel->func, kernel->kernelParams, NULL);
  }
  case COPY:
    return ptx_is_one_row(&node->copy)
               ? cuMemcpyAsync(node->copy.dstDevice, node->copy.srcDevice,
                               node->copy.WidthInBytes, stream)
               : cuMemcpy3DAsync_v2(&node->copy, stream);
  case FILL: return fill(&node->fill, stream);
  case CHILD: return ptx_run_graph(node->child, stream, random);
  case HOST:
    return cuLaunchHostFunc(stream, node->host.fn, node->host.userData);
  case RECORD: return cuEventRecord(node->event, stream);
  case CONDITIONAL: return ptx_enqueue_conditional(node, stream, random);
  case ALLOC: return CUDA_SUCCESS; // by make_memory
  case FREE: return enqueue_free(node->pointer, stream);
  }
  return CUDA_ERROR_UNKNOWN;
}

/// Work of another context than the stream's: on a stream of that context,
/// between two events. Of one that has failed it is dropped.
static CUresult run_elsewhere(const struct CUgraphNode_st *node,
                              CUstream stream, uint64_t *random) {
  CUevent before, after = NULL;
  CUstream other;
  if (ptx_get_error(node->context))
    return CUDA_SUCCESS;
  CUresult result = cuEventCreate(&before, CU_EVENT_DISABLE_TIMING);
  if (result)
    return result;
  result = cuEventRecord(before, stream);
  (void)cuCtxSetCurrent(node->context);
  if (!result)
    result = cuEventCreate(&after, CU_EVENT_DISABLE_TIMING);
  if (!result)
    result = cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
  if (!result)
    result = cuStreamWaitEvent(other, before, 0);
  if (!result)
    result = run_node(node, other, random);
  if (!result)
    result = cuEventRecord(after, other);
  if (!result)
    result = cuStreamDestroy_v2(other);
  CUresult waits = after ? cuStreamWaitEvent(stream, after, 0) : CUDA_SUCCESS;
  if (!result)
    result = cuEventDestroy_v2(after);
  (void)cuCtxSetCurrent(stream->context);
  (void)cuEventDestroy_v2(before);
  // What fails meanwhile is lost, and nothing else is.
  return ptx_get_error(node->context) ? CUDA_SUCCESS : result ? result : waits;
}

/// The error of a context of its nodes.
static CUresult get_error(CUgraph graph) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < graph->count && !result; ++i) {
    const struct CUgraphNode_st *node = graph->nodes[i];
    result = node->child     ? get_error(node->child)
             : node->context ? ptx_get_error(node->context)
                             : CUDA_SUCCESS;
  }
  return result;
}

static bool is_ready(const struct CUgraphNode_st *node, const bool *done) {
  bool ready = !done[node->index];
  for (size_t i = 0; i < node->after_count; ++i)
    ready = ready && done[node->after[i]];
  return ready;
}

/// Of the nodes that may come next, any.
CUresult ptx_run_graph(CUgraph graph, CUstream stream, uint64_t *random) {
  bool *done = calloc(graph->count + 1, sizeof *done);
  CUresult result = done ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t n = 0; n < graph->count && !result; ++n) {
    size_t chosen = graph->count, ready = 0;
    for (size_t i = 0; i < graph->count; ++i) {
      if (!is_ready(graph->nodes[i], done))
        continue;
      *random = *random * 6364136223846793005ull + 1442695040888963407ull;
      if (++ready == 1 || (*random >> 33) % ready == 0)
        chosen = i;
    }
    done[chosen] = true;
    const struct CUgraphNode_st *node = graph->nodes[chosen];
    result = (node->context && node->context != stream->context
                  ? run_elsewhere
                  : run_node)(node, stream, random);
  }
  free(done);
  return result;
}

/// What a launch allocates is there from the call on. What is there still has
/// to be free, or to be about to be, for which the call waits; of the memory
/// that it frees it says so.
static CUresult make_memory(CUgraphExec exec, CUstream stream) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < exec->own->count && !result; ++i) {
    const struct CUgraphNode_st *node = exec->own->nodes[i];
    ptx_allocation at;
    if (node->kind != ALLOC)
      continue;
    if (ptx_allocation_find(node->pointer, &at) && at.is_live && !at.is_ending)
      result = exec->frees_on_launch ? cuMemFreeAsync(node->pointer, stream)
                                     : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&ptx_lock);
    while (!result && ptx_allocation_find(node->pointer, &at) && at.is_live &&
           !exec->context->error)
      pthread_cond_wait(&ptx_changed, &ptx_lock);
    pthread_mutex_unlock(&ptx_lock);
    if (result)
      break;
    ptx_allocation_add((ptx_allocation){.base = node->pointer,
                                        .bytes = node->bytes,
                                        .kind = PTX_POOL_MEMORY,
                                        .device = exec->context->device});
    memset(ptx_address_host(node->pointer), PTX_POISON_BYTE, node->bytes);
  }
  for (size_t i = 0; i < exec->own->count && !result; ++i) {
    const struct CUgraphNode_st *node = exec->own->nodes[i];
    if (node->kind == FREE &&
        !ptx_allocation_begin_end(node->pointer, 1u << PTX_POOL_MEMORY))
      result = CUDA_ERROR_INVALID_VALUE;
  }
  return result;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  static _Atomic(uint64_t) launches;
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (!result)
    result = ptx_enter_exec(exec);
  if (!result && ptx_capture(stream, ptx_add_child_node, exec->own, &result))
    return result;
  if (!result)
    result = get_error(exec->own);
  if (!result)
    result = make_memory(exec, stream);
  if (!result)
    result = cuStreamWaitEvent(stream, exec->last, 0);
  uint64_t random =
      (ptx_get_settings()->seed + 1) * 0x9E3779B97F4A7C15ull + ++launches;
  if (!result)
    ptx_enqueue_begin(exec->graph, stream);
  if (!result)
    result = ptx_run_graph(exec->own, stream, &random);
  return result ? result : cuEventRecord(exec->last, stream);
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  return ptx_is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
