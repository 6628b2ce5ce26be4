//===- nearest.c - What a misspelt name may have been ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The edit distance between two names, by one row of its matrix: how many bytes
// have to be put in, left out or replaced. A name that goes on behind the
// wanted one is near, too.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/nearest.h"

#include <string.h>

static size_t minimum(size_t a, size_t b) { return a < b ? a : b; }

/// Insertions, deletions and replacements between two names.
static size_t edit_distance(const char *a, const char *b) {
  enum { MAX = 128 };
  size_t row[MAX + 1];
  size_t b_size = strlen(b);
  if (b_size > MAX)
    return (size_t)-1;
  for (size_t j = 0; j <= b_size; ++j)
    row[j] = j;
  for (size_t i = 0; a[i]; ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b_size; ++j) {
      size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = minimum(replaced, minimum(row[j], row[j + 1]) + 1);
    }
  }
  return row[b_size];
}

void agpu__nearest_name(const char *wanted, const char *candidate,
                        const char **best, size_t *distance) {
  enum { SHORTEST = 4 }; // that says which name it is the beginning of
  size_t length = strlen(wanted), d = edit_distance(wanted, candidate);
  if (length >= SHORTEST && strncmp(wanted, candidate, length) == 0)
    d = minimum(d, 1);
  if (d >= *distance || d * 3 > length)
    return;
  *distance = d;
  *best = candidate;
}
