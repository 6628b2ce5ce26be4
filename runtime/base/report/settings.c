//===- settings.c - All settings, in one table --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of settings.h as rows of one type, which all functions go by: a
// reader asks for a setting of the kind that it is. What is refused while the
// library is loaded is kept until something starts, or the process ends.
//
//===----------------------------------------------------------------------===//

#include "base/report/settings.h"

#include "async_gpu/runtime.h"
#include "base/os/write.h"
#include "base/report/assert.h"
#include "base/report/env.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char prefix[] = "ASYNC_GPU_";

typedef enum setting_kind { INTEGER, SIZE, WORD, WORDS, TEXT } setting_kind;

typedef struct setting_row {
  const char *name;
  setting_kind kind;
  int64_t least, most, fallback; ///< of an INTEGER or a SIZE
  const char *const *words;      ///< of WORD and WORDS
  int word_count;
} setting_row;

#define NO_WORDS(...)
#define KEEP_WORDS(name, meaning, ...)                                         \
  static const char *const words_of_##name[] = {__VA_ARGS__};
AGPU__SETTINGS(NO_WORDS, NO_WORDS, KEEP_WORDS, KEEP_WORDS, NO_WORDS, NO_WORDS)

#define COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))

static const setting_row rows[AGPU__SETTING_COUNT] = {
#define INTEGER_ENTRY(id, from, to, otherwise, what)                           \
  {"ASYNC_GPU_" #id, INTEGER, from, to, otherwise, NULL, 0},
#define SIZE_ENTRY(id, from, to, otherwise, what)                              \
  {"ASYNC_GPU_" #id, SIZE, from, to, otherwise, NULL, 0},
#define WORD_ENTRY(id, what, ...)                                              \
  {"ASYNC_GPU_" #id, WORD, 0, 0, 0, words_of_##id, COUNT(words_of_##id)},
#define WORDS_ENTRY(id, what, ...)                                             \
  {"ASYNC_GPU_" #id, WORDS, 0, 0, 0, words_of_##id, COUNT(words_of_##id)},
#define TEXT_ENTRY(id, form, what) {"ASYNC_GPU_" #id, TEXT, 0, 0, 0, NULL, 0},
    AGPU__SETTINGS(INTEGER_ENTRY, SIZE_ENTRY, WORD_ENTRY, WORDS_ENTRY,
                   TEXT_ENTRY, TEXT_ENTRY)};

static const setting_row *get(agpu__setting setting, setting_kind kind) {
  AGPU__ASSERT(setting < AGPU__SETTING_COUNT && rows[setting].kind == kind);
  return &rows[setting];
}

const char *agpu__setting_text(agpu__setting setting) {
  return agpu__env_get(rows[setting].name);
}

const char *agpu__setting_output(agpu__setting setting) {
  const char *file = agpu__setting_text(setting);
  return file && strcmp(file, "0") != 0 ? file : NULL;
}

agpu_status agpu__setting_integer(agpu__setting setting, int64_t *out_value) {
  const setting_row *self = &rows[setting];
  AGPU__ASSERT(self->kind == INTEGER || self->kind == SIZE);
  return agpu__env_get_integer(self->name, self->kind == SIZE, self->least,
                               self->most, self->fallback, out_value);
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

agpu_status agpu__setting_check(agpu__setting setting) {
  int64_t integer;
  int index;
  uint32_t mask;
  switch (rows[setting].kind) {
  case INTEGER:
  case SIZE: return agpu__setting_integer(setting, &integer);
  case WORD: return agpu__setting_word(setting, &index);
  case WORDS: return agpu__setting_words(setting, &mask);
  case TEXT: break;
  }
  return AGPU_OK;
}

agpu_status agpu__setting_check_name(const char *entry) {
  size_t before = sizeof prefix - 1, length = strcspn(entry, "=");
  if (strncmp(entry, prefix, before) != 0 || entry[length] == '\0' ||
      entry[length + 1] == '\0' ||
      strncmp(entry + before, "ROOT=", sizeof "ROOT=" - 1) == 0)
    return AGPU_OK;
  const char *names[AGPU__SETTING_COUNT]; // what stands after the prefix
  for (int i = 0; i < AGPU__SETTING_COUNT; ++i) {
    names[i] = rows[i].name + before;
    if (strlen(rows[i].name) == length &&
        memcmp(rows[i].name, entry, length) == 0)
      return AGPU_OK;
  }
  if (strncmp(entry + before, "PROFILE=", sizeof "PROFILE=" - 1) == 0)
    return agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "ASYNC_GPU_PROFILE is not a setting: async-gpu-report --profile reads "
        "what ASYNC_GPU_TRACE=FILE.trace writes");
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
// When the runtime starts
//===----------------------------------------------------------------------===//

static struct {
  atomic_bool has_warned;
  _Atomic(agpu_status) refused; ///< by the reader of a TEXT
} checked;

/// Names that are not known, once.
static void warn(void) {
  if (atomic_exchange(&checked.has_warned, true))
    return;
  for (char **entry = environ; entry && *entry; ++entry) {
    agpu_status unknown = agpu__setting_check_name(*entry);
    if (unknown)
      agpu__write_line(NULL, "warning", agpu_status_get_message(unknown));
    agpu_status_release(unknown);
  }
}

/// The messages of both, which are consumed, one to a line.
static agpu_status join(agpu_status all, agpu_status next) {
  if (!all || !next)
    return all ? all : next;
  agpu_status both = agpu_status_create(agpu_status_get_code(all), NULL,
                                        "%s\n%s", agpu_status_get_message(all),
                                        agpu_status_get_message(next));
  agpu_status_release(all);
  agpu_status_release(next);
  return both;
}

agpu_status agpu_runtime_check_settings(void) {
  warn();
  agpu_status all = AGPU_OK;
  for (int i = 0; i < AGPU__SETTING_COUNT; ++i)
    all = join(all, agpu__setting_check((agpu__setting)i));
  return join(all, atomic_exchange(&checked.refused, NULL));
}

/// Nothing has started that would have said it.
static void say_refused(int exit_status, void *unused) {
  (void)unused;
  agpu_status refused = atomic_exchange(&checked.refused, NULL);
  if (!refused)
    return;
  agpu__write_line(NULL, "error", agpu_status_get_message(refused));
  agpu_status_release(refused);
  // The other handlers still run, those of the program among them, and then the
  // process ends with this status: "We call everyone on the list and use the
  // status value in the last exit ()" (glibc, which alone has on_exit).
  if (!exit_status)
    exit(EXIT_FAILURE);
}

void agpu__setting_refuse(agpu_status status) {
  if (!status)
    return;
  agpu_status before = atomic_exchange(&checked.refused, NULL);
  if (!before)
    (void)on_exit(say_refused, NULL);
  atomic_store(&checked.refused, join(before, status));
}
