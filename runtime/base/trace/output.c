//===- output.c - The file that a trace goes to ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffered by hand, with system calls alone. A regular file is written under
// another name in the same folder, and renamed; what is no regular file, such
// as a pipe, gets the text as it comes. After the first failure nothing more is
// written. The other name is drawn and belongs to nothing yet, not even to a
// link: others may write to the folder, too.
//
//===----------------------------------------------------------------------===//

#include "base/trace/output.h"

#include "base/trace/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DRAWN = 12 }; // characters of a temporary name that are drawn

bool agpu__trace_output_is_special(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static bool make_names(agpu__trace_output *to, const char *path) {
  if (strlen(path) >= sizeof(to->path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  strcpy(to->path, path);
  strcpy(to->temporary, "");
  if (agpu__trace_output_is_special(path))
    return true;
  unsigned char drawn[DRAWN] = {0};
  // Should there be no random numbers, the name is free all the same.
  (void)!getrandom(drawn, sizeof(drawn), GRND_NONBLOCK);
  strcpy(to->temporary, path);
  strcat(to->temporary, ".");
  char *at = to->temporary + strlen(to->temporary);
  for (int i = 0; i < DRAWN; ++i)
    *at++ = "0123456789abcdefghijklmnopqrstuv"[drawn[i] % 32];
  strcpy(at, ".tmp");
  return true;
}

static int open_names(const agpu__trace_output *to) {
  if (!to->temporary[0])
    return open(to->path, O_WRONLY | O_CLOEXEC);
  return open(to->temporary,
              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool agpu__trace_output_check(const char *path) {
  struct stat about;
  if (stat(path, &about) == 0) {
    if (S_ISDIR(about.st_mode)) {
      errno = EISDIR;
      return false;
    }
    if (!S_ISREG(about.st_mode))
      return access(path, W_OK) == 0;
  }
  agpu__trace_output *to = agpu__trace_map(sizeof(*to));
  if (!to)
    return false;
  int file = make_names(to, path) ? open_names(to) : -1;
  int error = errno;
  if (file >= 0) {
    (void)close(file);
    (void)unlink(to->temporary);
  }
  agpu__trace_unmap(to, sizeof(*to));
  errno = error;
  return file >= 0;
}

void agpu__trace_output_open(agpu__trace_output *to, const char *path) {
  to->used = 0;
  to->error = 0;
  to->file = -1;
  to->temporary[0] = '\0';
  if (!path)
    to->file = dup(STDERR_FILENO);
  if (to->file < 0 && !path)
    to->error = errno;
  if (!path)
    return;
  if (!make_names(to, path) || (to->file = open_names(to)) < 0)
    to->error = errno;
}

static void flush(agpu__trace_output *to) {
  const char *text = to->text;
  while (to->used > 0 && !to->error) {
    ssize_t written = write(to->file, text, to->used);
    if (written < 0) {
      if (errno != EINTR)
        to->error = errno;
      continue;
    }
    text += written;
    to->used -= (size_t)written;
  }
  to->used = 0;
}

static void put(agpu__trace_output *to, const char *text, size_t size) {
  if (size > sizeof(to->text) - to->used)
    flush(to);
  while (size > sizeof(to->text)) {
    memcpy(to->text, text, sizeof(to->text));
    to->used = sizeof(to->text);
    flush(to);
    text += sizeof(to->text);
    size -= sizeof(to->text);
  }
  memcpy(to->text + to->used, text, size);
  to->used += size;
}

void agpu__trace_put(agpu__trace_output *to, const char *text) {
  put(to, text, strlen(text));
}

/// Bytes of the character of UTF-8 that begins at `text`; 0 where there is
/// none.
static size_t character(const unsigned char *text) {
  if (text[0] < 0x80)
    return 1;
  size_t size = text[0] >= 0xf0   ? 4
                : text[0] >= 0xe0 ? 3
                : text[0] >= 0xc2 ? 2
                                  : 0;
  if (text[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < size; ++i)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  // No form that is longer than it needs to be, no surrogate, nothing beyond.
  if ((text[0] == 0xe0 && text[1] < 0xa0) ||
      (text[0] == 0xed && text[1] > 0x9f) ||
      (text[0] == 0xf0 && text[1] < 0x90) ||
      (text[0] == 0xf4 && text[1] > 0x8f))
    return 0;
  return size;
}

void agpu__trace_put_string(agpu__trace_output *to, const char *text) {
  put(to, "\"", 1);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    static const char hex[] = "0123456789abcdef";
    size_t size = character(at);
    if (size == 0) {
      put(to, "\\ufffd", 6);
      ++at;
      continue;
    }
    if (*at == '"' || *at == '\\') {
      put(to, "\\", 1);
      put(to, (const char *)at, 1);
    } else if (*at < 0x20) {
      char escape[] = {'\\', 'u', '0', '0', hex[*at >> 4], hex[*at & 15]};
      put(to, escape, sizeof(escape));
    } else {
      put(to, (const char *)at, size);
    }
    at += size;
  }
  put(to, "\"", 1);
}

void agpu__trace_put_number(agpu__trace_output *to, uint64_t number) {
  char digits[24];
  size_t at = sizeof(digits);
  do
    digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  put(to, &digits[at], sizeof(digits) - at);
}

void agpu__trace_put_signed(agpu__trace_output *to, int64_t number) {
  if (number < 0)
    put(to, "-", 1);
  agpu__trace_put_number(to, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void agpu__trace_put_hex(agpu__trace_output *to, uint64_t number) {
  char text[24] = "\"0x";
  size_t used = 3;
  int digits = 1;
  while (digits < 16 && number >> (4 * digits))
    ++digits;
  while (digits-- > 0)
    text[used++] = "0123456789abcdef"[(number >> (4 * digits)) & 15];
  text[used++] = '"';
  put(to, text, used);
}

void agpu__trace_put_time(agpu__trace_output *to, int64_t ns) {
  uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
  if (ns < 0)
    put(to, "-", 1);
  agpu__trace_put_number(to, size / 1000);
  unsigned rest = (unsigned)(size % 1000);
  char text[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                 (char)('0' + rest % 10)};
  if (rest)
    put(to, text, sizeof(text));
}

int agpu__trace_output_close(agpu__trace_output *to) {
  if (to->file < 0)
    return to->error;
  flush(to);
  if (close(to->file) != 0 && !to->error)
    to->error = errno;
  if (to->temporary[0] && !to->error && rename(to->temporary, to->path) != 0)
    to->error = errno;
  if (to->temporary[0] && to->error)
    (void)unlink(to->temporary);
  return to->error;
}
