//===- core.c - A small core of graphs of tasks ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of one command line: a task writes its step and its point into all of
// its output, and ends the process where an input is not what the task that it
// depends on has written. Patterns:
//
//   trivial   no dependencies
//   shift     on itself, and on the point that is `set` + 1 further on, where
//             the set changes from step to step with a period of two
//   growing   on the point of half its number; a step has twice the points of
//             the one before, up to all
//
//===----------------------------------------------------------------------===//

#include "core_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPHS 8

static const char *const patterns[] = {"trivial", "shift", "growing"};

static struct {
  task_graph_t graphs[GRAPHS];
  long count;
} app;

static void stop(const char *what) {
  fprintf(stderr, "core: Assertion `%s' failed\n", what);
  abort();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

long task_graph_offset_at_timestep(task_graph_t graph, long step) {
  (void)graph;
  (void)step;
  return 0;
}

long task_graph_width_at_timestep(task_graph_t graph, long step) {
  long width = 1;
  if (step < 0 || graph.dependence != GROWING)
    return step < 0 ? 0 : graph.max_width;
  for (long i = 0; i < step && width < graph.max_width; ++i)
    width *= 2;
  return width < graph.max_width ? width : graph.max_width;
}

long task_graph_max_dependence_sets(task_graph_t graph) {
  return graph.dependence == SHIFT ? 2 : 1;
}

long task_graph_dependence_set_at_timestep(task_graph_t graph, long step) {
  return step % task_graph_max_dependence_sets(graph);
}

typedef struct list {
  long count;
  interval_t intervals[2];
} list;

static list find(const task_graph_t *graph, long set, long point) {
  long half = point / 2, other = (point + set + 1) % graph->max_width;
  switch (graph->dependence) {
  case TRIVIAL: break;
  case SHIFT:
    return (list){1 + (other != point), {{point, point}, {other, other}}};
  case GROWING: return (list){1, {{half, half}}};
  }
  return (list){0};
}

interval_list_t task_graph_dependencies(task_graph_t graph, long set,
                                        long point) {
  list *made = malloc(sizeof(*made));
  if (!made)
    stop("memory");
  *made = find(&graph, set, point);
  return (interval_list_t){made};
}

long interval_list_num_intervals(interval_list_t intervals) {
  return ((list *)intervals.impl)->count;
}

interval_t interval_list_interval(interval_list_t intervals, long index) {
  return ((list *)intervals.impl)->intervals[index];
}

void interval_list_destroy(interval_list_t intervals) { free(intervals.impl); }

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static void check_input(const char *input, size_t bytes, long step,
                        long point) {
  for (size_t at = 0; at + 2 * sizeof(long) <= bytes; at += 2 * sizeof(long)) {
    long has[2];
    memcpy(has, input + at, sizeof(has));
    if (has[0] != step || has[1] != point)
      stop("an input is the output of the step before");
  }
}

void task_graph_execute_point_scratch(task_graph_t graph, long step, long point,
                                      char *output, size_t output_bytes,
                                      const char **inputs,
                                      const size_t *input_bytes,
                                      size_t input_count, char *scratch,
                                      size_t scratch_bytes) {
  (void)scratch;
  (void)scratch_bytes;
  long set = task_graph_dependence_set_at_timestep(graph, step);
  list needs = find(&graph, set, point);
  size_t seen = 0;
  for (long i = 0; i < needs.count && step > 0; ++i) {
    long needed = needs.intervals[i].start;
    if (needed >= task_graph_width_at_timestep(graph, step - 1))
      continue;
    if (seen == input_count || input_bytes[seen] != output_bytes)
      stop("as many inputs as dependencies");
    check_input(inputs[seen++], output_bytes, step - 1, needed);
  }
  long writes[2] = {step, point};
  for (size_t at = 0; at + sizeof(writes) <= output_bytes; at += sizeof(writes))
    memcpy(output + at, writes, sizeof(writes));
}

void task_graph_prepare_scratch(char *scratch, size_t bytes) {
  (void)scratch;
  (void)bytes;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static task_graph_t new_graph(void) {
  return (task_graph_t){.graph_index = app.count,
                        .timesteps = 4,
                        .max_width = 4,
                        .output_bytes_per_task = 2 * sizeof(long)};
}

static void show_help(void) {
  printf("Supported dependency patterns:\n");
  for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); ++i)
    printf("  %s\n", patterns[i]);
  printf("\n");
}

static dependence_type_t read_pattern(const char *name) {
  for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); ++i)
    if (!strcmp(name, patterns[i]))
      return (dependence_type_t)i;
  fprintf(stderr, "error: Invalid flag \"-type %s\"\n", name);
  abort();
}

static void read_option(task_graph_t *graph, const char *name,
                        const char *value) {
  if (!strcmp(name, "-type"))
    graph->dependence = read_pattern(value);
  else if (!strcmp(name, "-steps"))
    graph->timesteps = atol(value);
  else if (!strcmp(name, "-width"))
    graph->max_width = atol(value);
  else if (!strcmp(name, "-output"))
    graph->output_bytes_per_task = (size_t)atol(value);
}

static void add_graph(task_graph_t graph) {
  if (app.count == GRAPHS)
    stop("no more than eight graphs");
  app.graphs[app.count++] = graph;
}

app_t app_create(int argc, char **argv) {
  app.count = 0;
  task_graph_t graph = new_graph();
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "-h")) {
      show_help();
      exit(0);
    }
    if (!strcmp(argv[i], "-and")) {
      add_graph(graph);
      graph = new_graph();
    } else if (i + 1 < argc) {
      read_option(&graph, argv[i], argv[i + 1]);
      ++i;
    }
  }
  add_graph(graph);
  return (app_t){&app};
}

void app_destroy(app_t which) { (void)which; }

task_graph_list_t app_task_graphs(app_t which) {
  return (task_graph_list_t){which.impl};
}

long task_graph_list_num_task_graphs(task_graph_list_t graphs) {
  (void)graphs;
  return app.count;
}

task_graph_t task_graph_list_task_graph(task_graph_list_t graphs, long index) {
  (void)graphs;
  return app.graphs[index];
}

void task_graph_list_destroy(task_graph_list_t graphs) { (void)graphs; }

void app_display(app_t which) {
  (void)which;
  printf("Graphs: %ld\n", app.count);
}

void app_report_timing(app_t which, double seconds) {
  (void)which;
  printf("Elapsed Time %e seconds\n", seconds);
}
