//===- report.c - Figures, made of samples --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report.h"

#include <math.h>
#include <string.h>
#include <time.h>

static int find_metric(const bench_figure *figure, const char *metric) {
  for (int i = 0; i < figure->metric_count; ++i)
    if (strcmp(figure->metrics[i], metric) == 0)
      return i;
  return -1;
}

static double get_median(const double *samples, int count) {
  double sorted[BENCH_MAX_ROUNDS];
  if (!count)
    return NAN;
  memcpy(sorted, samples, (size_t)count * sizeof *sorted);
  return bench_median(sorted, count);
}

double bench_get(const bench_figure *figure, const char *metric) {
  int index = find_metric(figure, metric);
  return index < 0 ? NAN : get_median(figure->samples[index], figure->rounds);
}

static const bench_figure *find_figure(const bench_document *document,
                                       const char *workload, const char *peer) {
  for (int i = 0; bench_cases[i].workload; ++i)
    if (strcmp(bench_cases[i].workload, workload) == 0 &&
        strcmp(bench_cases[i].peer, peer) == 0)
      return &document->figures[i];
  return NULL;
}

/// Why there is no figure, or NULL.
static const char *get_reason(const bench_document *document,
                              const bench_figure *figure) {
  if (!figure)
    return "there is no such case";
  if (!figure->was_wanted)
    return "not asked for";
  if (*figure->failed)
    return figure->failed;
  if (*figure->missing)
    return figure->missing;
  return document->no_hardware;
}

/// The median of one relation between two metrics, round by round.
static double relate(const bench_figure *ours, const char *metric,
                     const bench_figure *theirs, const char *other,
                     bench_relation relation) {
  int one = find_metric(ours, metric), two = find_metric(theirs, other);
  int rounds = ours->rounds < theirs->rounds ? ours->rounds : theirs->rounds;
  double values[BENCH_MAX_ROUNDS];
  if (one < 0 || two < 0)
    return NAN;
  for (int i = 0; i < rounds; ++i) {
    double a = ours->samples[one][i], b = theirs->samples[two][i];
    values[i] = relation == DIFFERENCE ? a - b : a / b;
  }
  return get_median(values, rounds);
}

/// What has become of a target: the value, or NaN and why.
static double evaluate(const bench_document *document,
                       const bench_target *target, const char **out_reason) {
  const bench_figure *ours =
      find_figure(document, target->workload, "async-gpu");
  const bench_figure *theirs =
      target->peer ? find_figure(document, target->workload, target->peer)
                   : ours;
  *out_reason = get_reason(document, ours);
  if (!*out_reason)
    *out_reason = get_reason(document, theirs);
  if (*out_reason)
    return NAN;
  double value = relate(ours, "ns", theirs, target->peer ? "ns" : "by_hand_ns",
                        target->relation);
  if (isnan(value))
    *out_reason = "it was not measured";
  return value;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void print_figure(const bench_document *document, int index) {
  const bench_case *of = &bench_cases[index];
  const bench_figure *figure = &document->figures[index];
  const char *reason = get_reason(document, figure);
  if (!figure->was_wanted)
    return;
  printf("%-17s %-29s", of->workload, of->peer);
  if (reason) {
    printf(" %s: %s\n", *figure->failed ? "FAILED" : "missing", reason);
    return;
  }
  const bench_figure *base = find_figure(document, of->workload, "by-hand");
  printf(" %14.2f us", bench_get(figure, "ns") / 1000);
  if (base && base != figure && !get_reason(document, base))
    printf("  %6.3f of by hand", relate(figure, "ns", base, "ns", RATIO));
  if (find_metric(figure, "by_hand_ns") >= 0)
    printf("  %6.3f of by hand",
           relate(figure, "ns", figure, "by_hand_ns", RATIO));
  if (find_metric(figure, "cpu_share") >= 0)
    printf("  %6.2f CPUs", bench_get(figure, "cpu_share"));
  printf("\n");
}

void bench_print_table(const bench_document *document) {
  for (int i = 0; bench_cases[i].workload; ++i)
    print_figure(document, i);
  printf("\n%-48s %10s\n", "target", "");
  for (const bench_target *target = bench_targets; target->name; ++target) {
    const char *reason;
    double value = evaluate(document, target, &reason);
    printf("%-48s ", target->name);
    if (reason)
      printf("missing: %s\n", reason);
    else
      printf("%10.3f %s\n", value, value <= target->limit ? "met" : "MISSED");
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void print_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\')
      fputc('\\', out);
    if ((unsigned char)*text < ' ')
      fputc(' ', out);
    else
      fputc(*text, out);
  }
  fputc('"', out);
}

static void print_pair(FILE *out, const char *key, const char *value) {
  fprintf(out, "\"%s\": ", key);
  print_string(out, value);
}

static void print_samples(FILE *out, const bench_figure *figure) {
  for (int i = 0; i < figure->metric_count; ++i) {
    fprintf(out, ", \"%s\": {\"median\": %.6g, \"samples\": [",
            figure->metrics[i], get_median(figure->samples[i], figure->rounds));
    for (int j = 0; j < figure->rounds; ++j)
      fprintf(out, "%s%.6g", j ? ", " : "", figure->samples[i][j]);
    fprintf(out, "]}");
  }
}

static void print_figures(const bench_document *document, FILE *out) {
  for (int i = 0; bench_cases[i].workload; ++i) {
    const bench_figure *figure = &document->figures[i];
    const char *reason = get_reason(document, figure);
    fprintf(out, "%s\n    {", i ? "," : "");
    print_pair(out, "workload", bench_cases[i].workload);
    fprintf(out, ", ");
    print_pair(out, "peer", bench_cases[i].peer);
    if (reason) {
      fprintf(out, ", ");
      print_pair(out, *figure->failed ? "failed" : "missing", reason);
    } else {
      print_samples(out, figure);
    }
    fprintf(out, "}");
  }
}

static void print_targets(const bench_document *document, FILE *out) {
  for (const bench_target *target = bench_targets; target->name; ++target) {
    const char *reason;
    double value = evaluate(document, target, &reason);
    fprintf(out, "%s\n    {", target == bench_targets ? "" : ",");
    print_pair(out, "target", target->name);
    fprintf(out, ", \"limit\": %.6g, ", target->limit);
    if (reason)
      print_pair(out, "missing", reason);
    else
      fprintf(out, "\"value\": %.6g, \"met\": %s", value,
              value <= target->limit ? "true" : "false");
    fprintf(out, "}");
  }
}

void bench_print_json(const bench_document *document, FILE *out) {
  char date[32];
  time_t now = time(NULL);
  struct tm utc;
  (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  fprintf(out, "{\n  \"benchmark\": \"gpu\",\n  ");
  print_pair(out, "date", date);
  fprintf(out, ",\n  ");
  print_pair(out, "command", document->command);
  fprintf(out, ",\n  ");
  print_pair(out, "driver", document->driver);
  fprintf(out, ",\n  \"driver_version\": %d,\n  ", document->driver_version);
  print_pair(out, "device", document->device);
  fprintf(out, ",\n  \"rounds\": %d,\n  \"figures\": [", document->rounds);
  print_figures(document, out);
  fprintf(out, "\n  ],\n  \"targets\": [");
  print_targets(document, out);
  fprintf(out, "\n  ]\n}\n");
}

int bench_count_failed(const bench_document *document) {
  int failed = 0;
  for (int i = 0; bench_cases[i].workload; ++i)
    failed += *document->figures[i].failed != '\0';
  return failed;
}
