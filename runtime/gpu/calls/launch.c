//===- launch.c - Launching kernels ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch on a stream of the program's own is put between the work before and
// after it on the loan by two events.
//
//===----------------------------------------------------------------------===//

#include "gpu/calls/loan.h"
#include "gpu/driver/gate.h"
#include "gpu/kernel/geometry.h"
#include "gpu/kernel/module.h"
#include "gpu/process/devices.h"

#include <limits.h>
#include <string.h>

/// More dimensions than any program has.
#define MAX_RANK 64

/// The loan's work so far comes before what follows on `own`, a stream of the
/// program's own.
static CUresult fork_to(agpu_stream *loan, CUstream own) {
  agpu__event *event = agpu__loan_record(loan);
  if (!event)
    return CUDA_SUCCESS; // the loan has the error
  CUresult result = CUDA_SUCCESS;
  agpu_status status = agpu__event_record(event);
  if (status)
    agpu__loan_fail(loan, status);
  else
    result = loan->device->driver->cuStreamWaitEvent(own, event->handle, 0);
  agpu__event_release(event);
  return result;
}

/// What is on `own` comes before what follows on the loan.
static CUresult join_from(agpu_stream *loan, CUstream own) {
  const agpu__driver *driver = loan->device->driver;
  CUevent event;
  agpu_status status =
      agpu__event_take_handle(loan->device, &loan->last, &event);
  if (status) {
    agpu__loan_fail(loan, status);
    return CUDA_SUCCESS;
  }
  CUresult result = driver->cuEventRecord(event, own);
  if (!result)
    result = driver->cuStreamWaitEvent(loan->stream->handle, event, 0);
  (void)agpu__event_give_handle(loan->device, event);
  return result;
}

static CUresult launch_on(agpu_stream *loan, CUstream own,
                          const agpu__geometry *geometry, CUfunction function,
                          void **params, const agpu__op_name *op) {
  const agpu__driver *driver = loan->device->driver;
  if (!own)
    return agpu__geometry_launch(geometry, driver, function,
                                 loan->stream->handle, params, NULL);
  // One of the pool's may be asked for an event by others.
  agpu__pool_stream *pool = agpu__devices_find_stream(own);
  if (pool)
    agpu__event_settle(pool);
  CUresult result = fork_to(loan, own);
  if (result || loan->error)
    return result;
  agpu__driver_set_origin(op);
  result = agpu__geometry_launch(geometry, driver, function, own, params, NULL);
  if (pool)
    atomic_fetch_add_explicit(&pool->position, 1, memory_order_release);
  return result ? result : join_from(loan, own);
}

/// Any launch, of a size that may be none. The loan has begun with `op`.
static void launch(agpu_stream *loan, agpu_kernel_desc *kernel, CUstream own,
                   const agpu__geometry *geometry, void **params,
                   const agpu__op_name *op) {
  if (!agpu__geometry_fits(geometry)) {
    agpu__loan_reject(loan, op->location,
                      "launch of kernel '%s' with a size out of range: %s",
                      kernel->name, agpu__geometry_print(geometry).text);
    return;
  }
  if (agpu__geometry_is_empty(geometry))
    return;
  CUfunction function;
  agpu_status status = agpu__module_get_function(
      loan->device, kernel, (unsigned)geometry->shared_bytes, op->location,
      &function);
  if (status) {
    agpu__loan_fail(loan, status);
    return;
  }
  CUresult result = launch_on(loan, own, geometry, function, params, op);
  if (result)
    agpu__loan_fail_call(loan, result, op, "launch of kernel '%s' with %s",
                         kernel->name, agpu__geometry_print(geometry).text);
  else if (!loan->error)
    agpu__loan_enqueued(loan, op);
}

void agpu_launch_with(agpu_stream *loan, agpu_kernel_desc *kernel,
                      int64_t grid_x, int64_t grid_y, int64_t grid_z,
                      int64_t block_x, int64_t block_y, int64_t block_z,
                      int64_t cluster_x, int64_t cluster_y, int64_t cluster_z,
                      int64_t shared_bytes, void *own_stream, void **params,
                      const char *location) {
  const agpu__op_name op = {
      .what = "launch of kernel", .kernel = kernel->name, .location = location};
  const agpu__geometry geometry = {.cluster = {cluster_x, cluster_y, cluster_z},
                                   .grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes};
  if (agpu__loan_begin(loan, &op))
    launch(loan, kernel, own_stream, &geometry, params, &op);
}

static __attribute__((noinline, cold)) void
fail(agpu_stream *loan, const agpu_kernel_desc *kernel, CUresult result,
     int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
     int64_t block_y, int64_t block_z, int64_t shared_bytes,
     const char *location) {
  const agpu__geometry geometry = {.cluster = {1, 1, 1},
                                   .grid = {grid_x, grid_y, grid_z},
                                   .block = {block_x, block_y, block_z},
                                   .shared_bytes = shared_bytes};
  agpu__loan_fail_call(loan, result, &(agpu__op_name){.location = location},
                       "launch of kernel '%s' with %s", kernel->name,
                       agpu__geometry_print(&geometry).text);
}

// Nearly all launches are within limits, of a kernel that is loaded. So what is
// only needed for others has no place in memory here.
void agpu_launch(agpu_stream *loan, agpu_kernel_desc *kernel, int64_t grid_x,
                 int64_t grid_y, int64_t grid_z, int64_t block_x,
                 int64_t block_y, int64_t block_z, int64_t shared_bytes,
                 void **params, const char *location) {
  const agpu__op_name op = {
      .what = "launch of kernel", .kernel = kernel->name, .location = location};
  if (!agpu__loan_begin(loan, &op))
    return;
  // One less: of 0 that is too large, too.
  uint64_t sizes = ((uint64_t)grid_x - 1) | ((uint64_t)grid_y - 1) |
                   ((uint64_t)grid_z - 1) | ((uint64_t)block_x - 1) |
                   ((uint64_t)block_y - 1) | ((uint64_t)block_z - 1);
  CUfunction function =
      agpu__module_find_function(loan->device, kernel, (uint64_t)shared_bytes);
  if (!function || sizes >= INT_MAX) {
    agpu_launch_with(loan, kernel, grid_x, grid_y, grid_z, block_x, block_y,
                     block_z, 1, 1, 1, shared_bytes, NULL, params, location);
    return;
  }
  const agpu__driver *driver = loan->device->driver;
  agpu__gate_slot *begun = agpu__gate_begin(&driver);
  CUresult result = driver->cuLaunchKernel(
      function, (unsigned)grid_x, (unsigned)grid_y, (unsigned)grid_z,
      (unsigned)block_x, (unsigned)block_y, (unsigned)block_z,
      (unsigned)shared_bytes, loan->stream->handle, params, NULL);
  agpu__gate_end(begun);
  if (!result)
    agpu__loan_enqueued(loan, &op);
  else
    fail(loan, kernel, result, grid_x, grid_y, grid_z, block_x, block_y,
         block_z, shared_bytes, location);
}

void *agpu_descriptor_copy(agpu_stream *loan, int64_t rank,
                           const void *descriptor, const char *location) {
  if (!agpu__loan_enter(loan))
    return NULL;
  // As a memref without a rank that nobody gave a value has it.
  if (rank < 0 || rank > MAX_RANK || !descriptor) {
    agpu__loan_reject(loan, location,
                      "a memref without a rank, of rank %lld and with its "
                      "descriptor at %p, was passed to a kernel",
                      (long long)rank, descriptor);
    return NULL;
  }
  size_t bytes = (3 + 2 * (size_t)rank) * sizeof(int64_t);
  void *copy = agpu_alloc(loan, (int64_t)bytes, true, location);
  if (copy)
    memcpy(copy, descriptor, bytes);
  return copy;
}
