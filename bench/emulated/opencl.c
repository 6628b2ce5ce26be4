//===- opencl.c - A device of OpenCL --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define CL_TARGET_OPENCL_VERSION 120

#include "bench.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAXPY, PRODUCT, SUMS, STENCIL, HISTOGRAM, SMALL, KERNELS };
static const char *const names[] = {"saxpy",   "product",   "sums",
                                    "stencil", "histogram", "small"};

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernels[KERNELS];

static void check(cl_int status, const char *call) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: OpenCL error %d\n", call, status);
  exit(1);
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  if (!file || !text || !fread(text, 1, (1 << 16) - 1, file)) {
    perror(path);
    exit(1);
  }
  fclose(file);
  return text;
}

void bench_open(const char *path) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL),
        "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  char *text = read_file(path);
  cl_program program = clCreateProgramWithSource(
      context, 1, (const char **)&text, NULL, &status);
  check(status, "clCreateProgramWithSource");
  free(text);
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  for (int i = 0; i < KERNELS; ++i) {
    kernels[i] = clCreateKernel(program, names[i], &status);
    check(status, names[i]);
  }
}

struct bench_buffer {
  cl_mem memory;
};

bench_buffer *bench_allocate(int64_t count) {
  bench_buffer *buffer = malloc(sizeof *buffer);
  if (!buffer)
    abort();
  cl_int status;
  buffer->memory = clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)count * 4,
                                  NULL, &status);
  check(status, "clCreateBuffer");
  return buffer;
}

void bench_upload(bench_buffer *to, const void *from, int64_t count) {
  check(clEnqueueWriteBuffer(queue, to->memory, CL_TRUE, 0, (size_t)count * 4,
                             from, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

void bench_download(void *to, const bench_buffer *from, int64_t count) {
  check(clEnqueueReadBuffer(queue, from->memory, CL_TRUE, 0, (size_t)count * 4,
                            to, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}

void bench_release(bench_buffer *buffer) {
  clReleaseMemObject(buffer->memory);
  free(buffer);
}

static void set(int kernel, cl_uint index, size_t size, const void *value) {
  check(clSetKernelArg(kernels[kernel], index, size, value), "clSetKernelArg");
}

static void set_count(int kernel, cl_uint index, int64_t value) {
  cl_long count = value;
  set(kernel, index, sizeof count, &count);
}

static void set_buffer(int kernel, cl_uint index, const bench_buffer *buffer) {
  set(kernel, index, sizeof buffer->memory, &buffer->memory);
}

/// `blocks` blocks of `size` threads, in two dimensions.
static void launch(int kernel, const size_t blocks[2], const size_t size[2]) {
  const size_t threads[] = {blocks[0] * size[0], blocks[1] * size[1]};
  check(clEnqueueNDRangeKernel(queue, kernels[kernel], 2, NULL, threads, size,
                               0, NULL, NULL),
        "clEnqueueNDRangeKernel");
  check(clFinish(queue), "clFinish");
}

static void launch_line(int kernel, size_t blocks, size_t size) {
  launch(kernel, (const size_t[]){blocks, 1}, (const size_t[]){size, 1});
}

static size_t ceiling(int64_t n, size_t by) {
  return ((size_t)n + by - 1) / by;
}

void bench_saxpy(int64_t n, float a, bench_buffer *x, bench_buffer *y) {
  set_count(SAXPY, 0, n);
  set(SAXPY, 1, sizeof a, &a);
  set_buffer(SAXPY, 2, x);
  set_buffer(SAXPY, 3, y);
  launch_line(SAXPY, ceiling(n, BLOCK), BLOCK);
}

void bench_product(int64_t n, bench_buffer *a, bench_buffer *b,
                   bench_buffer *c) {
  set_count(PRODUCT, 0, n);
  set_buffer(PRODUCT, 1, a);
  set_buffer(PRODUCT, 2, b);
  set_buffer(PRODUCT, 3, c);
  const size_t blocks = (size_t)n / TILE;
  launch(PRODUCT, (const size_t[]){blocks, blocks},
         (const size_t[]){TILE, TILE});
}

void bench_sums(int64_t n, bench_buffer *x, bench_buffer *out) {
  set_buffer(SUMS, 0, x);
  set_buffer(SUMS, 1, out);
  launch_line(SUMS, (size_t)n / BLOCK, BLOCK);
}

void bench_stencil(int64_t rows, int64_t columns, bench_buffer *in,
                   bench_buffer *out) {
  set_count(STENCIL, 0, rows);
  set_count(STENCIL, 1, columns);
  set_buffer(STENCIL, 2, in);
  set_buffer(STENCIL, 3, out);
  launch(
      STENCIL,
      (const size_t[]){ceiling(columns, STENCIL_X), ceiling(rows, STENCIL_Y)},
      (const size_t[]){STENCIL_X, STENCIL_Y});
}

void bench_histogram(int64_t n, bench_buffer *x, bench_buffer *bins) {
  set_count(HISTOGRAM, 0, n);
  set_buffer(HISTOGRAM, 1, x);
  set_buffer(HISTOGRAM, 2, bins);
  launch_line(HISTOGRAM, HISTOGRAM_BLOCKS, BLOCK);
}

void bench_small(int64_t n, bench_buffer *x) {
  cl_int value = (cl_int)n;
  set(SMALL, 0, sizeof value, &value);
  set_buffer(SMALL, 1, x);
  launch_line(SMALL, 1, 32);
}
