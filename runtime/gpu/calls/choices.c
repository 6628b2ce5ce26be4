//===- choices.c - The choice of a device, and of a stream ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A change of the default device moves the rest of a region to a stream of the
// other device, after an event at the end of the one so far. A call of compiled
// code that enqueues chooses the loan that the callee may enqueue on.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/device.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "gpu/calls/loan.h"
#include "gpu/process/devices.h"

/// Puts the loan on a stream of `device`, after its work so far.
static agpu_status move(agpu_stream *loan, const agpu__device *device,
                        const char *location) {
  agpu__pool_stream *stream;
  uint64_t number;
  agpu_status status =
      agpu__stream_pool_acquire(device, 0, location, &stream, &number);
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

// One call after another enters and leaves on one thread: a callee that runs
// compiled code nests, and what it entered is left again before it returns.

agpu_stream *agpu_stream_enter(agpu_stream *stream) {
  agpu_stream *outer = agpu__hot.choices.stream;
  agpu__hot.choices.stream = stream;
  return outer;
}

void agpu_stream_leave(agpu_stream *stream, agpu_stream *outer,
                       const char *location) {
  agpu__hot.choices.stream = outer;
  // What the callee put on the driver's stream by itself was not counted.
  const agpu__op_name op = {.what = "work of a called function",
                            .location = location};
  if (agpu__loan_begin(stream, &op))
    agpu__loan_enqueued(stream, &op);
}

agpu_stream *agpu_stream_current(void) { return agpu__hot.choices.stream; }

void *agpu_current_stream(void) {
  // What the callee puts there may be a host function.
  agpu__thread_distrust_driver();
  // A callee may not know of the runtime and call the driver right away.
  const agpu__op_name op = {.what = "work of a called function"};
  agpu_stream *current = agpu__hot.choices.stream;
  return current && agpu__loan_begin(current, &op) ? current->stream->handle
                                                   : NULL;
}

void agpu_stream_fail(agpu_stream *stream, const char *message,
                      const char *location) {
  if (agpu__loan_enter(stream))
    agpu__loan_fail(stream, agpu_status_create(AGPU_STATUS_PROGRAM, location,
                                               "%s", message));
}
