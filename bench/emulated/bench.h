//===- bench.h - The same kernels on two devices of host threads -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program here is main.c and one device: ours.c with kernels.mlir, or
// opencl.c with kernels.cl. Grids and blocks are the same in both. All elements
// have four bytes, and counts are of elements.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_BENCH_EMULATED_BENCH_H
#define ASYNC_GPU_BENCH_EMULATED_BENCH_H

#include <stdint.h>

/// Threads of a block of one dimension; rows and columns of the others.
enum { BLOCK = 256, TILE = 16, STENCIL_X = 32, STENCIL_Y = 8 };
/// Of the histogram.
enum { BINS = 256, HISTOGRAM_BLOCKS = 64 };

/// Opens the device with the kernels in the file `kernels` (of OpenCL; those
/// of MLIR are in the program). Ends the process where it cannot, as all that
/// follow do.
void bench_open(const char *kernels);

/// Memory of the device.
typedef struct bench_buffer bench_buffer;
bench_buffer *bench_allocate(int64_t count);
void bench_upload(bench_buffer *to, const void *from, int64_t count);
void bench_download(void *to, const bench_buffer *from, int64_t count);
void bench_release(bench_buffer *buffer);

// Each launches one kernel and waits for its end.

/// y = a * x + y.
void bench_saxpy(int64_t n, float a, bench_buffer *x, bench_buffer *y);
/// c = a * b, all n times n, n a multiple of TILE.
void bench_product(int64_t n, bench_buffer *a, bench_buffer *b,
                   bench_buffer *c);
/// out[i] is the sum of the i-th BLOCK elements of x; n is a multiple of BLOCK.
void bench_sums(int64_t n, bench_buffer *x, bench_buffer *out);
/// out[y][x] = 0.5 in[y][x] + 0.125 (its four neighbours) inside of the rows
/// and columns at the edge, which are not written.
void bench_stencil(int64_t rows, int64_t columns, bench_buffer *in,
                   bench_buffer *out);
/// Adds to bins[b] how many of x are b; all are below BINS.
void bench_histogram(int64_t n, bench_buffer *x, bench_buffer *bins);
/// One block of 32 threads: x[thread] = n.
void bench_small(int64_t n, bench_buffer *x);

#endif // ASYNC_GPU_BENCH_EMULATED_BENCH_H
