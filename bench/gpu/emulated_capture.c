//===- emulated_capture.c - Capture where the driver has none -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the emulated device, so that graph.c is tried without hardware: what is
// enqueued between the begin and the end of a capture becomes nodes of a graph,
// each behind what its stream holds by then. A stream takes part once it waits
// for an event of one that does, and all have to be joined in the end, as the
// API has it.
//
// One capture at a time, of one thread; kernels and copies only.
//
//===----------------------------------------------------------------------===//

#include "cuda_api.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STREAMS 64

/// Nodes that nothing of a stream is behind yet.
typedef struct ends {
  CUgraphNode nodes[MOST_STREAMS];
  size_t count;
} ends;

/// A stream that takes part.
typedef struct member {
  CUstream stream;
  ends now;
  CUevent event;  // recorded on it last
  ends at_event;  // when that was
  bool is_behind; // of `event`: nothing came since
  bool is_joined; // the origin has waited for all of it
} member;

static CUgraph capturing; // NULL: nothing is captured
static member members[MOST_STREAMS];
static int member_count; // the first one is the origin

// The driver's.
static CUresult (*launch)(CUfunction, unsigned int, unsigned int, unsigned int,
                          unsigned int, unsigned int, unsigned int,
                          unsigned int, CUstream, void **, void **);
static CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
static CUresult (*record)(CUevent, CUstream);
static CUresult (*wait)(CUstream, CUevent, unsigned int);

static member *find_stream(CUstream stream) {
  for (int i = 0; capturing && i < member_count; ++i)
    if (members[i].stream == stream)
      return &members[i];
  return NULL;
}

static member *find_event(CUevent event) {
  for (int i = 0; capturing && i < member_count; ++i)
    if (members[i].event == event)
      return &members[i];
  return NULL;
}

/// The stream ends in that node from now on, unless `result` is an error.
static CUresult put(member *of, CUgraphNode node, CUresult result) {
  if (result)
    return result;
  of->now = (ends){.nodes = {node}, .count = 1};
  of->is_behind = of->is_joined = false;
  return CUDA_SUCCESS;
}

static CUresult capture_launch(CUfunction function, unsigned int grid_x,
                               unsigned int grid_y, unsigned int grid_z,
                               unsigned int block_x, unsigned int block_y,
                               unsigned int block_z, unsigned int shared_bytes,
                               CUstream stream, void **params, void **extra) {
  member *of = find_stream(stream);
  if (!of)
    return launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                  shared_bytes, stream, params, extra);
  CUgraphNode node = NULL;
  CUresult result = cuGraphAddKernelNode(
      &node, capturing, of->now.nodes, of->now.count,
      &(CUDA_KERNEL_NODE_PARAMS){.func = function,
                                 .gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .sharedMemBytes = shared_bytes,
                                 .kernelParams = params,
                                 .extra = extra});
  return put(of, node, result);
}

static CUresult capture_copy(CUdeviceptr target, CUdeviceptr source,
                             size_t bytes, CUstream stream) {
  member *of = find_stream(stream);
  if (!of)
    return copy(target, source, bytes, stream);
  CUgraphNode node = NULL;
  CUcontext context;
  CUresult result = cuDevicePrimaryCtxRetain(&context, 0);
  if (!result)
    result = cuDevicePrimaryCtxRelease(0); // the bench has it, too
  if (!result)
    result = cuGraphAddMemcpyNode(
        &node, capturing, of->now.nodes, of->now.count,
        &(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = source,
                         .srcPitch = bytes,
                         .srcHeight = 1,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = target,
                         .dstPitch = bytes,
                         .dstHeight = 1,
                         .WidthInBytes = bytes,
                         .Height = 1,
                         .Depth = 1},
        context);
  return put(of, node, result);
}

static CUresult capture_record(CUevent event, CUstream stream) {
  member *of = find_stream(stream);
  if (!of)
    return record(event, stream);
  of->event = event;
  of->at_event = of->now;
  of->is_behind = true;
  return CUDA_SUCCESS;
}

/// What follows in `to` is behind `more`, too.
static CUresult add_ends(ends *to, const ends *more) {
  for (size_t i = 0; i < more->count; ++i) {
    size_t k = 0;
    while (k < to->count && to->nodes[k] != more->nodes[i])
      ++k;
    if (k < to->count)
      continue;
    if (k == MOST_STREAMS)
      return CUDA_ERROR_NOT_SUPPORTED;
    to->nodes[to->count++] = more->nodes[i];
  }
  return CUDA_SUCCESS;
}

static CUresult capture_wait(CUstream stream, CUevent event,
                             unsigned int flags) {
  member *from = find_event(event), *to = find_stream(stream);
  if (!from)
    return to ? CUDA_ERROR_STREAM_CAPTURE_ISOLATION
              : wait(stream, event, flags);
  if (!to) {
    if (member_count == MOST_STREAMS)
      return CUDA_ERROR_NOT_SUPPORTED;
    to = &members[member_count++];
    *to = (member){.stream = stream};
  } else if (to == &members[0] && from->is_behind) {
    from->is_joined = true;
  }
  return add_ends(&to->now, &from->at_event);
}

static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  (void)mode;
  if (capturing || !stream)
    return CUDA_ERROR_INVALID_VALUE;
  members[0] = (member){.stream = stream};
  member_count = 1;
  return cuGraphCreate(&capturing, 0);
}

static CUresult end_capture(CUstream stream, CUgraph *graph) {
  if (!capturing || stream != members[0].stream)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = capturing;
  capturing = NULL;
  for (int i = 1; i < member_count; ++i)
    if (!members[i].is_joined)
      return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  return CUDA_SUCCESS;
}

void cuda_api_emulate_capture(void) {
  launch = cuLaunchKernel;
  copy = cuMemcpyAsync;
  record = cuEventRecord;
  wait = cuStreamWaitEvent;
  cuLaunchKernel = capture_launch;
  cuMemcpyAsync = capture_copy;
  cuEventRecord = capture_record;
  cuStreamWaitEvent = capture_wait;
  cuStreamBeginCapture = begin_capture;
  cuStreamEndCapture = end_capture;
}
