//===- native_threads_test.c - Threads, blocks and private memory ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "native_program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void test_saxpy(const native_program *program) {
  enum { N = 1000 };
  float x[N + 8], y[N + 8];
  for (int i = 0; i < N + 8; ++i) {
    x[i] = (float)i;
    y[i] = 1.0f;
  }
  memref mx = memref_1d(x, N), my = memref_1d(y, N);
  int64_t n = N;
  float a = 2.0f;
  void *params[] = {&n, &a, MEMREF1(mx), MEMREF1(my)};
  native_program_launch(program, "saxpy",
                        (launch_shape){{8, 1, 1}, {128, 1, 1}}, params, 12);
  for (int i = 0; i < N; ++i)
    assert(y[i] == 2.0f * (float)i + 1.0f);
  for (int i = N; i < N + 8; ++i)
    assert(y[i] == 1.0f);
}

static void test_ids(const native_program *program) {
  enum { GX = 2, GY = 3, GZ = 2, NX = 5, NY = 4, NZ = 3, BLOCK = NX * NY * NZ };
  static int64_t out[GX * GY * GZ * BLOCK];
  memset(out, 0xff, sizeof(out));
  memref m = memref_1d(out, sizeof(out) / sizeof(out[0]));
  void *params[] = {MEMREF1(m)};
  native_program_launch(program, "ids",
                        (launch_shape){{GX, GY, GZ}, {NX, NY, NZ}}, params, 5);
  for (int block = 0; block < GX * GY * GZ; ++block)
    for (int thread = 0; thread < BLOCK; ++thread)
      assert(out[block * BLOCK + thread] ==
             (thread % 32 * 1000 + GZ) * 1000 + 2 * 32 * 32 + thread / 32);
}

static void test_calls(const native_program *program) {
  int64_t out[40];
  memref m = memref_1d(out, 40);
  void *params[] = {MEMREF1(m)};
  native_program_launch(program, "calls", (launch_shape){{1, 1, 1}, {40, 1, 1}},
                        params, 5);
  for (int i = 0; i < 40; ++i)
    assert(out[i] == 5 + 2 * i);
}

static void test_private(const native_program *program) {
  enum { THREADS = 64 };
  int32_t in[4 * THREADS], out[4 * THREADS];
  for (int i = 0; i < 4 * THREADS; ++i)
    in[i] = (i * 7 + i / 3) % 101;
  memset(out, 0xff, sizeof(out));
  memref a = memref_1d(in, 4 * THREADS), b = memref_1d(out, 4 * THREADS);
  void *params[] = {MEMREF1(a), MEMREF1(b)};
  native_program_launch(program, "private",
                        (launch_shape){{1, 1, 1}, {THREADS, 1, 1}}, params, 10);
  for (int t = 0; t < THREADS; ++t)
    for (int i = 0; i < 4; ++i)
      assert(out[4 * t + i] == in[4 * t + in[4 * t + i] % 4]);
}

static void test_shuffle(const native_program *program) {
  enum { THREADS = 64 };
  float in[THREADS], out[THREADS];
  int32_t pick[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    in[i] = (float)(i % 7);
    pick[i] = i * 5 / 3;
  }
  memref a = memref_1d(in, THREADS), b = memref_1d(pick, THREADS),
         c = memref_1d(out, THREADS);
  void *params[] = {MEMREF1(a), MEMREF1(b), MEMREF1(c)};
  native_program_launch(program, "shuffle",
                        (launch_shape){{1, 1, 1}, {THREADS, 1, 1}}, params, 15);
  for (int i = 0; i < THREADS; ++i) {
    // All of it is exact in f32.
    float p[4];
    p[0] = in[i] * in[i];
    p[1] = p[0] + in[i];
    p[2] = p[1] * p[0];
    p[3] = p[2] - in[i];
    assert(out[i] == (p[pick[i] & 3] * p[2] + p[3]) * p[1] - p[0]);
  }
}

static void test_overlap(const native_program *program) {
  enum { THREADS = 64 };
  int64_t n = THREADS;
  for (int bounded = 0; bounded < 2; ++bounded) {
    float x[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; ++i)
      x[i] = (float)i;
    memref m = memref_1d(x, 2 * THREADS);
    void *params[] = {&n, MEMREF1(m), MEMREF1(m)};
    native_program_launch(program, bounded ? "overlap" : "overlap2",
                          (launch_shape){{1, 1, 1}, {THREADS, 1, 1}},
                          params + !bounded, bounded ? 11 : 10);
    for (int t = 0; t < THREADS; ++t) {
      float a = (float)(2 * t);
      assert(x[2 * t] == 3 * a && x[2 * t + 1] == 2 * a);
    }
  }
}

static void test_atomics(const native_program *program) {
  float f[1] = {0.5f};
  int32_t i[3] = {0, -1, 3};
  memref mf = memref_1d(f, 1), mi = memref_1d(i, 3);
  void *params[] = {MEMREF1(mf), MEMREF1(mi)};
  native_program_launch(program, "atomics",
                        (launch_shape){{4, 1, 1}, {25, 1, 1}}, params, 10);
  assert(f[0] == 100.5f);
  assert(i[0] == 4950 && i[1] == 99 && i[2] == 4953);
}

static void test_names(const native_program *program) {
  int32_t out = 0;
  memref m = memref_1d(&out, 1);
  void *params[] = {MEMREF0(m)};
  native_program_launch(program, "odd_$2ename$1",
                        (launch_shape){{1, 1, 1}, {1, 1, 1}}, params, 3);
  assert(out == 42);
  assert(strstr(native_program_ptx(program), ".entry odd_$2ename$1("));
}

int main(void) {
  native_program *program = native_program_create(KERNELS, NULL);
  test_saxpy(program);
  test_ids(program);
  test_calls(program);
  test_private(program);
  test_shuffle(program);
  test_overlap(program);
  test_atomics(program);
  test_names(program);
  // The thread loop of saxpy is one over vectors where the host can mask them.
  if (__builtin_cpu_supports("avx2"))
    assert(native_program_contains(program, "<8 x float>"));
  // Atomic operations stay atomic: blocks run on several threads.
  assert(native_program_contains(program, "atomicrmw fadd"));
  assert(native_program_contains(program, "cmpxchg"));
  native_program_release(program);
  return 0;
}
