//===- failed_loan.c - A region that fails while its work goes on ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread that enqueues waits for nothing: here what is enqueued before the
// error only ends once that thread goes on. Who awaits the region gets the
// error when that work is over, and work that depends on it is not run.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include "base/report/status_track.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_bool goes_on, is_over;

static void nap(void) {
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void run_hold(void *const *params, const agpu_native_block *block) {
  (void)params;
  (void)block;
  while (!atomic_load(&goes_on))
    nap();
  for (int i = 0; i < 20; ++i)
    nap(); // for who does not wait
  atomic_store(&is_over, true);
}

static const agpu_native_kernel kernel = {.name = "hold", .run = run_hold};
static agpu_native_image image = {AGPU_NATIVE_MAGIC, 1, &kernel};
static const agpu_image_desc images[] = {
    {AGPU_IMAGE_NATIVE, 0, 0, 0, &image, sizeof image}};
static agpu_module_desc module = {AGPU_MODULE_VERSION, 1, "hold", images, NULL};
static agpu_kernel_desc hold = {.module = &module, .name = "hold"};

/// A region whose kernel runs until the program goes on, and whose copy fails.
static agpu_stream *begin(void) {
  atomic_store(&goes_on, false);
  atomic_store(&is_over, false);
  int64_t host = 0;
  agpu_stream *failing = agpu_stream_acquire("f.mlir:1:1");
  agpu_launch(failing, &hold, 1, 1, 1, 1, 1, 1, 0, NULL, "f.mlir:2:1");
  agpu_memcpy(failing, &host, &host, -1, "f.mlir:3:1");
  return failing;
}

static void check_error(agpu_object *object) {
  const char *text = get_error_and_drop(object);
  CHECK(atomic_load(&is_over));
  CHECK(strstr(text, "f.mlir:3:1"));
}

/// A token that is recorded, and one that depends on it.
static void with_tokens(void) {
  agpu_stream *failing = begin();
  agpu_object *failed = agpu_stream_record(failing);
  agpu_stream *next = agpu_stream_acquire("f.mlir:4:1");
  agpu_stream_wait(next, failed);
  CHECK(!agpu_alloc(next, 8, false, "f.mlir:5:1"));
  agpu_object *dependent = agpu_stream_record(next);
  agpu_stream_release(next);
  agpu_stream_release(failing);
  CHECK(!atomic_load(&is_over));
  // It has no work of its own.
  CHECK(strstr(get_error_and_drop(dependent), "f.mlir:3:1"));
  atomic_store(&goes_on, true);
  check_error(failed);
}

/// Two results of a region, and a region that would take over its stream.
static void with_results(void) {
  agpu_stream *failing = begin();
  agpu_object *first = mlirAsyncRuntimeCreateToken();
  agpu_object *second = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(first, failing);
  agpu_object_set_enqueued(second, failing);
  agpu_stream_release(failing);
  agpu_stream *next = agpu_stream_acquire("f.mlir:4:1");
  agpu_stream_continue(next, first, false);
  agpu_object *dependent = agpu_stream_record(next);
  agpu_stream_release(next);
  atomic_store(&goes_on, true);
  CHECK(strstr(get_error_and_drop(dependent), "f.mlir:3:1"));
  check_error(first);
  check_error(second);
}

/// The stream is as good as before for others, at the same position.
static void with_another_loan(void) {
  agpu_stream *failing = begin();
  agpu_object *failed = agpu_stream_record(failing);
  agpu_stream_release(failing);
  atomic_store(&goes_on, true);
  check_error(failed);
  agpu_stream *next = agpu_stream_acquire("f.mlir:4:1");
  await_and_drop(agpu_stream_record(next));
  int64_t *cell = agpu_alloc(next, 8, false, "f.mlir:5:1");
  agpu_dealloc(next, cell, "f.mlir:6:1");
  await_and_drop(agpu_stream_record(next));
  agpu_stream_release(next);
}

/// A token that is dropped before anybody has waited for it.
static void with_nobody(void) {
  agpu_stream *failing = begin();
  agpu_object *failed = agpu_stream_record(failing);
  agpu_stream_release(failing);
  mlirAsyncRuntimeDropRef(failed, 1);
  atomic_store(&goes_on, true);
  agpu_status status = agpu__status_take_reported();
  CHECK(!strcmp(agpu_status_get_location(status), "f.mlir:3:1"));
  agpu_status_release(status);
}

int main(void) {
  with_nobody();
  with_tokens();
  with_results();
  with_another_loan();
  check_end();
  return 0;
}
