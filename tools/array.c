//===- array.c - Arrays of numbers ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays as a command line gives them and a terminal shows them.
//
//===----------------------------------------------------------------------===//

#include "array.h"

#include "lower/pass/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// More elements than this are not printed, but for so many at either end.
enum { PRINTED_WHOLE = 1000, PRINTED_ENDS = 3 };

int64_t agpu__array_count(const agpu__array *array) {
  int64_t count = 1;
  for (int64_t i = 0; i < array->rank; ++i)
    count *= array->sizes[i];
  return count;
}

size_t agpu__array_bytes(const agpu__array *array) {
  return (size_t)(agpu__array_count(array) * array->element->bytes);
}

bool agpu__array_allocate(agpu__array *array, agpu__text *error) {
  int64_t bytes = array->element->bytes;
  bool fits = true;
  for (int64_t i = 0; i < array->rank; ++i)
    fits = fits && !__builtin_mul_overflow(
                       bytes, array->sizes[i] + !array->sizes[i], &bytes);
  size_t needed = fits ? agpu__array_bytes(array) : 0;
  array->data = fits ? calloc(needed ? needed : 1, 1) : NULL;
  if (array->data)
    return true;
  agpu__text_puts(error, "no memory for an array of type ");
  agpu__array_print_type(array, error);
  return false;
}

void agpu__array_free(agpu__array *array) {
  free(array->data);
  array->data = NULL;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads "4x8xf32" up to the end or a '='. Returns what is behind, or NULL.
static const char *parse_type(const char *text, agpu__array *out) {
  out->rank = 0;
  while (isdigit((unsigned char)*text)) {
    char *end;
    long long size = strtoll(text, &end, 10);
    if (*end != 'x' || out->rank == AGPU_ARRAY_RANK)
      return NULL;
    out->sizes[out->rank++] = size;
    text = end + 1;
  }
  size_t size = strcspn(text, "=");
  out->element = agpu__element_find(text, size);
  return out->element ? text + size : NULL;
}

bool agpu__array_is_typed(const char *text) {
  agpu__array array;
  return parse_type(text, &array);
}

static const char *skip_blanks(const char *text) {
  return text + strspn(text, " \t\n[]");
}

bool agpu__array_parse_values(const char *text, agpu__array *array,
                              agpu__text *error) {
  int64_t count = agpu__array_count(array), read = 0;
  size_t bytes = (size_t)array->element->bytes;
  char *data = array->data;
  unsigned char ignored[16];
  const char *all = text;
  text = skip_blanks(text);
  while (*text) {
    if (read && *text++ != ',') {
      if (text[-1] == 'x')
        agpu__text_printf(error, "'%s' is no type like 4x8xf32", all);
      else
        agpu__text_printf(error, "a comma is missing before '%s'", text - 1);
      return false;
    }
    text = skip_blanks(text);
    void *place = read < count ? data + (size_t)read * bytes : (void *)ignored;
    if (!agpu__element_parse(array->element, &text, place, error))
      return false;
    ++read;
    text = skip_blanks(text);
  }
  for (int64_t i = 1; read == 1 && i < count; ++i)
    memcpy(data + (size_t)i * bytes, data, bytes);
  if (read == count || (read == 1 && count))
    return true;
  agpu__text_printf(error,
                    "%" PRId64 " numbers for the %" PRId64 " elements of ",
                    read, count);
  agpu__array_print_type(array, error);
  return false;
}

static bool read_bytes(const char *path, agpu__array *array,
                       agpu__text *error) {
  agpu__text contents = {0};
  size_t wanted = agpu__array_bytes(array);
  bool ok = agpu__source_read_up_to(path, wanted, &contents, error);
  if (!ok && contents.size > wanted) {
    agpu__text_puts(error, ", as many as ");
    agpu__array_print_type(array, error);
    agpu__text_puts(error, " has");
  } else if (ok && contents.size != wanted) {
    agpu__text_printf(error, "'%s' has %zu bytes, and ", path, contents.size);
    agpu__array_print_type(array, error);
    agpu__text_printf(error, " has %zu", wanted);
    ok = false;
  }
  if (ok && wanted)
    memcpy(array->data, contents.data, wanted);
  agpu__text_free(&contents);
  return ok;
}

/// Fills the array by a rule. False where `text` names none.
static bool fill(const char *text, agpu__array *array) {
  bool is_random = !strcmp(text, "random");
  uint64_t state = 0;
  if (!strncmp(text, "random:", 7)) {
    char *end;
    state = strtoull(text + 7, &end, 10);
    is_random = end != text + 7 && !*end;
  }
  if (!is_random && strcmp(text, "iota") != 0)
    return false;
  int64_t count = agpu__array_count(array);
  char *data = array->data;
  for (int64_t i = 0; i < count; ++i, data += array->element->bytes)
    if (is_random)
      agpu__element_set_random(array->element, &state, data);
    else
      agpu__element_set_count(array->element, (uint64_t)i, data);
  return true;
}

bool agpu__array_parse(const char *text, agpu__array *out_array,
                       agpu__text *error) {
  const char *values = parse_type(text, out_array);
  if (!values) {
    agpu__text_printf(error, "'%s' is no type like 4x8xf32", text);
    return false;
  }
  if (!agpu__array_allocate(out_array, error))
    return false;
  if (!*values || fill(values + 1, out_array))
    return true;
  if (values[1] == '@')
    return read_bytes(values + 2, out_array, error);
  return agpu__array_parse_values(values + 1, out_array, error);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void agpu__array_print_type(const agpu__array *array, agpu__text *out) {
  for (int64_t i = 0; i < array->rank; ++i)
    agpu__text_printf(out, "%" PRId64 "x", array->sizes[i]);
  agpu__text_puts(out, array->element->name);
}

/// Prints `dimension` and those inside of it, from `data` on; returns what is
/// behind.
static const char *print_dimension(const agpu__array *array, int64_t dimension,
                                   const char *data, bool whole,
                                   agpu__text *out) {
  if (dimension == array->rank) {
    agpu__element_print(array->element, data, false, out);
    return data + array->element->bytes;
  }
  int64_t size = array->sizes[dimension], inside = array->element->bytes;
  for (int64_t i = dimension + 1; i < array->rank; ++i)
    inside *= array->sizes[i];
  agpu__text_puts(out, "[");
  for (int64_t i = 0; i < size; ++i) {
    agpu__text_puts(out, i ? "," : "");
    if (!whole && i == PRINTED_ENDS && size > 2 * PRINTED_ENDS) {
      i = size - PRINTED_ENDS;
      agpu__text_puts(out, "...,");
    }
    print_dimension(array, dimension + 1, data + i * inside, whole, out);
  }
  agpu__text_puts(out, "]");
  return data + size * inside;
}

void agpu__array_print(const agpu__array *array, agpu__text *out) {
  agpu__array_print_type(array, out);
  agpu__text_puts(out, "=");
  (void)print_dimension(array, 0, array->data,
                        agpu__array_count(array) <= PRINTED_WHOLE, out);
}
