//===- cpus.c - The affinity mask and the quotas of control groups --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/os/cpus.h"
#include "machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

/// A file of a machine.
typedef struct entry {
  const char *path, *text;
} entry;

typedef struct machine {
  const char *what;
  int64_t quota; ///< in thousandths of a CPU, by hand
  entry entries[8];
} machine;

#define GROUPS "/proc/self/cgroup"

static const machine machines[] = {
    {"nothing to read", 0, {{0}}},
    {"version 2, no quota",
     0,
     {{GROUPS, "0::/a.slice\n"},
      {"/sys/fs/cgroup/a.slice/cpu.max", "max 100000\n"}}},
    {"version 2, one and a half CPUs",
     1500,
     {{GROUPS, "0::/a.slice/b.scope\n"},
      {"/sys/fs/cgroup/a.slice/b.scope/cpu.max", "150000 100000\n"}}},
    {"version 2, the group above has less",
     500,
     {{GROUPS, "0::/a.slice/b.scope\n"},
      {"/sys/fs/cgroup/a.slice/cpu.max", "25000 50000\n"},
      {"/sys/fs/cgroup/a.slice/b.scope/cpu.max", "300000 100000\n"}}},
    {"version 2, a container with a namespace of its own",
     3000,
     {{GROUPS, "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "300000 100000\n"}}},
    {"version 2, a container that sees the host's path",
     2000,
     {{GROUPS, "0::/docker/1234\n"},
      {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}}},
    {"version 2, a group outside of the namespace",
     2000,
     {{GROUPS, "0::/../sibling\n"},
      {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}}},
    {"version 1",
     4000,
     {{GROUPS, "4:cpuset:/other\n3:cpu,cpuacct:/a\n0::/\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"}}},
    {"version 1, no quota",
     0,
     {{GROUPS, "3:cpu,cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, a container whose group is mounted as /",
     1000,
     {{GROUPS, "3:cpu,cpuacct:/docker/1234\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, a service in such a container",
     500,
     {{GROUPS, "3:cpu,cpuacct:/docker/1234/system.slice/x.service\n"},
      {"/sys/fs/cgroup/cpu/system.slice/x.service/cpu.cfs_quota_us", "50000\n"},
      {"/sys/fs/cgroup/cpu/system.slice/x.service/cpu.cfs_period_us",
       "100000\n"}}},
    {"version 1, mounted by the names of both controllers",
     1000,
     {{GROUPS, "3:cpu,cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}}},
    {"both, of which version 1 has the controller",
     1000,
     {{GROUPS, "1:cpu:/\n0::/a\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
    {"a controller whose name begins alike",
     0,
     {{GROUPS, "3:cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}}},
    {"less than a thousandth",
     1,
     {{GROUPS, "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "1 1000000\n"}}},
    {"what no kernel writes",
     0,
     {{GROUPS, "0::\n3\n::\n\n"}, {"/sys/fs/cgroup/cpu.max", "many 0\n"}}},
};

static void test_quotas(void) {
  for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); ++i) {
    char root[64];
    machine_create(root);
    for (const entry *file = machines[i].entries; file->path; ++file)
      machine_write(root, file->text, "%s", file->path);
    int64_t quota = agpu__cpus_read_quota(root);
    if (quota != machines[i].quota)
      fprintf(stderr, "%s:\n", machines[i].what);
    CHECK_EQ(quota, machines[i].quota);
    machine_destroy(root);
  }
}

/// How many threads are of use where the mask has room for more, or less, than
/// the control group has time for, and ranks are beside this one.
static void test_usable(void) {
  static const struct {
    const char *quota; ///< of the group
    int64_t in_mask, all, ranks, usable;
  } cases[] = {{"max 100000\n", 64, 64, 1, 64},
               {"200000 100000\n", 64, 64, 1, 2},
               {"150000 100000\n", 64, 64, 1, 2},
               {"150000 100000\n", 1, 64, 1, 1},
               {"1000 100000\n", 64, 64, 1, 1},
               {"6400000 100000\n", 64, 64, 1, 64},
               {"6400000 100000\n", 16, 64, 1, 16},
               // Bound to nothing, to a half that others have too, to less.
               {"max 100000\n", 64, 64, 4, 16},
               {"max 100000\n", 32, 64, 4, 16},
               {"max 100000\n", 8, 64, 4, 8},
               {"max 100000\n", 64, 64, 3, 21},
               {"max 100000\n", 2, 2, 7, 1},
               {"max 100000\n", 4, 0, 2, 2},
               {"max 100000\n", 0, 0, 2, 1},
               // All of them have the quota.
               {"400000 100000\n", 64, 64, 2, 2},
               {"400000 100000\n", 1, 64, 2, 1},
               {"100000 100000\n", 64, 64, 2, 1}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); ++i) {
    char root[64];
    machine_create(root);
    machine_write(root, "0::/a\n", GROUPS);
    machine_write(root, cases[i].quota, "/sys/fs/cgroup/a/cpu.max");
    agpu__cpus cpus =
        agpu__cpus_of(cases[i].in_mask, cases[i].all, cases[i].ranks, root);
    CHECK_EQ(cpus.in_mask, cases[i].in_mask ? cases[i].in_mask : 1);
    CHECK_EQ(cpus.usable, cases[i].usable);
    machine_destroy(root);
  }
}

/// What launchers say.
static void test_ranks(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                      "MPI_LOCALNRANKS",
                                      "SLURM_STEP_TASKS_PER_NODE"};
  enum { NAMES = sizeof(names) / sizeof(*names) };
  for (int i = 0; i < NAMES; ++i)
    unsetenv(names[i]);
  int64_t alone = agpu__cpus_get().usable;
  for (int i = 0; i < NAMES; ++i) {
    static const struct {
      const char *text;
      bool is_many;
    } cases[] = {{"1", false},  {"1000000", true}, {"1000000(x2),3", true},
                 {"-7", false}, {"0", false},      {"many", false},
                 {"", false}};
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); ++k) {
      CHECK(setenv(names[i], cases[k].text, 1) == 0);
      CHECK_EQ(agpu__cpus_get().usable, cases[k].is_many ? 1 : alone);
    }
    unsetenv(names[i]);
  }
}

/// A mask of one CPU, of those that this process may use.
static void test_mask(void) {
  cpu_set_t all, one;
  CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
  size_t cpu = 0;
  while (!CPU_ISSET(cpu, &all))
    ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
  agpu__cpus cpus = agpu__cpus_get();
  CHECK_EQ(cpus.in_mask, 1);
  CHECK_EQ(cpus.usable, 1);
  CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
}

/// Of this machine, where a quota may or may not be.
static void test_here(void) {
  cpu_set_t set;
  CHECK(sched_getaffinity(0, sizeof(set), &set) == 0);
  agpu__cpus cpus = agpu__cpus_get();
  CHECK_EQ(cpus.in_mask, CPU_COUNT(&set));
  CHECK(cpus.usable >= 1 && cpus.usable <= cpus.in_mask);
  if (!cpus.quota_thousandth)
    CHECK_EQ(cpus.usable, cpus.in_mask);
}

int main(void) {
  test_quotas();
  test_usable();
  test_ranks();
  test_mask();
  test_here();
  return 0;
}
