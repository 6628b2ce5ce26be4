//===- temporary.c - Files that a signal takes away -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/pass/temporary.h"
#include "output_file.h"

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256];

static int count_files(void) {
  int count = 0;
  DIR *entries = opendir(folder);
  CHECK(entries);
  for (struct dirent *entry; (entry = readdir(entries));)
    count += entry->d_name[0] != '.';
  closedir(entries);
  return count;
}

/// A tool that is ended while its output is half written.
static void be_interrupted(const char *path, int number) {
  agpu__temporary_remove_on_signals();
  int file;
  if (!agpu__temporary_beside(path, &file) || write(file, "half", 4) != 4 ||
      count_files() != 1)
    _exit(1);
  raise(number);
  _exit(2);
}

int main(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof(folder), "%s/temporary-XXXXXX", base ? base : "/tmp");
  CHECK(mkdtemp(folder));
  char path[300];
  snprintf(path, sizeof(path), "%s/out", folder);
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); ++i) {
    signal(numbers[i], SIG_DFL);
    pid_t child = fork();
    if (child == 0)
      be_interrupted(path, numbers[i]);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
    CHECK(count_files() == 0);
  }

  // Written whole, and nothing beside it.
  agpu__text error = {0};
  CHECK(agpu__output_write(path, "whole", 5, false, &error));
  CHECK(count_files() == 1);
  // What cannot be put in the place of a folder is no file either.
  int file;
  agpu__temporary *temporary = agpu__temporary_beside(path, &file);
  CHECK(temporary && close(file) == 0);
  CHECK(!agpu__temporary_become(temporary, folder));
  CHECK(count_files() == 2);
  agpu__temporary_destroy(temporary);
  CHECK(count_files() == 1);
  CHECK(unlink(path) == 0 && rmdir(folder) == 0);
  return 0;
}
