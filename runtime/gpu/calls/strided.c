//===- strided.c - Copies and fills of strided memory ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a memref of any layout are a nest of dimensions, each with a
// number of elements and a stride. Which dimension is the inner one does not
// matter to a copy or fill: they are put in the order of the target's strides,
// those that continue each other are joined, and what is left inside with
// elements side by side is one row. One driver call moves one row; a nest
// without dimensions around its row, as every contiguous layout is, is one
// call.
//
//===----------------------------------------------------------------------===//

#include "base/memory/memory.h"
#include "gpu/calls/loan.h"
#include "gpu/stream/copy.h"

#include <stdlib.h>

#define MAX_RANK 64

typedef struct dimension {
  int64_t count;
  int64_t target, source; ///< strides in bytes
} dimension;

/// What is left to do after joining: `rank` dimensions around a row.
typedef struct nest {
  dimension dimensions[MAX_RANK];
  int rank;
  int64_t row_elements;
  int64_t rows;
  int64_t element_bytes;
} nest;

static int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

/// Larger strides of the target first; the order of equal ones is kept.
static void sort(nest *of) {
  for (int i = 1; i < of->rank; ++i)
    for (int j = i; j > 0 && magnitude(of->dimensions[j - 1].target) <
                                 magnitude(of->dimensions[j].target);
         --j) {
      dimension swapped = of->dimensions[j];
      of->dimensions[j] = of->dimensions[j - 1];
      of->dimensions[j - 1] = swapped;
    }
}

/// Joins dimensions that continue each other, and takes the innermost one as
/// the row if its elements lie side by side.
static void join(nest *of) {
  int kept = 0;
  for (int i = 0; i < of->rank; ++i) {
    dimension inner = of->dimensions[i];
    dimension *outer = kept ? &of->dimensions[kept - 1] : NULL;
    if (outer && outer->target == inner.target * inner.count &&
        outer->source == inner.source * inner.count)
      *outer =
          (dimension){outer->count * inner.count, inner.target, inner.source};
    else
      of->dimensions[kept++] = inner;
  }
  of->rank = kept;
  of->row_elements = 1;
  if (kept && of->dimensions[kept - 1].target == of->element_bytes &&
      of->dimensions[kept - 1].source == of->element_bytes)
    of->row_elements = of->dimensions[--of->rank].count;
  of->rows = 1;
  for (int i = 0; i < of->rank; ++i)
    of->rows *= of->dimensions[i].count;
}

/// Fills `*out` in. False where there is nothing to do, an error included. The
/// loan has been entered.
static bool make_nest(agpu_stream *loan, const char *what, int64_t rank,
                      const int64_t *sizes, const int64_t *target_strides,
                      const int64_t *source_strides, int64_t element_bytes,
                      const char *location, nest *out) {
  *out = (nest){.element_bytes = element_bytes};
  if (rank > MAX_RANK) {
    agpu__loan_reject(loan, location, "a memref of more than 64 dimensions");
    return false;
  }
  int64_t elements = 1, bytes;
  for (int64_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0) {
      agpu__loan_reject(loan, location, "%s with a negative size: %lld", what,
                        (long long)sizes[i]);
      return false;
    }
    if (sizes[i] == 0)
      return false;
    if (__builtin_mul_overflow(elements, sizes[i], &elements) ||
        __builtin_mul_overflow(elements, element_bytes, &bytes)) {
      agpu__loan_reject(loan, location,
                        "a memref larger than the address space");
      return false;
    }
    // How far the last element is from the first has to be a number, too.
    dimension added = {.count = sizes[i]};
    int64_t reach;
    if (__builtin_mul_overflow(target_strides[i], element_bytes,
                               &added.target) ||
        __builtin_mul_overflow(source_strides[i], element_bytes,
                               &added.source) ||
        __builtin_mul_overflow(added.target, sizes[i], &reach) ||
        __builtin_mul_overflow(added.source, sizes[i], &reach)) {
      agpu__loan_reject(loan, location,
                        "a memref larger than the address space");
      return false;
    }
    if (sizes[i] > 1)
      out->dimensions[out->rank++] = added;
  }
  sort(out);
  join(out);
  return true;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// A place in the nest: the next row's offsets in bytes.
typedef struct place {
  int64_t indices[MAX_RANK];
  int64_t target, source;
} place;

/// Goes on to the next row; false behind the last.
static bool advance(const nest *of, place *at) {
  for (int i = of->rank; i-- > 0;) {
    const dimension *d = &of->dimensions[i];
    at->target += d->target;
    at->source += d->source;
    if (++at->indices[i] < d->count)
      return true;
    at->target -= d->target * d->count;
    at->source -= d->source * d->count;
    at->indices[i] = 0;
  }
  return false;
}

/// The bytes from the first to behind the last that one side touches, relative
/// to its pointer.
static void get_span(const nest *of, bool target, int64_t *out_low,
                     int64_t *out_high) {
  *out_low = 0;
  *out_high = of->row_elements * of->element_bytes;
  for (int i = 0; i < of->rank; ++i) {
    const dimension *d = &of->dimensions[i];
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
static bool rows_meet(const nest *of, const char *target, const char *source) {
  size_t rows = (size_t)of->rows;
  int64_t *starts = agpu__memory_alloc((int64_t)(2 * rows * sizeof *starts),
                                       _Alignof(int64_t), "rows of a copy");
  place at = {0};
  size_t n = 0;
  do {
    starts[n] = at.target;
    starts[rows + n++] = (source - target) + at.source;
  } while (advance(of, &at));
  qsort(starts, rows, sizeof *starts, compare);
  qsort(starts + rows, rows, sizeof *starts, compare);
  int64_t row = of->row_elements * of->element_bytes;
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
static bool overlaps(const nest *of, const char *target, const char *source) {
  int64_t low, high, source_low, source_high;
  get_span(of, true, &low, &high);
  get_span(of, false, &source_low, &source_high);
  int64_t distance = source - target;
  bool apart = distance + source_low >= high || distance + source_high <= low;
  // Each dimension steps over all that the ones inside it touch.
  int64_t inner = of->row_elements * of->element_bytes;
  for (int i = of->rank; i-- > 0;) {
    const dimension *d = &of->dimensions[i];
    apart &= magnitude(d->target) >= inner;
    inner += magnitude(d->target) * (d->count - 1);
  }
  return !apart && rows_meet(of, target, source);
}

static bool is_same_view(const nest *of, const void *target,
                         const void *source) {
  bool same = target == source;
  for (int i = 0; i < of->rank; ++i)
    same &= of->dimensions[i].target == of->dimensions[i].source;
  return same;
}

static void enqueue_rows(agpu_stream *loan, const nest *of, CUdeviceptr target,
                         CUdeviceptr source, const char *location) {
  const agpu__op_name op = {.what = "copy", .location = location};
  if (!agpu__loan_begin(loan, &op))
    return;
  size_t bytes = (size_t)(of->row_elements * of->element_bytes);
  agpu__copy copy;
  agpu__copy_begin(&copy, loan->device, loan->stream, loan->stream->handle,
                   target, source, bytes, (size_t)of->rows, &op);
  CUresult result;
  place at = {0};
  do
    result = agpu__copy_row(&copy, target + (uint64_t)at.target,
                            source + (uint64_t)at.source, bytes);
  while (!result && advance(of, &at));
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
  nest of;
  if (!make_nest(stream, "copy", rank, target_sizes, target_strides,
                 source_strides, element_bytes, location, &of) ||
      is_same_view(&of, target, source))
    return;
  if (overlaps(&of, target, source)) {
    agpu__loan_reject(stream, location, "copy between memrefs that overlap");
    return;
  }
  enqueue_rows(stream, &of, (CUdeviceptr)(uintptr_t)target,
               (CUdeviceptr)(uintptr_t)source, location);
}

void agpu_memset_strided(agpu_stream *stream, void *target, uint64_t pattern,
                         int64_t rank, const int64_t *sizes,
                         const int64_t *strides, int64_t element_bytes,
                         const char *location) {
  nest of;
  if (!agpu__loan_enter(stream) ||
      !make_nest(stream, "fill", rank, sizes, strides, strides, element_bytes,
                 location, &of))
    return;
  place at = {0};
  do {
    agpu_memset(stream, (char *)target + at.target, pattern, element_bytes,
                of.row_elements, location);
  } while (!stream->error && advance(&of, &at));
}
