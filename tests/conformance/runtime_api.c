//===- runtime_api.c - What the runtime promises, on every driver ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second part of the suite, written against the public headers alone: what
// the other part asks of a driver, asked of the runtime above it.
//
// runtime_api TEST     runs it on the device that ASYNC_GPU_DEVICE chooses;
//                      exit status 77 where what the test needs is not there
// runtime_api all      runs every test in a process of its own
// runtime_api --list   prints the tests, one a line
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/device.h"
#include "async_gpu/object.h"
#include "async_gpu/runtime.h"
#include "async_gpu/stream.h"
#include "suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRING(line) #line
#define LINE(line) STRING(line)
#define HERE __FILE__ ":" LINE(__LINE__) ":1"

// The kernels of the other part (kernels.c).
extern const char conformance_ptx[];
extern const agpu_native_image conformance_native;

static agpu_image_desc images[] = {
    {.format = AGPU_IMAGE_PTX, .chip = 60},
    {.format = AGPU_IMAGE_NATIVE},
};
static agpu_module_desc module = {.version = AGPU_MODULE_VERSION,
                                  .image_count = 2,
                                  .name = "conformance",
                                  .images = images};
static agpu_kernel_desc increment = {.module = &module, .name = "increment"};
static agpu_kernel_desc store = {.module = &module, .name = "store"};

static void launch_increment(agpu_stream *stream, void *cell) {
  agpu_launch(stream, &increment, 1, 1, 1, 1, 1, 1, 0, (void *[]){&cell}, HERE);
}

/// The end of the work on the stream, which is given back.
static agpu_object *finish(agpu_stream *stream) {
  agpu_object *end = agpu_stream_record(stream);
  agpu_stream_release(stream);
  return end;
}

static void await_and_drop(agpu_object *object) {
  agpu_object_await(object, HERE);
  mlirAsyncRuntimeDropRef(object, 1);
}

/// Waits for an object that ends in an error, and checks that.
static void expect_error(agpu_object *object, agpu_status_code code,
                         const char *part) {
  mlirAsyncRuntimeAwaitToken(object);
  CHECK(agpu_object_is_error(object));
  agpu_status status = agpu_object_get_status(object);
  if (agpu_status_get_code(status) != code ||
      !strstr(agpu_status_get_message(status), part)) {
    fprintf(stderr, "%d, %s: no %d, %s\n", (int)agpu_status_get_code(status),
            agpu_status_get_message(status), (int)code, part);
    exit(1);
  }
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(object, 1);
}

//===----------------------------------------------------------------------===//
// The tests
//===----------------------------------------------------------------------===//

static void stream_runs_in_order(void) {
  enum { ROUNDS = 100 };
  static uint32_t seen[ROUNDS];
  agpu_stream *stream = agpu_stream_acquire(HERE);
  void *cell = agpu_alloc(stream, 4, false, HERE);
  agpu_memset(stream, cell, 0, 4, 1, HERE);
  for (int i = 0; i < ROUNDS; ++i) {
    launch_increment(stream, cell);
    agpu_memcpy(stream, &seen[i], cell, 4, HERE);
  }
  agpu_dealloc(stream, cell, HERE);
  await_and_drop(finish(stream));
  for (uint32_t i = 0; i < ROUNDS; ++i)
    CHECK(seen[i] == i + 1);
}

static void streams_wait_for_objects(void) {
  // One cell from stream to stream, without atomics.
  enum { STREAMS = 40 };
  agpu_stream *first = agpu_stream_acquire(HERE);
  void *cell = agpu_alloc(first, 4, false, HERE);
  agpu_memset(first, cell, 0, 4, 1, HERE);
  agpu_object *before = finish(first);
  for (int i = 0; i < STREAMS; ++i) {
    agpu_stream *stream = agpu_stream_acquire(HERE);
    agpu_stream_wait(stream, before);
    mlirAsyncRuntimeDropRef(before, 1); // the wait needs it no more
    launch_increment(stream, cell);
    before = finish(stream);
  }
  uint32_t seen = 0;
  agpu_stream *last = agpu_stream_acquire(HERE);
  agpu_stream_continue(last, before, true);
  agpu_memcpy(last, &seen, cell, 4, HERE);
  agpu_dealloc(last, cell, HERE);
  await_and_drop(finish(last));
  mlirAsyncRuntimeDropRef(before, 1);
  CHECK(seen == STREAMS);
}

static void empty_stream_is_ready(void) {
  agpu_object *end = finish(agpu_stream_acquire(HERE));
  CHECK(agpu_object_is_ready(end) && !agpu_object_is_error(end));
  await_and_drop(end);
}

static void object_is_enqueued_before_it_is_ready(void) {
  agpu_stream *stream = agpu_stream_acquire(HERE);
  void *cell = agpu_alloc(stream, 4, false, HERE);
  agpu_memset(stream, cell, 0, 4, 1, HERE);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  CHECK(!agpu_object_is_enqueued(token));
  agpu_object_set_enqueued(token, stream);
  CHECK(agpu_object_is_enqueued(token));
  agpu_object_await_enqueued(token);
  agpu_dealloc(stream, cell, HERE);
  agpu_object *end = finish(stream);
  await_and_drop(end);
  // What comes earlier on the stream is done, too.
  agpu_object_await(token, HERE);
  CHECK(agpu_object_is_ready(token));
  mlirAsyncRuntimeDropRef(token, 1);
}

static void host_work_follows_device_work(void) {
  static uint32_t seen;
  agpu_stream *stream = agpu_stream_acquire(HERE);
  uint32_t *cell = agpu_alloc(stream, 4, true, HERE); // shared with the host
  *cell = 40;
  launch_increment(stream, cell);
  agpu_object *written = agpu_stream_record(stream);
  agpu_object_await(written, HERE);
  mlirAsyncRuntimeDropRef(written, 1);
  CHECK(*cell == 41);
  launch_increment(stream, cell);
  agpu_memcpy(stream, &seen, cell, 4, HERE);
  agpu_dealloc(stream, cell, HERE);
  await_and_drop(finish(stream));
  CHECK(seen == 42);
}

static void copies_and_fills_of_every_shape(void) {
  static unsigned char bytes[600], seen[600];
  for (size_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = (unsigned char)(i * 7 + 1);
  agpu_stream *stream = agpu_stream_acquire(HERE);
  unsigned char *memory = agpu_alloc(stream, sizeof bytes, false, HERE);
  agpu_memset(stream, memory, 0xab, 1, sizeof bytes, HERE);
  agpu_memcpy(stream, memory + 3, bytes + 5, 501, HERE);
  agpu_memset(stream, memory + 512, 0x1122, 2, 4, HERE);
  agpu_memset(stream, memory + 528, 0x33445566, 4, 4, HERE);
  agpu_memset(stream, memory + 552, 0x778899aabbccddee, 8, 4, HERE);
  agpu_memcpy(stream, seen, memory, sizeof seen, HERE);
  agpu_memcpy(stream, seen, memory, 0, HERE); // nothing
  // Every second element of three, as a column.
  static const int64_t two[] = {2}, three[] = {3}, one[] = {1};
  static uint32_t column[3];
  agpu_memcpy_strided(stream, column, memory + 528, 1, three, one, three, one,
                      4, HERE);
  agpu_memset_strided(stream, memory, 9, 1, three, two, 4, HERE);
  static uint32_t strided[6];
  agpu_memcpy(stream, strided, memory, sizeof strided, HERE);
  agpu_dealloc(stream, memory, HERE);
  await_and_drop(finish(stream));
  CHECK(seen[2] == 0xab && memcmp(seen + 3, bytes + 5, 501) == 0 &&
        seen[504] == 0xab);
  uint16_t half;
  uint32_t word;
  uint64_t both;
  memcpy(&half, seen + 518, 2);
  memcpy(&word, seen + 540, 4);
  memcpy(&both, seen + 576, 8);
  CHECK(half == 0x1122 && word == 0x33445566 && both == 0x778899aabbccddee);
  CHECK(seen[520] == 0xab && seen[544] == 0xab && seen[584] == 0xab);
  for (int i = 0; i < 3; ++i)
    CHECK(column[i] == 0x33445566 && strided[2 * i] == 9 &&
          strided[2 * i + 1] != 9);
}

static void memory_is_passed_between_streams(void) {
  enum { ROUNDS = 100 };
  static uint32_t seen[ROUNDS];
  agpu_object *ends[ROUNDS];
  for (uint32_t i = 0; i < ROUNDS; ++i) {
    agpu_stream *owner = agpu_stream_acquire(HERE);
    char *memory = agpu_alloc(owner, 4 * (i + 1), false, HERE);
    agpu_memset(owner, memory, i, 4, i + 1, HERE);
    agpu_object *filled = finish(owner);
    agpu_stream *user = agpu_stream_acquire(HERE);
    agpu_stream_wait(user, filled);
    mlirAsyncRuntimeDropRef(filled, 1);
    agpu_memcpy(user, &seen[i], memory + 4 * (size_t)i, 4, HERE);
    agpu_dealloc(user, memory, HERE);
    ends[i] = finish(user);
  }
  for (uint32_t i = 0; i < ROUNDS; ++i) {
    await_and_drop(ends[i]);
    CHECK(seen[i] == i);
  }
}

static void registered_memory_is_the_devices(void) {
  static uint32_t cell[1024];
  cell[0] = 5;
  agpu_stream *stream = agpu_stream_acquire(HERE);
  agpu_host_register(stream, cell, sizeof cell, HERE);
  launch_increment(stream, cell);
  agpu_host_unregister(stream, cell, HERE);
  await_and_drop(finish(stream));
  CHECK(cell[0] == 6);
}

static void launch_covers_the_grid(void) {
  enum { COUNT = 3 * 5 * 2 * 4 * 2 * 3 };
  static uint32_t seen[COUNT];
  agpu_stream *stream = agpu_stream_acquire(HERE);
  void *memory = agpu_alloc(stream, sizeof seen, false, HERE);
  uint32_t value = 9;
  agpu_launch(stream, &store, 3, 5, 2, 4, 2, 3, 0, (void *[]){&memory, &value},
              HERE);
  value = 0; // read at the call
  agpu_launch(stream, &store, 0, 1, 1, 1, 1, 1, 0, (void *[]){&memory, &value},
              HERE); // nothing
  agpu_memcpy(stream, seen, memory, sizeof seen, HERE);
  agpu_dealloc(stream, memory, HERE);
  await_and_drop(finish(stream));
  for (uint32_t i = 0; i < COUNT; ++i)
    CHECK(seen[i] == i + 9);
}

/// What the device refuses puts the stream in error: nothing more runs on it,
/// and who waits for it gets the error. Other streams go on.
static void error_is_handed_on(void) {
  static uint32_t seen;
  agpu_stream *bad = agpu_stream_acquire("bad.mlir:1:1");
  void *cell = agpu_alloc(bad, 4, false, HERE);
  agpu_memset(bad, cell, 7, 4, 1, HERE);
  agpu_object *fine = agpu_stream_record(bad);
  agpu_launch(bad, &increment, 1, 1, 1, 2048, 1, 1, 0, (void *[]){&cell},
              "bad.mlir:2:3");
  agpu_memset(bad, cell, 8, 4, 1, HERE); // does nothing
  agpu_object *failed = finish(bad);
  agpu_stream *behind = agpu_stream_acquire(HERE);
  agpu_stream_wait(behind, failed);
  launch_increment(behind, cell); // does nothing
  expect_error(finish(behind), AGPU_STATUS_DRIVER, "'increment'");
  mlirAsyncRuntimeAwaitToken(failed); // for the work before the error
  agpu_status status = agpu_object_get_status(failed);
  CHECK(strcmp(agpu_status_get_location(status), "bad.mlir:2:3") == 0);
  agpu_status_release(status);
  expect_error(failed, AGPU_STATUS_DRIVER, "block 2048x1x1");
  agpu_stream *other = agpu_stream_acquire(HERE);
  agpu_stream_wait(other, fine);
  mlirAsyncRuntimeDropRef(fine, 1);
  launch_increment(other, cell);
  agpu_memcpy(other, &seen, cell, 4, HERE);
  agpu_dealloc(other, cell, HERE);
  await_and_drop(finish(other));
  CHECK(seen == 8);
}

static void arguments_are_checked(void) {
  char host[16];
  agpu_stream *stream = agpu_stream_acquire(HERE);
  CHECK(!agpu_alloc(stream, -1, false, HERE));
  expect_error(finish(stream), AGPU_STATUS_INVALID_ARGUMENT, "negative size");
  stream = agpu_stream_acquire(HERE);
  agpu_memset(stream, host, 0, 3, 1, HERE);
  expect_error(finish(stream), AGPU_STATUS_INVALID_ARGUMENT,
               "elements of 3 bytes");
  stream = agpu_stream_acquire(HERE);
  agpu_memcpy(stream, host, host + 1, 8, HERE);
  expect_error(finish(stream), AGPU_STATUS_INVALID_ARGUMENT, "overlap");
  stream = agpu_stream_acquire(HERE);
  CHECK(!agpu_alloc(stream, (int64_t)1 << 60, false, HERE));
  expect_error(finish(stream), AGPU_STATUS_OUT_OF_RESOURCES,
               "CUDA_ERROR_OUT_OF_MEMORY");
  stream = agpu_stream_acquire(HERE);
  agpu_stream_fail(stream, "as the program has it", HERE);
  expect_error(finish(stream), AGPU_STATUS_PROGRAM, "as the program has it");
}

static void kernels_that_are_not_there_are_errors(void) {
  static agpu_kernel_desc missing = {.module = &module, .name = "no_such"};
  agpu_stream *stream = agpu_stream_acquire(HERE);
  agpu_launch(stream, &missing, 1, 1, 1, 1, 1, 1, 0, NULL, HERE);
  expect_error(finish(stream), AGPU_STATUS_DRIVER, "'no_such'");
  stream = agpu_stream_acquire(HERE);
  void *cell = agpu_alloc(stream, 4, false, HERE); // the module still works
  agpu_memset(stream, cell, 0, 4, 1, HERE);
  launch_increment(stream, cell);
  agpu_dealloc(stream, cell, HERE);
  await_and_drop(finish(stream));
}

enum { THREADS = 6, REGIONS = 40 };

static void *run_regions(void *argument) {
  uint32_t *seen = argument;
  agpu_stream *stream = agpu_stream_acquire(HERE);
  void *cell = agpu_alloc(stream, 4, false, HERE);
  agpu_memset(stream, cell, 0, 4, 1, HERE);
  agpu_object *before = finish(stream);
  for (int i = 0; i < REGIONS; ++i) {
    stream = agpu_stream_acquire(HERE);
    agpu_stream_wait(stream, before);
    mlirAsyncRuntimeDropRef(before, 1);
    launch_increment(stream, cell);
    before = finish(stream);
    if (i % 8 == 0)
      agpu_object_await(before, HERE);
  }
  stream = agpu_stream_acquire(HERE);
  agpu_stream_wait(stream, before);
  mlirAsyncRuntimeDropRef(before, 1);
  agpu_memcpy(stream, seen, cell, 4, HERE);
  agpu_dealloc(stream, cell, HERE);
  await_and_drop(finish(stream));
  return NULL;
}

static void threads_use_the_device_at_once(void) {
  pthread_t threads[THREADS];
  static uint32_t seen[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, run_regions, &seen[i]) == 0);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < THREADS; ++i)
    CHECK(seen[i] == REGIONS);
}

static void devices_wait_for_each_other(void) {
  if (agpu_device_count() < 2)
    exit(SKIPPED);
  static uint32_t seen;
  agpu_enter_device(0);
  agpu_stream *first = agpu_stream_acquire(HERE);
  void *here = agpu_alloc(first, 4, false, HERE);
  agpu_memset(first, here, 6, 4, 1, HERE);
  agpu_object *filled = finish(first);
  agpu_enter_device(1);
  agpu_stream *second = agpu_stream_acquire(HERE);
  agpu_stream_wait(second, filled);
  mlirAsyncRuntimeDropRef(filled, 1);
  void *there = agpu_alloc(second, 4, false, HERE);
  agpu_memcpy(second, there, here, 4, HERE);
  launch_increment(second, there);
  agpu_memcpy(second, &seen, there, 4, HERE);
  agpu_dealloc(second, there, HERE);
  agpu_dealloc(second, here, HERE);
  await_and_drop(finish(second));
  CHECK(seen == 7);
  agpu_enter_device(99);
  expect_error(finish(agpu_stream_acquire(HERE)), AGPU_STATUS_NOT_FOUND,
               "there is no device 99");
  agpu_enter_device(0);
}

static void device_starts_afresh(void) {
  for (int i = 0; i < 3; ++i) {
    stream_runs_in_order();
    agpu_status status = agpu_runtime_shutdown();
    CHECK(!status);
  }
}

//===----------------------------------------------------------------------===//
// Running them
//===----------------------------------------------------------------------===//

#define TEST(name) {#name, name}
static const struct {
  const char *name;
  void (*run)(void);
} tests[] = {
    TEST(stream_runs_in_order),
    TEST(streams_wait_for_objects),
    TEST(empty_stream_is_ready),
    TEST(object_is_enqueued_before_it_is_ready),
    TEST(host_work_follows_device_work),
    TEST(copies_and_fills_of_every_shape),
    TEST(memory_is_passed_between_streams),
    TEST(registered_memory_is_the_devices),
    TEST(launch_covers_the_grid),
    TEST(error_is_handed_on),
    TEST(arguments_are_checked),
    TEST(kernels_that_are_not_there_are_errors),
    TEST(threads_use_the_device_at_once),
    TEST(devices_wait_for_each_other),
    TEST(device_starts_afresh),
};
static const size_t test_count = sizeof tests / sizeof *tests;

/// Runs the i-th test; everything is given back in the end.
static int run_test(size_t i) {
  agpu_device_kind kind;
  agpu_status status = agpu_runtime_get_device(&kind);
  if (status) {
    fprintf(stderr, "%s\n", agpu_status_get_message(status));
    return SKIPPED;
  }
  tests[i].run();
  status = agpu_runtime_shutdown();
  if (!status)
    return 0;
  fprintf(stderr, "%s\n", agpu_status_get_message(status));
  return 1;
}

static const char *name_of(size_t i) { return tests[i].name; }

int main(int argc, char **argv) {
  images[0].data = conformance_ptx;
  images[0].size = strlen(conformance_ptx) + 1;
  images[1].data = &conformance_native;
  images[1].size = sizeof conformance_native;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (size_t i = 0; i < test_count; ++i)
      printf("%s\n", tests[i].name);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "all") == 0)
    return suite_run_all(test_count, "runtime/", name_of, run_test);
  for (size_t i = 0; argc == 2 && i < test_count; ++i)
    if (strcmp(tests[i].name, argv[1]) == 0)
      return run_test(i);
  fprintf(stderr, "usage: %s TEST|all|--list\n", argv[0]);
  return 2;
}
