//===- default_device.c - The choice of a device --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A change of the default device moves the rest of a region to a stream of the
// other device, after an event at the end of the one so far.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/device.h"
#include "gpu/calls/loan.h"
#include "gpu/process/devices.h"

/// Puts the loan on a stream of `device`, after its work so far.
static agpu_status move(agpu_stream *loan, const agpu__device *device,
                        const char *location) {
  agpu__pool_stream *stream;
  uint64_t number;
  agpu_status status =
      agpu__stream_pool_acquire(device, location, &stream, &number);
  if (status)
    return status;
  agpu__event *event = NULL;
  status = agpu__event_make(loan->stream, loan->number, &loan->last, &event);
  if (!status)
    status = agpu__event_wait(stream, event, location);
  if (event)
    agpu__event_release(event);
  if (status) {
    agpu__stream_pool_release(stream, NULL);
    return status;
  }
  agpu__stream_pool_release(loan->stream, &loan->last);
  loan->stream = stream;
  loan->number = number;
  return AGPU_OK;
}

void agpu_set_default_device(agpu_stream *loan, int32_t ordinal,
                             const char *location) {
  agpu_enter_device(ordinal);
  if (!agpu__loan_enter(loan) || ordinal == loan->device->ordinal)
    return;
  const agpu__device *device;
  agpu_status status = agpu__devices_get(ordinal, &device);
  // A loan without a stream has enqueued nothing yet.
  if (!status && loan->stream)
    status = move(loan, device, location);
  if (status)
    agpu__loan_fail_at(loan, status, location);
  else
    loan->device = device;
}
