//===- native_memory_test.c - Memory, views and control flow --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "native_program.h"

#include <assert.h>
#include <string.h>

static void test_stencil(const native_program *program) {
  enum { H = 13, W = 21 };
  float in[H][W], out[H][W];
  for (int i = 0; i < H; ++i)
    for (int j = 0; j < W; ++j) {
      in[i][j] = (float)(i * W + j);
      out[i][j] = -1;
    }
  memref a = memref_2d(in, H, W), b = memref_2d(out, H, W);
  void *params[] = {MEMREF2(a), MEMREF2(b)};
  native_program_launch(program, "stencil",
                        (launch_shape){{3, 2, 1}, {8, 8, 1}}, params, 14);
  for (int i = 0; i < H; ++i)
    for (int j = 0; j < W; ++j) {
      int inside = i > 0 && i < H - 1 && j > 0 && j < W - 1;
      assert(out[i][j] ==
             (inside ? in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]
                     : -1));
    }
}

static void test_matmul(const native_program *program) {
  enum { M = 9, K = 17, N = 11 };
  double a[M][K], b[K][N], c[M][N];
  for (int i = 0; i < M; ++i)
    for (int l = 0; l < K; ++l)
      a[i][l] = i + 2 * l;
  for (int l = 0; l < K; ++l)
    for (int j = 0; j < N; ++j)
      b[l][j] = l - 3 * j;
  memref ma = memref_2d(a, M, K), mb = memref_2d(b, K, N),
         mc = memref_2d(c, M, N);
  void *params[] = {MEMREF2(ma), MEMREF2(mb), MEMREF2(mc)};
  native_program_launch(program, "matmul", (launch_shape){{1, 1, 1}, {N, M, 1}},
                        params, 21);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int l = 0; l < K; ++l)
        sum += a[i][l] * b[l][j];
      assert(c[i][j] == sum);
    }
}

static void test_views(const native_program *program) {
  int32_t in[64], out[4];
  for (int i = 0; i < 64; ++i)
    in[i] = i;
  // Element k is in[5 + 3k]; the kernel's view starts at 2 and skips one.
  memref a = {in, in, 5, {16, 0}, {3, 0}}, b = memref_1d(out, 4);
  void *params[] = {MEMREF1(a), MEMREF1(b)};
  native_program_launch(program, "views", (launch_shape){{1, 1, 1}, {4, 1, 1}},
                        params, 10);
  for (int i = 0; i < 4; ++i)
    assert(out[i] == 5 + 3 * (2 + 2 * i));
}

static void test_globals(const native_program *program) {
  float out[4];
  int32_t seen = 0;
  memref a = memref_1d(out, 4), b = memref_1d(&seen, 1);
  void *params[] = {MEMREF1(a), MEMREF0(b)};
  // What a kernel leaves in a global is there for the next launch.
  for (int launch = 0; launch < 2; ++launch) {
    native_program_launch(program, "globals",
                          (launch_shape){{1, 1, 1}, {4, 1, 1}}, params, 8);
    assert(seen == 8 + 4 * launch);
  }
  assert(out[0] == 1 && out[1] == 10 && out[2] == 100 && out[3] == 1000);
}

static void test_vectors(const native_program *program) {
  // One element off, so that no vector is aligned.
  float x[41];
  for (int i = 0; i < 41; ++i)
    x[i] = (float)i;
  memref m = memref_1d(x + 1, 40);
  void *params[] = {MEMREF1(m)};
  native_program_launch(program, "vectors",
                        (launch_shape){{1, 1, 1}, {10, 1, 1}}, params, 5);
  for (int i = 0; i < 41; ++i)
    assert(x[i] == (float)(i ? 2 * i : 0));
}

static void test_spaces(const native_program *program) {
  int32_t x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
  memref a = memref_1d(x, 3), b = memref_1d(y, 3);
  void *params[] = {MEMREF1(a), MEMREF1(b)};
  native_program_launch(program, "spaces", (launch_shape){{1, 1, 1}, {3, 1, 1}},
                        params, 10);
  assert(x[0] == 11 && x[1] == 22 && x[2] == 33);
}

static void test_collatz(const native_program *program) {
  enum { N = 50 };
  int32_t x[N], steps[N];
  for (int i = 0; i < N; ++i) {
    x[i] = i - 2;
    steps[i] = -1;
  }
  memref a = memref_1d(x, N), b = memref_1d(steps, N);
  void *params[] = {MEMREF1(a), MEMREF1(b)};
  native_program_launch(program, "collatz",
                        (launch_shape){{1, 1, 1}, {N, 1, 1}}, params, 10);
  for (int i = 0; i < N; ++i) {
    int expected = x[i] > 0 ? 0 : -1;
    for (int n = x[i]; n > 1; n = n % 2 ? 3 * n + 1 : n / 2)
      ++expected;
    assert(steps[i] == expected);
  }
}

int main(void) {
  native_program *program = native_program_create(KERNELS, NULL);
  test_stencil(program);
  test_matmul(program);
  test_views(program);
  test_globals(program);
  test_vectors(program);
  test_spaces(program);
  test_collatz(program);
  native_program_release(program);
  return 0;
}
