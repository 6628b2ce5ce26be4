//===- strided.c - Copies of strided memory -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As few calls of the driver as there can be: one, but for the dimensions that
// no call of it takes.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "gpu/calls/loan.h"
#include "gpu/calls/nest.h"
#include "gpu/stream/copy.h"

#include <stdlib.h>

/// The bytes from the first to after the last that one side touches, relative
/// to its pointer.
static void get_span(const agpu__nest *of, bool target, int64_t *out_low,
                     int64_t *out_high) {
  *out_low = target ? of->target : of->source;
  *out_high = *out_low + of->row_bytes;
  for (int i = 0; i < of->rank; ++i) {
    const agpu__dimension *d = &of->dimensions[i];
    int64_t reach = (target ? d->target : d->source) * (d->count - 1);
    *(reach < 0 ? out_low : out_high) += reach;
  }
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/// True if two rows of a side, or a row of each, have a byte in common. Looks
/// at every row: for views whose spans alone do not tell.
static bool rows_meet(const agpu__nest *of, const char *target,
                      const char *source) {
  size_t rows = (size_t)of->rows;
  int64_t *starts = agpu__memory_alloc((int64_t)(2 * rows * sizeof *starts),
                                       _Alignof(int64_t), "rows of a copy");
  agpu__place at = agpu__nest_begin(of);
  size_t n = 0;
  do {
    starts[n] = at.target;
    starts[rows + n++] = (source - target) + at.source;
  } while (agpu__nest_advance(of, &at));
  qsort(starts, rows, sizeof *starts, compare);
  qsort(starts + rows, rows, sizeof *starts, compare);
  int64_t row = of->row_bytes;
  bool meet = false;
  for (size_t i = 1; i < rows; ++i)
    meet |= starts[i] - starts[i - 1] < row;
  for (size_t i = 0, j = rows; i < rows && j < 2 * rows && !meet;) {
    meet = starts[i] - starts[j] < row && starts[j] - starts[i] < row;
    if (starts[i] < starts[j])
      ++i;
    else
      ++j;
  }
  agpu__memory_free(starts);
  return meet;
}

/// True if the copy would read what it writes, or write a byte twice.
static bool overlaps(const agpu__nest *of, const char *target,
                     const char *source) {
  int64_t low, high, source_low, source_high;
  get_span(of, true, &low, &high);
  get_span(of, false, &source_low, &source_high);
  int64_t distance = source - target;
  bool apart = distance + source_low >= high || distance + source_high <= low;
  // Each dimension steps over all that the ones inside it touch.
  int64_t inner = of->row_bytes;
  for (int i = of->rank; i-- > 0;) {
    const agpu__dimension *d = &of->dimensions[i];
    apart &= d->target >= inner;
    inner += d->target * (d->count - 1);
  }
  return !apart && rows_meet(of, target, source);
}

static bool is_same_view(const agpu__nest *of, const void *target,
                         const void *source) {
  bool same = target == source;
  for (int i = 0; i < of->rank; ++i)
    same &= of->dimensions[i].target == of->dimensions[i].source;
  return same;
}

/// What a copy at `pointer` touches of a side, before boxes are taken.
static agpu__copy_side get_side(const agpu__nest *of, bool is_target,
                                CUdeviceptr pointer) {
  int64_t low, high;
  get_span(of, is_target, &low, &high);
  return (agpu__copy_side){pointer, pointer + (uint64_t)low,
                           (size_t)(high - low)};
}

static void enqueue(agpu_stream *loan, agpu__nest *of, CUdeviceptr target,
                    CUdeviceptr source, const char *location) {
  const agpu__op_name op = {.what = "copy", .location = location};
  if (!agpu__loan_begin(loan, &op))
    return;
  size_t bytes = (size_t)of->row_bytes;
  const agpu__copy_side target_side = get_side(of, true, target);
  const agpu__copy_side source_side = get_side(of, false, source);
  agpu__copy copy;
  agpu__copy_begin(&copy, loan->device, loan->stream, loan->stream->handle,
                   &target_side, &source_side, bytes, (size_t)of->rows, &op);
  agpu__box box = agpu__nest_take_box(of, true);
  agpu__place at = agpu__nest_begin(of);
  CUresult result;
  do {
    box.target = target + (uint64_t)at.target;
    box.source = source + (uint64_t)at.source;
    result = agpu__copy_box(&copy, &box);
  } while (!result && agpu__nest_advance(of, &at));
  result = agpu__copy_end(&copy, result);
  if (result)
    agpu__loan_fail_call(
        loan, result, &op, "copy of %lld rows of %zu bytes from %p to %p",
        (long long)of->rows, bytes, (const void *)(uintptr_t)source,
        (const void *)(uintptr_t)target);
  else
    agpu__loan_enqueued(loan, &op);
}

void agpu_memcpy_strided(agpu_stream *stream, void *target, const void *source,
                         int64_t rank, const int64_t *target_sizes,
                         const int64_t *target_strides,
                         const int64_t *source_sizes,
                         const int64_t *source_strides, int64_t element_bytes,
                         const char *location) {
  if (!agpu__loan_enter(stream))
    return;
  for (int64_t i = 0; i < rank; ++i)
    if (target_sizes[i] != source_sizes[i]) {
      agpu__loan_reject(stream, location,
                        "copy between memrefs of different shapes: dimension "
                        "%lld has %lld elements in the target and %lld in the "
                        "source",
                        (long long)i, (long long)target_sizes[i],
                        (long long)source_sizes[i]);
      return;
    }
  agpu__nest of;
  if (!agpu__nest_make(stream, "copy", rank, target_sizes, target_strides,
                       source_strides, element_bytes, location, &of) ||
      is_same_view(&of, target, source))
    return;
  if (overlaps(&of, target, source)) {
    agpu__loan_reject(stream, location, "copy between memrefs that overlap");
    return;
  }
  enqueue(stream, &of, (CUdeviceptr)(uintptr_t)target,
          (CUdeviceptr)(uintptr_t)source, location);
}
