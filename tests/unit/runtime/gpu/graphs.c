//===- graphs.c - Rounds that become graphs -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver is told in rounds that stay the same, change, change their
// shape, or have what no graph can have.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "async_gpu/compiled/mgpu.h"
#include "support.h"

#include <pthread.h>

#define ROUNDS 8

static int64_t read_cell(agpu_stream *stream, void *cell) {
  int64_t value = -1;
  agpu_memcpy(stream, &value, cell, 8, NULL);
  await_and_drop(agpu_stream_record(stream));
  return value;
}

static void clear_cells(agpu_stream *stream, void *cells) {
  agpu_memset(stream, cells, 0, 8, 8, NULL);
}

/// One stream: a launch of the graph is all that a round costs.
static void check_same(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  clear_cells(stream, cells);
  int launched = log_count("cuLaunchKernel(");
  for (int i = 0; i < ROUNDS; ++i) {
    agpu_graph_begin(&part, stream);
    launch_increment(stream, cells);
    launch_add(stream, cells + 8, cells + 8, cells);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cells), ROUNDS);
  CHECK_EQ(read_cell(stream, cells + 8), ROUNDS * (ROUNDS + 1) / 2);
  CHECK_EQ(log_count("cuLaunchKernel("), launched + 2);
  CHECK_EQ(log_count("cuGraphLaunch("), ROUNDS - 1);
  CHECK_EQ(log_count("SetParams("), 0);
  CHECK_EQ(log_count("cuGraphInstantiate("), 1);
}

/// Other pointers are updates, another number of launches a new graph.
static void check_changes(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  clear_cells(stream, cells);
  int updates = log_count("SetParams("), built = log_count("cuGraphInst");
  for (int i = 0; i < ROUNDS; ++i) {
    agpu_graph_begin(&part, stream);
    launch_increment(stream, cells + 8 * (i % 4));
    launch_increment(stream, cells + 32);
    if (i >= 6)
      launch_increment(stream, cells + 40);
    agpu_graph_end(&part, stream);
  }
  for (int i = 0; i < 4; ++i)
    CHECK_EQ(read_cell(stream, cells + 8 * i), 2);
  CHECK_EQ(read_cell(stream, cells + 32), ROUNDS);
  CHECK_EQ(read_cell(stream, cells + 40), 2);
  // The first is none, the second and seventh are built.
  CHECK_EQ(log_count("SetParams("), updates + 5);
  CHECK_EQ(log_count("cuGraphInst"), built + 2);
}

/// Rows: a fill and a copy are a node each, and other places a new graph.
static void check_rows(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  const int64_t sizes[] = {2, 1}, apart[] = {2, 1}, beside[] = {1, 1};
  clear_cells(stream, cells);
  int nodes = log_count("cuGraphAddMem"), built = log_count("cuGraphInst");
  for (int i = 0; i < ROUNDS; ++i) {
    char *from = cells + (i < 4 ? 0 : 8);
    agpu_graph_begin(&part, stream);
    agpu_memset_strided(stream, from, 3, 2, sizes, apart, 4, NULL);
    agpu_memcpy_strided(stream, cells + 32, from, 2, sizes, beside, sizes,
                        apart, 4, NULL);
    launch_increment(stream, cells + 32);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cells), 3);
  CHECK_EQ(read_cell(stream, cells + 16), 3);
  CHECK_EQ(read_cell(stream, cells + 32), 4 + ((int64_t)3 << 32));
  CHECK_EQ(log_count("cuGraphInst"), built + 2);
  CHECK_EQ(log_count("cuGraphAddMem"), nodes + 4);
}

/// Two regions between two others, with tokens from round to round.
static void check_regions(char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_stream *first = agpu_stream_acquire(NULL);
  clear_cells(first, cells);
  agpu_object *token = agpu_stream_record(first);
  agpu_stream_release(first);
  int waits = 0, roots = log_count("after=0)");
  for (int i = 0; i < ROUNDS; ++i) {
    if (i == 2)
      waits = log_count("cuStreamWaitEvent(");
    agpu_graph_begin(&part, NULL);
    agpu_object *middle[2];
    for (int k = 0; k < 2; ++k) {
      agpu_stream *of = agpu_graph_stream_acquire(NULL);
      agpu_stream_wait(of, token);
      launch_increment(of, cells + 8 * k);
      middle[k] = agpu_stream_record(of);
      agpu_stream_release(of);
    }
    mlirAsyncRuntimeDropRef(token, 1);
    agpu_stream *last = agpu_graph_stream_acquire(NULL);
    for (int k = 0; k < 2; ++k) {
      agpu_stream_wait(last, middle[k]);
      mlirAsyncRuntimeDropRef(middle[k], 1);
    }
    launch_add(last, cells + 16, cells, cells + 8);
    token = agpu_stream_record(last);
    CHECK(agpu_object_is_enqueued(token));
    agpu_stream_release(last);
    agpu_graph_end(&part, NULL);
  }
  CHECK_EQ(log_count("cuStreamWaitEvent("), waits);
  CHECK_EQ(log_count("after=0)"), roots + 2); // the third is behind both
  agpu_stream *end = agpu_stream_acquire(NULL);
  agpu_stream_wait(end, token);
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK_EQ(read_cell(end, cells + 16), 2 * ROUNDS);
  agpu_stream_release(end);
}

/// A host that waits for a token of the round gets what it waits for.
static void check_observed(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  clear_cells(stream, cells);
  int launched = log_count("cuGraphLaunch(");
  for (int i = 0; i < ROUNDS; ++i) {
    agpu_graph_begin(&part, stream);
    launch_increment(stream, cells);
    await_and_drop(agpu_stream_record(stream));
    launch_increment(stream, cells);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cells), 2 * ROUNDS);
  CHECK_EQ(log_count("cuGraphLaunch("), launched);
}

/// What a node may not be is told at its place, by the stream.
static void check_error(char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_stream *stream = agpu_stream_acquire(NULL);
  for (int i = 0; i < 3; ++i) {
    if (i == 2) // of what follows nobody can be told that it is over
      await_and_drop(agpu_stream_record(stream));
    agpu_graph_begin(&part, stream);
    agpu_launch(stream, &test_increment, 1, 1, 1, i < 2 ? 1 : 4096, 1, 1, 0,
                (void *[]){&cells}, "a.mlir:7:3");
    launch_increment(stream, cells);
    agpu_graph_end(&part, stream);
  }
  const char *message = get_error_and_drop(agpu_stream_record(stream));
  CHECK(strstr(message, "launch of kernel 'increment'"));
  CHECK(strstr(message, "CUDA_ERROR_INVALID_VALUE"));
  agpu_stream_release(stream);
}

/// `rounds` rounds of a loop, in each of which a cell is incremented, which one
/// `differs` from round to round or not. Returns how many of them did so.
static int run_loop(agpu_graph_site *part, agpu_stream *stream, char *cells,
                    int rounds, bool differs) {
  int runs = 0;
  agpu_graph_begin(part, stream);
  for (int i = 0; i < rounds; ++i)
    if (agpu_graph_round(part, stream)) {
      launch_increment(stream, cells + (differs ? 8 * (i % 3) : 0));
      launch_increment(stream, cells + 32);
      ++runs;
    }
  agpu_graph_end(part, stream);
  return runs;
}

/// A graph has several rounds of a loop; what is left over is enqueued one by
/// one, unless it is as much as the time before.
static void check_loop(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON, .rounds = 4};
  clear_cells(stream, cells);
  int graphs = log_count("cuGraphLaunch("), launched = log_count("cuLaunchK");
  CHECK_EQ(run_loop(&part, stream, cells, 12, true), 12);
  CHECK_EQ(log_count("cuGraphLaunch("), graphs + 2);
  CHECK_EQ(log_count("cuLaunchK"), launched + 2 + 3 * 2);
  for (int i = 0; i < 2; ++i)
    CHECK_EQ(run_loop(&part, stream, cells, 6, true), 6);
  CHECK_EQ(log_count("cuGraphLaunch("), graphs + 4);
  CHECK_EQ(log_count("cuLaunchK"), launched + 8 + 2 * 4);
  CHECK_EQ(run_loop(&part, stream, cells, 6, true), 6); // three and three
  CHECK_EQ(log_count("cuGraphLaunch("), graphs + 6);
  CHECK_EQ(log_count("cuLaunchK"), launched + 16);
  CHECK_EQ(run_loop(&part, stream, cells, 0, true), 0);
  CHECK_EQ(run_loop(&part, stream, cells, 1, true), 1);
  CHECK_EQ(read_cell(stream, cells), 11);
  CHECK_EQ(read_cell(stream, cells + 16), 10);
  CHECK_EQ(read_cell(stream, cells + 32), 31);
}

/// Of rounds that are all the same only as many do anything as a graph has.
static void check_fixed_loop(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {
      .mode = AGPU_GRAPH_ON, .rounds = 4, .flags = AGPU_GRAPH_FIXED};
  clear_cells(stream, cells);
  int graphs = log_count("cuGraphLaunch("), launched = log_count("cuLaunchK");
  CHECK_EQ(run_loop(&part, stream, cells, 15, false), 5);
  CHECK_EQ(read_cell(stream, cells), 15);
  CHECK_EQ(log_count("cuGraphLaunch("), graphs + 3);
  CHECK_EQ(log_count("cuLaunchK"), launched + 2 + 2 * 2);
  // Another time it may do something else: it is seen anew.
  CHECK_EQ(run_loop(&part, stream, cells + 8, 9, false), 4);
  CHECK_EQ(read_cell(stream, cells + 8), 9);
  CHECK_EQ(read_cell(stream, cells + 32), 15);
  CHECK_EQ(read_cell(stream, cells + 40), 9);
  // Rounds that differ after all do what they do.
  CHECK_EQ(run_loop(&part, stream, cells, 8, true), 8);
  CHECK_EQ(read_cell(stream, cells), 18);
}

/// Rounds that do nothing are not taken for those of the time before.
static void check_empty_loop(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {
      .mode = AGPU_GRAPH_ON, .rounds = 4, .flags = AGPU_GRAPH_FIXED};
  clear_cells(stream, cells);
  CHECK_EQ(run_loop(&part, stream, cells, 9, false), 5);
  for (int i = 0; i < 2; ++i) {
    agpu_graph_begin(&part, stream);
    for (int k = 0; k < 9; ++k)
      CHECK(agpu_graph_round(&part, stream));
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cells), 9);
}

/// A token that comes out of such a loop is behind all of it.
static void check_loop_token(char *cells) {
  static agpu_graph_site part = {
      .mode = AGPU_GRAPH_ON, .rounds = 4, .flags = AGPU_GRAPH_FIXED};
  agpu_stream *first = agpu_stream_acquire(NULL);
  clear_cells(first, cells);
  agpu_object *token = agpu_stream_record(first);
  agpu_stream_release(first);
  int waits = 0;
  agpu_graph_begin(&part, NULL);
  for (int i = 0; i < 22; ++i) {
    if (i == 6)
      waits = log_count("cuStreamWaitEvent(");
    if (!agpu_graph_round(&part, NULL))
      continue;
    agpu_stream *of = agpu_graph_stream_acquire(NULL);
    agpu_stream_wait(of, token);
    mlirAsyncRuntimeDropRef(token, 1);
    launch_increment(of, cells);
    token = agpu_stream_record(of);
    agpu_stream_release(of);
  }
  agpu_object *whole = agpu_graph_token(&part, token);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_graph_end(&part, NULL);
  CHECK_EQ(log_count("cuStreamWaitEvent("), waits);
  agpu_stream *end = agpu_stream_acquire(NULL);
  agpu_stream_wait(end, whole);
  CHECK_EQ(read_cell(end, cells), 22);
  await_and_drop(whole);
  agpu_stream_release(end);
}

/// A loop inside of a part is a piece of it.
static void check_inner_loop(agpu_stream *stream, char *cells) {
  static agpu_graph_site outer = {.mode = AGPU_GRAPH_ON};
  static agpu_graph_site inner = {
      .mode = AGPU_GRAPH_ON, .rounds = 2, .flags = AGPU_GRAPH_FIXED};
  int graphs = 0;
  clear_cells(stream, cells);
  for (int i = 0; i < ROUNDS; ++i) {
    if (i == 1)
      graphs = log_count("cuGraphLaunch(");
    agpu_graph_begin(&outer, stream);
    CHECK(i == 0 || run_loop(&inner, stream, cells, 5, false) == 5);
    launch_increment(stream, cells);
    agpu_graph_end(&outer, stream);
  }
  CHECK_EQ(read_cell(stream, cells), 6 * ROUNDS - 5);
  CHECK_EQ(log_count("cuGraphLaunch("), graphs + ROUNDS - 1);
}

/// The host that waits in the middle of such a loop has what it waits for; the
/// rest runs as without graphs.
static void check_observed_loop(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {
      .mode = AGPU_GRAPH_ON, .rounds = 4, .flags = AGPU_GRAPH_FIXED};
  clear_cells(stream, cells);
  agpu_graph_begin(&part, stream);
  for (int i = 0; i < 20; ++i) {
    CHECK(agpu_graph_round(&part, stream));
    launch_increment(stream, cells);
    if (i == 3)
      await_and_drop(agpu_stream_record(stream));
  }
  agpu_graph_end(&part, stream);
  CHECK_EQ(read_cell(stream, cells), 20);
}

/// Memory that a round allocates and frees is that of the next one, in the
/// order of the work that uses it; what it keeps is not.
static void check_memory(char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON, .rounds = 2};
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *last = NULL;
  int allocations = 0;
  clear_cells(stream, cells);
  agpu_graph_begin(&part, stream);
  for (int i = 0; i < 9; ++i) {
    if (i == 3)
      allocations = log_count("cuMemAllocAsync(");
    CHECK(agpu_graph_round(&part, stream));
    for (int k = 0; k < 2; ++k) { // the second one behind the first
      agpu_stream *of = agpu_graph_stream_acquire(NULL);
      agpu_object *before = agpu_stream_record(stream);
      agpu_stream_wait(of, before);
      char *own = agpu_alloc(of, 8, false, NULL);
      agpu_memset(of, own, (uint64_t)k + 1, 8, 1, NULL);
      launch_add(of, cells + 8 * k, cells + 8 * k, own);
      agpu_dealloc(of, own, NULL);
      agpu_object *after = agpu_stream_record(of);
      agpu_stream_release(of);
      agpu_stream_wait(stream, after);
      mlirAsyncRuntimeDropRef(before, 1);
      mlirAsyncRuntimeDropRef(after, 1);
    }
    if (i == 8)
      last = agpu_alloc(stream, 8, false, NULL);
  }
  agpu_graph_end(&part, stream);
  const char *pools = getenv("ASYNC_GPU_EMU_MEMORY_POOLS");
  if (!pools || strcmp(pools, "0") != 0)
    CHECK_EQ(log_count("cuMemAllocAsync("), allocations);
  agpu_memset(stream, last, 0, 8, 1, NULL);
  CHECK_EQ(read_cell(stream, cells), 9);
  CHECK_EQ(read_cell(stream, cells + 8), 18);
  agpu_dealloc(stream, last, NULL);
  agpu_stream_release(stream);
}

static void *run_rounds(void *argument) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_stream *stream = agpu_stream_acquire(NULL);
  for (int i = 0; i < 50; ++i) {
    agpu_graph_begin(&part, stream);
    launch_increment(stream, argument);
    launch_increment(stream, argument);
    agpu_graph_end(&part, stream);
  }
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  return NULL;
}

/// Threads that run a part at the same time have a graph each.
static void check_threads(agpu_stream *stream, char *cells) {
  pthread_t threads[3];
  clear_cells(stream, cells);
  await_and_drop(agpu_stream_record(stream));
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, run_rounds, cells + 8 * i);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(read_cell(stream, cells + 8 * i), 100);
}

/// Rounds on two streams by turns have a graph each, once the first one has
/// shown its worth, and wait for nothing of each other.
static void check_flights(char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_stream *streams[] = {agpu_stream_acquire(NULL),
                            agpu_stream_acquire(NULL)};
  clear_cells(streams[0], cells);
  await_and_drop(agpu_stream_record(streams[0]));
  int built = log_count("cuGraphInst"), waits = log_count("cuStreamWaitEvent(");
  int updates = 0;
  for (int i = 0; i < 4 * ROUNDS; ++i) {
    if (i == ROUNDS) {
      CHECK_EQ(log_count("cuGraphInst"), built + 2);
      updates = log_count("SetParams(");
    }
    agpu_graph_begin(&part, streams[i % 2]);
    launch_increment(streams[i % 2], cells + 8 * (i % 2));
    launch_increment(streams[i % 2], cells + 8 * (i % 2));
    agpu_graph_end(&part, streams[i % 2]);
  }
  CHECK_EQ(log_count("cuStreamWaitEvent("), waits);
  CHECK_EQ(log_count("SetParams("), updates);
  CHECK_EQ(log_count("cuGraphInst"), built + 2);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(read_cell(streams[i], cells + 8 * i), 4 * ROUNDS);
    agpu_stream_release(streams[i]);
  }
}

/// Rounds of a loop that are behind none but one of long ago go to streams of
/// their own, in as many graphs as may fly.
static void check_independent_loop(char *cells) {
  static agpu_graph_site part = {
      .mode = AGPU_GRAPH_ON, .rounds = 2, .flags = AGPU_GRAPH_INDEPENDENT};
  agpu_object *tokens[101];
  agpu_stream *stream = agpu_stream_acquire(NULL);
  clear_cells(stream, cells);
  await_and_drop(agpu_stream_record(stream));
  int built = log_count("cuGraphInst"), launched = log_count("cuGraphLaunch(");
  agpu_graph_begin(&part, NULL);
  for (int i = 0; i < 101; ++i) {
    CHECK(agpu_graph_round(&part, NULL));
    agpu_stream *of = agpu_graph_stream_acquire(NULL);
    if (i >= 8)
      agpu_stream_wait(of, tokens[i - 8]);
    launch_increment(of, cells + 8 * (i % 8));
    tokens[i] = agpu_stream_record(of);
    agpu_stream_release(of);
  }
  agpu_graph_end(&part, NULL);
  CHECK_EQ(log_count("cuGraphInst"), built + 4);
  CHECK_EQ(log_count("cuGraphLaunch("), launched + 50);
  for (int i = 0; i < 101; ++i)
    await_and_drop(tokens[i]);
  int64_t sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += read_cell(stream, cells + 8 * i);
  CHECK_EQ(sum, 101);
  agpu_stream_release(stream);
}

/// A launch on a stream of the program's own is behind what comes before it,
/// and before what follows; the round becomes no graph.
static void check_own_stream(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  clear_cells(stream, cells);
  void *own = mgpuStreamCreate();
  int launched = log_count("cuGraphLaunch(");
  for (int i = 0; i < 3; ++i) {
    agpu_graph_begin(&part, stream);
    launch_increment(stream, cells);
    agpu_launch_with(
        stream, &test_add, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, own,
        (void *[]){&(char *){cells}, &(char *){cells}, &(char *){cells}}, NULL);
    launch_increment(stream, cells);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cells), 21); // x -> 2 (x + 1) + 1, from 0
  CHECK_EQ(log_count("cuGraphLaunch("), launched);
  mgpuStreamDestroy(own);
}

int main(void) {
  log_begin();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *cells = agpu_alloc(stream, 64, false, NULL);
  check_same(stream, cells);
  check_changes(stream, cells);
  check_rows(stream, cells);
  check_observed(stream, cells);
  check_regions(cells);
  check_loop(stream, cells);
  check_fixed_loop(stream, cells);
  check_empty_loop(stream, cells);
  check_loop_token(cells);
  check_inner_loop(stream, cells);
  check_observed_loop(stream, cells);
  check_memory(cells);
  check_threads(stream, cells);
  check_flights(cells);
  check_independent_loop(cells);
  check_own_stream(stream, cells);
  check_error(cells);
  agpu_dealloc(stream, cells, NULL);
  agpu_stream_release(stream);
  check_end();
  CHECK_EQ(log_count("cuGraphInstantiate("), log_count("cuGraphExecDestroy("));
  CHECK_EQ(log_count("cuGraphCreate("), log_count("cuGraphDestroy("));
  CHECK_EQ(log_count("cuEventCreate("), log_count("cuEventDestroy("));
  return 0;
}
