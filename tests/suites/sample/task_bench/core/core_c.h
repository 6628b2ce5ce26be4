//===- core_c.h - A small core of graphs of tasks ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As much of the C API of Task Bench's core as task_bench/shim.c and core.py
// use, with the types that it has there, for three patterns.
//
//===----------------------------------------------------------------------===//

#ifndef SAMPLE_CORE_C_H
#define SAMPLE_CORE_C_H

#include <stddef.h>

typedef enum dependence_type_t { TRIVIAL, SHIFT, GROWING } dependence_type_t;

typedef struct kernel_t {
  int type;
  long iterations;
  int samples;
  double imbalance;
} kernel_t;

/// Both ends are inside.
typedef struct interval_t {
  long start, end;
} interval_t;

typedef struct interval_list_t {
  void *impl;
} interval_list_t;

long interval_list_num_intervals(interval_list_t intervals);
interval_t interval_list_interval(interval_list_t intervals, long index);
void interval_list_destroy(interval_list_t intervals);

typedef struct task_graph_t {
  long graph_index, timesteps, max_width;
  dependence_type_t dependence;
  long radix, period;
  double fraction_connected;
  kernel_t kernel;
  size_t output_bytes_per_task, scratch_bytes_per_task;
  int nb_fields;
} task_graph_t;

long task_graph_offset_at_timestep(task_graph_t graph, long step);
long task_graph_width_at_timestep(task_graph_t graph, long step);
long task_graph_max_dependence_sets(task_graph_t graph);
long task_graph_dependence_set_at_timestep(task_graph_t graph, long step);
interval_list_t task_graph_dependencies(task_graph_t graph, long set,
                                        long point);
void task_graph_execute_point_scratch(task_graph_t graph, long step, long point,
                                      char *output, size_t output_bytes,
                                      const char **inputs,
                                      const size_t *input_bytes,
                                      size_t input_count, char *scratch,
                                      size_t scratch_bytes);
void task_graph_prepare_scratch(char *scratch, size_t bytes);

typedef struct task_graph_list_t {
  void *impl;
} task_graph_list_t;

long task_graph_list_num_task_graphs(task_graph_list_t graphs);
task_graph_t task_graph_list_task_graph(task_graph_list_t graphs, long index);
void task_graph_list_destroy(task_graph_list_t graphs);

typedef struct app_t {
  void *impl;
} app_t;

app_t app_create(int argc, char **argv);
void app_destroy(app_t app);
task_graph_list_t app_task_graphs(app_t app);
void app_display(app_t app);
void app_report_timing(app_t app, double seconds);

#endif // SAMPLE_CORE_C_H
