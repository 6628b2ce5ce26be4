// The kernels of kernels.mlir.
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma OPENCL FP_CONTRACT OFF

#define BLOCK 256
#define TILE 16
#define BINS 256

__attribute__((reqd_work_group_size(BLOCK, 1, 1)))
kernel void saxpy(long n, float a, global const float *x, global float *y) {
  long i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void product(long n, global const float *a, global const float *b,
                    global float *c) {
  local float as[TILE][TILE], bs[TILE][TILE];
  long x = get_local_id(0), y = get_local_id(1);
  long column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
  float sum = 0;
  for (long first = 0; first < n; first += TILE) {
    as[y][x] = a[row * n + first + x];
    bs[y][x] = b[(first + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long k = 0; k < TILE; ++k)
      sum += as[y][k] * bs[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

__attribute__((reqd_work_group_size(BLOCK, 1, 1)))
kernel void sums(global const float *x, global float *out) {
  local float part[BLOCK];
  long t = get_local_id(0);
  part[t] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long half_way = BLOCK / 2; half_way > 0; half_way /= 2) {
    if (t < half_way)
      part[t] += part[t + half_way];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    out[get_group_id(0)] = part[0];
}

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void stencil(long rows, long columns, global const float *in,
                    global float *out) {
  long x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < columns - 1 && y < rows - 1) {
    long at = y * columns + x;
    float around = in[at - 1] + in[at + 1] + in[at - columns] + in[at + columns];
    out[at] = 0.5f * in[at] + 0.125f * around;
  }
}

__attribute__((reqd_work_group_size(BLOCK, 1, 1)))
kernel void histogram(long n, global const int *x, global int *bins) {
  local int own[BINS];
  long t = get_local_id(0);
  own[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (long i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_add(&own[x[i]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], own[t]);
}

__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void small(int n, global int *x) { x[get_global_id(0)] = n; }
