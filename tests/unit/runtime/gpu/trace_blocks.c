//===- trace_blocks.c - Traces of parts of a program ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Traces that begin and end while threads launch kernels, and across ends of
// the runtime: each holds what was launched while it was recorded, once.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "child.h"
#include "support.h"
#include "trace/convert.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[4096], dump[4200];

static void launch_and_wait(int count) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, /*host_shared=*/true, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  for (int i = 0; i < count; ++i)
    launch_increment(stream, cell);
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(*cell, count);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
}

static char *read_trace(void) {
  static agpu__trace_targets targets;
  char message[256] = "";
  CHECK(agpu__trace_targets_set(&targets, path, NULL, message, sizeof message));
  const char *const path_of_dump = dump;
  CHECK(agpu__trace_targets_write(&targets, &path_of_dump, 1, message,
                                  sizeof message));
  FILE *file = fopen(path, "r");
  CHECK(file);
  char *text = NULL;
  size_t size = 0;
  CHECK(getdelim(&text, &size, '\0', file) > 0);
  (void)fclose(file);
  return text;
}

static int count(const char *text, const char *what) {
  int found = 0;
  for (; (text = strstr(text, what)); ++text)
    ++found;
  return found;
}

static void begin(void) { CHECK(!agpu_runtime_begin_trace(dump)); }

static void end(void) { CHECK(!agpu_runtime_end_trace()); }

/// Kernels on streams, and calls that launched them.
static void check_kernels(int expected) {
  char *text = read_trace();
  CHECK_EQ(count(text, "\"cat\":\"kernel\",\"name\":\"increment\",\"args\""),
           expected);
  CHECK_EQ(count(text, "\"cat\":\"enqueue\",\"name\":\"increment\""), expected);
  CHECK(!strstr(text, "device times lost"));
  CHECK(strstr(text, "\"ended\":\"stopped\""));
  free(text);
}

static void test_one_after_the_other(void) {
  for (int i = 1; i < 4; ++i) {
    launch_and_wait(2);
    begin();
    launch_and_wait(i);
    end();
    check_kernels(i);
  }
}

static void test_across_the_end_of_the_runtime(void) {
  begin();
  launch_and_wait(1);
  check_end();
  launch_and_wait(2);
  end();
  check_kernels(3);
  check_end();
  launch_and_wait(1);
  begin();
  launch_and_wait(4);
  end();
  check_kernels(4);
}

static atomic_bool is_over;

static void *work(void *unused) {
  (void)unused;
  while (!atomic_load(&is_over))
    launch_and_wait(3);
  return NULL;
}

static void test_others_at_work(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    CHECK(!pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < 50; ++i) {
    begin();
    launch_and_wait(5);
    end();
    char *text = read_trace();
    CHECK(count(text, "\"cat\":\"enqueue\",\"name\":\"increment\"") >= 5);
    free(text);
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < 3; ++i)
    (void)pthread_join(threads[i], NULL);
  begin();
  launch_and_wait(7);
  end();
  check_kernels(7);
}

/// What is not over when a trace ends is in that one, without its times.
static void test_work_that_goes_on(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, /*host_shared=*/true, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  begin();
  launch_pause(stream, cell, 100);
  launch_increment(stream, cell);
  end();
  char *text = read_trace();
  CHECK(strstr(text, "\"cat\":\"kernel\",\"name\":\"increment\""));
  CHECK(strstr(text, "device times lost"));
  free(text);
  begin();
  await_and_drop(agpu_stream_record(stream));
  end();
  text = read_trace();
  CHECK(!strstr(text, "\"cat\":\"kernel\""));
  free(text);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
}

/// Rounds of two kernels, the first of which make the graph of the others.
static void launch_rounds(int rounds) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_stream *stream = agpu_stream_acquire(NULL);
  int64_t *cell = agpu_alloc(stream, 8, /*host_shared=*/true, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  for (int i = 0; i < rounds; ++i) {
    agpu_graph_begin(&part, stream);
    launch_increment(stream, cell);
    launch_increment(stream, cell);
    agpu_graph_end(&part, stream);
  }
  await_and_drop(agpu_stream_record(stream));
  CHECK_EQ(*cell, 2 * rounds);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
}

/// A graph has its nodes in each trace, where the clock knows them, also if it
/// was made while there was none.
static void test_graphs(void) {
  const char *clock = getenv("ASYNC_GPU_TRACE_CLOCK");
  bool is_whole = clock && !strcmp(clock, "events");
  launch_rounds(3);
  for (int i = 1; i < 4; ++i) {
    begin();
    launch_rounds(i);
    end();
    check_kernels(is_whole ? 0 : 2 * i);
    launch_rounds(2);
  }
}

static void use_devices_first(void) {
  launch_and_wait(1);
  agpu_runtime_allow_traces();
  begin();
  launch_and_wait(1);
  end();
  char *text = read_trace();
  CHECK(strstr(text, "\"device work\":\"not recorded: "));
  CHECK(!strstr(text, "\"cat\":\"kernel\""));
  free(text);
}

int main(void) {
  const char *folder = getenv("TMPDIR");
  (void)snprintf(path, sizeof path, "%s/agpu-trace-blocks-%d.json",
                 folder ? folder : "/tmp", (int)getpid());
  (void)snprintf(dump, sizeof dump, "%s.trace", path);
  CHECK_EQ(child_exit(use_devices_first, NULL, 0), 0);
  agpu_runtime_allow_traces();
  agpu_status status = agpu_runtime_end_trace();
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
  agpu_status_release(status);
  test_one_after_the_other();
  test_graphs();
  test_across_the_end_of_the_runtime();
  test_others_at_work();
  test_work_that_goes_on();
  check_end();
  CHECK(!unlink(path));
  CHECK(!unlink(dump));
  return 0;
}
