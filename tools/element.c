//===- element.c - Numbers in arrays --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that arguments and results have: how NumPy's files name
// them, and their numbers as text. Floats that C has no type for are computed
// with as doubles, and rounded to nearest, ties to even.
//
//===----------------------------------------------------------------------===//

#include "element.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const agpu__element table[] = {
    {"i1", "|b1", NULL, 1},
    {"i8", "|i1", "|u1", 1},
    {"i16", "<i2", "<u2", 2},
    {"i32", "<i4", "<u4", 4},
    {"i64", "<i8", "<u8", 8},
    {"index", "<i8", "<u8", 8},
    {"f16", "<f2", NULL, 2},
    {"bf16", "|V2", "<V2", 2}, // NumPy itself has none: as ml_dtypes saves it
    {"f32", "<f4", NULL, 4},
    {"f64", "<f8", NULL, 8},
    {"complex<f32>", "<c8", NULL, 8},
    {"complex<f64>", "<c16", NULL, 16},
};
enum { ELEMENT_COUNT = sizeof(table) / sizeof(*table) };

const agpu__element *agpu__element_find(const char *name, size_t size) {
  for (size_t i = 0; i < ELEMENT_COUNT; ++i)
    if (strlen(table[i].name) == size && !memcmp(table[i].name, name, size))
      return &table[i];
  return NULL;
}

const agpu__element *agpu__element_of_npy(const char *npy) {
  for (size_t i = 0; i < ELEMENT_COUNT; ++i)
    if (!strcmp(table[i].npy, npy) ||
        (table[i].npy_too && !strcmp(table[i].npy_too, npy)))
      return &table[i];
  return NULL;
}

static bool is_complex(const agpu__element *e) { return e->name[0] == 'c'; }
static bool is_float(const agpu__element *e) {
  return e->name[0] == 'f' || e->name[0] == 'b';
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The bits of `value` in an IEEE format with so many of them for the exponent
/// and the fraction.
static uint16_t pack_float(double value, int exponent_bits, int fraction_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  unsigned infinity = ((1u << exponent_bits) - 1u) << fraction_bits;
  unsigned sign = signbit(value) ? 0x8000u : 0;
  if (isnan(value))
    return (uint16_t)(sign | infinity | 1u << (fraction_bits - 1));
  int exponent = 0;
  if (value != 0 && isfinite(value))
    (void)frexp(value, &exponent);
  exponent -= 1; // of 1.xxx
  if (exponent < 1 - bias || value == 0)
    exponent = 1 - bias;
  if (isinf(value) || exponent > bias)
    return (uint16_t)(sign | infinity);
  // A fraction that is rounded up carries into the exponent.
  double fraction = nearbyint(ldexp(fabs(value), fraction_bits - exponent));
  unsigned bits = (unsigned)(exponent + bias - 1) << fraction_bits;
  return (uint16_t)(sign | (bits + (unsigned)fraction));
}

static double unpack_float(uint16_t bits, int exponent_bits,
                           int fraction_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  int fraction = bits & ((1 << fraction_bits) - 1);
  double value;
  if (exponent == (1 << exponent_bits) - 1)
    value = fraction ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    value = ldexp(fraction, 1 - bias - fraction_bits);
  else
    value =
        ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return bits & 0x8000 ? -value : value;
}

/// A float of `bytes`; of two bytes, a bf16 or an f16.
static void store_float(void *out, double value, int64_t bytes, bool is_bf16) {
  if (bytes == 8) {
    memcpy(out, &value, 8);
  } else if (bytes == 4) {
    float single = (float)value;
    memcpy(out, &single, 4);
  } else {
    uint16_t bits =
        is_bf16 ? pack_float(value, 8, 7) : pack_float(value, 5, 10);
    memcpy(out, &bits, 2);
  }
}

static double load_float(const void *from, int64_t bytes, bool is_bf16) {
  double value;
  float single;
  uint16_t bits;
  if (bytes == 8)
    return memcpy(&value, from, 8), value;
  if (bytes == 4)
    return memcpy(&single, from, 4), (double)single;
  memcpy(&bits, from, 2);
  return is_bf16 ? unpack_float(bits, 8, 7) : unpack_float(bits, 5, 10);
}

static bool is_bfloat(const agpu__element *e) { return e->name[0] == 'b'; }

static void store_integer(const agpu__element *e, uint64_t value, void *out) {
  memcpy(out, &value, (size_t)e->bytes); // little endian
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool fail(const agpu__element *e, const char *text, const char *why,
                 agpu__text *error) {
  int size = (int)strcspn(text, ",] ");
  agpu__text_printf(error, "'%.*s' is %s of type %s", size, text, why, e->name);
  return false;
}

static bool parse_integer(const agpu__element *e, const char **text, void *out,
                          agpu__text *error) {
  const char *start = *text;
  if (!strcmp(e->name, "i1"))
    for (int i = 0; i < 2; ++i) {
      const char *word = i ? "true" : "false";
      if (!strncmp(start, word, strlen(word))) {
        *text += strlen(word);
        return store_integer(e, (uint64_t)i, out), true;
      }
    }
  char *end;
  errno = 0;
  // Both of what is signed and what is not.
  bool negative = *start == '-';
  unsigned long long magnitude = isdigit((unsigned char)start[negative])
                                     ? strtoull(start + negative, &end, 0)
                                     : (end = (char *)start, 0ull);
  if (end == start || *end == '.' || *end == 'e')
    return fail(e, start, "no number", error);
  int bits = !strcmp(e->name, "i1") ? 1 : (int)(8 * e->bytes);
  unsigned long long most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
  if (errno || magnitude > (negative ? 1ull << (bits - 1) : most))
    return fail(e, start, "too large for a number", error);
  store_integer(e, negative ? 0 - magnitude : magnitude, out);
  *text = end;
  return true;
}

static bool parse_float(const agpu__element *e, const char **text,
                        double *out_value, agpu__text *error) {
  char *end;
  *out_value = strtod(*text, &end);
  if (end == *text)
    return fail(e, *text, "no number", error);
  *text = end;
  return true;
}

/// "1", "1+2j", "2j".
static bool parse_complex(const agpu__element *e, const char **text, void *out,
                          agpu__text *error) {
  double parts[2] = {0, 0};
  if (!parse_float(e, text, &parts[0], error))
    return false;
  if (**text == 'j') {
    parts[1] = parts[0];
    parts[0] = 0;
    ++*text;
  } else if (**text == '+' || **text == '-') {
    if (!parse_float(e, text, &parts[1], error))
      return false;
    if (**text != 'j')
      return fail(e, *text, "no j, which ends a number", error);
    ++*text;
  }
  for (int i = 0; i < 2; ++i)
    store_float((char *)out + i * e->bytes / 2, parts[i], e->bytes / 2, false);
  return true;
}

bool agpu__element_parse(const agpu__element *element, const char **text,
                         void *out_value, agpu__text *error) {
  if (is_complex(element))
    return parse_complex(element, text, out_value, error);
  if (!is_float(element))
    return parse_integer(element, text, out_value, error);
  double value;
  if (!parse_float(element, text, &value, error))
    return false;
  store_float(out_value, value, element->bytes, is_bfloat(element));
  return true;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

void agpu__element_set_count(const agpu__element *element, uint64_t index,
                             void *out_value) {
  memset(out_value, 0, (size_t)element->bytes);
  if (is_complex(element))
    store_float(out_value, (double)index, element->bytes / 2, false);
  else if (is_float(element))
    store_float(out_value, (double)index, element->bytes, is_bfloat(element));
  else
    store_integer(element, !strcmp(element->name, "i1") ? index & 1 : index,
                  out_value);
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// In [0, 1), with so few digits that every element type but bf16 and f16 has
/// the number itself.
static double draw_fraction(uint64_t *state) {
  return (double)(draw(state) >> 40) * 0x1p-24;
}

void agpu__element_set_random(const agpu__element *element, uint64_t *state,
                              void *out_value) {
  if (is_complex(element))
    for (int i = 0; i < 2; ++i)
      store_float((char *)out_value + i * element->bytes / 2,
                  draw_fraction(state), element->bytes / 2, false);
  else if (is_float(element))
    store_float(out_value, draw_fraction(state), element->bytes,
                is_bfloat(element));
  else
    store_integer(element,
                  draw(state) % (!strcmp(element->name, "i1") ? 2 : 100),
                  out_value);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void print_float(double value, int64_t bytes, bool as_runner,
                        bool is_bf16, agpu__text *out) {
  if (as_runner) {
    agpu__text_printf(out, "%e", value);
    return;
  }
  char text[40];
  for (int digits = bytes == 8   ? 15
                    : bytes == 4 ? 6
                                 : 2;
       digits <= 17; ++digits) {
    char before[8], behind[8];
    snprintf(text, sizeof(text), "%.*g", digits, value);
    store_float(before, value, bytes, is_bf16);
    store_float(behind, strtod(text, NULL), bytes, is_bf16);
    if (isnan(value) || !memcmp(before, behind, (size_t)bytes))
      break;
  }
  agpu__text_puts(out, text);
}

void agpu__element_print(const agpu__element *element, const void *value,
                         bool as_runner, agpu__text *out) {
  if (is_complex(element)) {
    int64_t bytes = element->bytes / 2;
    double imaginary = load_float((const char *)value + bytes, bytes, false);
    print_float(load_float(value, bytes, false), bytes, as_runner, false, out);
    agpu__text_puts(out, signbit(imaginary) ? "-" : "+");
    print_float(fabs(imaginary), bytes, as_runner, false, out);
    agpu__text_puts(out, "j");
  } else if (is_float(element)) {
    print_float(load_float(value, element->bytes, is_bfloat(element)),
                element->bytes, as_runner, is_bfloat(element), out);
  } else {
    uint64_t bits = 0;
    memcpy(&bits, value, (size_t)element->bytes);
    int shift =
        strcmp(element->name, "i1") ? 64 - (int)(8 * element->bytes) : 0;
    agpu__text_printf(out, "%" PRId64, (int64_t)(bits << shift) >> shift);
  }
}
