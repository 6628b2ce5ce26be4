// Task Bench's graphs on oneTBB, for its core and the shim of the tests.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each task is a node of a flow graph, which begins once all nodes that it has an
// edge from have ended: the closest that oneTBB has to tokens. Nodes are made and
// connected while the time runs, as tasks are by all others.

#include <core.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>

extern "C" {
app_t task_bench_app();
void task_bench_point(int64_t graph, int64_t step, int64_t point);
int32_t task_bench_begin();
int32_t task_bench_ranks();
void task_bench_barrier();
void task_bench();
void task_bench_end();
}

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

std::unique_ptr<tbb::global_control> threads;

using Nodes = std::vector<Node *>;

/// Adds the tasks of a step after those of the one `before`, and to `roots` those
/// that depend on none; gives them by point, or null.
Nodes add_step(tbb::flow::graph &flow, std::deque<Node> &nodes,
               const TaskGraph &graph, long step, const Nodes &before,
               Nodes &roots) {
  Nodes made(graph.max_width, nullptr);
  long set = graph.dependence_set_at_timestep(step);
  long first = graph.offset_at_timestep(step);
  for (long p = first; p < first + graph.width_at_timestep(step); ++p) {
    int64_t index = graph.graph_index;
    nodes.emplace_back(flow, [=](const tbb::flow::continue_msg &) {
      task_bench_point(index, step, p);
    });
    made[p] = &nodes.back();
    bool is_root = true;
    for (auto span : graph.dependencies(set, p))
      for (long needed = span.first; needed <= span.second; ++needed)
        if (before[needed]) {
          tbb::flow::make_edge(*before[needed], *made[p]);
          is_root = false;
        }
    if (is_root)
      roots.push_back(made[p]);
  }
  return made;
}

void run(const TaskGraph &graph, tbb::flow::graph &flow,
         std::deque<Node> &nodes) {
  Nodes before(graph.max_width, nullptr), roots;
  for (long step = 0; step < graph.timesteps; ++step)
    before = add_step(flow, nodes, graph, step, before, roots);
  for (Node *root : roots)
    root->try_put(tbb::flow::continue_msg());
}

} // namespace

int32_t task_bench_begin() {
  const char *count = std::getenv("TASK_BENCH_THREADS");
  threads = std::make_unique<tbb::global_control>(
      tbb::global_control::max_allowed_parallelism,
      count ? std::strtoul(count, nullptr, 10) : 1);
  return 0;
}

int32_t task_bench_ranks() { return 1; }

void task_bench_barrier() {}

void task_bench() {
  tbb::flow::graph flow;
  std::deque<Node> nodes;
  task_graph_list_t list = app_task_graphs(task_bench_app());
  for (long i = 0; i < task_graph_list_num_task_graphs(list); ++i)
    run(TaskGraph(task_graph_list_task_graph(list, i)), flow, nodes);
  flow.wait_for_all();
  task_graph_list_destroy(list);
}

void task_bench_end() { threads.reset(); }
