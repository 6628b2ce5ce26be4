//===- path.c - Where a trace or a profile goes to ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A path that is not absolute is one of the folder that the program begins in,
// wherever it goes. The child of a fork works the path out anew.
//
//===----------------------------------------------------------------------===//

#include "base/trace/path.h"

#include "base/trace/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool agpu__trace_path_set(agpu__trace_path *self, const char *pattern) {
  if (strlen(pattern) >= sizeof self->pattern)
    return false;
  strcpy(self->pattern, pattern);
  self->folder[0] = '\0';
  if (pattern[0] != '/' && getcwd(self->folder, sizeof self->folder - 1))
    strcat(self->folder, "/");
  return true;
}

static bool expand(agpu__trace_path *self) {
  size_t used = strlen(self->folder);
  memcpy(self->path, self->folder, used);
  self->has_number = false;
  for (const char *c = self->pattern; *c; ++c) {
    char text[16] = {*c};
    if (c[0] == '%' && c[1] == 'p') {
      (void)snprintf(text, sizeof text, "%d", (int)getpid());
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

bool agpu__trace_path_expand(agpu__trace_path *self) {
  if (expand(self) && agpu__trace_output_check(self->path))
    return true;
  self->path[0] = '\0';
  return false;
}
