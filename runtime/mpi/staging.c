//===- staging.c - Messages of device memory ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that takes device pointers gets them: what compiled code sends is
// complete on the device by then. For any other the elements are copied, side
// by side, to or from memory of the host, on a stream of its own. No thread
// waits for a copy: the request goes on with a task after it. What is long
// goes in pieces, where all ranks have agreed on that (pieces.c).
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"
#include "base/report/assert.h"
#include "gpu/process/devices.h"
#include "mpi/pieces.h"

static bool takes_device_memory(void) {
  agpu_device_kind kind;
  int (*query)(void) = agpu__the_mpi_world.library.query_cuda_support;
  agpu_status status = agpu_runtime_get_device(&kind);
  bool takes = !status && kind == AGPU_DEVICE_CUDA && query && query() == 1;
  agpu_status_release(status);
  return takes;
}

/// A copy on its way, and what comes after it.
typedef struct copying {
  agpu__mpi_request *request;
  void (*then)(agpu__mpi_request *request);
} copying;

static void go_on(void *argument, agpu_status status) {
  copying self = *(copying *)argument;
  agpu__memory_free(argument);
  if (self.request->failure)
    agpu_status_release(status);
  else
    self.request->failure = status;
  self.then(self.request);
}

/// Gives the stream back; `then` follows its work.
static void follow(agpu_stream *stream, agpu__mpi_request *request,
                   void (*then)(agpu__mpi_request *request)) {
  copying *self = agpu__memory_alloc(sizeof *self, _Alignof(copying), "a copy");
  *self = (copying){request, then};
  agpu__mpi_follow(stream, go_on, self, request->location);
  agpu_stream_release(stream);
}

static bool is_send(const agpu__mpi_request *request) {
  return request->operation->has_peer && !request->operation->is_receive;
}

/// Where memory may be a device's.
static __attribute__((noinline)) bool
stage(agpu__mpi_request *request, void (*then)(agpu__mpi_request *request)) {
  bool from = false, to = false;
  if (request->from.count)
    request->failure =
        agpu__devices_have(request->from.pointer, request->location, &from);
  if (request->to.count && !request->failure)
    request->failure =
        agpu__devices_have(request->to.pointer, request->location, &to);
  if (request->failure)
    return true;
  // What a reduction packs, the host reads.
  bool packs =
      !request->operation->has_peer && (request->from.rank || request->to.rank);
  bool stages = (from || to) && (packs || !takes_device_memory());
  if (is_send(request) && agpu__mpi_pieces_send(request, from, stages, then))
    return false;
  if (!stages)
    return true;
  int64_t from_bytes = from ? agpu__mpi_view_bytes(&request->from) : 0;
  int64_t to_bytes = to ? agpu__mpi_view_bytes(&request->to) : 0;
  char *memory = request->staged = agpu__memory_alloc(
      from_bytes + to_bytes, AGPU__CACHE_LINE, "a message of device memory");
  agpu__mpi_view source = request->from;
  if (from)
    request->from = agpu__mpi_view_packed(&source, memory);
  if (to) {
    request->target = request->to;
    request->to = agpu__mpi_view_packed(&request->to, memory + from_bytes);
  }
  if (request->operation->is_receive) {
    request->target = source;
    return true;
  }
  if (!from)
    return true;
  agpu_stream *stream = agpu_stream_acquire(request->location);
  agpu__mpi_copy_out(stream, &source, memory, request->location);
  follow(stream, request, then);
  return false;
}

bool agpu__mpi_stage(agpu__mpi_request *request,
                     void (*then)(agpu__mpi_request *request)) {
  AGPU__ASSERT(!request->failure && !request->staged);
  if (agpu__devices_are_open())
    return stage(request, then);
  return !is_send(request) ||
         !agpu__mpi_is_head(agpu__mpi_view_bytes(&request->from)) ||
         !agpu__mpi_pieces_send(request, false, false, then);
}

void agpu__mpi_unstage(agpu__mpi_request *request,
                       void (*then)(agpu__mpi_request *request)) {
  AGPU__ASSERT(!request->failure && !request->end.code);
  agpu__mpi_view target = request->target;
  request->target = (agpu__mpi_view){0};
  bool is_receive = request->operation->is_receive;
  const agpu__mpi_view *came = is_receive ? &request->from : &request->to;
  agpu_stream *stream = agpu_stream_acquire(request->location);
  agpu__mpi_copy_in(stream, &target, came->pointer,
                    is_receive ? request->end.bytes / target.value_bytes
                               : target.count,
                    request->location);
  follow(stream, request, then);
}
