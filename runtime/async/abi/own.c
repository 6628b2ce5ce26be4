//===- own.c - What compiled programs call of this runtime alone ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What include/async_gpu/object.h promises to compiled programs, as calls of
// the functions of object.h and of the executor, of a runtime that has started.
// Frames of coroutines are counted, so that what a program leaves suspended at
// its end can be told. Nothing is kept here.
//
//===----------------------------------------------------------------------===//

#include "async/lifecycle.h"
#include "async/object.h"
#include "async_gpu/object.h"
#include "base/memory/counter.h"
#include "base/memory/magazine.h"
#include "base/report/fatal.h"
#include "base/report/status_track.h"
#include "exec/executor.h"

#include <stdlib.h>

bool agpu_object_is_ready(agpu_object *object) {
  return agpu__object_has_ended(object);
}

bool agpu_object_is_enqueued(agpu_object *object) {
  return agpu__object_satisfies(object, AGPU__NEED_ENQUEUED);
}

bool agpu_object_is_error(agpu_object *object) {
  if (!agpu__object_has_failed(object))
    return false;
  agpu__object_observe(object);
  return true;
}

bool agpu_object_has_failed(agpu_object *object) {
  return agpu__object_has_failed(object);
}

void agpu_execute(void *handle, agpu_coro_resume resume, uint32_t results) {
  agpu__lifecycle_start();
  if (!agpu__hot.exec.seat)
    agpu__object_name_task(results);
  agpu__exec_submit((agpu__task){handle, resume});
  agpu__exec_throttle();
}

void agpu_execute_brief(void *handle, agpu_coro_resume resume) {
  agpu__lifecycle_start();
  agpu__exec_submit(agpu__task_as_brief((agpu__task){handle, resume}));
  agpu__exec_throttle();
}

void agpu_execute_after(agpu_object *object, void *handle,
                        agpu_coro_resume resume, bool brief,
                        const char *location) {
  agpu__lifecycle_start();
  agpu__task task = {handle, resume};
  agpu__object_await_and_submit(object, AGPU__NEED_READY,
                                brief ? agpu__task_as_brief(task) : task,
                                location);
  agpu__exec_throttle();
}

void agpu_object_emplace_last(agpu_object *object) {
  agpu__object_emplace_last(object);
}

bool agpu_start_here(void) { return agpu__exec_run_inline(); }

void agpu_started_here(bool suspended) { agpu__exec_started_here(suspended); }

void agpu_throttle(void) { agpu__exec_throttle(); }

void agpu_object_await_enqueued(agpu_object *object) {
  agpu__object_await(object, AGPU__NEED_ENQUEUED, NULL);
}

void agpu_object_await_enqueued_and_execute(agpu_object *object, void *handle,
                                            agpu_coro_resume resume) {
  agpu__object_await_and_submit(object, AGPU__NEED_ENQUEUED,
                                (agpu__task){handle, resume}, NULL);
}

bool agpu_object_enqueued_or_execute(agpu_object *object, void *handle,
                                     agpu_coro_resume resume) {
  if (agpu__object_satisfies(object, AGPU__NEED_ENQUEUED))
    return true;
  agpu_object_await_enqueued_and_execute(object, handle, resume);
  return false;
}

void agpu_object_await_either(agpu_object *object, const char *location) {
  agpu__object_await(object, AGPU__NEED_READY, location);
}

void agpu_object_await(agpu_object *object, const char *location) {
  agpu_object_await_either(object, location);
  agpu_object_check(object, location);
}

void agpu_object_await_and_execute(agpu_object *object, void *handle,
                                   agpu_coro_resume resume,
                                   const char *location) {
  agpu__object_await_and_submit(object, AGPU__NEED_READY,
                                (agpu__task){handle, resume}, location);
}

int64_t agpu_group_add(agpu_object *group, agpu_object *member) {
  return agpu__group_add_owned(group, member);
}

void agpu_value_own_payload(agpu_object *value) { value->owns_payload = true; }

void agpu_object_set_error(agpu_object *object, const char *message,
                           const char *location) {
  agpu__object_fail(object, agpu_status_create(AGPU_STATUS_PROGRAM, location,
                                               "%s", message ? message : ""));
}

/// The status of an object that has failed, as a new reference, or NULL.
static agpu_status retain_status(agpu_object *object) {
  if (!agpu__object_has_failed(object))
    return AGPU_OK;
  return agpu_status_retain(
      atomic_load_explicit(&object->status, memory_order_acquire));
}

void agpu_object_forward_error(agpu_object *object, agpu_object *from) {
  agpu_status status = retain_status(from);
  if (!status)
    status = agpu_status_create(AGPU_STATUS_INTERNAL, NULL,
                                "an error was forwarded from an object that "
                                "has none");
  agpu__object_fail(object, status);
}

void agpu_object_check(agpu_object *object, const char *location) {
  agpu_status status = retain_status(object);
  if (status)
    agpu__fatal(status, location, EXIT_FAILURE);
}

static agpu_status allocation_status(int64_t bytes, const char *location) {
  return bytes == INT64_MAX
             ? agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, location,
                                  "a memref larger than the address space")
             : agpu_status_create(
                   AGPU_STATUS_OUT_OF_RESOURCES, location,
                   "allocation of %lld bytes on the host: out of memory",
                   (long long)bytes);
}

void agpu_check_allocation(bool ok, int64_t bytes, const char *location) {
  if (!ok)
    agpu__fatal(allocation_status(bytes, location), location, EXIT_FAILURE);
}

void agpu_object_set_out_of_memory(agpu_object *object, int64_t bytes,
                                   const char *location) {
  agpu__object_fail(object, allocation_status(bytes, location));
}

agpu_status agpu_object_get_status(agpu_object *object) {
  agpu_status status = retain_status(object);
  agpu__status_observe(status);
  return status;
}

//===----------------------------------------------------------------------===//
// Frames of coroutines
//===----------------------------------------------------------------------===//

void *agpu_frame_alloc(int64_t size, int64_t alignment) {
  void *frame = agpu__magazine_alloc(size, alignment, "a coroutine's frame");
  agpu__counter_add(AGPU__COUNT_FRAMES, 1);
  return frame;
}

void agpu_frame_free(void *frame) {
  if (!frame)
    return;
  agpu__counter_add(AGPU__COUNT_FRAMES, -1);
  agpu__magazine_free(frame);
}
