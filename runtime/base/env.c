//===- env.c - Settings from the environment ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/env.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *agpu__env_get(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

agpu_status agpu__env_get_integer(const char *name, int64_t minimum,
                                  int64_t maximum, int64_t fallback,
                                  int64_t *out_value) {
  *out_value = fallback;
  const char *text = agpu__env_get(name);
  if (!text)
    return AGPU_OK;

  errno = 0;
  char *end = NULL;
  long long value = strtoll(text, &end, 10);
  // strtoll skips leading spaces; a setting has none.
  bool well_formed =
      end != text && *end == '\0' && !isspace((unsigned char)text[0]);
  if (!well_formed || errno == ERANGE || value < minimum || value > maximum)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%s is \"%s\"; expected an integer from %" PRId64
                              " to %" PRId64,
                              name, text, minimum, maximum);
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

/// "a, b or c" in `buffer`; a list that does not fit ends early.
static const char *list_choices(const char *const *choices, int count,
                                char *buffer, size_t size) {
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
  return buffer;
}

agpu_status agpu__env_get_choice(const char *name, const char *const *choices,
                                 int count, int fallback, int *out_index) {
  *out_index = fallback;
  const char *text = agpu__env_get(name);
  if (!text)
    return AGPU_OK;
  int index = find_choice(choices, count, text, strlen(text));
  if (index < 0) {
    char list[256];
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%s is \"%s\"; expected %s", name, text,
                              list_choices(choices, count, list, sizeof(list)));
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
      char list[256];
      status = agpu_status_create(
          AGPU_STATUS_INVALID_ARGUMENT, NULL,
          "%s is \"%s\"; expected a comma-separated list of %s", name, text,
          list_choices(choices, count, list, sizeof(list)));
    }
    if (word[length] == '\0')
      return status;
    word += length + 1;
  }
}
