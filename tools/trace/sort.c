//===- sort.c - Sorting in place ------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Heapsort: it needs no memory, so that there is nothing that can fail, and may
// run in a signal handler. It is not stable.
//
//===----------------------------------------------------------------------===//

#include "trace/sort.h"

static void swap(char *a, char *b, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    char of_a = a[i];
    a[i] = b[i];
    b[i] = of_a;
  }
}

void agpu__array_sort(agpu__trace_array *array, size_t size,
                      agpu__is_before *less) {
  char *data = array->data;
  for (size_t begin = array->count / 2, end = array->count; end > 1;) {
    if (begin > 0)
      --begin;
    else
      swap(data, data + --end * size, size);
    for (size_t at = begin, child; (child = 2 * at + 1) < end; at = child) {
      if (child + 1 < end &&
          less(data + child * size, data + (child + 1) * size))
        ++child;
      if (!less(data + at * size, data + child * size))
        break;
      swap(data + at * size, data + child * size, size);
    }
  }
}
