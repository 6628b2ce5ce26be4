//===- graph_memory.c - Memory that rounds keep ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much of it stays, and that it is there for others when the device's is
// out. Run on a device with 4 MiB, of which 1 MiB may be kept.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "support.h"

#define KIB 1024

/// Uses memory of so many bytes: one more in `*cell`.
static void use(agpu_stream *stream, void *cell, int64_t bytes) {
  char *memory = agpu_alloc(stream, bytes, false, NULL);
  CHECK(memory);
  agpu_memset(stream, memory, 1, 8, 1, NULL);
  agpu_memset(stream, memory + bytes - 8, 1, 8, 1, NULL);
  launch_add(stream, cell, cell, memory + bytes - 8);
  agpu_dealloc(stream, memory, NULL);
}

static void run_round(agpu_graph_site *part, agpu_stream *stream, void *cell,
                      int64_t bytes) {
  agpu_graph_begin(part, stream);
  use(stream, cell, bytes);
  agpu_graph_end(part, stream);
}

static int64_t read_cell(agpu_stream *stream, void *cell) {
  int64_t value = -1;
  agpu_memcpy(stream, &value, cell, 8, NULL);
  await_and_drop(agpu_stream_record(stream));
  return value;
}

/// What is more than may be kept goes back at the end of the round.
static void check_bound(agpu_stream *stream, void *cell) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  run_round(&part, stream, cell, 600 * KIB);
  int allocated = log_count("cuMemAllocAsync(");
  int freed = log_count("cuMemFreeAsync(");
  for (int i = 0; i < 3; ++i)
    run_round(&part, stream, cell, 600 * KIB);
  CHECK_EQ(log_count("cuMemAllocAsync("), allocated + 1);
  CHECK_EQ(log_count("cuMemFreeAsync("), freed);
  for (int i = 0; i < 2; ++i)
    run_round(&part, stream, cell, 500 * KIB);
  CHECK_EQ(log_count("cuMemAllocAsync("), allocated + 3);
  CHECK_EQ(log_count("cuMemFreeAsync("), freed + 2);
  CHECK_EQ(read_cell(stream, cell), 6);
}

/// What the part above keeps is there for all others.
static void check_others(agpu_stream *stream, void *cell) {
  int freed = log_count("cuMemFree(") + log_count("cuMemFreeAsync(");
  use(stream, cell, 3800 * KIB);
  CHECK_EQ(read_cell(stream, cell), 7);
  CHECK_EQ(log_count("cuMemFree(") + log_count("cuMemFreeAsync("),
           freed + 2); // that, and its own
}

/// A round that needs what it has freed itself becomes no graph.
static void check_own(agpu_stream *stream, void *cell) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  int launched = log_count("cuGraphLaunch(");
  for (int i = 0; i < 3; ++i) {
    agpu_graph_begin(&part, stream);
    use(stream, cell, 3000 * KIB);
    use(stream, cell, 3001 * KIB);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cell), 13);
  CHECK_EQ(log_count("cuGraphLaunch("), launched);
}

/// Memory that a round keeps is given back while work that uses it is pending.
static void check_pending(agpu_stream *stream, void *cell) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  int64_t before = read_cell(stream, cell);
  for (int i = 0; i < 3; ++i) {
    agpu_graph_begin(&part, stream);
    launch_pause(stream, cell, 20);
    use(stream, cell, 900 * KIB);
    agpu_graph_end(&part, stream);
  }
  void *most = agpu_alloc(stream, 3500 * KIB, false, NULL);
  CHECK(most);
  agpu_dealloc(stream, most, NULL);
  CHECK_EQ(read_cell(stream, cell), before + 6);
}

/// Rounds of the part on one stream, of which a region uses memory for a long
/// time; then one on another stream, whose recording ends with its first
/// region: the host waits in it. Its second follows that of the round before,
/// and copies the cell to `seen`; with no `seen`, there is none.
static void run_apart(agpu_graph_site *part, agpu_stream *one, agpu_stream *two,
                      void *cell, void *seen) {
  agpu_object *before = NULL;
  for (int i = 0; i < 3; ++i) {
    agpu_stream *own = i < 2 ? one : two;
    agpu_graph_begin(part, own);
    agpu_stream *first = agpu_graph_stream_acquire(NULL);
    agpu_stream *second = agpu_graph_stream_acquire(NULL);
    // Nothing orders these fills: each has bytes of its own.
    agpu_memset(first, (char *)cell + (seen ? 48 : 24) + 8 * i, 0, 8, 1, NULL);
    agpu_object *token = agpu_stream_record(first);
    if (i == 2)
      await_and_drop(token);
    else
      mlirAsyncRuntimeDropRef(token, 1);
    if (before && (i < 2 || seen))
      agpu_stream_wait(second, before);
    if (i < 2) {
      launch_pause(second, cell, 40);
      use(second, cell, 64);
    } else if (seen) {
      agpu_memcpy(second, seen, cell, 8, NULL);
    }
    agpu_stream_release(first);
    if (before)
      mlirAsyncRuntimeDropRef(before, 1);
    before = agpu_stream_record(second);
    agpu_stream_release(second);
    agpu_graph_end(part, own);
  }
  await_and_drop(before);
}

/// A round on another stream than the ones before, whose recording ends early:
/// what they keep is freed behind them, and its regions follow theirs.
static void check_apart(agpu_stream *stream) {
  static agpu_graph_site frees = {.mode = AGPU_GRAPH_ON};
  static agpu_graph_site follows = {.mode = AGPU_GRAPH_ON};
  agpu_stream *other = agpu_stream_acquire(NULL);
  char *cells = agpu_alloc(stream, 72, false, NULL);
  agpu_memset(stream, cells, 0, 8, 3, NULL);
  await_and_drop(agpu_stream_record(stream));
  run_apart(&frees, stream, other, cells, NULL);
  CHECK_EQ(read_cell(stream, cells), 4);
  run_apart(&follows, stream, other, cells, cells + 16);
  CHECK_EQ(read_cell(other, cells + 16), 8);
  agpu_dealloc(stream, cells, NULL);
  agpu_stream_release(other);
}

/// A round that does nothing, whose stream has work in front of it: what
/// follows an event of the round follows that.
static void check_empty(agpu_stream *stream, void *cell) {
  enum { EMPTY_ROUNDS = 3 };
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_object *tokens[EMPTY_ROUNDS];
  int64_t before = read_cell(stream, cell);
  for (int i = 0; i < EMPTY_ROUNDS; ++i) {
    launch_pause(stream, cell, 20);
    agpu_graph_begin(&part, stream);
    tokens[i] = agpu_stream_record(stream);
    agpu_graph_end(&part, stream);
    agpu_stream *other = agpu_stream_acquire(NULL);
    agpu_stream_wait(other, tokens[i]);
    CHECK_EQ(read_cell(other, cell), before + i + 1);
    agpu_stream_release(other);
  }
  for (int i = 0; i < EMPTY_ROUNDS; ++i)
    mlirAsyncRuntimeDropRef(tokens[i], 1);
}

int main(void) {
  log_begin();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  void *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_memset(stream, cell, 0, 8, 1, NULL);
  check_bound(stream, cell);
  check_others(stream, cell);
  check_own(stream, cell);
  check_pending(stream, cell);
  check_apart(stream);
  check_empty(stream, cell);
  agpu_dealloc(stream, cell, NULL);
  agpu_stream_release(stream);
  check_end();
  return 0;
}
