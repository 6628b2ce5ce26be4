//===- nest.c - Dimensions of strided memory ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that go down in memory go up from their other end. Of what is left
// around a row, the driver takes two dimensions in a call at most, and only
// where each steps over all that is inside of it.
//
//===----------------------------------------------------------------------===//

#include "gpu/calls/nest.h"

#include "gpu/calls/loan.h"

typedef agpu__dimension dimension;
typedef agpu__nest nest;

/// Larger strides of the target first; the order of equal ones is kept.
static void sort(nest *of) {
  for (int i = 1; i < of->rank; ++i)
    for (int j = i;
         j > 0 && of->dimensions[j - 1].target < of->dimensions[j].target;
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
  if (kept && of->dimensions[kept - 1].target == of->row_bytes &&
      of->dimensions[kept - 1].source == of->row_bytes)
    of->row_bytes *= of->dimensions[--of->rank].count;
  for (int i = 0; i < of->rank; ++i)
    of->rows *= of->dimensions[i].count;
}

/// Where the target goes down, it goes up from its last element.
static void turn_up(nest *of, dimension *d) {
  if (d->target >= 0)
    return;
  of->target += d->target * (d->count - 1);
  of->source += d->source * (d->count - 1);
  d->target = -d->target;
  d->source = -d->source;
}

bool agpu__nest_make(agpu_stream *loan, const char *what, int64_t rank,
                     const int64_t *sizes, const int64_t *target_strides,
                     const int64_t *source_strides, int64_t element_bytes,
                     const char *location, agpu__nest *out) {
  agpu__nest_init(out, element_bytes);
  if (rank > AGPU__NEST_MAX_RANK) {
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
    turn_up(out, &added);
    if (sizes[i] > 1)
      out->dimensions[out->rank++] = added;
  }
  sort(out);
  join(out);
  return true;
}

void agpu__nest_split(agpu__nest *of, int64_t element_bytes, int64_t bytes) {
  int64_t elements = of->row_bytes / element_bytes;
  if (elements > 1)
    of->dimensions[of->rank++] =
        (dimension){elements, element_bytes, element_bytes};
  of->rows *= elements;
  of->row_bytes = bytes;
}

//===----------------------------------------------------------------------===//
// What one call does
//===----------------------------------------------------------------------===//

static bool is_pitch(const nest *of, int64_t stride) {
  return stride >= of->row_bytes && stride <= AGPU__MAX_PITCH;
}

/// Whether a plane is a whole number of rows, and no fewer than it has.
static bool holds(int64_t plane, int64_t pitch, int64_t rows) {
  return plane % pitch == 0 && plane / pitch >= rows;
}

static void take_out(nest *of, int at) {
  --of->rank;
  for (int i = at; i < of->rank; ++i)
    of->dimensions[i] = of->dimensions[i + 1];
}

agpu__box agpu__nest_take_box(agpu__nest *of, bool is_copy) {
  int rows = -1, planes = -1;
  int64_t most = 1;
  const dimension *d = of->dimensions;
  for (int i = 0; i < of->rank; ++i) {
    if (!is_pitch(of, d[i].target) || !is_pitch(of, d[i].source))
      continue;
    if (d[i].count > most) {
      most = d[i].count;
      rows = i;
      planes = -1;
    }
    for (int j = 0; is_copy && j < of->rank; ++j)
      if (j != i && d[i].count * d[j].count > most &&
          holds(d[j].target, d[i].target, d[i].count) &&
          holds(d[j].source, d[i].source, d[i].count)) {
        most = d[i].count * d[j].count;
        rows = i;
        planes = j;
      }
  }
  agpu__box box = agpu__box_of(0, 0, (size_t)of->row_bytes);
  if (rows < 0)
    return box;
  box.height = box.target_height = box.source_height = (size_t)d[rows].count;
  box.target_pitch = (size_t)d[rows].target;
  box.source_pitch = (size_t)d[rows].source;
  if (planes >= 0) {
    box.depth = (size_t)d[planes].count;
    box.target_height = (size_t)(d[planes].target / d[rows].target);
    box.source_height = (size_t)(d[planes].source / d[rows].source);
  }
  // The later one first: the other keeps its place.
  take_out(of, rows > planes ? rows : planes);
  if (planes >= 0)
    take_out(of, rows > planes ? planes : rows);
  return box;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

agpu__place agpu__nest_begin(const agpu__nest *of) {
  agpu__place at = {.target = of->target, .source = of->source};
  return at;
}

bool agpu__nest_advance(const agpu__nest *of, agpu__place *at) {
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
