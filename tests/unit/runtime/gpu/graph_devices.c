//===- graph_devices.c - Rounds of several devices ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver is told in rounds whose regions are on three devices, and
// what becomes of tokens where one of these fails. The last test also has
// another thread wait for a token of a round that goes on.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "async_gpu/device.h"
#include "support.h"

#include <pthread.h>
#include <time.h>

#define ROUNDS 8

/// Of a region on the device, inside of a round.
static agpu_stream *acquire_on(int32_t device) {
  agpu_enter_device(device);
  agpu_stream *stream = agpu_graph_stream_acquire("acquire.mlir:1:1");
  agpu_enter_device(0);
  return stream;
}

static agpu_object *record_and_release(agpu_stream *stream) {
  agpu_object *token = agpu_stream_record(stream);
  agpu_stream_release(stream);
  return token;
}

static void wait_and_drop(agpu_stream *stream, agpu_object *token) {
  agpu_stream_wait(stream, token);
  mlirAsyncRuntimeDropRef(token, 1);
}

static int64_t read_cell(const void *cell) {
  int64_t value = -1;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_memcpy(stream, &value, cell, 8, NULL);
  await_and_drop(record_and_release(stream));
  return value;
}

/// A cell on each device.
static void make_cells(char *cells[3]) {
  for (int32_t i = 0; i < 3; ++i) {
    agpu_stream *stream = acquire_on(i);
    cells[i] = agpu_alloc(stream, 8, false, NULL);
    agpu_memset(stream, cells[i], 0, 8, 1, NULL);
    await_and_drop(record_and_release(stream));
  }
}

static void free_cells(char *cells[3]) {
  for (int32_t i = 0; i < 3; ++i) {
    agpu_stream *stream = acquire_on(i);
    agpu_dealloc(stream, cells[i], NULL);
    await_and_drop(record_and_release(stream));
  }
}

/// A kernel on each device, the second behind the first, and a copy from one to
/// the other between them: one launch a round, and no call about another
/// device.
static void check_chain(void) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  char *cells[3];
  make_cells(cells);
  int graphs = log_count("cuGraphLaunch("), kernels = 0, contexts = 0;
  agpu_object *token = NULL;
  for (int i = 0; i < ROUNDS; ++i) {
    if (i == 2) {
      kernels = log_count("cuLaunchKernel(");
      contexts = log_count("cuCtxSetCurrent(");
    }
    agpu_graph_begin(&part, NULL);
    agpu_stream *first = acquire_on(1);
    if (token)
      wait_and_drop(first, token);
    launch_increment(first, cells[1]);
    agpu_stream *second = acquire_on(2);
    wait_and_drop(second, record_and_release(first));
    launch_add(second, cells[2], cells[2], cells[1]);
    agpu_stream *last = acquire_on(0);
    wait_and_drop(last, record_and_release(second));
    agpu_memcpy(last, cells[0], cells[2], 8, NULL);
    token = record_and_release(last);
    agpu_graph_end(&part, NULL);
  }
  CHECK_EQ(log_count("cuLaunchKernel("), kernels);
  CHECK_EQ(log_count("cuGraphLaunch("), graphs + ROUNDS - 1);
  // Regions enter their devices, and leave them; the launch enters its own.

  CHECK(log_count("cuCtxSetCurrent(") - contexts <= 10 * (ROUNDS - 2));
  await_and_drop(token);
  CHECK_EQ(read_cell(cells[0]), ROUNDS * (ROUNDS + 1) / 2);
  free_cells(cells);
}

/// Memory that a round allocates on one device and frees on another stays, and
/// costs nothing, where the device does not look at memory.
static void check_memory(void) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  char *cells[3];
  make_cells(cells);
  int allocated = 0, freed = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    if (i == 2) {
      allocated = log_count("cuMemAllocAsync(");
      freed = log_count("cuMemFreeAsync(");
    }
    agpu_graph_begin(&part, NULL);
    agpu_stream *first = acquire_on(1);
    void *memory = agpu_alloc(first, 8, false, NULL);
    agpu_memcpy(first, memory, cells[1], 8, NULL);
    launch_increment(first, memory);
    agpu_stream *second = acquire_on(2);
    wait_and_drop(second, record_and_release(first));
    agpu_memcpy(second, cells[1], memory, 8, NULL);
    agpu_dealloc(second, memory, NULL);
    agpu_object *token = record_and_release(second);
    agpu_graph_end(&part, NULL);
    await_and_drop(token);
  }
  CHECK_EQ(log_count("cuMemAllocAsync("), allocated);
  CHECK_EQ(log_count("cuMemFreeAsync("), freed);
  CHECK_EQ(read_cell(cells[1]), ROUNDS);
  free_cells(cells);
}

/// Whatever has been launched on the devices: their tokens have the error of
/// the one that has failed, and later work on a device that has not is fine.
static void check_failure(void) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  char *cells[3];
  make_cells(cells);
  agpu_object *good = NULL, *bad = NULL;
  for (int i = 0; i < 2; ++i) {
    agpu_graph_begin(&part, NULL);
    agpu_stream *first = acquire_on(2);
    // Memory of the host that no device knows.
    launch_increment(first, i ? (void *)8 : cells[2]);
    agpu_stream *second = acquire_on(1);
    agpu_object *token = record_and_release(first);
    agpu_stream_wait(second, token);
    launch_increment(second, cells[1]);
    agpu_stream *third = acquire_on(0);
    launch_increment(third, cells[0]);
    bad = record_and_release(second);
    good = record_and_release(third);
    agpu_graph_end(&part, NULL);
    if (!i) {
      await_and_drop(token);
      await_and_drop(bad);
      await_and_drop(good);
      continue;
    }
    CHECK(strstr(get_error_and_drop(token), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(strstr(get_error_and_drop(bad), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(strstr(get_error_and_drop(good), "CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
  CHECK_EQ(read_cell(cells[0]), 2);
}

//===----------------------------------------------------------------------===//
// A round that goes on
//===----------------------------------------------------------------------===//

typedef struct other {
  agpu_object *token;
  char *cell;
  _Atomic(bool) is_over; ///< the round
  bool was_over;
  int64_t seen;
} other;

static void *read_behind(void *argument) {
  other *of = argument;
  agpu_stream *stream = agpu_stream_acquire(NULL);
  agpu_stream_wait(stream, of->token);
  agpu_memcpy(stream, &of->seen, of->cell, 8, NULL);
  of->was_over = of->is_over;
  await_and_drop(record_and_release(stream));
  return NULL;
}

/// Another thread's work behind a token of the round is enqueued when the round
/// is.
static void check_other_thread(void) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  char *cells[3];
  make_cells(cells);
  for (int i = 0; i < 2; ++i) {
    agpu_graph_begin(&part, NULL);
    agpu_stream *first = acquire_on(0);
    launch_increment(first, cells[0]);
    other of = {.token = agpu_stream_record(first), .cell = cells[0]};
    pthread_t thread;
    if (i) {
      CHECK(!pthread_create(&thread, NULL, read_behind, &of));
      (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    launch_increment(first, cells[1]);
    agpu_object *last = record_and_release(first);
    of.is_over = true;
    agpu_graph_end(&part, NULL);
    if (i) {
      CHECK(!pthread_join(thread, NULL));
      CHECK(of.was_over);
      CHECK_EQ(of.seen, 2);
    }
    await_and_drop(of.token);
    await_and_drop(last);
  }
  free_cells(cells);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "failure")) {
    check_failure();
    agpu_status_release(agpu_runtime_shutdown());
    return 0;
  }
  log_begin();
  check_chain();
  check_memory();
  check_other_thread();
  check_end();
  CHECK_EQ(log_count("cuGraphInstantiate("), log_count("cuGraphExecDestroy("));
  CHECK_EQ(log_count("cuEventCreate("), log_count("cuEventDestroy("));
  CHECK_EQ(log_count("cuStreamCreate("), log_count("cuStreamDestroy("));
  return 0;
}
