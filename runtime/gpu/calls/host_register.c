//===- host_register.c - Host memory known to the device ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges and memrefs that a region registers, and unregisters after its work
// (memory/host_memory.c).
//
//===----------------------------------------------------------------------===//

#include "gpu/calls/loan.h"
#include "gpu/memory/memory.h"

void agpu_host_register(agpu_stream *loan, void *pointer, int64_t bytes,
                        const char *location) {
  if (!agpu__loan_enter(loan))
    return;
  agpu_status status =
      agpu__host_memory_register(loan->device, pointer, bytes, location);
  if (status)
    agpu__loan_fail(loan, status);
}

void agpu_host_unregister(agpu_stream *loan, void *pointer,
                          const char *location) {
  const agpu__op_name op = {.what = "unregistering of host memory",
                            .location = location};
  agpu__event *event =
      agpu__loan_begin(loan, &op) ? agpu__loan_record(loan) : NULL;
  if (!event)
    return;
  bool last;
  agpu_status status =
      agpu__host_memory_unregister_behind(event, pointer, location, &last);
  // A token from here on has an event of its own, which comes later.
  if (last)
    agpu__loan_enqueued(loan, &op);
  if (status)
    agpu__loan_fail(loan, status);
  agpu__event_release(event);
}

static void fail(agpu_stream *stream, const char *op, const char *location) {
  if (agpu__loan_enter(stream))
    agpu__loan_reject(stream, location,
                      "%s of a memref whose elements are not contiguous", op);
}

void agpu_host_register_memref(agpu_stream *stream, int64_t rank,
                               void *descriptor, int64_t element_bytes,
                               const char *location) {
  char *pointer;
  int64_t bytes;
  if (agpu__memref_is_dense(descriptor, rank, element_bytes, &pointer, &bytes))
    agpu_host_register(stream, pointer, bytes, location);
  else
    fail(stream, "gpu.host_register", location);
}

void agpu_host_unregister_memref(agpu_stream *stream, int64_t rank,
                                 void *descriptor, int64_t element_bytes,
                                 const char *location) {
  char *pointer;
  int64_t bytes;
  if (agpu__memref_is_dense(descriptor, rank, element_bytes, &pointer, &bytes))
    agpu_host_unregister(stream, pointer, location);
  else
    fail(stream, "gpu.host_unregister", location);
}
