//===- log.c - Every driver call, in words --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_LOG=driver: a table that calls another and writes one line per
// call, with small numbers for handles and threads in the order in which they
// turn up, and the threads' names:
//
//     driver: cuEventRecord(event=5, stream=2) = CUDA_SUCCESS [1 agpu-0]
//
// It is installed only when the log is on, so that it costs nothing otherwise.
//
//===----------------------------------------------------------------------===//

#include "base/report/log.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/sync/mutex.h"
#include "base/trace/arena.h"
#include "gpu/driver/driver.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum handle_kind {
  CONTEXT,
  STREAM,
  EVENT,
  MODULE,
  FUNCTION,
  GRAPH,
  NODE,
  EXEC,
} handle_kind;

static const char *const kind_names[] = {"context", "stream",   "event",
                                         "module",  "function", "graph",
                                         "node",    "exec"};

// The functions of the table have no place for a context pointer, so there is
// one log.
static struct {
  const agpu__driver *wrapped; // set before the table is used
  atomic_uint threads;         // that have a number
  agpu__mutex lock;
  agpu__trace_table numbers[EXEC + 1] AGPU__GUARDED_BY(lock);
  unsigned last[EXEC + 1] AGPU__GUARDED_BY(lock);
} state = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_DRIVER_LOG)};

/// The number of `handle`, a new one when it is seen for the first time.
/// `forget` frees it, for calls that destroy.
static unsigned number(handle_kind kind, const void *handle, bool forget) {
  if (!handle)
    return 0;
  const uint64_t key = (uintptr_t)handle;
  agpu__mutex_lock(&state.lock);
  uint64_t *place = agpu__trace_table_add(&state.numbers[kind], key);
  unsigned result = place && *place ? (unsigned)*place : ++state.last[kind];
  // Without memory it gets a new number each time: the log alone suffers.
  if (place)
    *place = result;
  if (forget)
    agpu__trace_table_remove(&state.numbers[kind], key);
  agpu__mutex_unlock(&state.lock);
  return result;
}

#define NUMBER(h)                                                              \
  number(_Generic((h),                                                         \
             CUcontext: CONTEXT,                                               \
             CUstream: STREAM,                                                 \
             CUevent: EVENT,                                                   \
             CUmodule: MODULE,                                                 \
             CUfunction: FUNCTION,                                             \
             CUgraph: GRAPH,                                                   \
             CUgraphNode: NODE,                                                \
             CUgraphExec: EXEC),                                               \
         (h), false)

static unsigned get_thread_number(void) {
  uint32_t *own = &agpu__self.gpu.number;
  if (!*own)
    *own =
        1 + atomic_fetch_add_explicit(&state.threads, 1, memory_order_relaxed);
  return *own;
}

static CUresult log_call(CUresult result, const char *function,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static CUresult log_call(CUresult result, const char *function,
                         const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *name = NULL;
  if (state.wrapped->cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "unknown result";
  char thread[32] = "";
  (void)pthread_getname_np(pthread_self(), thread, sizeof thread);
  agpu__log(AGPU__LOG_DRIVER, "%s(%s) = %s [%u %s]", function, text, name,
            get_thread_number(), agpu__thread_is_main() ? "main" : thread);
  return result;
}

/// What a call gave through `out`, or 0 where it failed.
#define GIVEN(out) (result ? 0 : *(out))

// The arguments of each function's message, in which `result` is there, too.
#define LOG_cuInit "flags=%u", flags
#define LOG_cuDriverGetVersion "version=%d", GIVEN(version)
#define LOG_cuDeviceGetCount "count=%d", GIVEN(count)
#define LOG_cuDeviceGet "ordinal=%d", ordinal
#define LOG_cuDeviceGetName                                                    \
  "device=%d, name=%s", device, result == CUDA_SUCCESS ? name : ""
#define LOG_cuDeviceGetAttribute                                               \
  "device=%d, attribute=%d, value=%d", device, (int)attribute, GIVEN(value)
#define LOG_cuDevicePrimaryCtxRetain                                           \
  "context=%u, device=%d", NUMBER(GIVEN(context)), device
#define LOG_cuDevicePrimaryCtxRelease "device=%d", device
#define LOG_cuCtxSetCurrent "context=%u", NUMBER(context)
#define LOG_cuCtxSetLimit "limit=%d, value=%zu", (int)limit, value
#define LOG_cuCtxGetLimit "limit=%d", (int)limit
#define LOG_cuDeviceCanAccessPeer                                              \
  "device=%d, peer=%d, can=%d", device, peer, GIVEN(can)
#define LOG_cuCtxEnablePeerAccess "context=%u, flags=%u", NUMBER(peer), flags
#define LOG_cuDeviceGetDefaultMemPool "device=%d", device
#define LOG_cuMemPoolSetAccess                                                 \
  "count=%zu, device=%d, flags=%d", count,                                     \
      count ? accesses[0].location.id : 0, count ? (int)accesses[0].flags : 0
#define LOG_cuMemPoolSetAttribute                                              \
  "attribute=%d, bytes=%llu", (int)attribute,                                  \
      (unsigned long long)*(uint64_t *)value
#define LOG_cuMemPoolGetAttribute                                              \
  "attribute=%d, bytes=%llu", (int)attribute,                                  \
      result == CUDA_SUCCESS ? (unsigned long long)*(uint64_t *)value : 0
#define LOG_cuMemPoolTrimTo "bytes=%zu", keep
#define LOG_cuPointerGetAttribute                                              \
  "attribute=%d, pointer=0x%llx", (int)attribute, pointer
#define LOG_cuModuleLoadDataEx "module=%u", NUMBER(GIVEN(module))
#define LOG_cuModuleGetFunction                                                \
  "function=%u, module=%u, name=%s", NUMBER(GIVEN(function)), NUMBER(module),  \
      name
#define LOG_cuFuncLoad "function=%u", NUMBER(function)
#define LOG_cuFuncSetAttribute                                                 \
  "function=%u, attribute=%d, value=%d", NUMBER(function), (int)attribute, value
#define LOG_cuFuncGetAttribute                                                 \
  "function=%u, attribute=%d, value=%d", NUMBER(function), (int)attribute,     \
      GIVEN(value)
#define LOG_cuFuncGetParamInfo                                                 \
  "function=%u, index=%zu, size=%zu", NUMBER(function), index,                 \
      size ? GIVEN(size) : 0
#define LOG_cuLaunchKernel                                                     \
  "function=%u, grid=%ux%ux%u, block=%ux%ux%u, shared=%u, stream=%u",          \
      NUMBER(function), grid_x, grid_y, grid_z, block_x, block_y, block_z,     \
      shared_bytes, NUMBER(stream)
#define LOG_cuLaunchKernelEx                                                   \
  "function=%u, grid=%ux%ux%u, block=%ux%ux%u, shared=%u, stream=%u, "         \
  "attributes=%u",                                                             \
      NUMBER(function), config->gridDimX, config->gridDimY, config->gridDimZ,  \
      config->blockDimX, config->blockDimY, config->blockDimZ,                 \
      config->sharedMemBytes, NUMBER(config->hStream), config->numAttrs
#define LOG_cuLaunchHostFunc "stream=%u", NUMBER(stream)
#define LOG_cuStreamCreate "stream=%u, flags=%u", NUMBER(GIVEN(stream)), flags
#define LOG_cuStreamCreateWithPriority                                         \
  "stream=%u, flags=%u, priority=%d", NUMBER(GIVEN(stream)), flags, priority
#define LOG_cuStreamQuery "stream=%u", NUMBER(stream)
#define LOG_cuStreamSynchronize "stream=%u", NUMBER(stream)
#define LOG_cuStreamWaitEvent                                                  \
  "stream=%u, event=%u, flags=%u", NUMBER(stream), NUMBER(event), flags
#define LOG_cuStreamWriteValue32 "stream=%u", NUMBER(stream)
#define LOG_cuEventCreate "event=%u, flags=%u", NUMBER(GIVEN(event)), flags
#define LOG_cuEventRecord "event=%u, stream=%u", NUMBER(event), NUMBER(stream)
#define LOG_cuEventQuery "event=%u", NUMBER(event)
#define LOG_cuEventSynchronize "event=%u", NUMBER(event)
#define LOG_cuEventElapsedTime                                                 \
  "start=%u, end=%u, milliseconds=%g", NUMBER(start), NUMBER(end),             \
      result == CUDA_SUCCESS ? (double)*milliseconds : 0
#define LOG_cuMemGetInfo                                                       \
  "free=%zu, total=%zu", GIVEN(free_bytes), GIVEN(total_bytes)
#define LOG_cuMemAlloc "pointer=0x%llx, bytes=%zu", GIVEN(pointer), bytes
#define LOG_cuMemFree "pointer=0x%llx", pointer
#define LOG_cuMemAllocManaged                                                  \
  "pointer=0x%llx, bytes=%zu, flags=%u", GIVEN(pointer), bytes, flags
#define LOG_cuMemAllocAsync                                                    \
  "pointer=0x%llx, bytes=%zu, stream=%u", GIVEN(pointer), bytes, NUMBER(stream)
#define LOG_cuMemFreeAsync "pointer=0x%llx, stream=%u", pointer, NUMBER(stream)
#define LOG_cuMemcpyAsync                                                      \
  "target=0x%llx, source=0x%llx, bytes=%zu, stream=%u", target, source, bytes, \
      NUMBER(stream)
#define BOX                                                                    \
  "target=0x%llx, source=0x%llx, width=%zu, height=%zu, depth=%zu, "           \
  "target_pitch=%zu, target_height=%zu, source_pitch=%zu, source_height=%zu"
#define BOX_ARGUMENTS(of)                                                      \
  (of)->dstDevice, (of)->srcDevice, (of)->WidthInBytes, (of)->Height,          \
      (of)->Depth, (of)->dstPitch, (of)->dstHeight, (of)->srcPitch,            \
      (of)->srcHeight
#define LOG_cuMemcpy3DAsync                                                    \
  BOX ", stream=%u", BOX_ARGUMENTS(copy), NUMBER(stream)
#define FILL                                                                   \
  "target=0x%llx, value=0x%x, count=%zu, stream=%u", target, (unsigned)value,  \
      count, NUMBER(stream)
#define LOG_cuMemsetD8Async FILL
#define LOG_cuMemsetD16Async FILL
#define LOG_cuMemsetD32Async FILL
#define FILL_ROWS                                                              \
  "target=0x%llx, pitch=%zu, value=0x%x, width=%zu, height=%zu, stream=%u",    \
      target, pitch, (unsigned)value, width, height, NUMBER(stream)
#define LOG_cuMemsetD2D8Async FILL_ROWS
#define LOG_cuMemsetD2D16Async FILL_ROWS
#define LOG_cuMemsetD2D32Async FILL_ROWS
#define LOG_cuTensorMapEncodeTiled                                             \
  "type=%d, rank=%u, address=%p, swizzle=%d", (int)type, rank, address,        \
      (int)swizzle
#define LOG_cuTensorMapEncodeIm2col                                            \
  "type=%d, rank=%u, address=%p, channels=%u, pixels=%u, swizzle=%d",          \
      (int)type, rank, address, channels, pixels, (int)swizzle
#define LOG_cuMemHostAlloc                                                     \
  "pointer=%p, bytes=%zu, flags=%u", result == CUDA_SUCCESS ? *pointer : NULL, \
      bytes, flags
#define LOG_cuMemFreeHost "pointer=%p", pointer
#define LOG_cuMemHostRegister                                                  \
  "pointer=%p, bytes=%zu, flags=%u", pointer, bytes, flags
#define LOG_cuMemHostUnregister "pointer=%p", pointer

// What nodes wait for comes last, as "after=1+2".
typedef struct dependency_text {
  char text[256];
} dependency_text;

static dependency_text list_nodes(const CUgraphNode *nodes, size_t count) {
  dependency_text list = {"0"};
  size_t used = 0;
  for (size_t i = 0; i < count && used + 16 < sizeof list.text; ++i)
    used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%u",
                             i ? "+" : "", NUMBER(nodes[i]));
  return list;
}

#define AFTER list_nodes(dependencies, count).text
#define LOG_cuGraphCreate "graph=%u, flags=%u", NUMBER(GIVEN(graph)), flags
#define KERNEL_NODE "function=%u, grid=%ux%ux%u, block=%ux%ux%u, shared=%u"
#define KERNEL_NODE_ARGUMENTS                                                  \
  NUMBER(params->func), params->gridDimX, params->gridDimY, params->gridDimZ,  \
      params->blockDimX, params->blockDimY, params->blockDimZ,                 \
      params->sharedMemBytes
#define FILL_NODE                                                              \
  "target=0x%llx, pitch=%zu, value=0x%x, element=%u, width=%zu, height=%zu"
#define FILL_NODE_ARGUMENTS                                                    \
  params->dst, params->pitch, params->value, params->elementSize,              \
      params->width, params->height
#define LOG_cuGraphAddKernelNode                                               \
  "node=%u, graph=%u, " KERNEL_NODE ", after=%s", NUMBER(GIVEN(node)),         \
      NUMBER(graph), KERNEL_NODE_ARGUMENTS, AFTER
#define LOG_cuGraphAddMemcpyNode                                               \
  "node=%u, graph=%u, " BOX ", after=%s", NUMBER(GIVEN(node)), NUMBER(graph),  \
      BOX_ARGUMENTS(params), AFTER
#define LOG_cuGraphAddMemsetNode                                               \
  "node=%u, graph=%u, " FILL_NODE ", after=%s", NUMBER(GIVEN(node)),           \
      NUMBER(graph), FILL_NODE_ARGUMENTS, AFTER
#define LOG_cuGraphAddHostNode                                                 \
  "node=%u, graph=%u, after=%s", NUMBER(GIVEN(node)), NUMBER(graph), AFTER
#define LOG_cuGraphKernelNodeSetAttribute                                      \
  "node=%u, attribute=%d, value=%dx%ux%u", NUMBER(node), (int)id,              \
      value->priority,                                                         \
      id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ? value->clusterDim.y : 1,   \
      id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ? value->clusterDim.z : 1
#define LOG_cuGraphAddChildGraphNode                                           \
  "node=%u, graph=%u, child=%u, after=%s", NUMBER(GIVEN(node)), NUMBER(graph), \
      NUMBER(child), AFTER
#define LOG_cuGraphAddEventRecordNode                                          \
  "node=%u, graph=%u, event=%u, after=%s", NUMBER(GIVEN(node)), NUMBER(graph), \
      NUMBER(event), AFTER
#define LOG_cuGraphConditionalHandleCreate                                     \
  "graph=%u, value=%u, flags=%u", NUMBER(graph), value, flags
#define LOG_cuGraphAddNode                                                     \
  "node=%u, graph=%u, kind=%d, body=%u, after=%s", NUMBER(GIVEN(node)),        \
      NUMBER(graph), params->conditional.type,                                 \
      NUMBER(result ? NULL : params->conditional.phGraph_out[0]), AFTER
#define LOG_cuGraphInstantiate                                                 \
  "exec=%u, graph=%u, flags=%llu", NUMBER(GIVEN(exec)), NUMBER(graph), flags
#define LOG_cuGraphExecKernelNodeSetParams                                     \
  "exec=%u, node=%u, " KERNEL_NODE, NUMBER(exec), NUMBER(node),                \
      KERNEL_NODE_ARGUMENTS
#define LOG_cuGraphExecMemcpyNodeSetParams                                     \
  "exec=%u, node=%u, " BOX, NUMBER(exec), NUMBER(node), BOX_ARGUMENTS(params)
#define LOG_cuGraphExecMemsetNodeSetParams                                     \
  "exec=%u, node=%u, " FILL_NODE, NUMBER(exec), NUMBER(node),                  \
      FILL_NODE_ARGUMENTS
#define LOG_cuGraphExecChildGraphNodeSetParams                                 \
  "exec=%u, node=%u, child=%u", NUMBER(exec), NUMBER(node), NUMBER(child)
#define LOG_cuGraphExecEventRecordNodeSetEvent                                 \
  "exec=%u, node=%u, event=%u", NUMBER(exec), NUMBER(node), NUMBER(event)
#define LOG_cuStreamBeginCapture "stream=%u, mode=%d", NUMBER(stream), mode
#define LOG_cuStreamEndCapture                                                 \
  "stream=%u, graph=%u", NUMBER(stream), NUMBER(GIVEN(graph))
#define LOG_cuGraphLaunch "exec=%u, stream=%u", NUMBER(exec), NUMBER(stream)

#define LOGGED(need, name, symbol, parameters, arguments)                      \
  static CUresult log_##name parameters {                                      \
    CUresult result = state.wrapped->name arguments;                           \
    return log_call(result, #name, LOG_##name);                                \
  }
AGPU__DRIVER_CALLS(LOGGED)

// The driver may hand the same address out again as soon as such a call has
// begun.
#define KIND_cuModuleUnload MODULE
#define KIND_cuStreamDestroy STREAM
#define KIND_cuEventDestroy EVENT
#define KIND_cuGraphDestroy GRAPH
#define KIND_cuGraphExecDestroy EXEC
#define LOGGED_END(need, name, symbol, parameters, arguments)                  \
  static CUresult log_##name parameters {                                      \
    unsigned gone = number(KIND_##name, arguments, true);                      \
    return log_call(state.wrapped->name arguments, #name, "%s=%u",             \
                    kind_names[KIND_##name], gone);                            \
  }
AGPU__DRIVER_ENDS(LOGGED_END)

void agpu__driver_load_log(agpu__driver *out_driver,
                           const agpu__driver *inner) {
  state.wrapped = inner;
  *out_driver = *inner;
  // A function that the driver lacks stays missing.
#define INSTALL(need, name, symbol, parameters, arguments)                     \
  if (inner->name)                                                             \
    out_driver->name = log_##name;
  AGPU__DRIVER_CALLS(INSTALL)
  AGPU__DRIVER_ENDS(INSTALL)
#undef INSTALL
}
