//===- emulated_graphs.c - Graphs where the driver has none ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the emulated device, so that graph.c is tried without hardware: what is
// enqueued between the begin and the end of a capture is kept, and a launch
// enqueues it on one stream, in the order in which it came. That is an order
// that the graph allows. A stream takes part once it waits for an event of one
// that does, and all have to be joined in the end, as the API has it.
//
// One capture at a time, of one thread; kernels and copies only.
//
//===----------------------------------------------------------------------===//

#include "cuda_api.h"
#include "emu/device/module.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STREAMS 64
#define MOST_PARAMS 16
#define PARAM_BYTES 16

typedef struct node {
  CUfunction function; // NULL: a copy
  unsigned grid, block;
  char params[MOST_PARAMS][PARAM_BYTES];
  CUdeviceptr target, source;
  size_t bytes;
} node;

struct CUgraph_st {
  node *nodes;
  size_t count, capacity;
};

/// A stream that takes part.
typedef struct member {
  CUstream stream;
  CUevent event;  // recorded on it last
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

static node *add_node(member *of) {
  if (capturing->count == capturing->capacity) {
    size_t capacity = capturing->capacity ? 2 * capturing->capacity : 64;
    node *grown = realloc(capturing->nodes, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    capturing->nodes = grown;
    capturing->capacity = capacity;
  }
  of->is_behind = of->is_joined = false;
  node *added = &capturing->nodes[capturing->count++];
  memset(added, 0, sizeof *added);
  return added;
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
  const agpu_native_kernel *kernel = agpu__emu_function_find(function)->kernel;
  if (grid_y * grid_z * block_y * block_z != 1 || shared_bytes || extra ||
      kernel->param_count > MOST_PARAMS)
    return CUDA_ERROR_NOT_SUPPORTED;
  node *added = add_node(of);
  if (!added)
    return CUDA_ERROR_OUT_OF_MEMORY;
  added->function = function;
  added->grid = grid_x;
  added->block = block_x;
  for (uint32_t i = 0; i < kernel->param_count; ++i) {
    if (kernel->param_sizes[i] > PARAM_BYTES)
      return CUDA_ERROR_NOT_SUPPORTED;
    memcpy(added->params[i], params[i], kernel->param_sizes[i]);
  }
  return CUDA_SUCCESS;
}

static CUresult capture_copy(CUdeviceptr target, CUdeviceptr source,
                             size_t bytes, CUstream stream) {
  member *of = find_stream(stream);
  if (!of)
    return copy(target, source, bytes, stream);
  node *added = add_node(of);
  if (!added)
    return CUDA_ERROR_OUT_OF_MEMORY;
  added->target = target;
  added->source = source;
  added->bytes = bytes;
  return CUDA_SUCCESS;
}

static CUresult capture_record(CUevent event, CUstream stream) {
  member *of = find_stream(stream);
  if (!of)
    return record(event, stream);
  of->event = event;
  of->is_behind = true;
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
    members[member_count++] = (member){.stream = stream};
  } else if (to == &members[0] && from->is_behind) {
    from->is_joined = true;
  }
  return CUDA_SUCCESS;
}

static CUresult begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  (void)mode;
  if (capturing || !stream)
    return CUDA_ERROR_INVALID_VALUE;
  capturing = calloc(1, sizeof *capturing);
  members[0] = (member){.stream = stream};
  member_count = 1;
  return capturing ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
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

static CUresult instantiate(CUgraphExec *exec, CUgraph graph,
                            unsigned long long flags) {
  (void)flags;
  CUgraph made = calloc(1, sizeof *made);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made->count = made->capacity = graph->count;
  made->nodes = calloc(graph->count, sizeof *made->nodes);
  if (!made->nodes) {
    free(made);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memcpy(made->nodes, graph->nodes, graph->count * sizeof *made->nodes);
  *exec = (CUgraphExec)made;
  return CUDA_SUCCESS;
}

static CUresult launch_graph(CUgraphExec exec, CUstream stream) {
  CUgraph graph = (CUgraph)exec;
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < graph->count && !result; ++i) {
    node *of = &graph->nodes[i];
    void *params[MOST_PARAMS];
    for (int j = 0; j < MOST_PARAMS; ++j)
      params[j] = of->params[j];
    result = of->function ? launch(of->function, of->grid, 1, 1, of->block, 1,
                                   1, 0, stream, params, NULL)
                          : copy(of->target, of->source, of->bytes, stream);
  }
  return result;
}

static CUresult destroy(CUgraph graph) {
  free(graph->nodes);
  free(graph);
  return CUDA_SUCCESS;
}

static CUresult destroy_exec(CUgraphExec exec) {
  return destroy((CUgraph)exec);
}

void cuda_api_emulate_graphs(void) {
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
  cuGraphInstantiateWithFlags = instantiate;
  cuGraphLaunch = launch_graph;
  cuGraphExecDestroy = destroy_exec;
  cuGraphDestroy = destroy;
}
