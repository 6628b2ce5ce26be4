//===- ours.c - The emulated device ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <stdlib.h>

/// A memref of one dimension, as MLIR's C interface passes it.
struct bench_buffer {
  void *allocated, *aligned;
  int64_t offset, size, stride;
};

void _mlir_ciface_allocate(bench_buffer *out, int64_t count);
void _mlir_ciface_copy(bench_buffer *to, bench_buffer *from);
void _mlir_ciface_release(bench_buffer *buffer);
void _mlir_ciface_saxpy(int64_t n, float a, bench_buffer *x, bench_buffer *y);
void _mlir_ciface_product(int64_t n, bench_buffer *a, bench_buffer *b,
                          bench_buffer *c);
void _mlir_ciface_sums(int64_t n, bench_buffer *x, bench_buffer *out);
void _mlir_ciface_stencil(int64_t rows, int64_t columns, bench_buffer *in,
                          bench_buffer *out);
void _mlir_ciface_histogram(int64_t n, bench_buffer *x, bench_buffer *bins);
void _mlir_ciface_small(int32_t n, bench_buffer *x);

void bench_open(const char *kernels) { (void)kernels; }

bench_buffer *bench_allocate(int64_t count) {
  bench_buffer *buffer = malloc(sizeof *buffer);
  if (!buffer)
    abort();
  _mlir_ciface_allocate(buffer, count);
  return buffer;
}

static bench_buffer describe(const void *data, int64_t count) {
  return (bench_buffer){.allocated = (void *)data,
                        .aligned = (void *)data,
                        .size = count,
                        .stride = 1};
}

void bench_upload(bench_buffer *to, const void *from, int64_t count) {
  bench_buffer source = describe(from, count);
  _mlir_ciface_copy(to, &source);
}

void bench_download(void *to, const bench_buffer *from, int64_t count) {
  bench_buffer target = describe(to, count), source = *from;
  _mlir_ciface_copy(&target, &source);
}

void bench_release(bench_buffer *buffer) {
  _mlir_ciface_release(buffer);
  free(buffer);
}

void bench_saxpy(int64_t n, float a, bench_buffer *x, bench_buffer *y) {
  _mlir_ciface_saxpy(n, a, x, y);
}

void bench_product(int64_t n, bench_buffer *a, bench_buffer *b,
                   bench_buffer *c) {
  _mlir_ciface_product(n, a, b, c);
}

void bench_sums(int64_t n, bench_buffer *x, bench_buffer *out) {
  _mlir_ciface_sums(n, x, out);
}

void bench_stencil(int64_t rows, int64_t columns, bench_buffer *in,
                   bench_buffer *out) {
  _mlir_ciface_stencil(rows, columns, in, out);
}

void bench_histogram(int64_t n, bench_buffer *x, bench_buffer *bins) {
  _mlir_ciface_histogram(n, x, bins);
}

void bench_small(int64_t n, bench_buffer *x) {
  _mlir_ciface_small((int32_t)n, x);
}
