// The workloads on oneTBB.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bench.h"

#include <atomic>
#include <deque>
#include <initializer_list>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace {

// Both calls of a node as tasks, as the MLIR program has it.
int64_t fib(int64_t n) {
  if (n < 2)
    return n;
  int64_t below, second;
  tbb::task_group group;
  group.run([&] { below = fib(n - 1); });
  group.run([&] { second = fib(n - 2); });
  group.wait();
  return below + second;
}

// The usual way to write it: one call is a task, the other one is not.
int64_t fib_half(int64_t n) {
  if (n < 2)
    return n;
  int64_t below;
  tbb::task_group group;
  group.run([&] { below = fib_half(n - 1); });
  int64_t second = fib_half(n - 2);
  group.wait();
  return below + second;
}

// What the bodies of tasks begin with: nothing, or a call into the unknown.
struct Nothing {
  void operator()() const {}
};
struct Opaque {
  void operator()() const { bench_opaque(); }
};

template <typename Body> int64_t fan_out(int64_t n) {
  tbb::task_group group;
  for (int64_t i = 0; i < n; ++i)
    group.run(Body());
  group.wait();
  return n;
}

// Each task spawns the next one: what comes closest to a chain by hand.
template <typename Body> struct Link {
  tbb::task_group *group;
  int64_t *count;
  int64_t left;

  void operator()() const {
    Body()();
    ++*count;
    if (left > 1)
      group->run(Link<Body>{group, count, left - 1});
  }
};

template <typename Body> int64_t chain(int64_t n) {
  int64_t count = 0;
  tbb::task_group group;
  group.run(Link<Body>{&group, &count, n});
  group.wait();
  return count;
}

// A graph of nodes and edges that is there before the first node runs.
int64_t chain_gated(int64_t n) {
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tbb::flow::graph graph;
  std::vector<Node> nodes;
  nodes.reserve(n);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    nodes.emplace_back(graph,
                       [&count](const tbb::flow::continue_msg &) { ++count; });
    if (i > 0)
      tbb::flow::make_edge(nodes[i - 1], nodes[i]);
  }
  nodes[0].try_put(tbb::flow::continue_msg());
  graph.wait_for_all();
  return count;
}

template <typename Body> void loop(int64_t n, Body body) {
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 1000),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      body(range.begin(), range.end());
                    });
}

void saxpy(float *x, float *y, int64_t n) {
  loop(n, [=](int64_t begin, int64_t end) { bench_saxpy(x, y, begin, end); });
}

void iterate(float *x, float *y, int64_t n) {
  loop(n, [=](int64_t begin, int64_t end) { bench_iterate(x, y, begin, end); });
}

void dot(float *x, float *y, int64_t n) {
  float sum = tbb::parallel_reduce(
      tbb::blocked_range<int64_t>(0, n, 1000), 0.0f,
      [=](const tbb::blocked_range<int64_t> &range, float before) {
        return before + bench_dot(x, y, range.begin(), range.end());
      },
      [](float left, float right) { return left + right; });
  bench_keep_dot(y, sum, n);
}

// A heap: node i waits for 2i and 2i + 1, and the one of them that ends last
// spawns it.
template <typename Body> class Tree {
public:
  explicit Tree(int64_t leaves) : nodes(2 * leaves), leaves(leaves) {}

  int64_t sum() {
    for (int64_t i = 0; i < leaves; ++i)
      group.run([this, i] {
        Body()();
        nodes[leaves + i].value = i;
        end(leaves + i);
      });
    group.wait();
    return nodes[1].value;
  }

private:
  struct Node {
    std::atomic<int> missing{2};
    int64_t value = 0;
  };

  void end(int64_t child) {
    int64_t i = child / 2;
    if (i == 0 ||
        nodes[i].missing.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    group.run([this, i] {
      Body()();
      nodes[i].value = nodes[2 * i].value + nodes[2 * i + 1].value;
      end(i);
    });
  }

  std::vector<Node> nodes;
  int64_t leaves;
  tbb::task_group group;
};

template <typename Body> int64_t tree(int64_t n) {
  return Tree<Body>(n).sum();
}

template <typename Body> int64_t round_trip(int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    tbb::task_group group;
    group.run([&count] {
      Body()();
      ++count;
    });
    group.wait();
  }
  return count;
}

// A second slot for a worker, and none of the two for this thread.
int64_t round_trip_other(int64_t n) {
  static tbb::task_arena arena(2, 1);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    arena.enqueue([&count] {
      ++count;
      bench_post();
    });
    bench_wait();
  }
  return count;
}

/// As a graph whose nodes are tasks and whose edges are dependencies, made once
/// for each factorisation, as the other programs do.
int64_t cholesky(int64_t n) {
  namespace flow = tbb::flow;
  using node = flow::continue_node<flow::continue_msg>;
  int64_t right = 0;
  for (int64_t turn = 0; turn < n; ++turn) {
    bench_begin_cholesky();
    flow::graph graph;
    flow::broadcast_node<flow::continue_msg> start(graph);
    std::deque<node> nodes;
    node *last[BENCH_TILES][BENCH_TILES] = {};
    auto add = [&](auto body, int64_t i, int64_t j,
                   std::initializer_list<node *> reads) {
      nodes.emplace_back(graph, [body](const flow::continue_msg &) {
        body();
        return flow::continue_msg();
      });
      bool waits = last[i][j] != nullptr;
      if (waits)
        flow::make_edge(*last[i][j], nodes.back());
      for (node *read : reads)
        flow::make_edge(*read, nodes.back());
      if (!waits && reads.size() == 0)
        flow::make_edge(start, nodes.back());
      last[i][j] = &nodes.back();
    };
    for (int64_t k = 0; k < BENCH_TILES; ++k) {
      add([=] { bench_potrf(k); }, k, k, {});
      for (int64_t i = k + 1; i < BENCH_TILES; ++i)
        add([=] { bench_trsm(i, k); }, i, k, {last[k][k]});
      for (int64_t i = k + 1; i < BENCH_TILES; ++i)
        for (int64_t j = k + 1; j <= i; ++j) {
          if (i == j)
            add([=] { bench_update(i, j, k); }, i, j, {last[i][k]});
          else
            add([=] { bench_update(i, j, k); }, i, j,
                {last[i][k], last[j][k]});
        }
    }
    start.try_put(flow::continue_msg());
    graph.wait_for_all();
    right += bench_end_cholesky();
  }
  return right;
}

} // namespace

const bench_work bench_works[] = {
    {"fib", fib, nullptr},
    {"fib-half", fib_half, nullptr},
    {"fan-out", fan_out<Nothing>, nullptr},
    {"fan-out-opaque", fan_out<Opaque>, nullptr},
    {"chain", chain<Nothing>, nullptr},
    {"chain-opaque", chain<Opaque>, nullptr},
    {"chain-gated", chain_gated, nullptr},
    {"saxpy", nullptr, saxpy},
    {"iterate", nullptr, iterate},
    {"dot", nullptr, dot},
    {"cholesky", cholesky, nullptr},
    {"tree", tree<Nothing>, nullptr},
    {"tree-opaque", tree<Opaque>, nullptr},
    {"round-trip", round_trip<Nothing>, nullptr},
    {"round-trip-opaque", round_trip<Opaque>, nullptr},
    {"round-trip-other", round_trip_other, nullptr},
    {nullptr, nullptr, nullptr},
};
