//===- product.c - D = A * B + C of a warp --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the operands of a product from the lanes as matrices of f32, s32 or
// f64, multiplies those (multiply.c), and hands the result out again.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/product.h"

#include "emu/matrix/fragments.h"
#include "emu/matrix/halves.h"
#include "emu/matrix/multiply.h"
#include "emu/matrix/numbers.h"
#include "emu/matrix/quads.h"
#include "emu/matrix/scales.h"
#include "emu/matrix/sparse.h"

#include <math.h>
#include <stdbool.h>

enum {
  MOST_BYTES = 1024,    ///< of A and of B, as the lanes have them
  MOST_ELEMENTS = 2048, ///< of A and of B
  MOST_SUMS = 512,      ///< of C
};

/// Where the operands of an instruction are.
typedef struct operands {
  char *const *lanes;
  uint32_t m, n, k, properties;
  bool is_wmma, is_sparse;
  bool is_packed; ///< e2m1 has 4 bits
  agpu__emu_bad_lane bad;
  agpu_native_element type_a, type_b, type_c, type_d;
  agpu__emu_fragment a, b, c, d;
} operands;

static uint32_t bits_of(agpu_native_element type) {
  static const uint8_t bits[] = {
#define X(name, text, bits) bits,
      AGPU_NATIVE_ELEMENTS(X)
#undef X
  };
  return bits[type];
}

/// Rows of `length` elements; f64 has registers of 8 bytes.
static agpu__emu_fragment factor(agpu_native_element type, uint32_t bits,
                                 uint32_t rows, uint32_t length) {
  uint32_t width = type == AGPU_NATIVE_F64 ? 8 : 4;
  return (agpu__emu_fragment){
      .rows = rows, .cells = length * bits / 8 / width, .width = width};
}

static agpu__emu_fragment sums(agpu_native_element type, uint32_t m,
                               uint32_t n) {
  return (agpu__emu_fragment){
      .rows = m, .cells = n / 2, .width = bits_of(type) / 4};
}

/// Bytes of each lane's registers for A or B.
static size_t register_bytes(const operands *self,
                             const agpu__emu_fragment *fragment,
                             agpu_native_element type) {
  // wmma has eight registers for f16, whatever the shape.
  return self->is_wmma && type == AGPU_NATIVE_F16
             ? 32
             : agpu__emu_fragment_bytes(fragment);
}

static operands find_operands(uint32_t mode, char *const *lanes) {
  operands self = {.lanes = lanes,
                   .m = AGPU_NATIVE_M_OF(mode),
                   .n = AGPU_NATIVE_N_OF(mode),
                   .k = AGPU_NATIVE_K_OF(mode),
                   .properties = AGPU_NATIVE_PROPERTIES_OF(mode),
                   .is_wmma =
                       AGPU_NATIVE_COLLECTIVE_OF(mode) == AGPU_NATIVE_WMMA,
                   .type_a = AGPU_NATIVE_A_OF(mode),
                   .type_b = AGPU_NATIVE_B_OF(mode),
                   .type_c = AGPU_NATIVE_C_OF(mode),
                   .type_d = AGPU_NATIVE_D_OF(mode)};
  self.is_sparse = self.properties & AGPU_NATIVE_SPARSE;
  self.is_packed = AGPU_NATIVE_SCALES_OF(self.properties) > 1;
  self.bad.lane = -1;
  self.a = factor(self.type_a, self.is_packed ? 4 : bits_of(self.type_a),
                  self.m, self.is_sparse ? self.k / 2 : self.k);
  self.b = factor(self.type_b, self.is_packed ? 4 : bits_of(self.type_b),
                  self.n, self.k);
  self.c = sums(self.type_c, self.m, self.n);
  self.d = sums(self.type_d, self.m, self.n);
  self.b.offset = register_bytes(&self, &self.a, self.type_a);
  self.c.offset = self.b.offset + register_bytes(&self, &self.b, self.type_b);
  return self;
}

/// Gives the words of A, of which `half` may be all, their columns.
static void expand(operands *self, const void *half, void *out_whole) {
  size_t offset = self->c.offset + agpu__emu_fragment_bytes(&self->c);
  // Where elements have 4 bits is all the same.
  self->bad = agpu__emu_expand_sparse(
      self->lanes, offset, self->is_packed ? AGPU_NATIVE_S4 : self->type_a,
      self->k, self->properties & AGPU_NATIVE_ORDERED, half, out_whole);
}

static void collect(const operands *self, const agpu__emu_fragment *fragment,
                    void *out) {
  if (self->is_wmma)
    agpu__emu_join(self->lanes, fragment->offset,
                   agpu__emu_fragment_bytes(fragment), out);
  else
    agpu__emu_gather(self->lanes, fragment, out);
}

static void hand_out(const operands *self, const void *matrix) {
  if (self->is_wmma)
    agpu__emu_split(self->lanes, 0, agpu__emu_fragment_bytes(&self->d), matrix);
  else
    agpu__emu_scatter(self->lanes, &self->d, matrix);
}

/// For the most frequent shape, whose loops the compiler unrolls, and others.
#define DEFINE_TRANSPOSE(name, type, m, n)                                     \
  static inline __attribute__((always_inline)) void name##_by(                 \
      const type *from, uint32_t rows, uint32_t columns, type *out) {          \
    for (uint32_t column = 0; column < columns; ++column)                      \
      for (uint32_t row = 0; row < rows; ++row)                                \
        out[column * rows + row] = from[row * columns + column];               \
  }                                                                            \
  static void name(const type *from, uint32_t rows, uint32_t columns,          \
                   type *out) {                                                \
    if (rows == (m) && columns == (n))                                         \
      name##_by(from, m, n, out);                                              \
    else                                                                       \
      name##_by(from, rows, columns, out);                                     \
  }
DEFINE_TRANSPOSE(transpose_f32, float, 8, 16)
DEFINE_TRANSPOSE(transpose_s32, int32_t, 8, 16)
DEFINE_TRANSPOSE(transpose_f64, double, 8, 4)

/// What mma has is A by rows and B by columns.
static bool has_columns_a(const operands *self) {
  return self->properties & AGPU_NATIVE_COLUMNS_A;
}
static bool has_columns_b(const operands *self) {
  return self->properties & AGPU_NATIVE_COLUMNS_B;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static void decode(const operands *self, agpu_native_element type,
                   const void *from, size_t count, float *out) {
  if (self->is_packed)
    agpu__emu_decode_nibbles(from, count, out);
  else
    agpu__emu_decode_floats(type, from, count, out);
}

/// Where registers come after those of C, six are for scales.
static void multiply_scaled(operands *self, const float *a, const float *b,
                            float *c) {
  agpu__emu_scales scales;
  size_t offset = self->c.offset + agpu__emu_fragment_bytes(&self->c) +
                  (self->is_sparse ? 2 * sizeof(uint32_t) : 0);
  agpu__emu_bad_lane bad =
      agpu__emu_take_scales(self->lanes, offset, self->properties, &scales);
  if (bad.lane >= 0)
    self->bad = bad;
  else
    agpu__emu_multiply_scaled(a, b, c, self->m, self->n, self->k,
                              AGPU_NATIVE_SCALES_OF(self->properties), &scales);
}

static void product_f32(operands *self) {
  char raw[MOST_BYTES] __attribute__((aligned(64)));
  float a[MOST_ELEMENTS], b[MOST_ELEMENTS], other[MOST_ELEMENTS];
  float c[MOST_SUMS];
  uint32_t m = self->m, n = self->n, k = self->k;
  collect(self, &self->a, raw);
  bool plain = !has_columns_a(self) && !self->is_sparse;
  decode(self, self->type_a, raw, (size_t)m * k / (self->is_sparse ? 2 : 1),
         plain ? a : other);
  if (self->is_sparse)
    expand(self, other, a);
  else if (!plain)
    transpose_f32(other, k, m, a);
  collect(self, &self->b, raw);
  decode(self, self->type_b, raw, (size_t)k * n,
         has_columns_b(self) ? other : b);
  if (has_columns_b(self))
    transpose_f32(other, n, k, b);
  uint16_t halves[MOST_SUMS];
  bool halved = self->type_c == AGPU_NATIVE_F16;
  collect(self, &self->c, halved ? (void *)halves : c);
  if (halved)
    agpu__emu_decode_floats(AGPU_NATIVE_F16, halves, (size_t)m * n, c);
  if (AGPU_NATIVE_SCALES_OF(self->properties))
    multiply_scaled(self, a, b, c);
  else
    agpu__emu_multiply_f32(a, b, c, m, n, k);
  if (self->type_d == AGPU_NATIVE_F16) {
    for (uint32_t i = 0; i < m * n; ++i)
      halves[i] = (uint16_t)agpu__emu_to_f16(c[i]);
    hand_out(self, halves);
    return;
  }
  for (uint32_t i = 0; i < m * n; ++i)
    c[i] = isnan(c[i]) ? agpu__emu_f32(AGPU__EMU_NAN_F32) : c[i];
  hand_out(self, c);
}

static void product_f64(const operands *self) {
  double a[64], b[64], c[64], other[64];
  collect(self, &self->a, has_columns_a(self) ? other : a);
  if (has_columns_a(self))
    transpose_f64(other, self->k, self->m, a);
  collect(self, &self->b, has_columns_b(self) ? other : b);
  if (has_columns_b(self))
    transpose_f64(other, self->n, self->k, b);
  collect(self, &self->c, c);
  agpu__emu_multiply_f64(a, b, c, self->m, self->n, self->k);
  hand_out(self, c);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Adds what the product of the matrices gives to C.
static void add(const operands *self, const int32_t *product) {
  int32_t c[MOST_SUMS];
  collect(self, &self->c, c);
  bool saturated = self->properties & AGPU_NATIVE_SATURATED;
  for (uint32_t i = 0; i < self->m * self->n; ++i) {
    int64_t sum = (int64_t)c[i] + product[i];
    int64_t limited = sum > INT32_MAX   ? INT32_MAX
                      : sum < INT32_MIN ? INT32_MIN
                                        : sum;
    c[i] = saturated ? (int32_t)limited : (int32_t)(uint32_t)sum;
  }
  hand_out(self, c);
}

static void product_s32(operands *self) {
  char raw[MOST_BYTES] __attribute__((aligned(64)));
  int32_t a[MOST_ELEMENTS], b[MOST_ELEMENTS], other[MOST_ELEMENTS];
  int32_t product[MOST_SUMS] = {0};
  uint32_t m = self->m, n = self->n, k = self->k;
  collect(self, &self->a, raw);
  bool plain = !has_columns_a(self) && !self->is_sparse;
  agpu__emu_decode_integers(self->type_a, raw,
                            (size_t)m * k / (self->is_sparse ? 2 : 1),
                            plain ? a : other);
  if (self->is_sparse)
    expand(self, other, a);
  else if (!plain)
    transpose_s32(other, k, m, a);
  collect(self, &self->b, raw);
  agpu__emu_decode_integers(self->type_b, raw, (size_t)k * n,
                            has_columns_b(self) ? other : b);
  if (has_columns_b(self))
    transpose_s32(other, n, k, b);
  agpu__emu_multiply_s32(a, b, product, m, n, k);
  add(self, product);
}

/// Counts the bits that a row and a column have in common, or not.
static void product_bits(const operands *self) {
  uint32_t a[MOST_BYTES / 4], b[MOST_BYTES / 4], words = self->k / 32;
  int32_t product[MOST_SUMS];
  bool both = self->properties & AGPU_NATIVE_AND_BITS;
  collect(self, &self->a, a);
  collect(self, &self->b, b);
  for (uint32_t row = 0; row < self->m; ++row)
    for (uint32_t column = 0; column < self->n; ++column) {
      int32_t count = 0;
      for (uint32_t x = 0; x < words; ++x) {
        uint32_t left = a[row * words + x], right = b[column * words + x];
        count += __builtin_popcount(both ? left & right : left ^ right);
      }
      product[row * self->n + column] = count;
    }
  add(self, product);
}

agpu__emu_bad_lane agpu__emu_product(uint32_t mode, char *const *lanes) {
  if (agpu__emu_product_halves(mode, lanes))
    return (agpu__emu_bad_lane){-1, NULL};
  operands self = find_operands(mode, lanes);
  if (self.type_a == AGPU_NATIVE_F16 && self.k == 4)
    agpu__emu_product_quads(mode, lanes);
  else if (self.type_a == AGPU_NATIVE_B1)
    product_bits(&self);
  else if (self.type_a == AGPU_NATIVE_F64)
    product_f64(&self);
  else if (self.type_c == AGPU_NATIVE_S32)
    product_s32(&self);
  else
    product_f32(&self);
  return self.bad;
}
