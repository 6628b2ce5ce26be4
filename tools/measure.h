//===- measure.h - How long calls take ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_MEASURE_H
#define ASYNC_GPU_TOOLS_MEASURE_H

#include "lower/ir/text.h"

#include <stddef.h>

/// Milliseconds since some moment.
double agpu__now(void);

/// Times of calls, in milliseconds. Zero-initialise; free with
/// agpu__times_free.
typedef struct agpu__times {
  double *data;
  size_t count, capacity;
} agpu__times;

void agpu__times_push(agpu__times *times, double milliseconds);
void agpu__times_free(agpu__times *times);

/// What is said of times: the first apart, and of the others (of the one, if it
/// is alone) the least, the quartiles and the most.
typedef struct agpu__summary {
  size_t calls;
  double first, min, lower, median, upper, max;
} agpu__summary;
agpu__summary agpu__times_summary(const agpu__times *times);

/// Appends the summary as a line of text, and as the fields of a JSON object.
void agpu__summary_print(const agpu__summary *summary, agpu__text *out);
void agpu__summary_print_json(const agpu__summary *summary, agpu__text *out);

/// Appends `text` as a JSON string, with its quotes.
void agpu__json_string(const char *text, agpu__text *out);

#endif // ASYNC_GPU_TOOLS_MEASURE_H
