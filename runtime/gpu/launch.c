//===- launch.c - Launching kernels ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/loan.h"
#include "gpu/module.h"

#include <limits.h>

/// True if all `count` sizes are numbers that the driver's types hold.
static bool are_sizes(const int64_t *sizes, int count) {
  for (int i = 0; i < count; ++i)
    if (sizes[i] < 0 || sizes[i] > UINT_MAX)
      return false;
  return true;
}

void agpu_launch(agpu_stream *loan, agpu_kernel_desc *kernel, int64_t grid_x,
                 int64_t grid_y, int64_t grid_z, int64_t block_x,
                 int64_t block_y, int64_t block_z, int64_t shared_bytes,
                 void **params, const char *location) {
  const agpu__op_name op = {
      .what = "launch of kernel", .kernel = kernel->name, .location = location};
  if (!agpu__loan_begin(loan, &op))
    return;
  const int64_t sizes[] = {grid_x,  grid_y,  grid_z,      block_x,
                           block_y, block_z, shared_bytes};
  if (!are_sizes(sizes, 7) || shared_bytes > INT_MAX) {
    agpu__loan_fail(
        loan, agpu_status_create(
                  AGPU_STATUS_INVALID_ARGUMENT, location,
                  "launch of kernel '%s' with a size out of range: grid "
                  "%lldx%lldx%lld, block %lldx%lldx%lld, %lld bytes of shared "
                  "memory",
                  kernel->name, (long long)grid_x, (long long)grid_y,
                  (long long)grid_z, (long long)block_x, (long long)block_y,
                  (long long)block_z, (long long)shared_bytes));
    return;
  }
  // Drivers refuse an empty grid; programs compute one for an empty range.
  if (grid_x == 0 || grid_y == 0 || grid_z == 0)
    return;

  CUfunction function;
  agpu_status status = agpu__module_get_function(
      loan->device, kernel, (unsigned)shared_bytes, location, &function);
  if (status) {
    agpu__loan_fail(loan, status);
    return;
  }
  CUresult result = loan->device->driver->cuLaunchKernel(
      function, (unsigned)grid_x, (unsigned)grid_y, (unsigned)grid_z,
      (unsigned)block_x, (unsigned)block_y, (unsigned)block_z,
      (unsigned)shared_bytes, loan->stream->handle, params, NULL);
  if (result) {
    agpu__loan_fail(
        loan, agpu__driver_error(
                  loan->device->driver, result, location,
                  "launch of kernel '%s' with grid %lldx%lldx%lld, block "
                  "%lldx%lldx%lld and %lld bytes of shared memory",
                  kernel->name, (long long)grid_x, (long long)grid_y,
                  (long long)grid_z, (long long)block_x, (long long)block_y,
                  (long long)block_z, (long long)shared_bytes));
    return;
  }
  agpu__loan_enqueued(loan, &op);
}
