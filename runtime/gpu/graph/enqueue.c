//===- enqueue.c - Work that is recorded ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the recording driver that enqueue work. Kernels, copies,
// fills, captured calls and code of the host become nodes. Memory in the order
// of a stream is kept (kept.c), or allocated ahead of the graph and freed after
// it. All else ends the recording.
//
//===----------------------------------------------------------------------===//

#include "gpu/graph/record.h"

#include "async_gpu/compiled/graph.h"

#include "base/memory/memory.h"
#include "base/os/self.h"
#include "base/report/assert.h"
#include "gpu/kernel/module.h"

/// The lane of a stream on which work is to be collected, made part of the
/// round; NULL: it is enqueued now, or `*out_result` is an error.
static agpu__lane *get_recording(CUstream stream, CUresult *out_result) {
  *out_result = CUDA_SUCCESS;
  if (!agpu__is_lane(stream))
    return NULL;
  agpu__lane *lane = agpu__lane_from(stream);
  if (!agpu__lane_records(lane))
    return NULL;
  *out_result = agpu__lane_join(lane);
  return *out_result ? NULL : lane;
}

/// What a lane's next node depends on.
typedef struct dependences {
  const uint32_t *nodes; ///< ascending and different
  size_t count;
  uint32_t last;
} dependences;

/// Sorts few numbers, and leaves one of each; returns how many that are.
static size_t sort(uint32_t *numbers, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t moved = numbers[i];
    size_t to = kept;
    while (to && numbers[to - 1] > moved)
      --to;
    if (to && numbers[to - 1] == moved)
      continue;
    for (size_t k = kept++; k > to; --k)
      numbers[k] = numbers[k - 1];
    numbers[to] = moved;
  }
  return kept;
}

/// Puts the next node on the lane; `out` is good until the next call.
static void advance(agpu__lane *lane, dependences *out) {
  agpu__recorder *of = lane->of;
  out->last = (uint32_t)lane->tail;
  out->nodes = &out->last;
  out->count = lane->tail >= 0;
  if (lane->pending_count) {
    of->scratch = agpu__memory_grow(of->scratch, &of->scratch_capacity,
                                    lane->pending_count + 1,
                                    sizeof *of->scratch, "a graph");
    out->nodes = of->scratch;
    out->count = sort(of->scratch, agpu__lane_get_ends(lane, of->scratch));
  }
  of->list.device = lane->side->base;
  agpu__lane_add(lane, of->list.at);
}

static void add(agpu__lane *lane, agpu__node_kind kind, const void *work,
                size_t bytes) {
  dependences of;
  advance(lane, &of);
  agpu__node_add(&lane->of->list, kind, of.nodes, of.count, work, bytes);
}

/// What cannot be a node.
static void flush(CUstream stream, const char *why) {
  agpu__recorder *of =
      agpu__is_lane(stream) ? agpu__lane_from(stream)->of : agpu__self.gpu.part;
  if (of && agpu__self.gpu.part == of && !of->is_asking)
    agpu__record_flush(of, why);
}

/// Enqueues now, unless that belongs to a round that is none as a whole: CALL
/// is a call of the driver \p base on \p handle, a stream of the device WHERE.
#define ENQUEUE_ON(where, call)                                                \
  do {                                                                         \
    agpu__lane *on = agpu__lane_from(stream);                                  \
    const agpu__driver *base = on->of->base->driver;                           \
    if (on->of->built.is_whole && agpu__self.gpu.part == on->of)               \
      return CUDA_SUCCESS;                                                     \
    CUresult crossed = agpu__lane_join(on);                                    \
    agpu__pool_stream *real = agpu__lane_get_stream(on), *at;                  \
    if (!crossed)                                                              \
      crossed = agpu__lane_cross(real, where, &at);                            \
    if (!crossed) {                                                            \
      CUstream handle = at->handle;                                            \
      crossed = agpu__lane_return(real, at, (call));                           \
    }                                                                          \
    agpu__device_enter_again(on->side->base);                                  \
    return crossed;                                                            \
  } while (0)

/// The same on the lane's device.
#define ENQUEUE_NOW(call) ENQUEUE_ON(on->side->base, call)

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Asks the driver for the sizes of all parameters of `function`. It ends the
/// list with the error that a failed call has, too. A list that ends at another
/// place when it is read again is not the function's: false then, as where the
/// driver does not say.
static bool ask_sizes(const agpu__driver *driver, CUfunction function,
                      size_t sizes[AGPU__NODE_MOST_PARAMS], size_t *out_count) {
  if (!driver->cuFuncGetParamInfo)
    return false;
  size_t count = 0, offset, size;
  CUresult result = CUDA_SUCCESS;
  while (count < AGPU__NODE_MOST_PARAMS &&
         !(result = driver->cuFuncGetParamInfo(function, count, &offset,
                                               &sizes[count])))
    ++count;
  *out_count = count;
  return result == CUDA_ERROR_INVALID_VALUE &&
         driver->cuFuncGetParamInfo(function, count, &offset, &size) == result;
}

/// What the compiler has written down, or else the driver's word.
static bool find_sizes(const agpu__device *device, CUfunction function,
                       size_t sizes[AGPU__NODE_MOST_PARAMS],
                       size_t *out_count) {
  const agpu_kernel_desc *kernel = agpu__module_find_kernel(device, function);
  if (!kernel || !(kernel->flags & AGPU_KERNEL_KNOWS_PARAMS))
    return ask_sizes(device->driver, function, sizes, out_count);
  *out_count = kernel->param_count;
  for (size_t i = 0; i < *out_count && i < AGPU__NODE_MOST_PARAMS; ++i)
    sizes[i] = kernel->param_sizes[i];
  return *out_count <= AGPU__NODE_MOST_PARAMS;
}

/// Where the function's parameters lie; NULL: nobody knows.
static const agpu__param_layout *find_layout(const agpu__lane *lane,
                                             CUfunction function) {
  agpu__recorder *of = lane->of;
  const agpu__node *last = // in the last round
      of->list.at < of->list.count ? &of->list.nodes[of->list.at] : NULL;
  if (last && last->kind == AGPU__NODE_KERNEL &&
      last->launch.function == function)
    return last->launch.layout;
  agpu__param_layout *found = of->layouts;
  while (found && found->function != function)
    found = found->next;
  if (found)
    return found;
  size_t sizes[AGPU__NODE_MOST_PARAMS], count;
  if (!find_sizes(lane->side->base, function, sizes, &count))
    return NULL;
  found = agpu__memory_alloc(
      (int64_t)(sizeof *found + (count + 1) * sizeof *found->offsets),
      _Alignof(agpu__param_layout), "a kernel's parameters");
  found->function = function;
  found->count = count;
  found->bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    found->offsets[i] = found->bytes;
    found->bytes += sizes[i];
  }
  found->offsets[count] = found->bytes;
  found->next = of->layouts;
  of->layouts = found;
  return found;
}

/// What a lane in the round does again and again takes the shortest way.
static inline bool repeat(CUstream stream, const agpu__node_launch *launch,
                          void *const *params) {
  if (!agpu__is_lane(stream))
    return false;
  agpu__lane *lane = agpu__lane_from(stream);
  if (!agpu__lane_records(lane) || lane->round != lane->of->round ||
      lane->pending_count || !params)
    return false;
  int64_t node = (int64_t)lane->of->list.at;
  if (!agpu__node_repeat_kernel(&lane->of->list, lane->tail, launch, params))
    return false;
  lane->tail = node;
  return true;
}

/// True: it is a node now, or `*out_result` is an error. False: the caller has
/// to enqueue it.
static bool collect(agpu__node_launch *launch, CUstream stream, void **params,
                    void **extra, CUresult *out_result) {
  *out_result = CUDA_SUCCESS;
  if (repeat(stream, launch, params))
    return true;
  agpu__lane *lane = get_recording(stream, out_result);
  if (*out_result || !lane)
    return *out_result;
  launch->layout = extra ? NULL : find_layout(lane, launch->function);
  if (!launch->layout) {
    agpu__record_flush(lane->of, "nobody knows its kernels' parameters");
    return false;
  }
  dependences of;
  advance(lane, &of);
  agpu__node_add_kernel(&lane->of->list, of.nodes, of.count, launch, params);
  return true;
}

/// Nodes have them since CUDA 11.7, which all but has this function.
static int get_priority(CUstream stream) {
  const agpu__lane *lane =
      agpu__is_lane(stream) ? agpu__lane_from(stream) : NULL;
  return lane && lane->priority && lane->of->base->driver->cuLaunchKernelEx
             ? lane->priority
             : 0;
}

static CUresult
record_cuLaunchKernel(CUfunction function, unsigned int grid_x,
                      unsigned int grid_y, unsigned int grid_z,
                      unsigned int block_x, unsigned int block_y,
                      unsigned int block_z, unsigned int shared_bytes,
                      CUstream stream, void **params, void **extra) {
  agpu__node_launch launch = {.function = function,
                              .priority = get_priority(stream),
                              .grid = {grid_x, grid_y, grid_z},
                              .block = {block_x, block_y, block_z},
                              .shared_bytes = shared_bytes};
  CUresult result;
  if (collect(&launch, stream, params, extra, &result))
    return result;
  if (!agpu__is_lane(stream))
    return agpu__record_leave()->cuLaunchKernel(
        function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
        shared_bytes, stream, params, extra);
  ENQUEUE_NOW(base->cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x,
                                   block_y, block_z, shared_bytes, handle,
                                   params, extra));
}

/// Of clusters, whose shape is the only attribute.
static CUresult record_cuLaunchKernelEx(const CUlaunchConfig *config,
                                        CUfunction function, void **params,
                                        void **extra) {
  CUstream stream = config->hStream;
  agpu__node_launch launch = {
      .function = function,
      .cluster = {config->attrs->value.clusterDim.x,
                  config->attrs->value.clusterDim.y,
                  config->attrs->value.clusterDim.z},
      .priority = get_priority(stream),
      .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
      .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
      .shared_bytes = config->sharedMemBytes};
  AGPU__ASSERT(config->numAttrs == 1 &&
               config->attrs->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  CUresult result;
  // A cluster of no blocks is the driver's to refuse.
  bool has_nodes =
      launch.cluster[0] && agpu__is_lane(stream) &&
      agpu__lane_from(stream)->of->base->driver->cuGraphKernelNodeSetAttribute;
  if (has_nodes && collect(&launch, stream, params, extra, &result))
    return result;
  flush(stream, "it launches kernels in clusters");
  CUlaunchConfig real_config = *config;
  if (!agpu__is_lane(stream))
    return agpu__record_leave()->cuLaunchKernelEx(config, function, params,
                                                  extra);
  ENQUEUE_NOW((real_config.hStream = handle,
               base->cuLaunchKernelEx(&real_config, function, params, extra)));
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

static CUresult copy(const agpu__box *box, CUstream stream) {
  CUresult result;
  agpu__lane *lane = get_recording(stream, &result);
  if (result || !box->width)
    return result;
  if (!lane)
    ENQUEUE_NOW(agpu__box_copy(base, box, handle));
  add(lane, AGPU__NODE_COPY, box, sizeof *box);
  return CUDA_SUCCESS;
}

static CUresult record_cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source,
                                     size_t bytes, CUstream stream) {
  const agpu__box row = agpu__box_of(target, source, bytes);
  return copy(&row, stream);
}

/// Of those that agpu__box_describe makes.
static CUresult record_cuMemcpy3DAsync(const CUDA_MEMCPY3D *params,
                                       CUstream stream) {
  const agpu__box box = {.target = params->dstDevice,
                         .source = params->srcDevice,
                         .width = params->WidthInBytes,
                         .height = params->Height,
                         .depth = params->Depth,
                         .target_pitch = params->dstPitch,
                         .target_height = params->dstHeight,
                         .source_pitch = params->srcPitch,
                         .source_height = params->srcHeight};
  return copy(&box, stream);
}

static CUresult fill(CUDA_MEMSET_NODE_PARAMS params, CUstream stream) {
  CUresult result;
  agpu__lane *lane = get_recording(stream, &result);
  if (result || !params.width || !params.height)
    return result;
  if (!lane)
    ENQUEUE_NOW(agpu__rows_fill(base, &params, handle));
  add(lane, AGPU__NODE_FILL, &params, sizeof params);
  return CUDA_SUCCESS;
}

#define FILL(name, rows_name, type, element)                                   \
  static CUresult record_##name(CUdeviceptr target, type value, size_t count,  \
                                CUstream stream) {                             \
    return fill(                                                               \
        (CUDA_MEMSET_NODE_PARAMS){target, 0, value, element, count, 1},        \
        stream);                                                               \
  }                                                                            \
  static CUresult record_##rows_name(CUdeviceptr target, size_t pitch,         \
                                     type value, size_t width, size_t height,  \
                                     CUstream stream) {                        \
    return fill((CUDA_MEMSET_NODE_PARAMS){target, pitch, value, element,       \
                                          width, height},                      \
                stream);                                                       \
  }
FILL(cuMemsetD8Async, cuMemsetD2D8Async, unsigned char, 1)
FILL(cuMemsetD16Async, cuMemsetD2D16Async, unsigned short, 2)
FILL(cuMemsetD32Async, cuMemsetD2D32Async, unsigned int, 4)

CUresult agpu__record_call(agpu__lane *lane, agpu__capture *capture) {
  CUresult result = agpu__lane_join(lane);
  if (!result)
    add(lane, AGPU__NODE_CALL, &capture, sizeof(agpu__capture *));
  return result;
}

bool agpu__record_host(CUstream stream, agpu__host_call call,
                       CUresult *out_result) {
  agpu__lane *lane = get_recording(stream, out_result);
  if (!lane)
    return *out_result;
  dependences of;
  advance(lane, &of);
  agpu__node_add_host(&lane->of->list, of.nodes, of.count, call);
  return true;
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

void agpu__record_branch(agpu__lane *lane, int64_t what) {
  agpu__node_list *list = &lane->of->list;
  uint32_t number = (uint32_t)(what / AGPU_GRAPH_BRANCH_KINDS);
  int64_t kind = what % AGPU_GRAPH_BRANCH_KINDS;
  dependences of;
  if (kind == AGPU_GRAPH_SETS) {
    list->sets = number;
  } else if (kind == AGPU_GRAPH_END) {
    agpu__lane_add(lane, agpu__node_end_branch(list, number));
  } else {
    advance(lane, &of);
    agpu__node_add_branch(list, of.nodes, of.count, number,
                          kind == AGPU_GRAPH_WHILE);
    lane->tail = -1;
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static CUresult record_cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes,
                                       CUstream stream) {
  CUresult result;
  agpu__lane *lane = get_recording(stream, &result);
  if (!lane)
    ENQUEUE_NOW(base->cuMemAllocAsync(pointer, bytes, handle));
  agpu__recorder *of = lane->of;
  result = agpu__kept_follow(of);
  if (result || agpu__kept_take(lane, bytes, pointer))
    return result;
  agpu__pool_stream *at;
  result = agpu__lane_cross(of->stream, lane->side->base, &at);
  if (!result)
    result = agpu__lane_return(
        of->stream, at,
        of->base->driver->cuMemAllocAsync(pointer, bytes, at->handle));
  if (!result)
    agpu__kept_add(lane, *pointer, bytes);
  return result;
}

static CUresult record_cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  CUresult result;
  agpu__lane *lane = get_recording(stream, &result);
  if (lane)
    agpu__kept_give(lane, pointer);
  if (lane || result)
    return result;
  agpu__kept_forget(agpu__lane_from(stream)->of, pointer);
  ENQUEUE_NOW(base->cuMemFreeAsync(pointer, handle));
}

//===----------------------------------------------------------------------===//
// What cannot be a node
//===----------------------------------------------------------------------===//

static CUresult record_cuLaunchHostFunc(CUstream stream, CUhostFn function,
                                        void *user_data) {
  flush(stream, "it copies memory of the host that the device does not know");
  // It is of no device: a stream of the lane's own would be two more waits.
  ENQUEUE_ON(real->device, base->cuLaunchHostFunc(handle, function, user_data));
}

static CUresult record_cuStreamQuery(CUstream stream) {
  const agpu__lane *lane = agpu__lane_from(stream);
  agpu__device_enter_again(lane->of->base);
  return lane->of->base->driver->cuStreamQuery(
      agpu__lane_get_stream(lane)->handle);
}

static CUresult record_cuStreamSynchronize(CUstream stream) {
  const agpu__lane *lane = agpu__lane_from(stream);
  flush(stream, "the host waits inside of it");
  agpu__device_enter_again(lane->of->base);
  return lane->of->base->driver->cuStreamSynchronize(
      agpu__lane_get_stream(lane)->handle);
}

void agpu__record_fill_driver(agpu__driver *out_driver,
                              const agpu__driver *inner) {
  *out_driver = *inner;
  out_driver->guarded = NULL; // what is replaced here
  out_driver->cuStreamCreate = agpu__record_cuStreamCreate;
  out_driver->cuStreamDestroy = agpu__record_cuStreamDestroy;
  out_driver->cuStreamWaitEvent = agpu__record_cuStreamWaitEvent;
  out_driver->cuEventRecord = agpu__record_cuEventRecord;
  out_driver->cuEventQuery = agpu__record_cuEventQuery;
  // A function that the driver lacks stays missing.
#define RECORD(name) out_driver->name = inner->name ? record_##name : NULL
  RECORD(cuStreamQuery);
  RECORD(cuStreamSynchronize);
  RECORD(cuLaunchKernel);
  RECORD(cuLaunchKernelEx);
  RECORD(cuMemcpyAsync);
  RECORD(cuMemcpy3DAsync);
  RECORD(cuMemsetD8Async);
  RECORD(cuMemsetD16Async);
  RECORD(cuMemsetD32Async);
  RECORD(cuMemsetD2D8Async);
  RECORD(cuMemsetD2D16Async);
  RECORD(cuMemsetD2D32Async);
  RECORD(cuLaunchHostFunc);
  RECORD(cuMemAllocAsync);
  RECORD(cuMemFreeAsync);
}
