//===- measure.c - How long calls take ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of a program's calls, as order statistics: a few slow calls, of which
// there are always some, do not change them.
//
//===----------------------------------------------------------------------===//

#include "measure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double agpu__now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void agpu__times_push(agpu__times *times, double milliseconds) {
  if (times->count == times->capacity) {
    times->capacity = times->capacity ? 2 * times->capacity : 64;
    times->data = realloc(times->data, times->capacity * sizeof(*times->data));
    if (!times->data)
      abort();
  }
  times->data[times->count++] = milliseconds;
}

void agpu__times_free(agpu__times *times) {
  free(times->data);
  *times = (agpu__times){0};
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// What `part` of `sorted` is not above, between neighbours in proportion.
static double quantile(const double *sorted, size_t count, double part) {
  double place = part * (double)(count - 1);
  size_t below = (size_t)place;
  if (below + 1 >= count)
    return sorted[count - 1];
  return sorted[below] +
         (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

agpu__summary agpu__times_summary(const agpu__times *times) {
  agpu__summary summary = {.calls = times->count};
  if (!times->count)
    return summary;
  summary.first = times->data[0];
  size_t skipped = times->count > 1, count = times->count - skipped;
  double *sorted = malloc(count * sizeof(*sorted));
  if (!sorted)
    abort();
  memcpy(sorted, times->data + skipped, count * sizeof(*sorted));
  qsort(sorted, count, sizeof(*sorted), compare);
  summary.min = sorted[0];
  summary.lower = quantile(sorted, count, 0.25);
  summary.median = quantile(sorted, count, 0.5);
  summary.upper = quantile(sorted, count, 0.75);
  summary.max = sorted[count - 1];
  free(sorted);
  return summary;
}

void agpu__summary_print(const agpu__summary *s, agpu__text *out) {
  agpu__text_printf(out, "%zu call%s, the first in %.4g ms", s->calls,
                    s->calls == 1 ? "" : "s", s->first);
  if (s->calls > 1)
    agpu__text_printf(out,
                      ", the others: median %.4g ms, half of them %.4g to %.4g "
                      "ms, all %.4g to %.4g ms",
                      s->median, s->lower, s->upper, s->min, s->max);
}

void agpu__summary_print_json(const agpu__summary *s, agpu__text *out) {
  agpu__text_printf(out,
                    "\"calls\": %zu, \"first_ms\": %.6f, \"min_ms\": %.6f, "
                    "\"lower_quartile_ms\": %.6f, \"median_ms\": %.6f, "
                    "\"upper_quartile_ms\": %.6f, \"max_ms\": %.6f",
                    s->calls, s->first, s->min, s->lower, s->median, s->upper,
                    s->max);
}

void agpu__json_string(const char *text, agpu__text *out) {
  agpu__text_puts(out, "\"");
  for (; *text; ++text)
    if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\')
      agpu__text_printf(out, "\\u%04x", (unsigned)(unsigned char)*text);
    else
      agpu__text_append(out, text, 1);
  agpu__text_puts(out, "\"");
}
