//===- upstream.c - The functions of libmlir_async_runtime ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's lowering calls, as calls of the functions of object.h and of
// the executor. An error has no message there: the runtime makes one, and
// remembers of which the thread was told last (task_error.h).
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"

#include "async/lifecycle.h"
#include "async/object.h"
#include "async/task_error.h"
#include "base/trace/trace.h"
#include "exec/executor.h"

#include <pthread.h>
#include <stdio.h>

/// For errors that are set without one.
static const char no_message[] = "an asynchronous operation failed";

void mlirAsyncRuntimeAddRef(agpu_object *object, int64_t count) {
  agpu__object_retain(object, count);
}

void mlirAsyncRuntimeDropRef(agpu_object *object, int64_t count) {
  agpu__object_release(object, count);
}

agpu_object *mlirAsyncRuntimeCreateToken(void) {
  agpu__abort_cause_clear();
  agpu__object_announce_token();
  return agpu__object_create(AGPU__TOKEN, 0, 2);
}

agpu_object *mlirAsyncRuntimeCreateValue(int64_t size) {
  agpu__abort_cause_clear();
  return agpu__object_create(AGPU__VALUE, size, 2);
}

agpu_object *mlirAsyncRuntimeCreateGroup(int64_t size) {
  agpu__abort_cause_clear();
  return agpu__group_create(size);
}

int64_t mlirAsyncRuntimeAddTokenToGroup(agpu_object *token,
                                        agpu_object *group) {
  return agpu__group_add(group, token);
}

void mlirAsyncRuntimeEmplaceToken(agpu_object *token) {
  agpu__abort_cause_clear();
  agpu__object_emplace(token);
}

void mlirAsyncRuntimeEmplaceValue(agpu_object *value) {
  agpu__abort_cause_clear();
  agpu__object_emplace(value);
}

void mlirAsyncRuntimeSetTokenError(agpu_object *token) {
  agpu__abort_cause_clear();
  agpu__object_fail(token, agpu__task_error(no_message, NULL));
}

void mlirAsyncRuntimeSetValueError(agpu_object *value) {
  agpu__abort_cause_clear();
  agpu__object_fail(value, agpu__task_error(no_message, NULL));
}

static bool notify_of_error(agpu_object *object) {
  if (!agpu_object_is_error(object))
    return false;
  agpu__abort_cause_set(
      atomic_load_explicit(&object->status, memory_order_acquire));
  return true;
}

bool mlirAsyncRuntimeIsTokenError(agpu_object *token) {
  return notify_of_error(token);
}

bool mlirAsyncRuntimeIsValueError(agpu_object *value) {
  return notify_of_error(value);
}

bool mlirAsyncRuntimeIsGroupError(agpu_object *group) {
  return notify_of_error(group);
}

void mlirAsyncRuntimeAwaitToken(agpu_object *token) {
  agpu__abort_cause_clear();
  agpu__object_await(token, AGPU__NEED_READY, NULL);
}

void mlirAsyncRuntimeAwaitValue(agpu_object *value) {
  agpu__abort_cause_clear();
  agpu__object_await(value, AGPU__NEED_READY, NULL);
}

void mlirAsyncRuntimeAwaitAllInGroup(agpu_object *group) {
  agpu__abort_cause_clear();
  agpu__object_await(group, AGPU__NEED_READY, NULL);
}

void *mlirAsyncRuntimeGetValueStorage(agpu_object *value) {
  return agpu__object_storage(value);
}

void mlirAsyncRuntimeExecute(void *handle, agpu_coro_resume resume) {
  agpu__abort_cause_clear();
  agpu__lifecycle_start();
  if (!agpu__hot.exec.seat)
    agpu__object_guess_name();
  agpu__exec_submit((agpu__task){handle, resume});
  agpu__exec_throttle();
}

void mlirAsyncRuntimeAwaitTokenAndExecute(agpu_object *token, void *handle,
                                          agpu_coro_resume resume) {
  agpu__object_await_and_submit(token, AGPU__NEED_READY,
                                (agpu__task){handle, resume}, NULL);
}

void mlirAsyncRuntimeAwaitValueAndExecute(agpu_object *value, void *handle,
                                          agpu_coro_resume resume) {
  agpu__object_await_and_submit(value, AGPU__NEED_READY,
                                (agpu__task){handle, resume}, NULL);
}

void mlirAsyncRuntimeAwaitAllInGroupAndExecute(agpu_object *group, void *handle,
                                               agpu_coro_resume resume) {
  agpu__object_await_and_submit(group, AGPU__NEED_READY,
                                (agpu__task){handle, resume}, NULL);
}

int64_t mlirAsyncRuntimGetNumWorkerThreads(void) {
  return agpu__exec_worker_count();
}

void mlirAsyncRuntimePrintCurrentThreadId(void) {
  (void)printf("Current thread id: %lu\n", (unsigned long)pthread_self());
  (void)fflush(stdout);
}

// The map of symbols is left as it is: the engine opens the library with its
// symbols global, and finds those that the map does not have by their names.
void __mlir_execution_engine_init(void *symbols) { (void)symbols; }

void __mlir_execution_engine_destroy(void) {
  // The engine is about to unmap the code that tasks run.
  if (!agpu__exec_in_task())
    agpu__lifecycle_quiesce();
  agpu__trace_settle();
}
