//===- machine_snapshot.h - Files of real machines ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Linux says of a machine's CPUs in /sys/devices/system, in a page of
// text. $MACHINES is the folder of these; "#" begins a comment. Lines are
//
//   file PATH: TEXT            the contents of a file, below that folder
//   shared NAME ...: LIST ...  of files of CPUs, that list those which share
//                              something: of each CPU, the list that it is in
//   each NAME ... of LIST: TEXT   of the CPUs in the list: this text
//
// where "0-7/2" is short for the lists "0-1 2-3 4-5 6-7".
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_MACHINE_SNAPSHOT_H
#define ASYNC_GPU_TESTS_UNIT_MACHINE_SNAPSHOT_H

#include "machine.h"

#define MACHINE_SYSTEM "/sys/devices/system"

/// Writes the files `names`, separated by spaces, of all CPUs in `list`.
static inline void machine_write_cpus(const char *root, const char *names,
                                      const char *list, const char *text) {
  char copy[1024], *rest = NULL;
  snprintf(copy, sizeof(copy), "%s", names);
  for (char *name = strtok_r(copy, " ", &rest); name;
       name = strtok_r(NULL, " ", &rest))
    for (const char *at = list; *at;) {
      char *end = NULL;
      long first = strtol(at, &end, 10), last = first;
      CHECK(end != at);
      if (*end == '-')
        last = strtol(end + 1, &end, 10);
      for (long cpu = first; cpu <= last; ++cpu)
        machine_write(root, text, MACHINE_SYSTEM "/cpu/cpu%ld/%s", cpu, name);
      at = *end == ',' ? end + 1 : end;
    }
}

/// The same of each of the `lists`: its text is itself.
static inline void machine_write_shared(const char *root, const char *names,
                                        char *lists) {
  char *rest = NULL;
  for (char *list = strtok_r(lists, " ", &rest); list;
       list = strtok_r(NULL, " ", &rest)) {
    int first = 0, last = 0, step = 0;
    char text[128];
    if (sscanf(list, "%d-%d/%d", &first, &last, &step) < 3) {
      snprintf(text, sizeof(text), "%s\n", list);
      machine_write_cpus(root, names, list, text);
      continue;
    }
    CHECK(step > 0);
    for (int begin = first; begin <= last; begin += step) {
      char group[64];
      int length = snprintf(group, sizeof(group), "%d", begin);
      if (step > 1)
        snprintf(group + length, sizeof(group) - (size_t)length, "-%d",
                 begin + step - 1);
      snprintf(text, sizeof(text), "%s\n", group);
      machine_write_cpus(root, names, group, text);
    }
  }
}

static inline void machine_write_line(const char *root, char *line) {
  char *text = strstr(line, ": ");
  CHECK(text);
  *text = '\0';
  text += 2;
  char *names = strchr(line, ' ');
  CHECK(names);
  *names++ = '\0';
  char *of = strstr(names, " of ");
  if (strcmp(line, "shared") == 0) {
    text[strcspn(text, "\n")] = '\0';
    machine_write_shared(root, names, text);
  } else if (strcmp(line, "each") == 0) {
    CHECK(of);
    *of = '\0';
    machine_write_cpus(root, names, of + 4, text);
  } else {
    CHECK(strcmp(line, "file") == 0);
    machine_write(root, text, MACHINE_SYSTEM "/%s", names);
  }
}

/// Writes the files of the machine of that name.
static inline void machine_load(const char *root, const char *name) {
  char path[PATH_MAX], line[1024];
  const char *folder = getenv("MACHINES");
  CHECK(folder);
  snprintf(path, sizeof(path), "%s/%s.txt", folder, name);
  FILE *file = fopen(path, "r");
  CHECK(file);
  while (fgets(line, sizeof(line), file))
    if (line[0] != '#')
      machine_write_line(root, line);
  CHECK(fclose(file) == 0);
}

#endif // ASYNC_GPU_TESTS_UNIT_MACHINE_SNAPSHOT_H
