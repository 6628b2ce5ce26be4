//===- current.c - The stream of a call that enqueues ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loan that a call of compiled code may enqueue on, for the function that
// is called.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "base/os/thread.h"
#include "gpu/calls/loan.h"

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
