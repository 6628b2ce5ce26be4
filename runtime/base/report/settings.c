//===- settings.c - All settings, in one table --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of settings.h as rows of one type, which all functions go by: a
// reader asks for a setting of the kind that it is. The check when the runtime
// is loaded runs before any constructor of the program that needs a setting.
//
//===----------------------------------------------------------------------===//

#include "base/report/settings.h"

#include "base/os/write.h"
#include "base/report/assert.h"
#include "base/report/env.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char prefix[] = "ASYNC_GPU_";

typedef enum setting_kind { INTEGER, WORD, WORDS, TEXT } setting_kind;

typedef struct setting_row {
  const char *name, *meaning;
  setting_kind kind;
  int64_t least, most, fallback; ///< of an INTEGER
  const char *const *words;      ///< of WORD and WORDS
  int word_count;
  const char *allowed; ///< of TEXT
} setting_row;

#define NO_WORDS(...)
#define KEEP_WORDS(name, meaning, ...)                                         \
  static const char *const words_of_##name[] = {__VA_ARGS__};
AGPU__SETTINGS(NO_WORDS, KEEP_WORDS, KEEP_WORDS, NO_WORDS, NO_WORDS)

#define COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))

static const setting_row rows[AGPU__SETTING_COUNT] = {
#define INTEGER_ENTRY(id, from, to, otherwise, what)                           \
  {.name = "ASYNC_GPU_" #id,                                                   \
   .meaning = what,                                                            \
   .kind = INTEGER,                                                            \
   .least = from,                                                              \
   .most = to,                                                                 \
   .fallback = otherwise},
#define WORD_ENTRY(id, what, ...)                                              \
  {.name = "ASYNC_GPU_" #id,                                                   \
   .meaning = what,                                                            \
   .kind = WORD,                                                               \
   .words = words_of_##id,                                                     \
   .word_count = COUNT(words_of_##id)},
#define WORDS_ENTRY(id, what, ...)                                             \
  {.name = "ASYNC_GPU_" #id,                                                   \
   .meaning = what,                                                            \
   .kind = WORDS,                                                              \
   .words = words_of_##id,                                                     \
   .word_count = COUNT(words_of_##id)},
#define TEXT_ENTRY(id, form, what)                                             \
  {.name = "ASYNC_GPU_" #id, .meaning = what, .kind = TEXT, .allowed = form},
    AGPU__SETTINGS(INTEGER_ENTRY, WORD_ENTRY, WORDS_ENTRY, TEXT_ENTRY,
                   TEXT_ENTRY)};

static const setting_row *get(agpu__setting setting, setting_kind kind) {
  AGPU__ASSERT(setting < AGPU__SETTING_COUNT && rows[setting].kind == kind);
  return &rows[setting];
}

const char *agpu__setting_name(agpu__setting setting) {
  return rows[setting].name;
}

const char *agpu__setting_meaning(agpu__setting setting) {
  return rows[setting].meaning;
}

const char *agpu__setting_text(agpu__setting setting) {
  return agpu__env_get(rows[setting].name);
}

agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  const setting_row *self = get(setting, INTEGER);
  return agpu__env_get_integer(self->name, self->least, self->most,
                               self->fallback, out_value);
}

agpu_status agpu__setting_word(agpu__setting setting, int *out_index) {
  const setting_row *self = get(setting, WORD);
  return agpu__env_get_choice(self->name, self->words, self->word_count, 0,
                              out_index);
}

agpu_status agpu__setting_words(agpu__setting setting, uint32_t *out_mask) {
  const setting_row *self = get(setting, WORDS);
  return agpu__env_get_set(self->name, self->words, self->word_count, out_mask);
}

const char *agpu__setting_word_at(agpu__setting setting, int index) {
  AGPU__ASSERT(index >= 0 && index < rows[setting].word_count);
  return rows[setting].words[index];
}

const char *agpu__setting_allowed(agpu__setting setting, char *buffer,
                                  size_t size) {
  const setting_row *self = &rows[setting];
  size_t used = 0;
  int length = 0;
  switch (self->kind) {
  case INTEGER:
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
                        self->words[i],
                        i == 0 && self->kind == WORD ? " (default)" : "");
      used += (size_t)length;
    }
    break;
  case TEXT: (void)snprintf(buffer, size, "%s", self->allowed); break;
  }
  return buffer;
}

agpu_status agpu__setting_check(agpu__setting setting) {
  int64_t integer;
  int index;
  uint32_t mask;
  switch (rows[setting].kind) {
  case INTEGER: return agpu__setting_integer(setting, &integer);
  case WORD: return agpu__setting_word(setting, &index);
  case WORDS: return agpu__setting_words(setting, &mask);
  case TEXT: break;
  }
  return AGPU_OK;
}

agpu_status agpu__setting_check_name(const char *entry) {
  size_t before = sizeof prefix - 1, length = strcspn(entry, "=");
  if (strncmp(entry, prefix, before) != 0 || entry[length] == '\0' ||
      entry[length + 1] == '\0')
    return AGPU_OK;
  const char *names[AGPU__SETTING_COUNT]; // what stands behind the prefix
  for (int i = 0; i < AGPU__SETTING_COUNT; ++i) {
    names[i] = rows[i].name + before;
    if (strlen(rows[i].name) == length &&
        memcmp(rows[i].name, entry, length) == 0)
      return AGPU_OK;
  }
  const char *near = agpu__env_find_near(names, AGPU__SETTING_COUNT,
                                         entry + before, length - before);
  if (near)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%.*s is not a setting; did you mean %s%s?",
                              (int)length, entry, prefix, near);
  return agpu_status_create(
      AGPU_STATUS_INVALID_ARGUMENT, NULL,
      "%.*s is not a setting (async-gpu-info --settings lists them)",
      (int)length, entry);
}

//===----------------------------------------------------------------------===//
// When the runtime is loaded
//===----------------------------------------------------------------------===//

/// Writes the message of `status`, which is consumed. True if it is an error.
static bool report(agpu_status status) {
  if (!status)
    return false;
  char line[1024];
  int length = snprintf(line, sizeof line, "error: %s\n",
                        agpu_status_get_message(status));
  agpu_status_release(status);
  if (length < 0)
    return true;
  if ((size_t)length >= sizeof line) {
    length = sizeof line - 1;
    line[length - 1] = '\n';
  }
  agpu__write_stderr(line, (size_t)length);
  return true;
}

static bool is_shown_by_program(void) {
  return &agpu__settings_shown_by_program != NULL;
}

/// What a program has written that loads the runtime late is not lost. Its
/// handlers do not run: they may need what is not there yet.
static _Noreturn void end(void) {
  (void)fflush(NULL);
  _exit(EXIT_FAILURE);
}

void agpu__setting_refuse(agpu_status status) {
  if (is_shown_by_program())
    agpu_status_release(status);
  else if (report(status))
    end();
}

static void __attribute__((constructor)) check_all(void) {
  if (is_shown_by_program())
    return;
  bool is_wrong = false;
  for (int i = 0; i < AGPU__SETTING_COUNT; ++i)
    is_wrong |= report(agpu__setting_check((agpu__setting)i));
  for (char **entry = environ; entry && *entry; ++entry)
    is_wrong |= report(agpu__setting_check_name(*entry));
  if (is_wrong)
    end();
}
