//===- races.c - What ASYNC_GPU_EMU_CHECK=races finds and what it accepts -===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program runs in a process of its own, in several schedules: what is
// found must not depend on what happens to run first.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CELL = 8, CELLS = 8 };

static agpu_stream *one, *two, *three;
static char *cells; // allocated and filled, and all streams know
static int64_t host[CELLS], elsewhere;

static void order(agpu_stream *before, agpu_stream *after) {
  agpu_object *token = agpu_stream_record(before);
  agpu_stream_wait(after, token);
  mlirAsyncRuntimeDropRef(token, 1);
}

static void await(agpu_stream *stream) {
  await_and_drop(agpu_stream_record(stream));
}

static void copy_cell(agpu_stream *stream, int cell, const char *location) {
  agpu_memcpy(stream, &host[cell], cells + cell * CELL, CELL, location);
}

static void fill_cells(agpu_stream *stream, int cell, int count,
                       const char *location) {
  agpu_memset(stream, cells + cell * CELL, 5, CELL, count, location);
}

//===----------------------------------------------------------------------===//
// Programs that are right
//===----------------------------------------------------------------------===//

static void ordered_by_an_event(void) {
  launch_increment(one, cells);
  order(one, two);
  launch_increment(two, cells);
}

static void ordered_through_a_third_stream(void) {
  launch_increment(one, cells);
  order(one, three);
  order(three, two);
  copy_cell(two, 0, NULL);
}

static void ordered_by_the_host(void) {
  launch_increment(one, cells);
  await(one);
  launch_increment(two, cells);
}

static void two_readers(void) {
  copy_cell(one, 1, NULL);
  agpu_memcpy(two, &elsewhere, cells + CELL, CELL, NULL);
  void *left = agpu_alloc(one, CELL, false, NULL);
  void *right = agpu_alloc(two, CELL, false, NULL);
  launch_add(one, left, cells, cells);
  launch_add(two, right, cells, cells);
  agpu_dealloc(one, left, NULL);
  agpu_dealloc(two, right, NULL);
}

static void two_halves(void) {
  fill_cells(one, 0, CELLS / 2, NULL);
  fill_cells(two, CELLS / 2, CELLS / 2, NULL);
  copy_cell(one, 1, NULL);
}

/// Every second cell, from `first` on: rows of one call of the driver.
static void fill_column(agpu_stream *stream, int first, const char *location) {
  const int64_t count = CELLS / 2, stride = 4;
  agpu_memset_strided(stream, cells + first * CELL, 3, 1, &count, &stride, 4,
                      location);
}

static void two_columns(void) {
  fill_column(one, 0, NULL);
  fill_column(two, 1, NULL);
  copy_cell(one, 2, NULL);
}

static void memory_used_again(void) {
  for (int i = 0; i < 200; ++i) {
    agpu_stream *stream = i % 2 ? one : two;
    void *memory = agpu_alloc(stream, CELL, false, NULL);
    agpu_memset(stream, memory, 1, CELL, 1, NULL);
    agpu_dealloc(stream, memory, NULL);
  }
}

//===----------------------------------------------------------------------===//
// Programs that lack a dependency
//===----------------------------------------------------------------------===//

static void two_writers(void) {
  launch_increment(one, cells);
  fill_cells(two, 0, 1, "w.mlir:1:1");
}

static void reader_and_writer(void) {
  copy_cell(one, 3, "r.mlir:1:1");
  fill_cells(two, 2, 3, "r.mlir:2:2");
}

static void column_and_cell(void) {
  fill_column(one, 1, "c.mlir:1:1");
  copy_cell(two, 3, "c.mlir:2:2");
}

static void kernel_and_kernel(void) {
  launch_pause(one, cells, 5);
  launch_increment(two, cells);
}

static void event_recorded_too_early(void) {
  agpu_object *token = agpu_stream_record(one);
  launch_increment(one, cells);
  agpu_stream_wait(two, token);
  mlirAsyncRuntimeDropRef(token, 1);
  copy_cell(two, 0, "t.mlir:1:1");
}

static void freed_too_early(void) {
  copy_cell(one, 0, "f.mlir:1:1");
  agpu_dealloc(two, cells, "f.mlir:2:2");
  cells = NULL;
}

static void allocated_elsewhere(void) {
  void *memory = agpu_alloc(one, CELL, false, "a.mlir:1:1");
  agpu_memset(two, memory, 0, 8, 1, "a.mlir:2:2");
}

static void run(void (*program)(void)) {
  one = agpu_stream_acquire(NULL);
  two = agpu_stream_acquire(NULL);
  three = agpu_stream_acquire(NULL);
  cells = agpu_alloc(one, CELLS * CELL, false, NULL);
  agpu_memset(one, cells, 0, 8, CELLS, NULL);
  order(one, two);
  program();
  order(one, three);
  order(two, three);
  agpu_dealloc(three, cells, NULL);
  agpu_stream_release(one);
  agpu_stream_release(two);
  agpu_stream_release(three);
}

/// The child's exit status: 0 if the program ends as expected.
static void check(void (*program)(void), const char *name, const char *first,
                  const char *second, int seed) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    char text[16];
    (void)snprintf(text, sizeof text, "%d", seed);
    setenv("ASYNC_GPU_EMU_SEED", seed ? text : "", 1);
    run(program);
    agpu_status status = agpu_runtime_shutdown();
    const char *message = agpu_status_get_message(status);
    bool found = strstr(message, "race: nothing orders") != NULL;
    bool ok = first ? found && strstr(message, first) && strstr(message, second)
                    : !status;
    if (!ok)
      fprintf(stderr, "%s, seed %d: %s\n", name, seed, message);
    agpu_status_release(status);
    exit(!ok);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define SILENT(program) check(program, #program, NULL, NULL, seed)
#define FOUND(program, first, second)                                          \
  check(program, #program, first, second, seed)

int main(void) {
  for (int seed = 0; seed < 10; ++seed) {
    SILENT(ordered_by_an_event);
    SILENT(ordered_through_a_third_stream);
    SILENT(ordered_by_the_host);
    SILENT(two_readers);
    SILENT(two_halves);
    SILENT(two_columns);
    SILENT(memory_used_again);
    FOUND(two_writers, "launch of kernel 'increment' at increment.mlir:1:1",
          "fill at w.mlir:1:1");
    FOUND(reader_and_writer, "copy at r.mlir:1:1, which reads",
          "fill at r.mlir:2:2, which writes");
    FOUND(column_and_cell, "fill at c.mlir:1:1", "copy at c.mlir:2:2");
    FOUND(kernel_and_kernel, "'pause' at pause.mlir:1:1",
          "'increment' at increment.mlir:1:1");
    FOUND(event_recorded_too_early, "copy at t.mlir:1:1", "'increment'");
    FOUND(freed_too_early, "copy at f.mlir:1:1", "deallocation at f.mlir:2:2");
    FOUND(allocated_elsewhere, "allocation at a.mlir:1:1",
          "fill at a.mlir:2:2");
  }
  return 0;
}
