//===- shim.c - Task Bench's core behind a compiled program ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main program of an implementation of Task Bench. The graphs of tasks are
// the functions of a program that program.py has written, for the same command
// line; a task calls `task_bench_point`, which hands the core the outputs of
// the tasks that it depends on. The core ends the program where one of these is
// not what that task has written.
//
// Each task of a run has an output of its own, which nothing has written before
// the task: outputs are cleared ahead of each run, and looked at after it. All
// runs but the last one warm up.
//
// Every rank of an MPI program has room for all outputs, and fills those of its
// points and those that it receives.
//
//===----------------------------------------------------------------------===//

#include <core_c.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 2
/// Outputs share no line of a cache.
#define LINE 64

/// Of the generated program. The first gives the rank of the process, the
/// second the number that the program is written for.
int32_t task_bench_begin(void);
int32_t task_bench_ranks(void);
void task_bench_barrier(void);
void task_bench(void);
void task_bench_end(void);

/// memref<?x?x?xi8>
typedef struct memref_3d {
  char *allocated, *aligned;
  int64_t offset, sizes[3], strides[3];
} memref_3d;

typedef struct points {
  size_t count;
  long *data;
} points;

typedef struct graph {
  task_graph_t core;
  bool varies;       ///< not all points are there in each step
  long *first, *end; ///< points of each step
  long sets;         ///< of dependencies
  long *set_of;      ///< each step
  points *needs;     ///< what a point depends on: max_width for each set
  char *outputs;     ///< of a step after those of the step before
  size_t stride, step_stride, output_bytes;
} graph;

/// What a task that runs on a thread needs.
typedef struct room {
  char *scratch;
  const char **inputs;
} room;

static struct {
  app_t app;
  graph *graphs;
  long graph_count;
  size_t scratch_bytes, input_count; // the most of a task
  size_t *input_bytes; // as many as a task has inputs, at most, for each graph
} all;

static _Thread_local room own_room;

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) {
    fprintf(stderr, "error: no memory for %zu times %zu bytes\n", count, size);
    exit(1);
  }
  return memory;
}

//===----------------------------------------------------------------------===//
// What the program calls
//===----------------------------------------------------------------------===//

/// For peers.
app_t task_bench_app(void) { return all.app; }

int64_t task_bench_steps(int64_t index) {
  return all.graphs[index].core.timesteps;
}

/// Whether a step has a task for this point.
static bool has(const graph *g, long step, long point) {
  return point >= g->first[step] && point < g->end[step];
}

bool task_bench_has(int64_t index, int64_t step, int64_t point) {
  return has(&all.graphs[index], step, point);
}

/// Tasks of the points from `first` up to `end`.
int64_t task_bench_count(int64_t index, int64_t first, int64_t end) {
  const graph *g = &all.graphs[index];
  int64_t count = 0;
  for (long step = 0; step < g->core.timesteps; ++step)
    for (long point = first; point < end; ++point)
      count += has(g, step, point);
  return count;
}

static char *output_of(const graph *g, long step, long point) {
  return g->outputs + (size_t)step * g->step_stride + (size_t)point * g->stride;
}

/// Outputs: steps, points, bytes.
void _mlir_ciface_task_bench_outputs(memref_3d *result, int64_t index) {
  const graph *g = &all.graphs[index];
  *result = (memref_3d){
      .allocated = g->outputs,
      .aligned = g->outputs,
      .sizes = {g->core.timesteps, g->core.max_width, (int64_t)g->output_bytes},
      .strides = {(int64_t)g->step_stride, (int64_t)g->stride, 1}};
}

static void make_room(void) {
  own_room.inputs = allocate(all.input_count, sizeof(*own_room.inputs));
  own_room.scratch = allocate(all.scratch_bytes, 1);
  task_graph_prepare_scratch(own_room.scratch, all.scratch_bytes);
}

void task_bench_point(int64_t index, int64_t step, int64_t point) {
  const graph *g = &all.graphs[index];
  if (!own_room.inputs)
    make_room();
  size_t count = 0;
  if (step > 0) {
    const points *needs =
        &g->needs[g->set_of[step] * g->core.max_width + point];
    for (size_t i = 0; i < needs->count; ++i)
      if (!g->varies || has(g, step - 1, needs->data[i]))
        own_room.inputs[count++] = output_of(g, step - 1, needs->data[i]);
  }
  task_graph_execute_point_scratch(
      g->core, step, point, output_of(g, step, point), g->output_bytes,
      own_room.inputs, all.input_bytes + (size_t)index * all.input_count, count,
      own_room.scratch, g->core.scratch_bytes_per_task);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

static points find_needs(task_graph_t core, long set, long point) {
  interval_list_t list = task_graph_dependencies(core, set, point);
  points needs = {0};
  for (long i = 0; i < interval_list_num_intervals(list); ++i) {
    interval_t span = interval_list_interval(list, i);
    needs.count += (size_t)(span.end - span.start + 1);
  }
  needs.data = allocate(needs.count, sizeof(*needs.data));
  size_t filled = 0;
  for (long i = 0; i < interval_list_num_intervals(list); ++i) {
    interval_t span = interval_list_interval(list, i);
    for (long dep = span.start; dep <= span.end; ++dep)
      needs.data[filled++] = dep;
  }
  interval_list_destroy(list);
  return needs;
}

static void open_graph(graph *g, task_graph_t core) {
  g->core = core;
  g->sets = task_graph_max_dependence_sets(core);
  g->set_of = allocate((size_t)core.timesteps, sizeof(*g->set_of));
  g->first = allocate((size_t)core.timesteps, sizeof(*g->first));
  g->end = allocate((size_t)core.timesteps, sizeof(*g->end));
  for (long step = 0; step < core.timesteps; ++step) {
    long width = task_graph_width_at_timestep(core, step);
    g->varies |= width != core.max_width;
    g->first[step] = task_graph_offset_at_timestep(core, step);
    g->end[step] = g->first[step] + width;
    g->set_of[step] = task_graph_dependence_set_at_timestep(core, step);
  }
  g->needs = allocate((size_t)(g->sets * core.max_width), sizeof(*g->needs));
  for (long set = 0; set < g->sets; ++set)
    for (long point = 0; point < core.max_width; ++point) {
      points *needs = &g->needs[set * core.max_width + point];
      *needs = find_needs(core, set, point);
      if (needs->count > all.input_count)
        all.input_count = needs->count;
    }
  if (core.scratch_bytes_per_task > all.scratch_bytes)
    all.scratch_bytes = core.scratch_bytes_per_task;
  g->output_bytes = core.output_bytes_per_task;
  g->stride = (g->output_bytes + LINE - 1) / LINE * LINE;
  g->step_stride = g->stride * (size_t)core.max_width;
  g->outputs = allocate((size_t)core.timesteps, g->step_stride);
}

static void open_graphs(void) {
  task_graph_list_t list = app_task_graphs(all.app);
  all.graph_count = task_graph_list_num_task_graphs(list);
  all.graphs = allocate((size_t)all.graph_count, sizeof(*all.graphs));
  for (long i = 0; i < all.graph_count; ++i)
    open_graph(&all.graphs[i], task_graph_list_task_graph(list, i));
  task_graph_list_destroy(list);
  all.input_count += !all.input_count;
  all.input_bytes = allocate((size_t)all.graph_count * all.input_count,
                             sizeof(*all.input_bytes));
  for (long i = 0; i < all.graph_count; ++i)
    for (size_t k = 0; k < all.input_count; ++k)
      all.input_bytes[(size_t)i * all.input_count + k] =
          all.graphs[i].output_bytes;
}

static void clear_outputs(void) {
  for (long i = 0; i < all.graph_count; ++i)
    memset(all.graphs[i].outputs, 0xff,
           (size_t)all.graphs[i].core.timesteps * all.graphs[i].step_stride);
}

/// Of a process that is one of so many ranks: the core has seen inputs alone.
static void check_outputs(int32_t rank, int32_t ranks) {
  for (long i = 0; i < all.graph_count; ++i) {
    const graph *g = &all.graphs[i];
    long width = g->core.max_width;
    for (long step = 0; step < g->core.timesteps; ++step)
      for (long point = rank * width / ranks;
           point < (rank + 1) * width / ranks; ++point) {
        long expected[2] = {step, point};
        if (has(g, step, point) &&
            memcmp(output_of(g, step, point), expected, sizeof(expected))) {
          fprintf(stderr, "error: graph %ld has no task %ld of step %ld\n", i,
                  point, step);
          exit(1);
        }
      }
  }
}

static void close_graphs(void) {
  for (long i = 0; i < all.graph_count; ++i) {
    graph *g = &all.graphs[i];
    for (long k = 0; k < g->sets * g->core.max_width; ++k)
      free(g->needs[k].data);
    free(g->needs);
    free(g->set_of);
    free(g->first);
    free(g->end);
    free(g->outputs);
  }
  free(all.graphs);
  free(all.input_bytes);
  app_destroy(all.app);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  int32_t rank = task_bench_begin();
  all.app = app_create(argc, argv);
  open_graphs();
  if (rank == 0)
    app_display(all.app);
  double seconds = 0;
  for (int i = 0; i < RUNS; ++i) {
    clear_outputs();
    task_bench_barrier();
    double start = now();
    task_bench();
    task_bench_barrier();
    seconds = now() - start;
    check_outputs(rank, task_bench_ranks());
  }
  if (rank == 0)
    app_report_timing(all.app, seconds);
  task_bench_end();
  close_graphs();
  return 0;
}
