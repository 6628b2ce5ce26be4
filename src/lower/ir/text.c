//===- text.c - A growing string ------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A string that doubles its memory as it grows. Running out of memory ends the
// process, as it does in MLIR.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/text.h"

#include "lower/ir/ops.h"

#include <stdio.h>
#include <stdlib.h>

bool agpu__has_word(const char *words, MlirStringRef word) {
  size_t length = 0;
  for (const char *at = words; *at; at += length + strspn(at + length, " ")) {
    length = strcspn(at, " ");
    if (length == word.length && !memcmp(at, word.data, length))
      return true;
  }
  return false;
}

static void reserve(agpu__text *text, size_t more) {
  size_t needed = text->size + more + 1;
  if (needed <= text->capacity)
    return;
  size_t capacity = text->capacity ? text->capacity : 64;
  while (capacity < needed)
    capacity *= 2;
  char *data = realloc(text->data, capacity);
  if (!data)
    agpu__out_of_memory();
  text->data = data;
  text->capacity = capacity;
}

void agpu__text_append(agpu__text *text, const char *data, size_t size) {
  reserve(text, size);
  if (size)
    memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = '\0';
}

void agpu__text_puts(agpu__text *text, const char *string) {
  agpu__text_append(text, string, strlen(string));
}

void agpu__text_vprintf(agpu__text *text, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  // Most texts are short: what is measured is there already.
  reserve(text, 100);
  size_t room = text->capacity - text->size;
  int size = vsnprintf(text->data + text->size, room, format, args);
  if (size >= 0 && (size_t)size >= room) {
    reserve(text, (size_t)size);
    vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
  }
  if (size > 0)
    text->size += (size_t)size;
  text->data[text->size] = '\0';
  va_end(again);
}

void agpu__text_printf(agpu__text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  agpu__text_vprintf(text, format, args);
  va_end(args);
}

/// The size of the UTF-8 sequence at `data`; 0: there is none.
static size_t utf8_size(const unsigned char *data, size_t size) {
  static const struct {
    unsigned char mask, bits;
  } leads[] = {{0x80, 0}, {0xe0, 0xc0}, {0xf0, 0xe0}, {0xf8, 0xf0}};
  for (size_t i = 0; i < AGPU__COUNT(leads); ++i) {
    if ((data[0] & leads[i].mask) != leads[i].bits || i >= size)
      continue;
    for (size_t k = 1; k <= i; ++k)
      if ((data[k] & 0xc0) != 0x80)
        return 0;
    return i + 1;
  }
  return 0;
}

void agpu__text_json(agpu__text *text, const char *data, size_t size) {
  agpu__text_puts(text, "\"");
  while (size) {
    unsigned char byte = (unsigned char)*data;
    size_t next = utf8_size((const unsigned char *)data, size);
    if (!next)
      agpu__text_puts(text, "\\ufffd");
    else if (byte < 0x20)
      agpu__text_printf(text, "\\u%04x", byte);
    else if (byte == '"' || byte == '\\')
      agpu__text_printf(text, "\\%c", byte);
    else
      agpu__text_append(text, data, next);
    next += !next;
    data += next;
    size -= next;
  }
  agpu__text_puts(text, "\"");
}

char *agpu__format(const char *format, ...) {
  va_list args;
  va_start(args, format);
  agpu__text text = {0};
  agpu__text_vprintf(&text, format, args);
  va_end(args);
  return agpu__text_take(&text);
}

void agpu__text_callback(MlirStringRef chunk, void *text) {
  agpu__text_append(text, chunk.data, chunk.length);
}

const char *agpu__text_get(const agpu__text *text) {
  return text->data ? text->data : "";
}

char *agpu__text_take(agpu__text *text) {
  reserve(text, 0);
  text->data[text->size] = '\0';
  char *data = text->data;
  memset(text, 0, sizeof(*text));
  return data;
}

void agpu__text_free(agpu__text *text) {
  free(text->data);
  memset(text, 0, sizeof(*text));
}
