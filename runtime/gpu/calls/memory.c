//===- memory.c - Allocation, copies and fills ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stream-ordered memory is the driver's. All other is a block of the device
// (memory/block.c), whichever stream it was allocated on and is freed after.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/memory.h"

#include "gpu/calls/loan.h"
#include "gpu/graph/record.h"
#include "gpu/process/devices.h"
#include "gpu/stream/copy.h"

static CUdeviceptr device_pointer(const void *pointer) {
  return (CUdeviceptr)(uintptr_t)pointer;
}

/// A size that compiled code has computed: what does not fit is INT64_MAX. Puts
/// the loan into error for a negative one, too.
static bool is_size(agpu_stream *loan, int64_t value, const char *what,
                    const char *location) {
  if (value >= 0 && value < INT64_MAX)
    return true;
  if (value < 0)
    agpu__loan_reject(loan, location, "%s with a negative size: %lld", what,
                      (long long)value);
  else
    agpu__loan_reject(loan, location, "%s larger than the address space", what);
  return false;
}

static CUresult alloc_ordered(agpu_stream *loan, size_t bytes,
                              CUdeviceptr *out_pointer) {
  const agpu__device *device = loan->device;
  CUresult result;
  do
    result = device->driver->cuMemAllocAsync(out_pointer, bytes,
                                             loan->stream->handle);
  while (result == CUDA_ERROR_OUT_OF_MEMORY &&
         agpu__sites_release_memory(agpu__devices_find(device->ordinal)));
  return result;
}

void *agpu_alloc(agpu_stream *loan, int64_t bytes, bool host_shared,
                 const char *location) {
  const agpu__op_name op = {.what = "allocation", .location = location};
  if (!agpu__loan_begin(loan, &op) || !is_size(loan, bytes, op.what, location))
    return NULL;
  const agpu__device *device = loan->device;
  // Drivers refuse to allocate nothing; the result must be good to free. LLVM
  // makes a load of 12 bytes one of 16 where these are aligned.
  size_t size = bytes ? (size_t)bytes : 1;
  if (device->kind == AGPU_DEVICE_CUDA)
    size = (size + 15) & ~(size_t)15;
  CUdeviceptr pointer = 0;
  bool ordered = device->memory_pools && !host_shared;
  CUresult result = ordered ? alloc_ordered(loan, size, &pointer)
                            : agpu__block_alloc(device, loan->stream, size,
                                                host_shared, &pointer);
  if (result) {
    agpu__loan_fail_call(
        loan, result, &op, "allocation of %lld bytes of %s memory",
        (long long)bytes, host_shared ? "host-shared" : "device");
    return NULL;
  }
  if (ordered)
    agpu__loan_enqueued(loan, &op);
  return (void *)(uintptr_t)pointer;
}

/// The device that stream-ordered memory at `pointer` is on. NULL where the
/// driver fails to say, and the loan has its error then.
static const agpu__device *find_owner(agpu_stream *loan, CUdeviceptr pointer,
                                      const agpu__op_name *op) {
  if (!agpu__devices_are_several())
    return loan->device;
  int ordinal = 0;
  CUresult result = loan->device->driver->cuPointerGetAttribute(
      &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
  if (result == CUDA_ERROR_INVALID_VALUE)
    return loan->device; // which is about to say what is wrong with it
  if (result) {
    agpu__loan_fail_call(loan, result, op, "%s", op->what);
    return NULL;
  }
  if (ordinal == loan->device->ordinal)
    return loan->device; // it may be one that records
  const agpu__device *device = agpu__devices_find(ordinal);
  return device ? agpu__record_device(loan->device, device) : loan->device;
}

/// Frees memory of another device after the loan's work so far, on a stream of
/// that device: memory goes back to its pool in the order of one of its own.
static agpu_status free_on_owner(agpu_stream *loan, const agpu__device *owner,
                                 CUdeviceptr pointer, const agpu__op_name *op) {
  agpu__event *event = agpu__loan_record(loan);
  if (!event)
    return AGPU_OK; // the loan has the error
  agpu__pool_stream *stream;
  uint64_t number;
  agpu_status status =
      agpu__stream_pool_acquire(owner, 0, op->location, &stream, &number);
  if (!status) {
    status = agpu__event_wait(stream, event, op->location);
    agpu__device_enter(owner);
    CUresult result =
        status ? CUDA_SUCCESS
               : owner->driver->cuMemFreeAsync(pointer, stream->handle);
    if (result)
      status = agpu__driver_error(owner->driver, result, op->location,
                                  "%s of memory of device %d", op->what,
                                  (int)owner->ordinal);
    atomic_fetch_add_explicit(&stream->position, 1, memory_order_release);
    agpu__stream_pool_release(stream, op);
  }
  agpu__event_release(event);
  return status;
}

static void free_ordered(agpu_stream *loan, CUdeviceptr pointer,
                         const agpu__op_name *op) {
  const agpu__device *owner = find_owner(loan, pointer, op);
  if (!owner)
    return;
  if (owner == loan->device) {
    CUresult result =
        owner->driver->cuMemFreeAsync(pointer, loan->stream->handle);
    if (result)
      agpu__loan_fail_call(loan, result, op, "%s", op->what);
    else
      agpu__loan_enqueued(loan, op);
    return;
  }
  agpu_status status = free_on_owner(loan, owner, pointer, op);
  if (status)
    agpu__loan_fail(loan, status);
}

void agpu_dealloc(agpu_stream *loan, void *pointer, const char *location) {
  const agpu__op_name op = {.what = "deallocation", .location = location};
  if (!pointer || !agpu__loan_begin(loan, &op))
    return;
  const agpu__device *owner = agpu__devices_find_block(device_pointer(pointer));
  if (owner) {
    agpu__event *event = agpu__loan_record(loan);
    if (event)
      agpu__block_free(owner, device_pointer(pointer), event);
  } else if (loan->device->memory_pools) {
    free_ordered(loan, device_pointer(pointer), &op);
  } else {
    agpu__loan_reject(loan, location,
                      "deallocation of %p, which is not allocated", pointer);
  }
}

void agpu_memcpy(agpu_stream *loan, void *target, const void *source,
                 int64_t bytes, const char *location) {
  const agpu__op_name op = {.what = "copy", .location = location};
  if (!agpu__loan_begin(loan, &op) ||
      !is_size(loan, bytes, op.what, location) || bytes == 0 ||
      target == source)
    return;
  uintptr_t to = (uintptr_t)target, from = (uintptr_t)source;
  if ((to > from ? to - from : from - to) < (uint64_t)bytes) {
    agpu__loan_reject(loan, location, "copy between memrefs that overlap");
    return;
  }
  const agpu__copy_side target_side =
      agpu__copy_side_of(device_pointer(target), (size_t)bytes);
  const agpu__copy_side source_side =
      agpu__copy_side_of(device_pointer(source), (size_t)bytes);
  agpu__copy copy;
  agpu__copy_begin(&copy, loan->device, loan->stream, loan->stream->handle,
                   &target_side, &source_side, (size_t)bytes, 1, &op);
  CUresult result = agpu__copy_end(
      &copy, agpu__copy_row(&copy, device_pointer(target),
                            device_pointer(source), (size_t)bytes));
  if (result)
    agpu__loan_fail_call(loan, result, &op, "copy of %lld bytes from %p to %p",
                         (long long)bytes, source, target);
  else
    agpu__loan_enqueued(loan, &op);
}
