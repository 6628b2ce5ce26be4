//===- memory_calls.c - Modules and memory, recorded ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long modules took to load, and how many bytes of each device are
// allocated, as a counter.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/traced.h"

#include <stdatomic.h>
#include <stdio.h>

#define DEVICE_SHIFT 56

typedef struct memory_counter {
  _Atomic(int64_t) bytes;
  char name[40];
} memory_counter;

static memory_counter counters[AGPU__MAX_DEVICES];

void agpu__traced_memory_begin(void) {
  for (int i = 0; i < AGPU__MAX_DEVICES; ++i)
    (void)snprintf(counters[i].name, sizeof counters[i].name,
                   "device %d: bytes in use", i);
}

CUresult agpu__traced_cuModuleLoadDataEx(CUmodule *module, const void *image,
                                         unsigned int option_count,
                                         CUjit_option *options,
                                         void **option_values) {
  int64_t begin = agpu__clock_now_ns();
  CUresult result = agpu__traced.inner->cuModuleLoadDataEx(
      module, image, option_count, options, option_values);
  agpu__traced_call(AGPU__TRACE_MODULE, begin, 0, 0, NULL,
                    (uint64_t)agpu__traced_device(), 0);
  return result;
}

static void count_memory(int device, int64_t change) {
  memory_counter *counter = &counters[device];
  int64_t bytes = change + atomic_fetch_add_explicit(&counter->bytes, change,
                                                     memory_order_relaxed);
  agpu__trace_record(AGPU__TRACE_MEMORY, (uint64_t)device, 0, counter->name,
                     (uint64_t)bytes, 0, 0);
}

static CUresult allocated(CUresult result, const CUdeviceptr *pointer,
                          size_t bytes) {
  if (result)
    return result;
  int device = agpu__traced_device();
  agpu__mutex_lock(&agpu__traced.lock);
  (void)agpu__traced_store(&agpu__traced.blocks, *pointer,
                           (uint64_t)bytes | (uint64_t)device << DEVICE_SHIFT);
  agpu__mutex_unlock(&agpu__traced.lock);
  count_memory(device, (int64_t)bytes);
  return result;
}

/// Before it is, since the address may be used again at once.
static void freed(CUdeviceptr pointer) {
  agpu__mutex_lock(&agpu__traced.lock);
  uint64_t block = agpu__traced_find(&agpu__traced.blocks, pointer);
  if (block)
    agpu__trace_table_remove(&agpu__traced.blocks, pointer);
  agpu__mutex_unlock(&agpu__traced.lock);
  uint64_t bytes = block & (((uint64_t)1 << DEVICE_SHIFT) - 1);
  if (block)
    count_memory((int)(block >> DEVICE_SHIFT), -(int64_t)bytes);
}

#define ALLOCATION(name, parameters, arguments)                                \
  CUresult agpu__traced_##name parameters {                                    \
    return allocated(agpu__traced.inner->name arguments, pointer, bytes);      \
  }
ALLOCATION(cuMemAlloc, (CUdeviceptr * pointer, size_t bytes), (pointer, bytes))
ALLOCATION(cuMemAllocAsync,
           (CUdeviceptr * pointer, size_t bytes, CUstream stream),
           (pointer, bytes, stream))
ALLOCATION(cuMemAllocManaged,
           (CUdeviceptr * pointer, size_t bytes, unsigned int flags),
           (pointer, bytes, flags))

CUresult agpu__traced_cuMemFree(CUdeviceptr pointer) {
  freed(pointer);
  return agpu__traced.inner->cuMemFree(pointer);
}

CUresult agpu__traced_cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  freed(pointer);
  return agpu__traced.inner->cuMemFreeAsync(pointer, stream);
}
