//===- cpus.c - How many CPUs the process may use -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/self/cgroup has a line for each hierarchy, "NUMBER:CONTROLLERS:PATH",
// where version 2 has "0::PATH"; /proc/self/mountinfo tells where a hierarchy
// is mounted, and which of its groups is seen there (proc(5), cgroups(7)). The
// files with quotas are described in the kernel's cgroup-v1 and cgroup-v2
// documents ("CFS Bandwidth Control", "cpu.max"). A file that is missing or
// malformed is no error: there is no quota then.
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

/// What is beyond is not seen: hierarchies are mounted before most else.
#define FILE_BYTES 65536

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

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  while (list) {
    if (strncmp(list, word, length) == 0 &&
        (list[length] == ',' || list[length] == '\0'))
      return true;
    list = strchr(list, ',');
    list += list != NULL;
  }
  return false;
}

/// The path of the process's group in the hierarchy, from the contents of
/// /proc/self/cgroup, which are used up; NULL where there is none.
static const char *find_group(char *groups, bool unified) {
  char *line;
  while ((line = strsep(&groups, "\n"))) {
    const char *number = strsep(&line, ":");
    const char *controllers = strsep(&line, ":");
    if (controllers && line &&
        (unified ? strcmp(number, "0") == 0 && !*controllers
                 : has_word(controllers, "cpu")))
      return line;
  }
  return NULL;
}

/// Spaces and the like are octal in mountinfo ("\040").
static void unescape(char *path) {
  char *to = path;
  for (const char *from = path; *from;) {
    if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
        from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
      *to++ =
          (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0');
      from += 4;
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
}

typedef struct mount {
  char *group; ///< the group that is seen at `point`
  char *point;
} mount;

/// The next mount of the hierarchy, from the contents of /proc/self/mountinfo,
/// which are used up.
static bool next_mount(char **mounts, bool unified, mount *out) {
  char *line;
  while ((line = strsep(mounts, "\n"))) {
    char *rest = strstr(line, " - ");
    if (!rest)
      continue;
    *rest = '\0';
    rest += 3;
    const char *type = strsep(&rest, " ");
    (void)strsep(&rest, " "); // the source
    if (strcmp(type, unified ? "cgroup2" : "cgroup") != 0 ||
        (!unified && !(rest && has_word(rest, "cpu"))))
      continue;
    for (int i = 0; i < 3; ++i)
      (void)strsep(&line, " ");
    out->group = strsep(&line, " ");
    out->point = strsep(&line, " ");
    if (!out->point)
      continue;
    unescape(out->group);
    unescape(out->point);
    return true;
  }
  return false;
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

/// Of the process's group and all above it that are seen at the mount.
static int64_t read_mount(const char *root, bool unified, const mount *at,
                          const char *group) {
  // Where the mount does not show the process's group by its path, as in a
  // container without a namespace of its own, it shows that group.
  size_t above = strcmp(at->group, "/") == 0 ? 0 : strlen(at->group);
  const char *below = "";
  if (strncmp(group, at->group, above) == 0 &&
      (group[above] == '/' || !group[above]) && strncmp(group, "/..", 3) != 0)
    below = group + above;

  char path[PATH_MAX];
  size_t length = strlen(at->point);
  if (length + strlen(below) >= sizeof(path))
    return 0;
  memcpy(path, at->point, length);
  strcpy(path + length, below);
  int64_t least = 0;
  for (;;) {
    least = smaller_quota(least, read_group(root, unified, path));
    char *last = strrchr(path + length, '/');
    if (!last)
      return least;
    *last = '\0';
  }
}

static int64_t read_hierarchy(const char *root, bool unified, char *text) {
  char group[PATH_MAX];
  read_file(text, FILE_BYTES, root, "/proc/self", "cgroup");
  const char *found = find_group(text, unified);
  if (!found || strlen(found) >= sizeof(group))
    return 0;
  strcpy(group, found);
  read_file(text, FILE_BYTES, root, "/proc/self", "mountinfo");
  int64_t least = 0;
  mount at;
  while (next_mount(&text, unified, &at))
    least = smaller_quota(least, read_mount(root, unified, &at, group));
  return least;
}

int64_t agpu__cpus_read_quota(const char *root) {
  char *text = malloc(FILE_BYTES);
  if (!text)
    return 0;
  int64_t least = read_hierarchy(root, /*unified=*/true, text);
  least = smaller_quota(least, read_hierarchy(root, /*unified=*/false, text));
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
