//===- enqueued_call.c - Calls once objects are enqueued ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a region that waits for nothing but its operands' work to be enqueued
// does about it. `next` counts the objects that are: the thread
// that enqueues the last one goes on with the call, one thread at a time.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/object.h"

#include "async/object.h"
#include "base/trace/names.h"

/// A frame begins with this.
typedef struct enqueued_call {
  void (*body)(void *frame);
  uint32_t result_count, awaited_count, object_count;
  uint32_t next;          ///< of `objects`, to wait for
  agpu_object *objects[]; ///< results, awaited ones, others
} enqueued_call;

_Static_assert(sizeof(enqueued_call) == AGPU_ENQUEUED_CALL_BYTES,
               "compiled code leaves as much room");

/// Values before the token: a waiter for the token sees them.
static void fail(enqueued_call *self, agpu_object *from) {
  for (uint32_t i = self->result_count; i-- > 0;)
    agpu_object_forward_error(self->objects[i], from);
  for (uint32_t i = self->result_count; i < self->object_count; ++i)
    mlirAsyncRuntimeDropRef(self->objects[i], 1);
}

static void go_on(void *handle) {
  enqueued_call *self = handle;
  uint32_t end = self->result_count + self->awaited_count;
  for (; self->next < end; ++self->next) {
    agpu_object *object = self->objects[self->next];
    if (!agpu_object_enqueued_or_execute(object, self, go_on))
      return; // it may be running elsewhere by now
    if (!agpu__object_has_failed(object))
      continue;
    fail(self, object);
    agpu_frame_free(self);
    return;
  }
  self->body(self);
  agpu_frame_free(self);
}

/// A task that goes on is known by its body.
static void __attribute__((constructor)) tell_traces(void) {
  agpu__trace_know_resume(go_on);
}

void agpu_call_enqueued(void *frame, void (*body)(void *frame),
                        uint32_t result_count, uint32_t awaited_count,
                        uint32_t object_count) {
  enqueued_call *self = frame;
  self->body = body;
  self->result_count = result_count;
  self->awaited_count = awaited_count;
  self->object_count = object_count;
  self->next = result_count;
  go_on(self);
}
