//===- view.c - Derived types say where elements lie -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that builds types as MPI defines them: the runs of bytes that a
// type is of, in order, and its extent. They have to be those of the memref.
//
//===----------------------------------------------------------------------===//

#include "mpi/internal.h"

#include "check.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct run {
  int64_t offset, bytes;
} run;

typedef struct layout {
  run *runs; // none continues the one before
  int64_t count, capacity;
} layout;

static void append(layout *of, int64_t offset, int64_t bytes) {
  run *last = of->count ? &of->runs[of->count - 1] : NULL;
  if (last && last->offset + last->bytes == offset) {
    last->bytes += bytes;
    return;
  }
  if (of->count == of->capacity) {
    of->capacity = of->capacity ? 2 * of->capacity : 16;
    of->runs = realloc(of->runs, (size_t)of->capacity * sizeof(run));
    CHECK(of->runs);
  }
  of->runs[of->count++] = (run){offset, bytes};
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

typedef struct type {
  layout layout;
  bool is_derived, is_committed;
} type;

static int types_alive, calls, fails_at;

static bool fails(void) { return ++calls == fails_at; }

static type *type_of(agpu__mpi_handle handle) { return (type *)handle; }

static agpu__mpi_handle make_type(void) {
  type *made = calloc(1, sizeof *made);
  CHECK(made);
  made->is_derived = true;
  ++types_alive;
  return (agpu__mpi_handle)made;
}

static int64_t get_extent(const type *of) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int64_t i = 0; i < of->layout.count; ++i) {
    run at = of->layout.runs[i];
    low = at.offset < low ? at.offset : low;
    high = at.offset + at.bytes > high ? at.offset + at.bytes : high;
  }
  return high - low;
}

static void append_type(type *to, const type *of, int64_t at) {
  for (int64_t i = 0; i < of->layout.count; ++i)
    append(&to->layout, at + of->layout.runs[i].offset,
           of->layout.runs[i].bytes);
}

static int strided(int count, intptr_t stride, agpu__mpi_handle of,
                   agpu__mpi_handle *out_type) {
  if (fails())
    return 1;
  *out_type = make_type();
  for (int i = 0; i < count; ++i)
    append_type(type_of(*out_type), type_of(of), i * (int64_t)stride);
  return 0;
}

static int contiguous(int count, agpu__mpi_handle of,
                      agpu__mpi_handle *out_type) {
  const type *element = type_of(of);
  const run *first = element->layout.runs;
  if (element->layout.count != 1 || first->offset != 0)
    return strided(count, (intptr_t)get_extent(element), of, out_type);
  if (fails())
    return 1;
  *out_type = make_type();
  append(&type_of(*out_type)->layout, 0, count * first->bytes);
  return 0;
}

static int pair(agpu__mpi_handle a, agpu__mpi_handle b, intptr_t offset,
                agpu__mpi_handle *out_type) {
  if (fails())
    return 1;
  *out_type = make_type();
  append_type(type_of(*out_type), type_of(a), 0);
  append_type(type_of(*out_type), type_of(b), offset);
  return 0;
}

static int commit(agpu__mpi_handle *of) {
  if (fails())
    return 1;
  type_of(*of)->is_committed = true;
  return 0;
}

static int free_type(agpu__mpi_handle *of) {
  CHECK(type_of(*of)->is_derived);
  free(type_of(*of)->layout.runs);
  free(type_of(*of));
  --types_alive;
  return 0;
}

static agpu__mpi_library library = {.type_contiguous = contiguous,
                                    .type_strided = strided,
                                    .type_pair = pair,
                                    .type_commit = commit,
                                    .type_free = free_type};

static void make_library(void) {
  static type base[AGPU_MPI_TYPE_COUNT];
  static const int64_t bytes[] = {
#define BYTES(name, bytes, openmpi, mpich) bytes,
      AGPU_MPI_TYPES(BYTES)
#undef BYTES
  };
  for (int i = 0; i < AGPU_MPI_TYPE_COUNT; ++i) {
    append(&base[i].layout, 0, bytes[i]);
    library.types[i] = (agpu__mpi_handle)&base[i];
  }
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

enum { MOST_DIMS = 6 };

typedef struct memref {
  int64_t rank, sizes[MOST_DIMS], strides[MOST_DIMS], bytes;
  int32_t type;
} memref;

static agpu_mpi_elements elements_of(const memref *of, void *pointer) {
  return (agpu_mpi_elements){pointer,     of->rank,  of->sizes,
                             of->strides, of->bytes, of->type};
}

static void append_elements(layout *to, const memref *of, int64_t dim,
                            int64_t offset) {
  if (dim == of->rank) {
    append(to, offset, of->bytes);
    return;
  }
  for (int64_t i = 0; i < of->sizes[dim]; ++i)
    append_elements(to, of, dim + 1, offset + i * of->strides[dim] * of->bytes);
}

static void check_same(const layout *a, const layout *b) {
  CHECK_EQ(a->count, b->count);
  for (int64_t i = 0; i < a->count; ++i) {
    CHECK_EQ(a->runs[i].offset, b->runs[i].offset);
    CHECK_EQ(a->runs[i].bytes, b->runs[i].bytes);
  }
}

/// What MPI would read for it is what it says, however the library fails.
static void check_type(const memref *of, const layout *expected) {
  agpu__mpi_dim dims[MOST_DIMS];
  agpu_mpi_elements elements = elements_of(of, NULL);
  agpu__mpi_view view;
  agpu__mpi_view_set(&view, &elements, dims);
  int64_t bytes = 0;
  for (int64_t i = 0; i < expected->count; ++i)
    bytes += expected->runs[i].bytes;
  CHECK_EQ(agpu__mpi_view_bytes(&view), bytes);
  agpu__mpi_typed typed;
  calls = fails_at = 0;
  CHECK_EQ(agpu__mpi_type_make(&library, &view, &typed), 0);
  int needed = calls;
  const type *made = type_of(typed.type);
  CHECK_EQ(typed.owned, made->is_derived);
  CHECK(!typed.owned || made->is_committed);
  layout found = {0};
  if (typed.owned)
    CHECK_EQ(typed.count, 1);
  if (made->layout.count == 1 && typed.count)
    append(&found, made->layout.runs[0].offset,
           typed.count * made->layout.runs[0].bytes);
  else if (typed.count)
    for (int64_t i = 0; i < made->layout.count; ++i)
      append(&found, made->layout.runs[i].offset, made->layout.runs[i].bytes);
  check_same(&found, expected);
  free(found.runs);
  CHECK_EQ(types_alive, typed.owned);
  agpu__mpi_type_free(&library, &typed);
  CHECK_EQ(types_alive, 0);
  for (int at = 1; at <= needed; ++at) {
    calls = 0;
    fails_at = at;
    CHECK_EQ(agpu__mpi_type_make(&library, &view, &typed), 1);
    CHECK_EQ(types_alive, 0);
  }
}

/// Any bytes of what lies side by side at `packed`, and parts that are the
/// whole together.
static void check_parts(const agpu__mpi_view *view, const char *packed) {
  int64_t bytes = agpu__mpi_view_bytes(view);
  for (int64_t first = 0; first < bytes; first += 5) {
    int64_t count = bytes - first < 7 ? bytes - first : 7;
    char some[7];
    agpu__mpi_view_read(view, first, some, count);
    CHECK(!memcmp(some, packed + first, (size_t)count));
    agpu__mpi_view_write(view, first, some, count);
  }
  agpu__mpi_dim dims[MOST_DIMS];
  for (int64_t begin = 0, end; begin < bytes; begin = end) {
    end = agpu__mpi_view_part_end(view, begin + 40);
    CHECK(end >= begin + 40 || end == bytes);
    agpu__mpi_view part = agpu__mpi_view_part(view, begin, end, dims);
    CHECK_EQ(agpu__mpi_view_bytes(&part), end - begin);
    char *some = malloc((size_t)(end - begin));
    CHECK(some);
    agpu__mpi_view_pack(&part, some);
    CHECK(!memcmp(some, packed + begin, (size_t)(end - begin)));
    free(some);
  }
}

/// Elements go to where they lie side by side and back, and nothing else is
/// touched.
static void check_copies(const memref *of, const layout *expected) {
  int64_t low = 0, high = 0, bytes = 0;
  for (int64_t i = 0; i < expected->count; ++i) {
    run at = expected->runs[i];
    low = at.offset < low ? at.offset : low;
    high = at.offset + at.bytes > high ? at.offset + at.bytes : high;
    bytes += at.bytes;
  }
  size_t size = (size_t)(high - low);
  unsigned char *memory = malloc(size + 1), *back = calloc(size + 1, 1);
  unsigned char *packed = malloc((size_t)bytes + 1);
  CHECK(memory && back && packed);
  for (size_t i = 0; i < size; ++i)
    memory[i] = (unsigned char)(1 + i * 7 % 251);
  agpu__mpi_dim dims[MOST_DIMS];
  agpu_mpi_elements elements = elements_of(of, memory - low);
  agpu__mpi_view view;
  agpu__mpi_view_set(&view, &elements, dims);
  agpu__mpi_view_pack(&view, packed);
  const unsigned char *at = packed;
  for (int64_t i = 0; i < expected->count; ++i) {
    run part = expected->runs[i];
    CHECK(!memcmp(at, memory - low + part.offset, (size_t)part.bytes));
    at += part.bytes;
  }
  check_parts(&view, (const char *)packed);
  elements.pointer = back - low;
  agpu__mpi_view_set(&view, &elements, dims);
  agpu__mpi_view_unpack(&view, packed);
  for (int64_t i = 0; i < expected->count; ++i) {
    run part = expected->runs[i];
    unsigned char *to = back - low + part.offset;
    CHECK(!memcmp(to, memory - low + part.offset, (size_t)part.bytes));
  }
  for (int64_t i = 0; i < expected->count; ++i)
    memset(back - low + expected->runs[i].offset, 0,
           (size_t)expected->runs[i].bytes);
  for (size_t i = 0; i < size; ++i)
    CHECK_EQ(back[i], 0);
  free(memory);
  free(back);
  free(packed);
}

static uint64_t state = 17;

static int64_t choose(int64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)(state >> 33) % below;
}

/// Dense from the inside out, in any order of dimensions, with gaps, turned
/// round or repeated here and there.
static memref choose_memref(void) {
  static const int32_t types[] = {AGPU_MPI_BYTE, AGPU_MPI_INT32,
                                  AGPU_MPI_DOUBLE, AGPU_MPI_FLOAT};
  static const int64_t bytes[] = {6, 4, 8, 16}; // 16: vector<4xf32>
  int64_t kind = choose(4), stride = 1;
  memref made = {.rank = choose(5), .bytes = bytes[kind], .type = types[kind]};
  int64_t order[MOST_DIMS] = {0, 1, 2, 3};
  for (int64_t i = 0; i < made.rank; ++i) {
    int64_t k = choose(3) ? i : choose(i + 1), was = order[k];
    order[k] = order[i];
    order[i] = was;
  }
  for (int64_t i = made.rank; i-- > 0;) {
    int64_t dim = order[i];
    made.sizes[dim] = choose(12) ? 1 + choose(4) : 0;
    stride *= choose(3) ? 1 : 2 + choose(2);
    made.strides[dim] = choose(16) ? stride : 0;
    if (!choose(8))
      made.strides[dim] = -made.strides[dim];
    stride *= made.sizes[dim] ? made.sizes[dim] : 1;
  }
  return made;
}

static void any_layout_is_a_type(void) {
  for (int i = 0; i < 3000; ++i) {
    memref of = choose_memref();
    layout expected = {0};
    append_elements(&expected, &of, 0, 0);
    check_type(&of, &expected);
    check_copies(&of, &expected);
    free(expected.runs);
  }
}

static void more_than_an_int_says_is_a_type(void) {
  const int64_t part = (int64_t)1 << 30;
  int64_t counts[] = {INT_MAX, (int64_t)INT_MAX + 1, 4 * part, 5 * part + 3};
  for (int i = 0; i < 4; ++i) {
    memref of = {.rank = 1,
                 .sizes = {counts[i]},
                 .strides = {1},
                 .bytes = 4,
                 .type = AGPU_MPI_FLOAT};
    run whole = {0, counts[i] * 4};
    check_type(&of, &(layout){&whole, 1, 1});
    // Twice, with a gap.
    of.rank = 2;
    of.sizes[0] = 2, of.sizes[1] = counts[i];
    of.strides[0] = counts[i] + 1, of.strides[1] = 1;
    run both[] = {whole, {(counts[i] + 1) * 4, whole.bytes}};
    check_type(&of, &(layout){both, 2, 2});
  }
}

/// A number and its place are one value of MPI.
static void pairs_are_values(void) {
  memref of = {.rank = 2,
               .sizes = {5, 2},
               .strides = {2, 1},
               .bytes = 4,
               .type = AGPU_MPI_INT32_PAIR};
  agpu__mpi_dim dims[MOST_DIMS];
  agpu_mpi_elements elements = elements_of(&of, NULL);
  agpu__mpi_view view;
  agpu__mpi_view_set(&view, &elements, dims);
  CHECK_EQ(view.count, 5);
  CHECK_EQ(view.rank, 0);
  CHECK_EQ(view.run, 5);
  of.strides[0] = 3;
  layout expected = {0};
  append_elements(&expected, &of, 0, 0);
  check_type(&of, &expected);
  free(expected.runs);
}

/// What lies side by side takes no type of its own.
static void dense_memory_takes_no_call(void) {
  memref of = {.rank = 3,
               .sizes = {4, 1, 3},
               .strides = {3, 99, 1},
               .bytes = 8,
               .type = AGPU_MPI_INT64};
  agpu__mpi_dim dims[MOST_DIMS];
  agpu_mpi_elements elements = elements_of(&of, NULL);
  agpu__mpi_view view;
  agpu__mpi_view_set(&view, &elements, dims);
  agpu__mpi_typed typed;
  calls = fails_at = 0;
  CHECK_EQ(agpu__mpi_type_make(&library, &view, &typed), 0);
  CHECK_EQ(calls, 0);
  CHECK_EQ(typed.count, 12);
  CHECK(typed.type == library.types[AGPU_MPI_INT64]);
}

int main(void) {
  make_library();
  any_layout_is_a_type();
  more_than_an_int_says_is_a_type();
  pairs_are_values();
  dense_memory_takes_no_call();
  return 0;
}
