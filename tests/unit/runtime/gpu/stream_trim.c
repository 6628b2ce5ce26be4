//===- stream_trim.c - Streams are lent while others are given back -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Giving pinned memory back may wait for all that the device does. Meanwhile
// other threads borrow streams, of this and of other devices, and what they get
// is not on its way back.
//
//===----------------------------------------------------------------------===//

#include "gpu/device/pins.h"
#include "gpu/stream/copy.h"
#include "gpu/stream/event.h"

#include "check.h"

#include <pthread.h>
#include <stdlib.h>

static int created, destroyed, pinned;
static agpu__device device;

static CUresult create_stream(CUstream *stream, unsigned int flags) {
  (void)flags;
  *stream = (CUstream)(void *)(uintptr_t)++created;
  return CUDA_SUCCESS;
}

static CUresult destroy_stream(CUstream stream) {
  (void)stream;
  ++destroyed;
  return CUDA_SUCCESS;
}

static CUresult query_stream(CUstream stream) {
  (void)stream;
  return CUDA_SUCCESS;
}

static CUresult set_current(CUcontext context) {
  (void)context;
  return CUDA_SUCCESS;
}

static char on_device[64]; // as far as the runtime can tell

/// Nothing is known of other memory than the device's.
static CUresult get_attribute(void *data, CUpointer_attribute attribute,
                              CUdeviceptr pointer) {
  (void)data, (void)attribute;
  uintptr_t begin = (uintptr_t)on_device;
  return pointer >= begin && pointer < begin + sizeof on_device
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

static CUresult alloc_pinned(void **pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  ++pinned;
  *pointer = malloc(bytes);
  return *pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void copy_in(agpu__pool_stream *stream) {
  char bytes[sizeof on_device] = {1};
  const agpu__op_name op = {.what = "copy"};
  CUdeviceptr to = (CUdeviceptr)(uintptr_t)on_device;
  CUdeviceptr from = (CUdeviceptr)(uintptr_t)bytes;
  const agpu__copy_side target = agpu__copy_side_of(to, sizeof bytes);
  const agpu__copy_side source = agpu__copy_side_of(from, sizeof bytes);
  agpu__copy copy;
  agpu__copy_begin(&copy, &device, stream, stream->handle, &target, &source,
                   sizeof bytes, 1, &op);
  CHECK(!agpu__copy_end(&copy, agpu__copy_row(&copy, to, from, sizeof bytes)));
}

static void *use_stream(void *argument) {
  agpu__pool_stream *stream;
  uint64_t loan;
  CHECK(!agpu__stream_pool_acquire(&device, 0, NULL, &stream, &loan));
  copy_in(stream);
  agpu__stream_pool_release(stream, NULL);
  return argument;
}

static CUresult free_pinned(void *pointer) {
  static bool is_inside;
  if (!is_inside) {
    is_inside = true;
    pthread_t other;
    CHECK(pthread_create(&other, NULL, use_stream, NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
  }
  --pinned;
  free(pointer);
  return CUDA_SUCCESS;
}

static CUresult copy(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                     CUstream stream) {
  (void)stream;
  memcpy((void *)(uintptr_t)target, (const void *)(uintptr_t)source, bytes);
  return CUDA_SUCCESS;
}

static CUresult call(CUstream stream, CUhostFn function, void *argument) {
  (void)stream;
  function(argument);
  return CUDA_SUCCESS;
}

static const agpu__driver driver = {.name = "test",
                                    .cuCtxSetCurrent = set_current,
                                    .cuStreamCreate = create_stream,
                                    .cuStreamDestroy = destroy_stream,
                                    .cuStreamQuery = query_stream,
                                    .cuPointerGetAttribute = get_attribute,
                                    .cuMemHostAlloc = alloc_pinned,
                                    .cuMemFreeHost = free_pinned,
                                    .cuMemcpyAsync = copy,
                                    .cuLaunchHostFunc = call};
static agpu__shared shared;

int main(void) {
  shared.pins = agpu__pins_create();
  device = (agpu__device){.driver = &driver, .opening = 1, .shared = &shared};
  // With one stream at most: the one that is leaving does not count.
  device.streams = agpu__stream_pool_create(1, 1);
  (void)use_stream(NULL);
  CHECK_EQ(pinned, 1);
  CHECK(!agpu__stream_pool_trim(&device)); // it has been used
  CHECK_EQ(destroyed, 0);
  (void)agpu__stream_pool_trim(&device);
  // The one that has come in between stays, with its buffer.
  CHECK_EQ(created, 2);
  CHECK_EQ(destroyed, 1);
  CHECK_EQ(pinned, 1);
  CHECK(!agpu__stream_pool_trim(&device));
  CHECK(agpu__stream_pool_trim(&device));
  CHECK_EQ(destroyed, 2);
  CHECK_EQ(pinned, 0);
  // Both places are used again.
  (void)use_stream(NULL);
  CHECK_EQ(agpu__stream_pool_count_lent(device.streams), 0);
  agpu__stream_pool_destroy(device.streams);
  CHECK_EQ(destroyed, created);
  CHECK_EQ(pinned, 0);
  return 0;
}
