//===- report.h - Figures, made of samples ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_BENCH_GPU_REPORT_H
#define ASYNC_GPU_BENCH_GPU_REPORT_H

#include "gpu.h"

#include <stdio.h>

#define BENCH_MAX_CASES 64
#define BENCH_MAX_ROUNDS 99
#define BENCH_MAX_METRICS 4

/// For figures; and to see that everything runs.
extern const bench_sizes bench_full, bench_small;

/// What async-gpu's figure of a workload is held against.
typedef enum bench_relation {
  /// Wall time over that of `peer`: the median of the rounds' ratios.
  RATIO,
  /// Over "by_hand_ns" of the same sample, and less it.
  QUOTIENT,
  DIFFERENCE,
} bench_relation;

typedef struct bench_target {
  const char *name;
  const char *workload, *peer;
  bench_relation relation;
  double limit; ///< of the relation; more is a miss
} bench_target;

/// Ends with an entry without a name.
extern const bench_target bench_targets[];

/// What the samples of a case have printed.
typedef struct bench_figure {
  bool was_wanted;
  char missing[256]; ///< why there are no samples, or ""
  char failed[256];  ///< what went wrong in one, or ""
  int metric_count;
  char metrics[BENCH_MAX_METRICS][32];
  double samples[BENCH_MAX_METRICS][BENCH_MAX_ROUNDS];
  int rounds; ///< of samples
} bench_figure;

typedef struct bench_document {
  const char *command;
  char driver[16], device[128];
  int driver_version;
  /// NULL, or why no time of this device is a figure.
  const char *no_hardware;
  int rounds;
  bench_figure figures[BENCH_MAX_CASES]; ///< by case
} bench_document;

/// The figure's median of a metric; NaN where it has none.
double bench_get(const bench_figure *figure, const char *metric);

/// The table, for people.
void bench_print_table(const bench_document *document);

/// The same, all samples, and what became of the targets.
void bench_print_json(const bench_document *document, FILE *out);

/// Samples that failed.
int bench_count_failed(const bench_document *document);

#endif // ASYNC_GPU_BENCH_GPU_REPORT_H
