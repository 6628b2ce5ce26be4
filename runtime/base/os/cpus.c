//===- cpus.c - How many CPUs the process may use -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/self/cgroup has a line for each hierarchy, "NUMBER:CONTROLLERS:PATH",
// where version 2 has "0::PATH" (cgroups(7)). Groups are seen below
// /sys/fs/cgroup, those of version 1 below cpu or cpu,cpuacct there. In a
// container without a namespace of its own that is the container's group, and
// the path begins with the groups around it. The files with quotas are
// described in the kernel's cgroup-v1 and cgroup-v2 documents ("CFS Bandwidth
// Control", "cpu.max"). A file that is missing or malformed is no error: there
// is no quota then.
//
//===----------------------------------------------------------------------===//

#include "base/os/cpus.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES 65536 // what is beyond is not seen

/// CPUs in a process's mask, of this one if it is 0; 0 where none can be read.
static int64_t count_mask(pid_t process) {
  // The kernel takes no mask that is smaller than its own, of 8,192 at most.
  const size_t cpus = 1 << 16;
  cpu_set_t *set = CPU_ALLOC(cpus);
  size_t size = CPU_ALLOC_SIZE(cpus);
  int count = 0;
  if (set && sched_getaffinity(process, size, set) == 0)
    count = CPU_COUNT_S(size, set);
  CPU_FREE(set);
  return count;
}

/// Ranks on this machine, as the launchers of Open MPI, of MPICH and libraries
/// made from it, and of Slurm say ("4(x2),3"); 1 where none does.
static int64_t count_ranks(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                      "MPI_LOCALNRANKS",
                                      "SLURM_STEP_TASKS_PER_NODE"};
  int64_t count = 0;
  for (size_t i = 0; count <= 0 && i < sizeof names / sizeof *names; ++i) {
    const char *text = secure_getenv(names[i]);
    count = text ? strtoll(text, NULL, 10) : 0;
  }
  return count > 0 ? count : 1;
}

/// Reads file `name` of `folder` below `root` as a string of at most `size` - 1
/// bytes; "" where it cannot be read.
static void read_file(char *text, size_t size, const char *root,
                      const char *folder, const char *name) {
  char path[PATH_MAX];
  text[0] = '\0';
  int length = snprintf(path, sizeof(path), "%s%s/%s", root, folder, name);
  if (length < 0 || (size_t)length >= sizeof(path))
    return;
  FILE *file = fopen(path, "re");
  if (!file)
    return;
  text[fread(text, 1, size - 1, file)] = '\0';
  (void)fclose(file);
}

/// The quota of one group, or 0.
static int64_t read_group(const char *root, bool unified, const char *group) {
  char text[64];
  char *end;
  read_file(text, sizeof(text), root, group,
            unified ? "cpu.max" : "cpu.cfs_quota_us");
  errno = 0;
  long long quota = strtoll(text, &end, 10); // "max", or -1: none
  if (!unified) {
    read_file(text, sizeof(text), root, group, "cpu.cfs_period_us");
    end = text;
  }
  long long period = strtoll(end, NULL, 10);
  if (errno || quota <= 0 || period <= 0 || quota > INT64_MAX / 1000)
    return 0;
  int64_t thousandths = quota * 1000 / period;
  return thousandths > 0 ? thousandths : 1;
}

static int64_t smaller_quota(int64_t a, int64_t b) {
  return a && (!b || a < b) ? a : b;
}

/// The end of the process's path that is seen below `mount`.
static const char *seen_part(const char *root, const char *mount,
                             const char *path) {
  char folder[PATH_MAX];
  if (strncmp(path, "/..", 3) == 0) // of a group outside of the namespace
    return "";
  for (; path && *path; path = strchr(path + 1, '/')) {
    int length = snprintf(folder, sizeof folder, "%s%s%s", root, mount, path);
    if (length > 0 && (size_t)length < sizeof folder && !access(folder, F_OK))
      return path;
  }
  return "";
}

/// The least of the process's group below `mount` and of all above it.
static int64_t read_mount(const char *root, bool unified, const char *mount,
                          const char *path) {
  char group[PATH_MAX];
  size_t length = strlen(mount);
  int64_t least = 0;
  path = seen_part(root, mount, path);
  if (length + strlen(path) >= sizeof group)
    return 0;
  (void)stpcpy(stpcpy(group, mount), path);
  for (;;) {
    least = smaller_quota(least, read_group(root, unified, group));
    char *last = strrchr(group + length, '/');
    if (!last)
      return least;
    *last = '\0';
  }
}

static int64_t read_hierarchy(const char *root, bool unified,
                              const char *path) {
  if (unified)
    return read_mount(root, true, "/sys/fs/cgroup", path);
  return smaller_quota(
      read_mount(root, false, "/sys/fs/cgroup/cpu", path),
      read_mount(root, false, "/sys/fs/cgroup/cpu,cpuacct", path));
}

int64_t agpu__cpus_read_quota(const char *root) {
  char *text = malloc(FILE_BYTES), *rest = text, *line;
  int64_t least = 0;
  if (text)
    read_file(text, FILE_BYTES, root, "/proc/self", "cgroup");
  while (text && (line = strsep(&rest, "\n"))) {
    const char *number = strsep(&line, ":");
    char *names = strsep(&line, ":"); // of controllers
    bool unified = names && !*names && !strcmp(number, "0"), is_cpu = unified;
    for (const char *name; (name = strsep(&names, ","));)
      is_cpu |= !strcmp(name, "cpu");
    if (is_cpu && line)
      least = smaller_quota(least, read_hierarchy(root, unified, line));
  }
  free(text);
  return least;
}

agpu__cpus agpu__cpus_of(int64_t in_mask, int64_t all, int64_t ranks,
                         const char *root) {
  agpu__cpus cpus = {.in_mask = in_mask > 0 ? in_mask : 1,
                     .quota_thousandth = agpu__cpus_read_quota(root)};
  all = all > cpus.in_mask ? all : cpus.in_mask;
  if (cpus.quota_thousandth && (cpus.quota_thousandth + 999) / 1000 < all)
    all = (cpus.quota_thousandth + 999) / 1000;
  int64_t part = all > ranks ? all / ranks : 1;
  cpus.usable = part < cpus.in_mask ? part : cpus.in_mask;
  return cpus;
}

agpu__cpus agpu__cpus_get(void) {
  int64_t in_mask = count_mask(0), ranks = count_ranks();
  // All of the machine's, or of the container's: what its first process has.
  return agpu__cpus_of(in_mask, ranks > 1 ? count_mask(1) : in_mask, ranks, "");
}
