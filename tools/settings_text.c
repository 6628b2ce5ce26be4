//===- settings_text.c - What settings are, in words ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of settings.h as what it says of each to a reader.
//
//===----------------------------------------------------------------------===//

#include "settings_text.h"

#include <inttypes.h>
#include <stdio.h>

typedef enum setting_kind { INTEGER, SIZE, WORD, WORDS, TEXT } setting_kind;

typedef struct setting_row {
  const char *name, *meaning;
  setting_kind kind;
  int64_t least, most, fallback; ///< of an INTEGER or a SIZE
  int word_count;                ///< of WORD and WORDS
  const char *allowed;           ///< of TEXT
} setting_row;

#define COUNT(...)                                                             \
  ((int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

static const setting_row rows[AGPU__SETTING_COUNT] = {
#define INTEGER_ENTRY(id, from, to, otherwise, what)                           \
  {"ASYNC_GPU_" #id, what, INTEGER, from, to, otherwise, 0, NULL},
#define SIZE_ENTRY(id, from, to, otherwise, what)                              \
  {"ASYNC_GPU_" #id, what, SIZE, from, to, otherwise, 0, NULL},
#define WORD_ENTRY(id, what, ...)                                              \
  {"ASYNC_GPU_" #id, what, WORD, 0, 0, 0, COUNT(__VA_ARGS__), NULL},
#define WORDS_ENTRY(id, what, ...)                                             \
  {"ASYNC_GPU_" #id, what, WORDS, 0, 0, 0, COUNT(__VA_ARGS__), NULL},
#define TEXT_ENTRY(id, form, what)                                             \
  {"ASYNC_GPU_" #id, what, TEXT, 0, 0, 0, 0, form},
    AGPU__SETTINGS(INTEGER_ENTRY, SIZE_ENTRY, WORD_ENTRY, WORDS_ENTRY,
                   TEXT_ENTRY, TEXT_ENTRY)};

const char *agpu__setting_name(agpu__setting setting) {
  return rows[setting].name;
}

const char *agpu__setting_meaning(agpu__setting setting) {
  return rows[setting].meaning;
}

const char *agpu__setting_allowed(agpu__setting setting, char *buffer,
                                  size_t size) {
  const setting_row *self = &rows[setting];
  size_t used = 0;
  int length = 0;
  switch (self->kind) {
  case INTEGER:
  case SIZE:
    length = self->most == INT64_MAX
                 ? snprintf(buffer, size, "%" PRId64 " or more", self->least)
                 : snprintf(buffer, size, "%" PRId64 " to %" PRId64,
                            self->least, self->most);
    if (self->fallback != AGPU__SETTING_UNSET && length >= 0 &&
        (size_t)length < size)
      (void)snprintf(buffer + length, size - (size_t)length,
                     "; default %" PRId64, self->fallback);
    break;
  case WORD:
  case WORDS:
    buffer[0] = '\0';
    for (int i = 0; i < self->word_count && used < size; ++i) {
      length = snprintf(buffer + used, size - used, "%s%s%s",
                        i == 0               ? ""
                        : self->kind == WORD ? " | "
                                             : ",",
                        agpu__setting_word_at(setting, i),
                        i == 0 && self->kind == WORD ? " (default)" : "");
      used += (size_t)length;
    }
    break;
  case TEXT: (void)snprintf(buffer, size, "%s", self->allowed); break;
  }
  return buffer;
}
