//===- profile_graph.c - What a run had to wait for ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "trace/graph.h"

#define NONE AGPU__GRAPH_NONE

static int64_t without_label(agpu__graph *graph, uint32_t label) {
  return agpu__graph_imagine(
      graph, (agpu__graph_without){.label = label, .delay = NONE});
}

static int64_t without_delay(agpu__graph *graph, agpu__graph_edge kind) {
  return agpu__graph_imagine(
      graph, (agpu__graph_without){.label = NONE, .delay = kind});
}

static size_t finish(agpu__graph *graph) {
  size_t left_out;
  CHECK(agpu__graph_finish(graph, &left_out));
  return left_out;
}

/// A fork and a join: 0 10 | a 12..52 | b 15..35 | 60 70.
static void test_fork(void) {
  enum { MAIN, A, B };
  agpu__graph graph = {.order = NULL};
  uint32_t fork = agpu__graph_add(&graph, 0, 10, MAIN);
  uint32_t a = agpu__graph_add(&graph, 12, 52, A);
  uint32_t b = agpu__graph_add(&graph, 15, 35, B);
  uint32_t join = agpu__graph_add(&graph, 60, 70, MAIN);
  agpu__graph_connect(&graph, fork, a, AGPU__GRAPH_SPAWN);
  agpu__graph_connect(&graph, fork, b, AGPU__GRAPH_SPAWN);
  agpu__graph_connect(&graph, b, join, AGPU__GRAPH_AWAIT);
  agpu__graph_connect(&graph, a, join, AGPU__GRAPH_AWAIT);
  agpu__graph_connect(&graph, fork, join, AGPU__GRAPH_PROGRAM);
  agpu__graph_connect(&graph, NONE, join, AGPU__GRAPH_PROGRAM); // nothing
  CHECK_EQ(finish(&graph), 0);
  CHECK_EQ(agpu__graph_span(&graph), 70);

  agpu__graph_edge kind;
  int64_t delay;
  CHECK_EQ(agpu__graph_last(&graph), join);
  CHECK_EQ(agpu__graph_before(&graph, join, &kind, &delay), a);
  CHECK_EQ(kind, AGPU__GRAPH_AWAIT);
  CHECK_EQ(delay, 8);
  CHECK_EQ(agpu__graph_before(&graph, a, &kind, &delay), fork);
  CHECK_EQ(kind, AGPU__GRAPH_SPAWN);
  CHECK_EQ(delay, 2);
  CHECK_EQ(agpu__graph_before(&graph, fork, &kind, &delay), NONE);

  // Without a, b is what is waited for: 35 + 8 + 10.
  CHECK_EQ(without_label(&graph, A), 53);
  CHECK_EQ(without_label(&graph, B), 70);
  CHECK_EQ(without_label(&graph, MAIN), 2 + 40 + 8);
  CHECK_EQ(without_delay(&graph, AGPU__GRAPH_AWAIT), 62);
  CHECK_EQ(without_delay(&graph, AGPU__GRAPH_SPAWN), 68);
  CHECK_EQ(without_delay(&graph, AGPU__GRAPH_STREAM), 70);
  CHECK_EQ(
      agpu__graph_imagine(&graph, (agpu__graph_without){.label = NONE,
                                                        .delay = NONE,
                                                        .all_delays = true}),
      10 + 40 + 10);
  agpu__graph_free(&graph);
  CHECK_EQ(agpu__graph_count(&graph), 0);
}

/// One worker and two tasks: with two workers they would run at a time.
static void test_worker(void) {
  agpu__graph graph = {.order = NULL};
  uint32_t spawns = agpu__graph_add(&graph, 0, 10, 0);
  uint32_t first = agpu__graph_add(&graph, 10, 40, 1);
  uint32_t second = agpu__graph_add(&graph, 41, 71, 2);
  agpu__graph_connect(&graph, spawns, first, AGPU__GRAPH_SPAWN);
  agpu__graph_connect(&graph, spawns, second, AGPU__GRAPH_SPAWN);
  agpu__graph_connect(&graph, first, second, AGPU__GRAPH_WORKER);
  CHECK_EQ(finish(&graph), 0);
  CHECK_EQ(agpu__graph_span(&graph), 71);
  CHECK_EQ(without_label(&graph, 1), 10 + 1 + 30);
  CHECK_EQ(
      agpu__graph_imagine(&graph, (agpu__graph_without){.label = NONE,
                                                        .delay = NONE,
                                                        .all_delays = true}),
      40);
  agpu__graph_free(&graph);
}

/// What the times contradict does no harm: clocks that are a little off, and
/// edges in a circle.
static void test_contradictions(void) {
  agpu__graph graph = {.order = NULL};
  uint32_t host = agpu__graph_add(&graph, 0, 100, 0);
  uint32_t device = agpu__graph_add(&graph, 95, 200, 1); // begins too early
  uint32_t a = agpu__graph_add(&graph, 200, 210, 2);
  uint32_t b = agpu__graph_add(&graph, 205, 220, 2);
  agpu__graph_connect(&graph, host, device, AGPU__GRAPH_LAUNCH);
  agpu__graph_connect(&graph, device, a, AGPU__GRAPH_COMPLETION);
  agpu__graph_connect(&graph, a, b, AGPU__GRAPH_AWAIT);
  agpu__graph_connect(&graph, b, a, AGPU__GRAPH_AWAIT);
  CHECK_EQ(finish(&graph), 1);
  CHECK_EQ(agpu__graph_span(&graph), 220);
  CHECK_EQ(without_label(&graph, 0), 120);
  agpu__graph_free(&graph);

  agpu__graph empty = {.order = NULL};
  CHECK_EQ(finish(&empty), 0);
  CHECK_EQ(agpu__graph_span(&empty), 0);
  CHECK_EQ(agpu__graph_last(&empty), NONE);
  agpu__graph_free(&empty);
}

/// A long chain takes no stack.
static void test_many(void) {
  enum { COUNT = 300000 };
  agpu__graph graph = {.order = NULL};
  for (uint32_t i = 0; i < COUNT; ++i) {
    CHECK_EQ(agpu__graph_add(&graph, 10 * i, 10 * i + 7, i % 2), i);
    agpu__graph_connect(&graph, i - 1, i, AGPU__GRAPH_STREAM);
  }
  CHECK_EQ(finish(&graph), 0);
  CHECK_EQ(agpu__graph_span(&graph), 10 * COUNT - 3);
  CHECK_EQ(without_label(&graph, 1), 10 * COUNT - 3 - 7 * (COUNT / 2));
  CHECK_EQ(without_delay(&graph, AGPU__GRAPH_STREAM), 7 * COUNT);
  agpu__graph_free(&graph);
}

int main(void) {
  test_fork();
  test_worker();
  test_contradictions();
  test_many();
  return 0;
}
