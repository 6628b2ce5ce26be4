//===- graph_shapes.c - Rounds that are one thing and another by turns ----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to four shapes of rounds keep a graph each, whichever begin alike; a fifth
// takes the place of the one that was left longest ago. Where a few of them
// have too little work for a graph, the others are graphs all the same.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "support.h"

enum { ROUNDS = 24 };

static int64_t read_cell(agpu_stream *stream, void *cell) {
  int64_t value = -1;
  agpu_memcpy(stream, &value, cell, 8, NULL);
  await_and_drop(agpu_stream_record(stream));
  return value;
}

static void call_increment(const void *arguments) {
  ++**(int64_t *const *)arguments;
}

/// Rounds of `shapes` shapes by turns: each begins alike, with another pointer
/// every time, and ends after more launches than the one before. Returns how
/// many graphs were built after the first turn of all.
static int run_lengths(agpu_stream *stream, char *cells, int shapes) {
  static agpu_graph_site parts[6]; // one for each number of shapes
  agpu_graph_site *part = &parts[shapes];
  part->mode = AGPU_GRAPH_ON;
  agpu_memset(stream, cells, 0, 8, 8, NULL);
  int built = 0, launched = log_count("cuGraphLaunch("), launches = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    if (i == shapes + 1)
      built = log_count("cuGraphInstantiate(");
    agpu_graph_begin(part, stream);
    for (int k = 0; k <= i % shapes; ++k, ++launches)
      launch_increment(stream, cells + 8 * ((i + k) % 3));
    agpu_graph_end(part, stream);
  }
  CHECK_EQ(read_cell(stream, cells) + read_cell(stream, cells + 8) +
               read_cell(stream, cells + 16),
           launches);
  CHECK_EQ(log_count("cuGraphLaunch("), launched + ROUNDS - 1);
  return log_count("cuGraphInstantiate(") - built;
}

/// A fill, a strided copy or code of the host between launches, by turns.
static void check_kinds(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  static int64_t counted;
  const int64_t sizes[] = {2, 1}, apart[] = {2, 1}, beside[] = {1, 1};
  int64_t *counter = &counted;
  agpu_memset(stream, cells, 0, 8, 8, NULL);
  int built = 0, updates = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    if (i == 5) {
      built = log_count("cuGraphInstantiate(");
      updates = log_count("SetParams(");
    }
    agpu_graph_begin(&part, stream);
    launch_increment(stream, cells);
    if (i % 4 == 0)
      agpu_memset(stream, cells + 8, (uint64_t)i, 1, 1, NULL);
    else if (i % 4 == 3)
      agpu_host_call(stream, call_increment, &counter, sizeof counter, NULL);
    else
      agpu_memcpy_strided(stream, cells + 16, cells, 2, sizes,
                          i % 4 == 1 ? beside : apart, sizes, beside, 4, NULL);
    launch_add(stream, cells + 40, cells + 40, cells);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(read_cell(stream, cells), ROUNDS);
  CHECK_EQ(read_cell(stream, cells + 40), ROUNDS * (ROUNDS + 1) / 2);
  CHECK_EQ(read_cell(stream, cells + 8), ROUNDS - 4);
  CHECK_EQ(counted, ROUNDS / 4);
  CHECK_EQ(log_count("cuGraphInstantiate("), built);
  // Of the fill alone, whose value is another each time.
  CHECK_EQ(log_count("SetParams("), updates + (ROUNDS - 5) / 4);
}

/// Each third round has one launch, and the others enough of them.
static void check_small(agpu_stream *stream, char *cells) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_AUTO};
  int launched = log_count("cuGraphLaunch(");
  for (int i = 0; i < ROUNDS; ++i) {
    agpu_graph_begin(&part, stream);
    for (int k = 0; k < ((i + 1) % 3 ? 4 : 1); ++k)
      launch_increment(stream, cells);
    agpu_graph_end(&part, stream);
  }
  CHECK_EQ(log_count("cuGraphLaunch("), launched + ROUNDS - 8);
}

int main(void) {
  log_begin();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  char *cells = agpu_alloc(stream, 64, false, NULL);
  CHECK_EQ(run_lengths(stream, cells, 2), 0);
  CHECK_EQ(run_lengths(stream, cells, 4), 0);
  CHECK(run_lengths(stream, cells, 5) > 0);
  check_kinds(stream, cells);
  check_small(stream, cells);
  agpu_dealloc(stream, cells, NULL);
  agpu_stream_release(stream);
  check_end();
  CHECK_EQ(log_count("cuGraphInstantiate("), log_count("cuGraphExecDestroy("));
  CHECK_EQ(log_count("cuGraphCreate("), log_count("cuGraphDestroy("));
  return 0;
}
