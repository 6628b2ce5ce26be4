//===- staging.c - Messages of device memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that takes device pointers gets them: what compiled code sends is
// complete on the device by then. For any other the elements are copied, side
// by side, to or from memory of the host, on a stream of its own: through the
// stream's pinned buffers, piece by piece (gpu/stream/copy.h). No thread waits
// for a copy: the request goes on with a task behind it.
//
// A message stays one message, so that the other side may be anything that
// speaks MPI.
//
//===----------------------------------------------------------------------===//

#include "mpi/staging.h"

#include "async_gpu/stream.h"
#include "base/memory/memory.h"
#include "gpu/process/devices.h"
#include "mpi/world.h"

/// A copy on its way, and what comes behind it.
typedef struct copying {
  agpu__mpi_request *request;
  agpu_object *token; // one reference
  void (*then)(agpu__mpi_request *request);
} copying;

/// Whether the view is of memory that the host cannot address.
static bool is_on_device(const agpu__mpi_view *view) {
  const agpu__device *device = agpu__devices_next(NULL);
  if (!device || !view->count)
    return false;
  agpu__device_enter(device);
  unsigned type = 0;
  CUresult result = device->driver->cuPointerGetAttribute(
      &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)view->pointer);
  return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE;
}

static bool takes_device_memory(void) {
  agpu_device_kind kind;
  int (*query)(void) = agpu__the_mpi_world.library.query_cuda_support;
  agpu_status status = agpu_runtime_get_device(&kind);
  bool takes = !status && kind == AGPU_DEVICE_CUDA && query && query() == 1;
  agpu_status_release(status);
  return takes;
}

/// Enqueues a copy between the elements of `view` and `packed`.
static void copy(agpu_stream *stream, const agpu__mpi_view *view, void *packed,
                 bool out, const char *location) {
  int64_t rank = view->rank + 1;
  int64_t *numbers = agpu__memory_alloc(3 * rank * (int64_t)sizeof(int64_t),
                                        _Alignof(int64_t), "a copy");
  int64_t *sizes = numbers, *strides = numbers + rank;
  int64_t *dense = numbers + 2 * rank;
  for (int64_t i = 0; i < view->rank; ++i) {
    sizes[i] = view->dims[i].size;
    strides[i] = view->dims[i].stride / view->value_bytes;
  }
  sizes[view->rank] = view->run;
  strides[view->rank] = 1;
  int64_t below = 1;
  for (int64_t i = rank; i-- > 0; below *= sizes[i])
    dense[i] = below;
  if (out)
    agpu_memcpy_strided(stream, packed, view->pointer, rank, sizes, dense,
                        sizes, strides, view->value_bytes, location);
  else
    agpu_memcpy_strided(stream, view->pointer, packed, rank, sizes, strides,
                        sizes, dense, view->value_bytes, location);
  agpu__memory_free(numbers);
}

/// Enqueues copies of the first `*left` values at `packed` to dimensions from
/// `dim` on, of which the first is at `pointer`. What has no value is not
/// touched: a message may be shorter than the memory for it.
static const char *copy_some(agpu_stream *stream, const agpu__mpi_view *view,
                             int64_t dim, char *pointer, const char *packed,
                             int64_t *left, const char *location) {
  if (dim == view->rank) {
    int64_t count = *left < view->run ? *left : view->run;
    agpu_memcpy(stream, pointer, packed, count * view->value_bytes, location);
    *left -= count;
    return packed + count * view->value_bytes;
  }
  for (int64_t i = 0; i < view->dims[dim].size && *left; ++i)
    packed =
        copy_some(stream, view, dim + 1, pointer + i * view->dims[dim].stride,
                  packed, left, location);
  return packed;
}

static void go_on(void *argument) {
  copying *self = argument;
  agpu__mpi_request *request = self->request;
  if (!request->failure)
    request->failure = agpu_object_get_status(self->token);
  agpu__object_release(self->token, 1);
  void (*then)(agpu__mpi_request *) = self->then;
  agpu__memory_free(self);
  then(request);
}

/// Gives the stream back; `then` follows its work.
static void follow(agpu_stream *stream, agpu__mpi_request *request,
                   void (*then)(agpu__mpi_request *request)) {
  copying *self = agpu__memory_alloc(sizeof *self, _Alignof(copying), "a copy");
  *self = (copying){request, agpu_stream_record(stream), then};
  agpu_stream_release(stream);
  agpu__object_await_and_submit(self->token, AGPU__NEED_READY,
                                (agpu__task){self, go_on}, request->location);
}

/// The same elements, side by side at `packed`.
static agpu__mpi_view pack_view(agpu__mpi_view view, char *packed) {
  view.pointer = packed;
  view.run = view.count;
  view.rank = 0;
  return view;
}

bool agpu__mpi_stage(agpu__mpi_request *request,
                     void (*then)(agpu__mpi_request *request)) {
  bool from = is_on_device(&request->from), to = is_on_device(&request->to);
  // What a reduction packs, the host reads.
  bool packs =
      !request->operation->has_peer && (request->from.rank || request->to.rank);
  if ((!from && !to) || (!packs && takes_device_memory()))
    return true;
  int64_t from_bytes = from ? agpu__mpi_view_bytes(&request->from) : 0;
  int64_t to_bytes = to ? agpu__mpi_view_bytes(&request->to) : 0;
  char *memory = request->staged = agpu__memory_alloc(
      from_bytes + to_bytes, AGPU__CACHE_LINE, "a message of device memory");
  agpu__mpi_view source = request->from;
  if (from)
    request->from = pack_view(source, memory);
  if (to) {
    request->target = request->to;
    request->to = pack_view(request->to, memory + from_bytes);
  }
  if (request->operation->is_receive) {
    request->target = source;
    return true;
  }
  if (!from)
    return true;
  agpu_stream *stream = agpu_stream_acquire(request->location);
  copy(stream, &source, memory, true, request->location);
  follow(stream, request, then);
  return false;
}

bool agpu__mpi_unstage(agpu__mpi_request *request,
                       void (*then)(agpu__mpi_request *request)) {
  if (!request->target.count)
    return true;
  agpu__mpi_view target = request->target;
  request->target = (agpu__mpi_view){0};
  const agpu__mpi_view *came =
      request->operation->is_receive ? &request->from : &request->to;
  agpu_stream *stream = agpu_stream_acquire(request->location);
  int64_t values = request->operation->is_receive
                       ? request->end.bytes / target.value_bytes
                       : target.count;
  if (values < target.count)
    (void)copy_some(stream, &target, 0, target.pointer, came->pointer, &values,
                    request->location);
  else
    copy(stream, &target, came->pointer, false, request->location);
  follow(stream, request, then);
  return false;
}
