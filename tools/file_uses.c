//===- file_uses.c - Which files a tool reads and writes ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is known by its device and inode, so that links and other spellings of
// its name do not hide it. One that does not exist yet is known by its folder
// and its name.
//
//===----------------------------------------------------------------------===//

#include "file_uses.h"

#include "command_line.h"

#include "lower/ir/ops.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add(agpu__file_uses *self, const char *option, const char *path,
                bool is_output) {
  if (!path)
    return;
  agpu__file_use *data = realloc(self->data, (self->count + 1) * sizeof(*data));
  char *copy = strdup(path);
  if (!data || !copy)
    agpu__out_of_memory();
  self->data = data;
  data[self->count++] = (agpu__file_use){option, copy, is_output};
}

void agpu__file_uses_read(agpu__file_uses *self, const char *option,
                          const char *path) {
  add(self, option, path, false);
}

void agpu__file_uses_write(agpu__file_uses *self, const char *option,
                           const char *path) {
  add(self, option, path, true);
}

typedef struct identity {
  bool is_known, exists;
  dev_t device;
  ino_t inode;      ///< of the file, or of its folder
  const char *name; ///< in that folder
} identity;

static identity find_identity(const agpu__file_use *use) {
  struct stat about;
  bool is_standard = strcmp(use->path, "-") == 0;
  int standard = use->is_output ? STDOUT_FILENO : STDIN_FILENO;
  int failure = is_standard ? fstat(standard, &about) : stat(use->path, &about);
  identity found = {.exists = failure == 0};
  if (failure == 0) {
    found.is_known = S_ISREG(about.st_mode);
  } else if (!is_standard) {
    const char *slash = strrchr(use->path, '/');
    char *folder = slash ? strndup(use->path, (size_t)(slash - use->path) + 1)
                         : strdup(".");
    if (!folder)
      agpu__out_of_memory();
    found.is_known = stat(folder, &about) == 0;
    found.name = slash ? slash + 1 : use->path;
    free(folder);
  }
  found.device = about.st_dev;
  found.inode = about.st_ino;
  return found;
}

static bool is_same_file(const agpu__file_use *a, const agpu__file_use *b) {
  identity of_a = find_identity(a), of_b = find_identity(b);
  return of_a.is_known && of_b.is_known && of_a.exists == of_b.exists &&
         of_a.device == of_b.device && of_a.inode == of_b.inode &&
         (of_a.exists || strcmp(of_a.name, of_b.name) == 0);
}

/// As it is called in messages.
static const char *name_of(const agpu__file_use *use) {
  if (strcmp(use->path, "-") != 0)
    return use->path;
  return use->is_output ? "<stdout>" : "<stdin>";
}

static void report_same(const char *tool, const agpu__file_use *output,
                        const agpu__file_use *other) {
  agpu__tool_error(tool,
                   "%s: '%s' is the same file as %s%s'%s', which would "
                   "be lost; name another one",
                   output->option, name_of(output),
                   *other->option ? other->option : "the input",
                   *other->option ? ": " : " ", name_of(other));
}

bool agpu__file_uses_check(const agpu__file_uses *self, const char *tool) {
  for (size_t i = 0; i < self->count; ++i)
    for (size_t j = 0; self->data[i].is_output && j < self->count; ++j) {
      const agpu__file_use *output = &self->data[i], *other = &self->data[j];
      if ((other->is_output && j >= i) || !is_same_file(output, other))
        continue;
      report_same(tool, output, other);
      return false;
    }
  return true;
}

void agpu__file_uses_free(agpu__file_uses *self) {
  for (size_t i = 0; i < self->count; ++i)
    free(self->data[i].path);
  free(self->data);
  *self = (agpu__file_uses){0};
}

bool agpu__output_name_check(const char *tool, const char *option,
                             const char *path, const char *ending,
                             const char *other) {
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    return true; // a pipe, a terminal; a folder is refused when it is opened
  const char *dot = strrchr(path, '.');
  if (dot && (strcmp(dot, ending) == 0 || (other && strcmp(dot, other) == 0)))
    return true;
  agpu__tool_error(tool,
                   "option '%s' is followed by the file that it writes, whose "
                   "name ends in %s%s%s: '%s' may be one that is needed; write "
                   "%s=FILE%s",
                   option, ending, other ? " or " : "", other ? other : "",
                   path, option, ending);
  return false;
}
