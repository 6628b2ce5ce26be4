//===- path.c - Where a trace or a profile goes to ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A path that is not absolute is one of the folder that the program begins in,
// wherever it goes. The child of a fork works the path out anew. After a link
// is the file that is meant, and not the link.
//
//===----------------------------------------------------------------------===//

#include "base/trace/session.h"

#include "base/trace/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; // as many as Linux follows

bool agpu__trace_path_set(agpu__trace_path *self, const char *pattern) {
  if (strlen(pattern) >= sizeof self->pattern)
    return false;
  strcpy(self->pattern, pattern);
  self->folder[0] = '\0';
  if (pattern[0] != '/' && getcwd(self->folder, sizeof self->folder - 1))
    strcat(self->folder, "/");
  return true;
}

static bool expand(agpu__trace_path *self, int process) {
  size_t used = strlen(self->folder);
  memcpy(self->path, self->folder, used);
  self->has_number = false;
  for (const char *c = self->pattern; *c; ++c) {
    char text[16] = {*c};
    if (c[0] == '%' && c[1] == 'p') {
      (void)snprintf(text, sizeof text, "%d", process);
      self->has_number = true;
      ++c;
    } else if (c[0] == '%' && c[1] == '%') {
      ++c;
    }
    size_t size = strlen(text);
    if (used + size >= sizeof self->path) {
      errno = ENAMETOOLONG;
      return false;
    }
    memcpy(self->path + used, text, size);
    used += size;
  }
  self->path[used] = '\0';
  return true;
}

/// Replaces a path that is a link by where that leads, be there a file or not.
/// What is no regular file is opened by its own name: the link of a pipe, as
/// /dev/stdout is one, leads to no name.
static bool follow_links(agpu__trace_path *self) {
  for (int i = 0; i < MAX_LINKS; ++i) {
    if (agpu__trace_output_is_special(self->path))
      return true;
    char target[sizeof self->pattern];
    ssize_t size = readlink(self->path, target, sizeof target);
    if (size < 0)
      return true; // no link, or nothing: opening it says what is wrong
    char *slash = strrchr(self->path, '/');
    size_t before =
        target[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - self->path);
    if ((size_t)size == sizeof target ||
        before + (size_t)size >= sizeof self->path) {
      errno = ENAMETOOLONG;
      return false;
    }
    memcpy(self->path + before, target, (size_t)size);
    self->path[before + (size_t)size] = '\0';
  }
  errno = ELOOP;
  return false;
}

bool agpu__trace_path_expand(agpu__trace_path *self, int process) {
  if (expand(self, process) && follow_links(self) &&
      agpu__trace_output_check(self->path))
    return true;
  self->path[0] = '\0';
  return false;
}

bool agpu__trace_path_ends_in(const agpu__trace_path *self,
                              const char *ending) {
  size_t length = strlen(self->path), size = strlen(ending);
  return length > size && strcmp(self->path + length - size, ending) == 0;
}
