//===- work_calls.c - Calls that enqueue work, recorded -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A piece of work is two events of the trace: the call that enqueued it, on the
// thread, and what the device did, on the stream's track (stream_track.c). Its
// number, which counts up in the process, joins them.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "gpu/trace/traced.h"

#include <stdatomic.h>

static _Atomic(uint64_t) works; // so far

/// A call that enqueues work, from before it until after it.
typedef struct enqueuing {
  agpu__stream_track *track;
  agpu__stream_item item;
  CUstream stream;
  int64_t begin;
  const agpu__work_clock *clock; // NULL: no times
  void *token;
} enqueuing;

/// `track` stays NULL where nothing is recorded.
uint64_t agpu__traced_take_works(uint64_t count) {
  return 1 + atomic_fetch_add_explicit(&works, count, memory_order_relaxed);
}

static enqueuing begin_work(CUstream stream, agpu__trace_kind kind,
                            const char *name, uint64_t second, uint64_t third) {
  // What is captured does not run: the node of its graph is traced.
  if (!agpu__trace_on() || agpu__self.gpu.capturing)
    return (enqueuing){.track = NULL};
  enqueuing call = {.track = agpu__traced_stream(stream),
                    .item = {.kind = kind,
                             .id = agpu__traced_take_works(1),
                             .name = name,
                             .second = second,
                             .third = third},
                    .stream = stream,
                    .begin = agpu__clock_now_ns(),
                    .clock = agpu__traced_clock()};
  agpu__stream_track_add(call.track, &call.item);
  if (call.clock)
    call.token =
        call.clock->before(call.item.id, agpu__traced_device(), stream);
  else
    agpu__stream_track_ran(call.item.id, 0, 0, 0);
  return call;
}

static CUresult end_work(const enqueuing *call, CUresult result) {
  if (!call->track)
    return result;
  if (call->clock)
    call->clock->after(call->token, agpu__traced_device(), call->stream,
                       !result);
  if (result) {
    agpu__stream_track_cancel(call->item.id);
    return result;
  }
  if (agpu__self.trace.replayed)
    agpu__traced_tell_region(*agpu__self.trace.replayed, call->item.id, 1,
                             call->begin);
  // Of calls that nobody says anything of, there is no place.
  agpu__op_name origin = agpu__driver_get_origin();
  agpu__traced_call(AGPU__TRACE_ENQUEUE, call->begin, call->item.id,
                    agpu__traced_flow(call->item.id, true), call->item.name,
                    (uint64_t)(uintptr_t)(origin.what ? origin.location : NULL),
                    agpu__stream_track_id(call->track));
  return result;
}

CUresult agpu__traced_cuModuleGetFunction(CUfunction *function, CUmodule module,
                                          const char *name) {
  CUresult result =
      agpu__traced.inner->cuModuleGetFunction(function, module, name);
  if (result)
    return result;
  int registers = 0, shared_bytes = 0; // where the driver does not know
  if (agpu__traced.inner->cuFuncGetAttribute) {
    (void)agpu__traced.inner->cuFuncGetAttribute(
        &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, *function);
    (void)agpu__traced.inner->cuFuncGetAttribute(
        &shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, *function);
  }
  uint64_t key = (uint64_t)(uintptr_t)*function;
  const char *kept = agpu__text_keep(name);
  agpu__mutex_lock(&agpu__traced.lock);
  // A handle may be that of an earlier kernel, which is gone.
  (void)agpu__traced_store(&agpu__traced.kernels, key,
                           (uint64_t)(uintptr_t)kept);
  (void)agpu__traced_store(&agpu__traced.sizes, key,
                           (uint64_t)registers << 32 | (uint32_t)shared_bytes);
  agpu__mutex_unlock(&agpu__traced.lock);
  return result;
}

agpu__stream_item agpu__traced_describe_launch(CUfunction function,
                                               const uint32_t grid[3],
                                               const uint32_t block[3],
                                               uint32_t shared_bytes) {
  uint64_t key = (uint64_t)(uintptr_t)function;
  agpu__mutex_lock(&agpu__traced.lock);
  const char *name =
      (const char *)(uintptr_t)agpu__traced_find(&agpu__traced.kernels, key);
  uint64_t sizes = agpu__traced_find(&agpu__traced.sizes, key);
  agpu__mutex_unlock(&agpu__traced.lock);
  return (agpu__stream_item){
      .kind = AGPU__TRACE_KERNEL,
      .name = name ? name : "kernel",
      .second = agpu__trace_pack_grid(grid[0], grid[1], grid[2]),
      .third = agpu__trace_pack_block(block[0], block[1], block[2],
                                      (uint32_t)(sizes >> 32),
                                      shared_bytes + (uint32_t)sizes)};
}

static enqueuing begin_launch(CUfunction function, CUstream stream,
                              const uint32_t grid[3], const uint32_t block[3],
                              uint32_t shared_bytes) {
  if (!agpu__trace_on())
    return (enqueuing){.track = NULL};
  agpu__stream_item of =
      agpu__traced_describe_launch(function, grid, block, shared_bytes);
  return begin_work(stream, of.kind, of.name, of.second, of.third);
}

CUresult agpu__traced_cuLaunchKernel(CUfunction function, unsigned int grid_x,
                                     unsigned int grid_y, unsigned int grid_z,
                                     unsigned int block_x, unsigned int block_y,
                                     unsigned int block_z,
                                     unsigned int shared_bytes, CUstream stream,
                                     void **params, void **extra) {
  enqueuing call =
      begin_launch(function, stream, (uint32_t[]){grid_x, grid_y, grid_z},
                   (uint32_t[]){block_x, block_y, block_z}, shared_bytes);
  return end_work(&call, agpu__traced.inner->cuLaunchKernel(
                             function, grid_x, grid_y, grid_z, block_x, block_y,
                             block_z, shared_bytes, stream, params, extra));
}

CUresult agpu__traced_cuLaunchKernelEx(const CUlaunchConfig *config,
                                       CUfunction function, void **params,
                                       void **extra) {
  enqueuing call = begin_launch(
      function, config->hStream,
      (uint32_t[]){config->gridDimX, config->gridDimY, config->gridDimZ},
      (uint32_t[]){config->blockDimX, config->blockDimY, config->blockDimZ},
      config->sharedMemBytes);
  return end_work(&call, agpu__traced.inner->cuLaunchKernelEx(config, function,
                                                              params, extra));
}

/// What the driver knows nothing of is the host's.
static bool is_on_device(CUdeviceptr pointer) {
  unsigned int type = 0;
  return !agpu__traced.inner->cuPointerGetAttribute(
             &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) &&
         type == CU_MEMORYTYPE_DEVICE;
}

const char *agpu__traced_describe_copy(CUdeviceptr target, CUdeviceptr source) {
  // By whether the target, and whether the source, are on a device.
  static const char *const directions[2][2] = {
      {"copy host to host", "copy device to host"},
      {"copy host to device", "copy device to device"}};
  return directions[is_on_device(target)][is_on_device(source)];
}

CUresult agpu__traced_cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source,
                                    size_t bytes, CUstream stream) {
  enqueuing call = begin_work(
      stream, AGPU__TRACE_COPY,
      agpu__trace_on() ? agpu__traced_describe_copy(target, source) : NULL,
      bytes, 0);
  return end_work(
      &call, agpu__traced.inner->cuMemcpyAsync(target, source, bytes, stream));
}

CUresult agpu__traced_cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy,
                                      CUstream stream) {
  enqueuing call =
      begin_work(stream, AGPU__TRACE_COPY,
                 agpu__trace_on() ? agpu__traced_describe_copy(copy->dstDevice,
                                                               copy->srcDevice)
                                  : NULL,
                 copy->WidthInBytes * copy->Height * copy->Depth, 0);
  return end_work(&call, agpu__traced.inner->cuMemcpy3DAsync(copy, stream));
}

// Fills differ in what they take alone.
#define FILL(name, rows_name, type, element)                                   \
  CUresult agpu__traced_##name(CUdeviceptr target, type value, size_t count,   \
                               CUstream stream) {                              \
    enqueuing call =                                                           \
        begin_work(stream, AGPU__TRACE_FILL, "fill", element * count, 0);      \
    return end_work(&call,                                                     \
                    agpu__traced.inner->name(target, value, count, stream));   \
  }                                                                            \
  CUresult agpu__traced_##rows_name(CUdeviceptr target, size_t pitch,          \
                                    type value, size_t width, size_t height,   \
                                    CUstream stream) {                         \
    enqueuing call = begin_work(stream, AGPU__TRACE_FILL, "fill",              \
                                element * width * height, 0);                  \
    return end_work(&call, agpu__traced.inner->rows_name(                      \
                               target, pitch, value, width, height, stream));  \
  }
FILL(cuMemsetD8Async, cuMemsetD2D8Async, unsigned char, 1)
FILL(cuMemsetD16Async, cuMemsetD2D16Async, unsigned short, 2)
FILL(cuMemsetD32Async, cuMemsetD2D32Async, unsigned int, 4)
