//===- output_file.c - Files written whole or not at all ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "output_file.h"

#include "lower/pass/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    data += written;
    size -= (size_t)written;
  }
  return true;
}

static bool report(const char *path, agpu__text *error) {
  agpu__text_printf(error, "cannot write output file '%s': %s", path,
                    strerror(errno));
  return false;
}

/// Into what is there already: a terminal, a pipe, a device.
static bool write_in_place(const char *path, const char *data, size_t size) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool ok = write_all(file, data, size);
  int reason = errno;
  ok = close(file) == 0 && ok;
  if (!ok && reason)
    errno = reason;
  return ok;
}

static bool write_and_rename(const char *path, mode_t mode, const char *data,
                             size_t size) {
  int file;
  agpu__temporary *temporary = agpu__temporary_beside(path, &file);
  if (!temporary)
    return false;
  bool ok = write_all(file, data, size) && fchmod(file, mode) == 0;
  int reason = errno;
  if (close(file) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (ok && !agpu__temporary_become(temporary, path)) {
    ok = false;
    reason = errno;
  }
  agpu__temporary_destroy(temporary);
  errno = reason;
  return ok;
}

/// Where a path that is a link leads, be there a file or not: renaming would
/// replace the link. The caller frees it; NULL with errno.
static char *follow_links(const char *path) {
  enum { MAX_LINKS = 40 }; // as many as Linux follows
  char target[PATH_MAX];
  char *at = agpu__format("%s", path);
  for (int i = 0; i < MAX_LINKS; ++i) {
    ssize_t size = readlink(at, target, sizeof(target));
    if (size < 0)
      return at;
    char *slash = target[0] == '/' ? NULL : strrchr(at, '/');
    char *next = agpu__format("%.*s%.*s", slash ? (int)(slash + 1 - at) : 0, at,
                              (int)size, target);
    free(at);
    at = next;
  }
  free(at);
  errno = ELOOP;
  return NULL;
}

bool agpu__output_write(const char *path, const char *data, size_t size,
                        bool executable, agpu__text *error) {
  if (strcmp(path, "-") == 0)
    return write_all(STDOUT_FILENO, data, size) || report("<stdout>", error);

  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return write_in_place(path, data, size) || report(path, error);

  mode_t mask = umask(0);
  umask(mask);
  mode_t mode = exists ? status.st_mode & 07777 : 0666 & ~mask;
  if (executable)
    mode |= (mode & 0444) >> 2;
  char *target = follow_links(path);
  bool ok = target && (!exists || access(path, W_OK) == 0) &&
            write_and_rename(target, mode, data, size);
  if (!ok)
    report(path, error);
  free(target);
  return ok;
}
