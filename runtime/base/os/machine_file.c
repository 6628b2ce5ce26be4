//===- machine_file.c - Files that describe the machine -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of /proc and /sys are read whole, into the caller's memory, as what
// they are: one integer, a list of ranges, or text. One that is missing or
// malformed is no error: the machine tells nothing then.
//
//===----------------------------------------------------------------------===//

#include "base/os/machine_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((format(printf, 4, 0))) static bool
read_path(const char *root, char *text, size_t size, const char *format,
          va_list arguments) {
  char path[PATH_MAX];
  text[0] = '\0';
  int before = snprintf(path, sizeof(path), "%s", root);
  if (before < 0 || (size_t)before >= sizeof(path))
    return false;
  size_t left = sizeof(path) - (size_t)before;
  int length = vsnprintf(path + before, left, format, arguments);
  if (length < 0 || (size_t)length >= left)
    return false;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  size_t used = 0;
  while (used < size - 1) {
    ssize_t got = read(file, text + used, size - 1 - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    used += (size_t)got;
  }
  (void)close(file);
  text[used] = '\0';
  return true;
}

bool agpu__machine_read(const char *root, char *text, size_t size,
                        const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bool ok = read_path(root, text, size, format, arguments);
  va_end(arguments);
  return ok;
}

bool agpu__machine_read_integer(const char *root, int64_t *out_value,
                                const char *format, ...) {
  char text[32];
  va_list arguments;
  va_start(arguments, format);
  bool ok = read_path(root, text, sizeof(text), format, arguments);
  va_end(arguments);
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (!ok || end == text || errno == ERANGE)
    return false;
  *out_value = value;
  return true;
}

static bool take_number(const char **text, int *out_value) {
  if (**text < '0' || **text > '9')
    return false;
  char *end = NULL;
  long value = strtol(*text, &end, 10);
  if (value > INT_MAX - 1)
    return false;
  *text = end;
  *out_value = (int)value;
  return true;
}

bool agpu__machine_next_range(const char **text, int *out_first,
                              int *out_last) {
  if (**text == ',')
    ++*text;
  if (!take_number(text, out_first))
    return false;
  *out_last = *out_first;
  if (**text != '-')
    return true;
  ++*text;
  return take_number(text, out_last) && *out_last >= *out_first;
}
