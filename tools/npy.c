//===- npy.c - NumPy's files ----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The .npy format, as numpy.lib.format documents it: a magic word, a version,
// the length of a header, the header, which is a dictionary in Python's syntax,
// and the elements. All that the file says of itself is checked before it is
// believed.
//
//===----------------------------------------------------------------------===//

#include "npy.h"

#include "lower/pass/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, ALIGNMENT = 64 };

typedef struct header {
  char type[16]; ///< "<f4"
  bool fortran;  ///< the first index varies fastest
} header;

static bool fail(const char *path, const char *why, agpu__text *error) {
  agpu__text_printf(error, "'%s' %s", path, why);
  return false;
}

/// What stands behind "'key':" in the header; NULL where it has no such key.
static const char *find_key(const char *text, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof(quoted), "'%s'", key);
  const char *found = strstr(text, quoted);
  if (!found)
    return NULL;
  found += strlen(quoted);
  found += strspn(found, " ");
  if (*found++ != ':')
    return NULL;
  return found + strspn(found, " ");
}

static bool parse_shape(const char *text, agpu__array *out) {
  if (*text++ != '(')
    return false;
  for (;;) {
    text += strspn(text, " ,");
    if (*text == ')')
      return true;
    char *end;
    if (!isdigit((unsigned char)*text) || out->rank == AGPU_ARRAY_RANK)
      return false;
    out->sizes[out->rank++] = strtoll(text, &end, 10);
    text = end + (*end == 'L'); // of Python 2
  }
}

static bool parse_header(const char *path, const char *text, header *out,
                         agpu__array *array, agpu__text *error) {
  const char *type = find_key(text, "descr");
  const char *order = find_key(text, "fortran_order");
  const char *shape = find_key(text, "shape");
  if (!type || !order || !shape || !parse_shape(shape, array))
    return fail(path, "is no .npy file: its header is malformed", error);
  out->fortran = !strncmp(order, "True", 4);
  size_t size = *type == '\'' ? strcspn(type + 1, "'") : 0;
  if (!size || size >= sizeof(out->type))
    return fail(path, "holds records, and not an array of numbers", error);
  memcpy(out->type, type + 1, size);
  out->type[size] = '\0';
  array->element = agpu__element_of_npy(out->type);
  if (array->element)
    return true;
  agpu__text_printf(error, "'%s' holds elements of NumPy's type %s%s", path,
                    out->type,
                    out->type[0] == '>' ? ", which is big endian: save it with "
                                          "astype(dtype.newbyteorder('='))"
                                        : ", which no argument can have");
  return false;
}

/// From an order where the first index varies fastest.
static void copy_transposed(const agpu__array *to, const char *from) {
  size_t bytes = (size_t)to->element->bytes;
  int64_t count = agpu__array_count(to);
  int64_t index[AGPU_ARRAY_RANK] = {0}, strides[AGPU_ARRAY_RANK];
  int64_t stride = 1;
  for (int64_t i = 0; i < to->rank; stride *= to->sizes[i++])
    strides[i] = stride;
  char *out = to->data;
  for (int64_t i = 0, at = 0; i < count; ++i, out += bytes) {
    memcpy(out, from + (size_t)at * bytes, bytes);
    for (int64_t k = to->rank - 1; k >= 0; --k) {
      at += strides[k];
      if (++index[k] < to->sizes[k])
        break;
      at -= strides[k] * to->sizes[k];
      index[k] = 0;
    }
  }
}

static bool parse(const char *path, const char *data, size_t size,
                  agpu__array *array, agpu__text *error) {
  if (size < MAGIC_SIZE + 4 || memcmp(data, magic, MAGIC_SIZE) != 0)
    return fail(path, "is no .npy file", error);
  const unsigned char *bytes = (const unsigned char *)data;
  unsigned version = bytes[MAGIC_SIZE];
  if (version < 1 || version > 3)
    return fail(path, "is a .npy file of a version that is not known", error);
  size_t front = MAGIC_SIZE + (version == 1 ? 4 : 6);
  size_t length = bytes[8] | (size_t)bytes[9] << 8;
  if (version > 1 && size >= front)
    length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (size < front || size - front < length)
    return fail(path, "ends in the middle of its header", error);
  agpu__text text = {0};
  agpu__text_append(&text, data + front, length);
  header described = {{0}, false};
  bool ok = parse_header(path, agpu__text_get(&text), &described, array, error);
  agpu__text_free(&text);
  if (!ok || !agpu__array_allocate(array, error))
    return false;
  size_t wanted = agpu__array_bytes(array), had = size - front - length;
  if (had != wanted) {
    agpu__text_printf(error, "'%s' has %zu bytes of elements, and ", path, had);
    agpu__array_print_type(array, error);
    agpu__text_printf(error, " has %zu", wanted);
    return false;
  }
  if (described.fortran && array->rank > 1)
    copy_transposed(array, data + front + length);
  else if (wanted)
    memcpy(array->data, data + front + length, wanted);
  return true;
}

bool agpu__npy_read(const char *path, agpu__array *out_array,
                    agpu__text *error) {
  agpu__text contents = {0};
  bool ok =
      agpu__source_read(path, &contents, error) &&
      parse(path, agpu__text_get(&contents), contents.size, out_array, error);
  agpu__text_free(&contents);
  return ok;
}

void agpu__npy_print(const agpu__array *array, agpu__text *out) {
  agpu__text text = {0};
  agpu__text_printf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                    array->element->npy);
  for (int64_t i = 0; i < array->rank; ++i)
    agpu__text_printf(&text, "%" PRId64 "%s", array->sizes[i],
                      array->rank == 1      ? ","
                      : i + 1 < array->rank ? ", "
                                            : "");
  agpu__text_puts(&text, "), }");
  // The elements begin where any of them is aligned.
  size_t front = MAGIC_SIZE + 4;
  while ((front + text.size + 1) % ALIGNMENT)
    agpu__text_puts(&text, " ");
  agpu__text_puts(&text, "\n");
  char start[MAGIC_SIZE + 4];
  memcpy(start, magic, MAGIC_SIZE);
  start[MAGIC_SIZE] = 1;
  start[MAGIC_SIZE + 1] = 0;
  start[MAGIC_SIZE + 2] = (char)(text.size & 0xff);
  start[MAGIC_SIZE + 3] = (char)(text.size >> 8);
  agpu__text_append(out, start, sizeof(start));
  agpu__text_append(out, text.data, text.size);
  agpu__text_append(out, array->data, agpu__array_bytes(array));
  agpu__text_free(&text);
}
