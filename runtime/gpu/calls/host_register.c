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

/// A ranked memref's descriptor in memory: two pointers, the offset, then
/// `rank` sizes and as many strides, all 64 bits wide.
typedef struct memref_descriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizes_and_strides[];
} memref_descriptor;

bool agpu__memref_is_dense(const void *descriptor, int64_t rank,
                           int64_t element_bytes, char **out_pointer,
                           int64_t *out_bytes) {
  const memref_descriptor *memref = descriptor;
  // Dense: as many elements as there are places from the first to the last.
  int64_t count = 1, first = 0, last = 0, begin, reach;
  bool fits = true;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = memref->sizes_and_strides[i];
    fits &=
        size >= 0 && !__builtin_mul_overflow(
                         size - 1, memref->sizes_and_strides[rank + i], &reach);
    if (!fits)
      return false;
    int64_t *end = reach < 0 ? &first : &last;
    fits &= !__builtin_add_overflow(*end, reach, end) &&
            !__builtin_mul_overflow(count, size, &count);
  }
  if (count == 0)
    first = last = 0;
  if (!fits || __builtin_add_overflow(memref->offset, first, &begin) ||
      __builtin_mul_overflow(begin, element_bytes, &begin) ||
      __builtin_mul_overflow(count, element_bytes, out_bytes) ||
      __builtin_sub_overflow(last, first, &reach))
    return false;
  *out_pointer = memref->aligned + begin;
  return count == 0 || reach == count - 1;
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
