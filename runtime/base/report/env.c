//===- env.c - Settings from the environment ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values are taken as they stand or refused with what they may be. A word that
// is not known is compared with those that are by how many letters have to
// change.
//
//===----------------------------------------------------------------------===//

#include "base/report/env.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *agpu__env_get(const char *name) {
  const char *value = secure_getenv(name);
  return value && *value ? value : NULL;
}

/// What follows a number: the power of two that it stands for, or 0.
static int shift_of(const char *suffix) {
  static const char letters[] = "KMGT";
  const char *found = *suffix && !suffix[1]
                          ? strchr(letters, toupper((unsigned char)*suffix))
                          : NULL;
  return found && *found ? 10 * (int)(found - letters + 1) : 0;
}

agpu_status agpu__env_get_integer(const char *name, bool has_suffix,
                                  int64_t minimum, int64_t maximum,
                                  int64_t fallback, int64_t *out_value) {
  *out_value = fallback;
  const char *text = agpu__env_get(name);
  if (!text)
    return AGPU_OK;

  errno = 0;
  char *end = NULL;
  int64_t value = strtoll(text, &end, 10);
  int shift = has_suffix ? shift_of(end) : 0;
  // strtoll skips leading spaces; a setting has none.
  bool well_formed = end != text && (*end == '\0' || shift) &&
                     !isspace((unsigned char)text[0]);
  if (!well_formed || errno == ERANGE ||
      __builtin_mul_overflow(value, INT64_C(1) << shift, &value) ||
      value < minimum || value > maximum)
    return agpu_status_create(
        AGPU_STATUS_INVALID_ARGUMENT, NULL,
        "%s is \"%s\"; expected an integer from %" PRId64 " to %" PRId64 "%s",
        name, text, minimum, maximum,
        has_suffix ? ", which K, M, G or T may follow" : "");
  *out_value = value;
  return AGPU_OK;
}

static int find_choice(const char *const *choices, int count, const char *word,
                       size_t length) {
  for (int i = 0; i < count; ++i)
    if (strlen(choices[i]) == length && memcmp(choices[i], word, length) == 0)
      return i;
  return -1;
}

/// How many bytes have to be changed, put in or left out to make `word` of
/// `known`; where case alone differs, one. More than `limit` counts as one
/// more.
static size_t distance(const char *known, const char *word, size_t length,
                       size_t limit) {
  enum { LONGEST = 64 };
  size_t known_length = strlen(known);
  if (known_length >= LONGEST || length >= LONGEST)
    return limit + 1;
  if (known_length == length && strncasecmp(known, word, length) == 0)
    return 1;
  size_t row[LONGEST + 1]; // of the matrix of edits: prefixes of `known`
  for (size_t i = 0; i <= known_length; ++i)
    row[i] = i;
  for (size_t j = 1; j <= length; ++j) {
    size_t diagonal = row[0];
    row[0] = j;
    for (size_t i = 1; i <= known_length; ++i) {
      size_t best = diagonal + (known[i - 1] != word[j - 1]);
      diagonal = row[i];
      if (row[i] + 1 < best)
        best = row[i] + 1;
      if (row[i - 1] + 1 < best)
        best = row[i - 1] + 1;
      row[i] = best;
    }
  }
  return row[known_length];
}

const char *agpu__env_find_near(const char *const *words, int count,
                                const char *word, size_t length) {
  const char *nearest = NULL;
  size_t limit = (length + 2) / 3;
  for (int i = 0; i < count; ++i) {
    size_t found = distance(words[i], word, length, limit);
    if (found > limit || found == 0)
      continue;
    nearest = words[i];
    limit = found - 1; // the first one of the nearest
  }
  return nearest;
}

/// Appends what `word` may have been meant to be, if anything, to a message of
/// `size` bytes.
static void suggest(const char *const *choices, int count, const char *word,
                    size_t length, char *message, size_t size) {
  const char *near = agpu__env_find_near(choices, count, word, length);
  size_t used = strlen(message);
  if (near)
    (void)snprintf(message + used, size - used, "; did you mean \"%s\"?", near);
}

/// "a, b or c" in `buffer`; a list that does not fit ends early.
static void list_choices(const char *const *choices, int count, char *buffer,
                         size_t size) {
  buffer[0] = '\0';
  size_t used = 0;
  for (int i = 0; i < count; ++i) {
    const char *glue = i == 0 ? "" : i == count - 1 ? " or " : ", ";
    size_t needed = strlen(glue) + strlen(choices[i]);
    if (used + needed + 1 > size)
      break;
    strcpy(buffer + used, glue);
    strcat(buffer + used, choices[i]);
    used += needed;
  }
}

agpu_status agpu__env_get_choice(const char *name, const char *const *choices,
                                 int count, int fallback, int *out_index) {
  *out_index = fallback;
  const char *text = agpu__env_get(name);
  if (!text)
    return AGPU_OK;
  const char *word = strcmp(text, "1") == 0   ? "on"
                     : strcmp(text, "0") == 0 ? "off"
                                              : text;
  int index = find_choice(choices, count, word, strlen(word));
  if (index < 0) {
    char list[320];
    list_choices(choices, count, list, 256);
    suggest(choices, count, text, strlen(text), list, sizeof(list));
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%s is \"%s\"; expected %s", name, text, list);
  }
  *out_index = index;
  return AGPU_OK;
}

agpu_status agpu__env_get_set(const char *name, const char *const *choices,
                              int count, uint32_t *out_mask) {
  *out_mask = 0;
  const char *text = agpu__env_get(name);
  if (!text)
    return AGPU_OK;

  agpu_status status = AGPU_OK;
  for (const char *word = text;;) {
    size_t length = strcspn(word, ",");
    int index = find_choice(choices, count, word, length);
    if (index >= 0) {
      *out_mask |= UINT32_C(1) << index;
    } else if (!status) {
      char list[320];
      list_choices(choices, count, list, 256);
      suggest(choices, count, word, length, list, sizeof(list));
      status = agpu_status_create(
          AGPU_STATUS_INVALID_ARGUMENT, NULL,
          "%s is \"%s\"; expected a comma-separated list of %s", name, text,
          list);
    }
    if (word[length] == '\0')
      return status;
    word += length + 1;
  }
}
