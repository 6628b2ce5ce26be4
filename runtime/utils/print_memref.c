//===- print_memref.c - Printing of memrefs -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two rows of a matrix:
//
//     Unranked Memref base@ = 0x... rank = 2 offset = 0 sizes = [2, 3] strides
//     = [3, 1] data =
//     [[1,   2,   3],
//      [4,   5,   6]]
//
// (with "data =" on the first line): upstream's format.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <inttypes.h>
#include <stdio.h>

/// Prints the element at `data`.
typedef void (*print_element)(const char *data);

static void print_list(const int64_t *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    printf("%s%" PRId64, i ? ", " : "", values[i]);
}

typedef struct printer {
  print_element print;
  int64_t element_bytes;
  int64_t rank;
  const int64_t *sizes, *strides;
} printer;

/// Dimension `dim` and those inside it.
static void print_dimension(const printer *p, int64_t dim, const char *data) {
  if (dim == p->rank) {
    p->print(data);
    return;
  }
  putchar('[');
  for (int64_t i = 0; i < p->sizes[dim]; ++i) {
    if (i && dim + 1 == p->rank)
      printf(",%*s", (int)p->rank + 1, "");
    else if (i)
      printf(", \n%*s", (int)dim + 1, "");
    print_dimension(p, dim + 1, data + i * p->strides[dim] * p->element_bytes);
  }
  putchar(']');
}

static void print_memref(int64_t rank, const agpu__memref *memref,
                         int64_t element_bytes, print_element print) {
  printer p = {.print = print,
               .element_bytes = element_bytes,
               .rank = rank,
               .sizes = memref->sizes,
               .strides = memref->sizes + rank};
  printf("Unranked Memref base@ = %p rank = %" PRId64 " offset = %" PRId64
         " sizes = [",
         memref->aligned, rank, memref->offset);
  print_list(p.sizes, rank);
  fputs("] strides = [", stdout);
  print_list(p.strides, rank);
  fputs("] data = \n", stdout);
  if (!rank)
    putchar('[');
  print_dimension(
      &p, 0, (const char *)memref->aligned + memref->offset * element_bytes);
  puts(rank ? "" : "]");
}

//===----------------------------------------------------------------------===//
// One element type each
//===----------------------------------------------------------------------===//

typedef struct complex_f32 {
  float real, imaginary;
} complex_f32;

typedef struct complex_f64 {
  double real, imaginary;
} complex_f64;

static void print_complex(double real, double imaginary) {
  printf("(%g,%g)", real, imaginary);
}

#define DEFINE(name, type, ...)                                                \
  static void print_##name(const char *data) {                                 \
    const type *value = (const type *)(const void *)data;                      \
    __VA_ARGS__;                                                               \
  }                                                                            \
  void printMemref##name(int64_t rank, void *memref) {                         \
    print_memref(rank, memref, sizeof(type), print_##name);                    \
  }                                                                            \
  void _mlir_ciface_printMemref##name(agpu__unranked_memref *unranked) {       \
    printMemref##name(unranked->rank, unranked->memref);                       \
  }

// Upstream prints a byte as the character that it stands for.
DEFINE(I8, int8_t, putchar((unsigned char)*value))
DEFINE(I16, int16_t, printf("%d", *value))
DEFINE(I32, int32_t, printf("%" PRId32, *value))
DEFINE(I64, int64_t, printf("%" PRId64, *value))
DEFINE(Ind, int64_t, printf("%" PRId64, *value))
DEFINE(F16, uint16_t, printF16(*value))
DEFINE(BF16, uint16_t, printBF16(*value))
DEFINE(F32, float, printF32(*value))
DEFINE(F64, double, printF64(*value))
DEFINE(C32, complex_f32,
       print_complex((double)value->real, (double)value->imaginary))
DEFINE(C64, complex_f64, print_complex(value->real, value->imaginary))
