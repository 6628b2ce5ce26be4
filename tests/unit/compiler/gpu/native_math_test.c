//===- native_math_test.c - Arithmetic and math functions -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "native_program.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { THREADS = 19 };

static const launch_shape one_block = {{1, 1, 1}, {THREADS, 1, 1}};
static const launch_shape one_thread = {{1, 1, 1}, {1, 1, 1}};

/// Equal but for the last places: the compiler may contract and reassociate
/// nothing, but libm and LLVM's constants may round differently.
static bool near(double a, double b, double relative) {
  return a == b || fabs(a - b) <= relative * fabs(b) || (isnan(a) && isnan(b));
}

static void test_f32(const native_program *program) {
  float x[THREADS], out[10][THREADS];
  for (int i = 0; i < THREADS; ++i)
    x[i] = 0.25f + 0.5f * (float)i;
  memref mx = memref_1d(x, THREADS), mo = memref_2d(out, 10, THREADS);
  void *params[] = {MEMREF1(mx), MEMREF2(mo)};
  native_program_launch(program, "f32", one_block, params, 12);
  for (int i = 0; i < THREADS; ++i) {
    float v = x[i], e = expf(v), s = sqrtf(v), t = tanhf(v);
    const float expected[10] = {
        e,          s,           fmaf(v, e, s), t,       erff(v), 1 / sqrtf(v),
        powf(v, t), fmodf(e, v), sinf(v),       cbrtf(v)};
    for (int k = 0; k < 10; ++k)
      assert(near(out[k][i], expected[k], k == 7 ? 1e-3 : 1e-6));
  }
}

/// Whether `got` is within so many units in the last place of `exact`, or as
/// infinite, or no number either.
static bool is_within(float got, double exact, double units) {
  float rounded = (float)exact;
  if (isnan(exact) || isinf(rounded))
    return isnan(exact) ? isnan(got) != 0 : got == rounded;
  float size = fabsf(rounded) < 0x1p-126f ? 0x1p-126f : fabsf(rounded);
  double unit = (double)(nextafterf(size, INFINITY) - size);
  return fabs((double)got - exact) <= units * unit &&
         (rounded == 0 || !signbit(got) == !signbit(exact));
}

/// Numbers of all sizes and both signs, infinity and what is no number among
/// them.
static void test_vectors(const native_program *program) {
  enum { COUNT = 64, STEP = 0x10000 - 7 };
  static float out[3][COUNT];
  memref mo = memref_2d(out, 3, COUNT);
  const launch_shape shape = {{1, 1, 1}, {COUNT, 1, 1}};
  for (uint64_t first = 0; first <= UINT32_MAX - COUNT; first += STEP) {
    uint32_t bits = (uint32_t)first;
    void *params[] = {&bits, MEMREF2(mo)};
    native_program_launch(program, "vectors", shape, params, 8);
    for (int i = 0; i < COUNT; ++i) {
      uint32_t of = bits + (uint32_t)i;
      float v;
      memcpy(&v, &of, sizeof(v));
      assert(is_within(out[0][i], exp((double)v), 1));
      assert(is_within(out[1][i], tanh((double)v), 2));
      assert(is_within(out[2][i], erf((double)v), 2));
    }
  }
}

static void test_f64(const native_program *program) {
  double x[THREADS], out[10][THREADS];
  for (int i = 0; i < THREADS; ++i)
    x[i] = -0.75 + 0.5 * i;
  memref mx = memref_1d(x, THREADS), mo = memref_2d(out, 10, THREADS);
  void *params[] = {MEMREF1(mx), MEMREF2(mo)};
  native_program_launch(program, "f64", one_block, params, 12);
  for (int i = 0; i < THREADS; ++i) {
    double v = x[i], l = log(v);
    // The sign of a NaN is not specified, so that copysign has none to check.
    const double expected[10] = {l,
                                 log1p(v),
                                 floor(v),
                                 atan2(v, l),
                                 v * v * v,
                                 expm1(v),
                                 isnan(l) ? out[6][i] : copysign(v, l),
                                 nearbyint(v),
                                 isnan(l) ? 1.0 : 0.0,
                                 fabs(l)};
    for (int k = 0; k < 10; ++k)
      assert(near(out[k][i], expected[k], 1e-12));
  }
}

static void test_half(const native_program *program) {
  // 1, 2, 0.5 and -2 as f16; the same as bf16.
  uint16_t x[4] = {0x3c00, 0x4000, 0x3800, 0xc000};
  uint16_t y[4] = {0x3f80, 0x4000, 0x3f00, 0xc000};
  memref mx = memref_1d(x, 4), my = memref_1d(y, 4);
  uint16_t zero = 0, two = 0x4000;
  void *params[] = {MEMREF1(mx), MEMREF1(my), &zero, &two};
  native_program_launch(program, "half", (launch_shape){{1, 1, 1}, {4, 1, 1}},
                        params, 12);
  const uint16_t sums[4] = {0x4040, 0x4080, 0x4020, 0x0000};
  for (int i = 0; i < 4; ++i)
    assert(x[i] == 0x3c00 && y[i] == sums[i]);
}

static void test_integers(const native_program *program) {
  int8_t a = -7;
  uint16_t b = 65535;
  int32_t c = -3;
  int64_t d = 1000, e = 9, out[3];
  memref m = memref_1d(out, 3);
  for (int flag = 0; flag < 2; ++flag) {
    uint8_t bit = (uint8_t)flag;
    void *params[] = {&bit, &a, &b, &c, &d, &e, MEMREF1(m)};
    native_program_launch(program, "integers",
                          (launch_shape){{1, 1, 1}, {3, 1, 1}}, params, 11);
    // floor(65528 * -3 / 1000)
    int64_t chosen = flag ? -197 : 9;
    for (int i = 0; i < 3; ++i) {
      int64_t shifted = chosen * (1 << i);
      assert(out[i] == __builtin_popcountll((uint64_t)shifted) +
                           (shifted < 0 ? -shifted : shifted));
    }
  }
}

static void test_aggregates(const native_program *program) {
  float c[2] = {3, 4}, out[3];
  // A vector of three lies in the room of four.
  float v[4] = {1, 2, 4, 100};
  memref m = memref_1d(out, 3);
  void *params[] = {c, v, MEMREF1(m)};
  native_program_launch(program, "complex", one_thread, params, 7);
  assert(out[0] == -7 && out[1] == 24 && out[2] == 7);
}

int main(void) {
  native_program *program = native_program_create(KERNELS, "targets=native");
  assert(!native_program_ptx(program));
  test_f32(program);
  test_vectors(program);
  test_f64(program);
  test_half(program);
  test_integers(program);
  test_aggregates(program);
  native_program_release(program);
  return 0;
}
