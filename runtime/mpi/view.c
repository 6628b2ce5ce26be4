//===- view.c - Elements of a memref as MPI takes them --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A strided memref is a derived type of MPI, which the library reads and writes
// where it lies: from the inside out, each dimension that does not continue the
// one inside of it is a vector of that.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include <limits.h>
#include <string.h>

/// A part that is counted by an int, of more values than that.
#define LARGE_PART (1 << 30)

static const int64_t type_bytes[] = {
#define BYTES(name, bytes, openmpi, mpich) bytes,
    AGPU_MPI_TYPES(BYTES)
#undef BYTES
};

/// The bytes of values are powers of two.
static int64_t divide_by_power(int64_t bytes, int64_t power) {
  return bytes >> __builtin_ctzll((unsigned long long)power);
}

static __attribute__((noinline)) void
set_strided(agpu__mpi_view *out, const agpu_mpi_elements *elements,
            agpu__mpi_dim *dims) {
  int64_t rank = elements->rank;
  int64_t inner_bytes = elements->bytes; // of what is contiguous
  int64_t value_bytes = type_bytes[elements->type];
  // The pair of a reduction of pairs is the last dimension.
  if (elements->type == AGPU_MPI_INT32_PAIR && rank > 0 &&
      elements->sizes[rank - 1] == 2 && elements->strides[rank - 1] == 1)
    inner_bytes *= 2, --rank;
  int64_t used = 0;
  int64_t count = divide_by_power(inner_bytes, value_bytes);
  // From the inside out, and then the other way round.
  for (int64_t i = rank; i-- > 0;) {
    int64_t size = elements->sizes[i];
    int64_t stride = elements->strides[i] * elements->bytes;
    count *= size;
    if (size == 1)
      continue;
    agpu__mpi_dim *inner = used ? &dims[used - 1] : NULL;
    if (!inner && stride == inner_bytes)
      inner_bytes *= size;
    else if (inner && stride == inner->size * inner->stride)
      inner->size *= size;
    else
      dims[used++] = (agpu__mpi_dim){size, stride};
  }
  for (int64_t i = 0; i < used / 2; ++i) {
    agpu__mpi_dim swapped = dims[i];
    dims[i] = dims[used - 1 - i];
    dims[used - 1 - i] = swapped;
  }
  *out = (agpu__mpi_view){
      .pointer = elements->pointer,
      .type = elements->type,
      .value_bytes = value_bytes,
      .run = count ? divide_by_power(inner_bytes, value_bytes) : 0,
      .count = count,
      .rank = count ? used : 0,
      .dims = dims};
}

int64_t agpu__mpi_elements_count(const agpu_mpi_elements *elements) {
  return divide_by_power(elements->bytes, type_bytes[elements->type]);
}

void agpu__mpi_view_set(agpu__mpi_view *out, const agpu_mpi_elements *elements,
                        agpu__mpi_dim *dims) {
  if (elements->rank) {
    set_strided(out, elements, dims);
    return;
  }
  out->pointer = elements->pointer;
  out->type = elements->type;
  out->value_bytes = type_bytes[elements->type];
  out->run = out->count = agpu__mpi_elements_count(elements);
  out->rank = 0;
  out->dims = dims;
}

/// `*type` becomes `made`; what it was goes away if it was `*owned`.
static void step(const agpu__mpi_library *library, agpu__mpi_typed *typed,
                 agpu__mpi_handle made) {
  if (typed->owned)
    (void)library->type_free(&typed->type);
  typed->type = made;
  typed->owned = true;
}

/// A type of `count` values, which is more than an int says.
static int make_large(const agpu__mpi_library *library, int64_t count,
                      int64_t value_bytes, agpu__mpi_typed *typed) {
  agpu__mpi_handle value = typed->type, part, parts, rest, whole;
  int code = library->type_contiguous(LARGE_PART, value, &part);
  if (code)
    return code;
  int64_t part_count = count / LARGE_PART;
  code = library->type_contiguous((int)part_count, part, &parts);
  (void)library->type_free(&part);
  if (code)
    return code;
  if (count % LARGE_PART == 0) {
    step(library, typed, parts);
    return 0;
  }
  code = library->type_contiguous((int)(count % LARGE_PART), value, &rest);
  if (!code) {
    code = library->type_pair(
        parts, rest, (intptr_t)(part_count * LARGE_PART * value_bytes), &whole);
    (void)library->type_free(&rest);
  }
  (void)library->type_free(&parts);
  if (!code)
    step(library, typed, whole);
  return code;
}

int agpu__mpi_type_make(const agpu__mpi_library *library,
                        const agpu__mpi_view *view, agpu__mpi_typed *out) {
  *out = (agpu__mpi_typed){.type = library->types[view->type]};
  if (agpu__mpi_view_is_plain(view)) {
    out->count = (int)view->run;
    return 0;
  }
  agpu__mpi_handle made;
  int code = 0;
  out->count = 1;
  if (view->run > INT_MAX) {
    code = make_large(library, view->run, view->value_bytes, out);
  } else if (view->run > 1) {
    code = library->type_contiguous((int)view->run, out->type, &made);
    if (!code)
      step(library, out, made);
  }
  for (int64_t i = view->rank; !code && i-- > 0;) {
    const agpu__mpi_dim *dim = &view->dims[i];
    // No memory has as many runs.
    int size = dim->size > INT_MAX ? INT_MAX : (int)dim->size;
    code = library->type_strided(size, (intptr_t)dim->stride, out->type, &made);
    if (!code)
      step(library, out, made);
  }
  if (!code)
    code = library->type_commit(&out->type);
  if (code)
    agpu__mpi_type_free(library, out);
  return code;
}

void agpu__mpi_type_free(const agpu__mpi_library *library,
                         agpu__mpi_typed *typed) {
  if (typed->owned)
    (void)library->type_free(&typed->type);
  typed->owned = false;
}

/// Copies the runs of dimensions from `dim` on, of which the first is at
/// `strided`; returns where `packed` goes on.
static char *copy_runs(const agpu__mpi_view *view, int64_t dim, char *strided,
                       char *packed, bool pack) {
  size_t bytes = (size_t)(view->run * view->value_bytes);
  if (dim == view->rank) {
    if (pack)
      memcpy(packed, strided, bytes);
    else
      memcpy(strided, packed, bytes);
    return packed + bytes;
  }
  for (int64_t i = 0; i < view->dims[dim].size; ++i)
    packed = copy_runs(view, dim + 1, strided + i * view->dims[dim].stride,
                       packed, pack);
  return packed;
}

void agpu__mpi_view_pack(const agpu__mpi_view *view, void *packed) {
  if (view->count)
    (void)copy_runs(view, 0, view->pointer, packed, true);
}

void agpu__mpi_view_unpack(const agpu__mpi_view *view, const void *packed) {
  if (view->count)
    (void)copy_runs(view, 0, view->pointer, (char *)packed, false);
}

agpu__mpi_view agpu__mpi_view_packed(const agpu__mpi_view *view, void *packed) {
  agpu__mpi_view made = *view;
  made.pointer = packed;
  made.run = made.count;
  made.rank = 0;
  return made;
}

/// Bytes of what one index of the first dimension has; where there is none, of
/// a value.
static int64_t unit_of(const agpu__mpi_view *view) {
  return view->rank ? agpu__mpi_view_bytes(view) / view->dims[0].size
                    : view->value_bytes;
}

int64_t agpu__mpi_view_part_end(const agpu__mpi_view *view, int64_t wanted) {
  int64_t unit = unit_of(view), all = agpu__mpi_view_bytes(view);
  int64_t end = (wanted + unit - 1) / unit * unit;
  return end < all ? end : all;
}

agpu__mpi_view agpu__mpi_view_part(const agpu__mpi_view *view, int64_t begin,
                                   int64_t end, agpu__mpi_dim *dims) {
  agpu__mpi_view part = *view;
  int64_t unit = unit_of(view);
  part.count = (end - begin) / view->value_bytes;
  if (!view->rank) {
    part.pointer += begin;
    part.run = part.count;
    return part;
  }
  memcpy(dims, view->dims, (size_t)view->rank * sizeof *dims);
  part.pointer += begin / unit * dims[0].stride;
  dims[0].size = (end - begin) / unit;
  bool is_one = dims[0].size == 1;
  part.dims = dims + is_one;
  part.rank -= is_one;
  return part;
}

/// Copies `bytes` of the elements in their order, from byte `first` on, to
/// `packed` or from there.
static void copy_bytes(const agpu__mpi_view *view, int64_t first, char *packed,
                       int64_t bytes, bool pack) {
  int64_t run = view->run * view->value_bytes;
  while (bytes > 0) {
    int64_t index = first / run, within = first % run;
    char *at = view->pointer + within;
    for (int64_t i = view->rank; i-- > 0; index /= view->dims[i].size)
      at += index % view->dims[i].size * view->dims[i].stride;
    int64_t part = run - within < bytes ? run - within : bytes;
    if (pack)
      memcpy(packed, at, (size_t)part);
    else
      memcpy(at, packed, (size_t)part);
    first += part, packed += part, bytes -= part;
  }
}

void agpu__mpi_view_read(const agpu__mpi_view *view, int64_t first, void *to,
                         int64_t bytes) {
  copy_bytes(view, first, to, bytes, true);
}

void agpu__mpi_view_write(const agpu__mpi_view *view, int64_t first,
                          const void *from, int64_t bytes) {
  copy_bytes(view, first, (char *)from, bytes, false);
}
