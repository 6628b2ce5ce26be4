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

void agpu__trace_output_open(agpu__trace_output *to, const char *path,
                             int file) {
  to->used = 0;
  to->error = 0;
  to->temporary[0] = '\0';
  if (path)
    to->file = make_names(to, path) ? open_names(to) : -1;
  else
    to->file = dup(file);
  if (to->file < 0)
    to->error = errno;
}

static void flush(agpu__trace_output *to) {
  const char *from = to->bytes;
  while (to->used > 0 && !to->error) {
    ssize_t written = write(to->file, from, to->used);
    if (written < 0) {
      if (errno != EINTR)
        to->error = errno;
      continue;
    }
    from += written;
    to->used -= (size_t)written;
  }
  to->used = 0;
}

void agpu__trace_put_bytes(agpu__trace_output *to, const void *data,
                           size_t size) {
  const char *from = data;
  while (size > sizeof(to->bytes) - to->used) {
    size_t room = sizeof(to->bytes) - to->used;
    memcpy(to->bytes + to->used, from, room);
    to->used += room;
    from += room;
    size -= room;
    flush(to);
  }
  if (size > 0)
    memcpy(to->bytes + to->used, from, size);
  to->used += size;
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
