//===- cases.c - What is measured, and what it should come to -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report.h"

const bench_sizes bench_full = {.runs = 9,
                                .regions = 16,
                                .kernels = 16,
                                .overlap_ns = 100000,
                                .chain = 10000,
                                .chunks = 64,
                                .trips = 101,
                                .batches = 101,
                                .idle_ns = 20000000};

const bench_sizes bench_small = {.runs = 1,
                                 .regions = 4,
                                 .kernels = 3,
                                 .overlap_ns = 20000,
                                 .chain = 40,
                                 .chunks = 6,
                                 .trips = 5,
                                 .batches = 3,
                                 .idle_ns = 200000};

#define PEERS(name, function)                                                  \
  {name, "by-hand", NULL, by_hand_##function},                                 \
      {name, "async-gpu", NULL, async_gpu_##function},                         \
      {name, "graph", NULL, graph_##function}, {                               \
    name, "upstream", NULL, upstream_##function                                \
  }

const bench_case bench_cases[] = {
    {"completion", "cuEventSynchronize", NULL, completion_event},
    {"completion", "cuEventSynchronize, blocking", NULL,
     completion_blocking_event},
    {"completion", "hostfunc", "hostfunc", completion_async_gpu},
    {"completion", "poll", "poll", completion_async_gpu},
    {"completion", "spin", "spin", completion_async_gpu},
    {"launch", "async-gpu", NULL, calls_launch},
    {"region", "async-gpu", NULL, calls_region},
    PEERS("fork-join", fork_join),
    PEERS("overlap", overlap),
    PEERS("chain", chain),
    {"chain-of-regions", "by-hand", NULL, by_hand_chain},
    {"chain-of-regions", "async-gpu", NULL, async_gpu_chain_of_regions},
    {"chain-of-regions", "graph", NULL, graph_chain},
    {"chain-of-regions", "upstream", NULL, upstream_chain_of_regions},
    PEERS("pipeline", pipeline),
    {"fork-join", "graph nodes", NULL, graph_nodes_fork_join},
    {"chain", "graph nodes", NULL, graph_nodes_chain},
    {"pipeline", "graph nodes", NULL, graph_nodes_pipeline},
    {"steps", "by-hand", NULL, by_hand_chain},
    {"steps", "async-gpu", NULL, async_gpu_steps},
    {"steps", "async-gpu, streams", NULL, async_gpu_steps_on_streams},
    {"steps", "graph", NULL, graph_steps},
    {"steps", "graph nodes", NULL, graph_nodes_steps},
    {0},
};

#define OVER_BY_HAND(name)                                                     \
  {name ": at most 5 % over by hand", name, "by-hand", RATIO, 1.05},           \
      {name ": ahead of upstream", name, "upstream", RATIO, 1.0}

const bench_target bench_targets[] = {
    {"launch: at most 150 ns over cuLaunchKernel", "launch", NULL, DIFFERENCE,
     150},
    {"region: at most 5 % over the driver's calls", "region", NULL, QUOTIENT,
     1.05},
    OVER_BY_HAND("fork-join"),
    // The kernels' time is the same, so overlap is the inverse of wall time.
    {"overlap: at least 95 % of by hand", "overlap", "by-hand", RATIO,
     1 / 0.95},
    {"overlap: ahead of upstream", "overlap", "upstream", RATIO, 1.0},
    OVER_BY_HAND("chain"),
    OVER_BY_HAND("chain-of-regions"),
    OVER_BY_HAND("pipeline"),
    {"steps: at most 5 % over a graph of node functions", "steps",
     "graph nodes", RATIO, 1.05},
    {"steps: ahead of streams", "steps", "async-gpu, streams", RATIO, 1.0},
    {0},
};
